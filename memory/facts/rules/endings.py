"""What is over when somebody says that they left, or that somebody died?"""

import re
from collections.abc import Iterable, Sequence

from memory.facts.rules.statement import READ, Statement

_NAME = r"[^\Wa-z_][\w&.’'-]*(?: (?:of |the |and |& )?[^\Wa-z_][\w&.’'-]*){0,4}"
_LEFT = re.compile(
    r"^The user (?:has |have )?(?:just |recently |finally |already )*(?:quit|left|resigned(?: from)?|"
    r"(?P<moved>moved (?:out of|away from))|(?:was|got) (?:fired|laid off|let go)(?: from| by)?)"
    r"(?P<job> (?:their|the|a) (?:[\w-]+ )?(?:job|position|role))?(?:(?: at| with| from)? "
    rf"(?:(?P<name>{_NAME})|(?<= at )(?:the|an?|their) (?P<place>[a-z][\w-]*)))?"
    r"(?: (?:last|this|in|after|because|on|two|three|a few|a (?:week|month|year)|"
    r"and (?:started|joined|am|now|is))\b.*| for [A-Z].*)?\.?$"
)
_DIED = re.compile(
    rf"^(?:(?P<whose>The user)'s (?P<kin>[a-z][\w-]*(?: [a-z][\w-]*)?)(?: (?P<called>{_NAME}))?|(?P<name>{_NAME}))"
    r" (?:has )?(?:just |recently |sadly |also )*(?:died|passed away)\b"
)
_FIRST_NAME = r"[^\W\d_a-zß-öø-ÿα-ωа-џ][\w’'-]*"
_NAMES = rf"(?P<names>{_FIRST_NAME}(?:(?:, and|,| and) {_FIRST_NAME}){{1,7}})"
# Several by name, of whom one may die: "has two cats, Tom and Jerry".
_HAS_SEVERAL = re.compile(
    r"^(?P<who>.{1,60}?) (?:has|owns) (?P<count>two|three|four|five|six|seven|eight|[2-8]) "
    rf"(?P<what>[a-z -]{{2,40}}?)(?:[,:]| called| named|, called|, named) {_NAMES}\.?$"
)
_ARE_CALLED = re.compile(rf"^(?P<who>.{{1,60}}?'s?) (?P<what>[a-z -]{{2,40}}?) are(?: called| named)? {_NAMES}\.?$")
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven")
_PARTED = re.compile(
    r"^The user (?:has |have )?(?:just |recently |finally |already )*(?:sold|gave away|got rid of|scrapped|traded in|"
    r"no longer (?:has|owns)) (?:their|our) (?:old )?(?P<thing>[a-z]+)"
    r"(?= (?:last|this|in|on|after|because|yesterday|to|for|and|two|three|a (?:few|week|month|year))\b|,|\.|$)"
)
_SPOUSE = r"(?:wife|husband|spouse)"
_DIVORCED = re.compile(
    r"^The user (?:is|got|has got|has been) (?:(?:now|just|recently|finally) )*divorced\b"
    r"(?!.*\b(?:\d{4}|ago|when|before)\b)"
)
_MARRIED_TO = re.compile(
    rf"^The user (?:is|got|has got) (?:(?:now|just|recently|happily) )*married to (?P<name>{_NAME})"
)
_SPOUSES_NAME = re.compile(
    rf"^The user(?:'s {_SPOUSE}(?:'s name is| is(?: called| named)?)| has an? {_SPOUSE} (?:called|named)) "
    rf"(?P<name>{_NAME})"
)
_STAYS = frozenset({"employer", "school", "residence"})
_LIVES, _WORKS, _WORKS_AS = frozenset({"residence"}), frozenset({"employer"}), frozenset({"occupation"})
_SIDE = re.compile(r"\b(?:an?|second|third|other|side|weekend|evening|part-time|summer|old|former|previous)\b")


def ended_by(text: str, facts: Sequence[Statement]) -> int | None:
    """Which of the facts in force a statement ends: where somebody works, studies or lives whom it says to have left,
    or what a pet or person is called that it says is dead; None where it ends none of them, or several."""
    if left := _LEFT.match(text):
        if left["name"] is None and left["job"] is None:
            return None
        for slots in _ended_slots(left):
            over = [
                at
                for at, fact in enumerate(facts)
                if fact.subject == "user" and fact.slot in slots and _names_what_was_left(fact.text, left)
            ]
            if over:
                return _single(over)
        return None
    if died := _DIED.match(text):
        name = died["called"] or died["name"]
        return _single(at for at, fact in enumerate(facts) if not fact.ends and _is_called(fact, name, died["kin"]))
    return None


