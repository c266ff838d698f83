"""Decisions by rules: which facts in force a new one confirms, replaces or ends.

The same said again confirms. Another value of what there is one of at a time (a home, an age, a deadline) takes the
place of the former, and so does what the encoder takes to replace it. What may replace a fact, or may not, stands
beside it and names it. All else stands beside.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from memory.facts.rules.claims import claims
from memory.facts.rules.replacing import (
    LIKELY,
    PERHAPS,
    UNMARKED,
    is_of_another_value,
    mentions_it,
    names_one_of_several,
    replaces,
)
from memory.facts.rules.statement import (
    ALSO,
    CHANGED,
    OVER,
    Statement,
    are_of_one,
    claim_of,
    is_among,
    is_somebody,
    parts_of,
    read_statement,
    whom_of,
)
from utils.encoder import Reading
from utils.text import words

_GOES_ON = re.compile(r",| (?:called|named|in|on|at|with|and|since|from|for|to|near|who|which|by|until|because)\b")
FEW = 10  # facts from which on more of them make it no less likely that one is replaced
SAME = 0.97  # the cosine similarity from which on two statements may say the same


@dataclass(frozen=True)
class Stated:
    """What a message states. `sentence`: all that was said with it. `lasts`: it is a fact, and not only the end of
    one. `corrects`: it says that something was wrong. `of`: the fact that it corrects, where that is known."""

    text: str
    sentence: str
    lasts: bool = True
    corrects: bool = False
    of: str | None = None


@dataclass(frozen=True)
class Add:
    """`beside`: the fact in force that `text` may replace, or may not."""

    text: str
    beside: str | None = None
    event: Literal["ADD"] = "ADD"


@dataclass(frozen=True)
class Update:
    """`text` takes the place of the fact `id`."""

    id: str
    text: str
    event: Literal["UPDATE"] = "UPDATE"


@dataclass(frozen=True)
class Delete:
    """The fact `id` holds no longer."""

    id: str
    event: Literal["DELETE"] = "DELETE"


@dataclass(frozen=True)
class Keep:
    """The fact `id` says so already."""

    id: str
    event: Literal["NONE"] = "NONE"


Decision = Add | Update | Delete | Keep


def texts_of(stated: Iterable[Stated], known: Mapping[str, str]) -> list[str]:
    """The texts that `decide_by_rules` has to have readings of."""
    return list(dict.fromkeys(chain(*((new.text, new.sentence) for new in stated), known.values())))


def decide_by_rules(
    stated: Sequence[Stated], known: Mapping[str, str], readings: Mapping[str, Reading]
) -> list[Decision]:
    """What becomes of what a message states beside the facts in force, in order. `known`: these, by id; `readings`: of
    `texts_of` these, by the local encoder."""
    standing: list[Stated] = []  # of the message, what nothing later in it replaces or says again
    for new in stated:
        made = _decided_by_words(new, {earlier.text: read_statement(earlier.text) for earlier in standing}, readings)
        gone = {done.id for done in made if not isinstance(done, Add | Keep)}
        standing = [earlier for earlier in standing if earlier.text not in gone]
        standing += [] if any(isinstance(done, Keep) for done in made) else [new]
    facts = {fact_id: read_statement(text) for fact_id, text in known.items()}
    again = _said_again(standing, facts, readings) if len(standing) > 1 else {}
    decisions: list[Decision] = [Keep(name) for name in again.values()]
    facts = {name: fact for name, fact in facts.items() if name not in again.values()}  # nothing beside it ends it
    for new in standing:
        if new.text in again:
            continue
        if new.of is not None and new.of in facts:
            rest = {name: fact for name, fact in facts.items() if name != new.of}
            rivals = [done.id for done in _decided_by_words(new, rest, readings) if not isinstance(done, Add)]
            made = [Update(new.of, new.text), *map(Delete, rivals)]
        else:
            made = _decided_by_words(new, facts, readings) or _decided_by_likeness(new, facts, readings)
        first = made[0]
        if new.lasts or not isinstance(first, Add) or _changes_a_part(first, facts):
            decisions += made
        gone = {done.id for done in made if isinstance(done, Update | Delete)}
        facts = {name: fact for name, fact in facts.items() if name not in gone}
    return decisions


def _said_again(
    stated: Sequence[Stated], facts: Mapping[str, Statement], readings: Mapping[str, Reading]
) -> dict[str, str]:
    """Of what a message states, what is in force already, with the facts that say it."""
    made = {new.text: _decided_by_words(new, facts, readings) for new in stated if new.of is None}
    return {text: one[0].id for text, one in made.items() if one and isinstance(one[0], Keep)}


def _decided_by_words(
    stated: Stated, facts: Mapping[str, Statement], readings: Mapping[str, Reading]
) -> list[Decision]:
    """What becomes of what is said again, or denied, or gives another value of what there is one of; nothing of all
    else."""
    new = read_statement(stated.text)
    about = _about(new, facts)
    for name, old in about.items():
        if _says_the_same(new, old, readings) or _goes_on(old.text, new.text):
            return [Keep(name)]
        if _goes_on(new.text, old.text):
            return [Update(name, new.text)]
    rivals = [
        name
        for name, old in about.items()
        if new.subject and _is_due(new, old) and (_are_opposite(new, old) or _are_of_one_slot(new, old, readings))
    ]
    if not rivals or ALSO.search(new.text):
        return []
    return [Update(rivals[-1], _in_place_of(facts[rivals[-1]], new)), *map(Delete, rivals[:-1])]


def _are_opposite(new: Statement, old: Statement) -> bool:
    """Whether one of two denies, word for word, what the other says."""
    return new.denied != old.denied and new.subject == old.subject and () != claim_of(new.text) == claim_of(old.text)


def _are_of_one_slot(new: Statement, old: Statement, readings: Mapping[str, Reading]) -> bool:
    """Whether two give values of what there is one of."""
    if new.slots.isdisjoint(old.slots):
        return False
    return not is_of_another_value(new, old, mentions_it(new, old, readings[new.text], readings[old.text]))


def _decided_by_likeness(
    stated: Stated, facts: Mapping[str, Statement], readings: Mapping[str, Reading]
) -> list[Decision]:
    new = read_statement(stated.text)
    about, anything = _about(new, facts), _may_be_several(new, facts)
    likely = {
        name: _likely(stated, new, old, readings)
        for name, old in facts.items()
        if name in about or not (anything and are_of_one(new, old))
    }
    best = max(likely, key=lambda name: likely[name], default="")
    prior = 1 / min(max(len(likely), 1), FEW)
    odds = [prior * likelihood / (1 - likelihood) for likelihood in likely.values()]
    surely = max(odds, default=0.0) / (1 + sum(odds))  # one at most is replaced
    if surely < PERHAPS:
        return [Add(new.text)]
    old = facts[best]
    if (
        surely < (LIKELY if _is_marked(new, old) else UNMARKED)
        or not _is_due(new, old)
        or _says_more(old, new)
        or _is_of_a_part(new, old)
    ):
        return [Add(new.text, best)]
    return [Update(best, _in_place_of(old, new))]


def _is_marked(new: Statement, old: Statement) -> bool:
    """Whether the words of two tell that one may be otherwise by the other: one denies, or tells of a change, or both
    have values."""
    return new.denied or old.denied or bool(new.values and old.values) or CHANGED.search(new.text) is not None


def _is_due(new: Statement, old: Statement) -> bool:
    """Whether a statement may end another now: a plan ends plans alone, and that they are off; what is so ends the plan
    of it."""
    if new.ahead:
        return old.ahead or OVER.search(old.text) is not None
    if not old.ahead:
        return True
    said = {*new.named, *new.values}.union(*parts_of(new.subject))
    return not said.isdisjoint(old.named + old.values)


def _says_more(old: Statement, new: Statement) -> bool:
    """Whether a fact makes several claims, as those of earlier builds may, of which a statement does not name all."""
    made = list(claims(old.text.rstrip(" .")))
    return len(made) > 1 and not {*old.named, *old.values} <= {*new.named, *new.values}


def _changes_a_part(added: Add, facts: Mapping[str, Statement]) -> bool:
    return added.beside is not None and _is_of_a_part(read_statement(added.text), facts[added.beside])


def _is_of_a_part(new: Statement, old: Statement) -> bool:
    """Whether a statement names some of those that a fact lists; or, of nobody and nothing in particular, something
    that a fact about a thing tells, and not the thing: of a flight, the seat."""
    whose, what = parts_of(old.subject)
    of_thing = old.subject != "user" and not whose and bool(what) and not is_somebody(old.subject)
    named = frozenset(new.named)
    is_part = not named.isdisjoint(old.named) and not any(is_among(stem, named) for stem in what)
    return (of_thing and not new.subject and is_part) or names_one_of_several(new, old)


def _in_place_of(old: Statement, new: Statement) -> str:
    """What a statement says in the place of another: whose name it has, "Lena moved" of "the user's sister Lena", and
    the more that tells which one it is of, "the deadline moved" of "the beta deadline"."""
    if old.subject.endswith(f" {new.subject}") and new.text.startswith(new.subject):
        return old.text[: old.text.find(new.subject)] + new.text
    if new.subject.startswith("the ") and are_of_one(new, old) and new.text.startswith(whom := whom_of(new.text)):
        (_, what), (_, that) = parts_of(new.subject), parts_of(old.subject)
        if what < that or (what == that and old.subject.startswith("user's ")):
            return whom_of(old.text) + new.text[len(whom) :]
    return new.text


def _about(new: Statement, facts: Mapping[str, Statement]) -> dict[str, Statement]:
    """The facts that are of the same; none of "the deadline" where it may be any of two."""
    several = _may_be_several(new, facts)
    return {
        name: old for name, old in facts.items() if (old.subject == new.subject if several else are_of_one(new, old))
    }


def _may_be_several(new: Statement, facts: Mapping[str, Statement]) -> bool:
    of_one = {old.subject for old in facts.values() if are_of_one(new, old)} - {"", new.subject}
    return bool(new.subject) and len(of_one) > 1


def _says_the_same(new: Statement, old: Statement, readings: Mapping[str, Reading]) -> bool:
    alike = float(readings[new.text].sentence @ readings[old.text].sentence)
    return (new.named, new.values, new.denied) == (old.named, old.values, old.denied) and (
        alike >= SAME or (new.subject == old.subject and bool(new.named or new.values))
    )


def _goes_on(more: str, less: str) -> bool:
    """Whether a text is another with something behind it."""
    bare = less.rstrip(". ")
    return more.startswith(bare) and _GOES_ON.match(more, len(bare)) is not None


def _likely(stated: Stated, new: Statement, old: Statement, readings: Mapping[str, Reading]) -> float:
    """How likely what is stated, or the sentence that says it, replaces a fact."""
    whole = read_statement(stated.sentence)
    as_said = replace(whole, subject=new.subject, happened=new.happened)
    said = [new] if stated.sentence == new.text else [new, as_said]
    return max(replaces(statement, old, readings[statement.text], readings[old.text]) for statement in said)


def nearest(known: Mapping[str, str], new: Iterable[str], most: int) -> dict[str, str]:
    """The facts that share most words with new ones, of equals the last, in their order."""
    new_words = set(chain.from_iterable(map(words, new)))
    oldest_first = sorted(known, key=lambda fact_id: len(new_words & set(words(known[fact_id]))))
    kept = set(oldest_first[-most:])
    return {fact_id: text for fact_id, text in known.items() if fact_id in kept}
