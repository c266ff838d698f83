// Copying, also where the page came over plain HTTP: there browsers keep their clipboard from it.
import { t } from "./text.js";

const SHOWN = 1_500; // milliseconds for which a button says what became of it

/** Copies a text. `say` gets what the button is to say, now and when that is over. */
export async function copy(text, say) {
  const done = await navigator.clipboard?.writeText(text).then(() => true, () => false) || copyBySelection(text);
  say(t(done ? "copied" : "notCopied"));
  setTimeout(() => say(t("copy")), SHOWN);
}

function copyBySelection(text) {
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.className = "hidden";
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  focused?.focus();
  return done;
}
