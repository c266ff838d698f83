"""Is a person of whom a fact speaks the one of whom another speaks, where both have the same name?"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from memory.facts.rules.statement import RELATION, Statement

_NAME = r"[^\W\d_a-zß-öø-ÿα-ωа-џ][\w-]*"
_KIN = rf"(?:[a-z-]+ )?{RELATION}"
# Who somebody is, told by a sentence of its own.
_TOLD = (
    re.compile(rf"^(?P<name>{_NAME}(?: {_NAME})?) (?:is|was) (?:the user's|their) (?P<kin>{_KIN})(?!['’\w-])"),
    re.compile(
        rf"^The user's (?P<kin>{_KIN})(?:'s name is| is(?: called| named)?) (?P<name>{_NAME}(?: {_NAME})?)(?=[.,]|$)"
    ),
    re.compile(rf"^The user has an? (?P<kin>{_KIN}) (?:called|named) (?P<name>{_NAME}(?: {_NAME})?)"),
)
# Words for who may be the same person.
_ALIKE = {
    word: group.split()[0]
    for group in (
        "mother mum mom",
        "father dad",
        "partner wife husband spouse girlfriend boyfriend fiancé fiance fiancée fiancee",
        "child kid baby son daughter",
        "boss manager",
        "colleague coworker co-worker",
        "roommate flatmate",
        "neighbour neighbor",
        "dog puppy",
        "cat kitten",
    )
    for word in group.split()
}


class Namesakes(NamedTuple):
    """What each name's bearers are to whom, as the facts in force tell it, and as the message does that is read."""

    known: Mapping[str, frozenset[str]]
    said: Mapping[str, frozenset[str]]

    def may_be_one(self, new: Statement, old: Statement) -> bool:
        """Whether two statements about the same name may be of the same person. A name alone, of which several are
        known, may be anybody's."""
        kin, before = self._kin_of(new), _same(old.kin)
        others = self.known.get(new.subject, frozenset())
        if not kin:
            return len(others) < 2
        return kin == before if before else not others - {kin}

    def _kin_of(self, new: Statement) -> str:
        if new.kin:
            return _same(new.kin)
        said = self.said.get(new.subject, frozenset())
        return next(iter(said)) if len(said) == 1 else ""


def namesakes(new: Iterable[Statement], known: Iterable[Statement]) -> Namesakes:
    return Namesakes(_told(known), _told(new))


def with_kin(new: Statement, old: Statement) -> str:
    """What a fact says that takes the place of another, with who it is of, where only the other says it: "Ana moved to
    Paris." in the place of "The user's sister Ana lives in Rome." """
    kin = re.match(rf"^(?P<who>The user's {_KIN}) (?i:{re.escape(old.subject)})\b", old.text)
    if new.kin or not old.kin or kin is None or not new.text.casefold().startswith(f"{old.subject} "):
        return new.text
    return f"{kin['who']} {new.text}"


def _told(statements: Iterable[Statement]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for one in statements:
        if one.kin:
            found[one.subject] = found.get(one.subject, frozenset()) | {_same(one.kin)}
        for pattern in _TOLD:
            if told := pattern.match(one.text):
                name = told["name"].casefold()
                found[name] = found.get(name, frozenset()) | {_same(f"user's {told['kin']}")}
    return found


def _same(kin: str) -> str:
    """What somebody is to whom, in one word each: "user's older sister" and "user's sister" are one."""
    words = [part.split()[-1] for part in kin.casefold().split("'s ") if part]
    return "'s ".join(_ALIKE.get(word, word) for word in words)
