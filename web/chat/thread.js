// The messages of a conversation, with what can be done to each; a reader who has scrolled up stays there.
import { Component, Edge, html, Icon, useEffect, useLayoutEffect, useRef, useState } from "../lib/view.js";
import { told } from "../lib/api.js";
import { copy } from "../lib/clipboard.js";
import { clock, day, midnight, t } from "../lib/text.js";
import { MOST, Pictures } from "./composer.js";
import { Sources } from "./sources.js";

const NEAR = 80; // pixels: a reader this close to the end is at the end
const whenIdle = globalThis.requestIdleCallback ?? setTimeout;
let markdown = null; // draws answers; the first paint does not wait for it

function Markdown({ text, cites, whole, cite }) {
  const box = useRef();
  useLayoutEffect(() => { if (whole) markdown.finish(box.current); }, [text, whole]); // before a reader's place is kept by heights
  const act = (event) => {
    const link = event.target.closest?.(".cite");
    if (!link || (event.type === "keydown" && !["Enter", " "].includes(event.key))) return;
    event.preventDefault();
    cite(Number(link.dataset.n));
  };
  return html`<div class="markdown" ref=${box} onClick=${act} onKeyDown=${act} dangerouslySetInnerHTML=${{ __html: markdown.toHtml(text, cites) }}></div>`;
}

function Copy({ text }) {
  const [name, say] = useState(t("copy"));
  return html`<button type="button" class="link" onClick=${() => copy(text, say)}>${name}</button>`;
}

/** Moves the focus to the composer, because the button that had it is gone. */
const toComposer = () => document.getElementById("text").focus();

/** Whether a message came with more images than the server has: asking it again would ask something else. */
const lacksImages = (one) => one.images?.length < one.pictures;

/** The text of an answer; the fixed sentences of rules are in the language of the page. */
export const said = (one) => t("byRules")[one.content] ?? one.content;

function Answer({ one, here, send, go, modelled }) {
  const [shown, show] = useState(null); // the source that is looked at: its number, 0 for all
  const text = said(one);
  const cited = one.content && markdown && !one.waiting ? markdown.citedIn(text, one.cites) : [];
  const label = cited.length ? t("sourcesOf", cited.length) : t("why");
  const prompt = here.promptOf(one);
  const again = () => { if (!here.isAnswering) { send(prompt.content, prompt.images, prompt); toComposer(); } };
  return html`
    ${one.content && markdown && html`<${Markdown} text=${text} cites=${one.cites} whole=${!one.waiting} cite=${(n) => show({ n })} />`}
    ${one.waiting && !(one.content && markdown) && html`<p class="thinking" aria-hidden="true"><i></i><i></i><i></i></p>`}
    <${Withheld} one=${one} here=${here} />
    ${(one.fallback || (modelled && one.model === "rule_based")) && html`<p class="note">${t("withoutModel")} ${one.fallback}</p>`}
    ${one.interrupted && html`<p class="note">${t("interrupted")}</p>`}
    ${one.error && html`<p class="bad" role="alert">${one.error}</p>`}
    ${!one.waiting && html`
      <div class="actions">
        ${one.content && one.turn && one.id && html`<button type="button" class="link" aria-expanded=${shown !== null} onClick=${() => show(shown === null ? { n: 0 } : null)}>${label}</button>`}
        ${one.content && html`<${Copy} text=${text} />`}
        ${prompt && !prompt.unsent && !lacksImages(prompt) && html`<button type="button" class="link forks" onClick=${again}>${t("again")}</button>`}
        <span class="soft">${one.model && one.model !== "rule_based" ? `${one.model} · ` : ""}${clock(one.timestamp)}</span>
      </div>`}
    ${shown !== null && html`<${Sources} turn=${one.turn} cited=${cited} looked=${shown} go=${go} here=${here} />`}`;
}

/** Says that other answers do not recall a message, and lets the user change that. */
function Withheld({ one, here }) {
  const [error, fail] = useState("");
  if (one.recalled !== false && !one.decided) return "";
  const turn = () => here.setRecalled(here.id, one.id, !one.recalled).then(() => fail(""), (problem) => fail(told(problem)));
  return html`
    <p class="note"><span role="status">${t(one.recalled ? "saidRecalled" : "notRecalled")}</span> <button type="button" class="link" onClick=${turn}>${t(one.recalled ? "notRelevant" : "recallAgain")}</button></p>
    ${error && html`<p class="bad" role="alert">${error}</p>`}`;
}

