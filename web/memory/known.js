// What is known of a user: the profile, facts with their history, and values under keys.
import { Confirm, Dialog, html, Menu, Reword, useState } from "../lib/view.js";
import { get, patch, path, post, put, remove } from "../lib/api.js";
import { count, date, moment, t, timezone } from "../lib/text.js";
import { List, Read } from "./list.js";

const DEPTH = 6; // facts of a history that are read at once

/** The messages that say a fact, which its conversation has. */
const sayings = (one) => one.sources.map((id, at) => html` · <a key=${id} href=${`.?${new URLSearchParams({ session: one.memory_id, message: id })}`}>${t("says")}${one.sources.length > 1 ? ` ${at + 1}` : ""}</a>`);

export class Profile extends List {
  get parts() { return ["v1", "profile"]; }
  get parameters() { return { hidden: true }; }

  async read(cursor = null) {
    const page = await super.read(cursor);
    if (page !== null && cursor === null) this.setState({ standing: page });
    return page;
  }

  change = (id, what) => this.act(() => patch("v1/profile", { items: [{ id, ...what }] }));

  row = (one) => html`
    <li key=${one.id} class=${one.hidden ? "dim" : ""}>
      <div><p dir="auto">${one.text}</p>
        <p class="soft">${[one.pinned && t("pinned"), one.hidden && t("hidden")].filter(Boolean).join(" · ")}</p></div>
      <${Menu} name=${t("actionsOf", one.text)} actions=${[
        [t(one.pinned ? "unpin" : "pin"), () => this.change(one.id, { pinned: !one.pinned })],
        [t(one.hidden ? "unhide" : "hide"), () => this.change(one.id, { hidden: !one.hidden })],
        [t("change"), () => this.ask(one)],
      ]} />
    </li>`;

  render(_, { asked, standing }) {
    return html`
      <h2>${t("profile")}</h2><p class="soft">${t("profileMore")}</p>
      ${this.notes()}
      ${this.rows(this.row)}
      ${standing && html`<${Pause} paused=${standing.paused} act=${this.act} />`}
      ${standing && html`<${Standing} key=${standing.user_id} given=${standing} act=${this.act} />`}
      ${asked && html`<${Reword} title=${t("change")} text=${asked.text} close=${this.close}
        save=${async (text) => { await patch("v1/profile", { items: [{ id: asked.id, text }] }); await this.read(); }} />`}`;
  }
}

/** The switch that stops remembering, and says what that means. */
const Pause = ({ paused, act }) => html`
  <section class="pause">
    <h3 id="pause">${t("remembering")}</h3>
    <p class="soft">${t(paused ? "pausedMore" : "pauseMore")}</p>
    <button type="button" onClick=${() => act(() => patch("v1/profile", { paused: !paused }))}>${t(paused ? "resume" : "pause")}</button>
  </section>`;

function Standing({ given, act }) {
  const [set, change] = useState({ instructions: given.instructions || "", timezone: given.timezone || "", locale: given.locale || "" });
  const put = (name) => (event) => change({ ...set, [name]: event.target.value });
  const submit = (event) => {
    event.preventDefault();
    const json = Object.fromEntries(Object.entries(set).map(([name, value]) => [name, value.trim() || null]));
    act(() => patch("v1/profile", json));
  };
  return html`
    <form class="standing" onSubmit=${submit}>
      <label>${t("standing")}<textarea rows="4" maxlength="8000" value=${set.instructions} onInput=${put("instructions")}></textarea></label>
      <div class="row">
        <label>${t("timezone")}<input value=${set.timezone} placeholder="Europe/Berlin" onInput=${put("timezone")} /></label>
        <label>${t("locale")}<input value=${set.locale} placeholder="en-GB" onInput=${put("locale")} /></label>
        <button class="primary">${t("save")}</button>
      </div>
    </form>`;
}

/** What became of a fact. */
const happened = (one, { event, other, by }) => [t(event === "UPDATE" && other === one.superseded_by ? "event_replaced" : `event_${event}`), t(`decided_${by}`) || t("byModel", by)].join(", ");

/** A fact, what it replaced, and so on, each with what became of it. `next`: the id of what was before these. */
async function former(id) {
  const facts = [];
  let next = id;
  while (next && facts.length < DEPTH) {
    const [one, { items }] = await Promise.all([get(path(["v1", "facts", next])), get(path(["v1", "facts", next, "history"]))]);
    facts.push({ one, items });
    next = items.find((each) => each.event === "UPDATE" && each.other && each.other !== one.superseded_by)?.other;
  }
  return { facts, next };
}

function History({ fact, close }) {
  const [from, set] = useState([fact.id]);
  const show = ({ facts, next }) => html`
    <ol class="history">${facts.map(({ one, items }) => html`
      <li key=${one.id}><p dir="auto">${one.text}</p>
        <p class="soft">${t("since", moment(one.valid_from))}${one.valid_to ? ` · ${t("until", moment(one.valid_to))}` : ""}</p>
        <ul>${items.map((each) => html`<li class="soft">${happened(one, each)} · ${moment(each.at)}</li>`)}</ul></li>`)}</ol>
    ${next && !from.includes(next) && html`<button type="button" onClick=${() => set([...from, next])}>${t("more")}</button>`}`;
  return html`<${Dialog} title=${t("history")} close=${close} wide>${from.map((id) => html`<${Read} key=${id} from=${() => former(id)} show=${show} />`)}<//>`;
}

export class Facts extends List {
  state = { ...this.state, past: false, text: "" };
  get parts() { return ["v1", "facts"]; }
  get parameters() { return { past: this.state.past || null }; }

