"""Facts that a user's message states: sentences of their own that name whom they are about.

Sentence structure tells what may be one in English: whom it is about, whether it asks, supposes or quotes. Whether it
tells something that lasts, in whatever language, the encoder decides.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from fitted import FITTED
from memory.facts.rules.claims import claims
from memory.facts.rules.leads import Said, said_in
from memory.facts.rules.reconcile import Stated
from memory.facts.rules.replacing import border_in, turning
from memory.facts.rules.statement import (
    NAME,
    NAMES,
    OVER,
    RELATION,
    TIME,
    is_somebody,
    read_statement,
    split_statement,
    whom_named,
)
from memory.language import (
    LEFT_OUT,
    SHORTEST_WORD,
    USER,
    are_words,
    asked_by,
    doing,
    is_foreign,
    is_past,
    own_words,
    spelled_out,
    third_person,
    told_in_question,
    with_dates,
)
from utils.sentences import split_sentences
from utils.text import STOPWORDS, ends_with_full_stop, ends_with_question_mark, words
from utils.vectors import Floats

LONGEST = 300  # characters of a fact
MOST = 12  # facts of one message
LOOKED_AT = 20_000  # characters of a message
MOST_READ = 60  # clauses of a message that the encoder reads

LASTING = FITTED / "lasting.npy"  # (385,) float32: which sentences tell what lasts, and an offset
# From which likelihood on what may be a fact is one. Structure has told most of what gives a known attribute, less of
# what the user tells of others, and nothing in other languages.
PERHAPS = 0.4
OF_AN_ATTRIBUTE, OF_THE_USER, OF_OTHERS, ELSEWHERE = 0.15, 0.35, 0.45, 0.45
# How likely who "moved to" a place is to be at home for it to be said: people move to departments, and teams to tools.
AT_HOME, OF_US_AT_HOME = 0.1, 0.7
NEVER = 2.0  # what only ends facts
SOMEBODY = re.compile(r"(?P<who>he|she|his|her)\b", re.IGNORECASE)

_FILLERS = re.compile(
    r"^(?:(?:well|so|oh|ah|hey|hi|hello|yes|yeah|no|ok|okay|actually|anyway|also|and|but|sorry|honestly|by the way|"
    r"btw|fyi|wait|correction|edit|typo|please note|remember|note|nowadays|these days|currently|now|update|in fact|"
    r"then|(?:it )?turns out|unfortunately|sadly|luckily|finally|nope|oops|rather|i mean|i meant)\b(?: that\b)?"
    r"[\s,:.!–-]*)+",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"(?i)^(?:no|nope|sorry|oops|wait|actually|rather|correction|edit|typo|i mean|i meant)\b|, not [^\s,;]+\.?$"
)
_LAUGHS = re.compile(
    r"(?i)(?<![\s,])[\s,]*(?:\b(?:lol|lmao|rofl|jk|(?:ha|he){2,})\b|[😂🤣😜😝🤪]"
    r"|(?<=[,;(] )(?:just |only )?(?:kidding|joking)(?=\W*$))[\s!.)]*"
)
_UNTRUE = re.compile(r"it(?: is|['’]s) (?:not (?:true|right|correct)|untrue|false|wrong) that ", re.IGNORECASE)
_ELIDED = re.compile(  # "but my wife is", "but I don't": what, stands in another clause
    r"(?:(?:is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|not|cannot|too)\b|\w+n['’]t\b|\s)+",
    re.IGNORECASE,
)
_ADDRESSES = re.compile(r"(?:sorry|oops|wait)\W+(?=\w)(?!i\b)", re.IGNORECASE)  # "Sorry, Tom."
_BARE = re.compile(  # a value alone
    rf"(?:(?:in|at|on) )?(?:(?i:the )?\W?\d\S*(?:(?: of)? {NAMES})?|{NAMES}(?: \d\S*)?)(?: at \d\S*)?"
)
_STORY = r"in (?:my|the|an?|this) (?:dream|story|novel|game|book|film|movie|play|example)"
_SUPPOSES = re.compile(
    r"\b(?:if|unless|whether|suppose|supposing|imagine|pretend|assume|assuming|let['’]?s|wish|wishes|hope|hopes|"
    r"hopefully|maybe|perhaps|probably|possibly|might|could|would|should|wonder|guess|considering|thinking|almost|"
    r"nearly)\b|['’]d (?!been\b)|\b(?:i|we|he|she|they) (?:may|think|believe(?! in\b)|doubt|bet)\b|"
    rf"^(?:when|whenever|what|how|why|who|where|as|for (?:example|instance))\b|\b{_STORY}\b"
)
_FRAMES = re.compile(  # what is said in a supposition, or of a story, up to the end of the sentence
    rf"(?:if|unless|suppose|imagine|pretend|say|as an?|for (?:example|instance)|{_STORY})\b"
)
_QUOTES = re.compile(
    r"\b(?:said|says?|tells?|told|asks|asked|claim(?:s|ed)|thinks|hear|heard|according to|apparently)\b"
)
_BIDS = re.compile(
    r"(?:please|kindly|remind|delete|remove|write|draft|translate|summari[sz]e|explain|describe|tell|show|give|list|find|"
    r"search|look|help|make|create|add|change|fix|check|compare|convert|send|call|do not|don['’]t|never mind|let|act|"
    r"suggest|recommend|use|set|forget|thanks?|you|your)\b",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r" ?; ?|,? (?:and|but|so) (?=(?:i|i['’]m|i['’]ve|my|we|we['’]ve|our|he|she|they|his|her|their|"
    r"[\w ,]{1,60} & i)\b)|, ?(?=(?:i|i['’]m|i['’]ve|im|my|we|we['’]ve)\b)|(?<=\w), (?=(?:he|she|they)\b)",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    rf"(^|[,;] |\b(?:but|so|and) )({NAME}(?:, {NAME}){{0,3}}|(?i:my|our) (?:[a-z-]+ )?{RELATION}(?: {NAME})?),? and I\b"
)
_FIRST = re.compile(r"(?:i|im|i['’](?:m|ve|ll|d)|my|our|we|we['’](?:re|ve|ll))\b(?!['’-])", re.IGNORECASE)
_PRONOUN = re.compile(
    r"(?P<pronoun>he|she|they|it|his|her|their|its)\b(?P<short>['’]s)?(?P<rest>.*)", re.IGNORECASE | re.DOTALL
)
# Verbs that go without their "I", and what they get with it: "Been vegan for years", "Closed my account".
_LEFT_OUT_I = re.compile(
    r"(?:(?:just|recently|finally|already|also) )?(?P<verb>[a-z]+(?:n['’]t)?)(?= \w)", re.IGNORECASE
)
_NO_VERBS = frozenset(("was", "were", "had", "did", "read", "put", "set", "let", "cut"))  # rather another's, or a bid
_IN_FRONT = re.compile(
    r"(?P<when>(?:since|in|on|around|from|until|by|at|after|before|with|during|despite|thanks to) [^,(]{2,40}?"
    r"(?: \(“[^”]*”\))?),? "
    r"(?P<rest>(?:i|my|we|our)\b.*)",
    re.IGNORECASE,
)
_MOVED = re.compile(
    r"(?P<whom>.+?) (?:has |have )?(?:just |recently )?(?<!was )(?<!were )(?<!been )(?:moved|relocated)"
    rf"(?: back| over)?(?: from {NAMES})? to (?P<place>{NAMES})"
    r"(?!.*\b(?:to [A-Z]|but|when|before|after|until|for (?:an?|\w+) (?:day|week|month|year)s?)\b).*\."
)
_WITHOUT_APOSTROPHE = re.compile(  # "my wifes name is"
    rf"\b((?:my|our) {RELATION})s(?= (?!who|that|there)[a-z]+ (?:is|was)\b)", re.IGNORECASE
)
_BESIDE = re.compile(rf"(?<=\w )(?:my|our) (?P<kin>(?:[a-z-]+ )?{RELATION}),? (?P<name>{NAME})")
_CALLED = re.compile(rf"(?i:i['’]m|i am|(?P<named>(?:[a-z]+ ){{0,2}}calls? me)) (?P<name>{NAME}(?: {NAME})?)")
_OF_A_PEOPLE = re.compile(r"(?:an|ish|ese|ch|ic|i|ss|ek|ot|in|ind|ist|ent|ome)$")
_ENGLISH = STOPWORDS - frozenset("a am an do in is me no on so to was we".split())  # noqa: SIM905  not words of others
_KEYED = re.compile(r"[^\W\d_][^:?!.]{0,59}:\s+\S")  # "Gate code: 4711"
_DENSE = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{6}")  # scripts of few or no spaces


@dataclass(frozen=True)
class Candidate:
    """What may be a fact. `spoken`: the clause as the user says it, by which the encoder decides; `least`: the
    likelihood that it takes. `sentence`: all that was said with it; `said`: as it stands in the message."""

    text: str
    spoken: str
    least: float
    sentence: str
    said: Said
    foreign: bool = False
    corrects: bool = False

    @property
    def unmarked(self) -> str:
        """The sentence as it stands in the message, where neither a full stop nor what it tells says that it asks
        nothing; else empty."""
        sentence = self.said.sentence
        return "" if ends_with_full_stop(sentence) or told_in_question(sentence) is not None else sentence

    @property
    def read(self) -> tuple[str, ...]:
        """What the encoder reads to decide."""
        return tuple(filter(None, (self.spoken, self.unmarked)))


def candidates(message: str, at: datetime) -> list[Candidate]:
    """What of a message, made at a time, may be facts, or the end of some, in order. Questions, requests, suppositions
    and other people's words are none."""
    found: list[Candidate] = []
    about = ""  # whom a pronoun means
    for said in said_in(own_words(message[:LOOKED_AT])):
        _, _, rest = said.sentence.partition(": ")
        stated = rest if said.label and _FIRST.match(rest) else said.sentence
        sentence = spelled_out(_WITHOUT_APOSTROPHE.sub(r"\1's", told_in_question(stated) or stated))
        laughs, is_corrected = _LAUGHS.search(sentence) is not None, corrects(sentence)
        sentence = _LAUGHS.sub("", sentence)
        if not words(sentence):
            continue  # "haha", 😂
        bare = without_lead(sentence).split(",")[0].strip(" .!")
        is_name = _ADDRESSES.match(sentence) and bare.istitle() and not re.search(r"\d", bare)
        if is_corrected and _BARE.fullmatch(bare) and not is_name:
            found.append(Candidate(f"It is {bare}.", sentence, NEVER, sentence, said, corrects=True))
        elif ends_with_question_mark(sentence.rstrip(" \"')”")):
            about = ""
        elif is_foreign(sentence) or not _may_be_english(sentence):
            text = " ".join(sentence.split())
            if len(text) <= LONGEST and LEFT_OUT not in text:
                found.append(Candidate(text, text, ELSEWHERE, text, said, foreign=True))
        else:
            whole, before = third_person(sentence[:LONGEST]), len(found)
            untrue = _UNTRUE.match(sentence)
            for clause in clauses(sentence[untrue.end() :] if untrue else sentence):
                candidate, about = _candidate(clause, about, whole, at, said)
                if candidate is not None and not (laughs and _CALLED.fullmatch(clause)):
                    candidate = replace(candidate, corrects=is_corrected)
                    if untrue:
                        denied = f"That {candidate.text[0].lower()}{candidate.text[1:-1]} is not true."
                        candidate = replace(candidate, text=denied, least=NEVER, corrects=True)
                    beside = (f"{USER} has a {one['kin']} called {one['name']}." for one in _BESIDE.finditer(clause))
                    found += [replace(candidate, text=text) for text in (candidate.text, *beside)]
            if len(found) == before and (only_turns := _only_turns(sentence, at, said)) is not None:
                found.append(only_turns)
        if len(found) >= MOST_READ:
            break
    return list(dict.fromkeys(found))[:MOST_READ]


