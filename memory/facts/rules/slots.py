"""Of what is there one value at a time, and does a sentence give that value?"""

import re
from collections.abc import Callable

from memory.facts.rules import kinds
from utils.text import stem

_SEVERAL = re.compile(  # of whom one has several, so that another name is somebody else's
    r"(?<!best )\b(?:friend|colleague|co-?worker|classmate|cousin|neighbou?r|aunt|uncle|niece|nephew|"
    r"(?:\w+-?)?(?:sister|"
    r"brother|son|daughter|child)(?:-in-law)?|kid|teacher)$"
)
ADVERBS = r"(?: (?:also|really|just|now|only|still|recently|finally|actually|currently|absolutely|happily))*"
_HAS = r"(?: (?:has|have))?"
_SINCE = (
    r"(?P<value>.+?) (?:since|for (?:\d|the|over|about|almost|nearly|many|some|a|one|two|three|four|five|six|ten)\b).*"
)
_MOVED_TO = (
    r"(?:moved|relocated)(?: back)?(?: house)?(?: from [^,;]{1,40}?)? to (?:an? [\w -]{1,30} (?:in|near|outside) )?"
)
_LIVES = (
    r"(?:lives?|(?:is|are)(?: now| currently| still| actually)* (?:living|based)|resides?|settled|has settled)"
    r"(?: now| currently)?"
)
NEARBY = "place nearby"  # one lives in Ostia and near Rome
JOB = "job"  # an occupation and where one has it
JOB_HELD = "job held"  # the same, not said to be new: there may be two
_JOBS = frozenset({JOB, JOB_HELD, "employer", "occupation"})
_WEEKDAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.IGNORECASE)
_WHEN = re.compile(r"^(?:date|time) of |\b(?:deadline|due date)\b")
_SEVERAL_A_WEEK = re.compile(
    r"\b(?:meeting|appointment|call|class|lesson|course|lecture|seminar|session|interview|shift|training|practice|"
    r"rehearsal|exam|test|event|game|match|date|lunch|dinner)\b"
)
RESCHEDULED = (
    r"(?:moved|changed|postponed|rescheduled|brought forward|pushed back|pushed|delayed|extended|shifted|deferred|"
    r"put off|put back|moved up|moved forward)"
)
# What has one value at a time: the sentence behind its subject, the name of what it says, and the kind of its value.
_SLOTS: tuple[tuple[re.Pattern[str], str, Callable[[str], bool]], ...] = tuple(
    (re.compile(rf"^{ADVERBS} {pattern}$"), slot, fits)
    for pattern, slot, fits in (
        (
            rf"{_LIVES} in"
            r"(?: an? [\w -]{1,30} (?:in|near|outside))? (?P<value>.+)",
            "residence",
            kinds.is_home,
        ),
        (
            rf"(?:(?:has |have )?lived|(?:has|have) been living|(?:has|have) been based) in {_SINCE}",
            "residence",
            kinds.is_home,
        ),
        (rf"{_LIVES} (?:near|outside|close to|not far from) (?P<value>.+)", NEARBY, kinds.is_home),
        (rf"(?:has |have )?{_MOVED_TO}(?P<value>.+)", "residence", kinds.is_place),
        (r"(?:lives|is living) at (?P<value>\d.+)", "address", kinds.is_address),
        (
            r"(?:works?|(?:is|are) working|is employed)(?: (?:full|part)[- ]time| remotely)? (?:at|for) (?P<value>.+)",
            "employer",
            kinds.is_organisation,
        ),
        (rf"(?:has|have) (?:worked|been working|been employed) (?:at|for) {_SINCE}", "employer", kinds.is_organisation),
        (
            r"(?:has )?joined (?!.*\b(?:choir|club|gym|team|band|class|course|party|church|group|call|meeting|game)\b)"
            r"(?P<value>[^\Wa-z].*?)(?:,? (?:as|in|last|this|on|after|two|three|\d|a (?:week|month|year)|"
            r"recently)\b.*)?",
            "employer",
            kinds.is_employer,
        ),
        (
            r"(?:has )?(?:(?:got|started|took|accepted|found|landed) an? (?:new )?(?:job|position|role)"
            r"(?: as an? [\w -]{1,30})? (?:at|with)|"
            r"started (?:working )?(?:at|for)) (?P<value>.+)",
            "employer",
            kinds.is_organisation,
        ),
        (
            r"(?:(?:has )?(?:switched|changed) (?:jobs?|careers?|employers?)[:;,]? (?:and )?(?:they are|is)(?: now)?|"
            r"is now|is(?=.* (?:now|these days|nowadays)$)) "
            r"(?P<value>an? [^,;]+ (?:at|for|with) (?:the )?[^\W\da-z_].*)",
            JOB,
            kinds.is_occupation,
        ),
        (
            r"(?:has )?(?:switched|changed) (?:jobs?|careers?|employers?)[:;,]? (?:and )?(?:they are|is)(?: now)? "
            r"(?P<value>an? .+)",
            JOB,
            kinds.is_occupation,
        ),
        (r"is (?P<value>an? [^,;]+ (?:at|for) (?:the )?[^\W\da-z_].*)", JOB_HELD, kinds.is_occupation),
        (r"(?:works|is working|(?:has|have) been working) as (?P<value>.+)", "occupation", kinds.is_occupation),
        (r"is now (?P<value>an? .+)", "occupation", kinds.is_occupation),
        (r"is (?P<value>an? .+?) (?:now|these days|nowadays)", "occupation", kinds.is_occupation),
        (
            r"(?:has )?(?:became|become|got promoted to|was promoted to) (?P<value>.+)",
            "occupation",
            kinds.is_occupation,
        ),
        (r"(?:is called|goes by|is named|'s name is)(?: now)? (?P<value>.+)", "name", kinds.is_somebody),
        (r"is (?P<value>\d{1,3}(?: years old)?(?: now| today)?)", "age", kinds.is_age),
        (r"(?:has )?turned (?P<value>\d{1,3})(?: .*)?", "age", kinds.is_age),
        (r"was born (?:on (?P<value>.+)|in (?=\d{4}).+)", "birthday", kinds.is_birthday),
        (r"was born in (?P<value>.+)", "place of birth", kinds.is_place),
        (
            r"(?:is|got|has got)(?: (?:now|happily|recently))* (?P<value>(?:single|married|engaged(?! (?:in|with))|"
            r"divorced|"
            r"widowed)(?![\w-]).*)",
            "relationship",
            kinds.is_anything,
        ),
        (r"(?:is|became|has been|has become)(?: now)? (?P<value>.+)", "diet", kinds.is_diet),
        (r"drives (?P<value>an? .+)", "car", kinds.is_car),
        (r"studies at (?P<value>.+)", "school", kinds.is_organisation),
        (r"weighs (?P<value>.+)", "weight", kinds.is_amount),
        (r"is (?P<value>\d[\d.,' ]*(?:cm|m|feet|ft|foot|inches)\b.*) tall", "height", kinds.is_amount),
    )
)
_COUNTED = re.compile(
    rf"^{ADVERBS} (?:has|owns|is down to)(?: got)?(?: (?:now|only|just|still|a single))* "
    r"(?:\d+|one|(?<=single )|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r" ?(?P<what>[a-z]+)(?: (?:now|left|these days|any ?more|at the moment))*(?=,| (?:called|named)\b|$)"
)
# What somebody has one of: its names, and the kind of its value.
_THINGS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = tuple(
    (re.compile(rf"(?:{names})$"), fits)
    for names, fits in (
        (
            r"(?:phone|mobile|telephone|cell|locker|room|flat|apartment|passport|account|seat|house) (?:number|no)|"
            r"number|"
            r"pin|code|gate code|password|locker|phone",
            kinds.is_number,
        ),
        (r"email|e-mail", kinds.is_email),
        (r"(?:home |postal )?address", kinds.is_address),
        (r"job|occupation|profession", kinds.is_occupation),
        (r"salary|budget|weight|height|shoe size|commute", kinds.is_amount),
        (r"age", kinds.is_age),
        (r"(?:.{1,40} )?(?:deadline|due date)(?: .{1,40})?", kinds.is_day),
        (r"birthday|date of birth", kinds.is_birthday),
        (r"blood type", kinds.is_blood_type),
        (r"(?:native|first) language|nationality|time ?zone|title|major", kinds.is_word_in_capitals),
        (r"home ?town|birthplace", kinds.is_place),
        (r"school|university|employer|company|bank|gym", kinds.is_organisation),
        (r"diet", kinds.is_diet),
        (r"car", kinds.is_car),
        (r"name|(?:last|first|middle|full) name|nickname|surname", kinds.is_somebody),
        (r"favourite colour", kinds.is_colour),
        (r"favourite [\w -]{1,40}", kinds.is_favourite),
    )
)
_OWN_NAME = re.compile(
    r"^'s (?P<thing>[^.,;!?]{1,50}?)(?:'s name is| is called| is named| are called| are named)(?: now)? (?P<value>.+)$"
)
_OWN_IS = re.compile(
    r"^'s (?:new |current )?(?P<thing>[^.,;!?]{1,50}?) (?:is|are|(?:was|were|is|are|has been|have been|got) "
    rf"{RESCHEDULED}(?: back)?(?: from [^,;]{{1,30}}?)? (?:to|until|till|by)|"
    r"(?:has |have )?(?:moved|changed|slipped|shifted)(?: from [^,;]{1,30}?)? to)(?: now)? "
    r"(?P<value>(?!called |named ).+)$"
)
_CHANGED = re.compile(rf"\b(?:{RESCHEDULED}|slipped)\b|^The (?:user's )?new\b|\b(?:is|are) now\b|\bnow\.?$|\binstead\b")
_IS_SOMEBODY = re.compile(rf"^{ADVERBS} is(?: now)? (?P<value>.+)$")


