"""A question: what its words name and ask for, and what the text does."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from enum import Enum, auto
from functools import lru_cache

from memory.language.courtesy import is_courtesy
from memory.language.heads import LONGEST, Doing
from memory.language.languages import ENGLISH, language_of
from memory.language.person import is_past, third_person
from memory.language.quotations import own_words
from memory.language.times.periods import MONTHS, Span
from memory.language.times.spans import asks_only_for_a_time, spans_of
from memory.language.times.translated_times import stems_in_english
from utils.sentences import split_sentences
from utils.text import STOPWORDS, WORD, ends_with_question_mark, searched_words, stem, words

_UNIT = r"(?i:(?:[kcm]?m|k?g|lbs?|mi|ft|k?cal|[kmg]b|usd|eur|gbp|chf|people|percent|thousand|million)\b|[€$£%])"
# What stands before a number and makes no code of it: "May20", "UTC-10", "COVID-19", "GPT-4"
_NO_CODE = (
    r"(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|utc|gmt|covid|sars|gpt|claude|mp|top|page|chapter|step|level|version)"
)
# "INV-2292", "LH441", "CT-34", "db-02", "zeus2", "#12", "48213"; neither "9:30", "£1,200.50", "2500 people" nor
# "mid-90s", and no year.
_CODE = re.compile(
    rf"\b(?!{_NO_CODE}-?\d{{1,2}}\b)(?:[^\W\d_]{{1,3}}\d{{2,}}[\w-]*"
    r"|[A-Z]{2,8}-\d{3,}[\w-]*|[^\W\d_]{1,8}-?(?!(?:19|20)\d\d\b)\d{3,}[\w-]*"
    r"|[A-Z]{1,4}-\d{1,2}\b|[^\W\d_]{2,8}-0\d\b|[^\W\d_]{3,12}\d{1,2}\b)"
    r"|(?<=#)\d+\b"
    rf"|(?<![\d.,:/$€£-])\b(?!(?:1\d|20)\d\d\b)\d{{4,}}\b(?![.,:/-]\d| [a-z]+s\b| ?{_UNIT})"
)
_DIGIT = re.compile(r"\d")

_SAY = (
    "suggest|recommend|propose|advi[sc]e|tell|say|mention|explain|list|offer|describe|write|share|critici[sz]e|answer"
    "|reply|translate|calculate|come up with|draft|warn|outline|summari[sz]e|quote|phrase|point out|give|name"
)
_SAID = (
    "suggested|recommended|proposed|advised|told|said|mentioned|explained|listed|offered|described|wrote|written|shared"
    "|critici[sz]ed|answered|replied|translated|calculated|came up with|drafted|warned|outlined|summari[sz]ed|quoted"
    "|phrased|pointed out|gave|given|named"
)
# What an assistant does in words, and others do otherwise, too.
_DO = (
    "call|teach|show|find|pick|choose|rate|rank|work out|put|make|plan|think|prefer|compare|estimate|spell|correct"
    "|change|fix|reckon|use|want|favou?r|lean|begin|design|draw up|sketch|include|have in mind"
)
_DID = (
    "called|taught|showed|shown|found|picked|chose|chosen|rated|ranked|worked out|put|made|planned|thought|preferred"
    "|compared|estimated|spelled|corrected|changed|fixed|reckoned|used|wanted|favou?red|leaned|began|designed|drew up"
    "|drawn up|sketched|included|had in mind"
)
_WORDS_OF_YOURS = (
    r"your (?:\w+ )?(?:advice|suggestions?|recommendations?|answers?|explanation|repl(?:y|ies)|responses?|proposals?"
    r"|tips?|drafts?|translation|lists?|estimate|version|wording|verdict|opinion|choice|picks?|instructions?|steps|ideas?"
    r"|trick|methods?|solution|recipe|favou?rite|layout|outline|schedule|plan|menu|reason(?:s|ing)?|guess|examples?|take|view"
    r"|remedy|comparison)"
)
_OFTEN = r"(?:(?:\w+ly|just|also|ever|once|first|last|already|even) )*"
_SUBORDINATE = r"(?<!\bif )(?<!\bas )(?<!\bonce )(?<!\bwhen )(?<!\bbefore )(?<!\bafter )(?<!did )(?<!thank )"
_ADDRESSED = re.compile(
    rf"\b(?:did|didn't) you {_OFTEN}(?:{_SAY}|{_DO})\b"
    rf"|{_SUBORDINATE}\byou(?:'d|'ve| had| have)? {_OFTEN}(?:{_SAID}|{_DID})\b"
    rf"|\b{_WORDS_OF_YOURS}\b|\baccording to you\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:my|mine|our|ours|(?:am|have|had|did) (?:i|we)|(?<!how )do (?:i|we))\b", re.IGNORECASE)
# "What did I say you called it?": what somebody else said.
_OF_ANOTHER = re.compile(
    r"\b(?:did|do|does|has|have|had) (?!you\b)(?:\w+ )?\w+ (?:say|said|tell|told|think|thought|write|written)\b",
    re.IGNORECASE,
)

LONG_NAME, ABBREVIATED = 5, 3  # "Mel" names Melanie: the first three letters of at least five
MOST_NAMES = 32  # words of a question that are tried as names cut short or misspelt
SPELT = 4  # letters from which on one other letter, or two that changed places, are a slip: "Aqib" names Akib

_WHEN = re.compile(
    r"\bwhen\b|\bwhat (?:date|day|time|year|month)|\bhow long\b|\bwhich (?:year|month|day|date|week)"
    r"|\bhow many (?:days|weeks|months|years)",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\bwhere\b|\bwhat country\b|\bwhich city\b|\bplaces?\b", re.IGNORECASE)
_NAME = re.compile(r"\bwho\b|\bnames? of\b", re.IGNORECASE)
_ORDER = re.compile(r"\border\b|\bsequence\b|\btimeline\b|\bchronolog", re.IGNORECASE)
_DID_ONE = r"\b(?:did|have|had|has) [\w']+ "
_OF_TIME = (  # what makes a time of "last": "last Friday", "last summer", "last minute changes"
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun|(?:week|year)(?:end)?|month"
    r"|night|time|day|hour|minute|decade|century|quarter|term|semester|season|morning|afternoon|evening|few|couple|\d+"
    r"|two|three|four|five|six|seven|eight|nine|ten|spring|summer|autumn|fall|winter|christmas|xmas|new year|easter"
    r"|halloween|thanksgiving|valentine"
    rf"|{'|'.join(f'{name}|{name[:3]}' for name in MONTHS)}|sept)s?\b"
)
_LATEST = re.compile(
    r"\b(?:most recent(?:ly)?|latest|newest)\b|\blast time (?:that )?[\w']+ \w+"
    rf"|{_DID_ONE}(?:[\w']+ )?last (?!{_OF_TIME})\w|{_DID_ONE}[\w']+(?: [\w']+){{0,8}} last\W{{0,8}}$",
    re.IGNORECASE,
)
_CURRENT = re.compile(
    r"\b(?:now(?! that\b)|nowadays|current(?:ly)?|these days|at the moment|at present)\b", re.IGNORECASE
)
_LASTS = re.compile(r"\bhow (?:long|many)\b", re.IGNORECASE)  # "How long did the meeting last?"
_EARLIEST = re.compile(rf"{_DID_ONE}first (?!of\b)\w|\bfirst (?:time|ever)\b|\bearliest\b", re.IGNORECASE)
_COURSE = re.compile(r"summar|overview|progress|develop|evolv|\bover time\b|\bthroughout\b", re.IGNORECASE)

# "Do you know that I moved?"; not "Do you know that song?" or "Do you know my name?"
_TELLS = re.compile(
    r"\W*(?:(?:hey|hi|so|and|oh|btw|by the way|but|please)\W+)*(?:do|did|didn['’]?t|don['’]?t) (?:you|u) "
    r"(?:already |even |also )?know (?:"
    r"that (?=(?:i|we|he|she|they|it|there|my|our|his|her|their|the|an?|(?-i:[A-Z])\w+)\b)"
    r"|(?=(?:i|we)\b|(?:my|our) [^?]*\b(?:is|are|was|were|has|have|had)\b))(?P<told>\S+ \S+(?: \S+)*?)\W*[?？]\W*",
    re.IGNORECASE,
)


def told_in_question(sentence: str) -> str | None:
    """What a question tells that asks only whether it is known, as a sentence; None where it tells nothing."""
    if len(sentence) > LONGEST or (found := _TELLS.fullmatch(sentence)) is None:
        return None
    return f"{found['told'][:1].upper()}{found['told'][1:]}."


_PRONOUN = re.compile(
    r"\b(?:(?P<of>his|their|her(?= [a-z]))|he|she|they|him|her|them)\b(?P<short>['’]s\b)?", re.IGNORECASE
)


def has_pronoun(question: str) -> bool:
    """Whether a question speaks of somebody whom it does not name."""
    return _PRONOUN.search(question) is not None and not (capitalised(question) - ENGLISH.filler)


def with_pronouns_named(question: str, whom: str) -> str:
    """A question with the name of whom its pronouns mean in their place."""
    return _PRONOUN.sub(lambda found: f"{whom}{(chr(39) + 's') if found['of'] else found['short'] or ''}", question)


_USED_TO = re.compile(
    r"(?<!am )(?<!are )(?<!is )(?<!['’]m )(?<!['’]re )(?<!get )(?<!got )(?<!getting )\bused to\b|\bno longer\b",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"\b(?:until|till|up to|from) (?:[a-z]+ ){0,2}(?:19|20)\d\d\b", re.IGNORECASE)
_THEN = re.compile(
    r"\b(?:did|was|were|had|used|ever|before|former(?:ly)?|previous(?:ly)?|once|until|no longer|(?<!how )old)\b",
    re.IGNORECASE,
)
# "Did I ever mention a dog?"
_WHETHER_TOLD = re.compile(
    r"\W*(?:(?:hey|hi|so|and|but|please)\W+)*(?:did|didn['’]?t|have|haven['’]?t|had) (?:i|we) "
    r"(?:(?:ever|already|once|not|just|also|even) )*"
    r"(?:mention|tell|told|say|said|talk|sp[eo]ke?|spoken|bring|brought|brag|complain|write|written|wrote)(?:ed|t)?\b",
    re.IGNORECASE,
)


def tells_of_then(text: str) -> bool:
    """Whether a statement tells what was so and is no longer: "I used to live in Rome"."""
    if _CURRENT.search(text):
        return False
    return bool(_USED_TO.search(text) or (_UNTIL.search(text) and any(map(is_past, words(text)[:8]))))


def asks_of_then(question: str) -> bool:
    """Whether a question asks for what was so, and not for what is."""
    return _THEN.search(question) is not None


def asks_whether_told(question: str) -> str | None:
    """What a question asks whether it was said, "a dog" of "Did I ever mention a dog?"; None where it does not."""
    found = _WHETHER_TOLD.match(question)
    return None if found is None else question[found.end() :].strip() or question


_OPENER = r"(?:who|whom|whose|what|when|where|which|why|how|do|does|did|is|are|whats|wheres|whos)\b"
_AND = re.compile(rf"(?:,? (?:and|or|but)(?: also)?|[,;?]) (?={_OPENER})", re.IGNORECASE)
_ASKS = re.compile(rf"\W*(?:(?:hey|hi|so|and|but|please|ok)\W+)*{_OPENER}", re.IGNORECASE)
_SHORTEST_PART = 3  # words of a part of a question


def questions_in(text: str) -> list[str]:
    """The questions that a text joins, each of some words; the text itself where it joins none."""
    parts = _AND.split(text) if len(text) <= LONGEST and _ASKS.match(text) else [text]
    return parts if all(len(part.split()) >= _SHORTEST_PART for part in parts) else [text]


def codes_of(text: str) -> frozenset[str]:
    """The stems of the words with digits in the numbers and codes that a text names."""
    if not _DIGIT.search(text):
        return frozenset()
    return frozenset(
        stem(word) for found in _CODE.findall(text) for word in words(found) if any(one.isdigit() for one in word)
    )


def asks_of_assistant(text: str) -> bool:
    """Whether a question may be about what the one who is asked said, as "Can you tell me …?" and "Did I tell you …?"
    are not. It takes some for that which are about something else ("What is your plan?"); ranking weighs it."""
    text = text.replace("’", "'")
    return _ADDRESSED.search(text) is not None and not _OF_ANOTHER.search(text)


def names_own(text: str) -> bool:
    """Whether a question names something as the user's own, or asks what the user does."""
    return _OWN.search(text) is not None


