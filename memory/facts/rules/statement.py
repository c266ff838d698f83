"""Statements: what the sentence of a fact says, and of whom."""

import re
from dataclasses import dataclass

from memory.language import USER, is_past, tells_a_day, third_person, without_words_of_dates
from utils.text import STOPWORDS, SYMBOLS, content_stems, marked_words, stem, words

READ = 600  # characters of a fact that are read for what it says
PREFIX = 5  # letters that "allergy" and "allergic" have in common

RELATION = (
    r"(?:(?:step|half|god|grand|great-grand)?-?(?:sister|brother|mother|father|mum|mom|dad|son|daughter|"
    r"child)(?:-in-law)?|wife|husband|spouse|kid|baby|aunt|uncle|cousin|niece|nephew|grandma|grandpa|parents|"
    r"grandparents|in-laws|children|kids|partner|girlfriend|boyfriend|fianc[ée]e?|friend|neighbou?r|colleague|"
    r"co-?worker|classmate|boss|manager|teacher|doctor|dentist|therapist|landlord|landlady|roommate|flatmate|"
    r"housemate|supervisor|mentor|tutor|coach|nanny|dog|puppy|cat|kitten|horse|parrot|rabbit|hamster|tortoise)"
)
SHE = re.compile(
    r"\b(?:sister|mother|mum|mom|daughter|wife|girlfriend|aunt|niece|grandma|fianc[ée]e|landlady)\b(?!['’]s)"
)
HE = re.compile(r"\b(?:brother|father|dad|son|husband|boyfriend|uncle|nephew|grandpa|fianc[ée]|landlord)\b(?!['’]s)")
NAME = r"(?:(?:Mrs?|Ms|Dr|Prof)\b\.? )?[^\W\d_a-zß-öø-ÿα-ωа-џ][\w-]*"
_WORD_OF_NAME = r"[^\W\d_a-zß-öø-ÿα-ωа-џ][\w-]*\.?"
NAMES = rf"{_WORD_OF_NAME}(?: {_WORD_OF_NAME})*"  # of one or several words, with titles or without
_SAME_KIN = {"mum": "mother", "mom": "mother", "dad": "father", "kid": "child", "puppy": "dog", "kitten": "cat"}
_SAME_KIN |= dict.fromkeys(
    ("wife", "husband", "spouse", "girlfriend", "boyfriend", "fiancé", "fiancée", "fiance"), "partner"
)

_AUX = (
    r"(?:is|are|was|were|isn['’]t|aren['’]t|wasn['’]t|has|have|had|does|do|did|doesn['’]t|didn['’]t|will|can|cannot|"
    r"can['’]t|won['’]t|no longer|never|got|went|died|left|moved|became|started|stopped|quit|fell)"
)
_VERB = (
    r"(?:(?:live|work|study|love|like|hate|prefer|need|want|use|speak|play|own|eat|drink|come|get|go|know)|"
    r"[a-z]+(?<![s'’])s|[a-z]+ed)"
)
_OWNED = re.compile(r"(?P<owner>(?:the )?user['’]s |the (?!user\b))", re.IGNORECASE)
_HEADS = tuple(re.compile(rf"(?P<phrase>(?:[^\s,;:!?]+ ){{1,6}}?)(?={verb}\b)") for verb in (_AUX, _VERB))
_NAMED = re.compile(
    rf"(?P<name>{NAME}(?: {NAME}){{0,3}})(?:(?=['’]s )| (?=(?:also|now|just|still|really)\b|{_AUX}\b|{_VERB}\b))"
)
_KIN = re.compile(rf"(?i:(?:[\w-]+['’]s |[\w-]+ )*?{RELATION})(?:,? {NAME}(?: {NAME})?)?")
_OF_KIN = re.compile(rf"\b{RELATION}(?:,? {NAME}){{0,2}}(?: (?:also|now|just|still|never|no longer))*$")
_NOBODY = re.compile(r"(?:he|she|it|they|this|that|there|these|those|not|no|what|who|you)\b", re.IGNORECASE)
_AT_THE_END = re.compile(r"(?: (?:also|now|just|still|never|no longer))+$")
_FRESH = re.compile(r"\b(?:new|current|old|former|older|younger|elder|little|big|best) (?!\d)", re.IGNORECASE)

