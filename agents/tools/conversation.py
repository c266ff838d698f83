"""The conversation in a view: what of what was said an agent's next step needs.

What the user said, but for courtesies, and the system prompt. What the agent said is left out, for what it knew, it
knew of its tools; but not what it found out, nor what the user's answers point at: "yes, please" answers the whole of a
proposal, and "option 2" the second item of a list, which need not stand anywhere else.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from agents.openai_chat import text_of
from agents.tools.messages import RESULTS, Message, calls_of, is_retrieved
from memory.language.courtesy import is_courtesy
from memory.views import MARKS, Talk, failures_in, is_name, talk_of
from utils.sentences import split_sentences
from utils.text import GAP

PROMPTS = ("system", "developer")
FEW = 32  # characters of a message that says little without what it answers
WORDS_OF_A_QUESTION = 6  # that is understood alone
SHORT = 120  # characters of an answer that may point at what was said, and of a finding that stays
WHOLE = 160  # characters of a message that stays as it is
CLOSING = 45  # characters of its end, at least its last sentence
PIECE, PICKED_PIECE = 40, 100  # characters of an option, or of a sentence with a name or a number; of the one picked
MOST_PIECES = 5  # of a message, beside its end
READ = 20_000  # characters of a message's end in which these are looked for

_LABEL = r"(?:(?i:option|variante?|choice|plan|approach)\s?)?(?:(?<!\w)(\d{1,2}|[A-Z])[.):]|\(([A-Za-z\d])\))\s"
_LABELS = re.compile(rf"(?:^|(?<=[\s;:*-])){_LABEL}")
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s")
_PICKED = re.compile(
    r"(?i)(?:^\W*|\b(?:option|number|no\.?|item|choice|variant|plan|nummer|opción)\s{0,2}|#)(\d{1,2}|[a-z])\b(?![.,]\d|')"
)
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1}
_ORDINAL = re.compile(
    rf"(?i)\bthe ({'|'.join(_ORDINALS)})(?:\s+(?:one|option|variant|choice|plan|item)\b|\s*(?:[.,;:!?)]|$))"
)
_AGREES = re.compile(
    r"(?i)\b(?:(?:yes|yep|yeah|ok(?:ay)?)\b(?!\W{0,3}(?:my|here|it'?s|i'?m|i am)\b)|"
    r"go ahead|proceed|agreed|please do|do (?:it|so|that)|confirm(?:ed)?|"
    r"(?<!not )(?<!i'm )sure\b(?!\W{0,3}(?:my|here)\b)|(?:sounds|looks) (?:good|fine|great)|that works|perfect)\b"
)
_OFFERS = re.compile(
    r"(?i)\b(?:(?:shall|should|can|may) (?:i|we)|(?:would|do) you (?:like|want|prefer)|confirm|go ahead|proceed|"
    r"want me|is (?:that|this) (?:ok|okay|right|fine|correct))\b"
)
# What ends a message and asks nothing: "If you need anything else, please let me know!"
_PARTING = re.compile(
    r"(?i)\b(?:anything else|(?:any|have|need) (?:any )?(?:other|more|further|additional)|happy to (?:help|assist)|"
    r"further (?:questions|assistance|help)|feel free to (?:ask|reach out|contact)|have a (?:great|nice|good))\b"
)
# What says what was found out, which no result of a tool has.
_FINDING = re.compile(
    r"(?i)\b(?:root cause|(?:cause|culprit|reason|problem|bug|fault|fix) (?:is|was|lies)\b|caused by|turn(?:s|ed) out|"
    r"(?:i|we) (?:found (?:that|out|why)|concluded)\b)"
)


def spoken_of(messages: Sequence[Message], query: str) -> Talk:
    """What is spoken of: all that the user said, how the agent ended, and the failures that the last results tell of;
    fields are asked for by the user's last question, and the query."""
    said = [text_of(message.get("content")) for message in messages if message.get("role") == "user"]
    told = (text_of(message.get("content")) for message in reversed(messages) if message.get("role") == "assistant")
    last = next(filter(None, told), "")
    failures = [line for text in _last_results(messages) for line in failures_in(text)]
    return talk_of([*said, *_names_in(last), closing(last), *failures, query], [*_question(said), query])


