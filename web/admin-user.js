// One user: what is kept of them, what a search finds, what was said in a session, and why an answer said what it did.
import { call, pathOf, post } from "./admin-api.js";
import { ago, at, busy, count, el, failure, link, numbers, paged, parts, state, table } from "./admin-parts.js";

const of = (user, ...rest) => ["users", user, ...rest];
const trail = (...steps) => el("p", { class: "trail" }, ...steps.flatMap((step, place) => (place ? [" › ", step] : [step])));
const said = (text) => (text ? el("span", {}, text) : null);
const list = (name) => el("ol", { class: name, role: "list" });

/** Where a hit was said: a message in a session; a fact belongs to a conversation, which need not be one. */
const placeOf = (user, hit) =>
  (hit.kind === "turn" ? link(hit.session_id, ...of(user, "sessions", hit.session_id)) : said(hit.session_id));

function searchOf(user, query) {
  const text = el("input", { type: "search", placeholder: "What recall finds for this user", maxLength: 32000, value: query });
  text.setAttribute("aria-label", "Search as this user");
  const send = el("button", { class: "primary" }, "Search");
  const found = el("div", { "aria-live": "polite" });
  const form = el("form", { class: "tools", role: "search" }, text, send);
  const search = () => busy(send, async () => {
    if (!text.value.trim()) return;
    const { items, took_ms, searched } = await post(pathOf(of(user, "search")), { query: text.value });
    const hits = list("messages");
    for (const hit of items) {
      const head = el("div", { class: "head" }, `${hit.kind}, ${hit.role}`, placeOf(user, hit), at(hit.timestamp));
      hits.append(el("li", { class: hit.role }, head, el("p", {}, hit.content), parts(hit.score, hit.explain)));
    }
    const spelt = searched ? `, searched as “${searched}”` : "";
    found.replaceChildren(el("p", { class: "meta" }, `${count(items.length)} found in ${took_ms} ms${spelt}`), hits);
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); search(); });
  if (query) search();
  return [form, found];
}

/** What is read only once it is opened. */
function folded(title, read) {
  const box = el("details", {}, el("summary", {}, title));
  box.addEventListener("toggle", async () => {
    if (!box.open || box.children.length > 1) return;
    const holder = el("div", {}, el("p", { class: "loading" }, "…"));
    box.append(holder);
    try {
      holder.replaceChildren(await read());
    } catch (error) {
      holder.replaceChildren(failure(error));
    }
  });
  return box;
}

function memoriesOf(user) {
  const memories = table("Key/value facts", ["Key", "Value", "Changed"], []);
  const read = (cursor) => call(pathOf(of(user, "memories"), { cursor }));
  return paged(memories, read, (one) => memories.add([one.key, one.value, ago(one.updated_at)]), "None.");
}

function factsOf(user) {
  const facts = table("Facts", ["Fact", "Conversation", "Since", "Decided by"], []);
  const read = (cursor) => call(pathOf(of(user, "facts"), { cursor }));
  const add = (one) => facts.add([one.text, one.memory_id, ago(one.valid_from), one.decided_by]);
  return paged(facts, read, add, "None in force.");
}

export async function userView(user, query) {
  const sessions = table("Sessions", ["Session", "Title", "#Messages", "Last message"], []);
  const read = (cursor) => call(pathOf(of(user, "sessions"), { cursor }));
  const add = (one) => sessions.add([link(one.id, ...of(user, "sessions", one.id)), one.title, count(one.message_count),
    ago(one.updated_at)]);
  const [seen, conversations] = await Promise.all([call(pathOf(of(user))), paged(sessions, read, add, "None.")]);
  const { vectors, ...others } = seen.counts;
  const there = Object.entries({ messages: seen.messages, gists: vectors, ...others }).filter(([, number]) => number);
  return [
    trail(link("Users", "users")), el("h2", {}, user),
    numbers(there),
    el("h3", {}, "Search"), ...searchOf(user, query),
    el("h3", {}, "Sessions"), conversations,
    folded("Key/value facts", () => memoriesOf(user)), folded("Facts in force", () => factsOf(user)),
  ];
}

function messageOf(user, one) {
  const embedding = one.embedding || { state: "gone", error: null, model: null };
  const head = el("div", { class: "head" }, el("b", {}, one.name ? `${one.role} (${one.name})` : one.role), at(one.timestamp),
    state(embedding.state, embedding.error, "embedding "), said(embedding.model), said(one.model && `by ${one.model}`),
    said(one.interrupted && "broken off"));
  if (one.turn_id && one.role === "assistant") head.append(link("Why?", ...of(user, "receipts", one.turn_id)));
  return el("li", { class: one.role }, head, el("p", {}, one.content));
}

function summariesOf(user, id) {
  const summaries = list("messages");
  const read = (cursor) => call(pathOf(of(user, "sessions", id, "summaries"), { cursor }));
  const add = (one) => summaries.append(el("li", {},
    el("div", { class: "head" }, at(one.timestamp), `${count(one.message_count)} messages, by ${one.model}`),
    el("p", {}, one.summary)));
  return paged(summaries, read, add, "None yet.");
}

export async function sessionView(user, id) {
  const messages = list("messages");
  const read = (cursor) => call(pathOf(of(user, "sessions", id, "messages"), { cursor, limit: 100 }));
  const add = (one) => messages.append(messageOf(user, one));
  const [session, shown] = await Promise.all([call(pathOf(of(user, "sessions", id))), paged(messages, read, add, "None.")]);
  return [
    trail(link("Users", "users"), link(user, ...of(user)), id), el("h2", {}, session.title),
    folded("Summaries", () => summariesOf(user, id)), shown,
  ];
}

export async function receiptView(user, id) {
  const one = await call(pathOf(of(user, "receipts", id)));
  const considered = list("messages");
  for (const each of one.considered) {
    const used = each.used ? state("used") : state("left out", each.dropped);
    considered.append(el("li", {}, el("div", { class: "head" }, used, said(each.id)),
      el("p", {}, one.texts[each.id] || "It is not there any more."), parts(each.score, each.explain)));
  }
  const ledger = table("What the prompt cost", ["Section", "#Characters", "#Tokens"],
    one.ledger.map((entry) => [entry.section, count(entry.characters), count(entry.tokens)]));
  return [
    trail(link("Users", "users"), link(user, ...of(user)), link(one.session_id, ...of(user, "sessions", one.session_id))),
    el("h2", {}, "Why this answer?"),
    ...one.messages.map((each) => el("p", { class: "quoted" }, one.texts[each] || "It is not there any more.")),
    el("p", { class: "meta" }, `${one.intent}: ${one.memory_reason}. Answered by ${one.model} `, at(one.at), "; by the recipe ", one.recipe,
      ", through ", one.agents_used.join(", "), "."),
    one.query ? el("p", {}, link("Search for it again", ...of(user, "search", one.query))) : "",
    el("h3", {}, "Considered"), one.considered.length ? considered : el("p", { class: "none" }, "Nothing."),
    el("h3", {}, "Prompt"), one.ledger.length ? ledger : el("p", { class: "none" }, "No prompt was sent."),
  ];
}
