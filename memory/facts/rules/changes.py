"""What is over when a plan is cancelled, a habit given up, a diet left, or work changed?"""

import re
from collections.abc import Sequence

from memory.facts.rules.kinds import is_occupation, is_organisation, is_place
from memory.facts.rules.statement import READ, Statement
from utils.text import content_stems, stem

_ADVERBS = r"(?: (?:also|really|just|now|still|recently|finally|currently|already|sadly|unfortunately|usually|only))*"
_WHAT = r"(?P<what>[^,;.()]{2,80}?)"
_WHY = r"(?=$|[.,;!(]| (?:because|due|for|after|by|since|as|this|until|and|but)\b)"
_EVENT = (
    r"(?:trip|journey|holiday|vacation|getaway|tour|visit|wedding|party|meeting|appointment|date|concert|event|"
    r"engagement|deal|interview|dinner|lunch|flight|game|match|class|lesson|call|show|move|surgery|operation|"
    r"conference|reunion|picnic|barbecue|retreat|festival|plans?)"
)
_CANCELLED = (
    re.compile(
        rf"^(?:The user's|The) {_WHAT}{_ADVERBS} (?:(?:is|are|was|were|got|has been|have been|had to be){_ADVERBS} "
        r"(?:cancelled|canceled|called off|scrapped|not happening|not going ahead|not taking place)|fell through|"
        rf"(?:has|have) fallen through|(?:will not|won['’]t) (?:happen|take place)){_WHY}"
    ),
    re.compile(
        rf"^(?:The user's|The) (?P<what>(?:[^,;.() ]+ ){{0,5}}?{_EVENT}(?: [^,;.()]+?)?) (?:is|are){_ADVERBS} off{_WHY}"
    ),
    re.compile(
        rf"^The user{_ADVERBS} (?:has |had to )?(?:cancelled|canceled|cancel|called off|call off|scrapped) "
        rf"(?:their|the|our) {_WHAT}{_WHY}"
    ),
)
_TRIPS = frozenset(stem(word) for word in "trip journey holiday vacation getaway tour visit".split())  # noqa: SIM905
_TRIP = stem("trip")
_PLAN = re.compile(
    rf"^The user{_ADVERBS} (?:(?:is|has been) (?:planning|organi[sz]ing|preparing(?: for)?|having|looking forward to|"
    r"going on)|plans|planned|has(?: got)?|booked|has (?:booked|planned)|arranged|scheduled|signed up for|will have|"
    r"subscribes to|pays for) (?P<plan>.+)$|^The user's (?P<of>.+)$|^The (?P<the>(?!user\b).+)$"
)
_BEHIND_ITS_NOUN = re.compile(
    r" (?:is|are|was|were|has|have|had|will|starts?|begins?|takes?|made|to|for|with|in|on|at|of|from|about|by)\b"
)
_TRAVELS = re.compile(
    rf"^The user{_ADVERBS} (?:is (?:going|travelling|traveling|flying|heading|off)|will (?:go|travel|fly)|"
    r"plans to (?:go|travel|fly|visit)|is planning to (?:go|travel|fly|visit)|will visit|is visiting) (?P<where>.+)$"
)
_WHEN = re.compile(
    r" (?:(?:in|on|for|of) )?(?:(?:next|this|early|late|mid) )?(?:january|february|march|april|may|june|july|august|"
    r"september|october|november|december|spring|summer|autumn|winter|weekend|week|month|year|(?:mon|tues|wednes|"
    r"thurs|fri|satur|sun)day)\b.*$",
    re.IGNORECASE,
)

_FOR_GOOD = (
    r"(?:,? (?:for good|altogether|completely|entirely|recently|(?:last|this) \w+|(?:an?|two|three|four|five|six|\d+|a "
    r"few) (?:\w+) ago|because .*|since .*|in (?:\d{4}|[A-Z]\w+)))?\.?$"
)
_GIVEN_UP = re.compile(
    r"^.{1,60}? (?:has )?(?:(?:just|now|finally|recently|completely) )*(?:quit|stopped|gave up|given up|cut out|kicked|"
    r"swore off|sworn off|went off|gone off)(?: (?P<doing>[a-z]+ing)\b)?(?: (?P<what>[a-z][a-z -]*?))?" + _FOR_GOOD
)
_NO_LONGER = re.compile(
    r"^.{1,60}? (?:no longer (?P<doing>[a-z]+) (?P<what>[a-z][a-z -]*?)(?: any ?(?:more|longer))?|"
    r"(?:does|do) not (?P<verb>[a-z]+) (?P<thing>[a-z][a-z -]*?) any ?(?:more|longer))" + _FOR_GOOD
)
_HABITS = (
    r"(?:drinks|eats|smokes|takes|plays|does|has|uses|practi[sc]es|watches|chews|vapes|consumes|buys|attends|goes to)"
)
_HABIT = re.compile(rf"^.{{1,60}}?{_ADVERBS} (?P<verb>goes [a-z]+ing|{_HABITS}|[a-z]+s)(?= |\.|$)(?P<what>.*)$")
_QUANTITY = re.compile(
    r"^(?:(?:about|around|at least|up to|over|only|some|too much|too many|a lot of|lots of|plenty of|an?|half an?|one|"
    r"two|three|four|five|six|seven|eight|nine|ten|\d+|several|a few) )*(?:(?:cups?|glass(?:es)?|mugs?|pints?|bottles?|"
    r"pack(?:et)?s?|cans?|lit(?:er|re)s?|bars?|pots?|slices?|pieces?|shots?|bowls?|portions?|games?|rounds?) (?:of )?)?"
)
_HOW_OFTEN = re.compile(
    r"(?:^|[ ,])+(?:every|each|per|an?|once|twice|three|daily|weekly|regularly|often|in|on|at|with|for|before|after|"
    r"most|all|when|while|during|almost|nearly|instead|together)\b.*$|,.*$"
)
_ANY_SMOKE = frozenset({"smok", "smoke", "vape", "vap"})

