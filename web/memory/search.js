// The search over everything that is remembered.
import { Component, html } from "../lib/view.js";
import { told } from "../lib/api.js";
import { search, toChat } from "../lib/messages.js";
import { moment, t } from "../lib/text.js";

const FOUND = 20;

export class Search extends Component {
  state = { query: "", found: null, error: "" };

  type = ({ target: { value } }) => this.setState(value ? { query: value } : { query: value, found: null, error: "" });

  search = async (event) => {
    event.preventDefault();
    try {
      this.setState({ found: await search(this.state.query, FOUND), error: "" });
    } catch (error) { this.setState({ error: told(error) }); }
  };

  render(_, { query, found, error }) {
    return html`
      <form class="row add" role="search" onSubmit=${this.search}>
        <input class="wide" type="search" aria-label=${t("searchMemory")} placeholder=${t("searchMemory")} maxlength="2000" value=${query} onInput=${this.type} required />
        <button>${t("search")}</button>
      </form>
      <p class="bad" role="alert" hidden=${!error}>${error}</p>
      <div aria-live="polite">
        ${found?.length === 0 && html`<p class="soft">${t("nothingFound")}</p>`}
        ${found?.length > 0 && html`<ol class="items">${found.map((one) => html`
          <li key=${one.id}><div><p dir="auto">${one.content}</p>
            <p class="soft">${t(one.role === "assistant" ? "byAssistant" : `kind_${one.kind}`) || one.kind} · ${moment(one.timestamp)}${one.kind === "turn" ? html` · <a href=${toChat(one.session_id, one.id)}>${t("openMessage")}</a>` : ""}</p></div></li>`)}</ol>`}
      </div>`;
  }
}
