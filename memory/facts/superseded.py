"""What has become of what a message states: the facts that replaced it, or nothing where it ended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from memory.domain import Gist
from memory.gists import GistReader
from memory.store import Changes, Collections, NotesCache
from utils.coalesce import Coalescer
from utils.mongo import Document

LINKS = 20  # facts that may have followed one another
MOST = 1_000  # facts of a user of which it is kept in memory which messages state them
FIELDS = {"valid_to": 1, "superseded_by": 1, "sources": 1, "history.event": 1, "history.other": 1}


@dataclass(frozen=True)
class _Stating:
    """The ids of messages that state facts in force, and of those whose facts have a history: some ended, or may have
    replaced others."""

    holding: frozenset[str]
    changed: frozenset[str]


class Superseded:
    """Follows facts from those that a message supports to those in force."""

    def __init__(self, collections: Collections, changes: Changes, gists: GistReader) -> None:
        self._facts = collections.facts
        self.stating = NotesCache(changes, self._stating, "facts")
        self._stated: Coalescer[tuple[str, frozenset[str]], list[Document]] = Coalescer(self._read)
        self._gists = gists

    async def by_messages(self, owner: str, ids: Sequence[str]) -> Mapping[str, Sequence[Gist]]:
        """By the ids of messages, the facts in force that replaced what they state, as they are recalled; none for one
        of which nothing holds any more. Messages whose facts hold are left out."""
        return await self._with_gists(owner, await self._by_messages(owner, ids))

    async def holding(self, owner: str, ids: Sequence[str]) -> dict[str, list[Gist]]:
        """By the ids of messages, among those given, of which something holds: the facts that do."""
        stated = await self._stated.get((owner, frozenset(ids)))
        found: dict[str, list[str]] = {}
        for fact in stated:
            for source in fact["sources"] if fact["valid_to"] is None else ():
                if source in ids:
                    found.setdefault(source, []).append(fact["_id"])
        return await self._with_gists(owner, found)

    async def undecided(self, owner: str, ids: Sequence[str]) -> dict[str, frozenset[str]]:
        """By the ids of messages of which something holds, those among them that state what the fact of that one may
        have replaced, where both are in force."""
        stating = await self.stating.get(owner)
        if stating is not None and stating.changed.isdisjoint(ids):
            return dict.fromkeys(stating.holding.intersection(ids), frozenset())
        stated = await self._stated.get((owner, frozenset(ids)))
        sources = {fact["_id"]: fact["sources"] for fact in stated if fact["valid_to"] is None}
        found: dict[str, frozenset[str]] = dict.fromkeys(_holding(stated), frozenset())
        for fact in stated:
            others = _others(fact) & sources.keys()
            for source in sources.get(fact["_id"], ()) if others else ():
                found[source] = found[source].union(*(sources[other] for other in others))
        return found

    async def sources(self, owner: str, facts: Sequence[str]) -> dict[str, frozenset[str]]:
        """By the ids of facts, those of the messages that state them."""
        found = await self._facts.find({"user_id": owner, "_id": {"$in": list(facts)}}, FIELDS).to_list(None)
        return {fact["_id"]: frozenset(fact["sources"]) for fact in found}

    async def _with_gists(self, owner: str, found: Mapping[str, Sequence[str]]) -> dict[str, list[Gist]]:
        keys = list(dict.fromkeys(key for facts in found.values() for key in facts))
        gists = {gist.key: gist for gist in await self._gists.by_ids(owner, keys)}
        return {message_id: [gists[key] for key in facts if key in gists] for message_id, facts in found.items()}

    async def _by_messages(self, owner: str, ids: Sequence[str]) -> dict[str, list[str]]:
        stating = await self.stating.get(owner)
        if not ids or (stating is not None and stating.changed.isdisjoint(ids)):
            return {}
        stated = await self._stated.get((owner, frozenset(ids)))
        current = await self._current(owner, [fact for fact in stated if fact["superseded_by"]])
        holds = _holding(stated)
        found: dict[str, list[str]] = {}
        for fact in stated:
            if fact["valid_to"] is None:
                continue
            last = current.get(fact["_id"])
            for source in fact["sources"]:
                if source in ids and (last is not None or source not in holds):
                    facts = found.setdefault(source, [])
                    facts += [last] if last is not None and last not in facts else []
        return found

    async def _stating(self, owner: str) -> _Stating | None:
        """Of all the owner's facts; None where they are too many."""
        facts = await self._facts.find({"user_id": owner}, FIELDS).limit(MOST + 1).to_list(None)
        if len(facts) > MOST:
            return None
        changed = (fact["sources"] for fact in facts if fact["valid_to"] is not None or _others(fact))
        return _Stating(_holding(facts), frozenset(chain.from_iterable(changed)))

    async def _read(self, wanted: Sequence[tuple[str, frozenset[str]]]) -> list[list[Document]]:
        """The facts that messages state, for each of several owners."""
        either = [{"user_id": owner, "sources": {"$in": list(ids)}} for owner, ids in wanted]
        stated = await self._facts.find({"$or": either}, FIELDS | {"user_id": 1}).to_list(None)
        return [
            [fact for fact in stated if fact["user_id"] == owner and not ids.isdisjoint(fact["sources"])]
            for owner, ids in wanted
        ]

    async def _current(self, owner: str, ended: Sequence[Document]) -> dict[str, str]:
        """By the `_id`s of facts that were replaced, the one in force at the end of their chain."""
        ahead = {fact["_id"]: fact["superseded_by"] for fact in ended}
        last: dict[str, str] = {}
        for _ in range(LINKS):
            if not ahead:
                break
            named = {"_id": {"$in": sorted(set(ahead.values()))}, "user_id": owner}
            known = {fact["_id"]: fact for fact in await self._facts.find(named, FIELDS).to_list(None)}
            last |= {start: at for start, at in ahead.items() if at in known and known[at]["valid_to"] is None}
            ahead = {
                start: known[at]["superseded_by"]
                for start, at in ahead.items()
                if at in known and known[at]["superseded_by"] is not None
            }
        return last


def _others(fact: Document) -> set[str]:
    """The facts that one may have replaced when it was added."""
    return {event["other"] for event in fact["history"] if event["event"] == "ADD" and event.get("other") is not None}


def _holding(facts: Sequence[Document]) -> frozenset[str]:
    """The ids of the messages that state those facts that are in force."""
    return frozenset(source for fact in facts if fact["valid_to"] is None for source in fact["sources"])
