"""Which facts does a new one confirm, replace or end? Decisions as values, by rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memory.fact_rules import Statement, read_statement

ENDED = 0.5  # a statement that ends a fact names more than this share of what it says
_ENDING_WORDS = frozenset("longer anymor quit stop gave give sold sell cancel broke brokn up".split())  # noqa: SIM905


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

    The same again changes nothing. What has one value at a time (where somebody lives, a name, a time) is replaced by
    the new value; what is said to be so no longer takes the place of what it ends; all else is added.
    """
    read = [(one, read_statement(one.text)) for one in known]
    decisions: list[Decision] = []
    said: set[str] = set()
    for text in new:
        if text.casefold() in said:
            continue
        said.add(text.casefold())
        made = _decide(read_statement(text), read)
        decisions += made
        touched = {one.id for one in made if not isinstance(one, Add | Keep)}
        read = [(one, statement) for one, statement in read if one.id not in touched]
    return decisions


def _decide(new: Statement, known: Sequence[tuple[Known, Statement]]) -> list[Decision]:
    about = [(one, old) for one, old in known if old.subject == new.subject]
    for one, old in about:
        if _says_the_same(new, old):
            return [Keep(one.id)]
    if new.ends:
        ended = _ended(new, known)
        return [Add(new.text)] if ended is None else [Update(ended.id, new.text)]
    if new.slot is not None:
        rivals = [one for one, old in about if old.slot == new.slot or _ends_slot(old, new)]
        if rivals:
            return [Update(rivals[-1].id, new.text), *(Delete(one.id) for one in rivals[:-1])]
    for one, old in about:
        if old.slot == new.slot and not old.ends and old.objects < new.objects and old.dislikes == new.dislikes:
            return [Update(one.id, new.text)]  # it says that, and more
    return [Add(new.text)]


def _says_the_same(new: Statement, old: Statement) -> bool:
    alike = (new.slot, new.dislikes, new.ends) == (old.slot, old.dislikes, old.ends)
    return alike and new.objects <= old.objects


def _ended(new: Statement, known: Sequence[tuple[Known, Statement]]) -> Known | None:
    """The fact that a statement ends: the one of which it names most, and more than half."""
    named = new.objects - _ENDING_WORDS
    best: tuple[float, Known] | None = None
    for one, old in known:
        if old.ends or not old.objects or not (old.subject.startswith(new.subject) or new.subject == "user"):
            continue
        told = old.objects - {old.verb} or old.objects
        share = len(named & told) / len(told)
        if share > ENDED and (best is None or share >= best[0]):
            best = (share, one)
    return best[1] if best else None


def _ends_slot(old: Statement, new: Statement) -> bool:
    """Whether the old fact said that something of the slot is no longer so, which a new value answers."""
    return old.ends and new.slot is not None and _slot_behind(old) == new.slot


def _slot_behind(statement: Statement) -> str | None:
    """The slot of a statement without its "no longer"."""
    text = statement.text.replace(" no longer", "").replace(" anymore", "").replace(" any more", "")
    return read_statement(text).slot
