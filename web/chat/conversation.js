// A conversation as the page holds it: its messages, the answer under way in it, and how it goes on.
import { events, get, newId, patch, path, post, request, told } from "../lib/api.js";
import { t, timezone } from "../lib/text.js";
import { OPTIONS } from "../lib/kept.js";
import { imagesAlong } from "./images.js";
import { Tree } from "./tree.js";

const PAGE = 30; // messages read at once; drawing more would hold up a reader who scrolls
const AROUND = 20; // messages shown above the one that a link names
const AGAIN = 2_000; // milliseconds before the page looks for a lost answer again, each time longer
const SELDOM = 16_000; // the longest

export class Conversation {
  /** `changed` is called whenever there is something new to show. `settings` are those of a new chat. */
  constructor(id, changed, settings = {}) {
    this.id = id;
    this.changed = changed;
    this.title = "";
    this.project = settings.project ?? null;
    this.instructions = "";
    this.temporary = settings.temporary ?? false;
    this.paused = settings.paused ?? false; // the user has paused remembering, so nothing that is said is kept
    this.useMemory = true;
    this.model = "";
    const { taken, ...options } = id ? JSON.parse(localStorage.getItem(OPTIONS + id) || "{}") : {};
    Object.assign(this, options);
    this.messages = [];
    this.isRead = !id; // whether its project and instructions are known
    this.hasOlder = this.hasNewer = false;
    this.loading = false;
    this.error = "";
    this.sought = null; // the message that the chat was opened at
    this.turn = null; // the `turn_id` of the answer under way
    this.stopped = false;
    this.taken = new Map(taken); // the versions that the reader has turned to, by the message before them
  }

  get tree() {
    if (this._tree?.messages !== this.messages) this._tree = new Tree(this.messages);
    return this._tree;
  }

  /** The messages to show. An answer under way stands behind the newest message, so it waits until that is here. */
  get shown() {
    const line = this.tree.line(this.taken);
    return this.hasNewer ? line.filter((one) => one.index !== undefined) : line;
  }

  versionsOf(follows) { return this.tree.versionsOf(follows); }

  /** The user's message behind an answer, if the page has it. */
  promptOf(answer) { return this.tree.byId.get(answer.follows) ?? answer.prompt; }

  take(one) {
    this.taken.set(one.follows, one.id);
    this.keepOptions();
    this.changed();
  }

  /** Keeps the settings of a chat that the server does not store, in this browser. */
  keepOptions() {
    const { useMemory, model, taken } = this;
    if (this.id && !this.temporary) localStorage.setItem(OPTIONS + this.id, JSON.stringify({ useMemory, model, taken: [...taken] }));
  }

  get address() { return ["v1", "sessions", this.id]; }
  get isKept() { return !this.temporary && !this.paused; }
  get isAnswering() { return this.messages.some((one) => one.waiting); }

  /** Reads it, with its newest messages or those around one, and follows the answer that is under way. */
  async open(message = null) {
    this.sought = message;
    await this._reading(async () => {
      const index = message === null ? null : await this._indexOf(message);
      const isAfter = index > AROUND;
      const [session] = await Promise.all([
        get(path(this.address)), index === null ? this._read("desc", null) : this._read("asc", isAfter ? index - AROUND - 1 : null),
      ]);
      Object.assign(this, { title: session.title, project: session.project, instructions: session.instructions || "", isRead: true });
      if (index !== null) this.hasOlder = isAfter;
      for (const turn of session.answering) this._follow(turn);
      if (index !== null) await this._turnTo(message);
    });
  }

  /** Lets go of a message of a chat that was deleted, and reads anew what else changed with it, if it is here. */
  async letGo(session, id) {
    if (session !== this.id) return;
    const before = new Map(this.messages.map((one) => [one.id, one]));
    await this._reading(async () => {
      const [{ title }] = await Promise.all([get(path(this.address)), this._read("desc", null)]);
      Object.assign(this, { title, messages: this.messages.filter((one) => one.id !== id) });
      for (const one of this.messages) {
        const { key = one.key, images } = before.get(one.id) ?? one;
        Object.assign(one, { key, images }); // what is open under a message stays open
      }
    });
  }

