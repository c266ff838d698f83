"""Chains of facts that replaced each other, of which one at most is in force.

Facts that replaced each other are a chain: `supersedes` names what a fact was made to replace, `superseded_by` what did
replace it. At any moment, now or in the past, at most one of a chain is in force.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Link:
    """A fact in its chain. `undid`: the fact that lost its force for this one when something was last undone; None
    where something else was decided of this one since."""

    id: str
    valid_from: datetime
    valid_to: datetime | None
    supersedes: str | None = None
    superseded_by: str | None = None
    undid: str | None = None


@dataclass(frozen=True)
class Ending:
    """What is written of one fact: when it ends, None to be in force; what replaced it; `other`, the fact that the
    history names beside it."""

    id: str
    valid_to: datetime | None
    superseded_by: str | None = None
    other: str | None = None


def chain_of(links: Iterable[Link], fact_id: str) -> dict[str, Link]:
    """The chain of a fact, by ids; empty where it is not there."""
    return next((chain for chain in chains_of(links) if fact_id in chain), {})


def chains_of(links: Iterable[Link]) -> list[dict[str, Link]]:
    """All chains, each by ids."""
    every = {link.id: link for link in links}
    beside: dict[str, set[str]] = {}
    for link in every.values():
        for other in (link.supersedes, link.superseded_by):
            if other is not None:
                beside.setdefault(link.id, set()).add(other)
                beside.setdefault(other, set()).add(link.id)
    chains, seen = list[dict[str, Link]](), set[str]()
    for start in every:
        if start in seen:
            continue
        chain, left = {start}, [start]
        while left:
            new = beside.get(left.pop(), set()) - chain
            chain |= new
            left += new
        seen |= chain
        chains.append({identifier: every[identifier] for identifier in sorted(chain & every.keys())})
    return chains


def around(chain: Mapping[str, Link], moment: datetime) -> tuple[Link | None, Link | None]:
    """Which of a chain was in force at a moment, and which was first after it."""
    held = [link for link in chain.values() if link.valid_to is None or link.valid_to > link.valid_from]
    then = (link for link in held if link.valid_from <= moment and (link.valid_to is None or moment < link.valid_to))
    later = [link for link in held if link.valid_from > moment]
    return next(then, None), min(later, key=lambda link: (link.valid_from, link.id), default=None)


def undone(chain: Mapping[str, Link], fact_id: str) -> list[Ending]:
    """What takes back the last decision on a fact, those that lose their force first. One that is not in force gets it
    back, in the place of whichever has it; one that is gives it back to the one that lost it for this, or else is
    withdrawn."""
    fact = chain[fact_id]
    if fact.valid_to is not None:
        return _reinstated(chain, fact)
    earlier = [fact.undid, *(link.id for link in _replaced_by(chain, fact)), fact.supersedes]
    for other in earlier:
        if other is not None and other in chain and other != fact_id:
            return _reinstated(chain, chain[other])
    return [Ending(fact_id, fact.valid_from)]


def _replaced_by(chain: Mapping[str, Link], fact: Link) -> list[Link]:
    """Those that a fact replaced, first the one that it was made to replace."""
    replaced = [link for link in chain.values() if link.superseded_by == fact.id and link.id != fact.id]
    return sorted(replaced, key=lambda link: (link.id == fact.supersedes, link.valid_from), reverse=True)


def _reinstated(chain: Mapping[str, Link], fact: Link) -> list[Ending]:
    """Puts a fact in force from its beginning on. What it was made to replace ends where it begins; what came in its
    place never was."""
    before = _before(chain, fact)
    endings: list[Ending] = []
    displaced: str | None = None
    for link in chain.values():
        if link.id == fact.id or (link.valid_to is not None and link.valid_to <= max(link.valid_from, fact.valid_from)):
            continue
        if link.valid_to is None:
            displaced = link.id
        cut = link.id in before or link.valid_to is not None
        end = max(link.valid_from, fact.valid_from) if cut else link.valid_from
        endings.append(Ending(link.id, end, fact.id if link.id in before else None, fact.id))
    return [*endings, Ending(fact.id, None, None, displaced)]


def _before(chain: Mapping[str, Link], fact: Link) -> set[str]:
    """What a fact was made to replace, and what that was, and so on."""
    found: set[str] = set()
    while fact.supersedes is not None and fact.supersedes in chain and fact.supersedes not in found:
        fact = chain[fact.supersedes]
        found.add(fact.id)
    return found


def without(chain: Mapping[str, Link], fact_id: str) -> list[Ending]:
    """What becomes of those that a fact replaced when it is deleted, as if it had never been: they hold as long as it
    did, and what replaced it replaced them. One alone is in force."""
    fact = chain[fact_id]
    endings: list[Ending] = []
    in_force = any(link.valid_to is None for link in chain.values() if link.id != fact_id)
    for at, link in enumerate(_replaced_by(chain, fact)):
        end = link.valid_to
        if at == 0 and (fact.valid_to is not None or not in_force):
            end = None if fact.valid_to is None else max(link.valid_from, fact.valid_to)
        endings.append(Ending(link.id, end, fact.superseded_by, fact.superseded_by))
    return endings


def heir_of(chain: Mapping[str, Link], fact_id: str) -> str | None:
    """The fact that those stand to as replacements which were made to replace one that is deleted, so that the chain
    stays one: what that one was made to replace, or else what did replace it, or one of those made to."""
    fact = chain[fact_id]
    if fact.supersedes is not None and fact.supersedes in chain:
        return fact.supersedes
    made = [link for link in chain.values() if link.supersedes == fact_id and link.id != fact_id]
    return max(made, key=lambda link: (link.id == fact.superseded_by, link.valid_from, link.id)).id if made else None
