"""Sentences of a text.

Not at every full stop: one also stands behind what is shortened ("e.g.", "z. B.", "Dr."), behind initials and, in
German and other languages, behind a number that says which one ("am 12. Mai"). In a language of which nothing is told
here, a sentence may end too early, which loses none of it.
"""

import re
from collections.abc import Iterator

from utils.text import WORD

SENTENCE_END = re.compile(r"(?<=[.!?。！？])[\"')\]]*\s+|(?<=[。！？])(?=[^\s\"')\]」』”’）])|\n+")
LONGEST_ABBREVIATION = 16  # characters

# Behind these a sentence goes on: of English, German, the Romance languages, Dutch, Polish, Russian and Turkish.
_ABBREVIATION = re.compile(
    r"\b(?:(?i:mr|mrs|ms|dr|prof|rev|st|vs|etc|e\. ?g|i\. ?e|approx)"
    r"|z\. ?[BT]|d\. ?h|u\. ?[aäÄU]|o\. ?[äÄ]|v\. ?a|i\. ?d\. ?R|m\. ?E|s\. ?o"
    r"|usw|bzw|ggf|evtl|inkl|exkl|zzgl|abzgl|vgl|bspw|sog|insb|ca|geb|Hr|Hrn|Fr|Frl|Dipl|Ing"
    r"|p\. ?(?:ej|ex|es)|EE\. ?UU|Sra|Srta|Dra|Sig|Dott|Avv|Avd?a?"
    r"|bijv|dhr|mevr|mw|tzn|tj|inż|mgr|т\. ?[ек]|напр|ул|см|Sn)\.$"
    r"|\d (?:Mio|Mrd|Tsd)\.$"
    r"|(?:^|\b(?:[Ee]l|[Aa]l|[Dd]el|[Uu]n|[Oo]|[Aa]o|[Dd]o) )Sr\.$"
    r"|(?:^|\b(?:avec|de|à|et|que|chez|pour|par|est) )M\.$"
)
# Where such a one has a blank in it: its last word and the next.
_IN_TWO = re.compile(
    r"\W*(?:z\. [BT]|d\. [hR]|u\. [aäÄU]|o\. [äÄ]|v\. a|i\. [ed]|m\. E|s\. o|e\. g|p\. (?:ej|ex|es)|EE\. UU"
    r"|т\. [екдп])\."
)
_MAY_END = re.compile(r"\b(?:st|etc|usw|u\. ?a|[uo]\. ?ä|mio|mrd|tsd)\.$", re.IGNORECASE)  # "at 5 Elm St. My dog is …"
# These may end a sentence: where another word of the same one follows, it starts small.
_SHORTENED = re.compile(
    r"\b(?:inc|ltd|corp|co|jr|sr|ph\.d|(?:[a-z]\.)+[a-z]|np|enz|ecc|vb|т\. ?[дп]|г|руб|тыс)\.$", re.IGNORECASE
)
# Before a digit only: "no." may end a sentence.
_BEFORE_NUMBER = re.compile(
    r"\b(?:(?i:nr?|no|núm|pp?|vol|tel|pág|pag|blz)|\w*[Ss]tr|Fig|Art|Abs|Kap|S|max"
    r"|Feb|Mar|Mär|Apr|Aug|Sept?|Oct|Okt|Nov|Dec|Dez|(?:[Oo]n|[Bb]y|[Aa]m|\d+\.) J(?:an|un|ul))\.$"
)
# "J. Smith", "John F. Kennedy"; "plan B. Then" is none.
_INITIAL = re.compile(
    r"(?:\b(?:is|was|by|and|with|for|from|met|named|called)|\b(?!(?:Plan|Part|Type|Vitamin|Option|Answer|Group|Class|Grade|Section)\b)"
    r"[A-Z][\w'’-]+|\b[A-HJ-Z]\.) [A-HJ-Z]\.$"
)