  show = (past) => this.setState({ past, items: null, chosen: new Set() }, () => this.read());
  tell = (event) => {
    event.preventDefault();
    const { text } = this.state;
    this.act(async () => {
      const { decisions } = await post("v1/facts", { text, ...timezone() });
      this.setState({ text: "" });
      return decisions.filter((one) => one.event !== "NONE").length;
    }, (n) => t("factAdded", n));
  };

  end = async (ids) => {
    for (const id of ids) await remove(path(["v1", "facts", id]));
    this.setState({ chosen: new Set() });
    await this.read();
  };

  row = (one) => html`
    <li key=${one.id} class=${one.valid_to ? "dim" : ""}>
      ${!one.valid_to && html`<input type="checkbox" aria-label=${one.text} checked=${this.state.chosen.has(one.id)} onChange=${() => this.choose(one.id)} />`}
      <div><p dir="auto">${one.text}</p>
        <p class="soft">${t("since", date(one.valid_from))}${one.valid_to ? ` · ${t("until", date(one.valid_to))}` : ""}${sayings(one)}</p></div>
      <${Menu} name=${t("actionsOf", one.text)} actions=${[
        ...(one.valid_to ? [] : [[t("change"), () => this.ask({ what: "change", one })]]),
        [t("undo"), () => this.act(() => post(path(["v1", "facts", one.id, "undo"]), {}))],
        [t("history"), () => this.ask({ what: "history", one })],
        ...(one.valid_to ? [] : [[t("forget"), () => this.ask({ what: "forget", ids: [one.id] }), "bad"]]),
      ]} />
    </li>`;

  render(_, { asked, past, text, chosen }) {
    return html`
      <h2>${t("facts")}</h2><p class="soft">${t("factsMore")}</p>
      <form class="row add" onSubmit=${this.tell}>
        <input class="wide" aria-label=${t("addFact")} placeholder=${t("addFact")} maxlength="2000" value=${text} onInput=${(event) => this.setState({ text: event.target.value })} required />
        <button>${t("add")}</button>
      </form>
      <div class="row">
        <button type="button" aria-pressed=${!past} onClick=${() => this.show(false)}>${t("inForce")}</button>
        <button type="button" aria-pressed=${past} onClick=${() => this.show(true)}>${t("past")}</button>
        ${chosen.size > 0 && html`<button type="button" class="danger" onClick=${() => this.ask({ what: "forget", ids: [...chosen] })}>${t("forgetChosen", count(chosen.size))}</button>`}
      </div>
      ${this.notes()}
      ${this.rows(this.row)}
      ${asked?.what === "change" && html`<${Reword} title=${t("change")} text=${asked.one.text} close=${this.close}
        save=${async (value) => { await patch(path(["v1", "facts", asked.one.id]), { text: value }); await this.read(); }} />`}
      ${asked?.what === "history" && html`<${History} fact=${asked.one} close=${this.close} />`}
      ${asked?.what === "forget" && html`<${Confirm} title=${t("forgetFacts", asked.ids.length)} text=${t("endsFacts")} action=${t("forget")} run=${() => this.end(asked.ids)} close=${this.close} />`}`;
  }
}

export class KeyValues extends List {
  state = { ...this.state, key: "", value: "" };
  get parts() { return ["v1", "memories"]; }

  keep = (event) => {
    event.preventDefault();
    const { key, value } = this.state;
    this.act(async () => {
      await put(path(["v1", "memories", key.trim()]), { value });
      this.setState({ key: "", value: "" });
    });
  };

  row = (one) => html`
    <li key=${one.key}>
      <div><p dir="auto"><b>${one.key}</b> ${one.value}</p><p class="soft">${date(one.updated_at)}</p></div>
      <${Menu} name=${t("actionsOf", one.key)} actions=${[
        [t("change"), () => this.ask({ what: "change", one })],
        [t("history"), () => this.ask({ what: "history", one })],
        [t("forget"), () => this.ask({ what: "forget", one }), "bad"],
      ]} />
    </li>`;

  render(_, { asked, key, value }) {
    return html`
      <h2>${t("keyValues")}</h2><p class="soft">${t("keyValuesMore")}</p>
      <form class="row add" onSubmit=${this.keep}>
        <input aria-label=${t("key")} placeholder=${t("key")} maxlength="200" value=${key} onInput=${(event) => this.setState({ key: event.target.value })} required />
        <input class="wide" aria-label=${t("value")} placeholder=${t("value")} maxlength="20000" value=${value} onInput=${(event) => this.setState({ value: event.target.value })} required />
        <button>${t("add")}</button>
      </form>
      ${this.notes()}
      ${this.rows(this.row)}
      ${asked?.what === "change" && html`<${Reword} title=${asked.one.key} text=${asked.one.value} most="20000" close=${this.close}
        save=${async (text) => { await put(path(["v1", "memories", asked.one.key]), { value: text }); await this.read(); }} />`}
      ${asked?.what === "history" && html`<${Values} one=${asked.one} close=${this.close} />`}
      ${asked?.what === "forget" && html`<${Confirm} title=${t("forgetFacts", 1)} text=${`${asked.one.key}: ${asked.one.value}`} action=${t("forget")} close=${this.close}
        run=${async () => { await remove(path(["v1", "memories", asked.one.key])); await this.read(); }} />`}`;
  }
}

/** All values that a key had. */
const Values = ({ one, close }) => html`
  <${Dialog} title=${one.key} close=${close}>
    <${Read} from=${() => get(path(["v1", "memories", one.key, "history"]))} show=${({ items }) => html`
      <ol class="history">${items.map((each) => html`<li><p dir="auto">${each.value}</p><p class="soft">${moment(each.updated_at)}</p></li>`)}</ol>`} />
  <//>`;
