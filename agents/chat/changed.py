"""Has a later sentence changed what one says, and which of several is the newest? Moved, called off, sold, found."""

import re
from collections.abc import Sequence
from datetime import timedelta
from itertools import combinations, pairwise

from agents.chat.asked_words import asked
from agents.chat.possessors import has_other_owner
from agents.chat.statements import Sentence, takes_back
from agents.chat.subjects import source_of
from memory.language.questions import capitalised
from memory.language.times.only_time import beside_times
from utils.sentences import NO_NAME
from utils.text import STOPWORDS, WORD, content_stems, stem, words

SHARED = 2  # words by which a later sentence is known to be about the same
AT_ONCE = timedelta(minutes=15)  # within which what takes a sentence back follows it
LONG = 3  # digits of a number that is of a kind by its form alone
LIKE = 0.39  # cosine similarity to the question that what holds now needs, of which no other word says so

# Of a change that says what it is of, another sentence needs two words in common.
_CHANGED = re.compile(
    r"\b(actually|instead|moved|mov(?:es?|ing) (?:back )?to|cancel(?:l?ed|s)?|reschedul\w+|postponed|"
    r"call(?:ed|s)? (?:\w+ ){0,3}?off|(?:my|our) new|"
    r"put off|brought forward|chang(?:ed|es)|no longer|not any ?more|n['’]t any ?more|no (?:\w+ ){1,2}any ?more|"
    r"fell through|won['’]t happen|switched|swapped|replac(?:ed|es|ing)|threw out|thrown out|drop(?:ped|s)|"
    r"got rid of|gave (?:up|away)|given up|quit|stopped|sold|turned out|turned up|paid back|raised|lowered|reduced|"
    r"increased|(?:came|went|goes|gone|going) (?:up|down) to|after all|(?:is|are) now|now it['’]s|died|passed away)\b",
    re.IGNORECASE,
)
# What is so until it is undone: a later sentence of the second kind ends one of the first, where both name the same;
# who does it is enough for that where the last says so.
_UNDONE = tuple(
    (re.compile(rf"\b(?:{before})\b", re.IGNORECASE), re.compile(rf"\b(?:{after})\b", re.IGNORECASE), of_one)
    for before, after, of_one in (
        (
            r"ow(?:e|es|ed)|lent|lend|borrow(?:ed|s)|debts?",
            r"paid (?:me|us|it|him|her|them|up|off|back|all|everything)|pays (?:\w+ )?back|repaid|settled|"
            r"gave (?:\w+ )?back|returned|quits",
            True,
        ),
        (
            r"ill|sick|hurt|injured|broken|broke|sprained",
            r"recovered|healed|well again|better now|finally well|fixed|repaired",
            True,
        ),
        (
            r"lost|missing|mislaid|stolen|stole|misplaced|can['’]?t find|didn['’]t find|disappeared|left my",
            r"found|turned up|recovered|got (?:\w+ ){1,3}back|came back|reappeared|arrived",
            False,
        ),
        (
            r"use|uses|using|decided|decision|chose|chosen|picked|go with|went with|runs? on",
            r"threw out|thrown out|drop(?:ped)?|replaced|switched|ripped out|removed|abandoned|got rid of|migrated|"
            r"moved (?:away |off )|no longer|n['’]t use|any ?more",
            False,
        ),
        (
            r"have|has|own|owns|drive|drives|bought|got|my|our|replacing|the (?:car|van|bike|house|flat|boat)",
            r"sold|gave (?:\w+ )?away|got rid of|scrapped|passed away|ran away|threw (?:\w+ )?(?:out|away)|broke|"
            r"(?:goes|went) to (?:\S+ ){1,4}for [€$£]?\d[\d,.]*",
            False,
        ),
        (
            r"smokes?|drinks?|plays?|works?|learn\w*|stud(?:y|ies|ying)|attends?|started|joined|go(?:es)? to|"
            r"team|staff",
            r"quit|stopped|gave up|given up|dropped out|left|leaves|leaving|no longer|any ?more",
            False,
        ),
        (
            r"meet|meeting|party|dinner|lunch|date|appointment|flight|trip|concert|fly|flying|plan\w*|booked|goes? to",
            r"call(?:ed|s)? (?:\w+ ){0,3}?off|cancel(?:l?ed|s)|fell through|won['’]t happen|not coming|postponed",
            False,
        ),
    )
)
_WEEKDAY = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.,:/-])(\d[\d.,]{0,20}(?<![.,]))(?![\w:/-]{0,8}\d) ?([^\W\d_]{1,12}|[%€$£])?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_UNITS = frozenset(
    "mg g kg lb lbs ml l km mph kmh kcal cm mm euro euros eur € $ £ % dollars usd pounds points".split()  # noqa: SIM905
)
_DOING = frozenset(content_stems("want need get have go see make say think plan take give come look use know"))
_NEVER = re.compile(r"(?:\b(?:never|not|nobody|no one|has nothing)|n['’]t)(?: been| yet| \w+ly)* $", re.IGNORECASE)
_OF_NOW = re.compile(
    r"\b(?:now|nowadays|still|today|currently|at (?:the moment|present)|these days|any ?more|latest|newest|current)\b",
    re.IGNORECASE,
)
_IS_NOW = re.compile(r"\b(?:now|nowadays|these days|currently|from now on|as of|at the moment|by now)\b", re.IGNORECASE)


