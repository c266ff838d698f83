// The chat page: which conversation an address names, and what goes on in those that were left meanwhile.
import { Component, Dialog, html, IconButton, render } from "../lib/view.js";
import { get, patch, path, told } from "../lib/api.js";
import { toChat } from "../lib/messages.js";
import { t } from "../lib/text.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { Options } from "./options.js";
import { Sessions } from "./sessions.js";
import { Sidebar } from "./sidebar.js";
import { said, Thread } from "./thread.js";

const SHORTCUTS = [["Enter", "sendIt"], ["Shift+Enter", "newLine"], ["Ctrl+Alt+N", "newChat"], ["Ctrl+K", "searchChats"], ["Esc", "stop"], ["?", "shortcuts"]];
const NARROW = matchMedia("(max-width: 800px)");

function Beginning({ health, use }) {
  const examples = t("examples");
  return html`
    <section class="beginning">
      <h2>${t("welcome")}</h2>
      <p class="soft">${t("welcomeMore")}</p>
      <ul>${examples.map((one) => html`<li><button type="button" onClick=${() => use(one)}>${one}</button></li>`)}</ul>
      ${health?.chat_model === "rule_based" && html`
        <p class="hint">${t("noModel")} <code>OPENAI_API_KEY=… make run</code> · <code>OPENAI_BASE_URL=http://127.0.0.1:11434/v1 CHAT_MODEL=… make run</code></p>`}
    </section>`;
}

class App extends Component {
  changed = () => this.setState({});
  list = new Sessions(this.changed);
  away = new Map(); // conversations that were left while an answer was under way
  state = { here: new Conversation(null, this.changed), side: !NARROW.matches, options: null, help: false, health: null, marked: null, given: null, refused: "" };

  componentDidMount() {
    addEventListener("popstate", () => this.route());
    addEventListener("keydown", this.keyed);
    NARROW.addEventListener("change", this.changed);
    this.route();
    this.list.begin();
    get("health").then((health) => this.setState({ health }), () => {});
    this.readPaused();
  }

  /** Whether the user has paused remembering, which the page says before anything is sent. */
  async readPaused() {
    const { paused = false } = await get(path(["v1", "profile"], { limit: 1 }));
    this.paused = paused;
    this.state.here.paused = paused;
    this.changed();
  }

  /** Reads again what failed for want of a key. */
  enter = async () => {
    await this.list.begin();
    if (this.list.error) return;
    this.readPaused();
    if (this.state.here.error) this.state.here.again();
  };

  resume = async () => {
    const { here } = this.state;
    try {
      await patch("v1/profile", { paused: false });
      this.paused = here.paused = false;
      this.setState({ refused: "" });
    } catch (error) { this.setState({ refused: told(error) }); }
  };

  componentDidUpdate() {
    const title = this.titleOf(this.state.here);
    document.title = title ? `${title} · Loci` : "Loci";
  }

  /** A chat's title. The list has the new one after a rename. */
  titleOf = (here) => this.list.items.find((one) => one.id === here.id)?.title || here.title;

  /** Shows what the address names. */
  async route() {
    const named = new URLSearchParams(location.search);
    const id = named.get("session");
    const message = named.get("message");
    const before = this.state.here;
    if (before.id && before.isAnswering) this.away.set(before.id, before);
    if (id && id === before.id && !message) return;
    for (const [other, left] of this.away) if (!left.isAnswering) this.away.delete(other);
    const kept = id && !message ? this.away.get(id) : null;
    const here = kept || new Conversation(id, this.changed, { paused: this.paused, project: id ? null : this.list.project });
    this.setState({ here, marked: message, given: null, options: null, side: NARROW.matches ? false : this.state.side });
    if (!kept && id) await here.open(message);
  }

  go = (id, message = null) => {
    history.pushState(null, "", toChat(id, message));
    this.route();
  };

  begin = () => {
    history.pushState(null, "", location.pathname);
    this.route();
  };

  send = async (query, images, insteadOf = null) => {
    const { here } = this.state;
    if (here.hasNewer && !insteadOf && !here.shown.at(-1)?.branch) await this.toNewest(here);
    this.setState({ marked: null });
    await here.ask(query, images, this.begun, insteadOf);
    if (this.paused === undefined) this.enter();
    else if (!here.temporary) this.list.read();
    this.list.know(here.project);
  };

  /** Shows the chats of one project or of all. A chat that has not begun yet joins that project. */
  choose = (project) => {
    const { here } = this.state;
    if (!here.id && !here.messages.length) here.project = project;
    this.list.project = project;
    this.list.read();
    this.changed();
  };

  closeOptions = () => {
    this.list.know(this.state.options?.project);
    this.setState({ options: null });
  };

  begun = (here) => {
    if (this.state.here === here) history.replaceState(null, "", toChat(here.id));
    this.list.read();
  };

  async toNewest(here) {
    here.messages = [];
    here.hasNewer = false;
    await here.open();
  }

  resend = (one, text, images) => this.state.here.resend(one, this.begun, text, images);
  use = (text) => this.setState({ given: { text } });
  gone = (id) => { if (id === this.state.here.id) this.begin(); };

  /** Whether the chats lie over the chat, as on a phone. Then nothing behind them can be reached. */
  get overlays() { return this.state.side && NARROW.matches && !document.querySelector("dialog[open]"); }

  showSide = (side) => this.setState({ side }, () => { if (NARROW.matches) document.querySelector(side ? ".sidebar button" : ".top button").focus(); });

  keyed = (event) => {
    const writing = event.target.matches?.("input, textarea, select");
    const control = event.ctrlKey || event.metaKey;
    if (control && event.key === "k") { event.preventDefault(); this.setState({ side: true }, () => document.querySelector(".search input").focus()); }
    else if (control && event.altKey && event.code === "KeyN") { event.preventDefault(); this.begin(); }
    else if (event.key === "Escape" && this.overlays) this.showSide(false);
    else if (event.key === "Escape" && this.state.here.isAnswering && !document.querySelector("dialog[open]")) this.state.here.stop();
    else if (event.key === "?" && !writing) this.setState({ help: true });
  };

  render(_, { here, side, options, help, health, marked, given, refused }) {
    const title = this.titleOf(here) || (here.temporary ? t("temporary") : "Loci");
    return html`
      <a class="skip" href="#text">${t("skip")}</a>
      <div class=${`page${side ? " with-side" : ""}`}>
        ${side && html`<${Sidebar} list=${this.list} here=${here} go=${this.go} begin=${this.begin} enter=${this.enter} gone=${this.gone} choose=${this.choose} help=${() => this.setState({ help: true })} />`}
        ${side && html`<div class="shade" onClick=${() => this.showSide(false)}></div>`}
        <main inert=${side && NARROW.matches}>
          <header class="top">
            <${IconButton} icon="menu" name=${t(side ? "hideChats" : "showChats")} aria-expanded=${side} aria-controls="sidebar" onClick=${() => this.showSide(!side)} />
            <h1>${title}</h1>
            <${IconButton} icon="plus" name=${t("newChat")} onClick=${this.begin} />
          </header>
          <${Thread} key="thread" here=${here} send=${this.send} resend=${this.resend} go=${this.go} marked=${marked} modelled=${health && health.chat_model !== "rule_based"}>
            <${Beginning} health=${health} use=${this.use} />
          <//>
          ${here.paused && html`<p class="paused soft" role="status">${t("pausedMore")} <button type="button" class="link" onClick=${this.resume}>${t("resume")}</button> <span class="bad">${refused}</span></p>`}
          <${Composer} here=${here} send=${this.send} stop=${() => here.stop()} options=${() => this.setState({ options: here })} given=${given} />
        </main>
      </div>
      <p class="hidden" aria-live="polite">${spoken(here)}</p>
      ${options && html`<${Options} here=${options} projects=${this.list.projects} close=${this.closeOptions} />`}
      ${help && html`
        <${Dialog} title=${t("shortcuts")} close=${() => this.setState({ help: false })}>
          <dl class="keys">${SHORTCUTS.map(([keys, what]) => html`<div><dt><kbd>${keys}</kbd></dt><dd>${t(what)}</dd></div>`)}</dl>
        <//>`}`;
  }
}

/** What a screen reader says. It waits for the whole answer, because it would read the pieces one by one. */
function spoken(here) {
  const last = here.messages.at(-1);
  if (!last || last.role !== "assistant" || !last.done) return last?.waiting ? t("answering") : "";
  return said(last).slice(0, 2_000);
}

addEventListener("unhandledrejection", (event) => console.warn(told(event.reason)));
render(html`<${App} />`, document.getElementById("app"));