/** The form that edits a message of the user's in its place. */
function Edited({ one, send, close }) {
  const [text, set] = useState(one.content);
  const [images, attach] = useState(one.images || []);
  const field = useRef();
  useLayoutEffect(() => { field.current.focus(); field.current.setSelectionRange(text.length, text.length); }, []);
  useLayoutEffect(() => { field.current.style.height = "auto"; field.current.style.height = `${field.current.scrollHeight}px`; }, [text]);
  const submit = (event) => {
    event.preventDefault();
    if (text.trim()) { close(); send(text.trim(), images.length === (one.images?.length ?? 0) ? one.images : images); toComposer(); }
  };
  const keyed = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
    if (event.key === "Escape") { event.stopPropagation(); close(); }
  };
  return html`
    <form class="edited" onSubmit=${submit}>
      ${images.length > 0 && html`<${Pictures} images=${images} remove=${(at) => attach(images.filter((_, other) => other !== at))} />`}
      <textarea ref=${field} rows="1" dir="auto" aria-label=${t("edit")} maxlength=${MOST} value=${text} onInput=${(event) => set(event.target.value)} onKeyDown=${keyed}></textarea>
      <div class="row end"><button type="button" onClick=${close}>${t("cancel")}</button><button class="primary">${t("send")}</button></div>
    </form>`;
}

function Mine({ one, here, last, send, resend }) {
  const [edits, edit] = useState(false);
  const way = useRef();
  const wasEdited = useRef(false);
  useEffect(() => {
    if (wasEdited.current && !edits && document.activeElement === document.body) way.current?.focus();
    wasEdited.current = edits;
  }, [edits]);
  const images = one.images || [];
  useEffect(() => { here.readImages(one); }, [one]);
  const again = (text, pictures) => (one.unsent ? resend(one, text, pictures) : send(text, pictures, one));
  if (edits) return html`<${Edited} one=${one} send=${again} close=${() => edit(false)} />`;
  const change = async () => { if (await here.readImages(one) && !here.isAnswering) edit(true); };
  const retry = () => { again(one.content, one.images); toComposer(); };
  const isUnanswered = one.id !== undefined && last && !here.hasNewer && !here.isAnswering && !lacksImages(one);
  return html`
    ${images.length > 0 && html`<${Pictures} images=${images} />`}
    ${one.unread && html`<p class="bad" role="alert">${t("imagesUnread")} ${one.unread} <button type="button" class="link" onClick=${() => here.readImages(one)}>${t("sendAgain")}</button></p>`}
    ${lacksImages(one) && html`<p class="note">${t("imagesNotKept", one.pictures)}</p>`}
    <p class="said" dir="auto">${one.content}</p>
    <${Withheld} one=${one} here=${here} />
    <div class="actions">
      ${one.unsent && html`<span class="bad">${t("unsent")}</span>`}
      ${(one.unsent || isUnanswered) && html`<button type="button" class="link forks" onClick=${retry}>${t("sendAgain")}</button>`}
      ${(one.unsent || one.id || !here.isKept) && html`<button type="button" class="link forks" ref=${way} onClick=${change}>${t("edit")}</button>`}
      <${Copy} text=${one.content} /><span class="soft">${clock(one.timestamp)}</span>
    </div>`;
}

/** The way to other versions of a message: edited ones, or answers that were asked for again. */
function Versions({ one, here }) {
  const all = here.versionsOf(one.follows);
  const at = all.indexOf(one);
  const box = useRef();
  useEffect(() => { // the button that was pressed belongs to another version
    if (here.turned?.to !== one) return;
    const [back, on] = box.current.querySelectorAll("button");
    (here.turned.by < 0 && !back.disabled || on.disabled ? back : on).focus();
    here.turned = null;
  });
  const turn = (by) => { here.turned = { to: all[at + by], by }; here.take(all[at + by]); };
  if (all.length < 2 || at < 0) return "";
  return html`
    <div class="versions" role="group" aria-label=${`${t("versions")}: ${at + 1} / ${all.length}`} ref=${box}>
      <button type="button" class="link" aria-label=${t("previousVersion")} disabled=${at === 0} onClick=${() => turn(-1)}>‹</button>
      <span class="soft">${at + 1} / ${all.length}</span>
      <button type="button" class="link" aria-label=${t("nextVersion")} disabled=${at === all.length - 1} onClick=${() => turn(1)}>›</button>
    </div>`;
}

/** One message; it is drawn again only when it changes. */
class Message extends Component {
  shouldComponentUpdate(next) { return SHOWN_OF.some((name) => next[name] !== this.props[name]); }

