"""The transcript of a request: which of the user's messages in it are new to the conversation."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.openai_chat import kept_text, newest_user
from agents.proxy.request import ProxyOptions
from memory.engine import Engine
from memory.ids import derived_id

ANSWERING = ("assistant", "tool", "function")  # roles of messages by which a model has begun on the user's message


@dataclass(frozen=True)
class News:
    """What the user says in a request. `newest`: the last message, which is asked about; empty where there is none.
    `is_new`: whether the conversation has it not; else the model goes on with it. `earlier`: new ones before it."""

    newest: str = ""
    is_new: bool = False
    earlier: tuple[str, ...] = ()


async def news_of(engine: Engine, owner: str, session: str, messages: Sequence[Mapping[str, Any]]) -> News:
    """Which of the user's messages in a transcript are new: those behind the last one that the conversation has.

    Where it has none of them, all are, unless messages of it were deleted or put in other words: then those that were
    answered may be these, and stay away.
    """
    at = newest_user(messages)
    if at is None:
        return News()
    roles = [message.get("role") for message in messages]
    asked = [place for place in range(at + 1) if roles[place] == "user"]
    texts = [kept_text(messages[place].get("content")) for place in asked]
    goes_on = any(role in ANSWERING for role in roles[at + 1 :])
    if len(asked) == 1 and not goes_on:
        return News(texts[0], is_new=True)
    turns = engine.chats.turns
    if not goes_on and await turns.newest_of_user(owner, session) == texts[-2]:
        return News(texts[-1], is_new=True)
    answers = [kept_text(message.get("content")) for message in messages[:at] if message.get("role") == "assistant"]
    stored, is_whole = await turns.among(owner, session, [*texts, *answers])
    number = Counter[str]()
    known = -1
    for place, text in enumerate(texts if goes_on else texts[:-1]):
        number[text] += 1
        known = place if stored["user", text] >= number[text] else known
    if known < 0 and (not is_whole or any(stored["assistant", text] for text in answers if text)):
        answered = max((place for place in range(at) if roles[place] in ANSWERING), default=-1)
        known = sum(place < answered for place in asked) - 1
    return News(texts[-1], is_new=known < len(texts) - 1, earlier=tuple(filter(None, texts[known + 1 : -1])))


async def keep_earlier(engine: Engine, owner: str, options: ProxyOptions, turn_id: str, news: News) -> None:
    """Commits the new messages before the newest one, which are answered no more."""
    if not news.earlier:
        return
    session = options.memory_id
    said = [
        options.said(derived_id(turn_id, session, str(number), text), text) for number, text in enumerate(news.earlier)
    ]
    await engine.chats.turns.remember(owner, session, said)