def lasting(vectors: Floats) -> Floats:
    """How likely each of some sentences tells what stays true of its speaker, or of their people and things, in 0..1,
    in whatever language; shape (n,). `vectors`: of the sentences, by the local encoder, (n, 384)."""
    border = border_in(LASTING)
    likely: Floats = 1 / (1 + np.exp(-(vectors @ border[:-1] + border[-1])))
    return likely


def stated_by(found: Sequence[Candidate], vectors: Mapping[str, Floats]) -> list[Stated]:
    """What candidates state: facts, and what tells of a turn. `vectors`: of what is `read` of each, by the local
    encoder."""
    stated: dict[str, Stated] = {}
    for candidate in found:
        vector = vectors[candidate.spoken]
        [likelihood] = lasting(vector[None])
        lasts = bool(likelihood >= candidate.least)
        if states(candidate, vectors) and (lasts or turning(vector) > 0 or candidate.corrects):
            text = _with_home(candidate.text, doing(vector, candidate.spoken).home)
            stated.setdefault(text, Stated(text, candidate.sentence, lasts, candidate.corrects))
    return list(stated.values())[:MOST]


def states(candidate: Candidate, vectors: Mapping[str, Floats]) -> bool:
    """Whether a candidate asks or supposes nothing, by what the encoder reads of it."""
    if (unmarked := candidate.unmarked) and asked_by(unmarked, doing(vectors[unmarked], unmarked)) is not None:
        return False
    does = doing(vectors[candidate.spoken], candidate.spoken)
    return not (candidate.foreign and (does.supposing or asked_by(candidate.spoken, does) is not None))


