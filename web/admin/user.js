// One user: what is kept of them, what a search finds, what was said in a session, and why an answer said what it did.
import { count, t } from "../lib/text.js";
import { call, pathOf, post, read, remove } from "./api.js";
import { ago, at, busy, el, failure, field, link, linkTo, numbers, paged, parts, state, table } from "./parts.js";

const of = (user, ...rest) => ["users", user, ...rest];
const trail = (...steps) => el("p", { class: "trail" }, ...steps.flatMap((step, place) => (place ? [" › ", step] : [step])));
const said = (text) => (text ? el("span", {}, text) : null);
const list = (name) => el("ol", { class: name, role: "list" });

/** Where a hit was said: a message in a session; a fact belongs to a conversation, which need not be one. */
const placeOf = (user, hit) =>
  (hit.kind === "turn" ? link(hit.session_id, ...of(user, "sessions", hit.session_id)) : said(hit.session_id));

function searchOf(user, query) {
  const text = el("input", { type: "search", placeholder: t("searchAsUserMore"), maxLength: 32000, value: query });
  text.setAttribute("aria-label", t("searchAsUser"));
  const send = el("button", { class: "primary" }, t("search"));
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
    const spelt = searched ? t("searchedAs", searched) : "";
    found.replaceChildren(el("p", { class: "meta" }, `${t("foundIn", count(items.length), took_ms)}${spelt}`), hits);
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
  const memories = table(t("keyValues"), [t("key"), t("value"), t("changed")], []);
  const readPage = (cursor) => call(pathOf(of(user, "memories"), { cursor }));
  return paged(memories, readPage, (one) => memories.add([one.key, one.value, ago(one.updated_at)]), t("none"));
}

function factsOf(user) {
  const facts = table(t("facts"), [t("fact"), t("conversation"), t("sinceWhen"), t("decidedBy")], []);
  const readPage = (cursor) => call(pathOf(of(user, "facts"), { cursor }));
  const add = (one) => facts.add([one.text, one.memory_id, ago(one.valid_from), one.decided_by]);
  return paged(facts, readPage, add, t("none"));
}

/** What can be done for a user, or to them. */
function doingsOf(user) {
  const download = el("button", { type: "button" }, t("exportUser"));
  const ask = el("button", { type: "button" }, t("deleteUser"));
  const asked = el("div", { "aria-live": "polite" });
  download.addEventListener("click", () => busy(download, async () => {
    const file = el("a", { href: URL.createObjectURL(await read(pathOf(of(user, "export")))), download: "loci-export.jsonl" });
    file.click();
    setTimeout(() => URL.revokeObjectURL(file.href), 60_000);
  }));
  ask.addEventListener("click", () => busy(ask, async () => {
    const { deleted } = await remove(pathOf(of(user), { dry_run: true }));
    asked.replaceChildren(...deletionOf(user, deleted));
    asked.querySelector("input").focus();
  }));
  const tools = [linkTo(t("allDocuments"), ["collections", "vectors"], { user_id: user }), link(t("probe"), ...of(user, "probe")), link(t("map"), ...of(user, "map"))];
  return [el("div", { class: "tools doings" }, ...tools, download, ask), asked];
}

/** What a deletion takes, and the way to it: by the user's id, typed. */
function deletionOf(user, counts) {
  const sum = Object.values(counts).reduce((all, one) => all + one, 0);
  const typed = el("input", { autocomplete: "off" });
  const go = el("button", { class: "danger", disabled: true }, t("deleteForGood"));
  const form = el("form", { class: "tools" }, field(t("typeTo", user), typed), go);
  typed.addEventListener("input", () => { go.disabled = typed.value !== user; });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (typed.value === user) busy(go, async () => { await remove(pathOf(of(user), { dry_run: false })); location.hash = "#/users"; });
  });
  return [el("p", {}, t("wouldDelete", count(sum))), numbers(Object.entries(counts)), form];
}