  /** The place of a message in the chat; null if it has none yet. */
  async _indexOf(message) {
    try {
      const { message_index: index } = await get(path([...this.address, "messages", message]));
      return index >= 0 ? index : null;
    } catch (error) {
      if (error.status !== 404) throw error;
      this.sought = null;
      throw new Error(t("messageGone"));
    }
  }

  /** Turns to the branch that a message stands in. */
  async _turnTo(message) {
    while (this.tree.byId.has(message) && this.tree.pathTo(message) === null && this.hasOlder) await this._read("desc", this.messages[0].index);
    this.taken = this.tree.pathTo(message) ?? this.taken;
  }

  older() { return this._reading(() => this._read("desc", this.messages[0].index)); }
  newer() { return this._reading(() => this._read("asc", this.messages.findLast((one) => one.index !== undefined).index)); }

  /** Tries to read what failed. */
  again() {
    if (!this.isRead || !this.messages.some((one) => one.index !== undefined)) return this.open(this.sought);
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
    const ids = new Set(read.map((one) => one.id));
    const here = this.messages.filter((one) => !ids.has(one.id));
    if (order === "desc") {
      this.messages = [...read.reverse(), ...here];
      this.hasOlder = page.next_cursor !== null;
    } else {
      this.messages = [...here.filter((one) => one.index !== undefined), ...read, ...here.filter((one) => one.index === undefined)];
      this.hasNewer = page.next_cursor !== null;
    }
    this._attach();
  }

  /** Reads the images that a message came with, and returns whether they are here. There may be fewer: earlier versions of the server kept none. */
  async readImages(one) {
    if (!one.pictures || one.images) return true;
    one.reading ??= get(path([...this.address, "images", one.id])).then(({ images }) => ({ images, unread: "" }), (error) => ({ unread: told(error) }));
    const read = await one.reading;
    one.reading = null;
    this._set(one, read);
    for (const answer of this.messages) if (answer.follows === one.id) this._set(answer, {}); // whether they offer Retry depends on them
    this.changed();
    return !read.unread;
  }

  /** Sends a message and shows the answer as it comes. Calls `begun` once a new chat has an id. The message takes the place of
   * `insteadOf`; if both say and show the same, the server answers that one again. */
  async ask(query, images, begun, insteadOf = null, key = newId()) {
    const shown = this.shown;
    const before = insteadOf ? shown.slice(0, Math.max(shown.indexOf(insteadOf), 0)) : shown;
    const isAgain = insteadOf?.content === query && insteadOf.images === images;
    const json = this._question(query, isAgain && this.isKept ? null : images ?? [], before, insteadOf);
    const prompt = isAgain ? insteadOf : {
      key, role: "user", content: query, timestamp: new Date().toISOString(), insteadOf,
      follows: this.isKept ? insteadOf?.follows ?? before.findLast((one) => one.id !== undefined)?.id ?? null : undefined,
    };
    this._set(prompt, { images });
    const answer = newAnswer({ prompt, follows: prompt.id });
    this._leaveLine(isAgain ? [...before, prompt] : before);
    this.messages = [...this.messages, ...(isAgain ? [] : [prompt]), answer];
    this.hasNewer = false;
    this.error = "";
    this.stopped = false;
    this.changed();
    try {
      const response = await request("query", { method: "POST", json, headers: { "idempotency-key": key } });
      await this._listen(answer, response, (meta) => this._begin(prompt, answer, meta, isAgain, begun));
    } catch (error) {
      this._fail(answer, this.stopped ? "" : told(error));
    }
    if (!answer.content && !answer.turn && !isAgain) this._set(prompt, { unsent: true });
    this._end(answer);
  }

