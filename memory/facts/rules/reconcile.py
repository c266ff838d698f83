"""Which facts does a new one confirm, replace or end? Decisions as values, by rules."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memory.facts.rules.changes import cancels, changed_by, somewhere_else
from memory.facts.rules.corrections import corrected, is_correction
from memory.facts.rules.endings import ended_by, parted_with, without_the_dead
from memory.facts.rules.people import Namesakes, namesakes, with_kin
from memory.facts.rules.slots import JOB_HELD, NEARBY, are_of_two_days, are_rivals, is_rescheduled
from memory.facts.rules.statement import Statement, read_statement, said_within

ENDED = 0.5  # a statement that ends a fact names more than this share of what it says
_ENDING_WORDS = frozenset("longer anymor quit stop gave give sold sell cancel broke brokn up die pass".split())  # noqa: SIM905
_NAMING_WORDS = frozenset({"call", "name"})
_NO_MORE = re.compile(r" no longer\b| (?:does|do) not(?= (?:live|work)\b)| any ?(?:more|longer)\b")
_WAS = re.compile(r" (?:was|were|used to be) ")
_MOVED = re.compile(r" (?:moved|relocated) ")


@dataclass(frozen=True)
class Known:
    """A fact in force."""

    id: str
    text: str


@dataclass(frozen=True)
class Add:
    text: str
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


def decide_by_rules(new: Sequence[str], known: Sequence[Known]) -> list[Decision]:
    """What becomes of each new fact beside those in force, in order.

    The same again changes nothing. What denies a fact takes its place. What has one value at a time (where somebody
    lives, a name, a time) is replaced by the new value; what is said to be so no longer takes the place of what it
    ends; all else is added.
    """
    read = [(one, read_statement(one.text)) for one in known]
    stated = [read_statement(text) for text in {text.casefold(): text for text in reversed(new)}.values()][::-1]
    people = namesakes(stated, [statement for _, statement in read])
    decisions: list[Decision] = []
    for statement in stated:
        made = _decide(statement, read, people)
        decisions += made
        touched = {one.id for one in made if not isinstance(one, Add | Keep)}
        read = [(one, old) for one, old in read if one.id not in touched]
    return decisions


def reconciled(new: Sequence[str]) -> list[str]:
    """Of the facts of one message, in order, those that hold after it: what a later one replaces, or says already, is
    left out."""
    standing: list[str] = []
    for text in new:
        known = [Known(str(at), one) for at, one in enumerate(standing)]
        decisions = decide_by_rules([text], known)
        over = {int(one.id) for one in decisions if isinstance(one, Update | Delete)}
        added = [one.text for one in decisions if isinstance(one, Add | Update)]
        if not decisions:
            added = [text]  # it corrects what was said before the message
        standing = [one for at, one in enumerate(standing) if at not in over] + added
    return standing


def _decide(new: Statement, read: Sequence[tuple[Known, Statement]], people: Namesakes) -> list[Decision]:
    for one, old in read:
        if old.subject == new.subject and old.kin == new.kin and _says_the_same(new, old):
            return [Keep(one.id)]
    known = [(one, old) for one, old in read if old.subject != new.subject or people.may_be_one(new, old)]
    about = [(one, old) for one, old in known if old.subject == new.subject]
    for one, old in about:
        if _says_the_same(new, old):
            return [Keep(one.id)]
    if is_correction(new.text):
        meant = corrected(new.text, [one.text for one, _ in known])
        return [] if meant is None else [Update(known[meant[0]][0].id, meant[1])]
    if fewer := without_the_dead(new.text, [old for _, old in known]):
        at, text = fewer
        return [Update(known[at][0].id, text), Add(new.text)]
    over = ended_by(new.text, [old for _, old in known])
    if over is not None:
        return [Update(known[over][0].id, new.text)]
    if changed := changed_by(new, [old for _, old in known]):
        return _instead_of([known[at] for at in changed], new)
    for one, old in about:
        if old.ends and (elsewhere := somewhere_else(new, _slot_behind(old))) is not None:
            return [Update(one.id, elsewhere)]
    parted = set(parted_with(new.text, [old for _, old in known]))
    if denied := [(one, old) for one, old in about if _denies(new, old)]:
        return _instead_of(denied, new)
    if over_now := [(one, old) for one, old in about if _is_over(new, old)]:
        return _instead_of(over_now, new)
    if new.ends and not parted:
        ended = None if cancels(new.text) else _ended(new, known)
        return [Add(new.text)] if ended is None else [Update(ended.id, new.text)]
    rivals = [known[at] for at in range(len(known)) if at in parted or _is_rival(known[at][1], new)]
    if rivals or (rivals := _moved(new, known)):
        return _instead_of(rivals, new)
    for one, old in about:
        if _says_more(new, old):
            return [Update(one.id, with_kin(new, old))]
    return [Add(new.text)]


def _instead_of(rivals: Sequence[tuple[Known, Statement]], new: Statement) -> list[Decision]:
    *others, (last, old) = rivals
    return [Update(last.id, with_kin(new, old)), *(Delete(one.id) for one, _ in others)]


def _says_the_same(new: Statement, old: Statement) -> bool:
    if (new.dislikes, new.denied, new.past) != (old.dislikes, old.denied, old.past) or (new.ends and not old.ends):
        return False
    # What is not so on Fridays may well be so on other days.
    return new.said == old.said or (not new.denied and said_within(new, old))


def _says_more(new: Statement, old: Statement) -> bool:
    alike = (new.slot, new.dislikes, new.past) == (old.slot, old.dislikes, old.past)
    return alike and not (new.denied or old.denied or old.ends) and said_within(old, new)


def _denies(new: Statement, old: Statement) -> bool:
    """Whether one of the two says that what the other says is not so. A new denial may leave out how and where; but it
    does not end a list of which it names one item."""
    if new.denied == old.denied or new.dislikes != old.dislikes:
        return False
    if new.past != old.past and not (new.never or old.never):
        return False
    return said_within(new, old, whole=True) if new.denied else said_within(old, new)


def _ended(new: Statement, known: Sequence[tuple[Known, Statement]]) -> Known | None:
    """The fact that a statement ends: the one of which it names most, and more than half."""
    named = new.objects - _ENDING_WORDS
    best: tuple[float, int, Known] | None = None
    for one, old in known:
        told = _told(new, old)
        if old.ends or not told:
            continue
        both = len(named & told)
        if both / len(told) > ENDED and (best is None or (both / len(told), both) > best[:2]):
            best = (both / len(told), both, one)
    return best[2] if best else None


def _told(new: Statement, old: Statement) -> frozenset[str]:
    """What a fact says that a statement could end by naming it; nothing where it is of somebody else."""
    if old.subject == new.subject:
        return old.objects - {old.verb} or old.objects
    if new.kin and read_statement(new.subject).objects <= old.objects:  # "my dog Rex died" ends that it is called so
        return old.objects - {old.verb} - _NAMING_WORDS
    if new.subject == "user" and old.subject.startswith("user's ") and old.slot == "name":
        return old.objects - _NAMING_WORDS - frozenset(read_statement(old.subject).objects)
    return frozenset()


def _is_over(new: Statement, old: Statement) -> bool:
    """Whether one says that what the other says was so, or used to be: "was a nurse"."""
    said = new.said[2:] if new.said[:2] == ("use", "to") else new.said
    if said is new.said and not (new.past and _WAS.search(new.text)):
        return False
    if old.past or old.ends or new.denied or old.denied or not old.said or said[: len(old.said)] != old.said:
        return False
    return said[len(old.said) :][:1] in ((), ("until",))


def _is_rival(old: Statement, new: Statement) -> bool:
    """Whether two give the one value of something, or the old said that it has none any more. Who moves no longer lives
    near where they did; of what there may be several a week, two days are of two."""
    if new.slot is None or not (old.subject == new.subject or _is_of_the_same_thing(old, new)):
        return False
    if old.slot == new.slot != JOB_HELD:
        return is_rescheduled(new.text) or not are_of_two_days(new.slot, old.text, new.text)
    moved_away = new.slot == "residence" and old.slot == NEARBY and _MOVED.search(new.text) is not None
    return moved_away or are_rivals(old.slot, new.slot) or _ends_slot(old, new)


def _is_of_the_same_thing(old: Statement, new: Statement) -> bool:
    """Whether "the" deadline is the user's: where it is said to have changed."""
    return {old.subject, new.subject} == {"the", "user"} and is_rescheduled(new.text)


def _moved(new: Statement, known: Sequence[tuple[Known, Statement]]) -> list[tuple[Known, Statement]]:
    """The facts that say when something is that a statement says to have been moved: of the time, where it gives the
    day."""
    if new.slot is None or not is_rescheduled(new.text):
        return []
    kind, _, thing = new.slot.partition(" of ")
    other = {"date": f"time of {thing}", "time": f"date of {thing}"}.get(kind)
    return [
        (one, old)
        for one, old in known
        if other is not None and old.slot == other and (old.subject == new.subject or _is_of_the_same_thing(old, new))
    ]


def _ends_slot(old: Statement, new: Statement) -> bool:
    """Whether the old fact said that something of the slot is no longer so, which a new value answers."""
    return old.ends and new.slot is not None and _slot_behind(old) == new.slot


def _slot_behind(statement: Statement) -> str | None:
    """The slot of a statement without its "no longer"."""
    return read_statement(_NO_MORE.sub("", statement.text)).slot
