"""What does a user's message say that stays true? Facts by rules, each a sentence that names whom it is about."""

import re
from dataclasses import dataclass

from memory.person import third_person
from utils.text import content_stems, split_sentences, words

USER = "The user"
LONGEST = 300  # characters of a fact
MOST = 12  # facts of one message
LOOKED_AT = 20_000  # characters of a message
FEWEST_WORDS = 3

_CLAUSES = re.compile(
    r"\s*(?:;|,?\s+(?:and|but|so)(?=\s+(?:i|my|we|our|he|she)\b)|,(?=\s*(?:i|my)\b))\s*", re.IGNORECASE
)
_FILLERS = re.compile(
    r"^(?:(?:well|so|oh|ah|hey|hi|hello|yes|yeah|yep|no|nope|ok|okay|actually|anyway|also|and|but|sorry|honestly|"
    r"by the way|btw|fyi|correction|to be (?:clear|honest)|just so you know|for your information|i mean|please note|"
    r"remember|note|today|these days|currently|now|nowadays|recently|lately|as of (?:today|now)|in fact|then)\b"
    r"(?:\s+that\b)?[\s,:.!–-]*)+",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:i['’]d like (?:you|to (?:know|ask|see|hear|understand|talk))|i (?:want|need) (?:you\b|your\b|help\b|advice\b|"
    r"to (?:know|ask|see|understand|talk|find out|figure))|i have (?:a|another|one|some|two) (?:more )?(?:quick )?"
    r"(?:questions?|requests?|problems?|issues?)\b|i(?:['’]m| was| am) (?:just )?(?:wondering|asking|looking for|"
    r"trying|curious|not sure|unsure|sorry|afraid (?:i|that|so)|ready|done|back|here|fine|ok|okay|good|great|glad|"
    r"talking|testing|sure|joking|kidding|confused|lost|stuck)\b|i (?:think|guess|suppose|wonder|wish|hope|mean|see|"
    r"understand|know|don['’]?t know|agree|disagree|appreciate|forgot|said|asked|meant|believe|assume|doubt|bet|"
    r"swear|thought|heard|told|feel like|can['’]?t (?:find|figure|see|tell)|get it|got it|could|would|might|should|"
    r"may)\b)",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(r"^(?:if|when|whenever|unless|suppose|imagine|maybe|perhaps|let['’]?s|what|how|why)\b", re.I)
_FIRST = re.compile(r"^(?:i|i['’](?:m|ve|ll|d)|my|our|we|we['’](?:re|ve|ll))\b", re.IGNORECASE)
_NAMED = re.compile(
    r"^(?P<subject>[A-Z][\w’'-]+(?:\s+(?:and\s+)?[A-Z][\w’'-]+){0,3})\s+(?:(?:really|also|just|now|still|already|never|"
    r"always|recently)\s+)*(?:is|was|are|were|has|have|had|lives?|works?|likes?|loves?|hates?|prefers?|moved|got|studies|"
    r"study|plays?|speaks?|owns?|married|turned|died|joined|quit|left|bought|sold|adopted|became|drives?|runs?|teaches|"
    r"can|cannot|can['’]t|doesn['’]t|does|don['’]t|wants?|needs?|plans?|will|started|stopped|finished|graduated)\b"
)
_NO_NAME = frozenset(
    """the this that these those it there here what who which he she they you we today tomorrow yesterday everything
    everyone everybody something someone somebody nothing nobody life work dinner lunch breakfast one all both some
    most many his her their its your our my monday tuesday wednesday thursday friday saturday sunday thanks""".split()  # noqa: SIM905
)
_PRONOUN = re.compile(r"^(?P<pronoun>he|she|they|his|her|their)\b(?P<rest>.*)$", re.IGNORECASE | re.DOTALL)
_ABOUT = re.compile(
    r"^(?:[Mm]y|[Oo]ur)\s+(?:(?:[a-z'’-]+\s+){0,4}?(?P<name>[A-Z][\w-]+)|(?P<kin>[a-z-]+)\b)|^(?P<subject>[A-Z][\w-]+)"
)
_INTRODUCED = re.compile(r"^I(?:['’]m| am) (?P<name>[A-Z][a-z]+(?: [A-Z][a-z]+)?)$")
_EVENT = re.compile(
    r"\d|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|"
    r"wednesday|thursday|friday|saturday|sunday|week|month|year|yesterday|tomorrow|tonight|birthday)\b|"
    r"(?<=[a-z,] )[A-Z][a-z]|\b(?:their|user's)\b",
)
_LASTING = re.compile(
    r"^(?:The user(?:'s\b|(?: (?:also|really|just|now|still|never|always|usually|often|recently|finally|absolutely|"
    r"only|even|actually|mostly|already|no longer))*"
    r" (?:is|was born|has|does not|likes|loves|hates|prefers|enjoys|adores|dislikes|lives|works|studies|plays|"
    r"speaks|owns|drives|wants|needs|plans|goes|eats|drinks|uses|teaches|runs|collects|cannot|can|will|moved|"
    r"relocated|joined|quit|stopped|gave up|started|sold|bought|adopted|got|became|graduated|married|grew up|"
    r"retired|takes|keeps|writes|reads|supports|believes|belongs|suffers|wears|walks|cooks|travels|commutes|"
    r"volunteers|sings|swims|dances|practises|practices|trains|named|called|lost|broke|switched|changed)\b))"
)
_ENDS = re.compile(
    r"\bno longer\b|\b(?:not|n't|never)\b.*\b(?:any ?more|any longer)\b|"
    r"^The user(?: \w+)? (?:quit|stopped|gave up|sold|broke up with|cancelled|canceled)\b"
)

_PLACE = r"(?:in|to|near|at|outside)\b"
_ADVERBS = r"(?: (?:also|really|just|now|still|recently|finally|actually|currently|absolutely))*"
_THINGS = (
    r"(?:(?:phone|mobile|telephone|cell|locker|room|flat|apartment|passport|account|seat|house) (?:number|no)|number|"
    r"e-?mail(?: address)?|(?:home |postal )?address|password|pin|code|boss|manager|doctor|dentist|therapist|partner|"
    r"wife|husband|girlfriend|boyfriend|spouse|fianc[ée]e?|landlord|landlady|best friend|job|salary|budget|deadline|"
    r"goal|weight|height|shoe size|blood type|(?:native|first) language|time ?zone|home ?town|major|school|university|"
    r"employer|company|birthday|name|age|nationality|diet|bank|gym|commute|due date|title|nickname|surname|last name)"
)
# What has one value at a time: a pattern of the sentence behind its subject, and the name of what it says.
_SLOTS = tuple(
    (re.compile(rf"^{_ADVERBS} ?(?:{pattern})", re.IGNORECASE), slot)
    for pattern, slot in (
        (rf"(?:lives|is living|is based|resides|settled) {_PLACE}", "residence"),
        (r"(?:has )?(?:moved|relocated)(?: back)?(?: house)? to\b", "residence"),
        (r"(?:works|is working|is employed) (?:at|for|with)\b", "employer"),
        (r"(?:has )?(?:joined|got a job at|started (?:working )?(?:at|for)|took a job at)\b", "employer"),
        (r"(?:works|is working) as\b", "occupation"),
        (r"(?:has )?(?:became|got promoted to|was promoted to)\b", "occupation"),
        (r"(?:is called|goes by|is named)\b", "name"),
        (r"is \d{1,3}(?: years old)?\.?$|(?:has )?turned \d{1,3}\b", "age"),
        (r"was born (?:on|in \d{4})\b", "birthday"),
        (
            r"(?:is|got|has got)(?: (?:now|happily|recently))* (?:single|married|engaged|divorced|widowed)\b",
            "relationship",
        ),
        (r"is(?: now| a| an)* (?:vegan|vegetarian|pescatarian|omnivore|carnivore)\b", "diet"),
        (r"drives an?\b", "car"),
        (r"studies at\b", "school"),
    )
)
_OWN_NAME = re.compile(r"^'s (?P<thing>[^.,;!?]{1,50}?)(?:'s name is| is called| is named| are called| are named)\b")
_OWN = re.compile(rf"^'s (?:new |current )?(?P<thing>{_THINGS}|favou?rite [\w -]{{1,40}}?) (?:is|are)(?: now)?\b", re.I)
_OWN_IS = re.compile(r"^'s (?P<thing>[^.,;!?]{1,50}?) (?:is|are)(?: now)? (?P<value>.+)$")
_TASTE = re.compile(
    rf"^{_ADVERBS} (?P<verb>likes|loves|enjoys|adores|hates|dislikes|cannot stand|does not (?:really )?(?:like|enjoy))"
    r" (?P<object>.+)$"
)
_DISLIKES = re.compile(r"^(?:hates|dislikes|cannot|does not)")
_SUBJECT = re.compile(r"^(?:(?i:(?:the\s+)?user)\b|[A-Z][\w-]*(?:\s+[A-Z][\w-]*){0,3}(?=\s|['’]s))")
_BARE_VERB = re.compile(r"^(?:is|has|lives|works|likes|loves|hates|prefers|moved|owns|drives)\b", re.IGNORECASE)
_AGED = re.compile(r"^I(?:['’]m| am)(?: now)? (?P<age>\d{1,3})$", re.IGNORECASE)
_RELATION = (
    r"(?:sister|brother|mother|father|mum|mom|dad|wife|husband|son|daughter|child|kid|baby|aunt|uncle|cousin|niece|"
    r"nephew|grandmother|grandfather|grandma|grandpa|partner|girlfriend|boyfriend|fianc[ée]e?|friend|neighbou?r|"
    r"colleague|boss|manager|teacher|roommate|flatmate|dog|puppy|cat|kitten|horse|parrot|rabbit|hamster|tortoise)"
)
_KIN = re.compile(
    rf"^(?i:(?:the )?user)['’]s (?:[a-z-]+ )?{_RELATION} (?P<name>[A-Z][\w-]+)(?=\s|['’]s)(?! is called| is named)"
)
_BY_THE_WAY = re.compile(rf"(?<=\w )(?:my|our) (?P<relation>(?:[a-z-]+ )?{_RELATION}),? (?P<name>[A-Z][\w-]+)")


@dataclass(frozen=True)
class Statement:
    """What a fact says. `subject`: whom of. `slot`: what it is the one value of; None where several may hold at once.
    `objects`: stems of what it says of the subject; `verb`: the first of them. `ends`: whether it says that something
    is so no longer."""

    text: str
    subject: str
    slot: str | None
    objects: frozenset[str]
    verb: str = ""
    dislikes: bool = False
    ends: bool = False


def extract_by_rules(message: str) -> list[str]:
    """The facts that a user's message states, as sentences of their own, in order: first-person statements, and what is
    said of people by name. Questions, requests, suppositions and passing events are left out."""
    found: list[str] = []
    about = ""  # whom a pronoun means
    for sentence in split_sentences(message[:LOOKED_AT]):
        for clause in _clauses(sentence):
            fact = _fact(clause, about)
            about = _whom(clause) or about
            if fact is None:
                continue
            told = [f"{USER} has a {one['relation']} called {one['name']}." for one in _BY_THE_WAY.finditer(clause)]
            found += [one for one in (fact, *told) if one not in found]
    return found[:MOST]


def _clauses(sentence: str) -> list[str]:
    if sentence.rstrip(" \"')”").endswith(("?", "？")):
        return []
    bare = _FILLERS.sub("", sentence.strip())
    return [clause for part in _CLAUSES.split(bare) if (clause := part.strip(' ,.!…"“”'))]


def _whom(clause: str) -> str:
    """Whom a pronoun after this clause means: who is named in it, or a relation of the user's."""
    found = _ABOUT.match(_FILLERS.sub("", clause))
    if found is None:
        return ""
    name = found["name"] or found["subject"]
    if name is None:
        return f"{USER}'s {found['kin']}"
    return "" if name.casefold() in _NO_NAME | {"i"} else str(name)


def _fact(clause: str, about: str) -> str | None:
    clause = _FILLERS.sub("", clause)
    if introduced := _INTRODUCED.match(clause):
        return f"{USER}'s name is {introduced['name']}."
    if aged := _AGED.match(clause):
        return f"{USER} is {aged['age']} years old."
    if len(clause) > LONGEST or len(words(clause)) < FEWEST_WORDS or _SUPPOSES.match(clause) or _ASKS.match(clause):
        return None
    if _FIRST.match(clause):
        text = third_person(clause)
        return f"{text}." if _LASTING.match(text) or _EVENT.search(text) else None
    pronoun = _PRONOUN.match(clause)
    if pronoun and about:
        possessive = pronoun["pronoun"].lower() in ("his", "her", "their")
        clause = about + ("'s" if possessive else "") + pronoun["rest"]
        if about.startswith(USER):
            return f"{third_person(clause)}."
    named = _NAMED.match(clause)
    if named is None or named["subject"].split()[0].casefold() in _NO_NAME:
        return None
    return f"{third_person(clause)}."


def read_statement(text: str) -> Statement:
    """What a fact's sentence says, whoever wrote it: one without a subject is of the user."""
    bare = " ".join(text.split()).strip(" .!")
    subject, rest = _split(bare)
    thing, slot, dislikes = "", None, False
    if found := _OWN_NAME.match(rest):
        thing, slot = found["thing"], "name"
    elif found := _OWN.match(rest):
        thing, slot = "", found["thing"].casefold().replace("favorite", "favourite").replace("color", "colour")
    elif found := _TASTE.match(rest):
        slot, dislikes = (
            "taste of " + " ".join(sorted(content_stems(found["object"]))),
            bool(_DISLIKES.match(found["verb"])),
        )
    else:
        slot = next((name for pattern, name in _SLOTS if pattern.match(rest)), None)
        if slot is None and (found := _OWN_IS.match(rest)) and (kind := _kind(found["value"])):
            thing, slot = found["thing"], kind
    if slot is not None and slot.startswith("name") and thing in ("", "name"):
        thing = ""
    whom = f"{subject}'s {thing.casefold()}" if thing else subject
    stems = content_stems(rest)
    verb = stems[0] if stems else ""
    return Statement(text, whom, slot, frozenset(stems), verb, dislikes, bool(_ENDS.search(bare)))


def _split(text: str) -> tuple[str, str]:
    if kin := _KIN.match(text):
        return kin["name"].casefold(), text[kin.end() :].replace("’", "'")
    found = _SUBJECT.match(text)
    if found is None or _BARE_VERB.match(text):
        return "user", f" {text}"
    subject, rest = found[0].casefold(), text[found.end() :].replace("’", "'")
    return ("user" if subject in ("user", "the user") else subject), rest


def _kind(value: str) -> str | None:
    """What kind of value it is, where another of the kind would contradict it: an amount, a time, a name."""
    value = value.strip(" .")
    if re.match(r"^(?:at )?\d{1,2}(?:[:.]\d\d\b| ?[ap]m\b)", value, re.I):
        return "time"
    if re.match(r"^(?:number|no\.?|gate|room|seat|platform|locker|row) \w*\d", value, re.IGNORECASE):
        return "number"
    if re.match(r"^(?:on |about |around )?\d", value):
        unit = re.sub(r"[\d.,:\s]+", "", value.split(" ")[-1] if " " in value else "")
        return f"number {unit}".strip()
    if re.match(
        r"^(?:on )?(?:january|february|march|april|may|june|july|august|september|october|november|december|"
        r"monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b",
        value,
        re.I,
    ):
        return "date"
    if re.match(r"^[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2}$", value):
        return "proper name"
    return None
