// Jobs of all users: what was given up, what waits and what is under way; dead ones are taken up again here.
import { count, t } from "../lib/text.js";
import { call, pathOf, post } from "./api.js";
import { ago, busy, el, failure, link, paged, passFocus, state, table } from "./parts.js";

const STATES = ["dead", "waiting", "running"];
const KINDS = ["", "embed", "facts", "summarise", "title", "observe", "sections", "condense"];

const choice = (label, options) => {
  const made = el("select", {}, ...options.map((option) => new Option(option || t("allKinds"), option)));
  made.setAttribute("aria-label", label);
  return made;
};

const session = (job) => (job.session_id ? link(job.session_id, "users", job.user_id, "sessions", job.session_id) : null);

function dueOf(job) {
  if (job.state !== "dead") return ago(job.due_at);
  return t(job.comes_back ? "comesBack" : "givenUp");
}

function row(job, retried) {
  const about = [el("span", {}, job.text || job.about), el("small", {}, job.about)];
  const [attempts, due, last] = [count(job.attempts), dueOf(job), state(job.state)].map((held) => el("span", {}, held));
  const cells = [el("span", { class: "kind" }, job.kind), about, [link(job.user_id, "users", job.user_id), el("small", {}, session(job))],
    attempts, job.error ? el("span", { class: "bad" }, job.error) : "–", due, last];
  if (job.state !== "dead") return cells;
  const again = el("button", { type: "button", class: "plain", "aria-label": t("retryOf", job.kind, job.about) }, t("retry"));
  last.replaceChildren(again);
  const noMoreDead = (tried, when, what) => {
    attempts.replaceChildren(tried);
    due.replaceChildren(when);
    last.append(what);
    passFocus(again, what);
    again.remove();
  };
  again.addEventListener("click", () => busy(again, async () => {
    try {
      await post(pathOf(["jobs", job.kind, job.id, "retry"]));
    } catch (error) {
      if (error.status !== 404 && error.status !== 409) throw error;
      return noMoreDead("–", "–", failure(error)); // somebody was faster
    }
    noMoreDead(count(0), ago(new Date().toISOString()), state("waiting"));
    retried(1);
  }));
  return cells;
}

export async function jobsView() {
  const [states, kinds] = [choice(t("state"), STATES), choice(t("kind"), KINDS)];
  const all = el("button", { type: "button", class: "primary" }, t("retryAll"));
  const [holder, notice] = [el("div"), el("div", { role: "status" })];
  const say = (number) => notice.replaceChildren(el("p", { class: "notice" },
    t("putBack", number)));
  let asked = 0;
  const list = async () => {
    const mine = ++asked;
    const jobs = table(t("jobs"), [t("kind"), t("about"), t("user"), `#${t("attempts")}`, t("error"), t("due"), t("state")], []);
    const read = (cursor) => call(pathOf(["jobs"], { state: states.value, kind: kinds.value, cursor }));
    const made = await paged(jobs, read, (job) => jobs.add(row(job, say)), t("noJob", t(states.value)));
    if (mine === asked) holder.replaceChildren(made);
  };
  const failed = (error) => holder.replaceChildren(failure(error));
  for (const one of [states, kinds]) one.addEventListener("change", () => list().catch(failed));
  all.addEventListener("click", () => busy(all, async () => {
    const { retried } = await post(pathOf(["jobs", "retry"], { kind: kinds.value }));
    say(Object.values(retried).reduce((sum, number) => sum + number, 0));
    await list();
  }));
  await list();
  return [el("h2", {}, t("jobs")), el("div", { class: "tools" }, states, kinds, all), notice, holder];
}