def _with_home(text: str, home: float) -> str:
    """What tells that somebody moved, with where they live since. `home`: how likely it is about that."""
    moved = _MOVED.fullmatch(text)
    if (
        moved is None
        or not is_somebody(read_statement(text).subject)
        or OVER.search(text)
        or TIME.match(moved["place"])
    ):
        return text
    least, lives = (OF_US_AT_HOME, "live") if moved["whom"] == "We" else (AT_HOME, "lives")
    return f"{text[:-1]} and {lives} in {moved['place']}." if home >= least else text


def statement_of(text: str) -> str | None:
    """A text that is to be kept though no rule reads it, in the third person, where it is a statement: no question, no
    request, nothing supposed, nothing of nobody knows whom, nothing of the user's own, for that is for the rules to
    read."""
    bare = " ".join(text.split())
    if len(text) > LONGEST or LEFT_OUT in own_words(text) or not bare:
        return None
    for sentence in split_sentences(text):
        start = sentence.strip(" \t\"'“”‘’()-–—*")
        if ends_with_question_mark(start) or _BIDS.match(start) or _supposes(start) or _FILLERS.fullmatch(start):
            return None
        if _QUOTES.search(_uncapitalised(start)):
            return None
        if re.search(r"\b(?:I|[Mm]y|[Ww]e|[Oo]ur)\b", sentence) or re.match(r"i\b", sentence):
            return None
    if _PRONOUN.match(without_lead(bare)):
        return None
    bare = " ".join(map(spelled_out, split_sentences(without_lead(bare) if corrects(bare) else bare)))
    enough = len(words(text)) >= 3 or _DENSE.search(text)
    return third_person(bare[:1].upper() + bare[1:]) if enough or _KEYED.match(bare) else None


