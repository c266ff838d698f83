// How the admin page reaches its routes: with a key that this tab alone keeps, asked for where one is needed.
import { t } from "../lib/text.js";

const KEY = "admin-key";
const PRINTABLE_ASCII = /^[ -~]*$/; // what a key may consist of; `fetch` throws for much of the rest
let asking = null; // what all wait for that need a key, while the dialog is open

export const hasKey = () => Boolean(sessionStorage.getItem(KEY));
export const signOut = () => sessionStorage.removeItem(KEY);

function headers(key) {
  return { "content-type": "application/json", ...(key ? { "x-api-key": key } : {}) };
}

/** The JSON that a route under /v1/admin answers. Throws what it refuses with, in its own words, with its `status`.
 * `refused`: why the key was, which was let go of; where it is refused without one, too, none can help. */
export async function call(path, options = {}, refused = "") {
  const key = sessionStorage.getItem(KEY) || "";
  if (!PRINTABLE_ASCII.test(key)) {
    await askForKey(t("notThisKey"));
    return call(path, options);
  }
  const answer = await fetch(`v1/admin${path}`, { ...options, headers: headers(key) });
  if (answer.ok && options.whole) return answer.blob();
  const body = await answer.json().catch(() => ({}));
  const detail = body.detail || t("answered", answer.status);
  if (answer.status === 403 && key) {
    sessionStorage.removeItem(KEY);
    return call(path, options, detail);
  }
  if (answer.status === 401) {
    await askForKey(refused || detail);
    return call(path, options);
  }
  if (!answer.ok) throw Object.assign(new Error(detail), { status: answer.status });
  return body;
}

export const post = (path, body) =>
  call(path, { method: "POST", ...(body === undefined ? {} : { body: JSON.stringify(body) }) });

/** A file that a route answers. */
export const read = (path) => call(path, { whole: true });

/** A path of parts that may hold anything, with parameters, of which empty ones are left out. */
export function pathOf(parts, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(given).toString();
  return `/${parts.map(encodeURIComponent).join("/")}${query ? `?${query}` : ""}`;
}

export const told = (error) =>
  error instanceof TypeError ? t("unreachable") : error.message;

function askForKey(reason) {
  const dialog = document.getElementById("keys") || keyDialog();
  const key = document.getElementById("key");
  document.getElementById("reason").textContent = reason;
  if (!dialog.open) { key.value = dialog.returnValue = ""; dialog.showModal(); }
  asking ??= new Promise((resolve, reject) => {
    dialog.addEventListener("close", () => {
      if (dialog.returnValue !== "use") return reject(new Error(reason));
      sessionStorage.setItem(KEY, key.value.trim());
      resolve();
    }, { once: true });
  }).finally(() => { asking = null; });
  return asking;
}

function keyDialog() {
  const dialog = document.createElement("dialog");
  dialog.id = "keys";
  dialog.setAttribute("aria-labelledby", "reason");
  dialog.innerHTML = `<form method="dialog"><p id="reason"></p><label for="key"></label>
    <input id="key" type="password" autocomplete="off" required><button value="use" class="primary"></button></form>`;
  dialog.querySelector("label").textContent = t("adminKey");
  dialog.querySelector("button").textContent = t("useKey");
  document.body.append(dialog);
  return dialog;
}
