"""The budget of a view: what a token is, and what goes of what the user said where there is no room for all of it.

Nothing of the first message and the last. Of long ones in between what the last question does not speak of, and where
that is not enough, the oldest.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from agents.openai_chat import text_of
from agents.tools.conversation import PROMPTS
from agents.tools.messages import Message, said_in
from memory.views import Talk, excerpt, talk_of
from utils.text import GAP, count_tokens

UNTOLD = "[Earlier messages of the user that are left out here: {}, the first: {}]"
SHORTEST = 100  # characters of a message or a result that is cut
FIRST = 40  # characters by which the first message that is left out is known
NUMBERS, MIXED = 0.28, 0.42  # more tokens for each digit of a number, and each character of a word with digits in it
# And for each byte of some: marks between values, marks of sentences, the first one of a character of three or four.
_SMALLER = ((0.5, b'|;={}[]":<>/\\_@#&+'), (0.12, b".,-()'!?*`$%^~"), (0.5, bytes(range(0xE0, 0x100))))
_WORDS = re.compile(rb"[A-Za-z\d]+")
MESSAGE_TOKENS = 4  # that a message takes beside its text
PART_TOKENS = 765  # that an image takes, one of 1,024 by 1,024 pixels in detail (OpenAI's guide to images)
STEP = 1.1  # between the sizes that are tried

T = TypeVar("T")


def tokens_of(messages: Iterable[Message]) -> int:
    """Estimated tokens of messages, as a budget counts them."""
    return sum(MESSAGE_TOKENS + estimated(said_in(message)) + PART_TOKENS * _others_in(message) for message in messages)


def _others_in(message: Message) -> int:
    """How many parts of a message are no texts: images, and files."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    return sum(isinstance(part, dict) and "text" not in part for part in parts)


def estimated(text: str) -> int:
    """Tokens of a text: a quarter of its bytes, as `count_tokens` has it, and more for what tokenizers cut smaller:
    digits, hex and other ids, the marks of JSON and tables, writing without spaces.

    Fitted to the larger of what o200k_base and cl100k_base make of texts of each kind: from 0.81 (English, JSON with
    words) to 1.11 (rows of numbers) of the estimate.
    """
    written = text.encode("utf-8", "replace")
    numbers = mixed = 0
    for word in _WORDS.findall(written):
        if word.isdigit():
            numbers += len(word)
        elif not word.isalpha():
            mixed += len(word)
    found = ((share, len(written) - len(written.translate(None, each))) for share, each in _SMALLER)
    more = NUMBERS * numbers + MIXED * mixed + sum(share * count for share, count in found)
    return count_tokens(text) + round(more)


def fullest(least: int, most: int, draw: Callable[[int], T], tokens: Callable[[T], int], room: int) -> T | None:
    """What is drawn with as many characters as there is room for, from `least` to `most`; None where even the least
    does not fit."""
    sizes = [least]
    while sizes[-1] < most:
        sizes.append(min(most, int(STEP * sizes[-1]) + 1))
    fitting = bisect_right(sizes, room, key=lambda characters: tokens(draw(characters)))
    return draw(sizes[fitting - 1]) if fitting else None


def within(head: Sequence[Message], budget: int, question: str, *, every: bool) -> list[Message] | None:
    """The beginning of a view with as many of the user's messages as `budget` tokens have room for, and then as much of
    each; None where there is none for the least. `question`: what of long ones is to stay. `every`: none of the
    messages may go."""
    talk = talk_of([question], [question])
    inner = _inner(head)
    shortest = _cut(head, SHORTEST, talk)
    users = len(inner)
    if tokens_of(shortest) > budget:
        if every:
            return None
        fitting = bisect_right(range(users), budget, key=lambda count: tokens_of(_fewer(shortest, count)))
        if not fitting:
            return None
        users = fitting - 1
    longest = max((len(text_of(head[at].get("content"))) for at in inner), default=0)
    return fullest(
        SHORTEST, max(SHORTEST, longest), lambda most: _fewer(_cut(head, most, talk), users), tokens_of, budget
    )


def least(head: Sequence[Message], question: str) -> list[Message]:
    """The beginning of a view with as little as may stay. The line that tells of messages that are left out may take
    more than they."""
    shortest = _cut(head, SHORTEST, talk_of([question], [question]))
    return min((_fewer(shortest, users) for users in (0, len(_inner(head)))), key=tokens_of)


def _inner(head: Sequence[Message]) -> list[int]:
    """The places of what the user said between the first message and the last."""
    return [at for at, message in enumerate(head) if message.get("role") == "user"][1:-1]


def _cut(head: Sequence[Message], characters: int, talk: Talk) -> list[Message]:
    """The same with so many characters at most of each message between the user's first and last."""
    shorter = list(head)
    for at in _inner(head):
        content = head[at].get("content")
        if isinstance(content, str) and len(content) > characters:
            shorter[at] = {**head[at], "content": excerpt(content, talk, characters)}
    return shorter


def _fewer(head: Sequence[Message], users: int) -> list[Message]:
    """The same with the newest of the user's messages in between, so many; it says how many are gone."""
    inner = _inner(head)
    gone = inner[: max(0, len(inner) - users)]
    if not gone:
        return list(head)
    first = next(at for at, message in enumerate(head) if message.get("role") == "user")
    dropped = range(first + 1, gone[-1] + 1)
    left = [message for at, message in enumerate(head) if at not in dropped or message.get("role") in PROMPTS]
    begins = " ".join(text_of(head[gone[0]].get("content")).split())
    named = begins if len(begins) <= FIRST else begins[: FIRST - 1] + GAP
    left.insert(first + 1, {"role": "system", "content": UNTOLD.format(len(gone), named)})
    return left