def asks_for_now(query: str) -> bool:
    """Whether a question is about what holds at present: "now", "still", "these days"."""
    return _OF_NOW.search(query) is not None


def with_changes(
    query: str, chosen: Sequence[Sentence], sentences: Sequence[Sentence], *, of_now: bool = False
) -> list[Sentence]:
    """What was chosen, each sentence behind a later one that says that it was changed or undone. `of_now`: or that says
    what holds now, which the question asks for."""
    found: dict[tuple[tuple[str, str], str], Sentence] = {}
    wanted = asked(query)
    known = [(other, frozenset(content_stems(other.text))) for other in sentences] if chosen else []
    for one in chosen:
        about = _about(one)
        after = [
            (other, stems)
            for other, stems in known
            if other.source.timestamp > one.source.timestamp
            and (other.source.role == one.source.role or other.source.role != "assistant")
        ]
        later = [other for other, stems in after if not about.isdisjoint(stems)]
        changes = [
            other
            for other in later
            if _changes(one, other, wanted) or _undoes(one, other, wanted) or _measures_anew(one, other, wanted)
        ]
        if of_now and not changes:
            changes = [other for other in later if _replaces(one, other, wanted)]
        changes += [other for other, _ in after if source_of(other) in one.renewed_by]
        changes += _taken_back(one, [other for other, _ in after])
        changes.sort(key=lambda other: other.source.timestamp, reverse=True)
        for other in (*changes[:1], one):
            found.setdefault((source_of(other), other.text), other)
    return list(found.values())


def _taken_back(one: Sentence, later: Sequence[Sentence]) -> list[Sentence]:
    """What its speaker said next in the session, where that takes a sentence back: "sorry, I meant Wednesday"."""
    same = [other for other in later if _by_the_same(one, other)]
    following = min(same, key=lambda other: other.source.timestamp, default=None)
    is_next = following is not None and following.source.timestamp - one.source.timestamp <= AT_ONCE
    return [following] if following is not None and is_next and takes_back(following.text) else []


def _by_the_same(one: Sentence, other: Sentence) -> bool:
    said, also = one.source, other.source
    return (said.session_id, said.role, said.name) == (also.session_id, also.role, also.name) and said.id != also.id


def newest_first(chosen: Sequence[Sentence]) -> list[Sentence]:
    return sorted(chosen, key=lambda sentence: sentence.source.timestamp, reverse=True)


def tells_of_change(chosen: Sequence[Sentence], *, of_now: bool) -> bool:
    """Whether quotes of different days are of the same thing, or of what holds now, so that it matters when each was
    said."""
    return any(
        one.source.timestamp.date() != other.source.timestamp.date()
        and (of_now or _are_of_the_same(*_in_time(one, other)))
        for one, other in combinations(chosen, 2)
    )


def _are_of_the_same(one: Sentence, later: Sentence) -> bool:
    if source_of(later) in one.renewed_by:
        return True
    common = len(_about(one) & _about(later))
    if common >= SHARED or (common and _of_one_kind(one.text, later.text)):
        return True
    return _changes(one, later, None) or _undoes(one, later, None)


def _in_time(one: Sentence, other: Sentence) -> tuple[Sentence, Sentence]:
    return (one, other) if one.source.timestamp <= other.source.timestamp else (other, one)


