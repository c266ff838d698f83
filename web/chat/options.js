// What holds for one chat: memory, a temporary one, its project, model and instructions.
import { Dialog, html, useEffect, useState } from "../lib/view.js";
import { get, patch, path, told } from "../lib/api.js";
import { t } from "../lib/text.js";

const LONGEST = 8_000; // characters of instructions that stand

export function Options({ here, projects, close }) {
  const [changes, set] = useState({});
  const given = { ...here, project: here.project || "", ...changes };
  const [models, list] = useState([]);
  const [error, fail] = useState("");
  useEffect(() => { get("v1/models").then(({ data }) => list(data.map((one) => one.id)), () => {}); }, []);
  const begun = here.messages.length > 0;
  const put = (name) => (event) => set({ ...changes, [name]: event.target.type === "checkbox" ? event.target.checked : event.target.value });
  const submit = async (event) => {
    event.preventDefault();
    try {
      const changed = {
        ...("instructions" in changes ? { instructions: changes.instructions.trim() || null } : {}),
        ...("project" in changes ? { project: changes.project || null } : {}),
      };
      if (here.id && Object.keys(changed).length) await patch(path(here.address), changed);
      Object.assign(here, changes, { project: given.project || null });
      here.keepOptions();
      here.changed();
      close();
    } catch (problem) { fail(told(problem)); }
  };
  return html`
    <${Dialog} title=${t("options")} close=${close}>
      <form onSubmit=${submit}>
        <label class="check"><input type="checkbox" checked=${given.useMemory} onChange=${put("useMemory")} />${t("useMemory")}</label>
        ${!here.id && html`<label class="check"><input type="checkbox" checked=${given.temporary} disabled=${begun} onChange=${put("temporary")} />${t("makeTemporary")}</label>`}
        <label>${t("project")}<input list="projects" value=${given.project} maxlength="100" placeholder=${t("none")} disabled=${!here.isRead} onInput=${put("project")} /></label>
        <datalist id="projects">${projects.map((one) => html`<option value=${one.name} />`)}</datalist>
        <label>${t("model")}<input list="models" value=${given.model} maxlength="200" placeholder=${t("asSet")} onInput=${put("model")} /></label>
        <datalist id="models">${models.map((one) => html`<option value=${one} />`)}</datalist>
        <label>${t("instructions")}<textarea rows="4" maxlength=${LONGEST} value=${given.instructions} disabled=${!here.isRead} onInput=${put("instructions")}></textarea></label>
        ${error && html`<p class="bad" role="alert">${error}</p>`}
        <div class="row end"><button type="button" onClick=${close}>${t("cancel")}</button><button class="primary">${t("save")}</button></div>
      </form>
    <//>`;
}
