"""What is a piece of content about, by rules alone? Its label says it, such as "Next:", or else the words in it do."""

import re
from functools import lru_cache

from memory.banks.labels import asked_to_drop, label_of, topic_of
from memory.banks.lists import UNTICKED, box_of
from memory.banks.markdown import prose_of, title_in
from memory.banks.types import Category
from memory.banks.undone import has_open_row, without_undone
from memory.language.left_open import OPEN
from utils.sentences import split_sentences
from utils.text import WORD, content_stems

UNSETTLED = 4.0  # for an open question speaks that something is not decided
UNDONE = 4.0  # and for what is next, or an issue, each time that something is not done, or not mended
TITLED = 6.0  # for the category that a heading names speaks as much as a heading that has a strong word for it
_CLAUSE_END = re.compile(r"[,;.\n]|\bbut\b|\s[-–—]\s")
_ASKS = re.compile(r"\?[\"'”)*_]{0,4}(?:\s+(?:\[\w+\]|#\w+)){0,4}\s*$")
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
        r"\b(?:let['’]s|let us|we['’]ll|we will)(?: not)? "
        r"(?:use|adopt|keep|go with|stay with|stick (?:with|to)|switch to)\b",
    ),
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
    ("requirement", 3, r"(?<!\bdo )\bwe (?:all )?(?:want|need(?! to))\b|\bwe(?:['’]d| would) like\b"),
    ("requirement", 3, r"\brequirements?\b|\buser stor(?:y|ies)\b|\bacceptance criteri|\bmust support\b|\bin scope\b"),
    (
        "constraint",
        3,
        r"\bconstraints?\b|\blimitations?\b|\bmust not\b|\bmay not\b|\bbudget\b|\bdeadline\b|\bout of scope\b",
    ),
    (
        "purpose",
        3,
        r"\b(?:the|our|its|my)(?: \w+)? (?:goal|aim|objective)s?\b|\b(?:goal|aim|objective)s? (?:is|are)\b"
        r"|\b(?:purpose|mission|vision|goal of|project is|about this project|overview|i am|i work as|my name)\b",
    ),
    ("done", 3, r"\b(?:done|completed|finished|implemented|shipped|merged|released|deployed|milestone reached)\b"),
    ("done", 5, r"\[x\]|✅"),
    (
        "done",
        2,
        r"\b(?:is|are|was|were|been|got) (?:now |all |fully |finally |already )?"
        r"(?:done|completed?|finished|implemented|shipped|merged|released|deployed|ready)\b",
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
        r"\bto-?do\b|\bnext steps?\b|\b(?:plan(?:ned|s)? to|remaining|upcoming|backlog|roadmap|follow-?ups?)\b",
    ),
    ("next", 5, r"\[ \]"),
    ("next", 2, r"\blet(?:['’]s| us)\b"),
    ("next", 1, r"\b(?:will|should|need(?:s)? to|going to|later)\b"),
    (
        "next",
        2,
        r"\b(?:will|should|must|to) be (?:\w+ly )?(?:done|completed|finished|implemented|shipped|merged|tested)\b",
    ),
    ("next", 4, r"\b(?:do not|don['’]t|never) forget\b|\bremind (?:me|us)\b|\bremember to\b"),
    (
        "next",
        3,
        r"(?<!nothing )\b(?:is|are) (?:still )?left(?=[ \t]*(?:[.,;:!)\n]|$|to do\b|over\b))|\bleft to (?:do|be done)\b"
        r"|\bstill (?:open|missing|outstanding|to do|to be)\b|\bremains? (?:open|to be)\b",
    ),
    (
        "issue",
        3,
        r"\b(?:bug|issue|error|exception|crash\w*|regression|broken|fail(?:s|ed|ing|ure)|traceback|workaround)\b",
    ),
    ("issue", 2, r"\b(?:crashes|fails|hangs|breaks|times out)\b"),
    ("issue", 3, r"\bblocked (?:by|on|until)\b|\bblockers?\b|\bwaiting (?:for|on)\b"),
    ("focus", 3, r"\b(?:currently|right now|working on|in progress|current focus|wip)\b"),
    ("focus", 1, r"\b(?:today|this week)\b"),
    ("question", 3, r"\bopen questions?\b|\bunclear\b|\bnot sure\b|\bto be decided\b|\btbd\b"),
    (
        "pattern",
        3,
        r"\bpatterns?\b|\bconventions?\b|\bcoding style\b|\bstyle guide\b|\bnaming\b|\balways use\b|\bnever use\b",
    ),
    (
        "preference",
        3,
        r"\b(?:i|user) wants?\b|\b(?:i|we|user) (?:prefer|like|dislike|hate)s?\b|\bpreferences?\b"
        r"|\bplease always\b|\bplease never\b",
    ),
    (
        "preference",
        4,
        r"\b(?:prefers|dislikes|hates)\b|^(?:[-*+] +)?(?:please )?(?:do not|don['’]t|never|always|avoid)\b",
    ),
    ("reference", 2, r"\bsee also\b|\breferences?\b|\bdocs? at\b|\blinks?\b|https?://\S+"),
)