def slot_of(subject: str, rest: str) -> str | None:
    """The name of that of which a sentence gives the one value; None where several may hold at once, and where the
    value is of another kind. `rest`: what stands behind the subject."""
    several = _SEVERAL.search(subject) is not None
    if found := _OWN_NAME.match(rest):
        return f"name of {found['thing'].casefold()}" if kinds.is_somebody(_head(found["value"])) else None
    for pattern, slot, fits in _SLOTS:
        found = pattern.match(rest if not rest.startswith("'s name") else f" {rest}")
        if found and fits(_head(found["value"] or "1") if slot == "name" else found["value"] or "1"):
            return None if several and slot in ("name", "age") else slot
    if found := _COUNTED.match(rest):
        return f"number of {_counted(found['what'])}"
    if "'s " in subject and (found := _IS_SOMEBODY.match(rest)):
        return "name" if kinds.is_somebody(_head(found["value"])) and not several else None
    if found := _OWN_IS.match(rest):
        return _of_a_thing(found["thing"].casefold(), found["value"])
    return None


def is_rescheduled(text: str) -> bool:
    """Whether a sentence says that what it tells has changed."""
    return _CHANGED.search(text) is not None


def reschedules(text: str) -> bool:
    """Whether a sentence of "the" something says that it was moved to another day or time."""
    found = _OWN_IS.match(f"'s {text[4:].rstrip('.')}")
    if found is None or not is_rescheduled(text):
        return False
    slot = _of_a_thing(found["thing"].casefold(), found["value"])
    return slot is not None and _WHEN.search(slot) is not None


