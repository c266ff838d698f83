// Where things were said, and all of it together: summaries of chats, projects, search, export, import, the end.
import { Component, Confirm, html, Menu, useState } from "../lib/view.js";
import { get, path, post, put, remove, request, told } from "../lib/api.js";
import { count, date, moment, t } from "../lib/text.js";
import { forgetChats } from "../chat/kept.js";
import { Imports } from "./imports.js";
import { Again, List, Read } from "./list.js";

const CHAT = (session, message) => `.?${new URLSearchParams({ session, ...(message ? { message } : {}) })}`;
const LEAST = 0.1; // below which something has little to do with what is searched for
const FOUND = 20;

/** The summaries of one chat, read once they are looked at. */
function Summaries({ session }) {
  const [isOpen, set] = useState(false);
  const show = ({ summaries }) => (summaries.length === 0 ? html`<p class="soft">${t("noSummary")}</p>`
    : summaries.map((one) => html`<p dir="auto">${one.summary}</p><p class="soft">${moment(one.timestamp)}</p>`));
  return html`
    <li><details onToggle=${(event) => set(event.target.open)}><summary><bdi>${session.title}</bdi> <span class="soft">${date(session.updated_at)}</span></summary>
      ${isOpen && html`<${Read} from=${() => get(path(["v1", "sessions", session.id]))} show=${show} />`}
      <p><a href=${CHAT(session.id)}>${t("openMessage")}</a></p></details></li>`;
}

export class Chats extends List {
  get parts() { return ["v1", "sessions"]; }

  render() {
    return html`
      <h2>${t("summaries")}</h2><p class="soft">${t("summariesMore")}</p>
      ${this.notes()}
      ${this.rows((one) => html`<${Summaries} key=${one.id} session=${one} />`)}`;
  }
}

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

export class Search extends Component {
  state = { query: "", found: null, error: "" };

  search = async (event) => {
    event.preventDefault();
    try {
      const { items } = await post("v1/search", { query: this.state.query, top_k: FOUND, min_score: LEAST });
      this.setState({ found: items, error: "" });
    } catch (error) { this.setState({ error: told(error) }); }
  };

  render(_, { query, found, error }) {
    return html`
      <form class="row add" role="search" onSubmit=${this.search}>
        <input class="wide" type="search" aria-label=${t("searchMemory")} placeholder=${t("searchMemory")} maxlength="2000" value=${query} onInput=${(event) => this.setState({ query: event.target.value })} required />
        <button>${t("search")}</button>
      </form>
      <p class="bad" role="alert" hidden=${!error}>${error}</p>
      <div aria-live="polite">
        ${found?.length === 0 && html`<p class="soft">${t("nothingFound")}</p>`}
        ${found?.length > 0 && html`<ol class="items">${found.map((one) => html`
          <li key=${one.id}><div><p dir="auto">${one.content}</p>
            <p class="soft">${t(one.role === "assistant" ? "byAssistant" : `kind_${one.kind}`) || one.kind} · ${moment(one.timestamp)}${one.kind === "turn" ? html` · <a href=${CHAT(one.session_id, one.id)}>${t("openMessage")}</a>` : ""}</p></div></li>`)}</ol>`}
      </div>`;
  }
}

export class Data extends Component {
  state = { said: "", error: "", asked: false };

  componentDidMount() { this.read(); }

  read = async () => {
    try {
      const { user_id: user } = await get(path(["v1", "profile"], { limit: 1 }));
      this.setState({ user, error: "" });
    } catch (error) { this.setState({ error: told(error), refused: error.status === 401 }); }
  };

  download = async () => {
    try {
      const response = await request(path(["v1", "users", this.state.user, "export"]));
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await response.blob());
      link.download = "loci-export.jsonl";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    } catch (error) { this.setState({ error: told(error) }); }
  };

  forget = async () => {
    const { deleted } = await remove(path(["v1", "users", this.state.user]));
    forgetChats();
    this.setState({ said: t("forgotten", count(Object.values(deleted).reduce((all, one) => all + one, 0))) });
  };

  render(_, { user, said, error, refused, asked }) {
    return html`
      <h2>${t("yourData")}</h2>
      <p class="bad" role="alert" hidden=${!error}>${error}</p>
      ${error && !user && html`<${Again} refused=${refused} read=${this.read} />`}
      <p role="status">${said}</p>
      <h3>${t("exportAll")}</h3><p class="soft">${t("exportMore")}</p>
      <button type="button" disabled=${!user} onClick=${this.download}>${t("exportButton")}</button>
      <${Imports} user=${user} />
      <h3>${t("forgetAll")}</h3><p class="soft">${t("forgetAllMore")}</p>
      <button type="button" class="danger" disabled=${!user} onClick=${() => this.setState({ asked: true })}>${t("forgetAll")}</button>
      ${asked && html`<${Confirm} title=${t("forgetAll")} text=${t("forgetAllMore")} typed=${t("forgetWord")} action=${t("forgetAll")} run=${this.forget} close=${() => this.setState({ asked: false })} />`}`;
  }
}
