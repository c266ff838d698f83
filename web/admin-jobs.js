// Jobs of all users: what was given up, what waits and what is under way; dead ones are taken up again here.
import { call, pathOf, post, told } from "./admin-api.js";
import { ago, busy, count, el, link, paged, state, table } from "./admin-parts.js";

const STATES = ["dead", "waiting", "running"];
const KINDS = ["", "embed", "facts", "summarise", "observe", "sections", "condense"];

const choice = (label, options) => {
  const made = el("select", {}, ...options.map((option) => new Option(option || "all kinds", option)));
  made.setAttribute("aria-label", label);
  return made;
};

const session = (job) => (job.session_id ? link(job.session_id, "users", job.user_id, "sessions", job.session_id) : null);

function row(job, retried) {
  const about = [el("span", {}, job.text || job.about), el("small", {}, job.about)];
  const cells = [el("span", { class: "kind" }, job.kind), about, [link(job.user_id, "users", job.user_id), el("small", {}, session(job))],
    count(job.attempts), job.error ? el("span", { class: "bad" }, job.error) : "–", ago(job.due_at)];
  if (job.state !== "dead") return [...cells, state(job.state)];
  const again = el("button", { type: "button", class: "plain", "aria-label": `Retry ${job.kind} of ${job.about}` }, "Retry");
  again.addEventListener("click", () => busy(again, async () => {
    await post(pathOf(["jobs", job.kind, job.id, "retry"]));
    again.replaceWith(state("waiting"));
    retried(1);
  }));
  return [...cells, again];
}

export async function jobsView() {
  const [states, kinds] = [choice("State", STATES), choice("Kind", KINDS)];
  const all = el("button", { type: "button", class: "primary" }, "Retry all dead jobs");
  const [holder, notice] = [el("div"), el("div", { role: "status" })];
  const say = (number) => notice.replaceChildren(el("p", { class: "notice" },
    number === 1 ? "1 job was put back." : `${count(number)} jobs were put back.`));
  let asked = 0;
  const list = async () => {
    const mine = ++asked;
    const jobs = table("Jobs", ["Kind", "About", "User", "#Attempts", "Error", "Due", ""], []);
    const read = (cursor) => call(pathOf(["jobs"], { state: states.value, kind: kinds.value, cursor }));
    const made = await paged(jobs, read, (job) => jobs.add(row(job, say)), `No job is ${states.value}.`);
    if (mine === asked) holder.replaceChildren(made);
  };
  const failed = (error) => holder.replaceChildren(el("p", { class: "error", role: "alert" }, told(error)));
  for (const one of [states, kinds]) one.addEventListener("change", () => list().catch(failed));
  all.addEventListener("click", () => busy(all, async () => {
    const { retried } = await post(pathOf(["jobs", "retry"], { kind: kinds.value }));
    say(Object.values(retried).reduce((sum, number) => sum + number, 0));
    await list();
  }));
  await list();
  return [el("h2", {}, "Jobs"), el("div", { class: "tools" }, states, kinds, all), notice, holder];
}
