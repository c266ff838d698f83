"""What can be noted of an output or a conversation without a model? Pure functions over texts.

The trigger words of a conversation are those of the observations' document, "Session Consolidation Heuristics".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.domain import RULE_BASED
from memory.observed import Category, Observed
from utils.text import content_stems, cut_at_word, split_sentences

MOST = 10  # notes kept of a category of an output
LONGEST = 400  # characters of a sentence that may be a note
FEWEST = 3  # stems that say something, in a note that can be understood alone
SUMMARY_OVER = 100  # characters: a longer message of the assistant may sum a conversation up
NOTE_CHARACTERS = 1_000
SUMMARY_CHARACTERS = 4_000

NO_PROSE = ("```", "{", "}", "[", "]", "<", "|", "$ ", "at ")  # how lines begin of code, JSON, tables and stack traces

_LABEL = re.compile(r"^\W*(finding|insight|lesson)s?(?: learned)?\s*[:：]\W*(.*)$", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_MARKS = re.compile(r"^[\s#>*_`]+|[*_`]+(?=\s|$)")
_LESSON = re.compile(
    r"^(?:always|never|avoid|beware|do not|don['’]t|make sure|be sure|prefer|next time|in future|in the future|"
    r"remember to|tip|lesson)\b|\b(?:learn(?:ed|t) that|lessons? learn(?:ed|t)|next time|should have|must not|"
    r"should (?:always|never|not|avoid)|is best to|important to|avoid (?:using|the|this|it))\b",
    re.IGNORECASE,
)
_INSIGHT = re.compile(
    r"\b(?:decided|decision|conclu(?:de|ded|des|sion)|therefore|hence|because|due to|root cause|suggests?|indicates?|"
    r"implies|means that|turns out|key insight|recommend(?:ed|s)?|(?:will|should) use|agreed|chose|better|worse|"
    r"simpler|faster|slower|safer|cheaper|easier|likely|probably|instead of|rather than|trade-?off)\b",
    re.IGNORECASE,
)
_FINDING = re.compile(
    r"\b(?:is|are|was|were|has|have|had|uses?|used|runs?|returns?|returned|requires?|required|supports?|supported|"
    r"contains?|allows?|allowed|needs?|found|discovered|shows?|showed|lives|listens|expires?|defaults?|fails?|failed|"
    r"lacks?|takes?|took|costs?|limits?|limited|stores?|stored|depends?|located|exists?|equals?)\b",
    re.IGNORECASE,
)
_PROGRESS = re.compile(
    r"^(?:i['’]?ll|i will|i am going|i['’]m going|let me|let['’]s|we will|now i|next,? i|starting|running|checking|"
    r"looking|trying|here (?:is|are)|this is|that is|it is|it['’]s|there (?:is|are)|sure|okay|ok|done|great|thanks?|"
    r"please|hello|hi)\b",
    re.IGNORECASE,
)

# Each indication's words, in the order of the document's table; all but the last but one make an insight.
_DECIDED = r"decided|conclusions?"
_KEY = r"important|remember"
_EXPLICIT = r"note that|key insight"
_LEARNED = r"learn(?:ed|t) that"
_CHOSEN = r"will use|should use|agreed"
TRIGGER = re.compile(rf"\b(?:{_DECIDED}|{_KEY}|{_EXPLICIT}|{_LEARNED}|{_CHOSEN})\b", re.IGNORECASE)
LEARNED = re.compile(rf"\b(?:{_LEARNED})\b", re.IGNORECASE)


@dataclass(frozen=True)
class Said:
    """A message of a conversation. `id`: None where it is not kept. `model`: what wrote it, where that is known."""

    role: str
    content: str
    id: str | None = None
    model: str | None = None


def observe_by_rules(output: str) -> tuple[Observed, ...]:
    """What a step's output notes, by the words that its sentences have: lessons say what to do another time, insights
    conclude, findings state something with a name or a number in it. What is labelled ("Finding: …", or a list under
    "Lessons:") is taken by its label."""
    notes: dict[Category, dict[str, None]] = {"finding": {}, "insight": {}, "lesson": {}}
    under: Category | None = None  # the label of the list that a line may belong to
    in_code = False
    for line in output.splitlines():
        if line.lstrip().startswith("```"):
            in_code = not in_code
        if in_code or not line.strip() or line.lstrip().startswith(NO_PROSE):
            continue
        if (labelled := _LABEL.match(line)) is not None:
            under = _category(labelled[1])
            if rest := _plain(labelled[2]):
                notes[under][rest] = None
                under = None
            continue
        if not _BULLET.match(line):
            under = None
        text = _plain(_BULLET.sub("", line))
        if under is not None:
            if text:
                notes[under][text] = None
            continue
        for sentence in split_sentences(text):
            if (category := _category_of(sentence)) is not None:
                notes[category][sentence] = None
    return tuple(Observed(category, text) for category, texts in notes.items() for text in list(texts)[:MOST])


def _category(word: str) -> Category:
    match word.lower():
        case "finding":
            return "finding"
        case "insight":
            return "insight"
        case _:
            return "lesson"


def _category_of(sentence: str) -> Category | None:
    """Which note a sentence is by itself; None where it is none."""
    if len(sentence) > LONGEST or sentence.endswith(("?", "？", ":")) or len(content_stems(sentence)) < FEWEST:
        return None
    if _LESSON.search(sentence):
        return "lesson"
    if _PROGRESS.match(sentence):
        return None
    if _INSIGHT.search(sentence):
        return "insight"
    if _FINDING.search(sentence) and _names_something(sentence):
        return "finding"
    return None


def _names_something(sentence: str) -> bool:
    """Whether it has a number, a name or a thing of code in it, behind its first word."""
    return any(word[:1].isupper() or re.search(r"\d|[./_]\w", word) for word in sentence.split()[1:]) or (
        re.match(r"[A-Z0-9]{2,}\b|\w*\d", sentence) is not None
    )


def _plain(text: str) -> str:
    """A text without the marks of Markdown around it, cut to a note's length."""
    return cut_at_word(_MARKS.sub("", text).strip(), NOTE_CHARACTERS)


