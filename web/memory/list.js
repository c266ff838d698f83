// A list that the server gives page by page, and the state of its view.
import { Component, html } from "../lib/view.js";
import { get, path, told } from "../lib/api.js";
import { t } from "../lib/text.js";

const PAGE = 50;

/** A button that reads again what failed. `refused`: for want of a key. */
export const Again = ({ refused, read }) => html`<button type="button" onClick=${read}>${t(refused ? "enterKey" : "sendAgain")}</button>`;

/** A part of a page that is read once, with its error and a way back. `from` reads it, `show` draws it. */
export class Read extends Component {
  componentDidMount() { this.read(); }
  read = () => this.props.from().then((found) => this.setState({ found, error: "" }), (error) => this.setState({ error: told(error), refused: error.status === 401 }));

  render({ show }, { found, error, refused }) {
    if (error) return html`<p class="bad" role="alert">${error}</p><${Again} refused=${refused} read=${this.read} />`;
    return found === undefined ? html`<p class="soft">${t("loading")}</p>` : show(found);
  }
}

/** A view of a list. `parts` and `parameters` say where it is read; what can be done to its items, `act` does. */
export class List extends Component {
  state = { items: null, cursor: null, error: "", said: "", chosen: new Set(), asked: null };

  get parts() { return []; }
  get parameters() { return {}; }

  componentDidMount() { this.read(); }

  async read(cursor = null) {
    try {
      const page = await get(path(this.parts, { ...this.parameters, limit: PAGE, cursor }));
      this.setState(({ items }) => ({ items: cursor === null ? page.items : [...items, ...page.items], cursor: page.next_cursor, error: "" }));
      return page;
    } catch (error) {
      this.setState({ error: told(error), refused: error.status === 401 });
      return null;
    }
  }

  /** Does something, then reads the list again. Shows the error, or what `said` makes of the result. */
  act = async (work, said = () => t("saved")) => {
    try {
      const done = await work();
      await this.read();
      this.setState({ said: said(done), error: "" });
    } catch (error) {
      this.setState({ error: told(error), said: "" }, () => document.querySelector("[role=alert].bad:not([hidden])")?.scrollIntoView({ block: "center" }));
    }
  };

  choose = (id) => this.setState(({ chosen }) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    return { chosen: next };
  });

  ask = (asked) => this.setState({ asked, said: "" });
  close = () => this.setState({ asked: null });

  notes() {
    const { error, said } = this.state;
    return html`
      <p class="bad" role="alert" hidden=${!error}>${error}</p>
      <p class="soft outcome" role="status">${said}</p>`;
  }

  /** The items, each drawn by `row`, and a button for more. */
  rows(row) {
    const { items, cursor, error, refused } = this.state;
    if (items === null && error) return html`<${Again} refused=${refused} read=${() => this.read()} />`;
    if (items === null) return html`<p class="soft">${t("loading")}</p>`;
    if (items.length === 0) return html`<p class="soft">${t("nothingYet")}</p>`;
    return html`
      <ul class="items">${items.map(row)}</ul>
      ${cursor !== null && html`<button type="button" onClick=${() => this.read(cursor)}>${t("more")}</button>`}`;
  }
}
