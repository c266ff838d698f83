// The admin page: which view an address names, and those of everything; admin-user.js has those of one user.
import { call, pathOf } from "./admin-api.js";
import { jobsView } from "./admin-jobs.js";
import { ago, count, duration, el, failure, link, megabytes, numbers, paged, table } from "./admin-parts.js";
import { receiptView, sessionView, userView } from "./admin-user.js";

const main = document.getElementById("main");
const LATER = 250; // milliseconds after the last key until a filter is applied
let shown = 0; // counts the views; what belongs to an earlier one is not shown any more

const card = (title, pairs, ...more) => el("section", { class: "card" }, el("h3", {}, title),
  el("dl", {}, ...pairs.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])), ...more);

async function overviewView() {
  const seen = await call("/overview");
  const { recall } = seen;
  const share = { value: recall.bytes / recall.bytes_at_most, "aria-label": "Share of the memory for recall indexes" };
  const jobs = table("Work by kind", ["Kind", "#Waiting", "#Running", "#Dead", "Oldest waiting"], seen.jobs.map((one) => [
    one.kind, count(one.waiting), count(one.running),
    one.dead ? el("a", { href: "#/jobs", class: "bad" }, count(one.dead)) : "0", ago(one.oldest_waiting)]));
  jobs.className = ""; // narrow enough for any screen
  return [
    el("h2", {}, "Overview"),
    el("div", { class: "cards" },
      card("Runs", [["Version", seen.version], ["Up for", duration(seen.uptime_seconds)], ["Store", seen.store],
        ["Driver", seen.driver], ["Workers", seen.broker], ["Vector search", seen.vector_search]]),
      card("Models", [["Answers", seen.chat_model], ["Summaries", seen.summary_model], ["Notes", seen.observer_model],
        ["Embeddings", seen.embedding_model], ["Reranker", seen.rerank_model || "none"]]),
      card("Recall indexes", [["In memory", count(recall.indexes)], ["Taking", megabytes(recall.bytes)],
        ["At most", megabytes(recall.bytes_at_most)]], el("meter", share))),
    el("h3", {}, "Work"), jobs,
    el("h3", {}, "Kept"), numbers(Object.entries(seen.counts)),
    el("h3", {}, "Can be recalled"), numbers(Object.entries(seen.gists)),
  ];
}

async function usersView() {
  const filter = el("input", { type: "search", placeholder: "Part of a user's id", maxLength: 200 });
  filter.setAttribute("aria-label", "Filter users");
  const holder = el("div");
  let asked = 0;
  const list = async () => {
    const mine = ++asked;
    const users = table("Users", ["User", "#Sessions", "#Messages", "Last activity"], []);
    const add = (user) => users.add([link(user.id, "users", user.id), count(user.sessions), count(user.messages),
      ago(user.last_activity)]);
    const read = (cursor) => call(pathOf(["users"], { q: filter.value.trim(), cursor }));
    const made = await paged(users, read, add, filter.value ? "No user's id has this in it." : "Nobody yet.");
    if (mine === asked) holder.replaceChildren(made);
  };
  const failed = (error) => holder.replaceChildren(failure(error));
  let timer;
  filter.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => list().catch(failed), LATER); });
  const form = el("form", { class: "tools", role: "search" }, filter);
  form.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(timer); list().catch(failed); });
  await list();
  return [el("h2", {}, "Users"), form, holder];
}

function viewOf([page, user, what, id]) {
  if (!page) return overviewView();
  if (page === "jobs") return jobsView();
  if (page !== "users") throw new Error("There is no such view.");
  if (!user) return usersView();
  if (what === "sessions") return sessionView(user, id);
  if (what === "receipts") return receiptView(user, id);
  return userView(user, what === "search" ? id : "");
}

async function show(moved) {
  const mine = ++shown;
  const steps = location.hash.slice(2).split("/");
  for (const one of document.querySelectorAll("nav a")) {
    if (one.hash.slice(2) === steps[0]) one.setAttribute("aria-current", "page");
    else one.removeAttribute("aria-current");
  }
  main.setAttribute("aria-busy", "true");
  let view;
  try {
    view = await viewOf(steps.map(decodeURIComponent));
  } catch (error) {
    view = [failure(error)];
  }
  if (mine !== shown) return;
  main.replaceChildren(...view);
  main.removeAttribute("aria-busy");
  if (moved) { scrollTo(0, 0); main.tabIndex = -1; main.focus({ preventScroll: true }); }
}

addEventListener("hashchange", () => show(true));
document.getElementById("refresh").addEventListener("click", () => show(false));
show(false);
