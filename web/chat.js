// The chat page: sends a question, shows the answer as it streams and the memories that it cites. Text only, no HTML.
"use strict";

const log = document.getElementById("log");
const form = document.getElementById("form");
const text = document.getElementById("text");
const send = document.getElementById("send");
const sessions = document.getElementById("session");
const tooLong = document.getElementById("too-long");
const NEW = "";
const MOST = 32_000; // characters of a message, as the server counts them
const PRINTABLE_ASCII = /^[ -~]*$/; // what a key may consist of; `fetch` throws for much of the rest

let session = sessionStorage.getItem("session") || null;
let view = 0; // counts the conversations shown; what belongs to an earlier one is not shown any more

function headers(key) {
  return { "content-type": "application/json", ...(key ? { "x-api-key": key } : {}) };
}

async function call(path, options = {}) {
  const key = localStorage.getItem("key") || "";
  const answer = PRINTABLE_ASCII.test(key) ? await fetch(path, { ...options, headers: headers(key) }) : { status: 401 };
  if (answer.status === 401) {
    if (key && key === localStorage.getItem("key")) localStorage.removeItem("key");
    await askForKey(key ? "The server does not know this key." : "");
    return call(path, options);
  }
  if (!answer.ok) {
    const problem = await answer.json().catch(() => ({}));
    throw new Error(problem.detail || `The server answered ${answer.status}`);
  }
  return answer;
}

function askForKey(reason) {
  const dialog = document.getElementById("keys");
  const key = document.getElementById("key");
  const refused = document.getElementById("refused");
  if (reason || !dialog.open) { refused.textContent = reason; refused.hidden = !reason; }
  if (!dialog.open) { key.value = dialog.returnValue = ""; dialog.showModal(); }
  return new Promise((resolve, reject) => {
    dialog.addEventListener("close", () => {
      if (dialog.returnValue !== "use") return reject(new Error("This server needs an API key."));
      localStorage.setItem("key", key.value.trim());
      resolve();
    }, { once: true });
  });
}

function told(error) {
  show("error", error instanceof TypeError ? "The server cannot be reached. Is it running?" : error.message);
}

function show(role, content) {
  const line = document.createElement("div");
  line.className = `message ${role}`;
  line.textContent = content;
  log.append(line);
  line.scrollIntoView({ block: "end" });
  return line;
}

function showSources(citations) {
  if (!citations.length) return;
  const box = document.createElement("details");
  box.className = "sources";
  const title = document.createElement("summary");
  title.textContent = citations.length === 1 ? "1 memory" : `${citations.length} memories`;
  const list = document.createElement("ol");
  for (const { n, role, content, timestamp } of citations) {
    const item = document.createElement("li");
    item.value = n;
    item.textContent = `${role || "summary"}, ${new Date(timestamp).toLocaleString()}: ${content}`;
    list.append(item);
  }
  box.append(title, list);
  box.addEventListener("toggle", () => box.scrollIntoView({ block: "nearest" }));
  log.append(box);
  box.scrollIntoView({ block: "end" });
}

// Server-sent events of a POST: yields {event, data} as they come.
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
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

async function ask(query) {
  const here = view;
  show("user", query);
  const line = show("assistant waiting", "");
  let ended = false;
  try {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions(); // unknown in some hardened browsers
    const zone = timeZone && timeZone !== "Etc/Unknown" ? { timezone: timeZone } : {};
    const request = { query, stream: true, ...zone, ...(session ? { session_id: session } : {}) };
    const answer = await call("query", { method: "POST", body: JSON.stringify(request) });
    for await (const { event, data } of events(answer.body)) {
      if (here !== view) continue; // read on, so that the answer is not cut short
      if (event === "meta") remember(data.session_id);
      if (event === "delta") line.textContent += data.text;
      if (event === "done") {
        ended = true;
        line.textContent = data.response;
        if (data.fallback) show("fallback", `Answered without the model. ${data.fallback}`);
        showSources(data.citations);
      }
      if (event === "error") { ended = true; show("error", data.detail); }
      line.scrollIntoView({ block: "end" });
    }
    if (!ended && here === view) show("error", "The connection broke off; what came so far is kept.");
  } catch (error) {
    if (here !== view) return;
    told(error);
    if (!line.textContent && !text.value) text.value = query;
  }
  line.classList.remove("waiting");
  if (!line.textContent) line.remove();
}

// Says so where a message has more characters than the server takes; nothing of it is cut.
function isTooLong(query) {
  const length = query.length > MOST ? [...query].length : 0;
  tooLong.hidden = length <= MOST;
  tooLong.textContent = tooLong.hidden ? ""
    : `${length.toLocaleString("en")} characters: a message may have ${MOST.toLocaleString("en")}. Please shorten it, or send it in parts.`;
  return !tooLong.hidden;
}

function remember(id) {
  const fresh = id !== session;
  session = id;
  sessionStorage.setItem("session", id);
  if (fresh) listSessions().catch(told);
}

async function listSessions() {
  const { items } = await (await call("v1/sessions?limit=50")).json();
  sessions.replaceChildren(new Option("New conversation", NEW));
  for (const item of items) sessions.append(new Option(item.title, item.id, false, item.id === session));
  if (!session) sessions.value = NEW;
}

async function openSession(id) {
  const here = ++view;
  session = id || null;
  send.disabled = false;
  log.replaceChildren();
  if (!session) { sessionStorage.removeItem("session"); return; }
  sessionStorage.setItem("session", session);
  let cursor = null;
  do {
    const query = new URLSearchParams({ limit: "200", ...(cursor ? { cursor } : {}) });
    const page = await (await call(`v1/sessions/${encodeURIComponent(id)}/messages?${query}`)).json();
    if (here !== view) return;
    for (const message of page.items) show(message.interrupted ? `${message.role} interrupted` : message.role, message.content);
    cursor = page.next_cursor;
  } while (cursor);
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const query = text.value.trim();
  if (!query || send.disabled || isTooLong(query)) return;
  text.value = "";
  send.disabled = true;
  const here = view;
  await ask(query);
  if (here !== view) return;
  send.disabled = false;
  text.focus();
});
text.addEventListener("input", () => isTooLong(text.value.trim()));
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(); }
});
sessions.addEventListener("change", () => openSession(sessions.value).catch(told));
document.getElementById("new").addEventListener("click", () => { openSession(null); sessions.value = NEW; text.focus(); });

listSessions()
  .then(() => session && openSession(session).catch(() => openSession(null))) // it may have been deleted
  .catch(told);
