// What is written: it grows, keeps its draft, takes images, and says when a text is too long.
import { html, Icon, IconButton, useEffect, useLayoutEffect, useRef, useState } from "../lib/view.js";
import { count, t } from "../lib/text.js";
import { DRAFT } from "./kept.js";

export const MOST = 32_000; // characters of a message, as the server counts them
const IMAGES = 16;
const IMAGE_BYTES = 5_000_000;

const lengthOf = (text) => (text.length > MOST ? [...text].length : text.length);
const readAsAddress = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result);
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
});

export function Composer({ here, send, stop, options, given }) {
  const place = DRAFT + (here.id || "");
  const [text, set] = useState("");
  const [images, attach] = useState([]);
  const [refused, refuse] = useState("");
  const field = useRef();
  const picker = useRef();
  useEffect(() => { set(here.temporary ? "" : localStorage.getItem(place) || ""); attach([]); refuse(""); field.current.focus(); }, [here]);
  useEffect(() => { if (given) { set(given.text); field.current.focus(); } }, [given]);
  useLayoutEffect(() => {
    field.current.style.height = "auto";
    field.current.style.height = `${field.current.scrollHeight}px`;
  }, [text]);
  const write = (value) => {
    set(value);
    if (here.temporary) return;
    if (value.trim()) localStorage.setItem(place, value);
    else localStorage.removeItem(place);
  };
  const length = lengthOf(text.trim());
  const tooLong = length > MOST ? t("tooLong", count(length), count(MOST)) : "";
  const submit = (event) => {
    event.preventDefault();
    const query = text.trim();
    if (!query || tooLong || here.isAnswering) return;
    localStorage.removeItem(place);
    set("");
    attach([]);
    send(query, images);
  };
  const keyed = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  };
  const take = async (files) => {
    const taken = [...files].filter((file) => file.type.startsWith("image/"));
    if (!taken.length) return;
    const small = taken.filter((file) => file.size <= IMAGE_BYTES).slice(0, IMAGES - images.length);
    refuse(small.length < taken.length ? t("imageRefused", IMAGES, IMAGE_BYTES / 1_000_000) : "");
    const read = await Promise.all(small.map(readAsAddress));
    attach((before) => [...before, ...read]);
  };
  const pasted = (event) => { if (event.clipboardData.files.length) { event.preventDefault(); take(event.clipboardData.files); } };
  const dropped = (event) => { event.preventDefault(); take(event.dataTransfer.files); };
  return html`
    <form class="composer" onSubmit=${submit} onDrop=${dropped} onDragOver=${(event) => event.preventDefault()}>
      <div class="box">
        ${images.length > 0 && html`
          <ul class="pictures">${images.map((image, at) => html`
            <li key=${at}><img src=${image} alt=${t("image")} /><${IconButton} icon="close" name=${t("removeImage")} onClick=${() => attach(images.filter((_, other) => other !== at))} /></li>`)}</ul>`}
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
