// What the pages say, in the language of the browser or the one that was chosen: a file each under `texts/`.
const LANGUAGES = { en: "English", de: "Deutsch", es: "Español" };
const CHOSEN = "language";
const wanted = [localStorage.getItem(CHOSEN), ...navigator.languages.map((one) => one.slice(0, 2)), "en"];
export const language = wanted.find((one) => one in LANGUAGES);
const [{ default: english }, { default: texts }] = await Promise.all([
  import("../texts/en.js"), import(`../texts/${language}.js`),
]);
document.documentElement.lang = language;

/** The text of a name; some are functions of what is given. */
export function t(name, ...given) {
  const text = texts[name] ?? english[name];
  return typeof text === "function" ? text(...given) : text;
}

export const languages = Object.entries(LANGUAGES);

export function speak(chosen) {
  localStorage.setItem(CHOSEN, chosen);
  location.reload();
}

const region = navigator.languages.find((one) => one.slice(0, 2) === language) || language; // who writes dates as there
/** A way to write times; its formatter is made on first use. */
function format(options) {
  let made;
  return (time) => (made ??= new Intl.DateTimeFormat(region, options)).format(new Date(time));
}
const fullDay = format({ weekday: "long", day: "numeric", month: "long" });
const month = format({ month: "long", year: "numeric" });

export const clock = format({ hour: "numeric", minute: "2-digit" });
export const date = format({ day: "numeric", month: "short", year: "numeric" });
export const moment = format({ dateStyle: "full", timeStyle: "short" });
export const exact = format({ dateStyle: "medium", timeStyle: "medium" });
export const count = (number) => number.toLocaleString(region);

/** The reader's time zone as a field of a request, if the browser tells it. */
export function timezone() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return timeZone && timeZone !== "Etc/Unknown" ? { timezone: timeZone } : {};
}

export const midnight = (time) => new Date(time).setHours(0, 0, 0, 0);

/** How many days ago a time was: 0 for today. */
const daysAgo = (time) => Math.round((midnight(Date.now()) - midnight(time)) / 86_400_000);

/** The heading for a time in a list: today, yesterday, this week, a month. */
export function period(time) {
  const days = daysAgo(time);
  if (days <= 0) return t("today");
  if (days === 1) return t("yesterday");
  return days < 7 ? t("week") : month(time);
}

/** The day of a message, over the first one of it. */
export function day(time) {
  const days = daysAgo(time);
  if (days <= 0) return t("today");
  if (days === 1) return t("yesterday");
  return days < 300 ? fullDay(time) : date(time);
}
