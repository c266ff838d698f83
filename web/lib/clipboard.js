// Copying. Over plain HTTP browsers withhold the clipboard, so a selection is copied instead.
import { t } from "./text.js";

const SHOWN = 1_500; // milliseconds for which a button tells the outcome

/** Copies a text. `say` sets the text of the button: the outcome, then "Copy" again. */
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
