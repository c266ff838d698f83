"""What has become of what a message states? The facts by which others replaced it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from memory.collections import Collections
from utils.mongo import Document

LINKS = 20  # facts that may have followed one another
FIELDS = {"text": 1, "valid_to": 1, "superseded_by": 1, "sources": 1}


class Superseded:
    """Follows facts from those that a message supports to those in force."""

    def __init__(self, collections: Collections) -> None:
        self._facts = collections.facts

    async def by_messages(self, owner: str, ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """By the ids of messages, the facts in force that replaced what they state; nothing of one whose facts hold."""
        if not ids:
            return {}
        stated = {"user_id": owner, "sources": {"$in": list(ids)}}
        ended = [one for one in await self._facts.find(stated, FIELDS).to_list(None) if one["superseded_by"]]
        current = await self._current(owner, ended)
        found: defaultdict[str, list[str]] = defaultdict(list)
        for fact in ended:
            text = current.get(fact["_id"])
            for source in fact["sources"]:
                if text is not None and source in ids and text not in found[source]:
                    found[source].append(text)
        return found

    async def _current(self, owner: str, ended: Sequence[Document]) -> dict[str, str]:
        """By the `_id`s of facts that were replaced, the text of the one in force at the end of their chain."""
        ahead = {fact["_id"]: fact["superseded_by"] for fact in ended}
        texts: dict[str, str] = {}
        for _ in range(LINKS):
            if not ahead:
                break
            named = {"_id": {"$in": sorted(set(ahead.values()))}, "user_id": owner}
            known = {one["_id"]: one for one in await self._facts.find(named, FIELDS).to_list(None)}
            texts |= {
                start: known[at]["text"] for start, at in ahead.items() if at in known and known[at]["valid_to"] is None
            }
            ahead = {
                start: known[at]["superseded_by"]
                for start, at in ahead.items()
                if at in known and known[at]["superseded_by"] is not None
            }
        return texts
