"""What tests of the core and the agents say to it."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from agents.chat.context import ChatRequest
from agents.memory import Memory
from agents.upkeep import Work
from config.recipes import SEARCH, Recipe
from memory.domain import Role, Turn
from memory.gists.gists import TEXT
from memory.ids import new_id
from memory.recall.ranking import Scope

START = datetime(2025, 3, 1, 12, tzinfo=UTC)
USER = "ann"
UNKNOWN = "I don't know that yet"  # how an answer by rules begins where memory has none


class Silent:
    """A nudge that nobody hears: work is done when the test says so."""

    def __call__(self, *works: Work) -> None: ...


def turn(identifier: str, content: str = "", role: Role = "user", **more: Any) -> Turn:
    """A message; those of later ids were said later where the id ends in a number."""
    digits = "".join(character for character in identifier if character.isdigit())
    said = at_minute(int(digits or 0))
    return Turn(identifier, role, content or f"message {identifier}", **{"timestamp": said, **more})


def at_minute(number: int) -> datetime:
    """A moment of the day on which messages are said."""
    return START + timedelta(minutes=number)


def pairs(count: int, first: int = 0) -> list[Turn]:
    """Questions and answers, alternating."""
    return [
        turn(f"{role}{number}", f"{role} says something of item number {number}", role)
        for number in range(first, first + count)
        for role in ("user", "assistant")
    ]


def request(query: str, session_id: str = "s1", **more: Any) -> ChatRequest:
    return ChatRequest(**{"query": query, "owner": USER, "session_id": session_id, "turn_id": new_id(), **more})


async def say(memory: Memory, *queries: str, session_id: str = "s1", **more: Any) -> str:
    """Says one thing after the other, each one embedded before the next; returns the last answer."""
    text = ""
    for query in queries:
        text = (await memory.chat(request(query, session_id, **more))).answer.text
        await settle(memory)
    return text


async def settle(memory: Memory, seconds: float = 60) -> None:
    """Returns when nothing waits for its embedding and no summary is due."""
    vectors = memory.engine.store.collections.vectors

    async def embedded() -> bool:
        await memory.engine.gists.queue.work()
        return await vectors.find_one({"embed.state": {"$in": ["pending", "leased"]}}) is None

    await until(embedded, seconds)
    await memory.engine.chats.summaries.work()


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = 60) -> None:
    """Returns when the condition holds."""
    async with asyncio.timeout(seconds):
        while not await condition():  # noqa: ASYNC110 - what is waited for happens elsewhere
            await asyncio.sleep(0.01)


async def messages(memory: Memory, session_id: str = "s1", owner: str = USER) -> list[dict[str, Any]]:
    """What is stored of a session, in order."""
    own = {"user_id": owner, "session_id": session_id, "message_index": {"$gte": 0}}
    found = memory.engine.store.collections.vectors.find(own, TEXT)
    return await found.sort("message_index", 1).to_list(None)


async def found(memory: Memory, query: str, recipe: Recipe = SEARCH, owner: str = USER, **scope: Any) -> list[str]:
    """The ids of what a search finds, best first. `scope`: as `Scope` has it."""
    return [hit.gist.id for hit in (await memory.search(owner, query, recipe, Scope(**scope))).hits]


async def told(memory: Memory, *said: tuple[str, str], role: Role = "user") -> None:
    """Each with its day."""
    turns = [
        Turn(f"m{at}", role, text, datetime.fromisoformat(day).replace(hour=9, tzinfo=UTC))
        for at, (day, text) in enumerate(said)
    ]
    await memory.add(USER, "before", turns, wait=True)
