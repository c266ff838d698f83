// Values under names, with the values that they had before.
import { Confirm, Dialog, html, Menu, Reword } from "../lib/view.js";
import { get, path, put, remove } from "../lib/api.js";
import { date, moment, t } from "../lib/text.js";
import { List, Read } from "./list.js";

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
