// What the pages say, in the language of the browser or the one that was chosen: a file each under `texts/`.
const LANGUAGES = { en: "English", de: "Deutsch", es: "Español" };
const CHOSEN = "language";
const wanted = [localStorage.getItem(CHOSEN), ...navigator.languages.map((one) => one.slice(0, 2)), "en"];
export const language = wanted.find((one) => one in LANGUAGES);
const [{ default: english }, { default: texts }] = await Promise.all([
  import("../texts/en.js"), import(`../texts/${language}.js`),
]);
document.documentElement.lang = language;

/** A text by its name; where it is made of something, of what is given. */
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
/** Writes times in one way, which is made when it is first used. */
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

/** Where the reader's clock stands, as a field of a request; none in browsers that do not tell. */
export function timezone() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return timeZone && timeZone !== "Etc/Unknown" ? { timezone: timeZone } : {};
}

export const midnight = (time) => new Date(time).setHours(0, 0, 0, 0);

/** How many days ago a time was: 0 for today. */
const daysAgo = (time) => Math.round((midnight(Date.now()) - midnight(time)) / 86_400_000);

/** The part of a list by time that something stands in: today, yesterday, this week, a month. */
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
