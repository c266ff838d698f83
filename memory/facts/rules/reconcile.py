"""Decisions by rules: which facts in force a new one confirms, replaces or ends.

Facts of one subject are compared. The same said again confirms. Another value of what there is one of at a time (a
home, an age, the rent), what denies a fact, what says that it is over, what names it as the former of two, and what the
encoder takes to replace it, each take its place. All that is not decided stands beside.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from memory.facts.rules.replacing import LIKELY, replaces
from memory.facts.rules.statement import ALSO, CHANGED, CORRECTED, INSTEAD_OF, Statement, is_somebody, read_statement
from memory.language import doing
from utils.encoder import Reading
from utils.text import content_stems, words

# Cosine similarities from which on two statements may be on the same.
SAME = 0.97
ON_THE_SAME = 0.55  # where words show it, too
ALIKE = 0.8  # where nothing else does
MOST = 0.5  # share of what a fact names, of which what ends it names more
SURE = 0.8  # of what the encoder takes a statement to be about
PREFIX = 5  # letters that "allergy" and "allergic" have in common

_SEVERAL_A_WEEK = re.compile(
    r"\b(?:meeting|appointment|class|lesson|shift|call|session|interview|viewing|exam|test|training|practice|game|match)\b"
)
_LIST = re.compile(r",| and ")
_ONE_DAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE)
_GOES_ON = re.compile(
    r",| (?:called|named|in|on|at|with|and|since|from|for|to|near|who|which|by|until|every|because)\b"
)
_IS_KIN = re.compile(r"(?:is|are) the user['’]s (?P<kin>[a-z][\w '’-]*)$")
_DENIED_ELSEWHERE = re.compile(
    r"(?<!\w)(?:nicht|keine?[nmr]?|nie|no|ya no|nunca|ne|n['’]\w+|pas|plus|jamais|non|mai|não|nunca|já não|niet|"
    r"geen|nooit|nie|"
    r"не|нет|больше не|değil\w*|yok|inte|ikke|aldrig|ei|en|nem)(?!\w)|不|没|ない|ません|않|안 |لا |ليس|لم |لست|नहीं"
)


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
_Read = tuple[Known, Statement]


def decide_by_rules(new: Mapping[str, str], known: Sequence[Known], readings: Mapping[str, Reading]) -> list[Decision]:
    """What becomes of each new fact beside those in force, in order. `new`: facts, each with the sentence that says it.
    `readings`: of all these texts, by the local encoder; where one has none, words alone decide."""
    read = [(one, _read(one.text, readings)) for one in known]
    stated = [_read(text, readings) for text in {text.casefold(): text for text in reversed(list(new))}.values()][::-1]
    people = _People([*stated, *(old for _, old in read)])
    decisions: list[Decision] = []
    for statement in stated:
        about = [(one, old) for one, old in read if people.are_one(statement, old)]
        made = _decide(statement, about, readings)
        if (
            made
            and isinstance(made[0], Add)
            and (rival := _likeliest(statement, new[statement.text], about, readings)) is not None
        ):
            made = [Update(rival.id, statement.text)]
        decisions += made
        touched = {one.id for one in made if isinstance(one, Update | Delete)}
        read = [(one, old) for one, old in read if one.id not in touched]
    return decisions


def reconciled(new: Mapping[str, str], readings: Mapping[str, Reading]) -> dict[str, str]:
    """Of the facts of one message, in order, those that hold after it: what a later one replaces, or says already, is
    left out."""
    standing: dict[str, str] = {}
    for text, sentence in new.items():
        read, before = _read(text, readings), [(Known(one, one), _read(one, readings)) for one in standing]
        for decision in _decide(read, before, readings) or [Add(text)]:  # it corrects what was said before the message
            if isinstance(decision, Update | Delete):
                standing.pop(decision.id)
            if isinstance(decision, Add | Update):
                standing[decision.text] = sentence
    return standing


def _likeliest(new: Statement, sentence: str, known: Sequence[_Read], readings: Mapping[str, Reading]) -> Known | None:
    """The fact that the encoder takes to be replaced by a new one, or by the sentence that says it."""
    if len({old.subject for _, old in known if _may_be_one_thing(new, old)}) > 1:
        return None  # "the deadline" may be any of them
    said = [new] if sentence == new.text else [new, replace(read_statement(sentence), subject=new.subject)]
    scored = [
        (max(replaces(one, old, readings[one.text], readings[old.text]) for one in said if one.text in readings), fact)
        for fact, old in known
        if old.text in readings and new.text in readings
        if not (_is_part_of_a_list(new, old) or _are_of_two_days(new, old))
    ]
    best = max(scored, key=lambda one: one[0], default=None)
    return best[1] if best is not None and best[0] >= LIKELY else None


def _is_part_of_a_list(new: Statement, old: Statement) -> bool:
    """Whether a statement ends, or denies, no more than a part of what an old one lists."""
    return (new.denied or new.over) and _LIST.search(old.text) is not None and not _within(old.core, new.core)


def _read(text: str, readings: Mapping[str, Reading]) -> Statement:
    """A statement; what it is of, in words that no rule reads, is taken from the encoder."""
    read = read_statement(text)
    if read.subject or text not in readings:
        return read
    does = doing(readings[text].sentence, text)
    about = [slot for slot, sure in (("home", does.home), ("employer", does.work)) if sure >= SURE]
    slots = frozenset(about if does.others < 1 - SURE else ())
    denied = read.denied or _DENIED_ELSEWHERE.search(text.lower()) is not None
    return Statement(text, "", "", slots, read.named, read.values, denied=denied, over=False, past=False)


def _decide(new: Statement, known: Sequence[_Read], readings: Mapping[str, Reading]) -> list[Decision]:
    def like(old: Statement) -> float:
        if new.text not in readings or old.text not in readings:
            return 1.0
        return float(readings[new.text].sentence @ readings[old.text].sentence)

    if correction := CORRECTED.search(new.text):
        return _corrected(correction, [one for one, _ in known])
    about = [(one, old) for one, old in known if old.subject == new.subject or _is_of_one_thing(new, old, known)]
    for one, old in about:
        if _says_the_same(new, old) or (like(old) >= SAME and _differ_in_nothing(new, old)):
            return [Keep(one.id)]
    if ALSO.search(new.text):
        return [Add(new.text)]
    rivals = [(one, old) for one, old in about if _is_rival(new, old)]
    near = [(one, old) for one, old in known if like(old) >= ON_THE_SAME]
    rivals = rivals or [(one, old) for one, old in near if _contradict(new, old)]
    if not rivals and new.over:
        rivals = _over_with(new, known)
    if not rivals:
        rivals = [(one, old) for one, old in known if _is_former(new, old)]
    if not rivals:
        rivals = [(one, old) for one, old in about if _differ_in_value(new, old, like(old))]
    if not rivals and not new.subject:
        rivals = [(one, old) for one, old in about if like(old) >= ALIKE and new.denied != old.denied]
    if rivals:
        *others, (last, old) = rivals
        return [Update(last.id, _with_kin(new, old)), *(Delete(one.id) for one, _ in others)]
    for one, old in about:
        if _goes_on(new.text, old.text) and not (old.slots or new.over or new.denied != old.denied):
            return [Update(one.id, new.text)]
    return [Add(new.text)]


def _corrected(correction: re.Match[str], known: Sequence[Known]) -> list[Decision]:
    """What becomes of the one fact that says what was not meant, or of the last one, where it has one value of the form
    of the one that is meant; nothing else."""
    if value := correction["value"]:
        form = re.compile(rf"(?<![\w.])\W?{re.sub(r'[0-9]', '[0-9]', re.escape(value))}(?![\w.])")
        last = known[-1:] if any(map(str.isdigit, value)) else []
        return [Update(one.id, form.sub(value, one.text)) for one in last if len(form.findall(one.text)) == 1]
    meant, former = correction["meant"] or correction["right"], correction["former"] or correction["wrong"]
    whole = re.compile(rf"(?<!\w){re.escape(former.strip(' .!'))}(?!\w)", re.IGNORECASE)
    wrong = [one for one in known if whole.search(one.text)]
    right = meant.strip(" .!")
    return [Update(wrong[0].id, whole.sub(lambda _: right, wrong[0].text))] if len(wrong) == 1 else []


class _People:
    """Who bears which name: a colleague Anna is not the sister Anna, and of a name that several bear nothing ends."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._kin: dict[str, set[str]] = {}
        for one in statements:
            if one.kin:
                self._kin.setdefault(one.subject, set()).add(one.kin)
            elif kin := _IS_KIN.search(one.text.rstrip(".")):
                self._kin.setdefault(one.subject, set()).add(read_statement(f"The user's {kin['kin']} is").subject)
            elif "name" in one.slots and one.subject.startswith("user's ") and is_somebody(one.subject):
                name = one.text.rstrip(".").split()[-1].casefold()
                self._kin.setdefault(name, set()).add(one.subject)

    def are_one(self, new: Statement, old: Statement) -> bool:
        """Whether two statements may be of the same person; what is of others than people always may."""
        if new.subject != old.subject:
            return True
        kin = self._kin.get(new.subject, set())
        if new.kin and old.kin:
            return new.kin == old.kin
        return len(kin) < 2


