"""Which banks does this process have at hand? Read through: the store says each time which version is in force."""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime

from utils.clock import now
from utils.mongo import Document

MOST_BYTES = 32 * 1024 * 1024  # of texts, the least recently used going first


@dataclass(frozen=True)
class Cached:
    """A bank as it stood in the store at `since`. `size`: of its texts, in bytes of UTF-8."""

    bank: Document
    since: datetime
    size: int


class BankCache:
    """Texts of banks, by the `_id` of the bank, each with the version that it is of."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Cached] = OrderedDict()
        self._size = 0

    def get(self, head: Document) -> Cached | None:
        """A bank, where it is kept in the version that its head says."""
        kept = self._kept.get(head["_id"])
        if kept is None or (kept.bank["epoch"], kept.bank["version"]) != (head["epoch"], head["version"]):
            return None
        self._kept.move_to_end(head["_id"])
        return kept

    def put(self, bank: Document) -> Cached:
        """Keeps a bank; not in the place of a later version."""
        made = Cached(bank, now(), sum(len(file["text"].encode()) for file in bank["files"]))
        former = self._kept.get(bank["_id"])
        if former is not None and former.bank["epoch"] == bank["epoch"] and former.bank["version"] > bank["version"]:
            return made
        self.drop(bank["_id"])
        self._kept[bank["_id"]] = made
        self._size += made.size
        while self._size > MOST_BYTES and len(self._kept) > 1:
            self.drop(next(iter(self._kept)))
        return made

    def drop(self, key: str) -> None:
        kept = self._kept.pop(key, None)
        self._size -= kept.size if kept is not None else 0

    def let_go(self, owner: str) -> None:
        """Lets go of what is kept of an owner."""
        for key in [key for key, kept in self._kept.items() if kept.bank["user_id"] == owner]:
            self.drop(key)

    def every(self) -> list[Cached]:
        """All that is kept, for whoever looks for a fault."""
        return list(self._kept.values())
