"""Which messages does an agent's next step need?

The system prompt, what the user said, the results of tools packed by meaning, the last calls of tools whole, and what
was said after them. What the agent said before is left out, for what it knew, it knew of these; but not what the user
answers in few words.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from agents.tools.budget import PARTS, SHORTEST, between, largest, least, tokens_of, within
from agents.tools.messages import HEADING, NOTICE, RETRIEVED, Asked, Interaction, Message, interactions, said_in
from agents.tools.talk import PROMPTS, after, before, everything, last_said, spoken_of
from agents.tools.view_order import by_relevance, having, with_changes
from memory.views import (
    SMALL,
    Block,
    Record,
    Shortener,
    block_of,
    blocks_of,
    call_text,
    in_force,
    is_note,
    left_out,
    one_line,
    only_reads,
    overtaken,
    scalars,
    suiting,
    wanted_in,
    written,
)
from utils.errors import InvalidInput

RULE = "-------------------"  # between records (the tool memory's document)
OTHERS = "[OTHERS]"
LITTLE = 1_000  # characters of a whole history but for prompts: nothing is gained by less of it
FEW_CHARACTERS = 600  # of all results together: nothing of them is left out
UNANSWERED = 8  # calls without results that are told
FIELDS, RECORDS = 1, 2  # how many are named of the fields that are left out, and of the records that are not shown


@dataclass(frozen=True)
class ViewOptions:
    """top_k: tables that are shown as retrieved records, the most relevant ones; the others stand after them, without
    summaries. max_chars: characters of a record at most, and of those after the `top_k` most relevant a quarter
    of that. budget: tokens of the view at most; None for no more than is likely to be needed. capped: `max_chars` holds
    even where the budget has room for more."""

    top_k: int
    max_chars: int
    budget: int | None = None
    capped: bool = False


@dataclass(frozen=True)
class Step:
    """What an agent knows before its next step. `last`: the place of the last calls of tools, and `newest` what they
    gave; `records`: of the calls before, oldest first. `ranked`: ids of records, the most relevant first; those that it
    does not name come after them, the newest first. `query`: what is looked for beside what the messages say.
    `unanswered`: calls before the last to which nothing came back. `unread`: the tools and ids of records that are not
    shown, oldest first."""

    messages: tuple[Message, ...]
    last: Interaction
    newest: tuple[Record, ...]
    records: tuple[Record, ...]
    ranked: tuple[str, ...] = ()
    query: str = ""
    unanswered: tuple[Asked, ...] = ()
    unread: tuple[Asked, ...] = ()


def view_of(step: Step, options: ViewOptions) -> list[Message]:
    """The messages that stand for all of a step's.

    A budget that has room for more is used: for what the agent said, and for all that records say, the most relevant
    ones first. Within a smaller one, records become shorter, and then the least relevant ones go; where there is no
    room for the `top_k` most relevant, the results of the last calls are packed, too, and at last what the user said in
    between goes. Raises `InvalidInput` where what is left is too much still.
    """
    drawing = _Drawing(step, options)
    view, budget = drawing.view(), options.budget
    if budget is None:
        return view
    if tokens_of(view) <= budget:
        return drawing.fuller(budget)
    every = len(drawing.known)
    wanted = min(every, options.top_k)
    count = largest(every, lambda count: tokens_of(drawing.view(count, 0)) <= budget)
    if count is None or count < wanted:
        return drawing.packed(wanted, budget)
    parts = largest(PARTS, lambda parts: tokens_of(drawing.view(count, parts)) <= budget)
    return drawing.view(count, parts or 0)


class _Drawing:
    """Draws views of one step."""

    def __init__(self, step: Step, options: ViewOptions) -> None:
        self.known = in_force(step.records, step.newest)
        little = sum(len(said_in(one)) for one in step.messages if one.get("role") not in PROMPTS) <= LITTLE
        few = little or sum(len(one.raw_output) for one in self.known) <= FEW_CHARACTERS
        self._overtaken = overtaken(self.known)
        wanted = wanted_in((*step.records, *step.newest))
        self._talk = replace(spoken_of(step.messages, step.query), thorough=few, used=_used_in(step), wanted=wanted)
        naming = [having(name, self.known) for name in self._talk.names]
        suited = suiting(self.known, self._talk)
        self._named = {one for found in naming for one in found}.union(suited)
        self._order = by_relevance(self.known, step.ranked, naming, suited)
        self._earlier, self._later = step.messages[: step.last.start], step.messages[step.last.end :]
        answered = not any(message.get("role") == "user" for message in self._later)
        self._head = before(self._earlier, answered=answered, done=_last_change(step))
        self._after = after(self._later)
        if little:
            self._tell_everything()
        self._step = step
        self._options = options
        self._shortener = Shortener(self._talk)
        self._tails: dict[int, list[Message]] = {}

    def view(self, count: int | None = None, parts: int = PARTS, of_last: int = PARTS) -> list[Message]:
        """The view with so many records, the most relevant ones; None for all. `parts`: how many of `PARTS` are shown
        of each, and `of_last` of each of the last results."""
        shown, hidden = self._parted(count)
        most = between(min(SMALL, self._options.max_chars), self._options.max_chars, parts)
        return [*self._head, *self._context(shown, hidden, most), *self._tail(of_last), *self._after]

    def fuller(self, budget: int) -> list[Message]:
        """The view with as much more as a budget has room for: all that the agent said, then the whole of the most
        relevant records, and more characters of each."""
        most = self._options.max_chars

        def view(full: int, parts: int = 0) -> list[Message]:
            context = self._context(self.known, [], between(most, longest, parts), full)
            return [*self._head, *context, *self._tail(PARTS), *self._after]

        told = self._head, self._after
        longest = min(4 * budget, max((len(record.raw_output) for record in self.known), default=0))
        self._tell_everything()
        if tokens_of(view(0)) > budget:
            self._head, self._after = told
        full = largest(len(self.known), lambda full: tokens_of(view(full)) <= budget) or 0
        if self._options.capped or full < len(self.known):
            return view(full)
        return view(full, largest(PARTS, lambda parts: tokens_of(view(full, parts)) <= budget) or 0)

    def _tell_everything(self) -> None:
        self._head, self._after = everything(self._earlier), everything(self._later)

    def _parted(self, count: int | None) -> tuple[list[Record], list[Record]]:
        """So many records, the most relevant ones, and the others, oldest first."""
        chosen = set(with_changes(self._order, self._overtaken)[:count])
        return (
            [record for record in self.known if record.trace_id in chosen],
            [record for record in self.known if record.trace_id not in chosen],
        )

    def _context(self, shown: Sequence[Record], hidden: Sequence[Record], most: int, full: int = 0) -> list[Message]:
        """The message that holds records of `most` characters each, and that names those that are hidden and the calls
        without results; none where there are none of them. `full`: of so many, the most relevant ones, all is told."""
        whole = frozenset(self._order[:full])
        brief = set(self._order[self._options.top_k :]) - self._named - whole
        telling = [record for record in shown if not is_note(record)]
        blocks = blocks_of(telling, self._talk, most, brief, self._overtaken, whole)
        told = [*self._tables(blocks)]
        if gone := left_out([block for block in blocks if not block.is_whole], self._talk, brief):
            told.append(f"Left out: {_named(gone, FIELDS)}")
        if notes := [(one.tool_name, one.trace_id) for one in reversed(shown) if is_note(one)]:
            told.append(f"Empty: {_named(_by_tool(notes), RECORDS)}")
        unseen = [*self._step.unread, *((one.tool_name, one.trace_id) for one in hidden)]
        if unseen:
            told.append(f"Not shown: {_named(_by_tool(unseen[::-1]), RECORDS)}")
        if unanswered := [call_text(*one) for one in reversed(self._step.unanswered)]:
            told.append(f"No result: {_named(unanswered, UNANSWERED)}")
        return [{"role": "system", "content": "\n".join([HEADING, NOTICE, *told])}] if told else []

    def _tables(self, blocks: Iterable[Block]) -> Iterable[str]:
        """The tables of the most relevant records as retrieved ones, with the rule between them, and then the
        others."""
        place = {trace_id: at for at, trace_id in enumerate(self._order)}
        blocks = sorted(blocks, key=lambda block: min(place[one.trace_id] for one in block.records))
        shown = {one.trace_id for block in blocks for one in block.records if one.raw_output.strip()}
        first = set([one for one in self._order if one in shown][: self._options.top_k])
        telling = [block for block in blocks if any(one.trace_id in first for one in block.records)]
        parts = [
            f"{RETRIEVED}{number}]\nSummary: {_summary(block)}\nRaw Data: {block.body}"
            for number, block in enumerate(telling, 1)
        ]
        if others := [block for block in blocks if block not in telling]:
            titled = "\n".join([OTHERS, *(f"{block.title}\n{block.body}" for block in others)])
        told = [f"\n{RULE}\n".join(parts)] if parts else []
        return [*told, titled] if others else told

    def packed(self, wanted: int, budget: int) -> list[Message]:
        """The view with the last results cut, within a budget: what the user said and so many records, short, before as
        much of the last results, then more records, and more of each. Raises `InvalidInput` where nothing fits."""

        def most(number: int, view: Callable[[int], list[Message]]) -> int | None:
            return largest(number, lambda at: tokens_of(view(at)) <= budget)

        if tokens_of(self.view(wanted, 0, 0)) > budget:
            unnamed = self._least(wanted, budget)
            if tokens_of(self.view(0, 0, 0)) > budget:  # there is no room for the names of records
                return unnamed
        count = most(wanted, lambda count: self.view(count, 0, 0)) or 0
        of_last = most(PARTS, lambda of_last: self.view(count, 0, of_last)) or 0
        count = max(count, most(len(self.known), lambda count: self.view(count, 0, of_last)) or 0)
        parts = most(PARTS, lambda parts: self.view(count, parts, of_last)) or 0
        return self.view(count, parts, of_last)

    def _least(self, wanted: int, budget: int) -> list[Message]:
        """The view with less of what the user said in between, which stays so: long messages are cut, for as many as
        are `wanted` of the records, or for their names alone; where that is not enough the oldest messages go, and at
        last the names of records."""
        rest = [*self._tail(0), *self._after]
        question = f"{last_said(self._step.messages)} {self._step.query}"
        few, names = (self._context(*self._parted(count), SMALL) for count in (wanted, 0))
        for context, every in ((few, True), (names, True), (names, False), ([], False)):
            room = budget - tokens_of([*context, *rest])
            if (head := within(self._head, room, question, every=every)) is not None:
                self._head = head
                return [*head, *context, *rest]
        needed = tokens_of([*least(self._head, question), *rest])
        raise InvalidInput(f"The budget is too small: at least {needed} tokens must stay")

    def _tail(self, parts: int) -> list[Message]:
        """The last calls with their results, or with `parts` of `PARTS` of these."""
        if parts not in self._tails:
            self._tails[parts] = self._cut_tail(parts)
        return self._tails[parts]

    def _cut_tail(self, parts: int) -> list[Message]:
        step = self._step
        if parts == PARTS:
            return list(step.messages[step.last.start : step.last.end])
        by_place = {result.at: record for result, record in zip(step.last.results, step.newest, strict=True)}
        longest = max((len(record.raw_output) for record in step.newest), default=0)
        if self._options.budget is not None:
            longest = min(longest, 4 * self._options.budget)  # a token is of four characters at most
        characters = between(SHORTEST, longest, parts)
        return [
            _cut(step.messages[at], by_place[at], self._shortener, characters) if at in by_place else step.messages[at]
            for at in range(step.last.start, step.last.end)
        ]


def _last_change(step: Step) -> int:
    """The place of the last result of a call that changed something; -1 where there is none."""
    for interaction in reversed(interactions(step.messages)):
        for result in reversed(interaction.results):
            record = Record("", result.tool_name, result.arguments, result.content)
            if not only_reads(record) and not (record.failed and record.raw_output.strip()):
                return result.at
    return -1


def _used_in(step: Step) -> frozenset[str]:
    """The keys of the arguments of a step's calls."""
    return frozenset(key for record in (*step.records, *step.newest) for key, _ in scalars(record.arguments))


def _by_tool(called: Sequence[Asked]) -> list[str]:
    """Tools with the ids of their records, the tool once where several follow each other."""
    before = [None, *(tool_name for tool_name, _ in called)]
    return [
        trace_id if tool_name == last else f"{written(tool_name)} {trace_id}"
        for last, (tool_name, trace_id) in zip(before, called, strict=False)
    ]


def _named(names: Sequence[str], most: int) -> str:
    more = [f"+{len(names) - most}"] if len(names) > most else []
    return ", ".join([*names[:most], *more])


def _summary(block: Block) -> str:
    return "\n".join([block.title, *(one_line(one.summary) for one in block.records if one.summary)])


def _cut(message: Message, record: Record, shortener: Shortener, characters: int) -> Message:
    """The message of a result with so much of it."""
    if len(record.raw_output) <= characters:
        return message
    return {**message, "content": block_of((record,), shortener, [characters], {}).body}
