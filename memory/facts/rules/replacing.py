"""Whether one statement takes the place of another, by the encoder's likeness of the two and a contrast between them.

It decides where no attribute and no denial does: "I closed my account at Monzo" after "I'm with Monzo", in whatever
language.
"""

import re
from functools import cache

import numpy as np

from fitted import FITTED
from memory.facts.rules.statement import ALSO, CHANGED, OVER, RELATION, VALUES, Statement, is_somebody
from memory.language.heads import doing
from utils.encoder import Reading
from utils.text import content_stems, searched_words
from utils.vectors import Floats

TURNING = FITTED / "turning.npy"  # (385,) float32: which sentences tell that something is otherwise, and an offset
REPLACING = FITTED / "replacing.npy"  # (signs + 1,) float32: weights of the signs of a pair, and an offset
_OWNER = re.compile(rf"user's (?:[\w-]+ )?{RELATION}(?='s )")
LIKELY = 0.6  # from which a statement takes another's place; `python -m bench.fit_replacing` tells what it costs
PREFIX = 5  # letters that "allergy" and "allergic" have in common


def signs(new: Statement, old: Statement, new_reading: Reading, old_reading: Reading, turns: float) -> Floats:
    """What tells whether a statement takes another's place, shape (signs,). `turns`: of the new one."""
    near = _telling(new_reading) @ _telling(old_reading).T
    same = new.subject == old.subject
    said, former = (frozenset(one.named if same else _stems(one)) for one in (new, old))
    shared = sum(_has(stem, said) for stem in former)
    does, did = doing(new_reading.sentence), doing(old_reading.sentence)
    names, former_names = (_names(one.text) for one in (new, old))
    alike = float(new_reading.sentence @ old_reading.sentence)
    nearest = float(near.max()) if near.size else 0.0
    found = (
        *(alike, float(near.max(0).mean()) if near.size else 0.0, nearest),
        *(shared / max(1, len(former)), shared > 0, bool(names & former_names)),
        *(does.changes, does.changes * (shared > 0)),
        *(bool(OVER.search(new.text)), bool(CHANGED.search(new.text)), bool(ALSO.search(new.text))),
        new.denied != old.denied,
        bool(new.values) and bool(old.values) and new.values != old.values,
        _person(new) != _person(old),
        abs(does.others - did.others),
        *(does.home * did.home, does.work * did.work),
        *(turns, turns * alike, turns * (shared > 0), turns * nearest),
    )
    return np.array(found, np.float32)


def turning(vector: Floats) -> float:
    """The log-odds that a sentence tells that something is otherwise from now on, or over."""
    border = _border(str(TURNING))
    return float(vector @ border[:-1] + border[-1])


def replaces(new: Statement, old: Statement, new_reading: Reading, old_reading: Reading) -> float:
    """How likely a statement takes another's place, in 0..1; not at all where they are of two people or both hold."""
    if (
        ALSO.search(new.text)
        or (new.denied and old.denied)
        or (new.subject and old.subject and _are_of_others(new, old))
    ):
        return 0.0
    border = _border(str(REPLACING))
    pair = signs(new, old, new_reading, old_reading, turning(new_reading.sentence))
    return float(1 / (1 + np.exp(-(pair @ border[:-1] + border[-1]))))


def _are_of_others(new: Statement, old: Statement) -> bool:
    """Whether two are of two people, or of two things."""
    if _person(new) != _person(old):
        return True
    if is_somebody(new.subject) or is_somebody(old.subject):
        return False
    thing, other = (frozenset(_of_subject(one)) for one in (new, old))
    return not (all(_has(stem, other) for stem in thing) or all(_has(stem, thing) for stem in other))


def _person(statement: Statement) -> str:
    """Of whom a statement is, or whose the thing is that it is of."""
    if statement.subject and is_somebody(statement.subject):
        return statement.subject
    owner = _OWNER.match(statement.subject)
    return owner[0] if owner else "user"


def _telling(reading: Reading) -> Floats:
    """The vectors of a text's tokens without those of the user, of numbers and of times, which most things may have."""
    places = [at for at, word in enumerate(reading.words) if word != "user" and not VALUES.fullmatch(word)]
    tokens: Floats = reading.tokens[places].astype(np.float32) / np.float32(127)
    return tokens


def _stems(statement: Statement) -> list[str]:
    return [*statement.named, *_of_subject(statement)]


def _of_subject(statement: Statement) -> list[str]:
    return [stem for stem in content_stems(f"{statement.subject} {statement.kin}") if stem != "user"]


def _has(stem: str, said: frozenset[str]) -> bool:
    return stem in said or (len(stem) >= PREFIX and any(one[:PREFIX] == stem[:PREFIX] for one in said))


def _names(text: str) -> set[str]:
    said = text.split()
    return {word for one in said[1:] if one[:1].isupper() for word in searched_words(one) if not VALUES.fullmatch(word)}


@cache
def _border(path: str) -> Floats:
    border: Floats = np.load(path)
    return border
