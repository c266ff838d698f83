"""Statements: what the sentence of a fact says, and of whom."""

import re
from dataclasses import dataclass

from memory.language import is_past
from utils.text import STOPWORDS, stem, words

READ = 600  # characters of a fact that are read for what it says

RELATION = (
    r"(?:(?:step|half|god|grand|great-grand)?-?(?:sister|brother|mother|father|mum|mom|dad|son|daughter|"
    r"child)(?:-in-law)?|"
    r"wife|husband|spouse|kid|baby|aunt|uncle|cousin|niece|nephew|grandma|grandpa|parents|grandparents|in-laws|"
    r"children|kids|partner|girlfriend|boyfriend|"
    r"fianc[ée]e?|friend|neighbou?r|colleague|co-?worker|classmate|boss|manager|teacher|doctor|dentist|therapist|"
    r"landlord|landlady|roommate|flatmate|housemate|supervisor|mentor|tutor|coach|nanny|dog|puppy|cat|kitten|"
    r"horse|parrot|rabbit|hamster|tortoise)"
)
NAME = r"(?:(?:Mrs?|Ms|Dr|Prof)\b\.? )?[^\W\d_a-zß-öø-ÿα-ωа-џ][\w-]*"
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
_PHRASE = r"(?P<phrase>(?:[^\s,;:!?]+ ){1,6}?)"
_OF_USER = re.compile(r"(?:the )?user['’]s ", re.IGNORECASE)
_OF_THING = re.compile(r"the (?!user\b)", re.IGNORECASE)
_HEADS = tuple(re.compile(rf"{_PHRASE}(?={verb}\b)") for verb in (_AUX, _VERB))
_NAMED = re.compile(
    rf"(?P<name>{NAME}(?: {NAME}){{0,3}})(?:(?=['’]s )| (?=(?:also|now|just|still|really)\b|{_AUX}\b|{_VERB}\b))"
)
_BESIDE_KIN = re.compile(rf"(?P<kin>.*\b{RELATION}),? (?P<name>{NAME}(?: {NAME})?)$")
_KIN = re.compile(rf"(?:.*['’]s )?(?:[\w-]+ )*?(?P<kin>{RELATION})$", re.IGNORECASE)
_OF_KIN = re.compile(rf"\b{RELATION}(?: {NAME}){{0,2}}(?: (?:also|now|just|still|never|no longer))*$")
_AT_THE_END = re.compile(r"(?: (?:also|now|just|still|never|no longer))+$")
_FRESH = re.compile(r"\b(?:new|current|old|former|older|younger|elder|little|big|best) (?!\d)", re.IGNORECASE)

