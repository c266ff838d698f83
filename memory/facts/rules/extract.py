"""What does a user's message say that stays true? Facts by rules, each a sentence that names whom it is about."""

import re
from collections.abc import Iterator

from memory.facts.rules.changes import cancels
from memory.facts.rules.clauses import clauses, is_in_jest, takes_back, without_fillers
from memory.facts.rules.corrections import correction_of, slip_of, straightened
from memory.facts.rules.endings import is_of_a_death
from memory.facts.rules.kinds import is_of_a_people, is_place_in_lower_case, is_somebody
from memory.facts.rules.lists import apart
from memory.facts.rules.passing import asks_or_supposes, is_conditional, is_lasting_in_a_word, lasts, passes
from memory.facts.rules.person import third_person
from memory.facts.rules.slots import reschedules
from memory.facts.rules.statement import RELATION, Statement, read_statement
from memory.language.own_words import LEFT_OUT, own_words
from utils.sentences import split_sentences
from utils.text import words

__all__ = ["LONGEST", "MOST", "Statement", "extract_by_rules", "read_statement"]

USER = "The user"
LONGEST = 300  # characters of a fact
MOST = 12  # facts of one message
LOOKED_AT = 20_000  # characters of a message
FEWEST_WORDS = 3

_OF_MINE = re.compile(
    r"^(?:one|two|three|four|five|some|both|all|none|half|most|many|another|neither|either|"
    r"the (?:first|second|third|last|oldest|youngest|other)) of (?:my|our) [^,;.]{1,40}? "
    r"(?:is|are|was|were|has|have|had|died|ran|left|got|went|came|lives?|works?|stud(?:y|ies)|speaks?|plays?|likes?|loves?|"
    r"goes|go|needs?|wants?|can|cannot|can['’]t|will|[a-z]{3,}ed)\b",
    re.IGNORECASE,
)
_OF_A_PLAN = re.compile(r"^The (?!user\b)[a-z]|^The [A-Z][\w-]+ [a-z]")
_FIRST = re.compile(r"^(?:i|im|i['’](?:m|ve|ll|d)|my|our|we|we['’](?:re|ve|ll))\b(?!['’-])", re.IGNORECASE)
_NAME = r"[^\W\d_a-zß-öø-ÿα-ωа-џ][\w’'-]+"
_TITLE = r"(?:Mrs?|Ms|Dr|Prof|Rev|St)\b\.?"
_NAMED = re.compile(
    rf"^(?P<subject>(?:{_TITLE} )?{_NAME}(?:\s+(?:and\s+)?{_NAME}){{0,3}})\s+"
    r"(?:(?:really|also|just|now|still|already|never|always|recently|no longer)\s+)*"
    r"(?:is|was|are|were|has|have|had|lives?|works?|likes?|loves?|hates?|prefers?|moved|got|studies|"
    r"study|plays?|speaks?|owns?|married|turned|died|passed(?= away)|joined|quit|left|bought|sold|adopted|became|"
    r"drives?|runs?|teaches|can|cannot|can['’]t|doesn['’]t|does|don['’]t|wants?|needs?|plans?|will|started|stopped|finished|graduated|lived|"
    r"worked|isn['’]t|wasn['’]t|didn['’]t|won['’]t)\b"
)
_NO_NAME = frozenset(
    """the this that these those it there here what who which he she they you we today tomorrow yesterday everything
    everyone everybody something someone somebody nothing nobody life work dinner lunch breakfast one all both some
    most many his her their its your our my monday tuesday wednesday thursday friday saturday sunday thanks""".split()  # noqa: SIM905
)
# An 's that is short for "is": "Anna's a doctor now", "she's now in Oslo".
_IS_SHORT = re.compile(
    r"^(?P<who>[Hh]e|[Ss]he|(?!(?:It|That|There|Here|What|Who|This)\b)[^\W\d_a-zß-öø-ÿα-ωа-џ][\w-]*)['’]s "
    r"(?=now (?:an?|in|at) |(?:an?|in|at) [^,;]+ now$)"
)
_PRONOUN = re.compile(r"^(?P<pronoun>he|she|they|his|her|their)\b(?P<rest>.*)$", re.IGNORECASE | re.DOTALL)
_TITLED = rf"(?:{_TITLE} )?(?!{_TITLE}){_NAME}"
_ABOUT = re.compile(
    rf"^(?:[Mm]y|[Oo]ur) (?:(?:[a-z'’-]+ ){{0,4}}?(?P<name>{_TITLED})|(?P<kin>[a-z-]+)\b)|^(?P<subject>{_TITLED})"
)
_CALLED = re.compile(
    r"^(?:(?:please|just|you can|everybody|everyone|friends|people|they) ){0,2}calls? me (?P<name>\S+)$", re.I
)
_I_AM = re.compile(r"^(?:I['’]m|I am|i['’]m|i am|Im|im) (?P<name>\S+(?: \S+){0,4})$")
_AGED = re.compile(r"^(?:I(?:['’]m| am)|im)(?: now)? (?P<age>1?\d{1,2})(?: years old)?(?: now)?$", re.IGNORECASE)
_BY_THE_WAY = re.compile(rf"(?<=\w )(?:my|our) (?P<relation>(?:[a-z-]+ )?{RELATION}),? (?P<name>{_NAME})")
_MOVED_IN_LOWER_CASE = re.compile(
    r"^(?P<so_far>The user(?:'s [a-z]+)? (?:has )?(?:moved|relocated)(?: back)? to )"
    r"(?P<place>[a-z]+(?: [a-z]+)?)(?= (?:in|from|with|last|this|for|and|because|when|after|near)\b|,|$)"
)
_NAMED_IN_LOWER_CASE = re.compile(r"^(?P<so_far>The user's (?:[a-z]+'s )?name is )(?P<place>[a-z]+(?: [a-z]+)?)$")

