// How the pages reach the server: with the key that this browser keeps, asked for where one is needed.
import { forgetChats } from "../chat/kept.js";
import { t } from "./text.js";

const KEY = "key";
const PRINTABLE_ASCII = /^[ -~]*$/; // what a key may consist of; `fetch` throws for much of the rest
let asking = null; // what all wait for that need a key, while the dialog is open

export const hasKey = () => Boolean(localStorage.getItem(KEY));
export const forgetKey = () => localStorage.removeItem(KEY);

/** Lets go of the key, and of all that this browser keeps of its user. */
export function signOut() {
  forgetKey();
  forgetChats();
}

/** What the server refused with, in its own words. */
export class Refused extends Error {
  constructor(status, detail) {
    super(detail || t("answered", status));
    this.status = status;
  }
}

/** An error in words for whoever uses the page. */
export const told = (error) => (error instanceof TypeError ? t("unreachable") : error.message);

/** A path of parts that may hold anything, with parameters, of which those without a value are left out. */
export function path(parts, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(given).toString();
  return parts.map(encodeURIComponent).join("/") + (query ? `?${query}` : "");
}

/** The response to a request. `json`: its body. Throws `Refused`, and what `fetch` throws where there is no server. */
export async function request(address, { json, headers = {}, ...options } = {}) {
  const key = localStorage.getItem(KEY) || "";
  const sent = { ...headers, ...(json === undefined ? {} : { "content-type": "application/json" }), ...(key ? { "x-api-key": key } : {}) };
  const body = json === undefined ? options.body : JSON.stringify(json);
  const response = PRINTABLE_ASCII.test(key) ? await fetch(address, { ...options, body, headers: sent }) : { status: 401 };
  if (response.status === 401) {
    if (key && key === localStorage.getItem(KEY)) forgetKey();
    await askForKey(key ? t("unknownKey") : "");
    return request(address, { json, headers, ...options });
  }
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    throw new Refused(response.status, problem.detail);
  }
  return response;
}

const method = (name) => async (address, json) => (await request(address, { method: name, json })).json();
export const get = method("GET");
export const post = method("POST");
export const put = method("PUT");
export const patch = method("PATCH");
export const remove = method("DELETE");

/** The server-sent events of a response, as {event, data}. */
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const blocks = rest.split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const found = block.match(/^event: ([^\n]*)\ndata: ([^\n]*)$/);
      if (found) yield { event: found[1], data: JSON.parse(found[2]) };
    }
  }
}

/** Asks for a key. `reason`: why the one that was there is not enough; rejected where the dialog is left. */
export function askForKey(reason) {
  const dialog = document.getElementById("keys") || keyDialog();
  const field = dialog.querySelector("input");
  const refused = dialog.querySelector("[role=alert]");
  if (reason || !dialog.open) { refused.textContent = reason; refused.hidden = !reason; }
  if (!dialog.open) {
    dialog.querySelector("label").textContent = t("asksForKey");
    dialog.querySelector("button").textContent = t("useKey");
    field.value = dialog.returnValue = "";
    dialog.showModal();
  }
  asking ??= new Promise((resolve, reject) => {
    dialog.addEventListener("close", () => {
      if (dialog.returnValue !== "use") return reject(new Refused(401, t("needsKey")));
      localStorage.setItem(KEY, field.value.trim());
      resolve();
    }, { once: true });
  }).finally(() => { asking = null; });
  return asking;
}

function keyDialog() {
  const dialog = document.createElement("dialog");
  dialog.id = "keys";
  dialog.setAttribute("aria-label", "API key");
  dialog.innerHTML = `<form method="dialog"><p class="bad" role="alert" hidden></p><label for="key"></label>
    <input id="key" type="password" autocomplete="off" required><button value="use" class="primary"></button></form>`;
  document.body.append(dialog);
  return dialog;
}
