"""Which messages does an agent's next step need?

The system prompt, what the user said, the results of tools packed by meaning, the last calls of tools whole, and what
was said after them. What the agent said before is left out: what it knew, it knew of these.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agents.openai_chat import text_of
from agents.tool_messages import HEADING, Interaction, Message, is_retrieved, said_in
from memory.courtesy import is_courtesy
from memory.tool_records import Block, Record, blocks_of, in_force, left_out
from memory.tool_relevance import Talk, talk_of
from utils.errors import InvalidInput
from utils.text import count_tokens, split_sentences

RULE = "-------------------"  # between records (seed 0)
OTHERS = "[OTHER RECORDS]"
CLOSING = 120  # characters of what the agent said last, its end, which the user's next message may answer
NAMED = 3  # keys of what is left out that are named
MESSAGE_TOKENS = 4  # that a message takes beside its text
SHORTEST = 100  # characters of a result of the last calls, where even they must be cut


@dataclass(frozen=True)
class ViewOptions:
    """top_k: tables that are shown as retrieved records, the most relevant ones; the others stand after them, without
    summaries. max_chars: characters of a record at most, and of those after the `top_k` most relevant a quarter
    of that. budget: tokens of the view at most; None for any number."""

    top_k: int
    max_chars: int
    budget: int | None = None


@dataclass(frozen=True)
class Step:
    """What an agent knows before its next step. `last`: the place of the last calls of tools, and `newest` what they
    gave; `records`: of the calls before, oldest first. `ranked`: ids of records, the most relevant first; those that it
    does not name come after them, the newest first."""

    messages: tuple[Message, ...]
    last: Interaction
    newest: tuple[Record, ...]
    records: tuple[Record, ...]
    ranked: tuple[str, ...] = ()


def tokens_of(messages: Iterable[Message]) -> int:
    """Estimated tokens of messages."""
    return sum(MESSAGE_TOKENS + count_tokens(said_in(message)) for message in messages)


def view_of(step: Step, options: ViewOptions) -> list[Message]:
    """The messages that stand for all of a step's.

    Within a budget, the least relevant records go first, then what the user said in between, and then the results of
    the last calls are packed, too. Raises `InvalidInput` where what is left is too much still.
    """
    talk = _talk(step.messages)
    known = in_force(step.records, step.newest)
    order = _by_relevance(known, step.ranked)
    head = _before(step.messages[: step.last.start])
    tail = [*step.messages[step.last.start : step.last.end], *_after(step.messages[step.last.end :])]

    def view(records: int, users: int | None = None) -> list[Message]:
        left = head if users is None else _fewer(head, users)
        chosen = set(order[:records])
        shown = [record for record in known if record.trace_id in chosen]
        return [*left, *_context(shown, order, talk, options), *tail]

    whole = view(len(known))
    budget = options.budget
    if budget is None or tokens_of(whole) <= budget:
        return whole
    if (fitting := _most(len(known), lambda count: tokens_of(view(count)) <= budget)) is not None:
        return view(fitting)
    between = len(head) - len(_fewer(head, 0))
    if (fitting := _most(between, lambda count: tokens_of(view(0, count)) <= budget)) is not None:
        return view(0, fitting)
    return _with_packed_tail(step, _fewer(head, 0), talk, budget)


def _most(most: int, fits: Callable[[int], bool]) -> int | None:
    """The largest number up to `most` that fits, where fewer take no more; None where not even 0 does."""
    if not fits(0):
        return None
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _talk(messages: Sequence[Message]) -> Talk:
    """What is spoken of: all that the user said, and what the agent said last."""
    said = [text_of(message.get("content")) for message in messages if message.get("role") == "user"]
    told = [text_of(message.get("content")) for message in messages if message.get("role") == "assistant"]
    return talk_of([*said, *list(filter(None, told))[-1:]])


def _before(messages: Sequence[Message]) -> list[Message]:
    """Of what came before the last calls: the system prompt, and what the user said. Courtesies are left out, but for
    the first message and the last."""
    users = [message for message in messages if message.get("role") == "user"]
    ends = [users[0], users[-1]] if users else []
    return [
        message
        for message in messages
        if (_is_prompt(message) and not is_retrieved(message))
        or (message.get("role") == "user" and (message in ends or not is_courtesy(text_of(message.get("content")))))
    ]


def _is_prompt(message: Message) -> bool:
    return message.get("role") in ("system", "developer")


def _fewer(head: Sequence[Message], users: int) -> list[Message]:
    """The beginning of a view with the newest of what the user said in between, so many, and the first message and the
    last."""
    places = [at for at, message in enumerate(head) if message.get("role") == "user"]
    inner = places[1:-1]
    gone = set(inner[: len(inner) - users] if users else inner)
    return [message for at, message in enumerate(head) if at not in gone]


def _after(messages: Sequence[Message]) -> list[Message]:
    """What came after the last calls; of what the agent said, how it ended."""
    return [
        {**message, "content": closing(message["content"])}
        if message.get("role") == "assistant" and isinstance(message.get("content"), str)
        else message
        for message in messages
        if not is_retrieved(message)
    ]


def closing(text: str) -> str:
    """The last sentence of a text, and as many before it as `CLOSING` characters have room for."""
    kept, left = "", split_sentences(text)
    while left and len(kept) + len(left[-1]) < CLOSING:
        kept = f"{left.pop()} {kept}".strip()
    return text if not left else f"… {kept or left[-1][-CLOSING:]}"


def _context(records: Sequence[Record], order: Sequence[str], talk: Talk, options: ViewOptions) -> list[Message]:
    """The message that holds records, those in the tables in their order, and the tables in the `order` of the ids that
    are most relevant; none where there are no records."""
    if not records:
        return []
    place = {trace_id: at for at, trace_id in enumerate(order)}
    blocks = blocks_of(records, talk, options.max_chars, brief=set(order[options.top_k :]))
    blocks.sort(key=lambda block: min(place[one.trace_id] for one in block.records))
    parts = [
        f"[RETRIEVED RECORD {number}]\nSummary: {_summary(block)}\nRaw Data: {block.body}"
        for number, block in enumerate(blocks[: options.top_k], 1)
    ]
    if others := blocks[options.top_k :]:
        parts.append("\n".join([OTHERS, *(f"{block.title}\n{block.body}" for block in others)]))
    text = f"{HEADING}\n" + f"\n{RULE}\n".join(parts)
    if gone := left_out(records, talk):
        more = f" and {len(gone) - NAMED} more" if len(gone) > NAMED else ""
        text += f"\nLeft out: {', '.join(gone[:NAMED])}{more}"
    return [{"role": "system", "content": text}]


def _summary(block: Block) -> str:
    return "\n".join([block.title, *(one.summary for one in block.records if one.summary)])


def _by_relevance(records: Sequence[Record], ranked: Sequence[str]) -> list[str]:
    """The ids of records, the most relevant first, and then the newest."""
    known = dict.fromkeys(record.trace_id for record in reversed(records))
    return [*(one for one in ranked if one in known), *(one for one in known if one not in ranked)]


def _with_packed_tail(step: Step, head: list[Message], talk: Talk, budget: int) -> list[Message]:
    """The view without records of former calls, and with those of the last calls cut by meaning."""
    after = _after(step.messages[step.last.end :])
    by_place = {result.at: record for result, record in zip(step.last.results, step.newest, strict=True)}
    longest = max((len(record.raw_output) for record in step.newest), default=0)
    longest = max(SHORTEST, min(4 * budget, longest))  # a token is of four characters at most
    while True:
        tail = [
            _cut(step.messages[at], by_place[at], talk, longest) if at in by_place else step.messages[at]
            for at in range(step.last.start, step.last.end)
        ]
        view = [*head, *tail, *after]
        if (needed := tokens_of(view)) <= budget:
            return view
        if longest == SHORTEST:
            raise InvalidInput(f"The budget is too small: at least {needed} tokens must stay")
        longest = max(SHORTEST, longest * 3 // 4)


def _cut(message: Message, record: Record, talk: Talk, characters: int) -> Message:
    """The message of a result with so much of it."""
    if len(record.raw_output) <= characters:
        return message
    [block] = blocks_of([record], talk, characters)
    return {**message, "content": block.body}