_ORDINAL = re.compile(r"(?<![\d.:,'’])\d{1,3}\.$")
_SMALL_ORDINAL = re.compile(r"(?<![\d.:,'’])[0-3]?\d\.(?:(?:0?[1-9]|1[0-2])\.)?$")  # or a date: "24.12."
_MONTH_BEHIND_DAY = re.compile(r"(?:0?[1-9]|1[0-2])\.$")  # "12. 5."
_DAY_AND_MONTH = re.compile(r"\b[0-3]?\d\. [01]?\d\.$")
_YEAR = re.compile(r"(?:19|20)\d\d\b")
_ANOTHER = re.compile(r"(?:bis(?: zum)?|und|oder|og|til|ja|až|do|[-–])\s\d{1,3}\.$")  # "vom 12. bis 14."
_BEFORE_ORDINAL = re.compile(  # in German: "am 12. Mai", "im 2. Stock"
    r"(?:^|(?<!\b[Ii] )\b(?i:am|de[nmr]|die|das|vom|zum|bis|seit|und|oder|im|ins|m?ein(?:e[nmr]?)?)\s)\d{1,3}\.$"
)

# Words that begin a sentence, and are no name behind an initial.
NO_NAME = frozenset(
    """the this that these those there then what when where who why how but and so or if in on at for from with as you
    your his her their its all also is are was do does did can could will please now today yes no not a an after
    before while since once one some many most each every here""".split()  # noqa: SIM905
)
# Also of those who write no capitals.
_BEGINS_ANEW = re.compile(r"(?:i|i['’]m|im|my|we|our|he|she|they|it|ich|wir|er|sie|es|du|man|der|die|das|dann)\b")


def split_sentences(text: str) -> list[str]:
    """The sentences of `text`, in order, without blank ones; line breaks end a sentence too."""
    sentences: list[list[str]] = []
    last = ""
    for part, on_new_line in _parts(text):
        if not last.endswith("."):
            goes_on = False
        elif _is_shortened(last, part):
            goes_on = True
        elif on_new_line or not last[-2:-1].isdigit():
            goes_on = False
        else:
            goes_on = _is_counted(last, part) or (
                part[0].islower() and _says_which(last, part) and not text.lstrip()[0].islower()
            )
        if goes_on:
            sentences[-1].append(part)
            part = f"{last} {part}"
        else:
            sentences.append([part])
        last = part[-LONGEST_ABBREVIATION:]
    return [" ".join(parts) for parts in sentences]


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """What stands between what may be ends of sentences, and whether a line break is before it."""
    at, on_new_line = 0, False
    for end in SENTENCE_END.finditer(text):
        if part := text[at : end.start()].strip():
            yield part, on_new_line
            on_new_line = False
        at, on_new_line = end.end(), on_new_line or "\n" in end[0]
    if part := text[at:].strip():
        yield part, on_new_line


def _is_shortened(last: str, part: str) -> bool:
    """Whether what seems to end with `last` ends with what is shortened, and goes on with `part`."""
    if _ABBREVIATION.search(last):
        return not (_MAY_END.search(last) and part[0].isupper() and _BEGINS_ANEW.match(part.lower()))
    if part[0].isdigit() and _BEFORE_NUMBER.search(last):
        return True
    if _IN_TWO.match(f"{last.rsplit(None, 1)[-1]} {part[:3]}"):
        return True
    if part[0].isupper():
        begins = WORD.match(part.lower())
        known = begins is None or begins[0] in NO_NAME or _BEGINS_ANEW.match(part.lower()) is not None
        return not known and _INITIAL.search(last) is not None
    return part[0].islower() and _SHORTENED.search(last) is not None and _BEGINS_ANEW.match(part) is None


def _is_counted(last: str, part: str) -> bool:
    """Whether `part` is what a number with a full stop, at the end of `last`, counts: "12. Mai", "12. 5. 2026"."""
    if part[0].isdigit():
        return bool(
            (_MONTH_BEHIND_DAY.match(part) and _ORDINAL.search(last))
            or (_YEAR.match(part) and _DAY_AND_MONTH.search(last))
        )
    if _ANOTHER.match(part):
        return _ORDINAL.search(last) is not None
    return part[0].isupper() and not _BEGINS_ANEW.match(part.lower()) and _BEFORE_ORDINAL.search(last) is not None


def _says_which(last: str, part: str) -> bool:
    """Whether a number with a full stop goes on with a small word, where sentences begin with capitals: "3. kat"."""
    begins = WORD.match(part)
    known = begins is None or begins[0] in NO_NAME or _BEGINS_ANEW.match(part) is not None
    return not known and _SMALL_ORDINAL.search(last) is not None
