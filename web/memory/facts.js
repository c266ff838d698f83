// Facts: in force and past, with what became of each.
import { Confirm, Dialog, html, Menu, Reword, useState } from "../lib/view.js";
import { get, patch, path, post, remove } from "../lib/api.js";
import { toChat } from "../lib/messages.js";
import { count, date, exact, t, timezone } from "../lib/text.js";
import { List, Read } from "./list.js";

const DEPTH = 6; // facts of a history that are read at once

/** The messages that say a fact, in its conversation. */
const sayings = (one) => one.sources.map((id, at) => html` · <a key=${id} href=${toChat(one.memory_id, id)}>${t("says")}${one.sources.length > 1 ? ` ${at + 1}` : ""}</a>`);

/** One event of a fact, in words. */
const happened = (one, { event, other, by }) => [t(event === "UPDATE" && other === one.superseded_by ? "event_replaced" : `event_${event}`), t(`decided_${by}`) || t("byModel", by)].join(", ");

/** A fact and those that it replaced, newest first, each with its history. `next`: the id of the one before these. */
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
        <p class="soft">${t("since", exact(one.valid_from))}${one.valid_to ? ` · ${t("until", exact(one.valid_to))}` : ""}</p>
        <ul>${items.map((each) => html`<li class="soft">${happened(one, each)} · ${exact(each.at)}</li>`)}</ul></li>`)}</ol>
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
      ${asked?.what === "forget" && html`<${Confirm} title=${t("forgetFacts", asked.ids.length)} text=${t("endsFacts", asked.ids.length)} action=${t("forget")} run=${() => this.end(asked.ids)} close=${this.close} />`}`;
  }
}
