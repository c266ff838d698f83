"""What did a batch of an import come to, and how is it taken back?"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.portable.record import Kind, Record


async def nothing() -> None:
    """Takes back nothing, where nothing landed."""


@dataclass(frozen=True)
class Landed:
    """`imported`: how many records are new; the others of the batch are there already. `take_back`: deletes these, and
    nothing else; to be called where a deletion came between."""

    kind: Kind
    imported: int
    there: int
    take_back: Callable[[], Awaitable[object]] = nothing


class Taker(Protocol):
    """Takes records of some kinds into one user's memory."""

    def check(self, record: Record) -> None:
        """Raises `InvalidInput` where a record does not fit to those before it. Called for each, in order."""

    async def take(self, records: Sequence[Record]) -> Landed:
        """Takes in some records of one kind."""

    async def close(self) -> None:
        """After the last record, or where none come any more; once or more often."""
