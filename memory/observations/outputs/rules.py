"""What can be noted of a step's output without a model?

Lessons, insights and statements are told by English words. Messages of errors, values under names, what is measured and
items of reviews are told by how they look, in any language.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from memory.language.left_open import parts_of
from memory.observations.observation import Category, Observed
from memory.observations.outputs.changes import is_loss
from memory.observations.outputs.lines import Kind, Line, lines_of
from memory.observations.outputs.note_labels import heading_of, item_of, labelled_note, plain
from memory.observations.outputs.runs import (
    begins_as_error,
    counts_failures,
    is_code,
    is_error,
    is_failing_row,
    is_passing,
    is_tally,
    sums_up,
)
from memory.observations.outputs.sentences import LONGEST, category_of, is_named_value, is_request, is_row
from memory.observations.outputs.talk import speakers_in, turn_of
from utils.sentences import split_sentences

MOST = 10  # notes kept of a category
FEWEST_OF_RUN = 6  # lines of what a tool printed
MOST_TOTALS = 4  # that stand first; of further ones only those that count a failure come before what else is told
MOST_ALIKE = 2  # errors that are alike but for their numbers, and come before others
RANKS = {
    "total": 0,
    "error": 1,
    "alike error": 2,
    "other": 3,
    "alike": 4,
}  # of findings; "alike": but for their numbers

_REMEDY = re.compile(r"^(?:must|should|has to|have to|needs? to)\b", re.IGNORECASE)

# A review's item: what it is about, and where or how bad.
_REVIEWED = re.compile(
    r"^[\[(*`]*(?:(?i:blocker|blocking|critical|major|minor|high|medium|low|nit|bug|issue)\b[\])*`]*\s*[:–—-]"
    r"|[\w./-]+\.\w{1,5}:\d+(?::\d+)?)\W*[^\W\d_]\w*\W+[^\W\d_]"
)
_GAPS = re.compile(r"(?:\S(?:\S| (?=\S))*(?<![.!?:])(?: {2,}|\t)\s*){3}\S")  # as between the cells of a row
_TWO_GAPS = re.compile(r"\S {2,}(?:\S| (?=\S))+ {2,}\S")
_SET = re.compile(r"[\w.\[\]]+ = \S")
_SENTENCE = re.compile(r"\w \S+ .*[.!。！]$")
_CAPITAL = re.compile(rf"^[^\W\da-z_]|{_SENTENCE.pattern}")
_ANYTHING = re.compile("")
_DIGITS = re.compile(r"\d+")
_UNSPACED_END = re.compile(r"(?<=[。！？])(?=\S)")


def observe_by_rules(output: str) -> tuple[Observed, ...]:
    """What a step's output notes: what it came to, errors, and what its JSON and its tables tell; of its sentences, by
    their words: lessons say what to do another time, insights conclude, findings state something with a name or a
    number in it, or of all of a kind. What is labelled ("Finding: …", or a list under "Lessons:") is taken by its
    label. Of more findings than are kept, those that sum up come first, then errors."""
    lines = list(lines_of(output))
    has_code = any(line.kind == "text" and is_code(plain(line.text)) for line in lines)
    notes: dict[Category, dict[str, int]] = {"finding": {}, "insight": {}, "lesson": {}}
    ranked = _Ranks()
    for category, text, kind in _read(lines, _telling(lines, has_code), has_code):
        if text not in notes[category]:
            notes[category][text] = ranked.of(text, kind)
    return tuple(Observed(category, text) for category, texts in notes.items() for text in _first(texts))


def _first(ranked: Mapping[str, int]) -> list[str]:
    """The notes that are kept, best first, and as they came."""
    return sorted(ranked, key=ranked.__getitem__)[:MOST]


class _Ranks:
    """How much notes matter, which are seen one after another: less, where many are like those before."""

    def __init__(self) -> None:
        self._alike: Counter[str] = Counter()
        self._totals = 0

    def of(self, text: str, kind: Kind) -> int:
        if sums_up(text):
            self._totals += 1
            is_first = self._totals <= MOST_TOTALS
            return RANKS["total" if is_first else "error" if counts_failures(text) else "alike"]
        shape = _DIGITS.sub("0", text)
        self._alike[shape] += kind != "finding"
        if kind == "error" or is_error(text) or is_loss(text) or is_failing_row(text):
            return RANKS["error" if self._alike[shape] <= MOST_ALIKE else "alike error"]
        return RANKS["alike" if self._alike[shape] > 1 else "other"]


def _telling(lines: Sequence[Line], has_code: bool) -> re.Pattern[str]:
    """How a line looks that may be a note for what it says. Where a tool's run is summed up, other lines than sentences
    are what it printed on its way; where an agent may sum up, those that begin small."""
    if len(lines) < FEWEST_OF_RUN or not any(sums_up(plain(line.text)) for line in lines):
        return _ANYTHING
    is_tool = has_code or any(line.kind == "error" or is_passing(line.text) for line in lines)
    return _SENTENCE if is_tool else _CAPITAL


def _read(lines: Sequence[Line], telling: re.Pattern[str], has_code: bool) -> Iterator[tuple[Category, str, Kind]]:
    """The notes of lines. `has_code`: source code stands among them, so that what is set there is no value."""
    under: Category | None = None  # the label of the list that a line may belong to
    speakers = speakers_in(plain(line.text) for line in lines if line.kind == "text")
    for line in lines:
        if line.kind in ("finding", "error"):
            yield "finding", plain(line.text), line.kind
            continue
        is_text = line.kind == "text"
        if is_text and (heading := heading_of(line.text)) is not None:
            under = heading
            continue
        if is_text and (labelled := labelled_note(line.text)) is not None:
            under, rest = labelled
            if rest:
                yield under, rest, "finding"
                under = None
            continue
        item = item_of(line.text)
        text = plain(line.text if item is None else item)
        under = under if item is not None else None
        if under is not None:
            if text:
                yield under, text, "finding"
        elif _is_one_error(text, line.kind):
            yield "finding", text, "error"
        elif is_text and not _says_nothing(line.text, text, has_code):
            may_be_any = item is not None or telling.search(text) is not None
            for category, note in _noted_of(text, speakers):
                if may_be_any or sums_up(note) or _REVIEWED.match(note) or is_error(note):
                    yield category, note, "text"


def _is_one_error(text: str, kind: Kind) -> bool:
    """Whether a line is one message of an error, and no sentences of which one names some."""
    if not is_error(text) or is_code(text):
        return False
    return kind == "code" or begins_as_error(text) or len(split_sentences(text.replace("... ", " "))) == 1


def _says_nothing(line: str, text: str, has_code: bool) -> bool:
    """Whether a line is source code, a row whose columns have no names, or one of many steps that went well."""
    is_set = has_code and _SET.match(text) is not None
    is_bare_row = _GAPS.search(line[:LONGEST]) is not None or (
        _TWO_GAPS.search(line[:LONGEST]) is not None and is_row(text)
    )
    return is_set or is_code(text) or is_passing(text) or (is_bare_row and not sums_up(text))


def _noted_of(line: str, speakers: frozenset[str]) -> Iterator[tuple[Category, str]]:
    """The notes of a line; of what one of the speakers says, those of its sentences, with who says it."""
    turn = turn_of(line, speakers)
    if turn is None:
        yield from _noted(line)
        return
    who, said = turn
    notes = [(category, f"{who}: {note}") for category, note in _noted(said)]
    if not notes and not is_request(said) and is_named_value(line):
        notes = [("finding", line)]
    yield from notes


def _noted(line: str) -> Iterator[tuple[Category, str]]:
    """The notes of a line: all of a review's item, or of a value under a name, and else its sentences."""
    if len(line) <= LONGEST and _REVIEWED.match(line):
        yield "finding", line
        return
    sentences = [line] if is_tally(line) else [*parts_of(split_sentences(_UNSPACED_END.sub("\n", line)))]
    if len(sentences) == 1 and category_of(line) is None and is_named_value(line):
        yield "finding", line
        return
    notes: list[tuple[Category, str]] = []
    before = ""
    for sentence in sentences:
        if (labelled := labelled_note(sentence)) is not None and labelled[1]:
            notes.append(labelled)
            before = ""
            continue
        is_told = is_error(sentence) or sums_up(sentence)
        category: Category | None = "finding" if is_told else category_of(sentence)
        if before and _REMEDY.match(sentence):  # says nothing without what is to be mended
            notes = [note for note in notes if note[1] != before]
            category, sentence = "finding", f"{before} {sentence}"
        if category is not None:
            notes.append((category, sentence))
        before = sentence
    yield from notes
