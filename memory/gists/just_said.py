"""What this process stored that may not be in the recall index yet."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import datetime
from time import monotonic

from utils.mongo import Document

OWNERS = 2_000
PER_OWNER = 32  # newest messages of each
CHARACTERS = 8_000_000  # of all texts
SECONDS = 600.0  # by then a worker has embedded them, unless it has very much to do


class JustSaid:
    """Messages of the last minutes, so that a search sees them before a worker has embedded them."""

    def __init__(self) -> None:
        self._said: OrderedDict[str, OrderedDict[str, tuple[float, Document]]] = OrderedDict()  # oldest addition first
        self._characters = 0

    def add(self, owner: str, documents: Sequence[Document]) -> None:
        said = self._said.setdefault(owner, OrderedDict())
        self._said.move_to_end(owner)
        for document in documents[-PER_OWNER:]:
            self._remove(owner, document["_id"])
            said[document["_id"]] = (monotonic(), document)
            self._characters += len(document["content"])
        while len(said) > PER_OWNER:
            self._remove(owner, next(iter(said)))
        while len(self._said) > 1 and (len(self._said) > OWNERS or self._characters > CHARACTERS):
            self.forget(next(iter(self._said)))
        self._expire()

    def of(self, owner: str) -> list[Document]:
        """The owner's messages, oldest first."""
        self._expire()
        return [document for _, document in self._said.get(owner, {}).values()]

    def has(self, owner: str, key: str) -> bool:
        return key in self._said.get(owner, {})

    def drop(self, owner: str, deleted: Mapping[str, datetime]) -> None:
        """Lets go of messages that were deleted; not of those that were said again since."""
        for key, at in deleted.items():
            if self.has(owner, key) and self._said[owner][key][1]["created_at"] <= at:
                self._remove(owner, key)

    def let_go(self, owner: str, key: str) -> None:
        """Lets go of one message, which is not to be looked for any more."""
        self._remove(owner, key)

    def forget(self, owner: str) -> None:
        """Lets go of all that the owner said."""
        for key in list(self._said.get(owner, {})):
            self._remove(owner, key)
        self._said.pop(owner, None)

    def _expire(self) -> None:
        """Lets go of what is too old, those first to whom something was added longest ago."""
        end = monotonic() - SECONDS
        while self._said:
            owner, said = next(iter(self._said.items()))
            while said and next(iter(said.values()))[0] < end:
                self._remove(owner, next(iter(said)))
            if said:
                return
            del self._said[owner]

    def _remove(self, owner: str, key: str) -> None:
        if self.has(owner, key):
            _, document = self._said[owner].pop(key)
            self._characters -= len(document["content"])
