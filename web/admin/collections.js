// What is stored: the collections, the documents of each by filters, a document whole, and what admins did.
import { count, t } from "../lib/text.js";
import { call, pathOf } from "./api.js";
import { ago, at, el, field, link, linkTo, megabytes, paged, svg, table } from "./parts.js";

const DATES = ["since", "until"];
const TEXTS = { vectors: "aboutVectors", traces: "aboutTraces", receipts: "aboutReceipts", banks: "aboutBanks", facts: "aboutFacts",
  memories: "aboutMemories", summaries: "aboutSummaries", sessions: "aboutSessions", observations: "aboutObservations", images: "aboutImages" };
const about = (name) => (TEXTS[name] ? t(TEXTS[name]) : "");

function indexesOf(one) {
  const list = table(t("indexes"), [t("name"), t("keys"), `#${t("size")}`], one.indexes.map((index) => [
    index.name, index.keys.map(([name, way]) => (way === "-1" ? `${name} ↓` : name)).join(", "), megabytes(index.bytes)]));
  return el("details", {}, el("summary", {}, `${one.name} (${count(one.indexes.length)})`), list);
}

function growthOf(days) {
  if (!days.length) return [];
  const sums = days.map((one) => Object.values(one.counts).reduce((all, each) => all + each, 0));
  const most = Math.max(...sums) || 1;
  const bars = sums.map((sum, n) => svg("rect", { x: n, y: 100 - (100 * sum) / most, width: 0.8, height: (100 * sum) / most }));
  const [first, last] = [days[0], days.at(-1)];
  return [el("h3", {}, t("growth")), el("p", { class: "about" }, t("growthMore", days.length)),
    svg("svg", { class: "plot growth", viewBox: `0 0 ${Math.max(30, days.length)} 100`, preserveAspectRatio: "none", role: "img",
      "aria-label": `${first.day}: ${count(sums[0])}, ${last.day}: ${count(sums.at(-1))}` }, ...bars),
    el("p", { class: "meta" }, `${first.day}: ${count(sums[0])}, ${last.day}: ${count(sums.at(-1))}`)];
}

export async function collectionsView() {
  const [{ items }, { days }] = await Promise.all([call("/collections"), call("/growth")]);
  const list = table(t("collections"), [t("collection"), `#${t("documents")}`, `#${t("size")}`, `#${t("onDisk")}`, t("holds")], []);
  for (const one of [...items].sort((a, b) => b.bytes - a.bytes)) {
    list.add([link(one.name, "collections", one.name), count(one.documents), megabytes(one.bytes), megabytes(one.stored_bytes), about(one.name)]);
  }
  return [el("h2", {}, t("collections")), list, ...growthOf(days), el("h3", {}, t("indexes")), ...items.map(indexesOf)];
}

export async function browseView(name, given) {
  const { items: all } = await call("/collections");
  const collection = all.find((one) => one.name === name);
  if (!collection) throw new Error(t("noSuchCollection"));
  const has = (filter) => collection.filters.includes(filter);
  const input = (key, more = {}) => el("input", { name: key, value: given[key] || "", maxLength: 200, autocomplete: "off", ...more });
  const form = el("form", { class: "tools", role: "search" },
    field(t("user"), input("user_id")),
    has("session") ? field(t("session"), input("session_id")) : null,
    has("kind") ? field(t("kind"), input("kind")) : null,
    ...(has("moment") ? DATES.map((key) => field(t(`${key}Date`), input(key, { type: "date" }))) : []),
    field(t("textInIt"), input("q", { type: "search" }), "wide"),
    el("button", { class: "primary" }, t("filter")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    location.hash = `#${pathOf(["collections", name], Object.fromEntries(new FormData(form)))}`;
  });
  const list = table(name, [t("document"), t("user"), ...(has("session") ? [t("session")] : []), ...(has("kind") ? [t("kind")] : []),
    ...(has("moment") ? [t("when")] : [])], []);
  const narrowed = (key, value, text = value) => linkTo(text, ["collections", name], { ...given, [key]: value });
  const add = (one) => list.add([
    [link(one.text || one.key, "collections", name, one.id), el("small", {}, one.key)],
    [link(one.user_id, "users", one.user_id), one.project ? el("small", {}, one.project) : null].filter(Boolean),
    ...(has("session") ? [one.session_id ? narrowed("session_id", one.session_id) : ""] : []),
    ...(has("kind") ? [one.kind ? narrowed("kind", one.kind) : ""] : []),
    ...(has("moment") ? [ago(one.at)] : [])]);
  const read = (cursor) => call(pathOf(["collections", name], { ...given, cursor }));
  return [el("p", { class: "trail" }, link(t("collections"), "collections")), el("h2", {}, name),
    el("p", { class: "about" }, `${about(name)} ${t("orderOf")}`.trim()), form, await paged(list, read, add, t("nothingFound"))];
}

/** The values of a vector, as a line. */
function plot({ values, dimensions, norm }) {
  const most = Math.max(...values.map(Math.abs)) || 1;
  const points = values.map((value, place) => `${place},${(50 - (48 * value) / most).toFixed(1)}`).join(" ");
  const drawn = { class: "plot", viewBox: `0 0 ${Math.max(1, dimensions - 1)} 100`, preserveAspectRatio: "none", role: "img" };
  return svg("svg", { ...drawn, "aria-label": t("plotOf", count(dimensions)) },
    svg("line", { x1: 0, x2: dimensions, y1: 50, y2: 50, "vector-effect": "non-scaling-stroke" }),
    svg("polyline", { points, "vector-effect": "non-scaling-stroke" }));
}

function node(one) {
  const name = [el("b", {}, one.name), el("i", {}, one.type)];
  if (one.children) {
    const left = one.size - one.children.length;
    const entries = el("ul", {}, ...one.children.map(node), ...(left ? [el("li", { class: "none" }, t("moreEntries", count(left)))] : []));
    return el("li", {}, el("details", { open: one.size <= 20 }, el("summary", {}, ...name, count(one.size)), entries));
  }
  if (one.vector) {
    return el("li", {}, ...name, t("vectorSays", count(one.vector.dimensions), one.vector.norm.toFixed(4)), plot(one.vector));
  }
  const cut = one.type === "string" && one.value.length < one.size ? ` … ${t("charactersInAll", count(one.size))}` : "";
  const bytes = one.type === "binData" ? `, ${t("bytes", count(one.size))}` : "";
  return el("li", {}, ...name, el("span", { class: "value", dir: "auto" }, `${one.value}${cut}${bytes}`));
}

export async function documentView(name, id) {
  const one = await call(pathOf(["collections", name, id]));
  const [first] = one.fields;
  return [el("p", { class: "trail" }, link(t("collections"), "collections"), " › ", link(name, "collections", name)),
    el("h2", {}, first?.name === "_id" ? first.value : name), el("p", { class: "meta" }, t("bytes", count(one.bytes))),
    el("ul", { class: "fields" }, ...one.fields.map(node))];
}

export async function auditView() {
  const list = table(t("audit"), [t("when"), t("who"), t("did"), t("user"), t("detail")], []);
  const add = (one) => list.add([at(one.at), one.who, one.action, one.user_id ? link(one.user_id, "users", one.user_id) : "–", one.detail || "–"]);
  const read = (cursor) => call(pathOf(["audit"], { cursor }));
  return [el("h2", {}, t("audit")), el("p", { class: "about" }, t("aboutAudit")), await paged(list, read, add, t("nothingYet"))];
}
