// What an admin tries for a user: what a search considers by one recipe or two, what a model would be sent, where memories lie.
import { count, t } from "../lib/text.js";
import { call, pathOf, post } from "./api.js";
import { at, busy, el, field, link, parts, state, svg } from "./parts.js";

const RECIPES = ["query", "query-cosine", "query-newest-200", "search", "recall", "proxy"];
const COLOURS = 5; // and one for all others
const SIZE = 1_000; // of the map, in units of its drawing
const KINDS = { kind: (spot) => spot.kind, session: (spot) => spot.session_id || "–" };

const trail = (user) => el("p", { class: "trail" }, link(t("users"), "users"), " › ", link(user, "users", user));

function select(name, options, chosen) {
  const made = el("select", { name }, ...options.map(([value, text]) => new Option(text, value, false, value === chosen)));
  return made;
}

function candidate(one) {
  const verdict = one.dropped ? state("leftOut", t(`dropped_${one.dropped}`) || one.reason) : state("used");
  const source = one.content === null ? t("sourceGone") : link(one.content, "collections", "vectors", one.document);
  const gone = one.holds ? [] : [el("span", { class: "bad" }, t("holdsNoLonger"))];
  const head = el("div", { class: "head" }, verdict, ...gone, [one.kind, one.role, one.session_id].filter(Boolean).join(", "), one.timestamp ? at(one.timestamp) : "");
  const scores = el("div", { class: "parts-wide", tabIndex: 0, role: "group", "aria-label": t("partsOfScore") }, parts(one.score, one.explain));
  return el("li", { class: one.dropped ? "dropped" : "" }, head, el("p", { dir: "auto" }, source),
    ...one.replaced_by.map((text) => el("p", { class: "instead", dir: "auto" }, t("holdsInstead", text))), scores);
}

function probed(one) {
  const list = el("ol", { class: "messages", role: "list" }, ...one.candidates.map(candidate));
  const spelt = one.searched ? t("searchedAs", one.searched) : "";
  const used = one.candidates.filter((each) => !each.dropped).length;
  return el("section", {}, el("h3", {}, one.recipe),
    el("p", { class: "meta" }, `${t("foundIn", `${count(used)} / ${count(one.candidates.length)}`, one.took_ms)}${spelt}`),
    one.candidates.length ? list : el("p", { class: "none" }, t("nothingFound")));
}

function prompted({ messages, tokens }) {
  const section = (role, one) => el("details", { open: one.text.length < 2_000 },
    el("summary", {}, `${role} · ${one.name} `, el("span", { class: "soft" }, t("tokensOf", count(one.tokens)))), el("pre", { dir: "auto" }, one.text));
  return el("section", {}, el("h3", {}, t("prompt")), el("p", { class: "about" }, `${t("previewMore")} ${t("tokensOf", count(tokens))}.`),
    ...messages.flatMap((message) => message.sections.map((one) => section(message.role, one))));
}

export async function probeView(user, given) {
  const of = (what) => pathOf(["users", user, what]);
  await call(pathOf(["users", user]));
  const query = el("input", { name: "query", value: given.query || "", maxLength: 32_000, required: true });
  const recipes = RECIPES.map((name) => [name, name]);
  const first = select("recipe", recipes, given.recipe || "query");
  const second = select("beside", [["", "–"], ...recipes], given.beside || "");
  const go = el("button", { class: "primary" }, t("askProbe"));
  const preview = el("button", { type: "button" }, t("previewPrompt"));
  const form = el("form", { class: "tools", role: "search" }, field(t("question"), query, "wide"), field(t("recipe"), first), field(t("andRecipe"), second), go, preview);
  const found = el("div", { class: "beside", "aria-live": "polite" });
  const probe = () => busy(go, async () => {
    const chosen = [first.value, second.value].filter(Boolean);
    const all = await Promise.all(chosen.map((recipe) => post(of("probe"), { query: query.value, recipe })));
    found.replaceChildren(...all.map(probed));
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const asked = pathOf(["users", user, "probe"], { query: query.value, recipe: first.value, beside: second.value });
    history.replaceState(null, "", `#${asked}`);
    probe();
  });
  preview.addEventListener("click", () => form.reportValidity() && busy(preview, async () => {
    found.replaceChildren(prompted(await post(of("prompt"), { query: query.value })));
  }));
  if (given.query) probe();
  return [trail(user), el("h2", {}, t("probe")), el("p", { class: "about" }, t("aboutProbe")), form, found];
}

export async function mapView(user) {
  const { spots, share } = await call(pathOf(["users", user, "map"]));
  const head = [trail(user), el("h2", {}, t("map")), el("p", { class: "about" }, t("aboutMap"))];
  if (!spots.length) return [...head, el("p", { class: "none" }, t("noMap"))];
  const by = select("by", [["kind", t("kind")], ["session", t("session")]], "kind");
  const legend = el("ul", { class: "legend" });
  const read = el("div", { class: "read", "aria-live": "polite" });
  const place = (value) => ((value + 1.05) / 2.1 * SIZE).toFixed(1);
  const dots = spots.map((spot) => svg("circle", { cx: place(spot.x), cy: place(-spot.y), r: 9 }));
  const drawing = svg("svg", { class: "map", viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", tabindex: 0, "aria-label": t("map") }, ...dots);
  let chosen = -1;
  const choose = (next) => {
    dots[chosen]?.classList.remove("chosen");
    chosen = (next + dots.length) % dots.length;
    dots[chosen].classList.add("chosen");
    const one = spots[chosen];
    read.replaceChildren(el("div", { class: "head" }, [one.kind, one.session_id].filter(Boolean).join(", "), " · ", at(one.timestamp)),
      el("p", { dir: "auto" }, link(one.text, "collections", "vectors", one.document)));
  };
  const colour = () => {
    const named = spots.map(KINDS[by.value]);
    const often = [...Map.groupBy(named, (name) => name)].sort((a, b) => b[1].length - a[1].length).slice(0, COLOURS).map(([name]) => name);
    const rest = new Set(named).size > COLOURS ? [el("li", { class: `c${COLOURS}` }, t("others"))] : [];
    named.forEach((name, n) => dots[n].setAttribute("class", `c${often.includes(name) ? often.indexOf(name) : COLOURS}${n === chosen ? " chosen" : ""}`));
    legend.replaceChildren(...often.map((name, n) => el("li", { class: `c${n}` }, name)), ...rest);
  };
  drawing.addEventListener("pointermove", ({ target }) => { if (dots.includes(target)) choose(dots.indexOf(target)); });
  drawing.addEventListener("pointerdown", ({ target }) => { if (dots.includes(target)) choose(dots.indexOf(target)); });
  drawing.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); choose(chosen + step); }
  });
  by.addEventListener("change", colour);
  colour();
  return [...head, el("div", { class: "tools" }, field(t("colourBy"), by)), drawing, legend, read,
    el("p", { class: "meta" }, t("mapSays", count(spots.length), Math.round(100 * share)))];
}
