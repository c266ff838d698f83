"""What tests of banks do with the bank of a project."""

from typing import Any

from agents.memory import Memory
from config.recipes import SEARCH
from memory.banks.bank import Bank
from memory.recall.ranking import Scope
from tests.conversations import USER


async def begun(memory: Memory, name: str = "loci", owner: str = USER) -> Bank:
    return await memory.activate(owner, "project", name, None, "A chat backend")


async def update(memory: Memory, content: str, name: str = "loci", **more: Any) -> Any:
    return await memory.update(USER, "project", name, content, **more)


async def content(memory: Memory, name: str = "loci") -> str:
    return "\n".join((await memory.engine.library.banks.get(USER, "project", name)).content.values())


async def found(
    memory: Memory, query: str, kinds: tuple[str, ...] | None = ("section",), owner: str = USER
) -> list[str]:
    recall = await memory.search(owner, query, SEARCH, Scope(kinds=kinds))
    return [hit.gist.content for hit in recall.hits]
