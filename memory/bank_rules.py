"""Where in a bank does new content belong, by rules alone? Keywords and patterns, and files that the content names."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import lru_cache

from memory.bank_decisions import (
    CRITICAL,
    DEFAULT_SECTION,
    MOST_FOUND,
    Append,
    Decision,
    Metadata,
    Replace,
    both,
    is_file_name,
    section_title,
)
from memory.bank_markdown import blocks, folded, paragraphs, title_in
from memory.bank_types import FILES, PLACES, BankType, Category, sections_of
from memory.left_open import OPEN
from utils.text import split_sentences

UNSETTLED = 4.0  # for an open question speaks that something is not decided
SHOWN = 4_000  # characters of a block that are looked at: what it is about, it says at its beginning

# What speaks for a category, and how much. Words in a heading count twice.
_SIGNS: tuple[tuple[Category, float, str], ...] = (
    (
        "decision",
        3,
        r"\bwe (?:have )?(?:decided|chose|agreed|settled|opted|will go with|went with)\b|\bdecisions?\b(?!\.)",
    ),
    ("decision", 2, r"\b(?:decided|chose|chosen|opted|instead of|rationale|trade-?offs?|in favou?r of|rejected)\b"),
    (
        "decision",
        3,
        r"\bno longer (?:uses?|using|need|rely|support)\b|\b(?:replaced|superseded) (?:by|with)\b"
        r"|\bswitch(?:ed|ing)? (?:from|over to)\b",
    ),
    ("architecture", 3, r"\barchitectur\w*|\bsystem design\b|\bcomponents?\b|\bmodules?\b|\bdata ?flow\b|\bschema\b"),
    ("architecture", 1, r"\b(?:layers?|services?|database|queue|endpoints?|api|pipeline|interfaces?)\b"),
    (
        "architecture",
        2,
        r"\b(?:front-?end|back-?end|tech(?:nology)? stack|frameworks?|runtime|monorepo|microservices?)\b"
        r"|\b(?:written in|built (?:with|on|in)|runs on|hosted on)\b",
    ),
    ("architecture", 1, r"\b(?:we|it|app|project|server|client) uses?\b"),
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
        "done",
        4,
        r"\b(?:fixed|resolved|solved|closed)\b[^.\n]{0,60}\b(?:bugs?|issues?|errors?|crash\w*|exceptions?|regressions?)\b"
        r"|\b(?:bugs?|issues?|errors?|crash\w*|exceptions?|regressions?)\b[^.\n]{0,60}"
        r"\b(?:is|are|was|were|has been|have been|got) (?:now )?(?:fixed|resolved|solved|closed)\b",
    ),
    (
        "next",
        3,
        r"\bto-?do\b|\bnext steps?\b|\[ \]|\b(?:plan(?:ned|s)? to|remaining|upcoming|backlog|roadmap|follow-?ups?)\b",
    ),
    ("next", 1, r"\b(?:will|should|need(?:s)? to|going to|later)\b"),
    ("next", 4, r"\b(?:do not|don['’]t|never) forget\b"),
    (
        "issue",
        3,
        r"\b(?:bug|issue|error|exception|crash\w*|regression|broken|fail(?:s|ed|ing|ure)|traceback|workaround)\b",
    ),
    ("focus", 3, r"\b(?:currently|right now|working on|in progress|current focus|wip)\b"),
    ("focus", 1, r"\b(?:today|this week)\b"),
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
    (
        "preference",
        3,
        r"\b(?:prefers|dislikes|hates)\b|^(?:[-*+] +)?(?:please )?(?:do not|don['’]t|never|always|avoid)\b",
    ),
    ("reference", 2, r"\bsee also\b|\breferences?\b|\bdocs? at\b|\blinks?\b|https?://\S+"),
)
# A line that names a file. Each part takes all that it can and gives nothing back, so that no line takes long.
_TARGET = re.compile(
    r"""^\s*+(?:\#{1,6}+\s*+)?+(?:\[\s*+)?+(?:\*\*)?+           # it may be a heading, or stand in brackets
    (?:(?:target[ _])?+file\s*+:\s*+|@|→\s*+|->\s*+)?+
    `?+(?P<file>[A-Za-z0-9][\w-]{0,59}+\.md)`?+
    (?:\s*+(?:\#|>|›|/|,\s*+section:?+)\s*+(?P<section>[^\]\n:(*`]{1,120}+))?+
    \s*+(?P<within>\(replace\))?+\s*+[*`]{0,2}+\s*+\]?+\s*+(?P<behind>\(replace\))?+\s*+
    (?::[ \t]*+(?P<after>\(replace\):?+)?+(?:\*\*(?!\S))?+[ \t]*+(?P<rest>.*+))?+$""",
    re.IGNORECASE | re.VERBOSE,
)
_TAG = re.compile(r"\[(critical|important|decision|idea|risk|blocked|question)\]", re.IGNORECASE)
_HASHTAG = re.compile(r"(?<![\w&/#])#([A-Za-z][\w-]{1,40})\b")
_LISTED = re.compile(r"[-*+][ \t]+\S")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_REFERENCE = re.compile(
    r"https?://[^\s<>()\"'`]{4,200}|(?<![\w/])#\d{1,7}\b|\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b|(?<![\w/:.-])(?:[\w.-]++/)++[\w-]++\.\w{1,8}\b"
)


@lru_cache
def _compiled() -> tuple[tuple[Category, float, re.Pattern[str]], ...]:
    return tuple((category, weight, re.compile(sign, re.I | re.M)) for category, weight, sign in _SIGNS)


def decide_by_rules(kind: BankType, content: str) -> list[Decision]:
    """Where each block of a text belongs, in order; blocks one after the other that belong together are one. A line
    that names a file (`decisions.md:`, `[file: notes.md > Ideas]`, `## progress.md`) says it for all that follows; a
    file that is not there yet is made. Nothing of the text is left out but such lines."""
    runs: list[_Run] = []
    target: _Target | None = None
    for block in _pieces(content):
        first, _, rest = block.partition("\n")
        named = _target(first)
        if named is not None:
            target, said = named
            block = "\n".join(part for part in (said, rest) if part.strip()).strip("\n")
            if not block:
                continue
        for part, category in _apart(kind, block) if target is None else _in_file(kind, block, target):
            decision = _decided(kind, part, category, target)
            if runs and isinstance(decision, Append) and runs[-1].takes(decision):
                runs[-1].add(decision)
            else:
                runs.append(_Run(decision, [decision.content]))
    return [run.whole() for run in runs]


def category_of(text: str) -> Category:
    """What a text is about: the category for which most speaks; a note where nothing does."""
    title, body = title_in(text[:SHOWN])
    settled, left_open = OPEN.subn(" ", body)
    if body.rstrip().endswith("?"):
        settled = " ".join(split_sentences(settled)[:-1])
    scores: dict[Category, float] = {"question": UNSETTLED} if left_open else {}
    for category, weight, sign in _compiled():
        said = settled if category == "decision" else body
        found = 2 * weight * bool(title and sign.search(title)) + weight * min(3, len(sign.findall(said)))
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
        tuple(dict.fromkeys(_REFERENCE.findall(text[:SHOWN])))[:MOST_FOUND],
    )


def is_critical(text: str) -> bool:
    """Whether a text has the tag that keeps it."""
    return any(tag.lower() == CRITICAL for tag in _TAG.findall(text)) or any(
        tag.lower() == CRITICAL for tag in _HASHTAG.findall(text)
    )


@dataclass(frozen=True)
class _Target:
    """Where content says that it belongs. `section`: None for the one of the file that suits. `replaces`: it takes the
    place of what stands there; `replaced`: in which sections it has done so, where what follows is added."""

    file: str
    section: str | None
    replaces: bool
    replaced: set[str] = field(default_factory=set)


@dataclass
class _Run:
    """Content that goes to one place, in parts."""

    decision: Decision
    parts: list[str]

    def takes(self, following: Append) -> bool:
        mine = self.decision
        is_line = len(self.parts) == 1 and "\n" not in self.parts[0]
        return (
            mine.target_file == following.target_file
            and folded(mine.metadata.section) == folded(following.metadata.section)
            and not title_in(following.content)[0]
            and not (is_line and _LISTED.match(following.content))
        )

    def add(self, following: Append) -> None:
        self.parts.append(following.content)
        self.decision = replace(self.decision, metadata=both(self.decision.metadata, following.metadata))

    def whole(self) -> Decision:
        return replace(self.decision, content="\n\n".join(self.parts))


def _decided(kind: BankType, block: str, category: Category, target: _Target | None) -> Decision:
    file, section = PLACES[kind][category]
    title, body = title_in(block)
    if target is not None:
        file = target.file
        known = sections_of(kind, file)
        default = DEFAULT_SECTION if DEFAULT_SECTION in known or not known else known[0]
        headed = _known_section(title, known)
        section = target.section or headed or (section if section in known else default)
        if target.replaces and folded(section) not in target.replaced:
            target.replaced.add(folded(section))
            said = body if body.strip() and title and folded(title) == folded(section) else block
            return Replace(file, said, metadata_of(block, section_title(section), category))
    elif place := _section_called(kind, title):
        file, section = place
    return Append(file, block, metadata_of(block, section_title(section), category))


def _pieces(content: str) -> list[str]:
    """What is put into files one by one: blocks, and the items of a list that stands under no heading."""
    return [piece for block in blocks(content, lambda line: _target(line) is not None) for piece in _listed(block)]


def _listed(block: str) -> list[str]:
    """The items of a list of lines; else the block."""
    lines = block.split("\n")
    return lines if len(lines) > 1 and all(_LISTED.match(line) for line in lines) else [block]


def _apart(kind: BankType, block: str) -> list[tuple[str, Category]]:
    """A block, or what stands under a heading one by one where it belongs to several places and the heading to none:
    each paragraph and item of a list, the heading with the first, each with what it is about under that heading."""
    whole = [(block, category_of(block))]
    title, body = title_in(block)
    if not title or _section_called(kind, title):
        return whole
    parts = [part for paragraph in paragraphs(body) for part in _listed(paragraph)]
    found = [(part, category_of(f"# {title}\n{part}")) for part in parts]
    if len({PLACES[kind][category] for _, category in found}) < 2:
        return whole
    (first, category), *others = found
    return [(f"{block.partition(chr(10))[0]}\n\n{first}", category), *others]


def _in_file(kind: BankType, block: str, target: _Target) -> list[tuple[str, Category]]:
    """A block for a file, or the items of its list one by one where they belong into several sections of it."""
    parts = [(part, category_of(part)) for part in _listed(block)]
    if (
        target.section is None
        and not target.replaces
        and len({_decided(kind, *part, target).metadata.section for part in parts}) > 1
    ):
        return parts
    return [(block, category_of(block))]


def _section_called(kind: BankType, title: str) -> tuple[str, str] | None:
    """The file that has a section of this title, and the section."""
    for one in FILES[kind]:
        if title and (named := _known_section(title, one.sections)):
            return one.name, named
    return None


def _known_section(title: str, sections: Collection[str]) -> str | None:
    return next((one for one in sections if folded(one) == folded(title)), None)


def _target(line: str) -> tuple[_Target, str] | None:
    """Where a line says that what follows belongs, and what else it says."""
    found = _TARGET.match(line)
    if found is None or not is_file_name(found["file"].lower()):
        return None
    section = (found["section"] or "").strip() or None
    replaces = any(found[name] for name in ("within", "behind", "after"))
    return _Target(found["file"].lower(), section, replaces), (found["rest"] or "").strip()