def _owner(statement: Statement) -> str:
    """Whose a statement is: somebody's, or the user's where it is of a thing."""
    return statement.subject if is_somebody(statement.subject) and statement.subject else "user"


def _stems(statement: Statement) -> frozenset[str]:
    """What a statement names, its subject included."""
    subject = f"{statement.subject} {statement.kin}".replace("user's", "")
    return statement.core | frozenset(content_stems(subject)) - {"user"}


def _within(less: frozenset[str], more: frozenset[str]) -> bool:
    """Whether each of some stems is among others, or begins as one of them does."""
    return bool(less) and all(
        one in more or any(len(one) >= PREFIX and one[:PREFIX] == other[:PREFIX] for other in more) for one in less
    )


def _may_be_one_thing(new: Statement, old: Statement) -> bool:
    """Whether one of two things may be the other: "the deadline" any deadline."""
    if is_somebody(new.subject) or is_somebody(old.subject) or not (new.subject and old.subject):
        return False
    thing, other = (frozenset(content_stems(one.subject.replace("user's", ""))) for one in (new, old))
    return _within(thing, other) or _within(other, thing)


def _is_of_one_thing(new: Statement, old: Statement, known: Sequence[_Read]) -> bool:
    """Whether "the deadline" is "the user's beta deadline": the only one of that name, where it is said to have
    changed."""
    if not (CHANGED.search(new.text) or new.slots & {"end of it"}) or not _may_be_one_thing(new, old):
        return False
    return len({one.subject for _, one in known if _may_be_one_thing(new, one)}) == 1