_BEFORE_VERB = re.compile(
    rf"^(?:and (?:their (?:[a-z-]+ )?{RELATION}(?: {NAME})?|{NAME}) )?"
    r"(?:(?:also|really|just|now|still|currently|already|recently|finally|actually|no longer|has|have|been|not|"
    r"never|does|do|did|will) )*(?=[a-z])"
)
_BEHIND_IS = re.compile(r"^(is|are|was|were) (?:(?:also|now|still|currently|already|finally|actually|not|no longer) )+")
_END = r"(?=$|[.,;!]| (?:now|today|on|in|at|since|and|but|with|last|this|already|again|for|because)\b)"
WORKER = (
    r"(?!(?:.* )?(?:smoker|lover|runner|swimmer|drinker|believer|eater|owner|member|beginner|winner|gamer|player|"
    r"speaker|listener|fan|father|mother|brother|sister|woman|man|human|vegetarian|pescatarian|christian|twin|minor|"
    r"senior|survivor|foreigner|newcomer|person|sleeper|riser)\b)"
    r"(?:[a-z-]+ ){0,2}(?:[a-z-]+(?:er|or|ist|ian|man|woman|eer|smith|mason|ista)|nurse|chef|cook|vet|pilot|lawyer|"
    r"surgeon|judge|student|clerk|architect|midwife|priest|coach|analyst|intern)"
)
DIET = r"(?:(?:an? )?(?:(?:strict|lifelong) )?(?:vegan|vegetarian|pescatarian|omnivore|flexitarian|carnivore))"
_SLOTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (slot, re.compile(pattern))
    for slot, pattern in (
        ("name", r"(?:is|are|was) (?:called|named) (?=\S)"),
        ("age", rf"(?:is|was|turned|turns) \d{{1,3}}(?![.,]\d)(?: (?:years?|months?)(?: old)?)?{_END}"),
        (
            "home",
            r"(?:(?:is|are) )?(?:lives?|living|resides?|moving|moved|moves|relocated|settled|based)(?: back| over)? "
            r"(?:in|to) (?!(?:an?|the|their|his|her|our|this|that|with|together|it|one|two)\b)",
        ),
        ("whereabouts", r"(?:is|are) (?:back )?in (?=[A-Z])"),
        ("birthday", r"was born on (?=.*\d)"),
        ("status", r"(?:is|are|got|gets|was) (?:married|single|divorced|engaged|widowed|separated)\b"),
        ("job", rf"(?:is|became|works? as|working as) (?:an? |the )?{WORKER}{_END}"),
        ("employer", r"(?:works?|working|employed)(?: as [^,;]+?)? (?:at|for) (?!home|least|night)"),
        ("employer", r"(?:joined|started (?:(?:work|working|a new job) )?(?:at|with)) (?=[A-Z])"),
        ("employer", r"(?:quit|left|lost) (?:their|the) job\b"),
        *((slot, r"(?:is |are )?retired\b") for slot in ("employer", "job")),
        ("diet", rf"(?:is|are|became|turned|went) {DIET}\b|(?:eats?|eating) (?:any )?(?:meat|fish)\b"),
    )
)
_IS_NAMED = re.compile(rf"(?:is|are|was) (?:now )?(?P<value>{NAME}(?: {NAME})?)(?=$|[.,])")
_VALUE = re.compile(r"(?:is|are|was|will be|costs?)(?: (?:now|called))? (?P<value>.+)")
# Whatever is said of these gives their one value.
ONE_VALUE = re.compile(
    r"(?:favou?rite .*|.*\b(?:number|code|pin|password|passcode|passphrase|address|e-?mail|id|username|login|wi-?fi|"
    r"ssid|plan|status|budget|name|goal|motto|size|salary|rent|price|key))"
)
TIME = re.compile(
    r"(?:(?:on|in|at|due|by|until|from|every|around|the|week|of|end|mid|early|late) )*(?:noon|midnight|"
    r"\d{1,2}(?::\d\d| ?[ap]m\b)|"
    r"(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|(?:19|20)\d\d\b|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|spring\b|summer\b|autumn\b|winter\b|tomorrow|weekend|half past|"
    r"quarter)",
    re.IGNORECASE,
)
PLACE = re.compile(
    r"(?:in|at|on|under|behind|near|next to|beside|inside|outside|above|below|between|by|across|opposite|parked)\b"
)
_TO_A_TIME = re.compile(
    rf"(?:is|are|was|were|has|have|starts?|ends?|takes|leaves?)\b(?: [a-z]+)*?(?: to)? {TIME.pattern}", re.IGNORECASE
)