_ADVERBS = (
    r"(?:(?:also|really|just|now|still|currently|already|recently|finally|actually|has|have|been|no longer|not) )*"
)
_END = r"(?=$|[.,;!]| (?:now|today|on|in|at|since|and|but|with|last|this|already|again|for|because)\b)"
WORKER = (
    r"(?!(?:.* )?(?:smoker|lover|runner|swimmer|drinker|believer|eater|owner|member|beginner|winner|gamer|player|"
    r"speaker|listener|fan|father|mother|brother|sister|grandfather|grandmother|woman|man|human|vegetarian|pescatarian|"
    r"humanitarian|christian|twin|minor|senior|libra\w*|survivor|foreigner|newcomer|widower|person|sleeper|riser)\b)"
    r"(?:[a-z-]+ ){0,2}(?:[a-z-]+(?:er|or|ist|ian|man|woman|eer|smith|mason|ista)|nurse|chef|cook|vet|pilot|"
    r"lawyer|surgeon|"
    r"judge|student|apprentice|clerk|attorney|architect|midwife|guide|priest|monk|nun|coach|ceo|cto|analyst|intern)"
)
DIET = r"(?:(?:an? )?(?:(?:strict|lifelong) )?(?:vegan|vegetarian|pescatarian|omnivore|flexitarian|carnivore))"
_SLOTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (slot, re.compile(pattern))
    for slot, pattern in (
        ("name", r"(?:is|are|was) (?:now )?(?:called|named) (?=\S)"),
        (
            "age",
            rf"(?:is|turned|turns|will be|was) {_ADVERBS}\d{{1,3}}(?![.,]\d)(?: (?:years?|months?)(?: old)?)?{_END}",
        ),
        (
            "home",
            r"(?:lives?|living|resides?|moved|moves|relocated|settled|based)(?: \w+ly)?(?: back| over| down|"
            r" up)? (?:in|to) "
            r"(?!an?\b|the\b|their\b|his\b|her\b|our\b|this\b|that\b|with\b|together\b|fear\b|peace\b|tears\b|"
            r"it\b|one\b|two\b)",
        ),
        ("birthday", r"was born on (?=.*\d)"),
        (
            "status",
            rf"(?:is|are|got|gets|was|has been|have been) {_ADVERBS}(?:married|single|divorced|engaged|widowed|"
            rf"separated)\b",
        ),
        ("job", rf"(?:is|became|works?|working|started) {_ADVERBS}(?:as )?(?:an? |the )?{WORKER}{_END}"),
        (
            "employer",
            r"(?:works?|working|worked|employed|interning) (?:(?:full-?time|part-?time|now) "
            r")?(?:as [^,;]+? )?(?:at|for) (?!home|least|night|the moment)",
        ),
        (
            "employer",
            r"(?:joined|left|quit|was fired from) (?=[A-Z])|(?:started|has|got|found) (?:an? |their )(?:new )?job at ",
        ),
        (
            "employer",
            r"(?:quit|left|lost|resigned from|was fired from) (?:their|the|his|her) (?:[a-z]+ )?job\b|retired\b",
        ),
        (
            "diet",
            rf"(?:(?:has|have) )?(?:is|are|became|been|turned|went|gone) {_ADVERBS}{DIET}\b|(?:eats?|"
            rf"started eating|eating) (?:meat|fish|animal "
            r"products)\b|(?:does not|do not|never|no longer|stopped|quit|gave up) (?:eat|eats|eating) "
            r"(?:any )?(?:meat|animal products)\b",
        ),
        ("employer", rf"(?:is|became) {_ADVERBS}an? {WORKER} (?:at|for|with) (?=[A-Z])"),
        ("native language", r"(?:native|first) language is "),
    )
)
_IS_NAMED = re.compile(rf"(?:is|are|was) (?:now )?(?P<value>{NAME}(?: {NAME})?)(?=$|[.,])")
_VALUE = re.compile(
    r"(?:(?:is|are|was|were|costs?|has been|have been)(?: now| currently| actually)? "
    r"(?:(?:moved|changed|postponed|pushed|brought|put|rescheduled|raised|increased|lowered|delayed|"
    r"extended)(?: back| forward| up| off)? "
    r"(?:from [^,;]{1,30} )?(?:to|until|till|by) )?|"
    r"(?:(?:has|have) )?(?:moved|changed|went|gone|goes|rose|fell|dropped|slipped|shifted|increased)(?: up| down|"
    r" back)?"
    r"(?: from [^,;]{1,30})? to |takes place |ends? |starts? |begins? |leaves? |expires? )(?P<value>.+)"
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

DENIED = re.compile(
    r"\b(?:not|never|cannot|no longer|neither|without)\b|n['’]t\b|\b(?:has|have|had|is|are|eats?|drinks?) no\b"
)
OVER = re.compile(
    r"\bno longer\b|\bany ?more\b|\bany longer\b|\b(?:quit|stopped|given up|gave up|gives up|sold|broke up|"
    r"split up|outgrew|"
    r"got rid of|gone off|went off|lost|cancell?ed|called off|fell through|died|passed away|is over|"
    r"got over|dropped out|ended|swore off|cut out|grew out of|got rid|ran away|gave away|unsubscribed|is off)\b"
)
CHANGED = re.compile(
    r"\b(?:now|instead|switched|swapped|changed|moved|replaced|again|actually|from [^,;]{1,40} to|nowadays|"
    r"went (?:up|down)|"
    r"postponed|rescheduled|new|pushed|brought forward|raised|increased|lowered|dropped|became)\b"
)
ALSO = re.compile(r"\b(?:also|too(?=[.!]?$)|as well|another|second|third|additional|other|besides)\b")
INSTEAD_OF = re.compile(
    r"\b(?:from|instead of|rather than|replaced|swapped|traded|traded in|ditched|dropped|abandoned|left) "
    r"(?P<former>[^,;.]{1,50}?)(?= (?:to|with|for|by|because|since|in)\b|[,;.]|$)"
)
# What was meant, behind what was said or before it: "it's Jon, not John", "I meant Friday, not Monday".
CORRECTED = re.compile(
    r"(?:^|[,;:] ?|\b)(?:it['’]?s|it is|that['’]?s|i (?:mean|meant)|correction:?|make that) "
    r"(?P<meant>[^,;]{1,40}), not (?P<former>[^,;.]{1,40})|"
    r"^(?:i meant?|make that|correction:?|rather) (?P<value>[^\s,;]+)(?=$|[,;.])|"
    r"\bnot (?P<wrong>[^,;.]{1,40})[,;] (?:but|it['’]?s) (?P<right>[^,;.]{1,40})$",
    re.IGNORECASE,
)
VALUES = re.compile(
    r"\d+(?:[.:]\d+)*|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|may|june|july|"
    r"august|september|october|november|december)\b|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve)\b|"
    r"\b(?:mornings?|evenings?|nights?|noon|midnight|daily|weekly|monthly|once|twice)\b",
    re.IGNORECASE,
)
_LIGHT = frozenset(  # what says little of what is so
    """user also really just now still actually very too absolutely quite currently recently finally already any anymore
    longer happily both nowadays today again no not never has have had having is are was were be been got get gets do
    does did own owns owned new again since last after all that it this there instead cannot take takes took make makes
    went go goes going more much lot bit wrong test""".split()  # noqa: SIM905
)


_UNTOLD = STOPWORDS - {"like"}
_LIKES = re.compile(r"\b(?:loves?|adores?|enjoys?|is (?:fond of|crazy about|into))\b")
_DISLIKES_NO_MORE = re.compile(r"\b(?:does not|do not|no longer|never) (?:hates?|dislikes?|detests?|loathes?)\b")
_DISLIKES = re.compile(r"\b(?:hates?|dislikes?|detests?|loathes?|cannot stand|can['’]t stand|has gone off|went off)\b")


@dataclass(frozen=True)
class Statement:
    """What a fact says. `subject`: of whom or what, "user" or "user's rent"; `kin`: what somebody with a name is to
    whom. `slots`: of what it gives the one value. `named`: the stems of what it says, in order; `values`: its numbers,
    days and times. `denied`: it says that this is not so; `over`: that it is so no longer; `past`: that it was."""

    text: str
    subject: str
    kin: str
    slots: frozenset[str]
    named: tuple[str, ...]
    values: tuple[str, ...]
    denied: bool
    over: bool
    past: bool

    @property
    def core(self) -> frozenset[str]:
        """What another statement has to name to be on the same."""
        return frozenset(self.named) - _STEMS_OF_OVER


_OVER_WORDS = "quit stopped gave give given up sold sell broke lost lose died passed away cancelled called off rid over"
_STEMS_OF_OVER = frozenset(map(stem, (*_OVER_WORDS.split(), "ended", "split", "outgrew")))


def read_statement(text: str) -> Statement:
    """What a fact's sentence says, whoever wrote it: one without a subject is of the user."""
    bare = " ".join(text[:READ].split()).strip(" .!")
    subject, kin, predicate = _split(bare)
    predicate = _DISLIKES.sub("does not like", _DISLIKES_NO_MORE.sub("likes", _LIKES.sub("likes", predicate)))
    clause = re.split(r"[,;(]| (?:but|because|although|so)\b", predicate, maxsplit=1)[0]
    named = _named(predicate)
    if OVER.search(clause) or DENIED.search(clause):
        named = _named(clause)
    first = [word for word in words(clause)[:4] if word not in ("not", "now", "also", "just", "really")]
    return Statement(
        text=text,
        subject=subject,
        kin=kin,
        slots=_slots(subject, predicate),
        named=named,
        values=tuple(value.lower().removesuffix("s") for value in VALUES.findall(predicate)),
        denied=DENIED.search(clause) is not None,
        over=OVER.search(clause) is not None,
        past=bool(first) and (is_past(first[0]) or (first[:2] == ["used", "to"])),
    )


def _named(predicate: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in words(VALUES.sub(" ", predicate)) if word not in _UNTOLD and word not in _LIGHT)


def _split(text: str) -> tuple[str, str, str]:
    """Whom or what a sentence is about, what somebody with a name is to whom, and what it says of them."""
    if we := re.match(r"(?:We|we)\b ?", text):
        return "user", "", text[we.end() :]
    if user := re.match(r"(?:The |the )?[Uu]ser (?=\S)", text):
        return "user", "", text[user.end() :]
    for owner, pattern in (("user's ", _OF_USER), ("the ", _OF_THING)):
        if of := pattern.match(text):
            rest = text[of.end() :]
            heads = [found for head in _HEADS if (found := head.match(rest))]
            if not heads:
                return "", "", text
            # Of two, the shorter one where it ends with somebody: nouns, too, end as verbs do.
            head = min(heads, key=lambda one: len(one[0]) if _OF_KIN.search(one[0].strip()) else READ)
            phrase = _FRESH.sub("", _AT_THE_END.sub("", head["phrase"].strip()))
            beside = _BESIDE_KIN.match(phrase)
            if beside:
                return beside["name"].casefold(), _kin(owner + beside["kin"]), rest[head.end() :]
            return _kin(owner + phrase), "", rest[head.end() :]
    if name := _NAMED.match(text):
        return name["name"].casefold(), "", text[name.end() :].strip()
    return "", "", text


def _kin(phrase: str) -> str:
    """A phrase for somebody or something, the same for "mum" and "mother"."""
    phrase = phrase.replace("’", "'").casefold()
    *of, last = phrase.split()
    last = last.removesuffix("'s name") if last != "name" else last
    return " ".join([*of, _SAME_KIN.get(last, last)])


def is_somebody(subject: str) -> bool:
    """Whether a subject is the user, or a person or animal of theirs."""
    return subject == "user" or not subject.startswith(("user's ", "the ")) or _KIN.fullmatch(subject) is not None


def _slots(subject: str, predicate: str) -> frozenset[str]:
    found = {slot for slot, pattern in _SLOTS if pattern.match(_bare(predicate))}
    if subject.endswith("name") or re.search(r"['’]s name$", subject):
        return frozenset({"name"})
    if subject in ("user's birthday", "user's date of birth"):
        return frozenset({"birthday"})
    if subject in ("user's job", "user's occupation", "user's profession"):
        return frozenset({"job"})
    if not is_somebody(subject):
        value = _VALUE.match(predicate)
        return frozenset({f"{_kind(value['value'])} of it"}) if value else frozenset(found & {"name"})
    if subject not in ("", "user") and _IS_NAMED.match(predicate):
        return frozenset({"name"})
    return frozenset(found if subject else ())


def _bare(predicate: str) -> str:
    """A predicate without the adverbs and denials before its verb."""
    return re.sub(
        r"^(?:(?:also|really|just|now|still|currently|already|recently|finally|actually|no longer|has|have|is|"
        r"are|not|never|does|do|did|will|been) )+"
        r"(?=(?:live|living|reside|move|moving|relocat|settle|based|work|employ|intern|eat|turned|turns|been|got|"
        r"joined|left|quit|lost|retired|became|started|is |are )[a-z]*\b)",
        "",
        predicate,
    )


def _kind(value: str) -> str:
    """Of which kind the value of a thing is: a thing has one of each."""
    if TIME.match(value):
        return "time"
    if DENIED.match(value) or OVER.search(value):
        return "end"
    if PLACE.match(value):
        return "place"
    if re.search(r"\d", value):
        return "number"
    if re.match(r"(?:an?|the) ", value):
        return "kind"
    return "name" if value[:1].isupper() else "state"
