"""How does a user say that something is not so, but otherwise? "It is not Jon, it is John", "Hamburg, not Berlin"."""

import re
from difflib import SequenceMatcher

_VALUE = r"[^,;.!?]{1,60}"
_NOT_BUT = re.compile(
    rf"^(?P<subject>(?:my|our|i|we) .{{0,80}}?|i|we) ?(?:(?P<verb>is|are|am|was)|['’](?P<short>m|re))(?: not|n['’]t) "
    rf"(?P<old>{_VALUE}?),? (?:but|(?:it|he|she|they|i)(?:['’](?:s|m|re)| is| are| am)) (?P<new>{_VALUE})$",
    re.IGNORECASE,
)
_IT = r"(?:it|that|he|she|they)(?:['’]s|['’]re| is| are)"
_IT_IS = (
    re.compile(
        rf"^(?:(?:{_IT}|i meant|i mean|make that)(?: actually| really)? (?P<new>{_VALUE}?),?|"
        rf"(?P<bare>\S+(?: \S+){{0,2}}),) not (?P<old>{_VALUE})$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^{_IT} not (?P<old>{_VALUE}?),? (?:but|{_IT}) (?P<new>{_VALUE})(?P<bare>)$",
        re.IGNORECASE,
    ),
)
_SLIP = re.compile(
    r"^(?:(?:(?:oh|ah|oops|sorry|no|nope|wait|actually|apologies|my (?:bad|mistake|apologies)|i mean)\b[ ,.!:;…–-]*)+"
    r"(?:(?:it|that)(?:['’]s| is| should (?:be|read))|i meant?|make (?:it|that))|(?:correction|i meant)(?=[: ]))"
    rf"[: ]+(?:(?:actually|called|named) )?(?P<new>(?!(?:not|no)\b){_VALUE})$",
    re.IGNORECASE,
)
_RATHER = re.compile(r"^Rather (?P<new>.+)\.$")
FEWEST_DIGITS = 3  # of a number that is told by its form: another "5" may be of anything
_ALIKE = 0.6  # of a name and how it was misspelt, as difflib has it
_CAPITALISED = re.compile(r"(?<![\w’'-])[^\Wa-z\d_][\w’'-]*\w")
_AND_NOT = re.compile(
    r"(?:, (?:and )?| and )not (?:in |to |at |for |from )?[^\Wa-z_][\w’'-]*(?: [^\Wa-z_][\w’'-]*){0,3}$"
)
_PREPOSITION = re.compile(r"^(?:on|in|at|for|to|from) ")
_SHORT = {"m": "am", "re": "are"}
_CORRECTED = re.compile(r"^Not (?P<old>.+?), but (?P<new>.+)\.$")


def straightened(clause: str) -> str:
    """A clause of the user's with what is so alone: "My name is not Jon, it is John" as "My name is John", "I moved to
    Hamburg, not Berlin" as "I moved to Hamburg"."""
    if found := _NOT_BUT.match(clause):
        verb = found["verb"] or _SHORT[found["short"].lower()]
        return f"{found['subject'].strip()} {verb} {found['new']}"
    return _AND_NOT.sub("", clause) if clause[:2].lower() in ("i ", "my", "we", "ou", "i'", "i’") else clause


def correction_of(clause: str) -> str | None:
    """A clause that corrects what was said before, as a sentence that `corrected` reads; None where it does not."""
    found = next((found for pattern in _IT_IS if (found := pattern.match(clause))), None)
    if found is None:
        return None
    old, new = (_PREPOSITION.sub("", one.strip()) for one in (found["old"], found["new"] or found["bare"]))
    return f"Not {old}, but {new}."


def slip_of(sentence: str) -> str | None:
    """A sentence that gives another value for what was said last ("sorry, it's 555-4321"), as one that `corrected`
    reads; None for others."""
    found = _SLIP.match(sentence.rstrip(" .!…"))
    if found is None:
        return None
    new = _PREPOSITION.sub("", found["new"].strip())
    return f"Rather {new}." if new[0].isupper() or _has_digits(new) else None


def corrected(correction: str, facts: list[str]) -> tuple[int, str] | None:
    """Which of the facts a correction is of, and how it reads then; None where it is of none of them, or of several.
    One that does not name what was wrong is of the last fact, where that has a number of the same form, or a name much
    alike."""
    if (rather := _RATHER.match(correction)) and facts:
        wrong = _wrong_in(facts[-1], rather["new"])
        at = len(facts) - 1
        return (at, f"{facts[at][: wrong.start()]}{rather['new']}{facts[at][wrong.end() :]}") if wrong else None
    found = _CORRECTED.match(correction)
    if found is None:
        return None
    old = re.compile(rf"(?<![\w-]){re.escape(found['old'])}(?![\w-])", re.IGNORECASE)
    meant = [at for at, fact in enumerate(facts) if old.search(fact)]
    return (meant[0], old.sub(lambda _: found["new"], facts[meant[0]])) if len(meant) == 1 else None


def is_correction(fact: str) -> bool:
    """Whether a sentence is one that `correction_of` made."""
    return _CORRECTED.match(fact) is not None or _RATHER.match(fact) is not None


def _wrong_in(fact: str, new: str) -> re.Match[str] | None:
    """What a new value stands for in a fact: the one value there of its form."""
    if _has_digits(new):
        form = re.sub(r"\d+", lambda _: r"\d+", re.escape(new))
        found = list(re.finditer(rf"(?<![\w.:-]){form}(?![\w:-]|\.\d)", fact, re.IGNORECASE))
    else:
        found = [one for one in _CAPITALISED.finditer(fact) if one.start() and _is_like(one[0], new)]
    return found[0] if len(found) == 1 and found[0][0] != new else None


def _has_digits(value: str) -> bool:
    return sum(one.isdigit() for one in value) >= FEWEST_DIGITS


def _is_like(old: str, new: str) -> bool:
    return new[:1].isupper() and SequenceMatcher(None, old.casefold(), new.casefold()).ratio() >= _ALIKE
