"""What did this process store that may not be in the recall index yet?"""

from collections import OrderedDict
from collections.abc import Sequence
from time import monotonic

from utils.mongo import Document

OWNERS = 2_000
PER_OWNER = 32  # newest messages of each
SECONDS = 60.0  # by then a worker has embedded them


class JustSaid:
    """Messages of the last minute, so that a search sees them before a worker has embedded them."""

    def __init__(self) -> None:
        self._said: OrderedDict[str, OrderedDict[str, tuple[float, Document]]] = OrderedDict()

    def add(self, owner: str, documents: Sequence[Document]) -> None:
        said = self._said.setdefault(owner, OrderedDict())
        self._said.move_to_end(owner)
        for document in documents[-PER_OWNER:]:
            said[document["_id"]] = (monotonic(), document)
        while len(said) > PER_OWNER:
            said.popitem(last=False)
        while len(self._said) > OWNERS:
            self._said.popitem(last=False)

    def of(self, owner: str) -> list[Document]:
        """The owner's messages, oldest first."""
        said = self._said.get(owner)
        if said is None:
            return []
        while said and monotonic() - next(iter(said.values()))[0] > SECONDS:
            said.popitem(last=False)
        if not said:
            del self._said[owner]
        return [document for _, document in said.values()]