def _says_the_same(new: Statement, old: Statement) -> bool:
    if new.subject != old.subject or not _differ_in_nothing(new, old):
        return False
    return (new.named == old.named and bool(new.named or new.values)) or _goes_on(old.text, new.text)


def _differ_in_nothing(new: Statement, old: Statement) -> bool:
    """Whether two have the same numbers, names and polarity."""
    flags = (new.denied, new.over, new.past) == (old.denied, old.over, old.past)
    return flags and (new.values == old.values or _goes_on(old.text, new.text)) and _names(new) <= _names(old)


def _names(statement: Statement) -> set[str]:
    return {word.casefold() for word in re.findall(r"(?<=\S )[A-Z][\w-]+", statement.text)}


def _goes_on(more: str, less: str) -> bool:
    """Whether a text is another with something behind it."""
    bare = less.rstrip(". ").casefold()
    return more.casefold().startswith(bare) and _GOES_ON.match(more, len(bare)) is not None


def _is_rival(new: Statement, old: Statement) -> bool:
    """Whether two give the one value of something."""
    if new.slots & {"end of it"} and not is_somebody(old.subject):
        return True
    slots = new.slots & old.slots
    if not slots or old.text == new.text:
        return False
    return "time of it" not in slots or not _are_of_two_days(new, old)


