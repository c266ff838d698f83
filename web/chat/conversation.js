// A conversation as the page holds it: its messages, the answers under way in it, and how it goes on.
import { events, get, patch, path, post, request, told } from "../lib/api.js";
import { t, timezone } from "../lib/text.js";
import { OPTIONS } from "./kept.js";

const PAGE = 30; // messages read at once: of more, drawing holds up a reader who scrolls
const AROUND = 20; // messages shown before the one that is looked for
const LATER = 2_000; // milliseconds until an answer that another process gives is looked for again

export class Conversation {
  /** `changed`: told whenever something is to be shown anew. `settings`: of a chat that has not begun yet. */
  constructor(id, changed, settings = {}) {
    this.id = id;
    this.changed = changed;
    this.title = "";
    this.project = settings.project ?? null;
    this.instructions = "";
    this.temporary = settings.temporary ?? false;
    this.paused = settings.paused ?? false; // nothing that is said is kept, for the user wants it so
    this.useMemory = true;
    this.model = "";
    Object.assign(this, id ? JSON.parse(localStorage.getItem(OPTIONS + id) || "{}") : {});
    this.messages = [];
    this.hasOlder = this.hasNewer = false;
    this.loading = false;
    this.error = "";
    this.turn = null; // the `turn_id` of the answer under way
    this.stopped = false;
    this.taken = new Map(); // of versions of a message, the one that is looked at, by what they follow
  }

  /** What is shown: the line of the conversation, or from a version on that is looked at, what followed that. */
  get shown() {
    const shown = this._line();
    this.last = shown.at(-1);
    return shown;
  }

  _line() {
    const shown = [];
    for (const one of this.messages) {
      if (one.branch) continue;
      const taken = this.taken.get(one.follows);
      if (taken && taken !== one.id) return [...shown, ...this._from(taken)];
      shown.push(one);
    }
    return shown;
  }

  _from(id) {
    const line = [];
    for (let one = this.messages.find((each) => each.id === id); one && !line.includes(one); ) {
      line.push(one);
      const next = this.versionsOf(one.id);
      one = next.find((each) => each.id === this.taken.get(line.at(-1).id)) || next.at(-1);
    }
    return line;
  }

  /** The messages that follow one, of which all but one are branches. */
  versionsOf(follows) {
    if (follows === undefined) return [];
    if (this.grouped !== this.messages) {
      this.grouped = this.messages;
      this.followers = Map.groupBy(this.messages.filter((one) => one.follows !== undefined), (one) => one.follows);
    }
    return this.followers.get(follows) ?? [];
  }

  /** Whether a message of the user's is the last that is shown, and no answer to it is under way. */
  isUnanswered(one) { return one.role === "user" && one.id !== undefined && one === this.last; }

  /** The message of the user's that an answer answers, where that is here. */
  promptOf(answer) {
    if (answer.id === undefined) return this.messages[this.messages.indexOf(answer) - 1];
    return this.messages.find((one) => one.role === "user" && one.id !== undefined && one.id === answer.follows);
  }

  take(one) {
    this.taken.set(one.follows, one.id);
    this.changed();
  }

  /** Keeps what the server does not know of a chat, in this browser. */
  keepOptions() {
    const { useMemory, model } = this;
    if (this.id && !this.temporary) localStorage.setItem(OPTIONS + this.id, JSON.stringify({ useMemory, model }));
  }

  get address() { return ["v1", "sessions", this.id]; }
  get isKept() { return !this.temporary && !this.paused; }
  get isAnswering() { return this.messages.some((one) => one.waiting); }

  /** Reads it, with its newest messages or those around one, and follows the answer that is under way. */
  async open(around = null) {
    await this._reading(async () => {
      const isAfter = around > AROUND;
      const [session] = await Promise.all([
        get(path(this.address)), around === null ? this._read("desc", null) : this._read("asc", isAfter ? around - AROUND - 1 : null),
      ]);
      Object.assign(this, { title: session.title, project: session.project, instructions: session.instructions || "" });
      if (around !== null) this.hasOlder = isAfter;
      for (const turn of session.answering) this._follow(turn);
    });
  }

