"""Where in a bank does new content belong, by rules alone? Keywords and patterns, and files that the content names."""

import re
from collections.abc import Collection
from functools import lru_cache

from memory.bank_decisions import (
    CRITICAL,
    DEFAULT_SECTION,
    Append,
    Decision,
    Metadata,
    Replace,
    is_file_name,
    section_title,
)
from memory.bank_markdown import blocks, folded, title_in
from memory.bank_types import FILES, PLACES, BankType, Category, sections_of

SHOWN = 4_000  # characters of a block that are looked at: what it is about, it says at its beginning
MOST_FOUND = 12  # tags, dates, references that are kept of a block

# What speaks for a category, and how much. Words in a heading count twice.
_SIGNS: tuple[tuple[Category, float, str], ...] = (
    (
        "decision",
        3,
        r"\bwe (?:have )?(?:decided|chose|agreed|settled|opted|will go with|went with)\b|\bdecisions?\b(?!\.)",
    ),
    ("decision", 2, r"\b(?:decided|chose|chosen|opted|instead of|rationale|trade-?offs?|in favou?r of|rejected)\b"),
    ("architecture", 3, r"\barchitectur\w*|\bsystem design\b|\bcomponents?\b|\bmodules?\b|\bdata ?flow\b|\bschema\b"),
    ("architecture", 1, r"\b(?:layers?|services?|database|queue|endpoints?|api|pipeline|interfaces?)\b"),
    ("dependency", 3, r"\bdependenc(?:y|ies)\b|\bdepends on\b|\b(?:pip|npm|cargo) (?:install|add)\b|\bpackage version"),
    ("requirement", 3, r"\brequirements?\b|\buser stor(?:y|ies)\b|\bacceptance criteri|\bmust support\b|\bin scope\b"),
    (
        "constraint",
        3,
        r"\bconstraints?\b|\blimitations?\b|\bmust not\b|\bmay not\b|\bbudget\b|\bdeadline\b|\bout of scope\b",
    ),
    (
        "purpose",
        3,
        r"\b(?:purpose|mission|vision|goal of|project is|about this project|overview|i am|i work as|my name)\b",
    ),
    (
        "done",
        3,
        r"\b(?:done|completed|finished|implemented|shipped|merged|released|deployed|milestone reached)\b|\[x\]|✅",
    ),
    ("done", 2, r"\b(?:added|fixed|refactored|migrated|wrote|created|removed|upgraded|resolved|closes? #\d+)\b"),
    (
        "next",
        3,
        r"\bto-?do\b|\bnext steps?\b|\[ \]|\b(?:plan(?:ned|s)? to|remaining|upcoming|backlog|roadmap|follow-?ups?)\b",
    ),
    ("next", 1, r"\b(?:will|should|need(?:s)? to|going to|later)\b"),
    (
        "issue",
        3,
        r"\b(?:bug|issue|error|exception|crash\w*|regression|broken|fail(?:s|ed|ing|ure)|traceback|workaround)\b",
    ),
    ("focus", 3, r"\b(?:currently|right now|working on|in progress|current focus|today|this week|wip)\b"),
    ("question", 3, r"\bopen questions?\b|\bunclear\b|\bnot sure\b|\bto be decided\b|\btbd\b|\?\s*$"),
    (
        "pattern",
        3,
        r"\bpatterns?\b|\bconventions?\b|\bcoding style\b|\bstyle guide\b|\bnaming\b|\balways use\b|\bnever use\b",
    ),
    (
        "preference",
        3,
        r"\b(?:i|we|user) (?:prefer|like|want|dislike|hate)s?\b|\bpreferences?\b|\bplease always\b|\bplease never\b",
    ),
    ("reference", 2, r"\bsee also\b|\breferences?\b|\bdocs? at\b|\blinks?\b|https?://\S+"),
)
_TARGET = re.compile(
    r"""^\s*(?:\#{1,6}\s*)?(?:\[\s*)?                        # it may be a heading, or stand in brackets
    (?:(?:target[ _])?file\s*:\s*|@|→\s*|->\s*)?
    `?(?P<file>[A-Za-z0-9][\w-]{0,59}\.md)`?
    (?:\s*(?:\#|>|›|/|,\s*section:?)\s*(?P<section>[^\]\n:(]{1,120}?))?
    \s*(?P<replace>\(replace\))?\s*\]?
    \s*(?::[ \t]*(?P<rest>.*))?$""",
    re.IGNORECASE | re.VERBOSE,
)
_TAG = re.compile(r"\[(critical|important|decision|idea|risk|blocked|question)\]", re.IGNORECASE)
_HASHTAG = re.compile(r"(?<![\w&/#])#([A-Za-z][\w-]{1,40})\b")
_LISTED = re.compile(r"[-*+][ \t]+\S")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_REFERENCE = re.compile(
    r"https?://[^\s<>()\"'`]{4,200}|(?<![\w/])#\d{1,7}\b|\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b|(?<![\w/:])(?:[\w.-]+/)+[\w-]+\.\w{1,8}\b"
)


