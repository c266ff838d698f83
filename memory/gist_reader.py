"""How are single gists read by id? Those of concurrent requests in one call, and those just said from memory."""

from collections import OrderedDict
from collections.abc import Collection as Ids
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic

from memory.changes import Changes, Standing
from memory.collections import Collections
from memory.domain import Gist
from memory.gists import TEXT, gist_of
from memory.ids import scoped
from utils.coalesce import Coalescer

OWNERS = 1_000  # users of whom gists are kept, the least recently used going first
PER_OWNER = 200  # gists kept of each, the oldest going first
SECONDS = 30.0


@dataclass(frozen=True)
class _Kept:
    """A user's gists, as they stood when the user's last deletion was `version`."""

    version: tuple[str, int]
    since: float = field(default_factory=monotonic)
    gists: dict[str, Gist] = field(default_factory=dict)

    def add(self, gist: Gist) -> None:
        self.gists[gist.key] = gist
        if len(self.gists) > PER_OWNER:
            del self.gists[next(iter(self.gists))]


class GistReader:
    """A gist does not change but by being deleted or overwritten, and both take a number as a deletion: what is kept
    holds for as long as the owner's last deletion is the same, and for `SECONDS` for the sake of those who edit by
    hand."""

    def __init__(self, collections: Collections, changes: Changes) -> None:
        self._vectors = collections.vectors
        self._changes = changes
        self._reads: Coalescer[tuple[str, frozenset[str]], dict[str, Gist]] = Coalescer(self._read)
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    async def by_keys(self, owner: str, keys: Ids[str]) -> dict[str, Gist]:
        """The owner's gists of these `_id`s as they stand in the store; those that are gone, or another's, are left
        out."""
        return await self._reads.get((owner, frozenset(keys))) if keys else {}

    async def by_ids(self, owner: str, ids: Sequence[str]) -> list[Gist]:
        """The owner's gists of these ids, in their order, from memory where they are kept; those that are gone are
        left out."""
        if not ids:
            return []
        kept = self._kept_at(owner, await self._changes.standing(owner))
        found = {identifier: kept.gists[identifier] for identifier in ids if identifier in kept.gists}
        read = await self.by_keys(owner, [identifier for identifier in ids if identifier not in found])
        for gist in read.values():
            kept.add(gist)
            found[gist.id] = gist
        missing = [identifier for identifier in ids if identifier not in found]
        if missing:
            others = await self.by_keys(owner, [scoped(identifier, owner) for identifier in missing])
            found |= {gist.id: gist for gist in others.values()}
        return [found[identifier] for identifier in ids if identifier in found]

    def put(self, owner: str, gist: Gist) -> None:
        """Takes a gist that was just stored, where the owner's are kept."""
        if owner in self._kept:
            self._kept[owner].add(gist)

    def _kept_at(self, owner: str, standing: Standing | None) -> _Kept:
        """What is kept of the owner; something that nobody keeps while a deletion may be under way."""
        if standing is None or standing.deleted > standing.settled:
            self._kept.pop(owner, None)
            return _Kept(("", 0))
        version = (standing.epoch, standing.deleted)
        kept = self._kept.get(owner)
        if kept is None or kept.version != version or monotonic() - kept.since > SECONDS:
            kept = self._kept[owner] = _Kept(version)
        self._kept.move_to_end(owner)
        if len(self._kept) > OWNERS:
            self._kept.popitem(last=False)
        return kept

    async def _read(self, wanted: Sequence[tuple[str, frozenset[str]]]) -> list[dict[str, Gist]]:
        every = set[str]().union(*(keys for _, keys in wanted))
        documents = await self._vectors.find({"_id": {"$in": list(every)}}, TEXT).to_list(None)
        by_key = {document["_id"]: document for document in documents}
        return [
            {key: gist_of(by_key[key]) for key in keys if key in by_key and by_key[key]["user_id"] == owner}
            for owner, keys in wanted
        ]
