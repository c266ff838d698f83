"""The transcript of a request: where it stands in its conversation, and which of the user's messages in it are new."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from agents.openai_chat import complains, kept_text, newest_user, storable
from agents.proxy.request import ProxyOptions
from memory.domain import Turn
from memory.engine import Engine
from memory.ids import derived_id, fingerprint
from memory.turns import Found, Stored
from utils.thoughts import without_thoughts

ANSWERING = ("assistant", "tool", "function")  # roles of messages by which a model has begun on the user's message
LONGEST_NAME = 200  # characters of who says something
LOOKED_AT = 40  # newest messages of a transcript


class Spoken(NamedTuple):
    """What is said in a transcript, as it is kept. `name`: that its client gives to who says it."""

    role: str
    text: str
    name: str = ""


@dataclass(frozen=True)
class News:
    """What the user says in a request. `newest`: the last message, which is asked about; empty where there is none.
    `is_new`: whether the conversation has it not; else the model goes on with it. `earlier`: new ones before it.
    `goes_on`: whether a model has begun on it. `found`: where the transcript stands in the conversation. `speaker`: who
    says the last message, where that is another than the user; in `earlier` others alone have names, too. `own`: the
    user's name there, to be noted; None where it is, or nobody has one."""

    newest: str = ""
    is_new: bool = False
    earlier: tuple[Spoken, ...] = ()
    goes_on: bool = False
    found: Found = field(default_factory=Found)
    speaker: str | None = None
    own: str | None = None

    @property
    def asked(self) -> Stored | None:
        """The last message, where the conversation has it."""
        return self.found.asked

    @property
    def follows(self) -> str | None:
        """What the first new message follows; None where the transcript does not say."""
        return None if self.found.after is None else self.found.after.id


def is_begun(messages: Sequence[Mapping[str, Any]], at: int) -> bool:
    """Whether a model has begun on a message: it has said something since, or its answer is complained about."""
    since = messages[at + 1 :]
    return any(one.get("role") in ANSWERING or complains(one) for one in since)


def said_before(messages: Sequence[Mapping[str, Any]], most: int | None = LOOKED_AT) -> list[Spoken]:
    """What the user and the assistant say in a transcript, but for what the assistant says beside a call of tools.
    `most`: so many of the newest; None for all."""
    spoken = [one for one in messages if one.get("role") in ("user", "assistant") and not one.get("tool_calls")]
    said = [_spoken(one) for one in (spoken if most is None else spoken[-most:])]
    return [one for one in said if one.text]


def _spoken(message: Mapping[str, Any]) -> Spoken:
    role, text, name = str(message.get("role")), kept_text(message.get("content")), message.get("name")
    text = without_thoughts(text) if role == "assistant" else text
    return Spoken(role, text, storable(name)[:LONGEST_NAME] if role == "user" and isinstance(name, str) else "")


async def news_of(engine: Engine, owner: str, session: str, messages: Sequence[Mapping[str, Any]]) -> News:
    """Which of the user's messages in a transcript are new: those behind the last one that the conversation has.

    Where it has none of them, all are, unless messages of it were deleted or put in other words: then those that were
    answered may be these, and stay away.
    """
    at = newest_user(messages)
    asked = _spoken(messages[at]) if at is not None else Spoken("user", "")
    if at is None or not asked.text:
        return News()
    goes_on = is_begun(messages, at)
    before = said_before(messages[:at])
    own, is_known = await _own_name(engine, owner, session, messages)
    found = await engine.chats.branches.find(
        owner, session, [(role, text) for role, text, _ in (*before, asked)], goes_on=goes_on
    )
    news = News(
        asked.text,
        is_new=found.asked is None,
        goes_on=goes_on,
        found=found,
        speaker=_others(asked, owner, own).name or None,
        own=None if is_known else own,
    )
    if found.asked is not None or not before:
        return news
    if found.known is not None:
        earlier = await _behind(engine, owner, session, before[found.known :])
    else:
        earlier = await _unknown(engine, owner, session, said_before(messages[:at], None))
    gone = (
        await engine.store.changes.deleted_prints(owner, [fingerprint(one.text) for one in earlier]) if earlier else ()
    )
    there = [one for one in earlier if fingerprint(one.text) not in gone]
    return replace(news, earlier=tuple(_others(one, owner, own) for one in there))


async def _own_name(
    engine: Engine, owner: str, session: str, messages: Sequence[Mapping[str, Any]]
) -> tuple[str | None, bool]:
    """The name that the user has in a conversation, and whether that is known there: the user's id or, where nobody has
    that for a name, whoever spoke first, maybe without one. Fronts that have one user may send that one's name. None
    where nobody has a name."""
    names = [_spoken(one).name for one in messages if one.get("role") == "user"]
    if not any(names):
        return None, True
    if (known := await engine.chats.sessions.user_name(owner, session)) is not None:
        return known, True
    return next((name for name in names if name.casefold() == owner.casefold()), names[0]), False


def _others(said: Spoken, owner: str, own: str | None) -> Spoken:
    """What is said, with the name of who says it where that is another than the user."""
    return said._replace(name="") if said.name == own or said.name.casefold() == owner.casefold() else said


async def _behind(engine: Engine, owner: str, session: str, rest: Sequence[Spoken]) -> list[Spoken]:
    """The user's messages in the rest of a transcript, behind what is known of it. Where messages of the conversation
    were deleted, those that were answered may be these, and stay away."""
    answered = max((at for at, one in enumerate(rest) if one.role == "assistant"), default=-1)
    if any(one.role == "user" for one in rest[:answered]) and await engine.chats.sessions.has_deletions(owner, session):
        rest = rest[answered + 1 :]
    return [one for one in rest if one.role == "user"]


async def _unknown(engine: Engine, owner: str, session: str, before: Sequence[Spoken]) -> list[Spoken]:
    """The user's messages in a transcript of which none of the newest is known, behind the last one that is."""
    stored, is_whole = await engine.chats.turns.among(owner, session, [one.text for one in before])
    number, known = Counter[tuple[str, str]](), -1
    for place, (role, text, _) in enumerate(before):
        number[role, text] += 1
        known = place if role == "user" and stored[role, text] >= number[role, text] else known
    if known < 0 and (not is_whole or any(stored[one.role, one.text] for one in before if one.role == "assistant")):
        known = max((place for place, one in enumerate(before) if one.role == "assistant"), default=-1)
    return [one for one in before[known + 1 :] if one.role == "user"]


async def keep_earlier(engine: Engine, owner: str, options: ProxyOptions, turn_id: str, news: News) -> str | None:
    """Commits the new messages before the newest one, which are answered no more; the id of the one that the newest
    follows."""
    if not news.earlier:
        return news.follows
    session = options.memory_id
    said, follows = list[Turn](), news.follows
    for number, (_, text, name) in enumerate(news.earlier):
        turn = options.said(derived_id(turn_id, session, str(number), text), text)
        said.append(replace(turn, follows=follows, name=name or None))
        follows = turn.id
    await engine.chats.turns.remember(owner, session, said)
    return follows
