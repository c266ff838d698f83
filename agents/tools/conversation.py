"""The conversation in a view: what of what was said an agent's next step needs.

What the user said, and the system prompt. What the agent said is left out, for what it knew, it knew of its tools; but
not what a short answer of the user's leans on: "yes, please" answers the whole of a proposal, and "option 2" the second
item of a list, which need not stand anywhere else.
"""

from collections.abc import Sequence

from agents.openai_chat import text_of
from agents.tools.messages import RESULTS, Message, calls_of, is_retrieved
from memory.views import MARKS, Talk, is_name, talk_of
from utils.sentences import split_sentences
from utils.text import GAP, cut_at_word

PROMPTS = ("system", "developer")
FEW = 32  # characters of a message that says little without what it answers
SHORT = 120  # characters of an answer that may lean on what was said
WHOLE = 160  # characters of a message that stays as it is
DIGEST = 240  # characters of what of a longer one stays beside its end
MOST_PIECES = 8  # of it
CLOSING = 45  # characters of its end, at least its last sentence
READ = 20_000  # characters of a message's end in which that is looked for


def spoken_of(messages: Sequence[Message], query: str) -> Talk:
    """What is spoken of: all that the user said, and how the agent ended; fields are asked for by the user's last
    question, and the query."""
    said = [text_of(message.get("content")) for message in messages if message.get("role") == "user"]
    last = last_said(messages, "assistant")
    return talk_of([*said, *_names_in(last), closing(last), query], [*said[-1:], query])


def last_said(messages: Sequence[Message], role: str = "user") -> str:
    """The last text of the user's, or of another role's; empty where there is none."""
    said = (text_of(message.get("content")) for message in reversed(messages) if message.get("role") == role)
    return next(filter(None, said), "")


def everything(messages: Sequence[Message]) -> list[Message]:
    """All that was said, but for calls of tools and their results: where it is little, nothing is gained by less."""
    return [one for one in messages if not is_retrieved(one) and one.get("role") not in RESULTS and not calls_of(one)]


def before(messages: Sequence[Message], *, answered: bool) -> list[Message]:
    """Of what came before the last calls: the system prompt, and what the user said. `answered`: the user has not said
    anything since, so that what the last message answers is what the agent is at work on, and stays with it where the
    answer leans on it."""
    last = next((message for message in reversed(messages) if message.get("role") == "user"), None)
    kept: list[Message] = []
    said: Message | None = None  # by the agent, and not answered yet
    for message in messages:
        role, answer = message.get("role"), text_of(message.get("content"))
        if role in PROMPTS and not is_retrieved(message):
            kept.append(message)
        elif role == "assistant":
            said = None if calls_of(message) else message
        elif role == "user":
            text = text_of(said.get("content")) if said is not None else ""
            if said is not None and answered and message is last and leans_on(answer, text):
                kept.append(_with_text(said, digest(text)))
            kept.append(message)
            said = None
    return kept


def after(messages: Sequence[Message]) -> list[Message]:
    """What came after the last calls. Of what the agent said, its end; all that few words answer, what a longer answer
    leans on, and nothing before one that says itself what it means."""
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
        elif is_last and leans_on(reply, text):
            kept.append(_with_text(message, digest(text)))
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


def leans_on(answer: str, said: str) -> bool:
    """Whether a short answer is to be understood by what was said before: it names nothing, or nothing of what was
    asked."""
    names = _names_in(answer)
    return len(answer) <= SHORT and (not names or ("?" in said and not any(name in said for name in names)))


def digest(text: str) -> str:
    """A message of the agent's on which an answer may lean: the whole of a short one; of a longer one its end, and the
    lines and sentences with numbers, such as options, each by its beginning."""
    if len(text) <= WHOLE:
        return text
    end = closing(text)
    lines = ([line] if len(line) <= WHOLE else split_sentences(line) for line in text[-READ:].splitlines())
    pieces = (piece.strip() for line in lines for piece in line)
    telling = [piece for piece in pieces if any(map(str.isdigit, piece)) and piece not in end][:MOST_PIECES]
    share = DIGEST // max(1, len(telling))
    return "\n".join([*(cut_at_word(piece, share) for piece in telling), end])


def closing(text: str) -> str:
    """The last sentence of a text, and as many before it as `CLOSING` characters have room for."""
    sentences = split_sentences(text[-READ:])
    left = list(sentences)
    kept: list[str] = []
    while left and sum(map(len, kept)) + len(kept) + len(left[-1]) < CLOSING:
        kept.insert(0, left.pop())
    if not left:
        return text
    if not kept and len(left[-1]) <= 2 * CLOSING:
        kept = [left.pop()]
    return f"{GAP} {' '.join(kept) or _end_of(left[-1])}"


def _end_of(sentence: str) -> str:
    end = sentence[-CLOSING:]
    return end.partition(" ")[2] or end
