"""The system that is measured: anything that takes messages and finds them again."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from bench.recall.corpus import Message


class Found(NamedTuple):
    """A message that a search returned, and how well it suits."""

    id: str
    score: float


class System(Protocol):
    """A memory of many owners. Ids of messages and sessions are unique among all of them."""

    @property
    def description(self) -> str:
        """What it is, in a line of a report."""

    async def add(self, owner: str, session: str, messages: Sequence[Message]) -> None:
        """Returns when a search finds them."""

    async def search(self, owner: str, query: str, top_k: int) -> list[Found]:
        """The owner's messages that suit a query, best first."""

    async def forget(self, owner: str) -> None:
        """Deletes everything of an owner."""
