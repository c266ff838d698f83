// Files of Loci and of other products, chosen or dropped: the page tells how far an import is, whichever view is open.
import { Component, html } from "../lib/view.js";
import { lines, path, request, told } from "../lib/api.js";
import { count, t } from "../lib/text.js";

const TYPE = "application/octet-stream"; // the server sees by itself what it is
const KINDS = [["session", "chatsOf"], ["message", "messagesOf"], ["fact", "factsOf"]];

const sum = (counts) => Object.values(counts).reduce((all, one) => all + one, 0);

/** Counts of chats, messages and facts, or of all things where there are none of these. */
function things(counts) {
  const named = KINDS.filter(([kind]) => counts[kind]).map(([kind, text]) => t(text, count(counts[kind]), counts[kind] === 1));
  return named.join(", ") || t("thingsOf", count(sum(counts)));
}

/** How far an import is, counting new and known things. */
function soFar(line) {
  if (!line || !sum(line.imported) && !sum(line.already_there)) return t("reading");
  return things(Object.fromEntries(Object.keys(line.imported).map((kind) => [kind, line.imported[kind] + line.already_there[kind]])));
}

/** The import under way, or the last one, of this page. */
class Coming {
  file = null; // while it is under way
  line = null; // the last line that the server sent
  said = "";
  error = "";
  changed = () => {};

  set(fields) { Object.assign(this, fields); this.changed(); }

  async take(user, file) {
    if (this.file) return;
    this.stopping = new AbortController();
    this.set({ file, line: null, said: t("importing", file.name), error: "" });
    try {
      const body = { method: "POST", headers: { "content-type": TYPE }, body: file, signal: this.stopping.signal };
      for await (const line of lines(await request(path(["v1", "users", user, "import"], { from: "auto" }), body))) this.set({ line });
      const { problem } = this.line;
      if (problem === null) this.set({ said: t("imported", things(this.line.imported), count(sum(this.line.already_there))) });
      else this.set({ said: "", error: `${problem ? problem.detail.replace(/\.?$/, ".") : t("unreachable")} ${t("restLater")}` });
    } catch (error) {
      this.set(this.stopping.signal.aborted ? { said: t("importStopped") } : { said: "", error: told(error) });
    }
    this.set({ file: null });
  }

  stop() { this.stopping.abort(); }
}

const coming = new Coming();

export class Imports extends Component {
  state = { over: false };
  busy = Boolean(coming.file);

  componentDidMount() { coming.changed = () => this.setState({}); }
  componentDidUpdate() {
    if (this.busy === Boolean(coming.file)) return;
    this.busy = Boolean(coming.file);
    if (document.activeElement === document.body) this.base.querySelector(this.busy ? "button" : "input").focus(); // the focused element is gone
  }

  componentWillUnmount() { coming.changed = () => {}; }

  over = (event) => { event.preventDefault(); this.setState({ over: true }); };
  left = (event) => { if (!event.currentTarget.contains(event.relatedTarget)) this.setState({ over: false }); };
  dropped = (event) => { event.preventDefault(); this.setState({ over: false }); this.take(event.dataTransfer.files[0]); };
  take = (file) => { if (file) coming.take(this.props.user, file); };

  render({ user }, { over }) {
    const { file, line, said, error } = coming;
    const left = line?.left_out ?? [];
    return html`
      <section class="import" onDragOver=${this.over} onDragLeave=${this.left} onDrop=${this.dropped}>
        <h3>${t("importAll")}</h3><p class="soft">${t("importMore")}</p>
        <p class="bad" role="alert" hidden=${!error}>${error}</p>
        <label class=${over ? "drop over" : "drop"} hidden=${Boolean(file)}>${t("importButton")}
          <input type="file" accept=".zip,.json,.jsonl,.ndjson,.af" disabled=${!user} onChange=${(event) => { this.take(event.target.files[0]); event.target.value = ""; }} /></label>
        <p role="status">${said}</p>
        ${file && html`
          <div class="row">
            <progress aria-label=${file.name} max=${line?.size || 1} value=${line?.size ? line.read : undefined}></progress>
            <span class="soft">${soFar(line)}</span>
            <button type="button" onClick=${() => coming.stop()}>${t("stop")}</button>
          </div>`}
        ${left.length > 0 && html`
          <h4>${t("omitted")}</h4>
          <ul class="left-out">${left.map((one) => html`<li key=${one.reason}>${count(one.count)} · ${t("omissions")[one.reason] ?? one.reason}</li>`)}</ul>`}
      </section>`;
  }
}