def _changes(one: Sentence, other: Sentence, wanted: set[str] | None) -> bool:
    """`wanted`: the stems of the question. One of them that both have is enough, but for a name, and anything that both
    have is where they give two values of one kind."""
    if not _tells(_CHANGED, other.text):
        return False
    stems = _about(one)
    common = stems & _about(other)
    if common and wanted is not None and (common & wanted - _named(other.text) or _of_one_kind(one.text, other.text)):
        return True
    return bool(stems) and len(common) >= min(SHARED, len(stems))


def _measures_anew(one: Sentence, other: Sentence, wanted: set[str]) -> bool:
    """Whether a sentence gives another value of one kind for something that is asked for, which is no mere name; not of
    the port for staging, where one that has both is asked for that for production."""
    told, also = _about(one), _about(other)
    common = told & also
    things = common & wanted - _named(other.text) - _DOING
    if not things or not _of_one_kind(one.text, other.text) or has_other_owner(other.text, one.text, common):
        return False
    return (common <= wanted or wanted & told <= also) and not _is_another(other.text, things, told | wanted)


def _is_another(text: str, things: set[str], known: set[str]) -> bool:
    """Whether a text says of which kind a thing is, by a word before it that is not known: "the office rent"."""
    said = words(text)
    before = (first for first, second in pairwise(said) if stem(second) in things)
    return any(one not in STOPWORDS and one.isalpha() and stem(one) not in known for one in before)


def _of_one_kind(one: str, other: str) -> bool:
    """Whether two texts give different values of one kind: "thursdays 7pm" and "tuesdays 6pm", "2,5 mg" and "5 mg",
    "1710" and "1804". Years and spans of time are of all kinds of things."""
    kinds, others = _values(one), _values(other)
    return any(kinds[kind].isdisjoint(others[kind]) for kind in kinds.keys() & others.keys())


def _values(text: str) -> dict[str, set[str]]:
    """The values in a text by their kinds: weekdays, and numbers by their unit, or, long ones, by their form."""
    found: dict[str, set[str]] = {}
    for day in _WEEKDAY.findall(text):
        found.setdefault("weekday", set()).add(day.lower())
    for number, unit in _NUMBER.findall(text):
        if unit.lower() in _UNITS:
            found.setdefault(unit.lower(), set()).add(number.replace(",", "."))
        elif sum(map(str.isdigit, number)) >= LONG and not _YEAR.fullmatch(number):
            found.setdefault(re.sub(r"\d", "0", number), set()).add(number)
    return found


def _undoes(one: Sentence, other: Sentence, wanted: set[str] | None) -> bool:
    """`wanted`: the stems of the question, one of which both have, or a name; None where any word will do."""
    common = _about(one) & _about(other)
    if wanted is not None:
        common &= wanted | (_named(one.text) & _named(other.text))
    if has_other_owner(other.text, one.text, common):
        return False
    things = common - (_subject(one.text) & _subject(other.text))
    return any(
        before.search(one.text) and _tells(after, other.text)
        for before, after, of_one in _UNDONE
        if things or (of_one and common)
    )


def _tells(change: re.Pattern[str], text: str) -> bool:
    """Whether a text tells of a change, and not that there was none."""
    return any(not _NEVER.search(text, 0, found.start()) for found in change.finditer(text))


def _replaces(one: Sentence, other: Sentence, wanted: set[str]) -> bool:
    """Whether a sentence says of now what another said of the same, a number where that has one."""
    if not _IS_NOW.search(other.text) or other.likeness < LIKE:
        return False
    common = _about(one) & _about(other) & wanted
    numbers = any(word[0].isdigit() for word in WORD.findall(one.text))
    return bool(common) and (not numbers or any(word[0].isdigit() for word in WORD.findall(other.text)))


def _about(sentence: Sentence) -> set[str]:
    return beside_times(content_stems(sentence.text))


def _subject(text: str) -> set[str]:
    """The stem of the name with which a text begins, if it does."""
    first = WORD.findall(text)[:1]
    return {stem(word.lower()) for word in first if word[0].isupper()}


def _named(text: str) -> set[str]:
    """The stems of words with a capital, but for those that any sentence begins with."""
    return set(map(stem, capitalised(text) - NO_NAME))