DENIED = re.compile(
    r"\b(?:not|never|cannot|no longer|neither|without)\b|n['’]t\b|\b(?:has|have|had|is|are|eats?|drinks?) no\b"
)
OVER = re.compile(
    r"\bno longer\b|\bany ?more\b|\bany longer\b|\b(?:quit|stopped|g[ai]ven? (?:it |that |them )?up|gives up|sold|"
    r"broke up|split up|got rid of|gone off|went off|lost|left(?! for\b)|cancell?ed|called off|died|passed away|"
    r"is over|got over|dropped out|ended)\b|\b(?:is|are) off(?=[.!]?$)"
)
CHANGED = re.compile(
    r"\b(?:now|instead|switched|swapped|changed|moved|replaced|again|actually|nowadays|went (?:up|down)|postponed|"
    r"rescheduled|new|pushed|raised|increased|lowered|dropped|became)\b"
)
AHEAD = re.compile(  # what is planned, and so ends nothing yet
    r"\b(?:will|going to|about to|plans? to|wants? to|intends? to|hopes? to)\b|"
    r"\b(?:is|are) (?:[a-z]+ )?(?:(?:mov|relocat|leav|sell|switch|quitt|retir|join)ing\b|[a-z]+ing\b.* "
    rf"(?:next|soon|from|{TIME.pattern}))|\b(?:lives?|works?|is|are)\b.* from {TIME.pattern}",
    re.IGNORECASE,
)
ALSO = re.compile(r"\b(?:also|too(?=[.!]?$)|as well|another|second|third|additional|other|besides)\b")
VALUES = re.compile(
    r"\d+(?:st|nd|rd|th)\b|(?:(?<!\S)-)?\d+(?:[.:,]\d+)*|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|"
    r"\b(?:january|february|march|april|may|june|july|"
    r"august|september|october|november|december)\b|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve)\b|"
    r"\b(?:mornings?|evenings?|nights?|noon|midnight|daily|weekly|monthly|once|twice)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(  # by which what is said is denied, is over, or is so again
    r"\b(?:(?:do|does|did) not|not|never|no longer|any ?more|again|now|still|also|an?|any|no|(?:has |have )?(?:quit|"
    r"stopped|gave up|given up))\b"
)
_UNTRUE = re.compile(r"That (?P<claim>.+) is not true")
_LIGHT = frozenset(  # what says little of what is so
    """user also really just now still actually very too absolutely quite currently recently finally already any anymore
    longer happily both nowadays today again no not never has have had having is are was were be been got get gets do
    does did own owns owned new again since last after all that it this there instead cannot take takes took make makes
    went go goes going more much lot bit""".split()  # noqa: SIM905
)
_UNTOLD = STOPWORDS - {"like"}


@dataclass(frozen=True)
class Statement:
    """What a fact says. `subject`: of whom or what, "user" or "user's rent", "" where no rule tells. `slots`: of what
    it gives the one value. `named`: the stems of what it says, in order; `values`: its numbers, days and times.
    `denied`: it says that this is not so, or no longer; `ahead`: that it is to be so; `happened`: what was done on a
    day that was told in words."""

    text: str
    subject: str
    slots: frozenset[str]
    named: tuple[str, ...]
    values: tuple[str, ...]
    denied: bool
    ahead: bool = False
    happened: bool = False


