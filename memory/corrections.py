"""How does a user say that something is not so, but otherwise? "It is not Jon, it is John", "Hamburg, not Berlin"."""

import re

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


def corrected(correction: str, facts: list[str]) -> tuple[int, str] | None:
    """Which of the facts a correction is of, and how it reads then; None where it is of none of them, or of several."""
    found = _CORRECTED.match(correction)
    if found is None:
        return None
    old = re.compile(rf"(?<![\w-]){re.escape(found['old'])}(?![\w-])", re.IGNORECASE)
    meant = [at for at, fact in enumerate(facts) if old.search(fact)]
    return (meant[0], old.sub(lambda _: found["new"], facts[meant[0]])) if len(meant) == 1 else None


def is_correction(fact: str) -> bool:
    """Whether a sentence is one that `correction_of` made."""
    return _CORRECTED.match(fact) is not None