def _are_of_two_days(new: Statement, old: Statement) -> bool:
    """Whether two are on something of which there may be several a week, each on a day of its own."""
    if CHANGED.search(new.text) or not _SEVERAL_A_WEEK.search(new.text.lower()):
        return False
    days, others = (set(map(str.lower, _ONE_DAY.findall(one.text))) for one in (new, old))
    return bool(days) and bool(others) and days.isdisjoint(others)


def _contradict(new: Statement, old: Statement) -> bool:
    """Whether one denies what the other says, of the same owner; neither may say anything beside it that matters."""
    if (
        new.denied == old.denied
        or _owner(new) != _owner(old)
        or (new.past != old.past and not (new.over or old.denied))
    ):
        return False
    if _is_part_of_a_list(new, old):
        return False
    return _within(old.core, frozenset(new.named)) or (new.over and _within(new.core, _stems(old)))


def _over_with(new: Statement, known: Sequence[_Read]) -> list[_Read]:
    """The one fact that a statement says to be over: the one of which it names most."""
    best: list[tuple[float, _Read]] = []
    named = _stems(new)
    for one, old in known:
        mentioned = _stems(old)
        is_gone = (
            not new.core
            and _owner(old) == "user"
            and _within(frozenset(content_stems(new.subject)) - {"user"}, mentioned)
        )
        if old.over or old.denied or not (is_gone or _owner(new) == _owner(old)) or old.past:
            continue
        share = sum(_within(frozenset([stem]), named) for stem in mentioned) / max(1, len(mentioned))
        if share < 1 and _LIST.search(old.text):
            continue
        if share > MOST or is_gone or _within(new.core, mentioned):
            best.append((share + is_gone, (one, old)))
    best.sort(key=lambda scored: -scored[0])
    return [best[0][1]] if best and (len(best) == 1 or best[0][0] > best[1][0]) else []


def _is_former(new: Statement, old: Statement) -> bool:
    """Whether a statement names what another says as what was before: "switched from Postgres"."""
    former = INSTEAD_OF.search(new.text)
    if former is None or _owner(new) != _owner(old) or old.denied or old.over:
        return False
    what = frozenset(read_statement(f"The user has {former['former']}").named)
    return _within(what, _stems(old)) and not _LIST.search(old.text)


def _differ_in_value(new: Statement, old: Statement, like: float) -> bool:
    """Whether two say the same but for a number, a day or a time."""
    if new.past or old.past or new.denied != old.denied or old.subject != new.subject or _are_of_two_days(new, old):
        return False
    if CHANGED.search(new.text) and new.core and new.core == old.core and new.named != old.named:
        return True  # "prefers coffee to tea now"
    if not (new.values and old.values) or new.values == old.values or len(new.values) != len(old.values):
        return False
    if not new.subject:
        return like >= ALIKE and re.sub(r"\d+", "0", new.text) == re.sub(r"\d+", "0", old.text)
    kinds = [[value[:1].isdigit() for value in one.values] for one in (new, old)]
    return kinds[0] == kinds[1] and bool(new.core) and new.core == old.core


def _with_kin(new: Statement, old: Statement) -> str:
    """A new fact of somebody by name, told of whom it is where the one that it replaces did: "Anna moved" of the user's
    sister Anna."""
    if not old.kin or new.kin or new.subject != old.subject or not new.text.casefold().startswith(new.subject):
        return new.text
    at = old.text.casefold().find(f"{old.subject} ")
    return old.text[:at] + new.text if at > 0 else new.text


def nearest(known: Sequence[Known], new: Iterable[str], most: int) -> list[Known]:
    """The facts that share most words with new ones, in their order."""
    asked = set(chain.from_iterable(map(words, new)))
    ranked = sorted(range(len(known)), key=lambda at: (-len(asked & set(words(known[at].text))), -at))
    return [known[at] for at in sorted(ranked[:most])]
