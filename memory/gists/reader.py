"""What a process has of gists at hand: those just said, which no index has yet, and those read by id, of concurrent
requests in one call."""

from collections import OrderedDict
from collections.abc import Collection as Ids
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic

from memory.domain import Gist
from memory.gists.gists import TEXT, gist_of
from memory.ids import scoped
from memory.store import Changes, Collections, Standing
from utils.coalesce import Coalescer
from utils.mongo import Document

OWNERS = 2_000  # of whom is kept what they just said
JUST_SAID = 32  # newest messages of each
JUST_SAID_CHARACTERS = 8_000_000  # of all their texts
JUST_SAID_SECONDS = 600.0  # by then a worker has embedded them, unless it has very much to do

PER_OWNER = 4_000  # gists kept of a user, the oldest going first
CHARACTERS = 16_000_000  # kept of all users' gists, the least recently used user's going first
FRAME = 500  # characters that a gist without a text counts for
SECONDS = 30.0


class JustSaid:
    """Messages of the last minutes, so that a search sees them before a worker has embedded them."""

    def __init__(self) -> None:
        self._said: OrderedDict[str, OrderedDict[str, tuple[float, Document]]] = OrderedDict()  # oldest addition first
        self._characters = 0

    def add(self, owner: str, documents: Sequence[Document]) -> None:
        said = self._said.setdefault(owner, OrderedDict())
        self._said.move_to_end(owner)
        for document in documents[-JUST_SAID:]:
            self.let_go(owner, document["_id"])
            said[document["_id"]] = (monotonic(), document)
            self._characters += len(document["content"])
        while len(said) > JUST_SAID:
            self.let_go(owner, next(iter(said)))
        while len(self._said) > 1 and (len(self._said) > OWNERS or self._characters > JUST_SAID_CHARACTERS):
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
                self.let_go(owner, key)

    def forget(self, owner: str) -> None:
        """Lets go of all that the owner said."""
        for key in list(self._said.get(owner, {})):
            self.let_go(owner, key)
        self._said.pop(owner, None)

    def _expire(self) -> None:
        """Lets go of what is too old, those first to whom something was added longest ago."""
        end = monotonic() - JUST_SAID_SECONDS
        while self._said:
            owner, said = next(iter(self._said.items()))
            while said and next(iter(said.values()))[0] < end:
                self.let_go(owner, next(iter(said)))
            if said:
                return
            del self._said[owner]

    def let_go(self, owner: str, key: str) -> None:
        """Lets go of one message, which is not to be looked for any more."""
        if self.has(owner, key):
            _, document = self._said[owner].pop(key)
            self._characters -= len(document["content"])


@dataclass(frozen=True)
class _Kept:
    """A user's gists, as they stood when the user's last deletion was `version`."""

    version: tuple[str, int]
    since: float = field(default_factory=monotonic)
    gists: dict[str, Gist] = field(default_factory=dict)
    keys: dict[tuple[str, int], str] = field(default_factory=dict)  # of messages, by session and place

    def add(self, gist: Gist) -> int:
        """Returns by how many characters it grew, or shrank."""
        grown = _size(gist) - self._remove(gist.key)
        self.gists[gist.key] = gist
        if gist.message_index >= 0:
            self.keys[gist.session_id, gist.message_index] = gist.key
        if len(self.gists) > PER_OWNER:
            grown -= self._remove(next(iter(self.gists)))
        return grown

    @property
    def size(self) -> int:
        return sum(map(_size, self.gists.values()))

    def _remove(self, key: str) -> int:
        gist = self.gists.pop(key, None)
        if gist is None:
            return 0
        self.keys.pop((gist.session_id, gist.message_index), None)
        return _size(gist)


def _size(gist: Gist) -> int:
    return len(gist.content) + FRAME


