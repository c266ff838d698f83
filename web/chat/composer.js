// The composer: it grows with its text, keeps a draft, takes images, and says when a text is too long.
import { html, Icon, IconButton, useEffect, useLayoutEffect, useRef, useState } from "../lib/view.js";
import { count, t } from "../lib/text.js";
import { DRAFT } from "../lib/kept.js";
import { ALL_BYTES, IMAGE_BYTES, IMAGES, bytesOf, readAsAddress } from "./images.js";

export const MOST = 32_000; // characters of a message, as the server counts them
const lengthOf = (text) => (text.length > MOST ? [...text].length : text.length);

/** Shows images; one of another host as a link. `remove` takes one away by its place. */
export const Pictures = ({ images, remove }) => html`
  <ul class="pictures">${images.map((image, at) => html`
    <li key=${at}>${image.startsWith("data:") ? html`<img src=${image} alt=${t("image")} />` : html`<a href=${image} target="_blank" rel="noreferrer">${t("image")}</a>`}${remove && html`<${IconButton} icon="close" name=${t("removeImage")} onClick=${() => remove(at)} />`}</li>`)}</ul>`;

/** Stores a draft; an empty one is deleted. */
function keep(place, text) {
  if (place === null) return;
  if (text.trim()) localStorage.setItem(place, text);
  else localStorage.removeItem(place);
}

export function Composer({ here, send, stop, options, given }) {
  const place = here.temporary || (!here.id && here.messages.length) ? null : DRAFT + (here.id || ""); // where the draft is kept: nowhere while a new chat waits for its id
  const [text, set] = useState("");
  const [images, attach] = useState([]);
  const [refused, refuse] = useState("");
  const field = useRef();
  const picker = useRef();
  const held = useRef({});
  useEffect(() => {
    if (held.current.here === here) { keep(held.current.place, ""); keep(place, text); } // the chat got its id, or became temporary
    else { set(place && localStorage.getItem(place) || ""); attach([]); refuse(""); field.current.focus(); }
    held.current = { here, place };
  }, [here, place]);
  useEffect(() => { if (given) { set(given.text); field.current.focus(); } }, [given]);
  useLayoutEffect(() => {
    field.current.style.height = "auto";
    field.current.style.height = `${field.current.scrollHeight}px`;
  }, [text]);
  const write = (value) => {
    set(value);
    keep(place, value);
  };
  const length = lengthOf(text.trim());
  const tooLong = length > MOST ? t("tooLong", count(length), count(MOST)) : "";
  const submit = (event) => {
    event.preventDefault();
    const query = text.trim();
    if (!query || tooLong || here.isAnswering) return;
    write("");
    attach([]);
    refuse("");
    send(query, images);
  };
  const keyed = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  };
  const take = async (files) => {
    const taken = [...files].filter((file) => file.type.startsWith("image/"));
    const read = await Promise.all(taken.filter((file) => file.size <= IMAGE_BYTES).map(readAsAddress));
    attach((before) => {
      let room = ALL_BYTES - bytesOf(before);
      const fit = read.slice(0, IMAGES - before.length).filter((image) => { room -= bytesOf([image]); return room >= 0; });
      if (taken.length < files.length) refuse(t("onlyImages"));
      else refuse(fit.length < taken.length ? t("imageRefused", IMAGES, IMAGE_BYTES / 1_000_000, ALL_BYTES / 1_000_000) : "");
      return [...before, ...fit];
    });
  };
  const pasted = (event) => { // a spreadsheet gives text and a picture of it: take the text. A file may come with its name as text.
    const files = [...event.clipboardData.files];
    const names = files.map((file) => file.name);
    const lines = event.clipboardData.getData("text/plain").split(/[\r\n]+/).filter(Boolean);
    if (files.length && lines.every((line) => names.includes(line))) { event.preventDefault(); take(files); }
  };
  useEffect(() => { // anywhere on the page, or the browser would open the file instead
    const over = (event) => { if (event.dataTransfer.types.includes("Files")) event.preventDefault(); };
    const dropped = (event) => { if (event.dataTransfer.files.length) { event.preventDefault(); take(event.dataTransfer.files); } };
    addEventListener("dragover", over);
    addEventListener("drop", dropped);
    return () => { removeEventListener("dragover", over); removeEventListener("drop", dropped); };
  }, []);
  return html`
    <form class="composer" onSubmit=${submit}>
      <div class="box">
        ${images.length > 0 && html`<${Pictures} images=${images} remove=${(at) => attach(images.filter((_, other) => other !== at))} />`}
        <label for="text" class="hidden">${t("message")}</label>
        <textarea id="text" ref=${field} rows="1" dir="auto" value=${text} placeholder=${t(here.isKept ? "say" : "sayTemporary")} aria-describedby="too-long"
          onInput=${(event) => write(event.target.value)} onKeyDown=${keyed} onPaste=${pasted}></textarea>
        <div class="row">
          <${IconButton} icon="image" name=${t("addImage")} onClick=${() => picker.current.click()} />
          <input ref=${picker} type="file" accept="image/*" multiple hidden onChange=${(event) => { take(event.target.files); event.target.value = ""; }} />
          <${IconButton} icon="options" name=${t("options")} onClick=${options} />
          <span class="state soft">${[here.temporary && t("temporary"), !here.useMemory && t("memoryOff"), here.project, here.model].filter(Boolean).join(" · ")}</span>
          ${here.isAnswering
            ? html`<button type="button" class="send" aria-label=${t("stop")} title=${t("stop")} onClick=${stop}><${Icon} name="stop" /></button>`
            : html`<button class="send" aria-label=${t("send")} title=${t("send")} disabled=${!text.trim()}><${Icon} name="up" /></button>`}
        </div>
      </div>
      <p id="too-long" class="bad" role="alert" hidden=${!tooLong && !refused}>${tooLong || refused}</p>
    </form>`;
}
