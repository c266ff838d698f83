"""The transcript of a request: where it stands in its conversation, and which of the user's messages in it are new."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agents.openai_chat import complains, kept_text, newest_user, storable
from agents.proxy.request import ProxyOptions
from memory.domain import Turn
from memory.engine import Engine
from memory.ids import derived_id
from memory.turns import Found, Stored
from utils.thoughts import without_thoughts

ANSWERING = ("assistant", "tool", "function")  # roles of messages by which a model has begun on the user's message
LONGEST_NAME = 200  # characters of who says something
LOOKED_AT = 40  # newest messages of a transcript


@dataclass(frozen=True)
class News:
    """What the user says in a request. `newest`: the last message, which is asked about; empty where there is none.
    `is_new`: whether the conversation has it not; else the model goes on with it. `earlier`: new ones before it.
    `goes_on`: whether a model has begun on it. `found`: where the transcript stands in the conversation. `others`: by
    texts, the names of others who say them."""

    newest: str = ""
    is_new: bool = False
    earlier: tuple[str, ...] = ()
    goes_on: bool = False
    found: Found = field(default_factory=Found)
    others: Mapping[str, str] = field(default_factory=dict)

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


def said_before(messages: Sequence[Mapping[str, Any]], most: int | None = LOOKED_AT) -> list[tuple[str, str]]:
    """What the user and the assistant say in a transcript, as it is kept, but for what the assistant says beside a call
    of tools. `most`: so many of the newest; None for all."""
    spoken = [one for one in messages if one.get("role") in ("user", "assistant") and not one.get("tool_calls")]
    newest = spoken if most is None else spoken[-most:]
    texts = ((str(one.get("role")), kept_text(one.get("content"))) for one in newest)
    said = [(role, without_thoughts(text) if role == "assistant" else text) for role, text in texts]
    return [(role, text) for role, text in said if text]


async def news_of(engine: Engine, owner: str, session: str, messages: Sequence[Mapping[str, Any]]) -> News:
    """Which of the user's messages in a transcript are new: those behind the last one that the conversation has.

    Where it has none of them, all are, unless messages of it were deleted or put in other words: then those that were
    answered may be these, and stay away.
    """
    at = newest_user(messages)
    asked = kept_text(messages[at].get("content")) if at is not None else ""
    if at is None or not asked:
        return News()
    goes_on = is_begun(messages, at)
    before = said_before(messages[:at])
    found = await engine.chats.branches.find(owner, session, [*before, ("user", asked)], goes_on=goes_on)
    news = News(asked, is_new=found.asked is None, goes_on=goes_on, found=found, others=_others(messages, owner))
    if found.asked is not None or not before:
        return news
    if found.known is not None:
        return replace(news, earlier=await _behind(engine, owner, session, before[found.known :]))
    return replace(news, earlier=await _unknown(engine, owner, session, said_before(messages[:at], None)))


def _others(messages: Sequence[Mapping[str, Any]], owner: str) -> dict[str, str]:
    """By texts, the names under which others than the user speak in that role: others than the one who has the user's
    id for a name or, where nobody has, who speaks first. Fronts that have one user may send that one's name."""
    said = [one for one in messages if one.get("role") == "user"]
    names = [name if isinstance(name := one.get("name"), str) else "" for one in said]
    if not any(names):
        return {}
    own = next((name for name in names if name.casefold() == owner.casefold()), names[0])
    named = zip(said, map(storable, names), strict=True)
    return {kept_text(one.get("content")): name[:LONGEST_NAME] for one, name in named if name and name != own}


async def _behind(engine: Engine, owner: str, session: str, rest: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The user's messages in the rest of a transcript, behind what is known of it. Where some of the conversation was
    deleted, those that were answered may be these, and stay away."""
    answered = max((at for at, (role, _) in enumerate(rest) if role == "assistant"), default=-1)
    if any(role == "user" for role, _ in rest[:answered]):
        place = await engine.chats.places.place(owner, session)
        rest = rest if place is None or place.is_whole else rest[answered + 1 :]
    return tuple(text for role, text in rest if role == "user")


async def _unknown(engine: Engine, owner: str, session: str, before: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The user's messages in a transcript of which none of the newest is known, behind the last one that is."""
    stored, is_whole = await engine.chats.turns.among(owner, session, [text for _, text in before])
    number, known = Counter[tuple[str, str]](), -1
    for place, line in enumerate(before):
        number[line] += 1
        known = place if line[0] == "user" and stored[line] >= number[line] else known
    if known < 0 and (not is_whole or any(stored[line] for line in before if line[0] == "assistant")):
        known = max((place for place, (role, _) in enumerate(before) if role == "assistant"), default=-1)
    return tuple(text for role, text in before[known + 1 :] if role == "user")


async def keep_earlier(engine: Engine, owner: str, options: ProxyOptions, turn_id: str, news: News) -> str | None:
    """Commits the new messages before the newest one, which are answered no more; the id of the one that the newest
    follows."""
    if not news.earlier:
        return news.follows
    session = options.memory_id
    said, follows = list[Turn](), news.follows
    for number, text in enumerate(news.earlier):
        turn = options.said(derived_id(turn_id, session, str(number), text), text)
        said.append(replace(turn, follows=follows, name=news.others.get(text)))
        follows = turn.id
    await engine.chats.turns.remember(owner, session, said)
    return follows
