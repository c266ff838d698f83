"""What does a fact say, of whom, and does another fact say it too?"""

import re
from dataclasses import dataclass

from memory.facts.rules.person import is_past
from memory.facts.rules.slots import ADVERBS, RESCHEDULED, slot_of
from utils.text import content_stems, stem

READ = 600  # characters of a fact that are read for what it says

RELATION = (
    r"(?:(?:step|half|god|grand|great-grand)?-?(?:sister|brother|mother|father|mum|mom|dad|son|daughter|"
    r"child)(?:-in-law)?|"
    r"wife|husband|spouse|kid|baby|aunt|uncle|cousin|niece|nephew|grandma|grandpa|parents|grandparents|in-laws|"
    r"children|kids|partner|girlfriend|boyfriend|"
    r"fianc[ée]e?|friend|neighbou?r|colleague|co-?worker|classmate|boss|manager|teacher|doctor|dentist|therapist|"
    r"landlord|landlady|roommate|flatmate|housemate|supervisor|mentor|tutor|coach|nanny|dog|puppy|cat|kitten|horse|parrot|rabbit|hamster|tortoise)"
)
_ONE_AT_A_TIME = (
    r"(?:wife|husband|spouse|partner|girlfriend|boyfriend|boss|manager|doctor|dentist|therapist|landlord|landlady)"
)
_OF_THEM = r"(?:appointments?|visits?|check-?ups?|food|beds?|tree|house|toys?|training|meetings?|conference|group)"
_NAME = r"[^\W\d_a-zß-öø-ÿα-ωа-џ][\w-]*"
_TITLE = r"(?:(?:Mrs?|Ms|Dr|Prof|Rev|St)\b\.? )?"
_SUBJECT = re.compile(rf"^(?:(?i:(?:the )?user)\b|{_TITLE}{_NAME}(?: {_NAME}){{0,3}}(?=\s|['’]s))")
_OF_A_THING = re.compile(r"^The (?!user\b)")
# What somebody did to a plan reads as what became of it: "They moved the deadline to Friday."
_REARRANGED = re.compile(
    rf"^(?:They|We|The user(?:'s [a-z]+)?|The [a-z]+|{_NAME}) (?:(?:just|have|has|already) )*(?P<how>{RESCHEDULED}) "
    r"(?:the|their|our|the user's) (?P<what>[^.,;]{2,50}?) (?P<when>(?:to|until|till|by) .+)$"
)
_BARE_VERB = re.compile(r"^(?:is|has|lives|works|likes|loves|hates|prefers|moved|owns|drives)\b", re.IGNORECASE)
_RELATIVE = re.compile(
    rf"^'s (?:(?:new|current) (?={_ONE_AT_A_TIME}\b))?(?P<who>(?:[a-z-]+ )?{RELATION})"
    rf"(?: (?P<name>{_TITLE}{_NAME})(?! (?:is|are) (?:called|named)))?(?='s | (?!{_OF_THEM}\b)[a-z])"
)

_TASTE = re.compile(
    rf"^{ADVERBS} (?P<verb>likes|loves|enjoys|adores|hates|dislikes|cannot stand|does not (?:really )?(?:like|enjoy))"
    r" (?P<object>.+)$"
)
_DISLIKES = re.compile(r"^(?:hates|dislikes|cannot|does not)")
_ENDS = re.compile(
    r"\bno longer\b|\b(?:not|never)\b.*\b(?:any ?more|any longer)\b|"
    r"^The user(?: \w+)? (?:quit|stopped|gave up|given up|sold|broke up with|cancelled|canceled)\b|"
    r"^The user's [\w -]{1,60}? (?:has )?(?:just |recently |sadly )?(?:died|passed away)\b"
)

