// Summaries, by chat.
import { html, useState } from "../lib/view.js";
import { get, path } from "../lib/api.js";
import { toChat } from "../lib/messages.js";
import { date, moment, t } from "../lib/text.js";
import { List, Read } from "./list.js";

/** The summaries of one chat, read when they are opened. */
function Chat({ session }) {
  const [isOpen, set] = useState(false);
  const show = ({ summaries }) => (summaries.length === 0 ? html`<p class="soft">${t("noSummary")}</p>`
    : summaries.map((one) => html`<p dir="auto">${one.summary}</p><p class="soft">${moment(one.timestamp)}</p>`));
  return html`
    <li><details onToggle=${(event) => set(event.target.open)}><summary><bdi>${session.title}</bdi> <span class="soft">${date(session.updated_at)}</span></summary>
      ${isOpen && html`<${Read} from=${() => get(path(["v1", "sessions", session.id]))} show=${show} />`}
      <p><a href=${toChat(session.id)}>${t("openMessage")}</a></p></details></li>`;
}

export class Summaries extends List {
  get parts() { return ["v1", "sessions"]; }

  render() {
    return html`
      <h2>${t("summaries")}</h2><p class="soft">${t("summariesMore")}</p>
      ${this.notes()}
      ${this.rows((one) => html`<${Chat} key=${one.id} session=${one} />`)}`;
  }
}
