// The profile: what a model is told in every chat, the user's instructions, and the switch that stops remembering.
import { html, Menu, Reword, useState } from "../lib/view.js";
import { patch } from "../lib/api.js";
import { t } from "../lib/text.js";
import { List } from "./list.js";

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
