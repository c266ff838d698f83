// The tree of a conversation. Versions of a message follow the same message; the page shows one line through the tree.
export class Tree {
  constructor(messages) {
    this.messages = messages;
    this.byId = new Map(messages.filter((one) => one.id !== undefined).map((one) => [one.id, one]));
    this.followers = Map.groupBy(messages.filter((one) => one.follows !== undefined), (one) => one.follows);
  }

  /** The messages that follow one; all but one of them are branches. */
  versionsOf(follows) { return this.followers.get(follows) ?? []; }

  /** The line to show. Where `taken` names a branch behind a message, the line goes on with that branch. */
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

  /** A message and what followed it. Of several versions it takes the one in `taken`, or the newest. */
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

  /** The versions to take so that a message is shown; null if messages between it and the line are missing. */
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
