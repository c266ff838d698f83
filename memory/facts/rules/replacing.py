"""Whether one statement takes the place of another, by the encoder's likeness of the two and a contrast between them.

"I closed my account at Monzo" ends "I'm with Monzo", in whatever language.
"""

import re
from functools import cache
from pathlib import Path

import numpy as np

from fitted import FITTED
from memory.facts.rules.statement import (
    ALSO,
    CHANGED,
    NAME,
    OVER,
    RELATION,
    VALUES,
    Statement,
    are_of_one,
    is_among,
    is_somebody,
    parts_of,
)
from memory.language import doing
from utils.encoder import Reading
from utils.text import SYMBOLS, marked_words, searched_words, stem
from utils.vectors import Floats

TURNING = FITTED / "turning.npy"  # (385,) float32: which sentences tell that something is otherwise, and an offset
PAIRING = FITTED / "pairing.npy"  # (769,) float32: which follow which as what replaces it, and an offset
REPLACING = FITTED / "replacing.npy"  # (signs + 1,) float32: weights of the signs of a pair, and an offset
# From which likelihood on a statement takes another's place, or may; `bench.fit_replacing` tells what it costs
LIKELY, PERHAPS = 0.3, 0.15
UNMARKED = 0.42  # from which one does whose words do not tell so: who got a cat may be allergic to cats
SHARED, OTHERWISE = 10.0, 2.0
LIKE = 0.62  # the cosine similarity from which on a word may name what another does: "trip" and "going", not "hotel"
_ENDS = ("stopped", "quit", "gave", "given", "sold", "lost", "left", "broke", "cancelled", "died")
_OVER = frozenset(map(stem, _ENDS))
_CHILDREN = frozenset(map(stem, ("child", "children", "kid", "kids", "son", "daughter", "baby")))
_LIST = re.compile(rf"{NAME}(?:(?:, {NAME})+,)? and {NAME}")
_TITLE = re.compile(r"(?:Mrs?|Ms|Dr|Prof)\b")
_OWNER = re.compile(rf"user's (?:[\w-]+ )?{RELATION}(?='s )")


def signs(
    new: Statement,
    old: Statement,
    new_reading: Reading,
    old_reading: Reading,
    *,
    mentions: bool,
    turns: float,
    follows: float,
) -> Floats:
    """What tells whether a statement takes another's place, shape (signs,). `mentions`: as `mentions_it` tells;
    `turns`: of the new one; `follows`: of both."""
    near = _telling(new_reading) @ _telling(old_reading).T
    same = new.subject == old.subject
    said, former = (frozenset(one.named) if same else _stems(one) for one in (new, old))
    shared = sum(is_among(stem, said) for stem in former)
    does, did = doing(new_reading.sentence), doing(old_reading.sentence)
    names, former_names = (_names(one.text) for one in (new, old))
    alike = float(new_reading.sentence @ old_reading.sentence)
    nearest = float(near.max()) if near.size else 0.0
    differ = bool(new.values) and bool(old.values) and new.values != old.values
    more = sum(not is_among(stem, former) for stem in said) / max(1, len(said))
    are_others = bool(names - former_names) and bool(former_names - names)
    found = (
        *(alike, float(near.max(0).mean()) if near.size else 0.0, nearest),
        *(shared / max(1, len(former)), shared > 0, bool(names & former_names)),
        *(does.changes, does.changes * (shared > 0)),
        *(bool(OVER.search(new.text)), bool(CHANGED.search(new.text)), bool(ALSO.search(new.text))),
        new.denied != old.denied,
        (new.denied != old.denied) * shared / max(1, len(former)),
        differ,
        _person(new) != _person(old),
        abs(does.others - did.others),
        *(does.home * did.home, does.work * did.work),
        *(turns, turns * alike, turns * (shared > 0), turns * nearest),
        *(mentions, mentions * turns, bool(new.slots & old.slots)),
        *(more, more * (new.denied != old.denied), are_others * differ),
        *(are_others, are_others * turns, same and new.named == old.named and new.values != old.values),
        follows,
    )
    return np.array(found, np.float32)


def turning(vector: Floats) -> float:
    """The log-odds that a sentence tells that something is otherwise from now on, or over."""
    return log_odds(vector, border_in(TURNING))


def both(new: Floats, old: Floats) -> Floats:
    """What two vectors have in common, and what is otherwise in the new one, (n, 768) of (n, 384) each; their entries
    at one scale."""
    pair: Floats = np.concatenate((new * old * SHARED, (new - old) * OTHERWISE), axis=-1)
    return pair


def log_odds(vector: Floats, border: Floats) -> float:
    return float(vector @ border[:-1] + border[-1])