def read_statement(text: str) -> Statement:
    """What a fact's sentence says, whoever wrote it."""
    bare = " ".join(without_words_of_dates(text[:READ]).split()).strip(" .!")
    untrue = _UNTRUE.fullmatch(bare)
    subject, predicate = split_statement(untrue["claim"] if untrue else bare)
    clause = _first_clause(predicate)
    denied = untrue is not None or DENIED.search(clause) is not None or OVER.search(clause) is not None
    named = marked_words(VALUES.sub(" ", clause if denied else predicate))
    slots = _slots(subject, predicate)
    return Statement(
        text=text,
        subject=subject,
        slots=slots,
        named=tuple(stem(word) for word in named if word not in _UNTOLD and word not in _LIGHT),
        values=tuple(value.lower().removesuffix("s") for value in VALUES.findall(predicate)),
        denied=denied,
        ahead="time" not in slots and AHEAD.search(clause) is not None,
        happened=not denied and tells_a_day(text) and any(map(is_past, words(clause)[:6])),
    )


def claim_of(text: str) -> tuple[str, ...]:
    """The stems of what a statement says first, in order, without what denies it."""
    clause = _first_clause(split_statement(" ".join(text.split()).strip(" .!"))[1])
    return tuple(stem(word) for word in words(_DENIES.sub(" ", clause)))


def _first_clause(predicate: str) -> str:
    return re.split(r"[,;(]| (?:but|because|although|so)\b", predicate, maxsplit=1)[0]


def is_somebody(subject: str) -> bool:
    """Whether a subject is the user, or a person or animal."""
    owned = subject.removeprefix("user's ").removeprefix("the ")
    return owned == subject != "" or _KIN.fullmatch(owned) is not None


def are_of_one(statement: Statement, other: Statement) -> bool:
    """Whether two statements may be of the same: "the deadline" may be any deadline, whoever's it is, Lena the sister
    Lena, and what no rule tells the subject of, anything."""
    if not statement.subject or not other.subject:
        return True
    (owners, what), (others, that) = (parts_of(one.subject) for one in (statement, other))
    anyones = any(one.subject.startswith("the ") for one in (statement, other))
    return (anyones or owners == others) and (what == that or (bool(what and that) and (what <= that or that <= what)))


