"""What of what the agent said does the user's next message point at?

"Yes, please" answers the whole of a proposal, and "option 2" the second item of a list, which need not stand anywhere
else. Of a long message the end stays, and before it the numbers, the codes and the names of what is listed.
"""

import re
from collections.abc import Iterable
from itertools import pairwise

from memory.views import MARKS, is_name
from utils.sentences import split_sentences
from utils.text import STOPWORDS

WHOLE = 160  # characters of a message that stays as it is
CLOSING = 45  # characters of its end, at least its last sentence
DETAILS, FEWER_DETAILS = 45, 10  # characters of what stays of the rest; before a long answer, which has its own
DETAILS_OF_CHOICE, MOST_CHOICES = 35, 5  # and for each of its options, of so many at most
FEWEST = 10  # of details by which an option is known
FINDINGS = 240  # characters of what a message says was found out
PIECE = 40  # characters of a sentence, or of a line of a list, that stays as it is
FIRST_LABELS = frozenset("a1")  # in parentheses, one of which every list of options has
LONGEST_UNIT = 8  # characters of what a number counts
SHORT = 120  # characters of a message that is not understood alone

_CHOICE = (
    r"(?:(?:(?i:option|variant|choice|number|no\.)\s*#?)?(?:(\d{1,2})[.):]|\(([A-Za-z\d])\))"
    r"|(?i:option|variante?|choice|plan|approach)\s+([A-Z]|\d{1,2})[.):])\s"
)
_IS_CHOICE = re.compile(rf"\s*(?:[-*•]\s+)?\**{_CHOICE}")
_CHOICES = re.compile(rf"(?:^|(?<=[\s;:])){_CHOICE}")
_LETTER = re.compile(r"(?i)(?:^\W*|\b(?:option|variante?|choice|plan|approach)\s+)([a-z])\b")
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s")
_OPTION = re.compile(r"\(?[A-Za-z]\)")
_LABEL = re.compile(r"[^:]{1,24}:(?=\s)")
_NUMBERED = re.compile(r"(?<![\w.,])(\d{1,2})[.):]\s")
_PICKED = re.compile(
    r"(?i)(?:^\W*|\b(?:option|number|no\.?|item|choice|variant|nummer|opción|n°)\s*|#)(\d{1,2})\b(?![.,]\d)"
)
_NUMBER = re.compile(r"(?<![\w.,])\d{1,2}(?!\w|[.,]\d)")
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}
_ORDINAL = re.compile(
    rf"(?i)\bthe ({'|'.join(_ORDINALS)})(?:\s+(?:one|option|variant|choice|plan|item|approach)\b|\s*(?:[.,;:!?)]|$))"
)
_AGREES = re.compile(
    r"(?i)\b(?:(?:yes|yep|yeah|yup|ok(?:ay)?|(?<!not )(?<!i'm )(?<!am )sure)\b(?!\W+(?:my|here|it'?s|i'?m|i am|the)\b)|"
    r"go ahead|proceed|agreed|please do|(?:please )?do (?:it|so|the|that|this)|confirm(?:ed|ing)?|that works|"
    r"works for me|(?:sounds|looks) (?:good|fine|great)|fine (?:with|by) me|perfect)\b"
)
_OFFERS = re.compile(
    r"(?i)\b(?:(?:shall|should|can|may) (?:i|we)|(?:would|do) you (?:like|want|prefer)|want me|confirm|go ahead|"
    r"proceed|i(?: would|'d| will|'ll| can)|is (?:that|this) (?:ok|okay|right|fine|correct))\b"
)

# What ends a message and asks nothing: "If you need anything else, please let me know!"
_PARTING = re.compile(
    r"(?i)\b(?:anything else|(?:any|have|need) (?:any )?(?:other|more|further|additional)|happy to (?:help|assist)|"
    r"further (?:questions|assistance|help)|need (?:any )?(?:assistance|help)|feel free to (?:ask|reach out|contact)|"
    r"have a (?:great|nice|good|wonderful|safe))\b"
)
# What says what was found out, which no result of a tool has.
_FINDING = re.compile(
    r"(?i)\b(?:root cause|(?:cause|culprit|reason|problem|bug|fault|fix) (?:is|was|lies)\b|caused by|turn(?:s|ed) out|"
    r"(?:i|we) (?:found (?:that|out|why)|traced|concluded)\b|my (?:conclusion|diagnosis))"
)
_ASKS = re.compile(r"(?i)\b(?:would|do) you (?:like|want|prefer)\b")


