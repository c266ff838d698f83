// Projects: made and deleted.
import { Confirm, html, Menu } from "../lib/view.js";
import { path, put, remove } from "../lib/api.js";
import { date, t } from "../lib/text.js";
import { List } from "./list.js";

export class Projects extends List {
  state = { ...this.state, name: "", isolated: false };
  get parts() { return ["v1", "projects"]; }

  make = (event) => {
    event.preventDefault();
    const { name, isolated } = this.state;
    this.act(async () => {
      await put(path(["v1", "projects", name.trim()]), { isolated });
      this.setState({ name: "", isolated: false });
    });
  };

  row = (one) => html`
    <li key=${one.name}>
      <div><p dir="auto">${one.name}</p><p class="soft">${t(one.isolated ? "isolated" : "open")} · ${date(one.created_at)}</p></div>
      <${Menu} name=${t("actionsOf", one.name)} actions=${[[t("delete"), () => this.ask(one), "bad"]]} />
    </li>`;

  render(_, { asked, name, isolated }) {
    return html`
      <h2>${t("projects")}</h2><p class="soft">${t("projectsMore")}</p>
      <form class="row add" onSubmit=${this.make}>
        <input class="wide" aria-label=${t("name")} placeholder=${t("name")} maxlength="100" value=${name} onInput=${(event) => this.setState({ name: event.target.value })} required />
        <label class="check"><input type="checkbox" checked=${isolated} onChange=${(event) => this.setState({ isolated: event.target.checked })} />${t("isolate")}</label>
        <button>${t("makeProject")}</button>
      </form>
      ${this.notes()}
      ${this.rows(this.row)}
      ${asked && html`<${Confirm} title=${t("deleteProject", asked.name)} text=${t("deletesProject")} action=${t("delete")} close=${this.close}
        run=${async () => { await remove(path(["v1", "projects", asked.name])); await this.read(); }} />`}`;
  }
}
