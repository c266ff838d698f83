// All of a user's data together: export, import, and the end of it.
import { Component, Confirm, html } from "../lib/view.js";
import { get, path, remove, request, told } from "../lib/api.js";
import { forgetChats } from "../lib/kept.js";
import { count, t } from "../lib/text.js";
import { Imports } from "./imports.js";
import { Again } from "./list.js";

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
