"""Which note is a sentence of an output by its words, and which line is a value under a name?"""

import re

from memory.language.left_open import OPEN
from memory.observations.observation import Category
from memory.recall import asked

LONGEST = 400  # characters of a sentence that may be a note
FEWEST = 3  # terms that say something, in a note that can be understood alone
FEWEST_OF_LESSON = 2  # "Never retry payments."
MOST_KEY_WORDS = 4  # of a name before its value

_LESSON = re.compile(
    r"^(?:always|never(?! mind)|avoid|beware|do not|don['’]t|make sure|be sure|prefer|next time|in future|"
    r"in the future|remember to|tip|lesson)\b|\b(?:learn(?:ed|t) that|lessons? learn(?:ed|t)|next time|"
    r"should have|must not|should (?:always|never|not|avoid)|is best to|important to|avoid (?:using|the|this|it))\b",
    re.IGNORECASE,
)
_INSIGHT = re.compile(
    r"\b(?:decided|decision|conclu(?:de|ded|des|sion)|therefore|hence|because|due to|root cause|suggests?|indicates?|"
    r"implies|means that|turns out|key insight|recommend(?:ed|s)?|(?:will|should) use|agreed|chose|better|worse|"
    r"simpler|faster|slower|safer|cheaper|easier|likely|probably|instead of|rather than|trade-?off)\b",
    re.IGNORECASE,
)
_FINDING = re.compile(
    r"\b(?:is|are|was|were|isn['’]t|aren['’]t|has|have|had|uses?|runs?|returns?|requires?|supports?|contains?|allows?|"
    r"needs?|found|shows?|lives|listens|expires?|defaults?|fails?|lacks?|takes?|took|costs?|stores?|depends?|exists?|"
    r"equals?|grew|fell|rose|broke|lost|won|beat|hit|ran|held|kept|gave|sent|became|began|came|went|met|"
    r"will|\w{2,}ed)\b",
    re.IGNORECASE,
)
_DONE = re.compile(r"^[A-Z][\w.-]+ (?:will|\w{2,}ed|grew|fell|rose|broke|lost|won|beat|hit|ran|held|became|went)\b")
_DOING = re.compile(r"^\w+ed\b")  # "Checked the DNS" says what a step did, not what came to light
_ANYBODY = re.compile(
    r"^(?:(?:every|any|some|no)(?:thing|one|body)|nothing|it|this|that|i|we|you|he|she|they)\b", re.IGNORECASE
)
_EACH = re.compile(r"^(?:all|any|both|each|every|most|neither|no|none of)\s+[^\W\d_]{3,}", re.IGNORECASE)
_PROGRESS = re.compile(
    r"^(?:i['’]?ll|i will|i am going|i['’]m going|let me|let['’]s|we will|now i|next,? i|starting|running|checking|"
    r"looking|trying|here (?:is|are)|this is|that is|it is|it['’]s|sure|okay|ok|done|great|thanks?|please|hello|hi|"
    r"step \d+|\[?\d+/\d+\]?)\b|(?:\.\.\.|…)$",
    re.IGNORECASE,
)
_TRUTH = re.compile(
    r"^(?:it|this|that) (?:is|was) (?:not |now )?(?:\w+ly )?(?:true|false|known|clear|confirmed|certain) that\b", re.I
)
_TO_DO = re.compile(
    r"^(?:then |also |and |now )?(?:ask|check|see|try|contact|ping|look|open|click|run|go|talk|call|email|read|"
    r"consider|review|verify|confirm|investigate|add|create|fix|update|rename|remove|move|install|tell|write|send|"
    r"schedule)\s",
    re.IGNORECASE,
)
_HEDGED = re.compile(r"\b(?:maybe|perhaps|possibly)\b", re.IGNORECASE)  # nobody has learned that yet
_REPORTED = re.compile(
    r"\b(?:ask(?:s|ed|ing)?|wonder(?:s|ed|ing)?|want(?:s|ed)? to know|unclear|unknown|unsure|not sure|not clear|"
    r"not know|no idea)\b.*\b(?:whether|if|who|what|when|where|why|how|which)\b"
    rf"|n['’]t know\b|{_HEDGED.pattern}",
    re.IGNORECASE,
)
# What is only supposed: "If it used OAuth2, we would need an id."
_SUPPOSED = re.compile(
    r"\bif\b.*\b(?:would|could|might)\b|\b(?:would|could|might)\b.*\bif\b"
    r"|^(?:had|were|should)\b.*\b(?:would|could|might)\b"
    r"|^(?:what if|suppose|supposing|assuming|imagine|hypothetically|hypothes[ei]s|assumptions?)\b",
    re.IGNORECASE,
)
# What was looked for and is not so, or not there.
_NEGATED = re.compile(
    r"\b(?:did not|didn['’]t|could not|couldn['’]t) (?:find|see|observe|detect|reproduce)\b"
    r"|\b(?:was|were|is|are)(?: not|n['’]t) (?:caused|used|needed|required|affected|supported|enabled|set|reachable|"
    r"installed)\b|\bnever \w{2,}ed\b",
    re.IGNORECASE,
)
_MEASURED = re.compile(r"[€$£¥₹]\s?\d|\d[\d.,:]*\s?(?:%|‰|°|[^\W\d_])|\d[.,]\d|(?:[^\W\d_]+ ){3}\d{2,}\b")
_NAMED = re.compile(r"^(?P<key>[^\W\d_][^:：=|]{0,60}?)\s*(?:[:：]|\s=)\s*(?P<value>\S.{0,200})$")
_LISTING = re.compile(
    r"^[-dlbcps][rwxsStT-]{9}|^\S*,\S*,\S*$|[;{]$|^(?:import|from|def|class|return|const|let|var|func|fn|use)\s"
)
_PAIR = re.compile(r"\d[\d.,]* [!-~]+$")  # "140 b.txt"
_SWITCH = re.compile(
    r"(?:on|off|true|false|yes|no|enabled|disabled|up|down|online|offline|(?:un)?healthy|degraded|(?:un)?available|"
    r"(?:un)?reachable|(?:in)?active|running|stopped|(?:not )?ready|passing|passed|failing|failed|ok)$",
    re.IGNORECASE,
)
_STATE = re.compile(r"(?:status|state|result|verdict|outcome|health|severity)$", re.IGNORECASE)