_GOT_MARRIED = re.compile(r" (?:(?:has |have )?got|has been|gets) (?=(?:married|engaged|divorced|pregnant)\b)")
_GOT = re.compile(r"(?<= has| not|have) got\b")
_TOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|[,;(]")
_DENIALS = frozenset({"not", "never"})
_LITTLE = frozenset(  # says nothing of what is so
    """a an the really also just now still actually very too absolutely quite currently recently finally already any
    anymore more longer happily do does did never not both nowadays today""".split()  # noqa: SIM905
)
_LINKS = frozenset(  # what begins another thing said, or keeps two apart
    """, ; ( and or but in on at to from with for by of as than before after since until because who which that whose
    where when while called named near outside over about like if so another second third other without except only
    instead during until across between every each last next again""".split()  # noqa: SIM905
)
_ASIDES = frozenset({",", ";", "(", "but", "because", "although", "who", "that", "which"})
_WAS = frozenset({"was", "were", "had", "did"})
_HAVING = frozenset({"has", "have", "had", "owns", "eats", "drinks", "speaks"})
_SAME = {
    "cannot": "can",
    "am": "is",
    "are": "is",
    "was": "is",
    "were": "is",
    "has": "have",
    "had": "have",
    "kid": "child",
    "children": "child",
}


@dataclass(frozen=True)
class Statement:
    """What a fact says. `subject`: whom of; `kin`: what this one is to whom, where a name stands beside it. `slot`:
    what it is the one value of; None where several may hold at once. `said`: in order, the words that matter of it.
    `denied`: whether it says that this is not so, or `never` was; `past`: whether that it was. `objects`: stems of what
    it says; `verb`: the first of them. `ends`: whether it says that something is so no longer."""

    text: str
    subject: str
    slot: str | None
    said: tuple[str, ...]
    objects: frozenset[str]
    verb: str = ""
    kin: str = ""
    denied: bool = False
    never: bool = False
    past: bool = False
    dislikes: bool = False
    ends: bool = False


def read_statement(text: str) -> Statement:
    """What a fact's sentence says, whoever wrote it: one without a subject is of the user."""
    bare = _spelled_out(" ".join(text[:READ].split()).strip(" .!"))
    base, behind = _split(bare)
    subject, kin, rest = _relative(base, behind)
    spoken = [one.lower() for one in _TOKEN.findall(rest)]
    ends = _ENDS.search(bare) is not None
    denied = _denies(spoken) or " no longer " in rest
    taste = None if ends else _TASTE.match(rest)
    if taste is not None:
        liked = " ".join(content_stems(taste["object"]))
        slot, denied = f"taste of {liked}" if liked else None, False
    else:
        slot = None if denied or ends else slot_of(subject, rest)
    stems = content_stems(rest)
    return Statement(
        text=text,
        subject=subject,
        slot=slot,
        said=(*_said(spoken), *([text[READ:]] if len(text) > READ else [])),
        objects=frozenset(content_stems(behind.removeprefix("'s "))),
        verb=stems[0] if stems else "",
        kin=kin,
        denied=denied,
        never="never" in spoken,
        past=_is_past(spoken),
        dislikes=taste is not None and _DISLIKES.match(taste["verb"]) is not None,
        ends=ends,
    )


def said_within(less: Statement, more: Statement, *, whole: bool = False) -> bool:
    """Whether what one says, another says in the same order, perhaps with more beside it: "has a car" within "has a red
    car in Rome". `whole`: what stands beside it may not be a further item of a list."""
    said, at = more.said, 0
    for number, word in enumerate(less.said):
        start = at
        while at < len(said) and said[at] != word:
            at += 1
        skipped = said[start:at]
        if at == len(said) or (skipped and not number) or any(one in _LINKS for one in skipped):
            return False
        at += 1
    if at == len(said) or not less.said:
        return bool(less.said)
    return said[at] in _LINKS and not (whole and said[at] in (",", "and", "or", ";"))


def _spelled_out(text: str) -> str:
    text = text.replace("’", "'").replace("can't", "cannot").replace("won't", "will not")
    text = text.replace(" used to be ", " was ")
    text = _GOT.sub("", _GOT_MARRIED.sub(" is ", text))
    return re.sub(r"(?<=[a-z])n't\b", " not", text)


def _split(text: str) -> tuple[str, str]:
    """Whom a sentence is about, and what stands behind that."""
    if rearranged := _REARRANGED.match(text):
        return "the", f"'s {rearranged['what']} was {rearranged['how']} {rearranged['when']}"
    if of_a_thing := _OF_A_THING.match(text):
        return "the", f"'s {text[of_a_thing.end() :]}"
    found = _SUBJECT.match(text)
    if found is None or _BARE_VERB.match(text):
        return "user", f" {text[:1].lower()}{text[1:]}"
    subject = found[0].casefold()
    return ("user" if subject in ("user", "the user") else subject), text[found.end() :]


def _relative(subject: str, rest: str) -> tuple[str, str, str]:
    """Of whom it is said, where that is somebody's relative or pet: one with a name goes by the name."""
    kin = ""
    while found := _RELATIVE.match(rest):
        kin = f"{subject}'s {found['who']}" if found["name"] else ""
        subject = found["name"].casefold() if found["name"] else f"{subject}'s {found['who']}"
        rest = rest[found.end() :]
    return subject, kin, rest


def _denies(spoken: list[str]) -> bool:
    """Whether a statement denies what it says; "not only" does not, nor "in Milan, not in Rome"."""
    for word, before, after in zip(spoken, ["", *spoken], [*spoken[1:], ""], strict=False):
        if word in _ASIDES:
            return False
        if word == "cannot" or (word in _DENIALS and after not in ("only", "just")) or _has_no(before, word):
            return True
    return False


def _said(spoken: list[str]) -> tuple[str, ...]:
    around = zip(["", *spoken], spoken, [*spoken[1:], ""], strict=False)
    return tuple(
        _same(word)
        for before, word, after in around
        if word not in _LITTLE and not _has_no(before, word) and (word, after) != ("no", "longer")
    )


def _has_no(before: str, word: str) -> bool:
    return word == "no" and before in _HAVING


def _same(word: str) -> str:
    if word.endswith("'s") or word in _LINKS:
        return word
    word = _SAME.get(word, word)
    return _SAME.get(stem(word), stem(word))


def _is_past(spoken: list[str]) -> bool:
    """Whether the verb of a statement is of the past; behind a thing of somebody's, only plain forms show it."""
    if spoken[:1] == ["s"]:
        return any(one in _WAS for one in spoken[:8])
    verb = next((one for one in spoken if one in _WAS or one not in _LITTLE), "")
    return is_past(verb)