def last_said(messages: Sequence[Message]) -> str:
    """The user's last message."""
    said = (text_of(message.get("content")) for message in reversed(messages) if message.get("role") == "user")
    return next(said, "")


def _last_results(messages: Sequence[Message]) -> Iterator[str]:
    """What the last calls of tools gave."""
    for message in reversed(messages):
        if calls_of(message):
            return
        if message.get("role") in RESULTS:
            yield text_of(message.get("content"))


def _question(said: Sequence[str]) -> Sequence[str]:
    """The user's last message, with what it goes back to: those before a mere "yes" or "the second"."""
    first = len(said) - 1
    while (
        first > 0
        and len(said[first]) <= FEW
        and not (said[first].rstrip().endswith("?") and len(said[first].split()) >= WORDS_OF_A_QUESTION)
    ):
        first -= 1
    return said[max(0, first) :]


def everything(messages: Sequence[Message]) -> list[Message]:
    """All that was said, but for calls of tools and their results: where it is little, nothing is gained by less."""
    return [one for one in messages if not is_retrieved(one) and one.get("role") not in RESULTS and not calls_of(one)]


def before(messages: Sequence[Message], *, answered: bool, done: int = -1) -> list[Message]:
    """Of what came before the last calls: the system prompt, and what the user said. Courtesies are left out, but for
    the first message and the last. `answered`: the user has not said anything since, so that what the last message
    answers is what the agent is at work on. `done`: the place of the last result that something was carried out with;
    what the user has agreed to since stays with the offer."""
    users = [message for message in messages if message.get("role") == "user"]
    ends = [users[0], users[-1]] if users else []
    kept: list[Message] = []
    said: Message | None = None  # by the agent, and not answered yet
    for at, message in enumerate(messages):
        role, answer = message.get("role"), text_of(message.get("content"))
        if role in PROMPTS and not is_retrieved(message):
            kept.append(message)
        elif role == "assistant":
            said = None if calls_of(message) else message
        elif role == "user":
            agreed = said is not None and at > done and agrees(answer, text_of(said.get("content")))
            if message not in ends and is_courtesy(answer) and not agreed:
                continue
            if said is not None:
                at_work = answered and message is ends[-1]
                kept += _answered(said, answer, at_work=at_work, agreed=agreed)
            kept.append(message)
            said = None
    return kept


def _answered(said: Message, answer: str, *, at_work: bool, agreed: bool) -> list[Message]:
    """What of the agent's message stays before an answer to it."""
    text = text_of(said.get("content"))
    if at_work and points_at(answer, text):
        return [_with_text(said, digest(text, answer))]
    if picked(answer, text) is not None:
        return [_with_text(said, digest(text, answer, most=1))]
    if agreed or _says_little(answer):
        return [_with_text(said, text if agreed and len(text) <= WHOLE else closing(text))]
    found = findings_in(text)
    return [_with_text(said, found)] if found else []


def after(messages: Sequence[Message]) -> list[Message]:
    """What came after the last calls. Of what the agent said, its end; all that few words answer, what a longer answer
    points at, and nothing before one that says itself what it means."""
    left = [message for message in messages if not is_retrieved(message)]
    kept: list[Message] = []
    for at, message in enumerate(left):
        text = text_of(message.get("content"))
        answer = left[at + 1] if at + 1 < len(left) else None
        if message.get("role") != "assistant" or answer is None or answer.get("role") != "user":
            kept.append(_with_text(message, closing(text)))
            continue
        reply, is_last = text_of(answer.get("content")), at + 2 == len(left)
        if _says_little(reply):
            kept.append(message if is_last else _with_text(message, closing(text)))
        elif (is_last and points_at(reply, text)) or picked(reply, text) is not None:
            kept.append(_with_text(message, digest(text, reply, most=MOST_PIECES if is_last else 1)))
    return kept


def _with_text(message: Message, text: str) -> Message:
    """A message; one of the agent's with less of its text."""
    is_text = message.get("role") == "assistant" and isinstance(message.get("content"), str)
    return {**message, "content": text} if is_text else message


def _says_little(text: str) -> bool:
    """Whether a message is too short to be understood alone, and names nothing."""
    return len(text) <= FEW and not _names_in(text)


def _names_in(text: str) -> list[str]:
    return [name for word in text.split() if is_name(name := word.strip(MARKS))]


