"""What of what was said does an agent's next step need?

What the user said, but for courtesies, and the system prompt. What the agent said is left out, for what it knew, it
knew of its tools; but not what the user's answers point at.
"""

from collections.abc import Callable, Iterator, Sequence

from agents.openai_chat import text_of
from agents.tools.digest import MOST_CHOICES, WHOLE, agrees, closing, digest, findings_in, picks_item, points_at
from agents.tools.messages import RESULTS, Message, calls_of, is_retrieved
from memory.language.courtesy import is_courtesy
from memory.views import MARKS, Talk, failures_in, is_name, talk_of, today_in

FEW = 32  # characters of a message that says little without what it answers
WORDS_OF_A_QUESTION = 6  # that is understood alone
OPTIONS_OF_OLD = 1  # of an offer for which there is room, once the user has gone on
PROMPTS = ("system", "developer")


def spoken_of(messages: Sequence[Message], query: str) -> Talk:
    """What is spoken of: all that the user said, how the agent ended, and the failures that the last results tell of;
    fields are asked for by the user's last question, and the query."""
    said = [text_of(message.get("content")) for message in messages if message.get("role") == "user"]
    told = [text_of(message.get("content")) for message in messages if message.get("role") == "assistant"]
    last = next(filter(None, reversed(told)), "")
    failures = [line for text in _last_results(messages) for line in failures_in(text)]
    prompts = (text_of(message.get("content")) for message in messages if message.get("role") in PROMPTS)
    today = next(filter(None, map(today_in, prompts)), None)
    return talk_of([*said, closing(last), *failures, query], [*_question(said), query], told=last, today=today)


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
    while first > 0 and len(said[first]) <= FEW and not _asks_alone(said[first]):
        first -= 1
    return said[max(0, first) :]


def _asks_alone(text: str) -> bool:
    """Whether a short message is a question of its own, and no mere "and then?"."""
    return text.rstrip().endswith("?") and len(text.split()) >= WORDS_OF_A_QUESTION


def everything(messages: Sequence[Message]) -> list[Message]:
    """All that was said, but for calls of tools and their results: where it is little, nothing is gained by less."""
    return [
        message
        for message in messages
        if not is_retrieved(message) and message.get("role") not in RESULTS and not calls_of(message)
    ]


def before(messages: Sequence[Message], *, answered: bool, done: int = -1) -> list[Message]:
    """Of what came before the last calls: the system prompt, and what the user said. Courtesies are left out, but for
    the first message and the last; before a message of few words, or one that picks an item by its number, what it
    answers stays. `answered`: the user has not said anything since, so that what the last message answers is what the
    agent is at work on. `done`: the place of the last result that something was carried out with; what the user has
    agreed to since stays with the offer."""
    users = [message for message in messages if message.get("role") == "user"]
    ends = [users[0], users[-1]] if users else []
    kept: list[Message] = []
    said: Message | None = None  # by the agent, and not answered yet
    for at, message in enumerate(messages):
        match message.get("role"):
            case "system" | "developer" if not is_retrieved(message):
                kept.append(message)
            case "assistant":
                said = None if calls_of(message) else message
            case "user" if message in ends or not is_courtesy(text_of(message.get("content"))):
                at_work = answered and message is ends[-1]
                if said is not None and at_work and _points_at(message, said):
                    kept.append(_digested(said, message))
                elif said is not None and _picks(message, said):
                    kept.append(_digested(said, message, OPTIONS_OF_OLD))
                elif said is not None and _says_little(message):
                    kept.append(_with_text(said, _offered if at > done and _agrees(message, said) else closing))
                elif said is not None and (found := _found_in(said)) is not None:
                    kept.append(found)
                kept.append(message)
                said = None
            case "user" if said is not None and at > done and _agrees(message, said):
                kept += [_with_text(said, _offered), message]
                said = None
    return kept


def _says_little(message: Message) -> bool:
    """Whether a message is too short to be understood alone, and names nothing."""
    text = text_of(message.get("content"))
    return len(text) <= FEW and not any(is_name(word.strip(MARKS)) for word in text.split())


def after(messages: Sequence[Message]) -> list[Message]:
    """What came after the last calls. Of what the agent said, its end; all that few words answer, what a longer answer
    points at, and nothing before one that says itself what it means."""
    left = [message for message in messages if not is_retrieved(message)]
    kept: list[Message] = []
    for at, message in enumerate(left):
        answer = left[at + 1] if at + 1 < len(left) else None
        if message.get("role") != "assistant" or answer is None or answer.get("role") != "user":
            kept.append(_with_text(message, closing))
        elif _says_little(answer):
            kept.append(message if at + 2 == len(left) else _with_text(message, closing))
        elif at + 2 == len(left) and _points_at(answer, message):
            kept.append(_digested(message, answer))
        elif _picks(answer, message):
            kept.append(_digested(message, answer, OPTIONS_OF_OLD))
    return kept


def _points_at(answer: Message, said: Message) -> bool:
    return points_at(text_of(answer.get("content")).strip(), text_of(said.get("content")))


def _found_in(said: Message) -> Message | None:
    """What the agent said it had found out; None where it did not."""
    content = said.get("content")
    found = findings_in(content) if isinstance(content, str) else ""
    return {**said, "content": found} if found else None


def _offered(text: str) -> str:
    """The whole of a short offer, and how a long one ends."""
    return text if len(text) <= WHOLE else closing(text)


def _agrees(answer: Message, said: Message) -> bool:
    return agrees(text_of(answer.get("content")), text_of(said.get("content")))


def _picks(answer: Message, said: Message) -> bool:
    return picks_item(text_of(answer.get("content")), text_of(said.get("content")))


def _digested(said: Message, answer: Message, choices: int = MOST_CHOICES) -> Message:
    return _with_text(said, lambda text: digest(text, text_of(answer.get("content")), choices_told=choices))


def _with_text(message: Message, shorter: Callable[[str], str]) -> Message:
    """A message; one of the agent's with less of its text."""
    content = message.get("content")
    if message.get("role") != "assistant" or not isinstance(content, str):
        return message
    return {**message, "content": shorter(content)}