def are_rivals(old: str | None, new: str) -> bool:
    """Whether a value of one slot takes the place of one of another: who is a baker at Brotkorb works nowhere else."""
    if new == JOB_HELD or old not in _JOBS or new not in _JOBS:
        return False
    return JOB in (old, new) or (old == JOB_HELD and new == "employer")


def are_of_two_days(slot: str, old: str, new: str) -> bool:
    """Whether two texts on something of which there may be several a week name different days of it."""
    days = [{day.lower() for day in _WEEKDAY.findall(text)} for text in (old, new)]
    return _SEVERAL_A_WEEK.search(slot.partition(" of ")[2]) is not None and all(days) and days[0].isdisjoint(days[1])


def _of_a_thing(thing: str, value: str) -> str | None:
    thing = thing.replace("favorite", "favourite").replace("color", "colour")
    thing = re.sub(r"^e-?mail(?: address)?$", "email", thing)
    for names, fits in _THINGS:
        if names.match(thing):
            return thing if fits(value) else None
    kind = kinds.kind_of(_head(value))
    return f"{kind} of {thing}" if kind else None


def _head(value: str) -> str:
    """A value without what is added to it."""
    return re.sub(r" (?:now|today)$", "", re.split(r"[,;(]", value, maxsplit=1)[0].strip())


def _counted(noun: str) -> str:
    return "child" if noun in ("kid", "kids", "child", "children") else stem(noun)
