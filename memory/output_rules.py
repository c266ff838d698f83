"""What can be noted of a step's output without a model?

Lessons, insights and statements are told by English words. Messages of errors, values under names, what is measured and
items of reviews are told by how they look, in any language.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from memory.left_open import OPEN, parts_of
from memory.note_labels import heading_of, item_of, labelled_note, plain
from memory.observed import Category, Observed
from memory.output_lines import Kind, Line, lines_of
from memory.output_runs import begins_as_error, is_code, is_error, is_passing, is_tally, sums_up
from memory.word_terms import asked
from utils.sentences import split_sentences

MOST = 10  # notes kept of a category
LONGEST = 400  # characters of a sentence that may be a note
FEWEST = 3  # terms that say something, in a note that can be understood alone
FEWEST_OF_LESSON = 2  # "Never retry payments."
FEWEST_OF_RUN = 6  # lines of what a tool printed
RANKS = {"total": 0, "error": 1, "other": 2, "alike": 3}  # of findings; "alike": but for their numbers
MOST_KEY_WORDS = 4  # of a name before its value

_LESSON = re.compile(
    r"^(?:always|never(?! mind)|avoid|beware|do not|don['’]t|make sure|be sure|prefer|next time|in future|"
    r"in the future|remember to|tip|lesson)\b|\b(?:learn(?:ed|t) that|lessons? learn(?:ed|t)|next time|"
    r"should have|must not|should (?:always|never|not|avoid)|is best to|important to|avoid (?:using|the|this|it))\b",
    re.IGNORECASE,
)
_INSIGHT = re.compile(
    r"\b(?:decided|decision|conclu(?:de|ded|des|sion)|therefore|hence|because|due to|root cause|suggests?|indicates?|"
    r"implies|means that|turns out|key insight|recommend(?:ed|s)?|(?:will|should) use|agreed|chose|better|worse|"
    r"simpler|faster|slower|safer|cheaper|easier|likely|probably|instead of|rather than|trade-?off)\b",
    re.IGNORECASE,
)
_FINDING = re.compile(
    r"\b(?:is|are|was|were|isn['’]t|aren['’]t|has|have|had|uses?|runs?|returns?|requires?|supports?|contains?|allows?|"
    r"needs?|found|shows?|lives|listens|expires?|defaults?|fails?|lacks?|takes?|took|costs?|stores?|depends?|exists?|"
    r"equals?|grew|fell|rose|broke|lost|won|beat|hit|ran|held|kept|gave|sent|became|began|came|went|met|"
    r"will|\w{2,}ed)\b",
    re.IGNORECASE,
)
_DONE = re.compile(r"^[A-Z][\w.-]+ (?:will|\w{2,}ed|grew|fell|rose|broke|lost|won|beat|hit|ran|held|became|went)\b")
_DOING = re.compile(r"^\w+ed\b")  # "Checked the DNS" says what a step did, not what came to light
_ANYBODY = re.compile(
    r"^(?:(?:every|any|some|no)(?:thing|one|body)|nothing|it|this|that|i|we|you|he|she|they)\b", re.IGNORECASE
)
_EACH = re.compile(r"^(?:all|any|both|each|every|most|neither|no|none of)\s+[^\W\d_]{3,}", re.IGNORECASE)
_REMEDY = re.compile(r"^(?:must|should|has to|have to|needs? to)\b", re.IGNORECASE)
_PROGRESS = re.compile(
    r"^(?:i['’]?ll|i will|i am going|i['’]m going|let me|let['’]s|we will|now i|next,? i|starting|running|checking|"
    r"looking|trying|here (?:is|are)|this is|that is|it is|it['’]s|sure|okay|ok|done|great|thanks?|please|hello|hi|"
    r"step \d+|\[?\d+/\d+\]?)\b|(?:\.\.\.|…)$",
    re.IGNORECASE,
)
_TRUTH = re.compile(
    r"^(?:it|this|that) (?:is|was) (?:not |now )?(?:\w+ly )?(?:true|false|known|clear|confirmed|certain) that\b", re.I
)
_TO_DO = re.compile(
    r"^(?:then |also |and |now )?(?:ask|check|see|try|contact|ping|look|open|click|run|go|talk|call|email|read|"
    r"consider|review|verify|confirm|investigate|add|create|fix|update|rename|remove|move|install|tell|write|send|"
    r"schedule)\s",
    re.IGNORECASE,
)
_HEDGED = re.compile(r"\b(?:maybe|perhaps|possibly)\b", re.IGNORECASE)  # nobody has learned that yet
_REPORTED = re.compile(
    r"\b(?:ask(?:s|ed|ing)?|wonder(?:s|ed|ing)?|want(?:s|ed)? to know|unclear|unknown|unsure|not sure|not clear|"
    r"not know|no idea)\b.*\b(?:whether|if|who|what|when|where|why|how|which)\b"
    rf"|n['’]t know\b|{_HEDGED.pattern}",
    re.IGNORECASE,
)
# What is only supposed: "If it used OAuth2, we would need an id."
_SUPPOSED = re.compile(
    r"\bif\b.*\b(?:would|could|might)\b|\b(?:would|could|might)\b.*\bif\b"
    r"|^(?:had|were|should)\b.*\b(?:would|could|might)\b"
    r"|^(?:what if|suppose|supposing|assuming|imagine|hypothetically|hypothes[ei]s|assumptions?)\b",
    re.IGNORECASE,
)
# What was looked for and is not so, or not there.
_NEGATED = re.compile(
    r"\b(?:did not|didn['’]t|could not|couldn['’]t) (?:find|see|observe|detect|reproduce)\b"
    r"|\b(?:was|were|is|are)(?: not|n['’]t) (?:caused|used|needed|required|affected|supported|enabled|set|reachable|"
    r"installed)\b|\bnever \w{2,}ed\b",
    re.IGNORECASE,
)

# A review's item: what it is about, and where or how bad.
_REVIEWED = re.compile(
    r"^[\[(*`]*(?:(?i:blocker|blocking|critical|major|minor|high|medium|low|nit|bug|issue)\b[\])*`]*\s*[:–—-]"
    r"|[\w./-]+\.\w{1,5}:\d+)\W*[^\W\d_]+\W+[^\W\d_]"
)
_MEASURED = re.compile(r"[€$£¥₹]\s?\d|\d[\d.,:]*\s?(?:%|‰|°|[^\W\d_])|\d[.,]\d|(?:[^\W\d_]+ ){3}\d{2,}\b")
_NAMED = re.compile(r"^(?P<key>[^\W\d_][^:：=|]{0,40}?)\s*(?:[:：]|\s=)\s*(?P<value>\S.{0,200})$")
_LISTING = re.compile(
    r"^[-dlbcps][rwxsStT-]{9}|^\S*,\S*,\S*$|[;{]$|^(?:import|from|def|class|return|const|let|var|func|fn|use)\s"
)
_PAIR = re.compile(r"\d[\d.,]* [!-~]+$")  # "140 b.txt"
_SWITCH = re.compile(
    r"(?:on|off|true|false|yes|no|enabled|disabled|up|down|online|offline|(?:un)?healthy|degraded|(?:un)?available|"
    r"(?:un)?reachable|(?:in)?active|running|stopped|(?:not )?ready|passing|passed|failing|failed|ok)$",
    re.IGNORECASE,
)
_STATE = re.compile(r"(?:status|state|result|verdict|outcome|health|severity)$", re.IGNORECASE)
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
    alike: Counter[str] = Counter()
    for category, text, kind in _read(lines, _telling(lines, has_code), has_code):
        if text not in notes[category]:
            alike[shape := _DIGITS.sub("0", text)] += kind == "text"
            notes[category][text] = _rank(text, kind, alike[shape] > 1)
    return tuple(Observed(category, text) for category, texts in notes.items() for text in _first(texts))


def _first(ranked: Mapping[str, int]) -> list[str]:
    """The notes that are kept, best first, and as they came."""
    return sorted(ranked, key=ranked.__getitem__)[:MOST]


def _rank(text: str, kind: Kind, is_alike: bool) -> int:
    if sums_up(text):
        return RANKS["total"]
    if kind == "error" or is_error(text):
        return RANKS["error"]
    return RANKS["alike" if is_alike else "other"]


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
            for category, note in _noted(text):
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
        _TWO_GAPS.search(line[:LONGEST]) is not None and _is_row(text)
    )
    return is_set or is_code(text) or is_passing(text) or (is_bare_row and not sums_up(text))


def _noted(line: str) -> Iterator[tuple[Category, str]]:
    """The notes of a line: all of a review's item, or of a value under a name, and else its sentences."""
    if len(line) <= LONGEST and _REVIEWED.match(line):
        yield "finding", line
        return
    sentences = [line] if is_tally(line) else [*parts_of(split_sentences(_UNSPACED_END.sub("\n", line)))]
    if len(sentences) == 1 and _category_of(line) is None and _is_named_value(line):
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
        category: Category | None = "finding" if is_told else _category_of(sentence)
        if before and _REMEDY.match(sentence):  # says nothing without what is to be mended
            notes = [note for note in notes if note[1] != before]
            category, sentence = "finding", f"{before} {sentence}"
        if category is not None:
            notes.append((category, sentence))
        before = sentence
    yield from notes