def asked_in(text: str) -> str:
    """A short text up to its last question, where that is of the user's own ("When is my exam? I forgot."), or what
    goes on behind it tells nothing of the user ("Answer briefly."). Else the text ("Guess what? I got the job!")."""
    if len(text) > LONGEST or ends_with_question_mark(text):
        return text
    sentences = split_sentences(text)
    asking = [place for place, sentence in enumerate(sentences, 1) if ends_with_question_mark(sentence)]
    if not asking or len(words(own_words(text))) < len(words(text)):
        return text
    question, rest = (" ".join(part) for part in (sentences[: asking[-1]], sentences[asking[-1] :]))
    return question if names_own(question) or third_person(rest) == rest else text


class Ask(Enum):
    """What a question may ask for."""

    WHEN = auto()
    PLACE = auto()
    NAME = auto()
    ORDER = auto()
    COURSE = auto()  # how something went over time, or a summary
    REPLIES = auto()  # what the assistant said


_ASKING = {Ask.WHEN: _WHEN, Ask.PLACE: _PLACE, Ask.NAME: _NAME, Ask.ORDER: _ORDER, Ask.COURSE: _COURSE}


@dataclass(frozen=True)
class Question:
    """`stems`: of the words that carry meaning, each once, names of speakers left out; of all other words where there
    are none. `filler`: the other stems. `speakers`: codes of those it names. `bare`: the text without those names.
    `spans`: the times that it names. `only_time`: it asks for whatever was said at those times. `codes`: those of
    `stems` that are numbers of one of a kind. `current`: it asks for what holds now. `latest`: whether it asks for what
    was last, or for what was first; None for neither. `does`: what the text does; None before it is read."""

    text: str
    stems: tuple[str, ...]
    filler: tuple[str, ...]
    speakers: frozenset[int]
    name_words: frozenset[str]
    bare: str
    asks: frozenset[Ask]
    spans: tuple[Span, ...]
    only_time: bool
    codes: tuple[str, ...]
    current: bool
    latest: bool | None
    does: Doing | None = None

    @property
    def asking(self) -> bool:
        """Whether the text asks; by its mark, where nobody has read it."""
        return ends_with_question_mark(self.text) if self.does is None else self.does.wants

    @property
    def idle(self) -> bool:
        """Whether the text is a courtesy alone, which asks and tells nothing. By its words: the encoder takes what
        somebody searches for by a few words ("restart haproxy") for a chat."""
        return is_courtesy(self.text) and not self.speakers


