// The tree of a conversation: versions of a message follow the same one, and one line through them is shown.
export class Tree {
  constructor(messages) {
    this.messages = messages;
    this.byId = new Map(messages.filter((one) => one.id !== undefined).map((one) => [one.id, one]));
    this.followers = Map.groupBy(messages.filter((one) => one.follows !== undefined), (one) => one.follows);
  }

  /** The messages that follow one; all but one of them are branches. */
  versionsOf(follows) { return this.followers.get(follows) ?? []; }

  /** The line of the conversation. Where `taken` has a branch instead of what follows a message, that branch is shown from there on. */
  line(taken) {
    const line = [];
    const branch = (follows) => {
      const one = this.byId.get(taken.get(follows));
      return one?.branch ? this.from(one, taken) : null;
    };
    for (const one of this.messages) {
      if (one.branch) continue;
      const other = branch(line.length ? line.at(-1).id : one.follows);
      if (other) return [...line, ...other];
      line.push(one);
    }
    return [...line, ...(branch(line.length ? line.at(-1).id : null) ?? [])];
  }

  /** A message with what followed it: of several versions the one in `taken`, else the newest. */
  from(first, taken) {
    const line = new Set();
    for (let one = first; one && !line.has(one);) {
      line.add(one);
      const next = this.versionsOf(one.id);
      const id = taken.get(one.id);
      one = next.find((each) => each.id === id) ?? next.at(-1);
    }
    return [...line];
  }

  /** What is to be taken for a message to be shown; null where something between it and the line is not here. */
  pathTo(id) {
    const taken = new Map();
    let one = this.byId.get(id);
    while (one?.branch) {
      taken.set(one.follows, one.id);
      if (one.follows === null) return taken;
      one = this.byId.get(one.follows);
    }
    return one ? taken : null;
  }
}
