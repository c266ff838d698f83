"""Which words before a colon say what follows is about, and where in a paragraph do such labels stand?"""

import re
from functools import lru_cache

from memory.banks.lists import is_item
from memory.banks.markdown import folded, prose_to
from memory.banks.types import Category
from utils.sentences import split_sentences

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
# "Remove the to-do about the keys; it is obsolete.", but not "Remove tasks for users that were deleted."
_THING = r"to-?[ ]?dos?|tasks?|reminders?|(?:open|action|to-?do)[ ]items?"
_REQUEST = re.compile(
    rf"""(?:[-*+][ \t]{{1,8}})?(?:please[ ])?(?:remove|delete|drop|cancel|strike|cross[ ]off|take[ ]off)[ ]
    (?:(?:the|my|our)[ ](?:{_THING})[ ]?(?:about|for|on|to|called|named|saying)[ ]|
    (?:(?:the|my|our)[ ])?(?:{_THING})[ ]?(?::[ ]?|(?=["“'‘`])))(?P<what>[^.,;!?\n]{{1,200}})""",
    re.VERBOSE | re.IGNORECASE,
)
_DONE_BEHIND = re.compile(
    rf"(?:[ \t]?[:–—-][ \t]{{1,8}}|[ \t](?:is|are|was|were|has been|have been)[ \t](?:now |all |already )?)"
    rf"(?:{_LABELS['done'].replace(', ', '|')})$|[ \t]?\((?:{_LABELS['done'].replace(', ', '|')})\)$|[ \t]?[✓✔☑✅]$",
    re.IGNORECASE,
)
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
    """A text without what says behind its other words that this is done: "the tests: done", "the tests are done"."""
    return _DONE_BEHIND.sub("", text, count=1)


def asked_to_drop(text: str) -> str | None:
    """What a text calls the open item that it asks to remove; None where it asks for nothing of the kind."""
    found = _REQUEST.match(text)
    return found["what"] if found is not None else None


def is_label(text: str) -> bool:
    """Whether a text is a label and nothing else, so that what follows it is what it speaks of."""
    found = _LABEL.match(text)
    return found is not None and topic_of(found["label"]) is not None and not text[found.end() :].strip()


def leads_to_list(text: str) -> bool:
    """Whether a text is a list behind a line that says what the list is of: a label alone, or one that ends in a
    colon."""
    first, _, rest = text.partition("\n")
    says_of_it = is_label(first) or (first.rstrip().endswith(":") and len(split_sentences(first)) == 1)
    return says_of_it and is_item(rest.lstrip("\n"))


def labelled(paragraph: str) -> list[str]:
    """The parts of a paragraph, of which each but the first begins with a label: of a line, or of a sentence, which has
    a capital then. What is in code is none, nor is a note, which belongs to what stands before it, but for
    what is cancelled. Where there is no label yet, a request to remove a to-do begins a part, too. O(n)."""
    cuts, seen, under = [0], 0, label_of(paragraph) is not None
    for place in _MAY_BEGIN.finditer(paragraph, 0, prose_to(paragraph)):
        at = place.end()
        found = _LABEL.match(paragraph, at) if at >= seen else None
        if found is not None and _tells_apart(found["label"]):
            cuts.append(at)
            seen, under = found.end(), True
        elif not under and at and _asks_at(paragraph, at):
            cuts.append(at)
    return _cut(paragraph, cuts)


def labelled_lines(listed: str) -> list[str]:
    """The parts of a list, of which each but the first begins with a line that has a label, is no item and does not
    stand further right, so that it belongs to none. O(n)."""
    cuts, at, end = [0], 0, prose_to(listed)
    for line in listed[:end].split("\n"):
        found = None if is_item(line) else _LABEL.match(line)
        if at and found is not None and _tells_apart(found["label"]):
            cuts.append(at)
        at += len(line) + 1
    return _cut(listed, cuts)


def _tells_apart(label: str) -> bool:
    return topic_of(label) not in (None, "note") or _bare(label) in _CANCELLED


def _asks_at(paragraph: str, at: int) -> bool:
    """Whether a sentence that begins here, and is not the rest of one, asks to remove something."""
    begins = paragraph[at].isupper() or paragraph[max(0, at - 3) : at].rstrip()[-1:] in (*".!?",)
    return begins and not is_item(paragraph[at : at + 3]) and _REQUEST.match(paragraph, at) is not None


def _cut(text: str, cuts: list[int]) -> list[str]:
    ends = [*cuts[1:], len(text)]
    return [part for at, end in zip(cuts, ends, strict=True) if (part := text[at:end].rstrip())]


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
