"""Messages of a conversation as its line has them: which follows which, and where a transcript stands among them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.ids import fingerprint
from utils.mongo import Document

BEGINNING = ""  # as `follows` of a message that takes the first one's place
COMPARED = 1_000  # messages, newest first, by which a transcript is told
Line = tuple[str, str]  # role and text of a message

FIELDS = dict.fromkeys(
    ("id", "role", "message_index", "turn_id", "follows", "branch", "again", "fingerprint", "timestamp"), 1
)


@dataclass(frozen=True)
class Stored:
    """A message of a conversation, but for its text, of which `print` is the fingerprint. `own_turn`: the exchange that
    it is of; `turn_id`: that which answers it now, and `reply` the place of its answer, where that is not the next."""

    key: str
    id: str
    role: str
    index: int
    print: str
    timestamp: datetime
    own_turn: str | None = None
    turn_id: str | None = None
    reply: int = -1
    follows: str | None = None
    branch: str | None = None


class Tree:
    """Messages of a conversation, each with the one that it follows, as far as that is among them."""

    def __init__(self, messages: Sequence[Stored]) -> None:
        self._by_id = {one.id: one for one in messages}
        self._by_place = {one.index: one for one in messages}
        self._prompts = {one.own_turn: one for one in messages if one.role == "user" and one.own_turn is not None}

    def before(self, message: Stored) -> Stored | None:
        if message.follows is not None:
            return self._by_id.get(message.follows)
        if message.role == "assistant" and message.own_turn in self._prompts:
            return self._prompts[message.own_turn]
        return self._by_place.get(message.index - 1)

    def is_behind(self, message: Stored, ends: Sequence[Stored]) -> bool:
        """Whether a message follows one of these."""
        before = self.before(message)
        if before is not None:
            return any(before.key == one.key for one in ends)
        return any(message.follows == one.id or message.index - 1 == one.index for one in ends)

    def reach(self, message: Stored, prints: Sequence[Line], at: int) -> int:
        """How many messages of a transcript, up to a place in it, lead to a message as they stand here. An answer in
        other words is passed over."""
        reached, current = 0, message if at >= 0 else None
        while current is not None and at >= 0:
            role, mark = prints[at]
            at -= 1
            if (current.role, current.print) == (role, mark):
                reached += 1
            elif role != "assistant":
                break
            elif current.role == "user":  # the client has an answer that was replaced, beside the one that stands here
                continue
            current = self.before(current)
        return reached


def ends_line(newest: Sequence[Stored], prints: Sequence[Line]) -> bool:
    """Whether a transcript goes on behind the newest messages of a line, newest first. False, too, where they may be
    others that say the same."""
    asked = prints[-1]
    told = list(reversed(prints[:-1]))
    at = next((at for at, (role, _) in enumerate(told) if role == "user"), None)
    if at is None:
        return False
    answers = [one for one in newest[:1] if one.role == "assistant"]
    prompt = newest[len(answers)] if len(newest) > len(answers) else None
    if prompt is None or (prompt.role, prompt.print) != told[at] or told[at] == asked:
        return False
    return not at or (bool(answers) and (answers[0].role, answers[0].print) == told[0])


def behind(end: Stored | None, later: Sequence[Stored]) -> list[Stored]:
    """Those of a line's later messages of which transcripts have told that they lead to its end, None for its
    beginning."""
    ids = {BEGINNING if end is None else end.id}
    turns = {end.own_turn} if end is not None and end.role == "user" else set[str | None]()
    behind: list[Stored] = []
    for message in later:
        answers = message.role == "assistant" and message.follows is None and message.own_turn is not None
        if message.follows in ids or (answers and message.own_turn in turns):
            behind.append(message)
            ids.add(message.id)
            turns |= {message.own_turn} if message.role == "user" else set()
    return behind


def beside(index: int) -> list[int]:
    """The places of the exchange before the one whose prompt is at a place, and that."""
    return [at for at in (index - 2, index - 1, index) if at >= 0]


def is_asked_twice(prompt: Stored, there: Mapping[int, Stored]) -> bool:
    """Whether the exchange before a prompt has the same one, by a client's transcript too, that is in the line and had
    no answer when it came."""
    first, answer = there.get(prompt.index - 2), there.get(prompt.index - 1)
    if first is None or first.branch is not None or first.role != "user":
        return False
    if (first.print, first.follows) != (prompt.print, prompt.follows):
        return False
    return prompt.print != fingerprint("") and (answer is None or answer.timestamp > prompt.timestamp)


def is_answer(message: Stored, prompt: Stored) -> bool:
    """Whether a message answers a prompt."""
    own = message.own_turn is not None and message.own_turn == prompt.own_turn
    return message.role == "assistant" and (message.follows == prompt.id or (own and message.follows is None))


def stored(document: Document) -> Stored:
    again = document.get("again") or {}
    return Stored(
        key=document["_id"],
        id=document["id"],
        role=document["role"],
        index=document["message_index"],
        print=document.get("fingerprint") or fingerprint(document.get("content", "")),
        timestamp=document["timestamp"],
        own_turn=document.get("turn_id"),
        turn_id=again.get("turn_id") or document.get("turn_id"),
        reply=again.get("index", -1),
        follows=document.get("follows"),
        branch=document.get("branch"),
    )
