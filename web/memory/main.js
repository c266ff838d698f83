// The memory page: all that is remembered of whoever looks at it, to be searched, changed and forgotten.
import { Component, html, render } from "../lib/view.js";
import { hasKey, signOut } from "../lib/api.js";
import { t } from "../lib/text.js";
import { Data } from "./data.js";
import { Facts } from "./facts.js";
import { Profile } from "./profile.js";
import { Projects } from "./projects.js";
import { Search } from "./search.js";
import { Summaries } from "./summaries.js";
import { KeyValues } from "./values.js";

const VIEWS = { profile: [Profile, "profile"], facts: [Facts, "facts"], values: [KeyValues, "keyValues"], summaries: [Summaries, "summaries"], projects: [Projects, "projects"], data: [Data, "yourData"] };

class App extends Component {
  componentDidMount() { addEventListener("hashchange", () => this.setState({})); this.componentDidUpdate(); }
  componentDidUpdate() { document.querySelector(".views [aria-current]").scrollIntoView({ block: "nearest", inline: "center" }); }

  render() {
    const name = location.hash.slice(1) in VIEWS ? location.hash.slice(1) : "profile";
    const [View, title] = VIEWS[name];
    document.title = `${t(title)} · Loci`;
    return html`
      <header class="top">
        <h1>${t("memory")}</h1>
        <nav aria-label="Loci"><a href=".">${t("chat")}</a><a href="admin">${t("admin")}</a>
          ${hasKey() && html`<button type="button" class="link" onClick=${() => { signOut(); location.reload(); }}>${t("signOut")}</button>`}</nav>
      </header>
      <nav class="views" aria-label=${t("memory")}>
        ${Object.entries(VIEWS).map(([each, [, text]]) => html`<a key=${each} href=${`#${each}`} aria-current=${each === name ? "page" : undefined}>${t(text)}</a>`)}
      </nav>
      <main><${Search} key=${`search ${name}`} /><${View} key=${name} /></main>`;
  }
}

render(html`<${App} />`, document.getElementById("app"));