def keeps(statement: str, likely: float) -> bool:
    """Whether a statement that no rule reads is kept: a value, number or time of something now, or what may last."""
    read = read_statement(statement)
    has = read.subject and (read.slots or read.values) and not any(map(is_past, words(statement)[:6]))
    return likely >= PERHAPS or _KEYED.match(statement) is not None or bool(has)


def corrects(sentence: str) -> bool:
    """Whether a sentence begins, or ends, as one that says that something was wrong."""
    return _CORRECTS.search(sentence.strip()) is not None


def without_lead(sentence: str) -> str:
    """A sentence without "no", "actually" and the like in front."""
    return _FILLERS.sub("", sentence.strip())


def clauses(sentence: str) -> Iterator[str]:
    """The clauses of a sentence that state something themselves, each with its subject; none of what quotes."""
    shouted = sentence.isupper() and len(sentence.split()) > 2
    bare = _FILLERS.sub("", (sentence.lower() if shouted else sentence).strip(" \"“”'"))
    if LEFT_OUT in bare or _QUOTES.search(_uncapitalised(bare)):
        return
    if _FRAMES.match(_uncapitalised(bare)):
        return
    parts: list[str] = []
    for part in _JOINED.split(_TOGETHER.sub(r"\1\2 & I", bare)):
        if parts and "used to" in parts[-1] and OVER.search(part):
            parts[-1] = f"{parts[-1]} but {part}"
        else:
            parts.append(part)
    for part in parts:
        clause = _FILLERS.sub("", spelled_out(part).strip(' ,.!…"“”'))
        if clause and not _supposes(clause):
            yield from claims(clause.replace(" & I ", " and I "))