  /** The body of the request for an answer. `images`: null for those of the message that is asked again. `before`: the messages that the
   * question follows. */
  _question(query, images, before, insteadOf) {
    const last = before.at(-1);
    const along = imagesAlong(before, images ?? []);
    const names = this.id && this.isKept;
    return {
      query, images, stream: true, detached: true, use_memory: this.useMemory, ...timezone(),
      model: this.model || null, project: this.project, temporary: this.temporary, session_id: this.temporary ? null : this.id,
      history: this.isKept ? null : before.filter((one) => one.content).map((one) => ({ role: one.role, content: one.content, images: along.get(one) })),
      instructions: (!this.id && this.instructions) || null,
      instead_of: (names && insteadOf?.id) || null,
      follows: (names && !insteadOf && last?.branch && last.id) || null,
    };
  }

  /** Notes the ids that the server gave a message, its answer, and a new chat. */
  _begin(prompt, answer, meta, isAgain, begun) {
    if (!isAgain) this._set(prompt, { turn: meta.turn_id, id: this.isKept ? `${meta.turn_id}.prompt` : undefined, unsent: false });
    this._set(answer, { follows: prompt.id });
    this.messages = [...this.messages]; // the tree knows messages by their ids
    if (this.stopped) this.stop();
    if (!this.isKept || this.id) return;
    this.id = meta.session_id;
    this.keepOptions();
    if (this.instructions) patch(path(this.address), { instructions: this.instructions }).catch((error) => { this.error = told(error); this.changed(); });
    begun(this);
  }

  /** Leaves all messages that are not in `line` behind, as the server does. */
  _leaveLine(line) {
    const kept = new Set(line);
    if (!this.isKept) this.messages = line;
    for (const one of this.messages) one.branch = kept.has(one) ? null : one.branch || "left";
    this.taken.clear();
    this.keepOptions();
  }

  /** Sends a message again that did not arrive, or an edited one in its place. The key tells the server that it is the same. */
  resend(one, begun, query = one.content, images = one.images) {
    const isSame = query === one.content && images === one.images;
    this.messages = this.messages.filter((each) => each !== one && each.prompt !== one);
    return this.ask(query, images, begun, one.insteadOf, isSame ? one.key : newId());
  }

  /** Sets whether other answers may recall a message of any chat. */
  async setRecalled(session, id, recalled) {
    await patch(path(["v1", "sessions", session, "messages", id]), { recalled });
    for (const one of this.messages) if (one.id === id && this.id === session) this._set(one, { recalled, decided: true });
    this.changed();
  }

  /** Stops the answer under way and keeps what has come. Before its turn is known, `_begin` stops it. */
  async stop() {
    this.stopped = true;
    this.wake?.();
    if (this.turn !== null) await post(path(["v1", "answers", this.turn, "stop"]), {}).catch(() => {}); // it has ended by itself
  }

  /** Shows an answer that was under way before it was opened here. */
  async _follow(turn) {
    if (this.messages.some((one) => one.turn === turn && one.role === "assistant")) return;
    const answer = newAnswer({ turn, id: `${turn}.response` });
    this.messages = [...this.messages, answer];
    this._attach();
    this.turn = turn;
    this.stopped = false;
    await this._listen(answer);
    this._end(answer);
  }

  /** Puts an answer under way behind its message. A message that was asked again has another turn: then it is the newest one. */
  _attach() {
    if (this.hasNewer) return;
    for (const one of this.messages.filter((each) => each.waiting && each.follows === undefined && !each.prompt)) {
      const prompt = this.tree.byId.get(`${one.turn}.prompt`) ?? this.messages.findLast((each) => each.role === "user" && !each.branch);
      this._set(one, { follows: prompt?.id });
    }
    this.messages = [...this.messages];
  }