@lru_cache
def _compiled() -> tuple[tuple[Category, float, re.Pattern[str]], ...]:
    return tuple((category, weight, re.compile(sign, re.I | re.M)) for category, weight, sign in _SIGNS)


def decide_by_rules(kind: BankType, content: str) -> list[Decision]:
    """Where each block of a text belongs, in order; blocks one after the other that belong together are one. A line
    that names a file (`decisions.md:`, `[file: notes.md > Ideas]`, `## progress.md`) says it for all that follows; a
    file that is not there yet is made. Nothing of the text is left out but such lines."""
    decisions: list[Decision] = []
    target: tuple[str, str | None, bool] | None = None
    for block in _pieces(content):
        first, _, rest = block.partition("\n")
        named = _target(first)
        if named is not None:
            target, said = named
            block = "\n".join(part for part in (said, rest) if part.strip()).strip("\n")
            if not block:
                continue
        decision = _decided(kind, block, target)
        if target is not None and target[2]:
            target = (target[0], target[1], False)  # what follows is added to what replaced
        last = decisions[-1] if decisions else None
        if isinstance(decision, Append) and last is not None and _together(last, decision):
            merged = f"{last.content}\n\n{decision.content}"
            decisions[-1] = type(last)(last.target_file, merged, _with(last.metadata, decision.metadata))
        else:
            decisions.append(decision)
    return decisions


def category_of(text: str) -> Category:
    """What a text is about: the category for which most speaks; a note where nothing does."""
    title, body = title_in(text[:SHOWN])
    scores: dict[Category, float] = {}
    for category, weight, sign in _compiled():
        found = 2 * weight * bool(title and sign.search(title)) + weight * min(3, len(sign.findall(body)))
        if found:
            scores[category] = scores.get(category, 0.0) + found
    return max(scores, key=lambda one: scores[one]) if scores else "note"


def metadata_of(text: str, section: str, category: str) -> Metadata:
    """What patterns tell of a text: its tags, dates, and what it refers to."""
    tags = [tag.lower() for tag in (*_TAG.findall(text), *_HASHTAG.findall(text))]
    return Metadata(
        section,
        category,
        tuple(dict.fromkeys(tags))[:MOST_FOUND],
        tuple(dict.fromkeys(_DATE.findall(text)))[:MOST_FOUND],
        tuple(dict.fromkeys(_REFERENCE.findall(text)))[:MOST_FOUND],
    )


def is_critical(text: str) -> bool:
    """Whether a text has the tag that keeps it."""
    return any(tag.lower() == CRITICAL for tag in _TAG.findall(text)) or any(
        tag.lower() == CRITICAL for tag in _HASHTAG.findall(text)
    )


def _decided(kind: BankType, block: str, target: tuple[str, str | None, bool] | None) -> Decision:
    category = category_of(block)
    file, section = PLACES[kind][category]
    title, _ = title_in(block)
    if target is not None:
        file, wanted, replaces = target
        known = sections_of(kind, file)
        default = DEFAULT_SECTION if DEFAULT_SECTION in known or not known else known[0]
        section = wanted or _known_section(title, known) or (section if section in known else default)
        if replaces and wanted:
            return Replace(file, block, metadata_of(block, section_title(section), category))
    else:
        for one in FILES[kind]:  # a heading that is a section's name says where
            if title and (named := _known_section(title, one.sections)):
                file, section = one.name, named
                break
    return Append(file, block, metadata_of(block, section_title(section), category))


def _pieces(content: str) -> list[str]:
    """What is put into files one by one: blocks, and the items of a list that stands under no heading."""
    pieces: list[str] = []
    for block in blocks(content, lambda line: _target(line) is not None):
        lines = block.split("\n")
        pieces += lines if len(lines) > 1 and all(_LISTED.match(line) for line in lines) else [block]
    return pieces


def _known_section(title: str, sections: Collection[str]) -> str | None:
    return next((one for one in sections if folded(one) == folded(title)), None)


def _target(line: str) -> tuple[tuple[str, str | None, bool], str] | None:
    """The file, section, and whether to replace it, that a line names, and what else the line says."""
    found = _TARGET.match(line)
    if found is None or not is_file_name(found["file"].lower()):
        return None
    section = found["section"].strip() if found["section"] else None
    return (found["file"].lower(), section, bool(found["replace"])), (found["rest"] or "").strip()


def _together(last: Decision, following: Append) -> bool:
    return (
        last.target_file == following.target_file
        and folded(last.metadata.section) == folded(following.metadata.section)
        and not title_in(following.content)[0]
        and not ("\n" not in last.content and _LISTED.match(following.content))
    )


def _with(one: Metadata, other: Metadata) -> Metadata:
    def both(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*first, *second)))[:MOST_FOUND]

    return Metadata(
        one.section,
        one.category,
        both(one.tags, other.tags),
        both(one.dates, other.dates),
        both(one.references, other.references),
    )