  older() { return this._reading(() => this._read("desc", this.messages[0].index)); }
  newer() { return this._reading(() => this._read("asc", this.messages.findLast((one) => one.index !== undefined).index)); }

  /** What could not be read, once more. */
  again() {
    if (!this.messages.some((one) => one.index !== undefined)) return this.open();
    return this.hasNewer ? this.newer() : this.older();
  }

  async _reading(work) {
    if (this.loading) return;
    this.loading = true;
    this.changed();
    try {
      await work();
      this.error = "";
    } catch (error) {
      this.error = told(error);
    }
    this.loading = false;
    this.changed();
  }

  async _read(order, cursor) {
    const page = await get(path([...this.address, "messages"], { order, cursor, limit: PAGE }));
    const read = page.items.map(messageOf);
    if (order === "desc") {
      this.messages = [...read.reverse(), ...this.messages];
      this.hasOlder = page.next_cursor !== null;
    } else {
      const known = this.messages.filter((one) => one.index !== undefined);
      this.messages = [...known, ...read, ...this.messages.filter((one) => one.index === undefined)];
      this.hasNewer = page.next_cursor !== null;
    }
  }

  /** Sends a message, and shows the answer as it comes. `begun`: told once it has an id. `insteadOf`: the message whose place it
   * takes, which is asked again where it says the same. */
  async ask(query, images, begun, insteadOf = null, key = crypto.randomUUID()) {
    const shown = this.shown;
    const before = insteadOf ? shown.slice(0, shown.indexOf(insteadOf)) : shown;
    const isAgain = insteadOf?.content === query;
    const mine = isAgain ? insteadOf : {
      key, role: "user", content: query, images, timestamp: new Date().toISOString(), follows: insteadOf?.follows ?? before.at(-1)?.id ?? null, insteadOf,
    };
    const answer = { key: crypto.randomUUID(), role: "assistant", content: "", timestamp: new Date().toISOString(), waiting: true, follows: mine.id };
    const follows = !insteadOf && before.at(-1)?.branch ? before.at(-1).id : null;
    this._turnTo(isAgain ? [...before, mine] : before);
    this.messages = [...this.messages, ...(isAgain ? [] : [mine]), answer];
    if (insteadOf) this.hasNewer = false;
    this.error = "";
    this.stopped = false;
    this.changed();
    const history = before.filter((one) => one.content).map(({ role, content }) => ({ role, content }));
    const json = {
      query, stream: true, detached: true, use_memory: this.useMemory,
      ...timezone(),
      ...(images.length ? { images } : {}),
      ...(this.model ? { model: this.model } : {}),
      ...(this.project ? { project: this.project } : {}),
      ...(this.isKept ? {} : { history }),
      ...(this.temporary ? { temporary: true, ...(this.instructions ? { instructions: this.instructions } : {}) }
        : this.id ? { session_id: this.id, ...(this.isKept && insteadOf?.id ? { instead_of: insteadOf.id } : {}), ...(this.isKept && follows ? { follows } : {}) } : {}),
    };
    try {
      const response = await request("query", { method: "POST", json, headers: { "idempotency-key": key } });
      await this._take(response, answer, (meta) => {
        if (!isAgain) Object.assign(mine, { turn: meta.turn_id, id: this.isKept ? `${meta.turn_id}.prompt` : undefined, unsent: false });
        answer.follows = mine.id;
        if (this.stopped) this.stop();
        if (this.isKept && !this.id) { this.id = meta.session_id; this.keepOptions(); begun(this); }
      });
    } catch (error) {
      this._fail(answer, this.stopped ? "" : told(error));
      if (!answer.content && !answer.turn && !isAgain) mine.unsent = true;
    }
    this._end(answer);
  }

