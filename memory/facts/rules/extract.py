"""Facts that a user's message states: sentences of their own that name whom they are about.

Sentence structure tells what may be one in English: whom it is about, whether it asks, supposes or quotes. Whether it
tells something that lasts, in whatever language, the encoder decides.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from memory.facts.rules.statement import CORRECTED, NAME, OVER, RELATION, read_statement
from memory.language import (
    LEFT_OUT,
    USER,
    asked_by,
    doing,
    is_foreign,
    is_past,
    own_words,
    spelled_out,
    third_person,
    with_dates,
)
from utils.sentences import split_sentences
from utils.text import STOPWORDS, ends_with_question_mark, words
from utils.vectors import Floats

LONGEST = 300  # characters of a fact
MOST = 12  # facts of one message
LOOKED_AT = 20_000  # characters of a message
MOST_READ = 60  # clauses of a message that the encoder reads

# From which likelihood on what may be a fact is one. Structure has told most of what gives a known attribute or says
# that something is over, less of what the user tells of others or of what happened, and nothing in other languages.
PERHAPS = 0.2
OF_AN_ATTRIBUTE, OF_THE_USER, OF_OTHERS, OF_AN_EVENT, ELSEWHERE = 0.15, 0.35, 0.5, 0.6, 0.55

_FILLERS = re.compile(
    r"^(?:(?:well|so|oh|ah|hey|hi|hello|yes|yeah|no|ok|okay|actually|anyway|also|and|but|sorry|honestly|"
    r"by the way|btw|fyi|"
    r"correction|wait|just so you know|for the record|i mean|please note|remember|note|to be honest|as of today|"
    r"as of now|"
    r"nowadays|these days|currently|now|update|about me|in fact|then|p\.?s|as i said|unfortunately|sadly|luckily|"
    r"finally)\b"
    r"(?: that\b)?[\s,:.!–-]*)+",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"\b(?:if|unless|suppose|supposing|imagine|pretend|assume|assuming|let['’]?s|wish|wishes|hope|hopes|"
    r"hopefully|maybe|"
    r"perhaps|probably|possibly|might|could|would|should|hypothetically|theoretically|in theory|for (?:example|"
    r"instance)|"
    r"as if|going to see|considering|thinking (?:of|about)|in (?:my|the|a) (?:dream|story|novel|game|book|film|"
    r"movie|play))\b|"
    r"['’]d (?!been\b)|\b(?:i|we|he|she|they) may\b|^(?:when|whenever|what|how|why|who|where)\b"
)
_QUOTES = re.compile(r"\b(?:said|says|tells?|told|asks|asked|claim(?:s|ed)|hear|heard|according to)\b")
_GUESSES = re.compile(
    r"^i (?:(?:just|really|do) )?(?:(?:think|guess|believe(?! in\b)|doubt|bet|assume|wonder|feel like|agree|"
    r"swear|thought|forgot|want you|"
    r"need you|want to know|need to know)\b|(?:see|know|mean)(?: that| what| how|$))"
)
_IN_JEST = re.compile(
    r"\b(?:just|only|was|am|['’]m) (?:kidding|joking)\b|^\W*(?:kidding|joking)\b|(?<!\w)(?:jk|j/k)(?!\w)", re.I
)
_BIDS = re.compile(
    r"(?:please|kindly|remind|delete|remove|write|draft|translate|summari[sz]e|explain|describe|tell|show|give|"
    r"list|find|"
    r"search|look|help|make|create|add|change|fix|check|compare|convert|send|call|do not|don['’]t|never mind|let|act|"
    r"suggest|recommend|use|set|forget|thanks?|you|your)\b",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r" ?; ?|,? (?:and|but|so) (?=(?:i|i['’]m|i['’]ve|my|we|we['’]ve|our|he|she|they|his|her|their|"
    r"[A-Z]\w+ & i)\b)|, ?(?=(?:i|i['’]m|i['’]ve|im|my|we|we['’]ve)\b)|"
    r"(?<=\w), (?=(?:he|she|they)\b)",
    re.IGNORECASE,
)
_FURTHER = re.compile(  # a further verb of the same "I"
    r",? (?:and|but) (?=(?:(?:also|now|really) )?(?:live|work|have|am|study|play|speak|love|hate|like|enjoy|"
    r"prefer|own|drive|eat|drink|"
    r"use|can['’]t|don['’]t|do not) )"
)
_FIRST = re.compile(r"(?:i|im|i['’](?:m|ve|ll|d)|my|our|we|we['’](?:re|ve|ll))\b(?!['’-])", re.IGNORECASE)
_MINE = re.compile(
    rf"{NAME} and I |"
    r"(?i:\b(?:one|two|three|both|all|none|some|most) of (?:my|our) )"
)
_PRONOUN = re.compile(
    r"(?P<pronoun>he|she|they|it|his|her|their|its)\b(?P<short>['’]s)?(?P<rest>.*)", re.IGNORECASE | re.DOTALL
)
# Verbs that go without their "I", and what they get with it: "Been vegan for years", "Closed my account".
_LEFT_OUT_I = re.compile(
    r"(?:(?:just|recently|finally|already|also) )?(?P<verb>[a-z]+(?:n['’]t)?)(?= \w)", re.IGNORECASE
)
_ING = re.compile(
    r"(?!thing|king|ring|spring|string|wedding|meeting|morning|evening|during|nothing|something|anything|"
    r"everything|building|being|bring|sing)[a-z]{2,}ing"
)
_PLAIN = frozenset(("haven't", "can't", "cannot"))
_NO_VERBS = frozenset(("was", "were", "had", "did", "read", "put", "set", "let", "cut"))  # rather another's, or a bid
_IN_FRONT = re.compile(
    r"(?P<when>(?:(?:since|in|on|around|from|until|by|at|after|before|with|during|despite|thanks to) "
    r")[^,]{2,30}?),? (?P<rest>(?:i|my|we|our)\b.*)",
    re.IGNORECASE,
)
_FURTHER_OF_OTHERS = re.compile(r",? and (?=(?:is|has|lives|works|likes|loves|hates|plays|speaks|studies|teaches) )")
_PLANS = (
    r"(?:deadline|due date|launch|release|meeting|exam|interview|appointment|party|wedding|flight|train|trip|"
    r"conference|concert|retreat|workshop|presentation|[a-z-]+ (?:event|call|course|class|lesson|match|code|"
    r"password|pin|"
    r"address|demo|review|budget|number))"
)
_PLAN = re.compile(
    rf"the [^.,;!?]{{0,40}}?\b{_PLANS}\b[^.,;!?]{{0,40}}? (?:is|are|was|were|has|starts|ends|moved|got|takes|"
    rf"will be|costs)\b|"
    r"the [\w -]{2,30} (?:is|was|has been|got) (?:cancell?ed|called off|postponed|moved|rescheduled)\b"
)
_HAS_PLAN = re.compile(rf"{USER} has (?:an?|their) [^.,;]{{0,30}}?\b{_PLANS}\b")
_NAMED = re.compile(
    rf"(?!(?:The|This|That|These|Those|It|There|Here|What|Who|You|Your|Life|Everything|Everyone|Everybody|"
    rf"Someone|Nobody|Today|Dinner|Lunch|Work)\b)"
    rf"{NAME}(?: {NAME}){{0,2}}(?:['’]s)? (?:(?:really|also|just|now|still|already|never|always|recently|no longer) )*"
    r"(?:is|was|isn['’]t|has|lives?|works?|likes?|loves?|hates?|prefers?|moved|got|studies|plays?|speaks?|owns?|"
    r"married|turned|died|"
    r"joined|quit|left|bought|sold|adopted|became|drives?|teaches|can|can['’]t|cannot|doesn['’]t|does|started|"
    r"stopped|switched|sister|"
    r"brother|wife|husband|son|daughter|mother|father|dog|cat|birthday)\b"
)
_I_AM = re.compile(rf"(?:I['’]m|I am|i['’]m|i am|im) (?P<name>{NAME}(?: {NAME})?)")
_OF_A_PEOPLE = re.compile(r"(?:an|ish|ese|ch|ic|i|ss|ek|ot|in|ind|ist|ent|ome)$")
_BY_THE_WAY = re.compile(rf"(?<=\w )(?:my|our) (?P<kin>(?:[a-z-]+ )?{RELATION}),? (?P<name>{NAME})")
_CALL_ME = re.compile(
    r"(?:(?:please|you can|everybody|everyone|people|friends|they) )?calls? me (?P<name>[^\s,]+)", re.IGNORECASE
)
_AGED = re.compile(r"(?:i['’]?m|i am)(?: now)? (?P<age>1?\d{1,2})(?: now)?(?= and\b|$)", re.IGNORECASE)


_ENGLISH = STOPWORDS - frozenset("a am an do in is no on so to was we".split())  # noqa: SIM905  not words of others


_KEYED = re.compile(r"[^\W\d_][^:?!.]{0,59}:\s+\S")  # "Gate code: 4711"


@dataclass(frozen=True)
class Candidate:
    """What may be a fact. `spoken`: the clause as the user says it, by which the encoder decides; `least`: the
    likelihood that it takes. `sentence`: all that was said with it."""

    text: str
    spoken: str
    least: float
    sentence: str = ""
    foreign: bool = False


def candidates(message: str, at: datetime) -> list[Candidate]:
    """What of a message, made at a time, may be facts, in order. Questions, requests, suppositions and other people's
    words are none."""
    found: list[Candidate] = []
    sentences = split_sentences(own_words(message[:LOOKED_AT]))
    about = ""  # whom a pronoun means
    for written, following in zip(sentences, [*sentences[1:], ""], strict=False):
        sentence = spelled_out(written)
        if (
            ends_with_question_mark(sentence.rstrip(" \"')”"))
            or _IN_JEST.search(sentence)
            or _IN_JEST.search(following)
        ):
            about = ""
        elif _left_out(sentence) is None and (is_foreign(sentence) or _ENGLISH.isdisjoint(words(sentence))):
            found += _foreign(sentence)
        else:
            said = third_person(sentence[:LONGEST])
            for clause in clauses(sentence):
                candidate, about = _candidate(clause, about, at)
                if candidate is not None:
                    beside = (
                        f"{USER} has a {one['kin']} called {one['name']}." for one in _BY_THE_WAY.finditer(clause)
                    )
                    found += [replace(candidate, text=text, sentence=said) for text in (candidate.text, *beside)]
        if len(found) >= MOST_READ:
            break
    return list(dict.fromkeys(found))[:MOST_READ]


def facts_of(found: Sequence[Candidate], vectors: Floats, likely: Floats) -> dict[str, str]:
    """The facts among candidates, each with the sentence that says it. `vectors`: of what is spoken; `likely`: how
    likely each tells something lasting."""
    facts: dict[str, str] = {}
    for candidate, vector, likelihood in zip(found, vectors, likely, strict=True):
        asks = candidate.foreign and asked_by(candidate.spoken, doing(vector, candidate.spoken)) is not None
        if likelihood >= candidate.least and not asks:
            facts.setdefault(candidate.text, candidate.sentence or candidate.text)
    return dict(islice(facts.items(), MOST))


def statement_of(text: str) -> str | None:
    """A text that is to be kept though no rule reads it, in the third person, where it is a statement: no question, no
    request, nothing supposed, nothing of the user's own, for that is for the rules to read."""
    bare = " ".join(text.split())
    if len(text) > LONGEST or LEFT_OUT in own_words(text) or not bare:
        return None
    for sentence in split_sentences(text):
        start = sentence.strip(" \t\"'“”‘’()-–—*")
        if ends_with_question_mark(start) or _BIDS.match(start) or _supposes(start) or _FILLERS.fullmatch(start):
            return None
        if re.search(r"\b(?:I|[Mm]y|[Ww]e|[Oo]ur)\b", sentence) or re.match(r"i\b", sentence):
            return None
    bare = " ".join(map(spelled_out, split_sentences(bare)))
    enough = len(words(text)) >= 3 or re.search(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{6}", text)
    return third_person(bare[:1].upper() + bare[1:]) if enough or _KEYED.match(bare) else None


def keeps(statement: str, likely: float) -> bool:
    """Whether a statement that no rule reads is kept: a name with its value always, else what may well last."""
    return likely >= PERHAPS or _KEYED.match(statement) is not None


def _foreign(sentence: str) -> Iterator[Candidate]:
    text = " ".join(sentence.split())
    if len(text) <= LONGEST and LEFT_OUT not in text:
        yield Candidate(text, text, ELSEWHERE, text, foreign=True)


def clauses(sentence: str) -> Iterator[str]:
    """The clauses of a sentence that state something themselves, each with its subject; none of what quotes."""
    if CORRECTED.search(sentence):
        yield sentence.strip(" .!")
        return
    shouted = sentence.isupper() and len(sentence.split()) > 2
    bare = _FILLERS.sub("", (sentence.lower() if shouted else sentence).strip(" \"“”'"))
    if LEFT_OUT in bare or _QUOTES.search(_uncapitalised(bare)):
        return
    for part in _JOINED.split(re.sub(rf"(^|[,;] |\b(?:but|so|and) )({NAME}) and I\b", r"\1\2 & I", bare)):
        of_oneself = re.match(r"i\b", part, re.IGNORECASE) is not None
        first, *further = (_FURTHER if of_oneself else _FURTHER_OF_OTHERS).split(part)
        for clause in map(spelled_out, (first, *(f"{'I' if of_oneself else 'he'} {verb}" for verb in further))):
            if (clause := _FILLERS.sub("", clause.strip(' ,.!…"“”'))) and not _supposes(clause):
                yield clause.replace(" & I ", " and I ")


def _candidate(clause: str, about: str, at: datetime) -> tuple[Candidate | None, str]:
    """What may be a fact of a clause, and whom a pronoun means behind it."""
    if len(clause) > LONGEST or _BIDS.match(clause) or len(clause.split()) < 2:
        return None, about
    named = _CALL_ME.fullmatch(clause) or _I_AM.fullmatch(clause)
    if named and not _OF_A_PEOPLE.search(named["name"]) and "'" not in named["name"]:
        return Candidate(f"{USER}'s name is {named['name']}.", f"My name is {named['name']}.", OF_THE_USER), about
    if CORRECTED.search(clause):
        return Candidate(f"{clause}.", clause, 0.0), about
    if aged := _AGED.match(clause):
        return Candidate(f"{USER} is {aged['age']} years old.", clause, OF_THE_USER), about
    if (lead := _left_out(clause)) is not None:
        clause = f"{lead} {clause[0].lower()}{clause[1:]}"
    clause = with_dates(clause, at)
    if in_front := _IN_FRONT.fullmatch(clause):
        clause = f"{in_front['rest']} {in_front['when'][0].lower()}{in_front['when'][1:]}"
    spoken, least = clause, OF_OTHERS
    pronoun = _PRONOUN.match(clause)
    if pronoun:
        if not about:
            return None, ""
        owns = pronoun["pronoun"].lower() in ("his", "her", "their", "its")
        clause = f"{about}{chr(39) + 's' if owns else ' is' if pronoun['short'] else ''}{pronoun['rest']}"
        spoken = clause.replace(f"{USER}'s", "My", 1)
    elif _FIRST.match(clause) or _MINE.match(clause):
        least = OF_THE_USER
    elif not (
        _NAMED.match(clause)
        or (OVER.search(clause) and re.match(NAME, clause))
        or _PLAN.match(clause.lower())
        or re.search(r"\b(?:me|my|our|us)\b", clause)
    ):
        return None, about
    text = third_person(clause)
    text = f"{text[0].upper()}{text[1:]}."
    read = read_statement(text)
    if (
        read.slots - {"state of it", "place of it", "kind of it"}
        or read.over
        or (read.values and _HAS_PLAN.match(text))
    ):
        least = OF_AN_ATTRIBUTE
    elif text.startswith("The ") and not text.startswith(USER) and "the user" not in text:
        return None, about
    elif read.past:
        least = OF_AN_EVENT
    return Candidate(text, f"{spoken}.", least), _whom(text) or about


def _whom(text: str) -> str:
    """Whom a pronoun after a sentence means: somebody with a name, or of the user's."""
    if text.startswith(f"{USER}'s "):
        subject = read_statement(text)
        if subject.kin or re.search(rf"\b{RELATION}$", subject.subject):
            end = re.search(
                rf"{re.escape((subject.subject if subject.kin else '') or subject.subject.split()[-1])}(?= )",
                text.casefold(),
            )
            return text[: end.end()] if end else ""
        return ""
    has = re.search(
        rf"^{USER} (?:also )?has an? (?:[a-z-]+ )?(?P<kin>{RELATION})(?: (?:called|named) (?P<name>{NAME}))?\b", text
    )
    if has:
        return has["name"] or f"{USER}'s {has['kin']}"
    named = re.match(rf"{NAME}(?: {NAME})?(?= )", text)
    return named[0] if named and not text.startswith(("The ", "We ")) else ""


def _left_out(clause: str) -> str | None:
    """What stands before a verb that goes without its "I"; None where nothing is left out."""
    found = _LEFT_OUT_I.match(clause)
    if found is None:
        return None
    verb = found["verb"].lower().replace("’", "'")
    if verb == "been":
        return "I have"
    if _ING.fullmatch(verb):
        return "I'm"
    return "I" if verb in _PLAIN or (is_past(verb) and verb not in _NO_VERBS) else None


def _supposes(clause: str) -> bool:
    return any(pattern.search(_uncapitalised(clause)) for pattern in (_SUPPOSES, _GUESSES))


def _uncapitalised(text: str) -> str:
    """A text with its first letter and its "I" small, so that names alone have capitals."""
    return re.sub(r"\bI\b", "i", text[:1].lower() + text[1:])
