"""Corrections that need what was just told: "No, it's 40", "Sorry, I meant Milan", "I meant my sister lives there"."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from memory.facts.rules.extract import SOMEBODY, candidates, without_lead
from memory.facts.rules.keeping import values_stated
from memory.facts.rules.reconcile import Stated
from memory.facts.rules.statement import (
    HE,
    NAMES,
    SHE,
    TIME,
    is_somebody,
    read_statement,
    split_statement,
    whom_named,
    whom_of,
)
from utils.text import words

_POINTS = re.compile(r"(?P<who>It|He|She|They|Its|His|Her|Their) (?P<rest>.+?)\.?")
MEANT = re.compile(r"(?P<meant>[^\s,;]+), not (?P<former>[^\s,;]+?)\.?$")
_OWNS = ("Its", "His", "Her", "Their")
_VALUE = re.compile(rf"(?:is|are|was|were) (?:(?P<before>in|at|on|called|named|for|with) )?(?P<value>{NAMES}|\S*\d\S*)")
_CLOCK = re.compile(r"(?:is|are|was|were) (?:at )?\d{1,2}:\d\d")
_SAYS = (["is"], ["are"], ["was"], ["were"])
_NAMES = re.compile(rf"(?<=[\w,] ){NAMES}(?<!\.)")
_NUMBERS = re.compile(r"(?<![\w.,:])\W?\d[\w.,:]*(?<=\w)")


def in_full(stated: Sequence[Stated], just_told: Mapping[str, str]) -> list[Stated]:
    """What is stated, with corrections of what stands before them as what they correct should have said; without
    those of which nobody knows what they correct. `just_told`: facts by id, the last one at the end."""
    whole: list[Stated] = []
    for new in stated:
        said = {str(place): one.text for place, one in enumerate(whole)}
        before = {**just_told, **said} if new.corrects else {}
        name, text = next(
            ((name, text) for name in reversed(before) if (text := corrected(new.text, before[name])) is not None),
            ("", new.text),
        )
        if name in said:
            whole[int(name)] = replace(whole[int(name)], text=text, sentence=text)
        elif name:
            whole.append(Stated(text, text, of=name))
        elif not (new.corrects and _POINTS.fullmatch(new.text)):
            whole.append(_of_whom(new, [*just_told.values(), *said.values()]))
    return whole


def _of_whom(new: Stated, told: Sequence[str]) -> Stated:
    """What is stated of "her", as of her who was told of last; no fact where nobody was."""
    if (pronoun := SOMEBODY.match(new.text)) is None:
        return new
    others = HE if pronoun["who"].lower() in ("she", "her") else SHE
    whoever = (whom for text in reversed(told) if (whom := whom_named(text)) and not others.search(whom))
    if (whom := next(whoever, "")) == "":
        return replace(new, lasts=False)
    owned = "'s" if pronoun["who"].lower() in ("his", "her") else ""
    return replace(new, text=f"{whom}{owned}{new.text[pronoun.end() :]}")


def value_instead(text: str, key: str, value: str) -> str | None:
    """The value that is meant where a text, and nothing else in it, corrects what was just kept under a key."""
    if stated := values_stated(without_lead(text), key):
        return stated[-1].value if len(stated) == 1 else None
    found, kept = candidates(text, datetime.now(UTC)), f"The user's {key} is {value}"
    [right] = [corrected(one.text, f"{kept}.") for one in found] if len(found) == 1 else [None]
    return right.removesuffix(".").removeprefix(f"The user's {key} is ") if right is not None else None


def corrected(new: str, old: str) -> str | None:
    """What a statement should have said by the correction of it; None where it is no correction of that."""
    points = _POINTS.fullmatch(new)
    if points is not None and (meant := MEANT.search(new)):  # "it's Ann, not Anne"
        parts = re.split(rf"\b{re.escape(meant['former'])}\b", old)
        return meant["meant"].join(parts) if len(parts) == 2 else None
    was, whom = read_statement(old), whom_of(old)
    if not whom:
        return None
    if points is None:
        now = read_statement(new)
        alike = (now.named, now.values, now.denied) == (was.named, was.values, was.denied) and bool(now.named)
        return new if alike and now.subject != was.subject and is_somebody(now.subject) else None
    if points["who"] == "It" and (is_somebody(was.subject) or _CLOCK.fullmatch(points["rest"])):
        return _with_value(points["rest"], old)
    somebody = was.subject.removesuffix("'s name")
    if points["who"] not in ("It", "Its") and (somebody == "user" or not is_somebody(somebody)):
        return None
    owned = "'s" if points["who"] in _OWNS else ""
    text = f"{whom if points['who'] == 'It' else whom.removesuffix(chr(39) + 's name')}{owned} {points['rest']}."
    now = read_statement(text)
    if (now.subject, now.slots) == (was.subject, was.slots):
        value, former = (split_statement(one)[1].partition(" ")[2] for one in (text, old))
        when = TIME.match(value) or re.match(r"at \d", value)
        is_another = when and not (TIME.match(former) or re.match(r"\W?\d", former))
        return None if now.slots == {"value"} and is_another else text  # no dish is "at 10"
    return _with_value(points["rest"], old) if points["who"] == "It" else None


def _with_value(rest: str, old: str) -> str | None:
    """A statement with another value of the same kind: a name for its last name, a number for its one number. What is
    "at 10" takes the place of what was "at" or "is" something, not of two cats."""
    if (value := _VALUE.fullmatch(rest)) is None:
        return None
    is_number = re.search(r"\d", value["value"]) is not None
    found = list((_NUMBERS if is_number else _NAMES).finditer(old))
    if ":" in value["value"]:
        found = [one for one in found if ":" in one[0]] or found  # of a day and a time, the time
    if value["before"]:
        found = [one for one in found if words(old[: one.start()])[-1:] in ([value["before"]], *_SAYS)]
    if not found or (len(found) > 1 and is_number):
        return None
    return old[: found[-1].start()] + value["value"] + old[found[-1].end() :]