def _category_of(sentence: str) -> Category | None:
    """Which note a sentence is by itself; None where it is none."""
    if len(sentence) > LONGEST or sentence.endswith(("?", "？", "؟", ":", "：")):
        return None
    terms = len(asked(sentence))
    if terms >= FEWEST_OF_LESSON and _LESSON.search(sentence) and not _HEDGED.search(sentence):
        return "lesson"
    if terms < FEWEST:
        return None
    is_truth = _TRUTH.match(sentence) is not None
    if _PROGRESS.search(sentence) and not is_truth:
        return None
    if _INSIGHT.search(settled := OPEN.sub(" ", sentence)):
        return "insight"
    if settled != sentence:  # a decision that is left open
        return None
    if _TO_DO.match(sentence) or _REPORTED.search(sentence) or _SUPPOSED.search(sentence):
        return None
    if is_truth or _is_measured(sentence) or _NEGATED.search(sentence):
        return "finding"
    if not _FINDING.search(_DOING.sub("", sentence)) or _is_row(sentence):
        return None
    return "finding" if _EACH.match(sentence) or _names_something(sentence) else None


def _names_something(sentence: str) -> bool:
    """Whether it has a number, a name or a thing of code in it, behind its first word, or says what somebody named
    did."""
    return (
        any(word[:1].isupper() or re.search(r"\d|[./_`]\w", word) for word in sentence.split()[1:])
        or re.match(r"[A-Z0-9]{2,}\b|`|\w*\d|\w{2,}[._]\w{2,}", sentence) is not None
        or (_DONE.match(sentence) is not None and _ANYBODY.match(sentence) is None)
    )


def _is_measured(sentence: str) -> bool:
    """Whether something is said with a number in it, in any language."""
    is_said = _MEASURED.search(sentence) is not None and _LISTING.search(sentence) is None
    return is_said and _PAIR.match(sentence) is None and not _is_row(sentence)


def _is_row(sentence: str) -> bool:
    """Whether it has more numbers than words."""
    numbers = sum(any(map(str.isdigit, word)) for word in sentence.split())
    letters = sum(any(map(str.isalpha, word)) and not any(map(str.isdigit, word)) for word in sentence.split())
    return letters < numbers and sentence.isascii()


def _is_named_value(line: str) -> bool:
    """Whether a line is a value under a name, "Region: eu-central-1"; the value names something."""
    found = _NAMED.match(line)
    if found is None or line.endswith(("?", ":", ",")):
        return False
    if _LISTING.search(line) or _PROGRESS.search(line) or _SUPPOSED.search(line):
        return False
    value = found["value"]
    names = value[:1].isupper() or not value.isascii() or re.search(r"\d|[/_-]\w", value)
    names = names or _STATE.search(found["key"]) or _SWITCH.match(value)
    return bool(names) and len(found["key"].split()) <= MOST_KEY_WORDS and any(map(str.isalnum, value))