def _candidate(clause: str, about: str, sentence: str, at: datetime, said: Said) -> tuple[Candidate | None, str]:
    """What may be a fact of a clause, and whom a pronoun means behind it."""
    called = _CALLED.fullmatch(clause)
    if len(clause) > LONGEST or (_BIDS.match(clause) and not called) or len(clause.split()) < 2:
        return None, about
    if called and (called["named"] or not _OF_A_PEOPLE.search(called["name"])):
        name = called["name"]
        return Candidate(f"{USER}'s name is {name}.", f"My name is {name}.", OF_THE_USER, sentence, said), about
    if (lead := _left_out(clause)) is not None:
        clause = f"{lead} {clause[0].lower()}{clause[1:]}"
    spoken, least, clause = clause, OF_OTHERS, with_dates(clause, at, in_words=True)
    is_of_before = False  # whom the pronoun means, only what was told before may tell
    if in_front := _IN_FRONT.fullmatch(clause):
        clause = f"{in_front['rest']} {in_front['when'][0].lower()}{in_front['when'][1:]}"
    if pronoun := _PRONOUN.match(clause):
        if about and not (pronoun["pronoun"].lower() == "it" and _CORRECTS.match(said.sentence)):
            owns = pronoun["pronoun"].lower() in ("his", "her", "their", "its")
            start = f"{about}{chr(39) + 's' if owns else ' is' if pronoun['short'] else ''}"
            spoken = f"{start.replace(f'{USER}{chr(39)}s', 'My', 1)}{spoken[len(pronoun[0]) - len(pronoun['rest']) :]}"
            clause = f"{start}{pronoun['rest']}"
        else:
            clause = f"{pronoun['pronoun']}{' is' if pronoun['short'] else ''}{pronoun['rest']}"
            least = OF_OTHERS if (is_of_before := SOMEBODY.match(clause) is not None) else NEVER
    elif _FIRST.match(clause) or re.match(rf"(?:{NAME}, ){{0,3}}{NAME} and I ", clause):
        least = OF_THE_USER
    text = third_person(clause)
    if _ELIDED.fullmatch(split_statement(text)[1].strip()):
        return None, about
    text = f"{text[0].upper()}{text[1:]}."
    read = read_statement(text)
    is_told_of = is_somebody(read.subject) or "time" in read.slots or is_of_before
    if least == OF_OTHERS and not (is_told_of or re.search(r"\b(?:me|my|our|us)\b", spoken, re.IGNORECASE)):
        least = NEVER
    elif least != NEVER and (read.slots or OVER.search(text)):
        least = OF_AN_ATTRIBUTE
    return Candidate(text, f"{spoken}.", least, sentence, said), whom_named(text) or about


def _only_turns(sentence: str, at: datetime, said: Said) -> Candidate | None:
    """What no rule reads, or another said, may still end a fact, where it is no request and supposes nothing."""
    bare = " ".join(without_lead(sentence).split())
    told = not (_BIDS.match(bare) or _supposes(bare) or _FRAMES.match(_uncapitalised(bare)) or LEFT_OUT in bare)
    if not told or len(bare) > LONGEST or len(bare.split()) < 2:
        return None
    text = third_person(with_dates(bare, at, in_words=True)).rstrip(" .!")
    return Candidate(f"{text[:1].upper()}{text[1:]}.", bare, NEVER, sentence, said)


def _may_be_english(sentence: str) -> bool:
    if _FIRST.match(sentence) or _PRONOUN.match(without_lead(sentence)) or _left_out(sentence) is not None:
        return True
    said = words(sentence)
    ours = "we" in said and bool(are_words([word for word in said if len(word) >= SHORTEST_WORD]).all())
    return ours or not _ENGLISH.isdisjoint(said) or read_statement(sentence).subject != ""


def whom_meant(message: str, at: datetime) -> str:
    """Whom a pronoun after a message of the user's means, as the user would say it: "my sister Eva"; empty where that
    is nobody."""
    about = ""
    for said in said_in(own_words(message[:LOOKED_AT])):
        for clause in clauses(spelled_out(said.sentence)):
            _, about = _candidate(clause, about, said.sentence, at, said)
    return about.replace(f"{USER}'s", "my")


def _left_out(clause: str) -> str | None:
    """What stands before a verb that goes without its "I"; None where nothing is left out."""
    found = _LEFT_OUT_I.match(clause)
    if found is None:
        return None
    verb = found["verb"].lower().replace("’", "'")
    if verb == "been":
        return "I have"
    return "I" if verb in ("can't", "cannot", "haven't") or (is_past(verb) and verb not in _NO_VERBS) else None


def _supposes(clause: str) -> bool:
    return _SUPPOSES.search(_uncapitalised(clause)) is not None


def _uncapitalised(text: str) -> str:
    """A text with its first letter and its "I" small, so that names alone have capitals."""
    return re.sub(r"\bI\b", "i", text[:1].lower() + text[1:])