def read_question(text: str, names: Mapping[str, int], now: float, zone: tzinfo = UTC) -> Question:
    """`names`: of the speakers there are, lower case, and their codes. `now`: seconds since 1970, by which "last week"
    is understood. `zone`: whose days they are."""
    language = language_of(text)
    spoken = [word.removesuffix("'s") for word in searched_words(text)]
    capitals = capitalised(text) - language.filler
    speakers, name_words = _named(spoken, capitals, names)
    rest = [word for word in spoken if word not in name_words]
    telling = language.telling(rest) or rest
    stems = tuple(dict.fromkeys(stem(word) for word in telling))
    filler = dict.fromkeys(stem(word) for word in rest)
    for said in stems:
        filler.pop(said, None)
    asks = {ask for ask, pattern in _ASKING.items() if pattern.search(text)}
    if asks_of_assistant(text):
        asks.add(Ask.REPLIES)
    spans, codes = spans_of(text, now, zone), codes_of(text)
    timely: Iterable[str] = stems
    if spans and language is not ENGLISH:
        timely = set(stems_in_english(text)) - {stem(word) for word in name_words}
    return Question(
        text,
        stems,
        tuple(filler),
        frozenset(speakers),
        frozenset(name_words),
        _without(text, name_words) if speakers else text,
        frozenset(asks),
        spans,
        bool(spans) and asks_only_for_a_time(timely),
        tuple(code for code in stems if code in codes),
        _CURRENT.search(text) is not None,
        _latest(text),
    )