  /** Has what comes follow these messages; what else there is leaves the line, as the server has it. */
  _turnTo(line) {
    const kept = new Set(line);
    if (!this.isKept) this.messages = line;
    for (const one of this.messages) one.branch = kept.has(one) ? null : one.branch || "left";
    this.taken.clear();
  }

  /** Sends a message that did not arrive once more: the server knows it by its key. */
  resend(one, begun) {
    const at = this.messages.indexOf(one);
    this.messages = this.messages.filter((each, place) => place !== at && !(place === at + 1 && each.role === "assistant"));
    return this.ask(one.content, one.images, begun, one.insteadOf, one.key);
  }

  /** Has a message, of whichever chat, recalled for other answers or no more. */
  async setRecalled(session, id, recalled) {
    await patch(path(["v1", "sessions", session, "messages", id]), { recalled });
    for (const one of this.messages) if (one.id === id && this.id === session) Object.assign(one, { recalled, decided: true });
    this.changed();
  }

  /** Ends the answer under way; what came of it stays. */
  async stop() {
    this.stopped = true; // which is done once its turn is known
    if (this.turn !== null) await post(path(["v1", "answers", this.turn, "stop"]), {}).catch(() => {}); // it has ended by itself
  }

  /** Shows an answer that was under way before it was opened here. */
  async _follow(turn) {
    const known = this.messages.find((one) => one.turn === turn && one.role === "assistant");
    if (known) return;
    const prompt = this.messages.find((one) => one.id === `${turn}.prompt`) ?? this.messages.findLast((one) => one.role === "user" && !one.branch);
    const answer = { key: crypto.randomUUID(), role: "assistant", content: "", timestamp: new Date().toISOString(), waiting: true, turn, follows: prompt?.id };
    this.messages = [...this.messages, answer];
    this.turn = turn;
    this.stopped = false;
    try {
      await this._take(await request(path(["v1", "answers", turn])), answer, () => {});
      if (!answer.done) await this._kept(answer); // another process gave it
    } catch (error) {
      if (error.status === 404) await this._kept(answer);
      else this._fail(answer, told(error));
    }
    this._end(answer);
  }

  async _kept(answer) {
    for (let tries = 0; tries < 30; tries++) {
      const page = await get(path([...this.address, "messages"], { order: "desc", limit: 10 }));
      const found = page.items.find((one) => one.turn_id === answer.turn && one.role === "assistant");
      if (found) return Object.assign(answer, messageOf(found), { key: answer.key });
      await new Promise((resolve) => { setTimeout(resolve, LATER); });
    }
  }

  async _take(response, answer, begun) {
    for await (const { event, data } of events(response)) {
      if (event === "meta") {
        this.turn = answer.turn = data.turn_id;
        this.paused = data.paused ?? false;
        if (this.isKept) answer.id = `${data.turn_id}.response`;
        begun(data);
      }
      if (event === "delta") answer.content += data.text;
      if (event === "done") {
        Object.assign(answer, { content: data.response, fallback: data.fallback, model: data.model, done: true });
      }
      if (event === "error") { this._fail(answer, this.stopped ? "" : data.detail); answer.done = true; }
      this.changed();
    }
    if (!answer.done && !this.stopped && response.url.endsWith("/query")) this._fail(answer, t("brokeOff"));
  }

  _fail(answer, reason) {
    answer.interrupted = Boolean(answer.content);
    answer.error = reason;
  }

  _end(answer) {
    answer.waiting = false;
    answer.version = (answer.version || 0) + 1;
    if (!answer.content && !answer.error) this.messages = this.messages.filter((one) => one !== answer);
    this.turn = null;
    this.changed();
  }
}

function messageOf(one) {
  return {
    key: one.id, id: one.id, role: one.role, name: one.name, content: one.content, timestamp: one.timestamp,
    index: one.message_index, follows: one.follows, branch: one.branch, turn: one.turn_id, model: one.model, interrupted: one.interrupted,
    pictures: one.images, recalled: one.recalled,
  };
}