def category_of(sentence: str) -> Category | None:
    """Which note a sentence is by itself; None where it is none."""
    if len(sentence) > LONGEST or sentence.endswith(("?", "？", "؟", ":", "：")):
        return None
    terms = len(asked(sentence))
    if terms >= FEWEST_OF_LESSON and _LESSON.search(sentence) and not _HEDGED.search(sentence):
        return "lesson"
    if terms < FEWEST:
        return None
    is_truth = _TRUTH.match(sentence) is not None
    if _PROGRESS.search(sentence) and not is_truth:
        return None
    if _INSIGHT.search(settled := OPEN.sub(" ", sentence)):
        return "insight"
    if settled != sentence:  # a decision that is left open
        return None
    if _TO_DO.match(sentence) or _REPORTED.search(sentence) or _SUPPOSED.search(sentence):
        return None
    if is_truth or _is_measured(sentence) or _NEGATED.search(sentence):
        return "finding"
    if not _FINDING.search(_DOING.sub("", sentence)) or is_row(sentence):
        return None
    return "finding" if _EACH.match(sentence) or _names_something(sentence) else None


def _names_something(sentence: str) -> bool:
    """Whether it has a number, a name or a thing of code in it, behind its first word, or says what somebody named
    did."""
    return (
        any(word[:1].isupper() or re.search(r"\d|[./_`]\w", word) for word in sentence.split()[1:])
        or re.match(r"[A-Z0-9]{2,}\b|`|\w*\d|\w{2,}[._]\w{2,}", sentence) is not None
        or (_DONE.match(sentence) is not None and _ANYBODY.match(sentence) is None)
    )


def _is_measured(sentence: str) -> bool:
    """Whether something is said with a number in it, in any language."""
    is_said = _MEASURED.search(sentence) is not None and _LISTING.search(sentence) is None
    return is_said and _PAIR.match(sentence) is None and not is_row(sentence)


def is_row(sentence: str) -> bool:
    """Whether it has more numbers than words."""
    numbers = sum(any(map(str.isdigit, word)) for word in sentence.split())
    letters = sum(any(map(str.isalpha, word)) and not any(map(str.isdigit, word)) for word in sentence.split())
    return letters < numbers and sentence.isascii()


def is_request(sentence: str) -> bool:
    """Whether somebody only says what to do or what goes on, thanks or agrees."""
    return _PROGRESS.search(sentence) is not None or _TO_DO.match(sentence) is not None


def is_named_value(line: str) -> bool:
    """Whether a line is a value under a name, "Region: eu-central-1"; the value names something."""
    found = _NAMED.match(line)
    if found is None or line.endswith(("?", ":", ",")):
        return False
    if _LISTING.search(line) or _PROGRESS.search(line) or _SUPPOSED.search(line):
        return False
    value = found["value"]
    names = value[:1].isupper() or not value.isascii() or re.search(r"\d|[/_-]\w", value)
    names = names or _STATE.search(found["key"]) or _SWITCH.match(value)
    return bool(names) and len(found["key"].split()) <= MOST_KEY_WORDS and any(map(str.isalnum, value))
