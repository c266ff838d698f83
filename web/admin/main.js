// The admin page: its frame, which view an address names, and the views of everything; others are in files of their own.
import { count, t } from "../lib/text.js";
import { call, hasKey, pathOf, signOut } from "./api.js";
import { auditView, browseView, collectionsView, documentView } from "./collections.js";
import { jobsView } from "./jobs.js";
import { keysView } from "./keys.js";
import { ago, duration, el, failure, link, megabytes, numbers, paged, table } from "./parts.js";
import { mapView, probeView } from "./probe.js";
import { receiptView, sessionView, userView } from "./user.js";

const VIEWS = { "": "overview", collections: "collections", users: "users", keys: "apiKeys", jobs: "jobs", audit: "audit" };
const LATER = 250; // milliseconds after the last key until a filter is applied
let shown = 0; // counts the views; what belongs to an earlier one is not shown any more

const card = (title, pairs, ...more) => el("section", { class: "card" }, el("h3", {}, title),
  el("dl", {}, ...pairs.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])), ...more);

async function overviewView() {
  const seen = await call("/overview");
  const { recall } = seen;
  const share = { value: recall.bytes / recall.bytes_at_most, "aria-label": t("recallShare") };
  const jobs = table(t("work"), [t("kind"), `#${t("waiting")}`, `#${t("running")}`, `#${t("dead")}`, t("oldestWaiting")], seen.jobs.map((one) => [
    one.kind, count(one.waiting), count(one.running),
    one.dead ? el("a", { href: "#/jobs", class: "bad" }, count(one.dead)) : "0", ago(one.oldest_waiting)]));
  jobs.className = "narrow"; // for any screen
  return [
    el("h2", {}, t("overview")), seen.guarded ? null : el("p", { class: "notice" }, t("unguarded")),
    el("div", { class: "cards" },
      card(t("runs"), [[t("version"), seen.version], [t("upFor"), duration(seen.uptime_seconds)], [t("store"), seen.store],
        [t("driver"), seen.driver], [t("workers"), seen.broker], [t("vectorSearch"), seen.vector_search]]),
      card(t("models"), [[t("answers"), seen.chat_model], [t("summaries"), seen.summary_model], [t("notes"), seen.observer_model],
        [t("embeddings"), seen.embedding_model], [t("reranker"), seen.rerank_model || t("none")]]),
      card(t("recallIndexes"), [[t("inMemory"), count(recall.indexes)], [t("taking"), megabytes(recall.bytes)],
        [t("atMost"), megabytes(recall.bytes_at_most)]], el("meter", share))),
    el("h3", {}, t("work")), jobs,
    el("h3", {}, t("kept")), numbers(Object.entries(seen.counts)),
    el("h3", {}, t("recallable")), el("p", { class: "about" }, t("aboutGists")), numbers(Object.entries(seen.gists)),
  ];
}

async function usersView() {
  const filter = el("input", { type: "search", placeholder: t("partOfId"), maxLength: 200 });
  filter.setAttribute("aria-label", t("filterUsers"));
  const holder = el("div");
  let asked = 0;
  const list = async () => {
    const mine = ++asked;
    const users = table(t("users"), [t("user"), `#${t("sessionsOf")}`, `#${t("messages")}`, t("lastActivity")], []);
    const add = (user) => users.add([link(user.id, "users", user.id), count(user.sessions), count(user.messages),
      ago(user.last_activity)]);
    const read = (cursor) => call(pathOf(["users"], { q: filter.value.trim(), cursor }));
    const made = await paged(users, read, add, t(filter.value ? "noUserLikeThis" : "nobodyYet"));
    if (mine === asked) holder.replaceChildren(made);
  };
  const failed = (error) => holder.replaceChildren(failure(error));
  let timer;
  filter.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => list().catch(failed), LATER); });
  const form = el("form", { class: "tools", role: "search" }, filter);
  form.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(timer); list().catch(failed); });
  await list();
  return [el("h2", {}, t("users")), form, holder];
}

function viewOf([page, name, what, id], parameters) {
  if (!page) return overviewView();
  if (page === "keys") return keysView();
  if (page === "jobs") return jobsView();
  if (page === "audit") return auditView();
  if (page === "collections") {
    if (!name) return collectionsView();
    return what ? documentView(name, what) : browseView(name, parameters);
  }
  if (page !== "users") throw new Error(t("noSuchView"));
  if (!name) return usersView();
  if (what === "sessions") return sessionView(name, id);
  if (what === "receipts") return receiptView(name, id);
  if (what === "probe") return probeView(name, parameters);
  if (what === "map") return mapView(name);
  return userView(name, what === "search" ? id : "");
}

async function show(moved) {
  const mine = ++shown;
  const [path, query] = location.hash.slice(2).split("?");
  const steps = path.split("/");
  for (const one of document.querySelectorAll(".views a")) {
    if (one.hash.slice(2) !== steps[0]) { one.removeAttribute("aria-current"); continue; }
    one.setAttribute("aria-current", "page");
    views.scrollLeft = one.offsetLeft - views.offsetLeft - (views.clientWidth - one.offsetWidth) / 2;
  }
  main.setAttribute("aria-busy", "true");
  let view;
  try {
    view = await viewOf(steps.map(decodeURIComponent), Object.fromEntries(new URLSearchParams(query)));
  } catch (error) {
    view = [failure(error)];
  }
  if (mine !== shown) return;
  main.replaceChildren(...view.filter(Boolean));
  out.hidden = !hasKey();
  main.removeAttribute("aria-busy");
  if (moved) { scrollTo(0, 0); main.tabIndex = -1; main.focus({ preventScroll: true }); }
}

const main = el("main", { id: "main" });
const refresh = el("button", { type: "button", class: "link" }, t("refresh"));
const out = el("button", { type: "button", class: "link", hidden: true }, t("signOut"));
const skip = el("a", { class: "skip", href: "#main" }, t("skipToContent"));
const others = el("nav", { "aria-label": "Loci" }, el("a", { href: "." }, t("chat")), el("a", { href: "memory" }, t("memory")), refresh, out);
const views = el("nav", { class: "views", "aria-label": t("views") },
  ...Object.entries(VIEWS).map(([name, text]) => el("a", { href: `#/${name}` }, t(text))));
document.body.append(skip, el("header", { class: "top" }, el("h1", {}, "Loci ", el("span", {}, "admin")), others), views, main);

skip.addEventListener("click", (event) => { event.preventDefault(); main.tabIndex = -1; main.focus(); });
addEventListener("hashchange", () => show(true));
refresh.addEventListener("click", () => show(false));
out.addEventListener("click", () => { signOut(); location.reload(); });
show(false);