export async function userView(user, query) {
  const sessions = table(t("sessionsOf"), [t("session"), t("title"), `#${t("messages")}`, t("lastMessage")], []);
  const readPage = (cursor) => call(pathOf(of(user, "sessions"), { cursor }));
  const add = (one) => sessions.add([link(one.id, ...of(user, "sessions", one.id)), one.title, count(one.message_count),
    ago(one.updated_at)]);
  const [seen, conversations] = await Promise.all([call(pathOf(of(user))), paged(sessions, readPage, add, t("none"))]);
  const { vectors, ...others } = seen.counts;
  const there = Object.entries({ messages: seen.messages, gists: vectors, ...others }).filter(([, number]) => number);
  return [
    trail(link(t("users"), "users")), el("h2", {}, user),
    numbers(there), ...doingsOf(user),
    el("h3", {}, t("search")), ...searchOf(user, query),
    el("h3", {}, t("sessionsOf")), conversations,
    folded(t("keyValues"), () => memoriesOf(user)), folded(t("factsInForce"), () => factsOf(user)),
  ];
}

function messageOf(user, one) {
  const embedding = one.embedding || { state: "gone", error: null, model: null };
  const head = el("div", { class: "head" }, el("b", {}, one.name ? `${one.role} (${one.name})` : one.role), at(one.timestamp),
    state(embedding.state, embedding.error, `${t("embedding")} `), said(embedding.model), said(one.model && t("byModel", one.model)),
    said(one.interrupted && t("brokenOff")));
  if (one.turn_id && one.role === "assistant") head.append(link(t("why"), ...of(user, "receipts", one.turn_id)));
  return el("li", { class: one.role }, head, el("p", {}, one.content));
}

function summariesOf(user, id) {
  const summaries = list("messages");
  const readPage = (cursor) => call(pathOf(of(user, "sessions", id, "summaries"), { cursor }));
  const add = (one) => summaries.append(el("li", {},
    el("div", { class: "head" }, at(one.timestamp), t("ofMessages", count(one.message_count), one.model)),
    el("p", {}, one.summary)));
  return paged(summaries, readPage, add, t("noSummary"));
}

export async function sessionView(user, id) {
  const messages = list("messages");
  const readPage = (cursor) => call(pathOf(of(user, "sessions", id, "messages"), { cursor, limit: 100 }));
  const add = (one) => messages.append(messageOf(user, one));
  const [session, shown] = await Promise.all([call(pathOf(of(user, "sessions", id))), paged(messages, readPage, add, t("none"))]);
  return [
    trail(link(t("users"), "users"), link(user, ...of(user)), id), el("h2", {}, session.title),
    folded(t("summaries"), () => summariesOf(user, id)), shown,
  ];
}

export async function receiptView(user, id) {
  const one = await call(pathOf(of(user, "receipts", id)));
  const considered = list("messages");
  for (const each of one.considered) {
    const used = each.used ? state("used") : state("leftOut", t(`dropped_${each.dropped}`) || each.dropped);
    considered.append(el("li", {}, el("div", { class: "head" }, used, said(each.id)),
      el("p", {}, one.texts[each.id] || t("sourceGone")), parts(each.score, each.explain)));
  }
  const ledger = table(t("promptCosts"), [t("section"), `#${t("characters")}`, `#${t("tokens")}`],
    one.ledger.map((entry) => [entry.section, count(entry.characters), count(entry.tokens)]));
  return [
    trail(link(t("users"), "users"), link(user, ...of(user)), link(one.session_id, ...of(user, "sessions", one.session_id))),
    el("h2", {}, t("whyThis")),
    ...one.messages.map((each) => el("p", { class: "quoted" }, one.texts[each] || t("sourceGone"))),
    el("p", { class: "meta" }, t("answeredBy", one.intent, one.memory_reason, one.model, one.recipe, one.agents_used.join(", ")), " ", at(one.at)),
    one.query ? el("p", {}, link(t("searchAgain"), ...of(user, "search", one.query))) : "",
    el("h3", {}, t("considered")), one.considered.length ? considered : el("p", { class: "none" }, t("none")),
    el("h3", {}, t("prompt")), one.ledger.length ? ledger : el("p", { class: "none" }, t("noPrompt")),
  ];
}