_MEATS = """meat beef pork chicken lamb ham bacon steak steaks sausages burgers turkey poultry venison veal salami
    mince""".split()  # noqa: SIM905
_FISH = "fish seafood tuna salmon shrimp prawns sushi".split()  # noqa: SIM905
_OF_ANIMALS = "eggs dairy cheese milk butter honey yoghurt yogurt cream".split()  # noqa: SIM905
_LEFT_BY = {
    "vegan": frozenset((*_MEATS, *_FISH, *_OF_ANIMALS)),
    "vegetarian": frozenset((*_MEATS, *_FISH)),
    "pescatarian": frozenset(_MEATS),
}
_FOOD = rf"(?:red )?(?:{'|'.join((*_MEATS, *_FISH, *_OF_ANIMALS))})"
_EATS = re.compile(
    rf"^.{{1,60}}?{_ADVERBS} (?:eats|drinks|(?:has )?(?:re)?started (?:eating|to eat|drinking)|is (?:back to )?eating|"
    rf"(?:has )?(?:went|gone) back to eating)(?: again)? (?P<foods>{_FOOD}(?:(?:, and|, or|,| and| or) {_FOOD})*)"
    r"(?: (?:again|now|once more|these days|nowadays|too|every day|regularly))*\.?$"
)

# Work that one seldom has beside other work, told by what somebody is.
_IS_A = re.compile(
    r"^.{1,80}? is(?P<now> now)? an? (?!(?:good|great|excellent|brilliant|bad|terrible|decent|keen|avid|amateur|hobby|"
    r"careful|cautious|fast|slow|strict|born|natural|part-time|volunteer|former|retired)\b)(?P<work>[^,;()]{2,60}?)"
    r"(?P<then> (?:now|these days|nowadays))?\.?$"
)
_BECOMES = re.compile(
    r"^.{1,80}? (?:became|has become|got promoted to|was promoted to|now works as|is now working as|"
    r"works as(?=.* now\b)|is working as(?=.* now\b)) (?:an? )?(?P<work>[^,;()]{2,60}?)(?: now)?\.?$"
)
_TWO_OF_THEM = re.compile(
    r"\b(?:and|also|too|as well|besides|on the side|part[- ]time|partner|author|writer|artist|singer|"
    r"dancer|musician|photographer|coach|tutor|trainer)\b",
    re.IGNORECASE,
)

# Where somebody is now who was said to live or work elsewhere no longer.
_IS_NOW = re.compile(
    r"^(?P<who>.{1,60}?) is (?:(?P<now>now|currently) )?(?P<where>in|near|at|with) (?P<place>[^,;]{2,60}?)"
    r"(?P<then> (?:now|these days|nowadays|instead))?\.?$"
)
_FOR_A_WHILE = re.compile(r" (?:this|next|for|until|till|on|today|tonight|tomorrow|visiting)\b", re.IGNORECASE)


def changed_by(new: Statement, facts: Sequence[Statement]) -> list[int]:
    """Which of the facts in force are over with a statement: the plan that it says is cancelled, the habit that it says
    was given up, the diet that goes with no such food, or the food that goes with no such diet."""
    if what := _cancelled(new.text):
        return _plans(what, facts)
    of_them = [at for at, fact in enumerate(facts) if fact.subject == new.subject and not (fact.denied or fact.ends)]
    if given_up := _GIVEN_UP.match(new.text[:READ]):
        return [at for at in of_them if _is_habit(facts[at].text, given_up["doing"] or "", given_up["what"] or "")]
    if over := _NO_LONGER.match(new.text[:READ]):
        doing, what = over["doing"] or over["verb"], over["what"] or over["thing"]
        return [at for at in of_them if _is_habit(facts[at].text, doing, what)]
    if works := [at for at in of_them if _is_other_work(new, facts[at])]:
        return works if len(works) == 1 or not new.subject.startswith("user's ") else []
    return [at for at in of_them if _do_not_go(new, facts[at]) or _do_not_go(facts[at], new)]


