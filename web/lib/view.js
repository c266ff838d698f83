// What views of the pages share: Preact with htm, and small parts of every page.
import { Component, html, render, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { told } from "./api.js";
import { t } from "./text.js";

export { Component, html, render, useEffect, useLayoutEffect, useRef, useState };

const ICONS = {
  menu: "M4 7h16M4 12h16M4 17h16",
  plus: "M12 5v14M5 12h14",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  up: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M9 9.5h.01",
  options: "M4 8h10M18 8h2M4 16h2M10 16h10M14 8a2 2 0 1 0 4 0 2 2 0 1 0-4 0M6 16a2 2 0 1 0 4 0 2 2 0 1 0-4 0",
  close: "M6 6l12 12M18 6L6 18",
  search: "M4 11a7 7 0 1 0 14 0 7 7 0 1 0-14 0M16 16l4 4",
  down: "M12 5v14M6 13l6 6 6-6",
};

export const Icon = ({ name }) => html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${ICONS[name]} /></svg>`;

/** A button with an icon; screen readers say its name. */
export const IconButton = ({ icon, name, ...more }) =>
  html`<button type="button" class="bare" aria-label=${name} title=${name} ...${more}><${Icon} name=${icon} /></button>`;

/** A modal dialog, shown as long as it is there. Calls `close` when it is left; the focus goes back to where it was. */
export function Dialog({ title, close, children, wide = false }) {
  const dialog = useRef();
  const over = useRef(false);
  useEffect(() => {
    const shown = dialog.current;
    if (!shown.open) shown.showModal();
    shown.querySelector("[autofocus]")?.select(); // Preact sets the property, which opens nothing
    return () => { over.current = true; shown.close(); };
  }, []);
  return html`
    <dialog ref=${dialog} class=${wide ? "wide" : ""} aria-labelledby="dialog-title" onClose=${() => over.current || close()}>
      <header><h2 id="dialog-title">${title}</h2><${IconButton} icon="close" name=${t("close")} onClick=${() => dialog.current.close()} /></header>
      ${children}
    </dialog>`;
}

/** Asks before something that cannot be undone. `typed`: a word that has to be typed first. `close`: gets what `run` gave. */
export function Confirm({ title, text, more, action, typed, run, close }) {
  const [state, set] = useState({ busy: false, error: "", word: "" });
  const submit = async (event) => {
    event.preventDefault();
    set({ ...state, busy: true, error: "" });
    try {
      close(await run());
    } catch (error) {
      set({ ...state, busy: false, error: told(error) });
    }
  };
  return html`
    <${Dialog} title=${title} close=${close}>
      <form onSubmit=${submit}>
        <p>${text}</p>
        ${more && html`<p class="soft">${more}</p>`}
        ${typed && html`<label>${t("typeTo", typed)}<input autocomplete="off" value=${state.word} onInput=${(event) => set({ ...state, word: event.target.value })} /></label>`}
        ${state.error && html`<p class="bad" role="alert">${state.error}</p>`}
        <div class="row end">
          <button type="button" onClick=${() => close()}>${t("cancel")}</button>
          <button class="danger" disabled=${state.busy || (typed && state.word !== typed)}>${action}</button>
        </div>
      </form>
    <//>`;
}

/** Asks for a new text, of one line if it has a `label`. `says` explains what happens to it. `close` gets what `save` gave. */
export function Reword({ title, label, text, says, save, close, most = 600 }) {
  const [value, set] = useState(text);
  const [error, fail] = useState("");
  const submit = async (event) => {
    event.preventDefault();
    try { if (value.trim()) close(await save(value.trim())); } catch (problem) { fail(told(problem)); }
  };
  const put = (event) => set(event.target.value);
  return html`
    <${Dialog} title=${title} close=${close}>
      <form onSubmit=${submit}>
        ${says && html`<p class="soft" id="says">${says}</p>`}
        ${label ? html`<label>${label}<input dir="auto" maxlength=${most} autofocus value=${value} onInput=${put} required /></label>`
          : html`<textarea rows="4" dir="auto" maxlength=${most} autofocus aria-label=${title} aria-describedby=${says && "says"} value=${value} onInput=${put} required></textarea>`}
        ${error && html`<p class="bad" role="alert">${error}</p>`}
        <div class="row end"><button type="button" onClick=${() => close()}>${t("cancel")}</button><button class="primary">${t("save")}</button></div>
      </form>
    <//>`;
}

/** A button that opens a list of actions. `actions`: [name, what it does, class]. */
export function Menu({ name, actions }) {
  const [open, set] = useState(false);
  const box = useRef();
  useEffect(() => {
    if (!open) return undefined;
    box.current.querySelector("[role=menuitem]").focus();
    const leave = (event) => { if (!box.current.contains(event.target)) set(false); };
    addEventListener("pointerdown", leave);
    return () => removeEventListener("pointerdown", leave);
  }, [open]);
  const move = (event) => {
    const items = [...box.current.querySelectorAll("[role=menuitem]")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape" && open) { event.stopPropagation(); set(false); box.current.querySelector("button").focus(); }
    if (!step || !open) return;
    event.preventDefault();
    items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
  };
  const leave = (event) => { if (!box.current.contains(event.relatedTarget)) set(false); };
  return html`
    <span class="menu" ref=${box} onKeyDown=${move} onFocusOut=${leave}>
      <${IconButton} icon="more" name=${name} aria-haspopup="menu" aria-expanded=${open} onClick=${() => set(!open)} />
      ${open && html`<ul role="menu">${actions.map(([title, run, kind]) => html`
        <li role="none"><button type="button" role="menuitem" class=${kind || ""} onClick=${() => { set(false); box.current.querySelector("button").focus(); run(); }}>${title}</button></li>`)}</ul>`}
    </span>`;
}

const AHEAD = "2000px"; // as far as a flick of the wheel goes while a page is read

/** Calls `reach` whenever its place comes near the view of its `box`, a selector of what scrolls. */
export function Edge({ box, reach }) {
  const place = useRef();
  useEffect(() => {
    const root = place.current.closest(box); // for what is clipped by another, the margin would not count
    const watching = new IntersectionObserver(([seen]) => { if (seen.isIntersecting) reach(); }, { root, rootMargin: AHEAD });
    watching.observe(place.current);
    return () => watching.disconnect();
  });
  return html`<div class="edge" ref=${place}></div>`;
}
