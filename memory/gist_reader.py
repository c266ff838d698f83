"""How are single gists read by id? Those of concurrent requests in one call."""

from collections.abc import Collection as Ids
from collections.abc import Sequence

from memory.collections import Collections
from memory.domain import Gist
from memory.gists import gist_of
from memory.ids import scoped
from utils.coalesce import Coalescer


class GistReader:
    def __init__(self, collections: Collections) -> None:
        self._vectors = collections.vectors
        self._reads: Coalescer[tuple[str, frozenset[str]], dict[str, Gist]] = Coalescer(self._read)

    async def by_keys(self, owner: str, keys: Ids[str]) -> dict[str, Gist]:
        """The owner's gists of these `_id`s; those that are gone, or another's, are left out."""
        return await self._reads.get((owner, frozenset(keys))) if keys else {}

    async def by_ids(self, owner: str, ids: Sequence[str]) -> list[Gist]:
        """The owner's gists of these ids, in their order; those that are gone are left out."""
        found = {gist.id: gist for gist in (await self.by_keys(owner, ids)).values()}
        missing = [identifier for identifier in ids if identifier not in found]
        if missing:
            others = await self.by_keys(owner, [scoped(identifier, owner) for identifier in missing])
            found |= {gist.id: gist for gist in others.values()}
        return [found[identifier] for identifier in ids if identifier in found]

    async def _read(self, wanted: Sequence[tuple[str, frozenset[str]]]) -> list[dict[str, Gist]]:
        every = set[str]().union(*(keys for _, keys in wanted))
        documents = await self._vectors.find({"_id": {"$in": list(every)}}, {"embedding": 0}).to_list(None)
        by_key = {document["_id"]: document for document in documents}
        return [
            {key: gist_of(by_key[key]) for key in keys if key in by_key and by_key[key]["user_id"] == owner}
            for owner, keys in wanted
        ]