class GistReader:
    """A gist does not change but by being deleted or overwritten, and both take a number as a deletion: what is kept
    holds for as long as the owner's last deletion is the same, and for `SECONDS` for the sake of those who edit by
    hand."""

    def __init__(self, collections: Collections, changes: Changes) -> None:
        self._vectors = collections.vectors
        self._changes = changes
        self._reads: Coalescer[tuple[str, frozenset[str]], dict[str, Gist]] = Coalescer(self._read)
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._size = 0  # characters of all the gists kept

    async def by_keys(self, owner: str, keys: Ids[str], standing: Standing | None) -> dict[str, Gist]:
        """The owner's gists of these `_id`s, from memory where they are kept; those that are gone, or another's, are
        left out. `standing`: the owner's, as it was just read."""
        kept = self._kept_at(owner, standing)
        found = {key: kept.gists[key] for key in keys if key in kept.gists}
        read = await self._stored(owner, [key for key in keys if key not in found])
        self._keep(owner, kept, read.values())
        return found | read

    async def by_ids(self, owner: str, ids: Sequence[str]) -> list[Gist]:
        """The owner's gists of these ids, in their order, from memory where they are kept; those that are gone are
        left out."""
        if not ids:
            return []
        read = await self.by_keys(owner, ids, await self._changes.standing(owner))
        found = {gist.id: gist for gist in read.values()}
        missing = [identifier for identifier in ids if identifier not in found]
        if missing:
            others = await self._stored(owner, [scoped(identifier, owner) for identifier in missing])
            found |= {gist.id: gist for gist in others.values()}
        return [found[identifier] for identifier in ids if identifier in found]

    async def at_places(self, owner: str, places: Mapping[str, Ids[int]]) -> list[Gist]:
        """The owner's messages at places of sessions, from memory where they are kept; those that are gone are left
        out."""
        kept = self._kept_at(owner, await self._changes.standing(owner))
        named = [(session, place) for session, at in places.items() for place in at]
        found = [kept.gists[kept.keys[one]] for one in named if one in kept.keys]
        missing: dict[str, list[int]] = {}
        for session, place in named:
            if (session, place) not in kept.keys:
                missing.setdefault(session, []).append(place)
        if not missing:
            return found
        either = [
            {"user_id": owner, "session_id": session, "message_index": {"$in": sorted(at)}}
            for session, at in missing.items()
        ]
        filter = either[0] if len(either) == 1 else {"$or": either}
        read = self._vectors.find(filter, TEXT).batch_size(len(named))
        gists = [gist_of(document) for document in await read.to_list(None)]
        self._keep(owner, kept, gists)
        return found + gists

    def put(self, owner: str, gist: Gist) -> None:
        """Takes a gist that was just stored, where the owner's are kept."""
        if owner in self._kept:
            self._keep(owner, self._kept[owner], [gist])

    def drop(self, owner: str, deleted: Iterable[str]) -> None:
        """Lets go of the owner's gists, whichever were deleted."""
        self.forget(owner)

    def forget(self, owner: str) -> None:
        """Lets go of the owner's gists. A deletion by another process is seen at the next reading; one by this process
        need not wait for it."""
        kept = self._kept.pop(owner, None)
        self._size -= kept.size if kept is not None else 0

    async def _stored(self, owner: str, keys: Ids[str]) -> dict[str, Gist]:
        return await self._reads.get((owner, frozenset(keys))) if keys else {}

    def _kept_at(self, owner: str, standing: Standing | None) -> _Kept:
        """What is kept of the owner; something that nobody keeps while a deletion may be under way."""
        if standing is None or standing.deleted > standing.settled:
            self.forget(owner)
            return _Kept(("", 0))
        version = (standing.epoch, standing.deleted)
        kept = self._kept.get(owner)
        if kept is None or kept.version != version or monotonic() - kept.since > SECONDS:
            self.forget(owner)
            kept = self._kept[owner] = _Kept(version)
        self._kept.move_to_end(owner)
        return kept

    def _keep(self, owner: str, kept: _Kept, gists: Iterable[Gist]) -> None:
        if self._kept.get(owner) is not kept:
            return
        self._size += sum(map(kept.add, gists))
        while self._size > CHARACTERS:
            self.forget(next(iter(self._kept)))

    async def _read(self, wanted: Sequence[tuple[str, frozenset[str]]]) -> list[dict[str, Gist]]:
        every = set[str]().union(*(keys for _, keys in wanted))
        documents = await self._vectors.find({"_id": {"$in": list(every)}}, TEXT).to_list(None)
        by_key = {document["_id"]: document for document in documents}
        return [
            {key: gist_of(by_key[key]) for key in keys if key in by_key and by_key[key]["user_id"] == owner}
            for owner, keys in wanted
        ]