def somewhere_else(new: Statement, slot: str | None) -> str | None:
    """How a statement of where somebody is now reads, where it was said before that they no longer live, or work,
    somewhere; `slot`: which of both. None where it does not tell that."""
    found = _IS_NOW.match(new.text[:READ])
    if found is None or not (found["now"] or found["then"]) or _FOR_A_WHILE.search(found["place"]):
        return None
    if slot == "residence" and found["where"] in ("in", "near") and is_place(found["place"]):
        return f"{found['who']} lives {found['where']} {found['place']} now."
    if slot == "employer" and found["where"] in ("at", "with") and is_organisation(found["place"]):
        return f"{found['who']} works {'at' if found['where'] == 'at' else 'for'} {found['place']} now."
    return None


def _is_other_work(new: Statement, old: Statement) -> bool:
    """Whether a statement says that somebody is now of another profession than an old one said."""
    before, becomes = _IS_A.match(old.text[:READ]), _BECOMES.match(new.text[:READ])
    if becomes is None and (is_now := _IS_A.match(new.text[:READ])) and (is_now["now"] or is_now["then"]):
        becomes = is_now
    if before is None or becomes is None or old.past or new.denied or new.ends:
        return False
    if not (is_occupation(before["work"]) and is_occupation(becomes["work"])):
        return False
    return not any(_TWO_OF_THEM.search(text[:READ]) for text in (old.text, new.text))


def cancels(text: str) -> bool:
    """Whether a sentence says that something planned will not be."""
    return _cancelled(text) is not None


def _cancelled(text: str) -> str | None:
    found = next((found for pattern in _CANCELLED if (found := pattern.match(text[:READ]))), None)
    return found["what"] if found else None


def _plans(what: str, facts: Sequence[Statement]) -> list[int]:
    """The facts of the plan that is named; none where it may be either of two."""
    for named in dict.fromkeys((what, _WHEN.sub("", what))):
        stems = _as_trip(content_stems(named))
        found = [at for at, fact in enumerate(facts) if stems and stems <= _planned(fact, stems)]
        if len(found) == 1:
            return found
    return []


def _planned(fact: Statement, named: frozenset[str]) -> frozenset[str]:
    """What a fact says to be planned, in stems; nothing where it is of no plan of the user's. `named`: the stems of a
    plan, one of which is what a fact has to be of that only says of something what or when it is: "the wedding is in
    May" is of a wedding, and "the wedding dress is white" is not."""
    if fact.denied or fact.ends or fact.subject not in ("user", "the") or cancels(fact.text):
        return frozenset()
    if travels := _TRAVELS.match(fact.text[:READ]):
        return _as_trip(content_stems(travels["where"])) | {_TRIP}
    plan = _PLAN.match(fact.text[:READ])
    if plan is None:
        return frozenset()
    if plan["plan"] is None:
        thing = _as_trip(content_stems(_BEHIND_ITS_NOUN.split(plan["of"] or plan["the"], maxsplit=1)[0])[-1:])
        if not thing <= named:
            return frozenset()
    return _as_trip(content_stems(plan["plan"] or plan["of"] or plan["the"]))


def _as_trip(stems: Sequence[str]) -> frozenset[str]:
    return frozenset(_TRIP if one in _TRIPS else one for one in stems)


def _is_habit(text: str, doing: str, what: str) -> bool:
    """Whether a fact tells the habit of doing something, or of having it, however much and often."""
    habit = _HABIT.match(text[:READ])
    if habit is None:
        return False
    verb, does = stem(re.sub(r"^goes (?=[a-z]+ing$)| .*", "", habit["verb"])), stem(doing)
    if doing and does != verb and not does.startswith(verb) and doing not in ("having", "using", "doing"):
        return False
    of_it = content_stems(_HOW_OFTEN.sub("", _QUANTITY.sub("", habit["what"].strip(" ."))))
    if not what:
        return bool(doing) and (not of_it or verb in _ANY_SMOKE)
    return content_stems(what) == of_it and (bool(doing) or re.fullmatch(_HABITS, habit["verb"]) is not None)


def _do_not_go(diet: Statement, food: Statement) -> bool:
    """Whether one statement gives a diet, and the other says that what it leaves out is eaten."""
    if diet.slot != "diet" or diet.past or food.denied or food.ends:
        return False
    eaten = _EATS.match(food.text[:READ])
    kept = next(
        (out for name, out in _LEFT_BY.items() if re.search(rf"\b{name}\b", diet.text[:READ], re.I)), frozenset()
    )
    return eaten is not None and not kept.isdisjoint(re.findall(r"[a-z]+", eaten["foods"]))