def _ended_slots(left: re.Match[str]) -> tuple[frozenset[str], ...]:
    """What may be over, of which the first is that there is a fact of."""
    if left["moved"]:
        return (_LIVES,)
    if left["job"] is None:
        return (_STAYS,)
    return (_WORKS,) if _SIDE.search(left["job"]) else (_WORKS, _WORKS_AS)


def _names_what_was_left(text: str, left: re.Match[str]) -> bool:
    """Whether a fact names the place or the firm that was left; who moved out of York may live in New York."""
    name = (left["name"] or left["place"] or "").rstrip(".")
    if left["moved"]:
        return name in {one.rstrip(".") for one in re.findall(_NAME, text)}
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def parted_with(text: str, facts: Sequence[Statement]) -> list[int]:
    """Which of the facts in force are of a thing that a statement says to be sold or given away, or of the spouse
    before."""
    if parted := _PARTED.match(text):
        is_so = re.compile(rf"^The user's {parted['thing']} (?:is|has) (?![+\d(])")
        has_one = re.compile(rf"^The user (?:has|owns|drives) (?:an?|one) (?:[\w-]+ ){{0,3}}?{parted['thing']}\b")
        drives = [
            at for at, fact in enumerate(facts) if fact.subject == "user" and fact.slot == parted["thing"] == "car"
        ]
        of_it = sorted({*drives, *(at for at, fact in enumerate(facts) if is_so.match(fact.text))})
        having = _single(at for at, fact in enumerate(facts) if has_one.match(fact.text))
        return of_it if having is None else sorted({*of_it, having})
    married = _MARRIED_TO.match(text)
    if married is None and not _DIVORCED.match(text):
        return []
    spouses = ((at, _SPOUSES_NAME.match(fact.text)) for at, fact in enumerate(facts))
    return [at for at, named in spouses if named and (married is None or named["name"] not in married["name"])]


def without_the_dead(text: str, facts: Sequence[Statement]) -> tuple[int, str] | None:
    """Which of the facts names several of whom a statement says that one died, and how it reads of the others; None
    where there is none or several such facts, or another of that name."""
    died = _DIED.match(text[:READ])
    name = died and (died["called"] or died["name"])
    if died is None or name is None:
        return None
    found = [(at, rest) for at, fact in enumerate(facts) if (rest := _of_the_others(fact, name, died["kin"]))]
    has_namesake = any(fact.subject == name.casefold() and fact.kin for fact in facts)
    return found[0] if len(found) == 1 and (died["kin"] or not has_namesake) else None


def _of_the_others(fact: Statement, name: str, kin: str | None) -> str | None:
    """What a fact that names several says of all but one of them; None where it names no such one."""
    counted = _HAS_SEVERAL.match(fact.text[:READ])
    found = counted or _ARE_CALLED.match(fact.text[:READ])
    if found is None or fact.denied or fact.ends:
        return None
    names, who, several = re.findall(_FIRST_NAME, found["names"]), found["who"], found["what"]
    one = _one_of(several)
    if name not in names or one is None or (kin and kin.split()[-1] != one.split()[-1]):
        return None
    *others, last = (other for other in names if other != name)
    if not others:
        return f"{who} has a {one} called {last}." if counted else f"{who} {one} is called {last}."
    left = f"{', '.join(others)} and {last}"
    return (
        f"{who} has {_COUNTS[len(others) + 1]} {several}, {left}." if counted else f"{who} {several} are called {left}."
    )


def _one_of(several: str) -> str | None:
    """The singular of what is counted; None where no rule makes one."""
    if several.endswith("children"):
        return several.removesuffix("ren")
    if several.endswith("ies"):
        return f"{several[:-3]}y"
    return several[:-1] if several.endswith("s") and not several.endswith("ss") else None


def is_of_a_death(text: str) -> bool:
    """Whether a sentence says that somebody with a name died."""
    return _DIED.match(text) is not None


def _is_called(fact: Statement, name: str | None, kin: str | None) -> bool:
    """Whether a fact says what somebody is called: of this name, or where there is none, the user's so-and-so."""
    if name is not None:
        called = re.search(rf"\b(?:called|named|name is) {re.escape(name)}(?![\w-])", fact.text)
        return called is not None and (kin or "") in fact.text
    called = re.search(rf"\b{re.escape(kin or '')}(?:'s name is| is called| is named| called| named) ", fact.text)
    return called is not None and fact.subject in ("user", f"user's {kin}")


def _single(found: Iterable[int]) -> int | None:
    every = list(found)
    return every[0] if len(every) == 1 else None