def _latest(text: str) -> bool | None:
    """`Question.latest`."""
    found = _LATEST.search(text)
    if found and not (_LASTS.search(text) and found[0].rstrip("?!. ").endswith("last")):
        return True
    return False if _EARLIEST.search(text) else None


def capitalised(text: str) -> set[str]:
    """The words that are written with a capital, lower case."""
    return {word.removesuffix("'s") for found in WORD.findall(text) if found[0].isupper() for word in words(found)}


def _named(spoken: Iterable[str], capitals: set[str], names: Mapping[str, int]) -> tuple[set[int], set[str]]:
    """Codes of the speakers whose name, or a part of it, is among the words; and those words.

    `capitals`: the words that are written with a capital. They alone may be a name cut short or misspelt, unless they
    are somebody's name as they stand.
    """
    speakers: set[int] = set()
    found: set[str] = set()
    candidates = {word for word in spoken if word not in STOPWORDS}
    parts = [(part, code) for name, code in names.items() for part in _parts(name)]
    loose: dict[str, list[str]] = {}  # by their first letter, which a name shares
    for word in sorted((candidates & capitals) - {part for part, _ in parts})[:MOST_NAMES]:
        loose.setdefault(word[0], []).append(word)
    for part, code in parts:
        meant = {word for word in loose.get(part[0], ()) if _is_like(word, part)} | ({part} & candidates)
        if meant:
            speakers.add(code)
            found |= meant
    return speakers, found


@lru_cache(maxsize=4_096)
def _parts(name: str) -> tuple[str, ...]:
    return tuple(words(name))


def _is_like(word: str, name: str) -> bool:
    if len(word) >= ABBREVIATED and len(name) >= LONG_NAME and name.startswith(word):
        return True
    if len(word) != len(name) or len(word) < SPELT or word[0] != name[0]:
        return False
    apart = [at for at, (a, b) in enumerate(zip(word, name, strict=True)) if a != b]
    swapped = (
        len(apart) == 2
        and apart[1] == apart[0] + 1
        and word[apart[0]] + word[apart[1]] == name[apart[1]] + name[apart[0]]
    )
    return len(apart) == 1 or swapped


def _without(text: str, name_words: frozenset[str] | set[str]) -> str:
    def keep(match: re.Match[str]) -> str:
        return "" if match[0].lower().replace("’", "'").removesuffix("'s") in name_words else match[0]

    return " ".join(WORD.sub(keep, text).split()) or text