def replaces(new: Statement, old: Statement, new_reading: Reading, old_reading: Reading) -> float:
    """How likely a statement takes another's place, in 0..1; not at all where they are of two people or both hold."""
    mentions = mentions_it(new, old, new_reading, old_reading)
    if not _may_replace(new, old, mentions=mentions):
        return 0.0
    turns = turning(new_reading.sentence)
    follows = log_odds(both(new_reading.sentence, old_reading.sentence), border_in(PAIRING))
    pair = signs(new, old, new_reading, old_reading, mentions=mentions, turns=turns, follows=follows)
    return float(1 / (1 + np.exp(-log_odds(pair, border_in(REPLACING)))))


def _may_replace(new: Statement, old: Statement, *, mentions: bool) -> bool:
    """Whether one of two may be otherwise by the other: not both are denied, neither stands beside by its words, and
    they are not of what two people have, and do not say the same of two. `mentions`: as `mentions_it` tells."""
    if ALSO.search(new.text) or (new.denied and old.denied) or is_of_another_value(new, old, mentions):
        return False
    if new.happened and not CHANGED.search(new.text) and (old.happened or _is_of_something_else(new, old, mentions)):
        return False  # what was done is no less so for what was done later, and what is to come not for what was done
    if "name" in old.slots - new.slots and not (new.denied or old.denied or CHANGED.search(new.text)):
        return False  # whatever Ella does, she is called so
    if new.subject == "user" and "value" in old.slots and not (mentions or new.denied or _tells_a_value(new, old)):
        return False  # a new café is no favourite yet
    if _differ_by_symbols(new.text, old.text) and not CHANGED.search(new.text):
        return False
    if new.subject == old.subject and is_somebody(new.subject) and _are_of_two_slots(new, old):
        return False  # a home ends no job
    if are_of_one(new, old) or mentions:
        return not _ends_another(new, old) and not _is_of_nothing_like(new, old)
    if parts_of(new.subject)[0] or parts_of(old.subject)[0]:
        return False
    if new.subject != "user":
        return old.denied and old.subject == "user" and _is_of_what_is_denied(new, old)
    return not is_somebody(old.subject) or set(new.named).isdisjoint(old.named)


def is_of_another_value(new: Statement, old: Statement, mentions: bool) -> bool:
    """Whether one of two denies what the other does not say: that the user never lived in Rome says nothing of Oslo.
    `mentions`: as `mentions_it` tells."""
    if new.denied == old.denied or mentions:
        return False
    particulars, former = (_names(one.text) | set(one.values) for one in (new, old))
    if particulars and former:
        return bool(particulars - former) and bool(former - particulars)
    only_denies = new.denied and not OVER.search(new.text) and not CHANGED.search(new.text)
    said, was = frozenset(new.named), frozenset(old.named)
    return (
        only_denies
        and new.subject == old.subject
        and bool(said and was)
        and not any(is_among(stem, was) for stem in said)
    )


def _is_of_something_else(new: Statement, old: Statement, mentions: bool) -> bool:
    """Whether what was done is another's than what the other tells of, or names nothing of what that gives a time or a
    number of; not where the other denies something."""
    if old.denied:
        return False
    if is_somebody(new.subject) and new.subject != "user" and not are_of_one(new, old):
        return True
    return bool(old.values) and not mentions and _stems(new).isdisjoint(_stems(old))


def _are_of_two_slots(new: Statement, old: Statement) -> bool:
    return bool(new.slots and old.slots) and new.slots.isdisjoint(old.slots)


def _things(statement: Statement) -> list[str]:
    """The stems of what a statement says, without those of words by which it is over."""
    return [stem for stem in statement.named if stem not in _OVER]


def _differ_by_symbols(new: str, old: str) -> bool:
    """Whether one names what the other does but for its symbols, as C++ and C#, which is something else."""
    said, former = (set(marked_words(VALUES.sub(" ", text))) for text in (new, old))
    only, missing = ({word.strip(SYMBOLS) for word in one - other} for one, other in ((said, former), (former, said)))
    return not only.isdisjoint(missing)


def _ends_another(new: Statement, old: Statement) -> bool:
    """Whether what one says to be over is something else than what the other says, or only a kind of it, or another
    kind: who gave up the guitar may play the piano, and who dislikes green tea may like tea, and black tea."""
    if not new.denied or old.denied or new.subject != old.subject or new.slots & old.slots:
        return False
    said, former = (_things(one) for one in (new, old))
    if not former or all(is_among(stem, frozenset(former)) for stem in said):
        return False
    if (names := _names(old.text)) and names <= _names(new.text):
        return False  # a trip to Lisbon is no kind of Lisbon
    shared = [stem for stem in former if is_among(stem, frozenset(said))]
    of_one_kind = said[-1:] == former[-1:]
    kind, former_kind = said[1:][-2:-1], former[1:][-2:-1]  # what comes first tells what is done with it
    of_another_kind = of_one_kind and not {*kind} <= {*former} and not {*former_kind} <= {*said}
    return shared in ([], former[:1]) or (shared == former and of_one_kind) or of_another_kind