  /** Reads an answer to its end, however often the connection breaks. `response`: the one to begin with. */
  async _listen(answer, response = null, begun = () => {}) {
    for (let tries = 0; ; tries++) {
      try {
        await this._take(response ?? await request(path(["v1", "answers", answer.turn])), answer, begun);
        if (answer.done) return;
        if (!answer.turn) throw new Error(t("brokeOff"));
      } catch (error) {
        if (!answer.turn || !mayPass(error)) return this._fail(answer, this.stopped ? "" : told(error));
        if (error.status === 404 && !this.isKept) return this._fail(answer, t("brokeOff"));
      }
      if (await this._isOver(answer)) return;
      if (this.stopped) return this._fail(answer, "");
      response = null;
      if (tries === 0) continue;
      this._set(answer, { error: t("reconnecting") });
      this.changed();
      await new Promise((resolve) => { this.wake = resolve; setTimeout(resolve, Math.min(AGAIN * tries, SELDOM)); });
      if (this.stopped) return this._fail(answer, "");
    }
  }

  /** Looks whether a lost answer has ended, and shows the one that the server kept. */
  async _isOver(answer) {
    if (!this.isKept || !this.id) return false;
    try {
      const { answering } = await get(path(this.address));
      const kept = await get(path([...this.address, "messages", `${answer.turn}.response`])).catch((error) => { if (error.status !== 404) throw error; });
      if (kept) this._set(answer, { ...messageOf(kept), key: answer.key, index: undefined, error: "", done: true });
      else if (!answering.includes(answer.turn)) this._fail(answer, this.stopped ? "" : t("brokeOff"));
      else return false;
      return true;
    } catch (error) {
      if (mayPass(error) && error.status !== 404) return false;
      this._fail(answer, error.status === 404 ? t("brokeOff") : told(error)); // the chat is deleted
      return true;
    }
  }

  /** Reads a response, which always tells the answer from its beginning. */
  async _take(response, answer, begun) {
    let text = "";
    for await (const { event, data } of events(response)) {
      if (event === "meta") {
        this.turn = data.turn_id;
        this.paused = data.paused ?? false;
        this._set(answer, { turn: data.turn_id, id: this.isKept ? `${data.turn_id}.response` : undefined });
        begun(data);
      }
      if (event === "delta") text += data.text;
      if (event === "done") this._set(answer, { content: data.response, fallback: data.fallback, model: data.model, cites: data.citations.map((one) => one.n), done: true });
      else if (event === "error") { this._fail(answer, this.stopped ? "" : data.detail); answer.done = true; }
      else this._set(answer, { error: "", content: text.length > answer.content.length ? text : answer.content });
      this.changed();
    }
  }

  _fail(answer, error) { this._set(answer, { interrupted: Boolean(answer.content), error }); }

  _end(answer) {
    this._set(answer, { waiting: false });
    if (!answer.content && !answer.error) this.messages = this.messages.filter((one) => one !== answer);
    if (this.turn === answer.turn) this.turn = null;
    this.changed();
  }

  /** Changes a message; its `version` tells the view to draw it again. */
  _set(one, fields) { Object.assign(one, fields, { version: (one.version ?? 0) + 1 }); }
}

/** Whether a request may succeed later: the server was out of reach, is starting, or does not know the answer yet. */
const mayPass = (error) => error instanceof TypeError || error.status === 404 || error.status >= 500;

const newAnswer = (fields) => ({ key: newId(), role: "assistant", content: "", timestamp: new Date().toISOString(), waiting: true, ...fields });

function messageOf(one) {
  return {
    key: one.id, id: one.id, role: one.role, name: one.name, content: one.content, timestamp: one.timestamp,
    index: one.message_index, follows: one.follows, branch: one.branch, turn: one.turn_id, model: one.model, interrupted: one.interrupted,
    cites: one.cites, pictures: one.images, recalled: one.recalled,
  };
}
