// The list of sessions, newest first, as the sidebar holds it: read page by page, of one project or all, by title.
import { get, path, patch, remove, told } from "../lib/api.js";
import { forgetChats } from "../lib/kept.js";
import { search } from "../lib/messages.js";

const PAGE = 60;
const FOUND = 8; // messages that a search shows beside titles

export class Sessions {
  constructor(changed) {
    this.changed = changed;
    this.items = [];
    this.found = []; // messages that a search found
    this.projects = [];
    this.query = "";
    this.project = null;
    this.cursor = null;
    this.error = "";
    this.asked = 0; // counts requests for a list; the answer to an earlier one is dropped
  }

  async read() {
    const mine = ++this.asked;
    const about = { q: this.query, project: this.project };
    try {
      const [page, found] = await Promise.all([
        get(path(["v1", "sessions"], { limit: PAGE, ...about })),
        this.query ? this._search() : [],
      ]);
      if (mine !== this.asked) return;
      Object.assign(this, { items: page.items, cursor: page.next_cursor, found, error: "", refused: false });
    } catch (error) {
      if (mine === this.asked) Object.assign(this, { error: told(error), refused: error.status === 401 });
    }
    this.changed();
  }

  /** Reads all that the sidebar shows. */
  async begin() {
    await this.read();
    if (!this.error) await this.readProjects();
  }

  async more() {
    if (this.cursor === null || this.reading) return;
    this.reading = true;
    const mine = this.asked;
    const about = { q: this.query, project: this.project, cursor: this.cursor };
    try {
      const page = await get(path(["v1", "sessions"], { limit: PAGE, ...about }));
      if (mine === this.asked) Object.assign(this, { items: [...this.items, ...page.items], cursor: page.next_cursor });
    } catch (error) {
      if (mine === this.asked) this.error = told(error);
    }
    this.reading = false;
    this.changed();
  }

  async readProjects() {
    const page = await get(path(["v1", "projects"], { limit: 100 }));
    this.projects = page.items;
    this.changed();
  }

  /** Reads the projects again if this one is not among them. */
  know(project) {
    if (project && !this.projects.some((one) => one.name === project)) this.readProjects();
  }

  async _search() {
    return (await search(this.query, FOUND, this.project)).filter((one) => one.kind === "turn");
  }

  async rename(id, title) {
    const session = await patch(path(["v1", "sessions", id]), { title });
    this.items = this.items.map((one) => (one.id === id ? session : one));
    this.changed();
  }

  async delete(id) {
    await remove(path(["v1", "sessions", id]));
    forgetChats(id);
    this.items = this.items.filter((one) => one.id !== id);
    this.changed();
  }
}