_SHOUTED = re.compile(
    r"(?:(?<= lives in )|(?<= living in )|(?<= born in )|(?<= called )|(?<= named ))"
    r"(?P<name>(?:(?:new|san|los|las|saint|south|north|west|east) )?[a-z]+)(?=$|[.,]| (?:with|since|and|near)\b)"
)


def extract_by_rules(message: str) -> list[str]:
    """The facts that a user's message states, as sentences of their own, in order: first-person statements, and what is
    said of people by name. Questions, requests, suppositions, passing remarks and other people's words are left out."""
    found: list[str] = []
    stated = _facts(own_words(message[:LOOKED_AT]))
    for fact in (one for listing in stated for one in apart(listing)):
        if fact not in found:
            found.append(fact)
        if len(found) == MOST:
            break
    return found


def _facts(message: str) -> Iterator[str]:
    in_lower_case = message == message.lower()
    about = ""  # whom a pronoun means
    sentences = split_sentences(message)
    for sentence, after in zip(sentences, [*sentences[1:], ""], strict=False):
        if is_in_jest(sentence) or takes_back(after) or is_conditional(sentence):
            continue
        if slip := slip_of(sentence):
            yield slip
            continue
        shouted = sentence.isupper() and len(words(sentence)) >= FEWEST_WORDS
        for clause in clauses(sentence.lower() if shouted else sentence):
            if LEFT_OUT in clause:
                continue
            clause = _IS_SHORT.sub(r"\g<who> is ", clause)
            fact = _fact(clause, about)
            about = _whom(clause[:LONGEST]) or about
            if fact is None:
                continue
            if shouted:
                fact = _SHOUTED.sub(_capitalised, fact)
            yield _with_capitals(fact) if in_lower_case or shouted else fact
            for one in _BY_THE_WAY.finditer(clause):
                yield f"{USER} has a {one['relation']} called {one['name']}."


def _whom(clause: str) -> str:
    """Whom a pronoun after this clause means: who is named in it, or a relation of the user's."""
    found = _ABOUT.match(without_fillers(clause))
    if found is None:
        return ""
    name = found["name"] or found["subject"]
    if name is None:
        return f"{USER}'s {found['kin']}"
    return "" if name.casefold() in _NO_NAME | {"i"} else str(name)


def _fact(clause: str, about: str) -> str | None:
    clause = straightened(without_fillers(clause))
    if len(clause) > LONGEST:
        return None
    if correction := correction_of(clause):
        return correction
    if text := _of_the_user_alone(clause):
        return text
    few = len(words(clause)) < FEWEST_WORDS and not (is_lasting_in_a_word(clause) or is_of_a_death(clause))
    if few or asks_or_supposes(clause):
        return None
    if _FIRST.match(clause):
        text = third_person(clause)
        return _ended(text) if lasts(text) and (cancels(text) or not passes(text)) else None
    if _OF_MINE.match(clause):
        text = third_person(clause)
        return None if passes(text) else _ended(text)
    if _OF_A_PLAN.match(clause) and (cancels(clause) or reschedules(clause)):
        return _ended(third_person(clause))
    pronoun = _PRONOUN.match(clause)
    if pronoun and about:
        possessive = pronoun["pronoun"].lower() in ("his", "her", "their")
        clause = about + ("'s" if possessive else "") + pronoun["rest"]
        if about.startswith(USER):
            text = third_person(clause)
            return None if passes(text) else _ended(text)
    named = _NAMED.match(clause)
    if named is None or named["subject"].split()[0].casefold() in _NO_NAME or passes(clause):
        return None
    return _ended(third_person(clause))


def _ended(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _of_the_user_alone(clause: str) -> str | None:
    """A name, an age, or of which people the user is, said in a word or two."""
    if aged := _AGED.match(clause):
        return f"{USER} is {aged['age']} years old."
    if (called := _CALLED.match(clause)) and is_somebody(called["name"]):
        return f"{USER}'s name is {called['name']}."
    said = _I_AM.match(clause)
    if said is None:
        return None
    if is_somebody(said["name"]):
        return f"{USER}'s name is {said['name']}."
    return f"{USER} is {said['name']}." if is_of_a_people(said["name"]) else None


def _capitalised(found: re.Match[str]) -> str:
    name = found["name"]
    return name.title() if is_place_in_lower_case(name.split()[-1]) else name


def _with_capitals(fact: str) -> str:
    """A fact of somebody who writes no capitals, with that of a place moved to or of a name: decisions tell by it that
    it is one."""
    found = _MOVED_IN_LOWER_CASE.match(fact[:-1]) or _NAMED_IN_LOWER_CASE.match(fact[:-1])
    if found is None or not is_place_in_lower_case(found["place"]):
        return fact
    return found["so_far"] + found["place"].title() + fact[found.end() :]