def _decides(text: str) -> bool:
    """Whether what begins with the label of a decision decides something, whatever it leaves open behind that."""
    said = _CLAUSE_END.split(text.partition(":")[2], maxsplit=1)[0]
    return OPEN.search(said) is None and bool(content_stems(said))


def _only_asks(text: str) -> bool:
    """Whether each sentence of a text asks something, whatever words stand in it; tags may stand behind the last."""
    if _ASKS.search(text) is None:
        return False
    *before, _ = split_sentences(_ASKS.sub("?", text))
    return all(one.endswith("?") for one in before)


@lru_cache
def _compiled() -> tuple[tuple[Category, float, re.Pattern[str]], ...]:
    return tuple((category, weight, re.compile(sign, re.I | re.M)) for category, weight, sign in _SIGNS)


def category_of(text: str) -> Category:
    """What a text is about: what its box or its label says, a question where it asks and does nothing else, else the
    category for which most of what it states speaks; a note where nothing does. Code beside words says nothing."""
    return _category_of(text[:SHOWN])


@lru_cache(maxsize=1_024)  # each is asked for several times, one soon after the other
def _category_of(text: str) -> Category:
    title, body = title_in(text)
    body = prose_of(body) or body
    box = box_of(body)
    if box == "ticked":
        return "done"
    if (label := label_of(body)) is not None:
        return "question" if label == "decision" and OPEN.search(body) and not _decides(body) else label
    if asked_to_drop(body) is not None:
        return "note"
    if box is None and topic_of(title) is None and _only_asks(body):
        return "question"
    stated = _stated(body)
    scores = _scores(title, stated) or (_only_about(_scores(title, body)) if stated != body else {})
    if box == "open":  # what is to be done is no decision, and done least of all
        scores = {one: scores.get(one, 0.0) for one in ("next", "issue")}
    elif has_open_row(body):
        scores["next"] = scores.get("next", 0.0) + scores.pop("done", 1.0)
    elif UNTICKED.search(body):
        scores.pop("done", None)
    return max(scores, key=lambda one: scores[one]) if scores else "note"


def _only_about(scores: dict[Category, float]) -> dict[Category, float]:
    """What a question speaks for: what it asks is neither settled nor done by that."""
    return {one: much for one, much in scores.items() if one not in ("decision", "done", "question")}


def _stated(text: str) -> str:
    """A text without what it asks, unless it does nothing else."""
    said = text
    for sentence in split_sentences(text) if "?" in text else ():
        if sentence.endswith("?"):
            said = said.replace(sentence, " ", 1)
    return said if WORD.search(said) else text


def _scores(title: str, body: str) -> dict[Category, float]:
    """How much speaks for each category, in a heading and in what stands under it."""
    settled, left_open = OPEN.subn(" ", body)
    finished, undone, unmended = without_undone(body)
    named = without_undone(title)[0] if title else ""
    scores: dict[Category, float] = {"question": UNSETTLED} if left_open else {}
    scores |= {"next": UNDONE * undone} if undone else {}
    scores |= {"issue": UNDONE * unmended} if unmended else {}
    if (topic := topic_of(title)) is not None:
        scores[topic] = scores.get(topic, 0.0) + TITLED
    for category, weight, sign in _compiled():
        if category == "done" and (undone or unmended):
            continue
        said = {"decision": settled, "done": finished}.get(category, body)
        head = named if category == "done" else title
        found = 2 * weight * bool(head and sign.search(head)) + weight * min(3, len(sign.findall(said)))
        if found:
            scores[category] = scores.get(category, 0.0) + found
    return scores
