"""Notes by rules: findings, insights and lessons of an output, as each stands in it.

Labels say what a note is ("Finding: …", a list under "Lessons"). Totals, errors and values are findings by their
salience, sentences by what they name or measure; insights and lessons are told by English words alone.
"""

import re
from collections import Counter
from collections.abc import Iterator

from memory.observations.observation import Category, Observed
from memory.observations.pages import read_page
from memory.observations.salience import LONGEST, Line, Rank, lines_in, rank_of
from memory.observations.values import tables_in, take_values
from memory.recall import asked
from memory.views import excerpt, talk_of
from utils.sentences import split_sentences
from utils.text import GAP, cut_at_word, ends_with_full_stop, ends_with_question_mark

READ, MOST_LINES = 400_000, 20_000  # characters and lines of an output that are read, half of them from its end
MOST_OF_A_MODEL = 4_000  # characters of an output that a model reads
NOTE_CHARACTERS = 1_000
MOST_NOTES = 10  # kept of a category
MOST_ALIKE = 2  # errors that are alike but for their numbers, and stand first
FEWEST_TERMS, FEWEST_OF_LESSON = 3, 2  # that say something, in a note that can be understood alone

_CALLED = r"(finding|insight|lesson|takeaway|conclusion|decision|recommendation|issue|problem)s?(?: learned)?"
NAMED = re.compile(rf"\b{_CALLED}\b", re.IGNORECASE)  # where none stands, there is no label
_LABEL = re.compile(rf"\W*(?:key )?(?!issue|problem){_CALLED}\s*(?:[:：]|\s[-–—]\s)\W*(.*)$", re.IGNORECASE)
_HEADING = re.compile(rf"\s{{0,3}}(?:#{{1,6}}\s+|\*\*)?(?!no )(?:\w+ )?{_CALLED}\W*$", re.IGNORECASE)
_NOTHING = frozenset({"none", "n/a", "nothing"})
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_MARKS = re.compile(r"^[\s#>*_]+(?!\w*__)|(?<![\w*])\*\*(?!\*)|(?<!\*)\*\*(?![\w*])|(?<=[^\s*])\*(?=\s|$)")
_DIGITS = re.compile(r"\d+")
_LONG_LINE = re.compile(r"^(.{500}).{2,}(.{500})$", re.MULTILINE)  # of which a model reads the beginning and the end
_ADDRESS = re.compile(r"\S+://\S+")

# What only seems to be decided, important or learned: "not yet decided", "I don't remember", "maybe we will use".
OPEN = re.compile(
    r"\bundecided\b|\b(?:before|once) \w+ (?:decide|agree|(?:have|has) (?:decided|agreed))\b"
    r"|\b(?:maybe|perhaps|possibly|might|may|could|whether|not|never|nobody|nothing|hardly|cannot|no|if"
    r"|without|unless|until|to be|n['’]t|\w+n['’]t) (?!only\b|again\b)(?:(?!but\b|and\b|so\b|it\b)\w+ ){0,4}?"
    r"(?:will use|should use|decided?|decision|conclusion|important|remember|agreed?|agreement|learn(?:ed|t)? that)\b",
    re.IGNORECASE,
)
_LESSON = re.compile(
    r"(?:always|never(?! mind)|avoid|do not|don['’]t|make sure|prefer|next time|in (?:the )?future)\b"
    r"|.*\b(?:learn(?:ed|t) that|next time|should have|must not|should (?:always|never|not)|avoid (?:using|the|it))\b",
    re.IGNORECASE,
)
_INSIGHT = re.compile(
    r"\b(?:decided|decision|conclu(?:de[ds]?|sion)|therefore|because|due to|root cause|suggests?|means that|turns out"
    r"|recommend(?:ed|s)?|(?:will|should) use|agreed|chose|better|worse|faster|slower|instead of|rather than)\b",
    re.IGNORECASE,
)
# What goes on, is to be done, supposed or polite, and states nothing.
_NO_STATEMENT = re.compile(
    r"(?:i['’]?ll|i will|let me|let['’]s|now i|next,? i|here (?:is|are)|ok|done|thank\w*|please|hello|suppos\w+"
    r"|(?:ask|check|see|try|look|open|click|run|go|read|consider|verify|confirm|add|create|install|tell|send)"
    r"|\w+ing(?!.*\b(?:is|are|was|were|takes?|took|needs?|costs?|has|have|will|requires?)\b))\b"
    r"|.*\b(?:maybe|perhaps|possibly|n['’]t know|not know|unclear|not sure|whether)\b"
    r"|.*\bif\b.*\b(?:would|could|might)\b|.*\b(?:would|could|might)\b.*\bif\b",
    re.IGNORECASE,
)
_MEASURED = re.compile(r"[€$£¥₹]\s?\d|\d[\d.,:]*\s?(?:%|‰|°|[^\W\d_])|\d[.,]\d")
_NAME = re.compile(
    r"(?:^|(?<=\s))[\"'(`]*(?:[\w-]*\d|\w+[./_:]\w|[A-Z]{2,}|\w+[a-z][A-Z]|`[^`]+`)|(?<=[\w,;:] )[A-Z]\w"
)
_ENGLISH = re.compile(r"\b(?:the|is|are|were|has|have|of|and|to|uses?|runs?|will|\w{3,}ed)\b")
_NAMED_VALUE = re.compile(r"[^\W\d_][^:：=|]{0,60}?\s*(?:[:：]|\s=)\s*(?P<value>\S.{0,200})$")
_LISTING = re.compile(r"[-dlbcps][rwxsStT-]{9}|.*(?:\S {2,}.*){3}|\d[\d.,]* [!-~]+$")


