// How the pages reach the server: with the key that this browser keeps, asked for where one is needed.
import { forgetChats } from "./kept.js";
import { t } from "./text.js";

const PRINTABLE_ASCII = /^[ -~]*$/; // what a key may consist of; `fetch` throws for much of the rest

/** What the server refused with, in its own words. */
export class Refused extends Error {
  constructor(status, detail) {
    super(detail || t("answered", status));
    this.status = status;
  }
}

/** An error in words for whoever uses the page. */
export const told = (error) => (error instanceof TypeError ? t("unreachable") : error.message);

/** A path of escaped parts, with the parameters that have a value. */
export function path(parts, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(given).toString();
  return parts.map(encodeURIComponent).join("/") + (query ? `?${query}` : "");
}

/** A way to the server with a key of its own, kept in `storage` under `name`. `label` asks for the key. `refusals`: statuses that
 * refuse a key. `explain(detail, refused)` tells the user why to enter one. */
export function door({ storage, name, label, explain, refusals = [401] }) {
  let asking = null; // the promise of a key, while the dialog is open
  let refused = ""; // why the last key was refused, until one is accepted
  const forgetKey = () => storage.removeItem(name);

  /** The response to a request. `json`: its body. Throws `Refused`, and what `fetch` throws where there is no server. */
  async function request(address, { json, headers = {}, ...options } = {}) {
    const key = storage.getItem(name) || "";
    const sent = { ...headers, ...(json === undefined ? {} : { "content-type": "application/json" }), ...(key ? { "x-api-key": key } : {}) };
    const body = json === undefined ? options.body : JSON.stringify(json);
    const response = PRINTABLE_ASCII.test(key) ? await fetch(address, { ...options, body, headers: sent }) : null;
    if (response?.ok) { refused = ""; return response; }
    const { detail = "" } = response ? await response.json().catch(() => ({})) : {};
    if (!response || (key && refusals.includes(response.status))) {
      refused = explain(detail, true);
      if (key === storage.getItem(name)) forgetKey();
    } else if (response.status !== 401) {
      throw new Refused(response.status, detail);
    } else {
      await askForKey(refused || explain(detail, false));
    }
    return request(address, { json, headers, ...options });
  }

  function askForKey(reason) {
    const dialog = document.getElementById("keys") || keyDialog();
    const field = dialog.querySelector("input");
    const told = dialog.querySelector("[role=alert]");
    if (reason || !dialog.open) { told.textContent = reason; told.hidden = !reason; }
    if (!dialog.open) {
      dialog.setAttribute("aria-label", document.title);
      dialog.querySelector("label").textContent = t(label);
      dialog.querySelector("button").textContent = t("useKey");
      field.value = dialog.returnValue = "";
      dialog.showModal();
    }
    asking ??= new Promise((resolve, reject) => {
      dialog.addEventListener("close", () => {
        if (dialog.returnValue !== "use") return reject(new Refused(401, reason || t("needsKey")));
        storage.setItem(name, field.value.trim());
        resolve();
      }, { once: true });
    }).finally(() => { asking = null; });
    return asking;
  }

  const method = (verb) => async (address, json) => (await request(address, { method: verb, json })).json();
  const [get, post, put, patch, remove] = ["GET", "POST", "PUT", "PATCH", "DELETE"].map(method);
  return { request, get, post, put, patch, remove, forgetKey, hasKey: () => Boolean(storage.getItem(name)) };
}

function keyDialog() {
  const dialog = document.createElement("dialog");
  dialog.id = "keys";
  dialog.innerHTML = `<form method="dialog"><p id="reason" class="bad" role="alert" hidden></p><label for="key"></label>
    <input id="key" type="password" autocomplete="off" required><button value="use" class="primary"></button></form>`;
  document.body.append(dialog);
  return dialog;
}

const own = door({ storage: localStorage, name: "key", label: "asksForKey", explain: (_, refused) => (refused ? t("unknownKey") : "") });
export const { request, get, post, put, patch, remove, forgetKey, hasKey } = own;

/** Lets go of the key, and of all that this browser keeps of its user. */
export function signOut() {
  forgetKey();
  forgetChats();
}

/** The pieces of a response that end in `end`, as they come. */
async function* pieces(response, end) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const whole = rest.split(end);
    rest = whole.pop();
    yield* whole;
  }
}

/** A random id. Over plain HTTP browsers have no `randomUUID`. */
export const newId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The server-sent events of a response, as {event, data}. */
export async function* events(response) {
  for await (const block of pieces(response, "\n\n")) {
    const found = block.match(/^event: ([^\n]*)\ndata: ([^\n]*)$/);
    if (found) yield { event: found[1], data: JSON.parse(found[2]) };
  }
}

/** The JSON objects of a response, one a line. */
export async function* lines(response) {
  for await (const line of pieces(response, "\n")) yield JSON.parse(line);
}
