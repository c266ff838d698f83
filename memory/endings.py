"""What is over when somebody says that they left, or that somebody died?"""

import re
from collections.abc import Iterable, Sequence

from memory.fact_reading import Statement

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
    r" (?:has )?(?:just |recently |sadly )*(?:died|passed away)\b"
)
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
