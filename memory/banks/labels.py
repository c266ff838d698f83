"""Labels: the words before a colon that say which section what follows belongs to."""

import re
from functools import lru_cache

from memory.banks.lists import is_item
from memory.banks.markdown import folded, prose_to
from memory.banks.types import Category

MARK = 12  # characters in which the mark of an item stands

# Labels as they are written, without what may stand before them and without the mark of a plural.
_LABELS: dict[Category, str] = {
    "purpose": "purpose, goal, aim, objective, mission, vision, about",
    "requirement": "requirement, must have, should have, nice to have, user story, user stories, acceptance criteria",
    "constraint": "constraint, limitation, budget, deadline, out of scope, non goal",
    "architecture": "architecture, component, stack, tech stack, infrastructure",
    "dependency": "dependency, dependencies",
    "decision": "decision, decided, agreed, agreement, chosen, conclusion",
    "done": "done, finished, completed, fixed, shipped, merged, released, implemented, resolved, solved",
    "next": "next, next step, next up, next action, next task, next week, next session, next time, next sprint, to do, "
    "todo, still to do, not done, to be done, action, action item, follow up, plan, backlog, pending, remaining, "
    "upcoming, open item, open point, open task, task, later, reminder",
    "issue": "issue, bug, problem, blocked, blocked by, blocked on, blocker, waiting, waiting for, waiting on, risk",
    "focus": "focus, now, currently, right now, in progress, working on, wip, status, today, doing",
    "question": "question, unclear, unknown, tbd, to be decided, to decide, undecided, to clarify, open, left open, "
    "unresolved",
    "pattern": "pattern, convention, style, guideline",
    "preference": "preference",
    "reference": "reference, link, see also, documentation, further reading",
    "note": "note, side note, remark, fyi, nb, for the record, cancelled, canceled, dropped, withdrawn, abandoned, "
    "obsolete, no longer needed, not needed",
}
_CANCELLED = frozenset({"cancelled", "canceled", "dropped", "withdrawn", "abandoned", "obsolete"}) | frozenset(
    {"no longer needed", "not needed"}
)
_DONE_BEHIND = re.compile(rf"[ \t]?:[ \t]{{1,8}}(?:{_LABELS['done'].replace(', ', '|')})$", re.IGNORECASE)
_BEFORE = re.compile(
    r"(?:(?:the|our|my|a|an|one|another|open|known|current|main|key|final|new|important|remaining|further|other|"
    r"immediate|urgent|technical|design|product|project|team|short term|long term) )+"
)
_NOT = re.compile(r"(?:still |as )?(?:not|never)(?: yet)? (?:yet |been |finally )?(\w+)(?: yet| so far)?$")
_OF_ISSUES = frozenset({"fixed", "resolved", "solved"})
_LABEL = re.compile(
    r"""(?:(?:[-*+]|\d{1,3}[.)])[ \t]{1,8})?                # it may be an item of a list
    (?P<bold>\*\*|__)?(?P<label>[A-Za-z](?:[ -]?[A-Za-z]){0,39})
    (?:[ \t]?\([^()\n]{1,60}\))?                           # who, or when
    (?:\*\*|__)?[ \t]?(?:(?::|[–—-](?=[ \t]))(?:\*\*|__)?(?=\s|$)|(?(bold)(?=[ \t]*$)|(?!)))""",
    re.VERBOSE | re.MULTILINE,
)
_MAY_BEGIN = re.compile(r"^(?=[-*+_\dA-Za-z])|(?<=[.!?;])[ \t]+(?=[*_A-Z])", re.MULTILINE)


def topic_of(label: str) -> Category | None:
    """What a label or a heading says that what stands under it is about; None where it is none that is known."""
    return _topics().get(_bare(label)) or _denied(label) if label and len(label) <= 60 else None


def label_of(text: str) -> Category | None:
    """What the label that a text begins with says of it."""
    found = _LABEL.match(text)
    return topic_of(found["label"]) if found is not None else None


def behind_label(text: str) -> int:
    """Where what a text says begins, behind its label; its beginning where it has none that is known."""
    found = _LABEL.match(text)
    return found.end() if found is not None and topic_of(found["label"]) is not None else 0


def is_cancelled(text: str) -> bool:
    """Whether the label that a text begins with says that it is not to be done any more."""
    found = _LABEL.match(text)
    return found is not None and _bare(found["label"]) in _CANCELLED


def without_done(text: str) -> str:
    """A text without what says behind its other words that this is done: "the tests: done"."""
    return _DONE_BEHIND.sub("", text, count=1)


def is_label(text: str) -> bool:
    """Whether a text is a label and nothing else, so that what follows it is what it speaks of."""
    found = _LABEL.match(text)
    return found is not None and topic_of(found["label"]) is not None and not text[found.end() :].strip()


def labelled(paragraph: str) -> list[str]:
    """The parts of a paragraph, of which each but the first begins with a label: of a line, or of a sentence, which has
    a capital then. What is in code or an item is none, nor is a note, which belongs to what stands before it, but for
    what is cancelled. O(n)."""
    cuts, seen = [0], 0
    for place in _MAY_BEGIN.finditer(paragraph, 0, prose_to(paragraph)):
        at = place.end()
        above, _, mark = paragraph[max(0, at - MARK) : at].rpartition("\n")
        in_item = is_item(paragraph[at : at + MARK]) or (
            bool(mark) and not mark.strip(" \t0123456789.)") and (at < MARK or bool(above))
        )
        found = None if at < seen or in_item else _LABEL.match(paragraph, at)
        if found is not None and (topic_of(found["label"]) not in (None, "note") or is_cancelled(found[0])):
            cuts.append(at)
            seen = found.end()
    ends = [*cuts[1:], len(paragraph)]
    return [part for at, end in zip(cuts, ends, strict=True) if (part := paragraph[at:end].rstrip())]


@lru_cache
def _topics() -> dict[str, Category]:
    return {label: category for category, labels in _LABELS.items() for label in labels.split(", ")}


def _denied(label: str) -> Category | None:
    """What a label says by saying what is not so: "Not decided", "Still not fixed"."""
    found = _NOT.match(folded(label.replace("-", " ")))
    said = topic_of(found[1]) if found is not None else None
    if said == "done" and found is not None:
        return "issue" if found[1] in _OF_ISSUES else "next"
    return "question" if said == "decision" else None


def _bare(label: str) -> str:
    """A label as it stands in the table, or without what only tells it from others."""
    plain = folded(label.replace("-", " "))
    for one in (plain, _BEFORE.sub("", plain, count=1) if _BEFORE.match(plain) else plain):
        for bare in (one, one.removesuffix("s")):
            if bare in _topics():
                return bare
    return ""