def consolidate(messages: Sequence[Said]) -> tuple[Observed, ...]:
    """What a conversation decided, agreed on, found important or learned: each sentence with one of the trigger words
    is an insight, one that tells what was learned a lesson. A sentence that says nothing without the one before it
    comes with that. Questions tell nothing, and answers made by rules only quote."""
    notes: list[Observed] = []
    for message in messages:
        if message.role in ("user", "assistant", "tool") and message.model != RULE_BASED:
            notes += _told(message)
    return tuple(notes)


def _told(message: Said) -> list[Observed]:
    notes: list[Observed] = []
    before = ""
    if TRIGGER.search(message.content) is None:
        return notes
    for sentence in split_sentences(message.content):
        if TRIGGER.search(sentence) and not sentence.rstrip(" \"')”*_").endswith(("?", "？")):
            alone = bool(content_stems(TRIGGER.sub(" ", sentence)))
            text = sentence if alone else f"{before} {sentence}".strip()
            if alone or before:
                category: Category = "lesson" if LEARNED.search(sentence) else "insight"
                notes.append(Observed(category, cut_at_word(text, NOTE_CHARACTERS), _ids(message)))
        before = sentence
    return notes


def summary_of(messages: Sequence[Said]) -> Observed | None:
    """The last message of the assistant that is longer than `SUMMARY_OVER`, as an insight; None where there is none."""
    for message in reversed(messages):
        if message.role == "assistant" and message.model != RULE_BASED and len(message.content) > SUMMARY_OVER:
            return Observed("insight", cut_at_word(message.content, SUMMARY_CHARACTERS), _ids(message))
    return None


def _ids(message: Said) -> tuple[str, ...]:
    return () if message.id is None else (message.id,)