  render({ one, here, last, send, resend, go, marked, modelled, day: parted }) {
    return html`
      ${parted && html`<h2 class="day">${parted}</h2>`}
      <article class=${`message ${one.role}${one.waiting ? " waiting" : ""}${marked ? " marked" : ""}`} aria-label=${t(`by_${one.role}`)}>
        ${one.name && html`<p class="soft">${one.name}</p>`}
        ${one.role === "user" ? html`<${Mine} one=${one} here=${here} last=${last} send=${send} resend=${resend} />` : html`<${Answer} one=${one} here=${here} send=${send} go=${go} modelled=${modelled} />`}
        ${one.follows !== undefined && html`<${Versions} one=${one} here=${here} />`}
      </article>`;
  }
}

const SHOWN_OF = ["one", "version", "versions", "last", "marked", "modelled", "markdown", "day"]; // props that change what a message shows

export class Thread extends Component {
  box = { current: null };
  state = { away: false };
  atEnd = true;

  componentDidMount() {
    this.watching = new ResizeObserver(() => this.settle()); // code gets its colours, formulas are set
    this.watching.observe(this.box.current.firstElementChild);
    whenIdle(() => this.readMarkdown());
    this.settle();
  }

  readMarkdown() {
    this.coming ??= import("../lib/markdown.js").then((module) => { markdown = module; this.setState({}); }, () => { this.coming = null; });
  }

  componentWillUnmount() { this.watching.disconnect(); }

  getSnapshotBeforeUpdate() {
    const box = this.box.current;
    return { height: box.scrollHeight, top: box.scrollTop, first: this.first };
  }

  componentDidUpdate(before, _, was) {
    const box = this.box.current;
    const { here, marked } = this.props;
    if (!markdown && (here.loading || here.messages.length)) this.readMarkdown();
    const first = here.messages[0]?.key;
    if (before.here !== here) this.atEnd = true;
    else if (was.first !== undefined && was.first !== first && here.messages.some((one) => one.key === was.first)) {
      box.scrollTop = was.top + box.scrollHeight - was.height; // older ones came in above
    }
    this.first = first;
    if (marked && marked !== this.found) {
      const message = box.querySelector(".message.marked");
      if (message) { this.found = marked; this.atEnd = false; message.scrollIntoView({ block: "center" }); return; }
    }
    this.settle();
  }

  settle() {
    const box = this.box.current;
    if (this.atEnd && !(this.props.marked && !this.found)) box.scrollTop = box.scrollHeight;
  }

  scrolled = () => {
    const box = this.box.current;
    this.atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
    if (this.state.away === this.atEnd) this.setState({ away: !this.atEnd });
  };

  toEnd = () => { this.atEnd = true; this.box.current.scrollTop = this.box.current.scrollHeight; };

  render({ here, send, resend, go, marked, modelled, children }, { away }) {
    const line = here.shown;
    const undrawn = !markdown && line.some((one) => one.role !== "user" && !one.waiting);
    const days = line.map((one) => midnight(one.timestamp));
    const shown = line.map((one, at) => html`
      <${Message} key=${one.key} one=${one} here=${here} version=${one.version} versions=${here.versionsOf(one.follows).length} last=${at === line.length - 1} markdown=${markdown} send=${send} resend=${resend} go=${go} marked=${marked === one.id} modelled=${modelled}
        day=${days[at] === days[at - 1] ? "" : day(one.timestamp)} />`);
    return html`
      <div class="thread" ref=${this.box} onScroll=${this.scrolled} tabindex="0" role="region" aria-label=${t("messages")}>
        <div class="column">
          ${here.hasOlder && !here.loading && !here.error && html`<${Edge} box=".thread" reach=${() => here.older()} />`}
          ${(here.loading || undrawn) && html`<p class="soft center">${t("loading")}</p>`}
          ${here.error && html`<p class="bad" role="alert">${here.error}</p>`}
          ${here.error && html`<button type="button" onClick=${() => here.again()}>${t("sendAgain")}</button>`}
          ${here.messages.length === 0 && !here.loading && !here.error && children}
          ${!undrawn && shown}
          ${here.hasNewer && !here.loading && !here.error && html`<${Edge} box=".thread" reach=${() => here.newer()} />`}
        </div>
        ${away && html`<button type="button" class="to-end" aria-label=${t("toEnd")} onClick=${this.toEnd}><${Icon} name="down" /></button>`}
      </div>`;
  }
}