def _is_of_nothing_like(new: Statement, old: Statement) -> bool:
    """Whether one of which no rule tells the subject shares no word with what the other says of a thing, and no kind of
    value: "glucose came back high" ends no blood group."""
    of_thing = bool(parts_of(old.subject)[1]) and not is_somebody(old.subject) and not (new.values and old.values)
    former = _stems(old)
    return of_thing and not new.subject and not any(is_among(stem, former) for stem in _stems(new))


def mentions_it(new: Statement, old: Statement, new_reading: Reading, old_reading: Reading) -> bool:
    """Whether one is of what the other names: "Gert left" of "the user's boss is Gert", "the Lisbon trip is cancelled"
    of "the user is going to Lisbon"."""
    if new.subject == old.subject:
        return False
    if "name" in old.slots and _names(new.text) & _names(old.text):
        return True
    return _is_named(new, old, new_reading, old_reading) or _is_named(old, new, old_reading, new_reading)


def _is_named(one: Statement, other: Statement, reading: Reading, other_reading: Reading) -> bool:
    """Whether one is of what the other names, in its words or, of a thing that is off and was planned, in like ones."""
    whose, what = parts_of(one.subject)
    said = frozenset(other.named)
    unsaid = {stem for stem in whose | what if not is_among(stem, said)}
    is_off = one.denied and other.ahead and other.subject == "user" and not whose and not is_somebody(one.subject)
    if not unsaid or unsaid == what or not is_off:
        return bool(whose | what) and not unsaid
    places = [at for at, word in enumerate(reading.words) if stem(word) in unsaid]
    near = _vectors(reading, places) @ _telling(other_reading).T
    return {stem(reading.words[at]) for at in places} == unsaid and bool(near.size) and float(near.max(1).min()) >= LIKE


def _is_of_what_is_denied(new: Statement, old: Statement) -> bool:
    """Whether one is of what the user said not to have: a son, of no kids; not the wife, who bought a car, of none."""
    denied = frozenset(old.named)
    of = parts_of(new.subject)[1]
    return any(is_among(stem, denied) for stem in of) or not (of.isdisjoint(_CHILDREN) or denied.isdisjoint(_CHILDREN))


def _tells_a_value(new: Statement, old: Statement) -> bool:
    """Whether what a user does tells of the value that something of theirs has: it has numbers as that, names the value
    or says that there is a change; that a thing is new is none."""
    shares = not frozenset(new.named).isdisjoint(old.named)
    return shares or bool(new.values and old.values) or bool({*CHANGED.findall(new.text)} - {"new"})


def names_one_of_several(new: Statement, old: Statement) -> bool:
    """Whether one is of somebody in a list of names that the other gives, and not of all of them: the death of Salt
    ends no "cats, Salt and Vinegar"."""
    names = _names(old.text)
    listed = {name for run in _LIST.findall(old.text) for name in searched_words(run)} & names
    return not listed.isdisjoint(searched_words(new.subject)) and not listed <= set(searched_words(new.text))


def _person(statement: Statement) -> str:
    """Of whom a statement is, or whose the thing is that it is of."""
    if is_somebody(statement.subject):
        return statement.subject
    owner = _OWNER.match(statement.subject)
    return owner[0] if owner else "user"


def _telling(reading: Reading) -> Floats:
    """The vectors of a text's tokens without those of the user, of numbers and of times, which most things may have."""
    places = [at for at, word in enumerate(reading.words) if word != "user" and not VALUES.fullmatch(word)]
    return _vectors(reading, places)


def _vectors(reading: Reading, places: list[int]) -> Floats:
    tokens: Floats = reading.tokens[places].astype(np.float32) / np.float32(127)
    return tokens


def _stems(statement: Statement) -> frozenset[str]:
    return frozenset(statement.named).union(*parts_of(statement.subject))


def _names(text: str) -> set[str]:
    names = (one for one in text.split()[1:] if one[:1].isupper() and not _TITLE.match(one))
    return {word for one in names for word in searched_words(one) if not VALUES.fullmatch(word)}


@cache
def border_in(path: Path) -> Floats:
    """What was fitted and is kept in a file."""
    border: Floats = np.load(path)
    return border
