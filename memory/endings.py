"""What is over when somebody says that they left, or that somebody died?"""

import re
from collections.abc import Iterable, Sequence

from memory.fact_reading import Statement

_NAME = r"[^\Wa-z_][\w&.’'-]*(?: (?:of |the |and |& )?[^\Wa-z_][\w&.’'-]*){0,4}"
_LEFT = re.compile(
    r"^The user (?:has |have )?(?:just |recently |finally |already )*(?:quit|left|resigned(?: from)?|"
    r"(?:was|got) (?:fired|laid off|let go)(?: from| by)?)"
    r"(?P<job> (?:their|the|a) (?:[\w-]+ )?(?:job|position|role))?(?:(?: at| with| from)? "
    rf"(?P<name>{_NAME}))?(?: (?:last|this|in|after|because|on|two|three|a few|a (?:week|month|year))\b.*)?\.?$"
)
_DIED = re.compile(
    rf"^(?:(?P<whose>The user)'s (?P<kin>[a-z][\w-]*(?: [a-z][\w-]*)?)(?: (?P<called>{_NAME}))?|(?P<name>{_NAME}))"
    r" (?:has )?(?:just |recently |sadly )*(?:died|passed away)\b"
)
_STAYS = frozenset({"employer", "school", "residence"})


def ended_by(text: str, facts: Sequence[Statement]) -> int | None:
    """Which of the facts in force a statement ends: where somebody works, studies or lives whom it says to have left,
    or what a pet or person is called that it says is dead; None where it ends none of them, or several."""
    if left := _LEFT.match(text):
        if left["name"] is None and left["job"] is None:
            return None
        name = (left["name"] or "").rstrip(".")
        slots = _STAYS if left["job"] is None else {"employer"}
        return _single(
            at for at, fact in enumerate(facts) if fact.subject == "user" and fact.slot in slots and name in fact.text
        )
    if died := _DIED.match(text):
        name = died["called"] or died["name"]
        return _single(at for at, fact in enumerate(facts) if not fact.ends and _is_called(fact, name, died["kin"]))
    return None


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