def parts_of(subject: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of whose something is, beside the user's, and of what it is; of the user there are none."""
    *owners, what = re.split(r"['’]s ", subject.removeprefix("user's ")) if subject.startswith("user's ") else [subject]
    whose, of = (stems_of(phrase) for phrase in (" ".join(owners), what))
    return whose, of - {"user", "name"}


def stems_of(phrase: str) -> frozenset[str]:
    """The stems of a phrase; a word with symbols, which make it another one, stands for itself: C++, locker B-."""
    marked = {word for word in marked_words(phrase) if not set(SYMBOLS).isdisjoint(word)}
    bare = {stem for word in marked for stem in content_stems(word)}
    return frozenset(content_stems(phrase.replace("-", ""))) - bare | marked


def subject_of(text: str) -> frozenset[str]:
    """The stems of what a sentence of the user's is about, and of whose it is; none of the user, or where no rule
    tells."""
    owners, what = parts_of(read_statement(third_person(text)).subject)
    return owners | what


def lasting_subject_of(text: str) -> frozenset[str] | None:
    """As `subject_of`; None of what somebody did, which nothing that is said later makes outdated."""
    subject, predicate = split_statement(third_person(text))
    if is_somebody(subject) and is_past(predicate.partition(" ")[0].lower()):
        return None
    return subject_of(text)


def is_of_another_person(text: str) -> bool:
    """Whether a sentence of the user's is about a person, or an animal, who is not the user."""
    subject = read_statement(third_person(text)).subject
    return is_somebody(subject) and subject != "user"


def are_of_other_things(text: str, other: str) -> bool:
    """Whether two sentences of the user's, of one subject, say other things of other objects: "I love Italian food" and
    "I hate Thai food"; not what there is one of, as a home."""
    one, two = (read_statement(third_person(sentence)) for sentence in (text, other))
    if one.subject != two.subject or not one.subject or one.slots & two.slots or one.named[:1] == two.named[:1]:
        return False
    own, others = set(one.named[1:]) - set(two.named), set(two.named[1:]) - set(one.named)
    return bool(own and others)


def is_among(word: str, more: frozenset[str]) -> bool:
    """Whether a stem is among others, or begins as one of them does."""
    return word in more or (len(word) >= PREFIX and any(word[:PREFIX] == other[:PREFIX] for other in more))


def split_statement(text: str) -> tuple[str, str]:
    """Whom or what a sentence is about, and what it says of them."""
    if user := re.match(r"(?:We|we|(?:The |the )?[Uu]ser)\b(?!['’]) ?", text):
        return "user", text[user.end() :]
    if owned := _OWNED.match(text):
        rest = text[owned.end() :]
        heads = [found for head in _HEADS if (found := head.match(rest))]
        if not heads and (found := _before_past(rest)):
            heads = [found]
        if not heads:
            return "", text
        # Of two, the shorter one where it ends with somebody: nouns, too, end as verbs do.
        head = min(heads, key=lambda one: len(one[0]) if _OF_KIN.search(one[0].strip()) else READ)
        phrase = _FRESH.sub("", _AT_THE_END.sub("", head["phrase"].strip())).replace("’", "'")
        owner = "the " if owned["owner"].casefold() == "the " else "user's "
        return owner + " ".join(_SAME_KIN.get(word.casefold(), word) for word in phrase.split()), rest[head.end() :]
    name = _NAMED.match(text)
    if name is None or _NOBODY.match(name["name"]):
        return "", text
    kin = name["name"].casefold()
    subject = f"user's {_SAME_KIN.get(kin, kin)}" if re.fullmatch(RELATION, kin) else name["name"]
    return subject, text[name.end() :].strip()


def _before_past(text: str) -> re.Match[str] | None:
    """What stands before a verb in the past: "wife" of "wife bought a car"."""
    verb = next((word for word in text.split()[1:7] if is_past(word)), None)
    return None if verb is None else re.match(rf"(?P<phrase>(?:[^\s,;:!?]+ ){{1,6}}?)(?={re.escape(verb)}\b)", text)


def whom_of(text: str) -> str:
    """Whom or what a sentence is about, in its own words."""
    bare = text.rstrip(" .!")
    return bare.removesuffix(split_statement(bare)[1]).rstrip()


def whom_named(text: str) -> str:
    """Whom a pronoun after a sentence means: somebody with a name, or of the user's, or whose thing it is of."""
    has = re.search(
        rf"^{USER} (?:also )?has an? (?:[a-z-]+ )?(?P<kin>{RELATION})(?: (?:called|named) (?P<name>{NAME}))?\b", text
    )
    if has:
        return f"{USER}'s {has['kin']} {has['name'] or ''}".rstrip()
    subject, whom = split_statement(text)[0], whom_of(text)
    if subject != "user" and is_somebody(subject):
        return whom
    owner = subject.rpartition("'s ")[0]  # of "my mother's birthday"
    return whom.rpartition("'s ")[0] if owner != "user" and is_somebody(owner) else ""


def _slots(subject: str, predicate: str) -> frozenset[str]:
    if attribute := re.search(r"(?:^|[ '])(?P<slot>name|birthday|job|employer|age)$", subject):
        return frozenset({attribute["slot"]})
    bare = _BEHIND_IS.sub(r"\1 ", _BEFORE_VERB.sub("", predicate))
    if "never" in predicate.split()[:2]:
        bare = re.sub(r"^lived (?=in )", "lives ", bare)
    found = frozenset(slot for slot, pattern in _SLOTS if subject and pattern.match(bare))
    if not is_somebody(subject):
        value = _VALUE.match(predicate)
        if value and ONE_VALUE.fullmatch(subject.removeprefix("user's ").removeprefix("the ")):
            return frozenset({"value"})
        kind = "time" if _TO_A_TIME.match(predicate) else _kind(value["value"]) if value else ""
        return frozenset({kind} if subject and kind else ())
    return found | {"name"} if subject != "user" and _IS_NAMED.match(predicate) else found


def _kind(value: str) -> str:
    """Of which kind the value of a thing is, of which it has one."""
    if re.match(r"\W?\d", value):
        return "number"
    return "name" if value[:1].isupper() else ""