def observe_by_rules(output: str) -> tuple[Observed, ...]:
    """What a step's output notes, up to ten of a category: of findings those that sum up come first, then errors, then
    values and statements as they stand; of what is alike but for its numbers the further ones come last."""
    notes: dict[Category, dict[str, int]] = {"finding": {}, "insight": {}, "lesson": {}}
    alike: Counter[str] = Counter()
    for category, text, rank in _notes_of(_lines_of(output)):
        if text in notes[category]:
            continue
        shape = _DIGITS.sub("0", text)
        alike[shape] += rank in (Rank.ERROR, Rank.PLAIN)
        is_behind = alike[shape] > (MOST_ALIKE if rank is Rank.ERROR else 1)
        notes[category][text] = Rank.PROGRESS if is_behind else min(rank, Rank.VALUE)
    return tuple(
        Observed(category, text)
        for category, texts in notes.items()
        for text in sorted(texts, key=texts.__getitem__)[:MOST_NOTES]
    )


def output_for_model(output: str) -> str:
    """An output as a model reads it: of a long one what its values tell, and the lines that matter most."""
    if len(output) <= MOST_OF_A_MODEL:
        return output
    lines, text = take_values(output)
    first = "\n".join(line.text for line in lines)[: MOST_OF_A_MODEL // 2]
    rest = _LONG_LINE.sub(rf"\1{GAP}\2", read_page(text))
    return f"{first}\n{excerpt(rest, talk_of([]), MOST_OF_A_MODEL - len(first) - 1)}".strip()


def _lines_of(output: str) -> list[Line]:
    values, text = take_values(output)
    rows, rest = tables_in(_ends_of(read_page(text)))
    return [*values, *rows, *lines_in("\n".join(rest))]


def _ends_of(text: str) -> list[str]:
    """The lines of a text; of a huge one those at its beginning and at its end."""
    if len(text) > READ:
        text = f"{text[: READ // 2]}\n{text[-READ // 2 :]}"
    lines = text.splitlines()
    return lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES // 2], *lines[-MOST_LINES // 2 :]]


def _notes_of(lines: list[Line]) -> Iterator[tuple[Category, str, Rank]]:
    under: Category | None = None  # the label of the list that a line may belong to
    ranks = {line.rank for line in lines}
    is_run = Rank.TOTAL in ranks and not ranks.isdisjoint((Rank.ERROR, Rank.PROGRESS))  # what a tool prints on its way
    for at, line in enumerate(lines):
        item = item_of(line.text)
        text = plain(line.text if item is None else item)
        if (heading := heading_of(line.text)) is not None:
            under = heading
        elif (labelled := labelled_note(line.text)) is not None and (labelled[1] or not line.whole):
            under, said = labelled
            if said:
                yield under, said, Rank.VALUE
                under = None
        elif item is not None and under is not None:
            yield under, text, Rank.VALUE
        elif line.whole or line.rank <= Rank.VALUE:
            yield "finding", text, line.rank
        else:
            under = None
            if line.rank is Rank.PROGRESS or (is_run and item is None and not ends_with_full_stop(text)):
                continue
            notes = list(_stated(text))
            yield from notes
            if at == len(lines) - 1 > 0 and not notes and _says_something(text):
                yield "finding", text, Rank.PLAIN


def _says_something(text: str) -> bool:
    is_statement = not (_is_row(text) or _LISTING.match(text) or _NO_STATEMENT.match(text))
    return is_statement and len(text) <= LONGEST and len(asked(text)) >= FEWEST_TERMS


def _stated(text: str) -> Iterator[tuple[Category, str, Rank]]:
    """The notes of a line's sentences."""
    if _LISTING.match(text[:LONGEST]):
        return
    sentences = list(parts_of(split_sentences(text)))
    if len(sentences) == 1 and _is_named_value(text):
        yield "finding", text, Rank.PLAIN
        return
    for sentence in sentences:
        if (labelled := labelled_note(sentence)) is not None:
            if labelled[1]:
                yield labelled[0], labelled[1], Rank.VALUE
        elif (rank := rank_of(sentence)) in (Rank.TOTAL, Rank.ERROR) and len(sentence) <= LONGEST:
            yield "finding", sentence, rank
        elif (category := category_of(sentence)) is not None:
            yield category, sentence, Rank.PLAIN


def category_of(sentence: str) -> Category | None:
    """Which note a sentence is by itself; None where it is none."""
    if len(sentence) > LONGEST or ends_with_question_mark(sentence) or sentence.endswith((":", "：")):
        return None
    settled = OPEN.sub(" ", sentence)
    if _NO_STATEMENT.match(sentence) or (settled != sentence and not _INSIGHT.search(settled)):
        return None
    terms = len(asked(sentence))
    if terms >= FEWEST_OF_LESSON and _LESSON.match(sentence):
        return "lesson"
    if terms < FEWEST_TERMS:
        return None
    if _INSIGHT.search(settled):
        return "insight"
    return "finding" if _names_something(_ADDRESS.sub("", sentence)) else None


def _names_something(sentence: str) -> bool:
    """Whether it has a measure, or in English a number or a name in it, and is no row of numbers."""
    if _is_row(sentence):
        return False
    return bool(_MEASURED.search(sentence) or (_ENGLISH.search(sentence) and _NAME.search(sentence)))


def _is_row(text: str) -> bool:
    """Whether it has more numbers than words."""
    words = text.split()
    return len(words) > 1 and 2 * sum(any(map(str.isdigit, word)) for word in words) > len(words)


def _is_named_value(line: str) -> bool:
    """Whether a line is a value under a name, "Region: eu-central-1"; the value is one word, or names something."""
    found = _NAMED_VALUE.match(line)
    if found is None or line.endswith(("?", ":", ",")) or _NO_STATEMENT.match(line):
        return False
    value = found["value"]
    names = value[:1].isupper() or not value.isascii() or " " not in value or re.search(r"\d|[/_-]\w", value)
    return "://" not in value and bool(names)


def parts_of(sentences: list[str]) -> Iterator[str]:
    """Sentences; of one that leaves something open its parts, which may settle something else."""
    for sentence in sentences:
        yield from filter(None, map(str.strip, sentence.split("; ") if OPEN.search(sentence) else [sentence]))


def heading_of(line: str) -> Category | None:
    """What the items under a line are; None for what is no heading of notes."""
    found = _HEADING.match(line[:LONGEST])
    return _category(found[1]) if found is not None else None


def labelled_note(text: str) -> tuple[Category, str] | None:
    """What a text says that it is, and the text behind that, which is empty where it says that there is none; None
    where it has no label."""
    found = _LABEL.match(text)
    if found is None:
        return None
    rest = plain(found[2])
    return _category(found[1]), "" if rest.lower().rstrip(".!") in _NOTHING else rest


def item_of(line: str) -> str | None:
    """An item of a list without its bullet; None for another line."""
    found = _BULLET.match(line)
    return line[found.end() :] if found is not None else None


def plain(text: str) -> str:
    """A text without the marks of Markdown around it, cut to a note's length."""
    return cut_at_word(_MARKS.sub("", text[: 2 * NOTE_CHARACTERS]).strip(), NOTE_CHARACTERS)


def _category(word: str) -> Category:
    match word.lower():
        case "finding" | "issue" | "problem":
            return "finding"
        case "insight" | "takeaway" | "conclusion" | "decision":
            return "insight"
        case _:
            return "lesson"
