"""Labels and boxes: what before a text says where it belongs, and whether it is done."""

import re
from typing import Literal

from memory.banks.markdown import folded
from memory.banks.types import Category

Box = Literal["open", "ticked"]

LONGEST = 60  # characters of a heading that may be a label

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
    "todo, still to do, not done, not done yet, to be done, action, action item, follow up, plan, backlog, pending, "
    "remaining, upcoming, open item, open point, open task, task, later, reminder",
    "issue": "issue, bug, problem, blocked, blocked by, blocked on, blocker, waiting, waiting for, waiting on, risk, "
    "not fixed",
    "focus": "focus, now, currently, right now, in progress, working on, wip, status, today, doing",
    "question": "question, unclear, unknown, tbd, to be decided, to decide, not decided, undecided, to clarify, open, "
    "left open, unresolved",
    "pattern": "pattern, convention, style, guideline",
    "preference": "preference",
    "reference": "reference, link, see also, documentation, further reading",
    "note": "note, side note, remark, fyi, nb, for the record, cancelled, canceled, dropped, withdrawn, abandoned, "
    "obsolete, no longer needed, not needed",
}
_TOPICS: dict[str, Category] = {label: category for category, labels in _LABELS.items() for label in labels.split(", ")}
_CANCELLED = frozenset({"cancelled", "canceled", "dropped", "withdrawn", "abandoned", "obsolete"}) | frozenset(
    {"no longer needed", "not needed"}
)
_DONE_BEHIND = re.compile(rf"[ \t]?:[ \t]{{1,8}}(?:{_LABELS['done'].replace(', ', '|')})$", re.IGNORECASE)
_LABEL = re.compile(
    r"""(?:(?:[-*+]|\d{1,3}[.)])[ \t]{1,8})?                # it may be an item of a list
    (?P<bold>\*\*|__)?(?P<label>[A-Za-z](?:[ -]?[A-Za-z]){0,39})
    (?:[ \t]?\([^()\n]{1,60}\))?                           # who, or when
    (?:\*\*|__)?[ \t]?(?:(?::|[–—-](?=[ \t]))(?:\*\*|__)?(?=\s|$)|(?(bold)(?=[ \t]*$)|(?!)))""",
    re.VERBOSE | re.MULTILINE,
)
UNTICKED = re.compile(r"(?<![^ \t\n])(?:\[ \](?=\s)|☐)")
_BOX = re.compile(r"(?:\[(?P<tick>[ xX✓✔])\](?=\s|$)|(?P<drawn>[☐☑✅]))[ \t]*")
_MARK = re.compile(  # a box makes an item of a line without a mark, too
    r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)|(?=\[[ xX✓✔]\](?:\s|$)|[☐☑✅]))"
)


def topic_of(label: str) -> Category | None:
    """What a label or a heading says that what stands under it is about; None where it is none that is known."""
    return _TOPICS.get(_bare(label)) if len(label) <= LONGEST else None


def label_of(text: str) -> Category | None:
    """What the label that a text begins with says of it."""
    label, _ = _split(text)
    return topic_of(label)


def behind_label(text: str) -> int:
    """Where what a text says begins, behind its label; its beginning where it has none that is known."""
    return _split(text)[1]


def is_cancelled(text: str) -> bool:
    """Whether the label that a text begins with says that it is not to be done any more."""
    return _bare(_split(text)[0]) in _CANCELLED


def without_done(text: str) -> str:
    """A text without what says behind its other words that this is done: "the tests: done"."""
    return _DONE_BEHIND.sub("", text, count=1)


def bare_label(text: str) -> str:
    """The label that a text is and nothing else, so that what follows it is what it speaks of; else empty."""
    label, end = _split(text)
    return label if not text[end:].strip() else ""


def _split(text: str) -> tuple[str, int]:
    """The known label that a text begins with, and where it ends; else empty, and 0."""
    found = _LABEL.match(text)
    return (found["label"], found.end()) if found is not None and _bare(found["label"]) else ("", 0)


def _bare(label: str) -> str:
    """A label as it stands in the table, in the singular; empty where it is none."""
    plain = folded(label.replace("-", " "))
    return next((known for known in (plain, plain.removesuffix("s")) if known in _TOPICS), "")


def is_item(text: str) -> bool:
    """Whether a text begins with an item of a list."""
    return _MARK.match(text) is not None


def box_of(text: str) -> Box | None:
    """The box that a text, or the item that it is, begins with; None where there is none."""
    found = _BOX.match(text, _behind_mark(text))
    if found is None:
        return None
    return "open" if found["tick"] == " " or found["drawn"] == "☐" else "ticked"


def behind_box(text: str) -> int:
    """Where an item's own words begin, behind its mark and its box."""
    at = _behind_mark(text)
    found = _BOX.match(text, at)
    return found.end() if found is not None else at


def with_tick(text: str) -> str:
    """A text, or the item that it is, with its box ticked; as it is where it has none that is open."""
    at, end = _behind_mark(text), behind_box(text)
    return text[:at] + text[at:end].replace("[ ]", "[x]").replace("☐", "☑") + text[end:]


def _behind_mark(text: str) -> int:
    found = _MARK.match(text)
    return found.end() if found is not None else 0