def points_at(answer: str, said: str) -> bool:
    """Whether an answer is to be understood by what was said before: it is short and names nothing by itself, it agrees
    and names nothing of it, or it picks an item."""
    names = _names_in(answer)
    if (not names and len(answer) <= SHORT) or picked(answer, said) is not None:
        return True
    return (
        _OFFERS.search(said) is not None
        and _AGREES.search(answer) is not None
        and not any(name in said for name in names)
    )


def agrees(answer: str, said: str) -> bool:
    """Whether a short answer agrees to what was asked."""
    return len(answer) <= SHORT and _OFFERS.search(said) is not None and _AGREES.search(answer) is not None


def picked(answer: str, said: str) -> int | None:
    """The place of the option that an answer picks of several by its number, its letter or its place; else None."""
    labels = _labels(said[-READ:])
    if len(labels) < 2:
        return None
    if ordinal := _ORDINAL.search(answer):
        place = _ORDINALS[ordinal[1].lower()]
        return place % len(labels) if place < len(labels) else None
    numbers = (number.lower() for number in _PICKED.findall(answer[:READ]))
    return next((labels.index(number) for number in numbers if number in labels), None)


def _labels(text: str) -> list[str]:
    """The labels of the options in a text; "148.00 (L) or 151.00 (XL)" has none, for there is no A before."""
    labels = [(label[1] or label[2]).lower() for label in _LABELS.finditer(text)]
    return labels if "a" in labels else list(filter(str.isdecimal, labels))


def digest(text: str, answer: str, *, most: int = MOST_PIECES) -> str:
    """A message of the agent's as far as an answer may point at it: the whole of a short one; of a long one its end,
    the option that the answer picks, and so many other options, or sentences with numbers and names."""
    if len(text) <= WHOLE:
        return text
    end, pieces = closing(text), list(_pieces(text[-READ:]))
    choice = picked(answer, text)
    options = [piece for piece in pieces if _LABELS.match(piece)] if _labels(text) else []
    of_choice = options[choice] if choice is not None and choice < len(options) else None
    telling = options or [piece for piece in pieces if any(map(str.isdigit, piece))][-2:]
    bare = end.removeprefix(GAP).strip()
    kept = [
        _cut(piece, PICKED_PIECE if piece is of_choice else PIECE)
        for at, piece in enumerate(telling) if (piece is of_choice or at < most) and piece not in bare
    ]  # fmt: skip
    return "\n".join([*kept, end])


def _cut(piece: str, most: int) -> str:
    return piece if len(piece) <= most else piece[: piece.rfind(" ", 1, most) if " " in piece[1:most] else most] + " …"


def _pieces(text: str) -> Iterator[str]:
    """The items of lists and the sentences of a text; each of the options that a sentence lists."""
    labelled = bool(_labels(text))
    for line in text.replace("**", "").splitlines():
        for sentence in [line] if _ITEM.match(line) else split_sentences(line):
            options = [found.start() for found in _LABELS.finditer(sentence) if labelled and found.start()]
            starts = [0, *options, len(sentence)]
            yield from filter(None, (sentence[begin:end].strip(" ;,") for begin, end in pairwise(starts)))


def findings_in(text: str) -> str:
    """The first sentences that say what was found out."""
    found = [one for one in split_sentences(text[:READ]) if len(one) <= SHORT and _FINDING.search(one)]
    return " ".join(found[:2])


def closing(text: str) -> str:
    """The last sentence of a text that says something, and as many before it as `CLOSING` characters have room for."""
    sentences = split_sentences(text[-READ:])
    left = list(sentences)
    while left and _PARTING.search(left[-1]) and not left[-1].lower().startswith("would you like"):
        left.pop()
    left = left or sentences
    kept: list[str] = []
    while left and sum(map(len, kept)) + len(kept) + len(left[-1]) < CLOSING:
        kept.insert(0, left.pop())
    if not left:
        return text if len(kept) == len(sentences) else " ".join(kept)
    if not kept and len(left[-1]) <= 2 * CLOSING:
        kept = [left.pop()]
    return f"{GAP} {' '.join(kept) or _end_of(left[-1])}"


def _end_of(sentence: str) -> str:
    end = sentence[-CLOSING:]
    return end.partition(" ")[2] or end