def points_at(answer: str, said: str) -> bool:
    """Whether an answer is to be understood by what was said before: it is short and names nothing by itself, it agrees
    to an offer and names nothing of it, or it has the number of an item."""
    names = [name for word in answer.split() if is_name(name := word.strip(MARKS))]
    if not names and len(answer) <= SHORT:
        return True
    if _AGREES.search(answer) and _OFFERS.search(said) and not any(name in said for name in names):
        return True
    return not set(_NUMBERED.findall(said)).isdisjoint(_NUMBER.findall(answer))


def agrees(answer: str, said: str) -> bool:
    """Whether a short answer agrees to what was offered."""
    return len(answer) <= SHORT and _AGREES.search(answer) is not None and _OFFERS.search(said) is not None


def picks_item(answer: str, said: str) -> bool:
    """Whether an answer says that it means an item by its number: "option 2", "2, please" or "the second"."""
    if _places_in(answer) and len(_choices(said)) > 1:
        return True
    return not set(_NUMBERED.findall(said)).isdisjoint(_PICKED.findall(answer))


def digest(text: str, answer: str, *, choices_told: int = MOST_CHOICES) -> str:
    """A message of the agent's as far as an answer may point at it: the whole of a short one; of a long one its end,
    its question, the item that the answer picks, and before them what the answer has words of, and numbers, codes and
    names. `choices_told`: for how many options there is room."""
    if len(text) <= WHOLE:
        return text
    text = without_parting(text)
    end = closing(text).strip()
    pieces = list(_pieces(text[: _start_of_closing(text)]))
    is_short = len(answer) <= SHORT
    said = answer.split() if is_short else ()  # who says much, means little of it by each word
    wanted = frozenset(word.strip(MARKS).casefold() for word in said) - STOPWORDS
    questions = [at for at, piece in enumerate(pieces) if piece.endswith("?")] if "?" not in end else []
    asked = questions[-1:]
    picked = {*_NUMBER.findall(answer), *(letter.lower() for letter in _LETTER.findall(answer))}
    choices = {at: number for at, piece in enumerate(pieces) if (number := _number_of(piece))}
    picked |= {list(choices.values())[place] for place in _places_in(answer) if -len(choices) <= place < len(choices)}
    kept: dict[int, str] = {}
    room = (DETAILS if is_short else FEWER_DETAILS) + min(len(choices), choices_told) * DETAILS_OF_CHOICE
    for at in dict.fromkeys([*asked, *choices, *reversed(range(len(pieces)))]):  # then the nearest to the end
        piece = pieces[at]
        is_whole = at in asked or choices.get(at) in picked
        detail = piece[: 2 * PIECE] if is_whole else _details(piece, wanted)
        if at in choices and len(detail) < FEWEST:  # its label alone
            detail = piece[:PIECE]
        if detail and len(detail) < room:
            kept[at] = detail
            room -= len(detail) + 1
    return "\n".join([*(kept[at] for at in sorted(kept)), end])


def _number_of(piece: str) -> str:
    """The number or the letter of an item; empty for what is none."""
    found = _IS_CHOICE.match(piece)
    return (found[1] or found[2] or found[3]).lower() if found else ""


def _places_in(answer: str) -> list[int]:
    """Which of several items an answer means: 0 by "the first", -1 by "the last"."""
    return [place - (place > 0) for word in _ORDINAL.findall(answer) if (place := _ORDINALS[word.lower()])]


def findings_in(text: str) -> str:
    """The sentences that say what was found out, as many of the first as `FINDINGS` characters have room for."""
    told: list[str] = []
    room = FINDINGS
    for sentence in split_sentences(text):
        if _FINDING.search(sentence) and len(sentence) <= room:
            told.append(sentence)
            room -= len(sentence)
    return " ".join(told)


