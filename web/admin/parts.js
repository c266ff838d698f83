// What the views of the admin page are made of. Whatever comes from users is text, never HTML.
import { count, exact, language, t } from "../lib/text.js";
import { told } from "../lib/api.js";
import { pathOf } from "./api.js";

/** An element. `given`: properties, `class`, `data-…` and `aria-…`; children are elements or texts. */
export function el(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name === "class") made.className = value;
    else if (name.includes("-")) made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** An element of a drawing. */
export function svg(tag, given, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(given)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A form field under its label. */
export const field = (label, input, kind = "") => el("label", { class: kind }, label, input);

export const link = (text, ...parts) => el("a", { href: `#/${parts.map(encodeURIComponent).join("/")}` }, text);

/** The same with parameters. */
export const linkTo = (text, parts, parameters) => el("a", { href: `#${pathOf(parts, parameters)}` }, text);

const RELATIVE = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
const STEPS = [["second", 60], ["minute", 60], ["hour", 24], ["day", 30], ["month", 12], ["year", Infinity]];

/** How long ago a time was, which stands behind it in full. */
export function ago(time) {
  if (!time) return "–";
  let past = (new Date(time) - Date.now()) / 1000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(past) < size) {
      const text = RELATIVE.format(Math.round(past), unit);
      return el("time", { dateTime: time, title: exact(time) }, text);
    }
    past /= size;
  }
}

export const at = (time) => el("time", { dateTime: time }, exact(time));

export function duration(seconds) {
  const [days, hours, minutes] = [seconds / 86400, (seconds / 3600) % 24, (seconds / 60) % 60].map(Math.floor);
  if (days) return `${days} d ${hours} h`;
  if (hours) return `${hours} h ${minutes} min`;
  return minutes ? `${minutes} min` : `${Math.floor(seconds)} s`;
}

export function megabytes(bytes) {
  if (bytes < 1048576) return `${count(Math.ceil(bytes / 1024))} KB`;
  return `${(bytes / 1048576).toLocaleString(language, { maximumFractionDigits: 1 })} MB`;
}

/** A state as a dot and a word, with the error behind it where there is one. `of`: what stands before the word. */
export function state(name, error, of = "") {
  const said = `${of}${(t(name) || name).toLowerCase()}`;
  return el("span", { class: `state ${name}` }, error ? `${said}: ${error}` : said);
}

/** Counts by name, as tiles. What is counted stands over the number, so that it fits any. */
export const numbers = (counts) => el("ul", { class: "numbers" }, ...counts.map(([name, number]) =>
  el("li", { class: number ? "" : "zero" }, t("counted")[name] ?? name.replaceAll("_", " "), el("b", {}, count(number)))));

/**
 * A table, whose rows a narrow screen shows as blocks. `columns`: titles, those of numbers with "#" in front; `rows`:
 * lists of cells, the first of which heads.
 */
export function table(caption, columns, rows) {
  const titles = columns.map((title) => title.replace("#", ""));
  const kind = (place) => (columns[place].startsWith("#") ? "number" : "");
  const head = el("tr", {}, ...titles.map((title, place) => el("th", { class: kind(place), scope: "col" }, title)));
  const body = el("tbody");
  const add = (cells) => body.append(el("tr", {}, ...cells.map((cell, place) =>
    el(place ? "td" : "th", { class: kind(place), "data-label": titles[place], ...(place ? {} : { scope: "row" }) },
      el("span", {}, ...[cell].flat())))));
  rows.forEach(add);
  const made = el("table", { class: "wide" }, el("caption", { class: "hidden" }, caption), el("thead", {}, head), body);
  return Object.assign(made, { add });
}

/** The parts of a score that a ranking used, as a small table. */
export function parts(score, explain) {
  const used = [["score", score], ...Object.entries(explain)].filter(([, value]) => value !== null);
  return el("table", { class: "parts" },
    el("caption", { class: "hidden" }, t("partsOfScore")),
    el("tr", {}, ...used.map(([name]) => el("th", { scope: "col" }, name))),
    el("tr", {}, ...used.map(([, value]) => el("td", {}, value.toFixed(3)))));
}

export const failure = (error) => el("p", { class: "error", role: "alert" }, told(error));

/** Lets the focus that something is about to take away with it go to something else. */
export function passFocus(from, to) {
  if (document.activeElement !== from) return;
  to.tabIndex = -1;
  to.focus();
}

/** A list that is read page by page: `read(cursor)` gives a page, `add(item)` takes each item into `holder`. */
export async function paged(holder, read, add, nothing) {
  const box = el("div", {}, holder);
  const more = el("button", { class: "more", type: "button" }, t("more"));
  let cursor = null;
  const rows = holder.tBodies ? holder.tBodies[0].children : holder.children;
  const next = async () => {
    const page = await read(cursor);
    const before = rows.length;
    page.items.forEach(add);
    cursor = page.next_cursor;
    if (!cursor) {
      passFocus(more, rows[Math.min(before, rows.length - 1)]); // the first of those that came
      more.remove();
    } else if (!more.parentElement) box.append(more); // moved, it would lose the focus
    return page.items.length;
  };
  more.addEventListener("click", () => busy(more, next));
  if (!await next() && !cursor) box.replaceChildren(el("p", { class: "none" }, nothing));
  return box;
}

/** Does something for a button, which does nothing else meanwhile and keeps the focus; an error is shown behind it. */
export async function busy(button, work) {
  if (button.getAttribute("aria-disabled")) return;
  const box = button.parentElement;
  box.querySelector(":scope > .error")?.remove();
  button.setAttribute("aria-disabled", "true"); // `disabled` would take the focus from it
  try {
    return await work();
  } catch (error) {
    box.append(failure(error));
  } finally {
    button.removeAttribute("aria-disabled");
  }
}