def closing(text: str) -> str:
    """The last sentence of a text that says something, and as many before it as `CLOSING` characters have room for."""
    text = without_parting(text)
    kept, more = _last_sentences(text)
    if not more:
        return text
    end = " ".join(kept) or split_sentences(text)[-1][-CLOSING:]
    return f"… {end if kept else end.partition(' ')[2] or end}"


def without_parting(text: str) -> str:
    """A text without the sentences at its end that only offer more help; one that says nothing else stays."""
    left = text.rstrip()
    for sentence in reversed(split_sentences(text)):
        if _PARTING.search(sentence) is None or _ASKS.search(sentence) is not None or any(map(str.isdigit, sentence)):
            break
        head = sentence.partition(" ")[0]
        left = left[: max(0, left.rfind(head, 0, len(left) - len(sentence) + len(head)))].rstrip()
    return left or text


def _last_sentences(text: str) -> tuple[list[str], bool]:
    """The sentences at the end for which `CLOSING` characters have room, and whether there are more."""
    left = split_sentences(text)
    kept: list[str] = []
    room = CLOSING
    while left and len(left[-1]) < room:
        room -= len(left[-1]) + 1
        kept.append(left.pop())
    return kept[::-1], bool(left)


def _start_of_closing(text: str) -> int:
    """Where in a text its closing begins; where that is not the whole of a sentence that is little longer, this."""
    kept, _ = _last_sentences(text)
    start = len(text.rstrip())
    if not kept:
        kept = split_sentences(text)[-1:]
        if not kept or len(kept[0]) > 2 * CLOSING:
            return max(0, start - CLOSING)
    for sentence in reversed(kept):  # in the text it may have more white space
        head = sentence.partition(" ")[0]
        start = max(0, text.rfind(head, 0, start - len(sentence) + len(head)))
    return start


def _pieces(text: str) -> Iterable[str]:
    """The items of lists and the sentences of a text; each of the options that a sentence lists."""
    for line in text.splitlines():
        for sentence in [line] if _ITEM.match(line) else split_sentences(line):
            starts = [0, *(found.start() for found in _choices(sentence) if found.start())]
            yield from (
                sentence[begin:end].strip(" ;,") for begin, end in pairwise([*starts, len(sentence)]) if end > begin
            )


def _choices(sentence: str) -> list[re.Match[str]]:
    """The labels of the options in a sentence; "148.00 (L) or 151.00 (XL)" has none, for there is no (A) before."""
    found = list(_CHOICES.finditer(sentence))
    lettered = {label[2].lower() for label in found if label[2]}
    return [label for label in found if not label[2] or lettered & FIRST_LABELS]


def _details(piece: str, wanted: frozenset[str]) -> str:
    """What a piece is about, its numbers, codes and names, and the words that are `wanted`; of a short piece with any
    of them, or of a list, all."""
    plain = piece.replace("**", "").strip()
    label = _LABEL.match(plain)
    words = plain[label.end() if label else 0 :].split()
    named = [
        word
        for at, word in enumerate(words)
        if _is_detail(word, first=not at and not label)
        or word.strip(MARKS).casefold() in wanted
        or (at and _is_unit(word, words[at - 1]))
    ]
    if len(plain) <= PIECE and (named or _ITEM.match(piece)):
        return plain
    if not named:
        return ""
    return " ".join([*([label[0]] if label else []), *named, *(["…"] if len(named) < len(words) else [])])


def _is_unit(word: str, before: str) -> bool:
    """Whether a word says what a number before it counts: "3 weeks"."""
    bare = word.strip(MARKS)
    return before.isdecimal() and bare.isalpha() and bare.islower() and len(bare) <= LONGEST_UNIT


def _is_detail(word: str, *, first: bool) -> bool:
    """Whether a word is a number, a code, a name or the letter of an option; any word may be in capitals that is the
    first of a sentence."""
    bare = word.strip(MARKS)
    if any(map(str.isdigit, bare)) or _OPTION.match(word):
        return True
    return len(bare) > 2 and bare[0].isupper() and not first
