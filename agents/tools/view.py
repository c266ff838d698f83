"""The view of a step: the messages that an agent's next step needs.

The system prompt, what the user said, the results of tools packed by meaning, the last calls of tools whole, and what
was said after them. Within a budget, records are drawn short once and measured; those for which there is room become
longer, the most relevant ones first.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from agents.tools.budget import SHORTEST, fullest, least, tokens_of, within
from agents.tools.conversation import PROMPTS, after, before, everything, last_said, spoken_of
from agents.tools.messages import HEADING, NOTICE, RETRIEVED, Asked, Interaction, Message, said_in
from memory.views import (
    SMALL,
    Block,
    Call,
    Shortener,
    Talk,
    ToolRecord,
    block_of,
    call_text,
    in_force,
    left_out,
    one_line,
    overtaken,
    tables,
    written,
)
from utils.errors import InvalidInput

RULE = "-------------------"  # between records (the tool memory's document)
OTHERS = "[OTHERS]"
LITTLE = 1_000  # characters of a whole history but for prompts: nothing is gained by less of it
FEW_CHARACTERS = 600  # of all results together: nothing of them is left out
UNANSWERED = 8  # calls without results that are told
FIELDS, RECORDS = 1, 2  # how many are named of the fields that are left out, and of the records that are not shown
BRIEF = 4  # times shorter, what is not the most relevant
FAILURES_OF = 4  # one failure of so many records is few


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
    newest: tuple[ToolRecord, ...]
    records: tuple[ToolRecord, ...]
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
    view, budget = drawing.normal(), options.budget
    if budget is None:
        return view
    if tokens_of(view) <= budget:
        return drawing.fuller(view, budget)
    return drawing.shorter(budget) or drawing.packed(budget)


class _Drawing:
    """Draws views of one step, each table once for each size that it is tried in."""

    def __init__(self, step: Step, options: ViewOptions) -> None:
        self._step, self._options = step, options
        self._known = known = in_force(step.records, step.newest)
        little = sum(len(said_in(one)) for one in step.messages if one.get("role") not in PROMPTS) <= LITTLE
        few = little or sum(len(one.raw_output) for one in known) <= FEW_CHARACTERS
        self._talk = replace(spoken_of(step.messages, step.query), thorough=few)
        self._overtaken = overtaken(known)
        self._order = _by_relevance(self._known, step.ranked)
        self._first = frozenset(self._order[: options.top_k])
        place = {trace_id: at for at, trace_id in enumerate(self._order)}
        self._groups = sorted(tables(self._known), key=lambda group: min(place[one.trace_id] for one in group))
        earlier, later = step.messages[: step.last.start], step.messages[step.last.end :]
        self._all_said = everything(earlier), everything(later)
        answered = not any(message.get("role") == "user" for message in later)
        some = before(earlier, answered=answered), after(later)
        self._head, self._after = self._all_said if little else some
        self._tail = list(step.messages[step.last.start : step.last.end])

    def normal(self) -> list[Message]:
        """The view without a budget."""
        self._blocks = [self._drawn(group, self._options.max_chars) for group in self._groups]
        return self._view(self._blocks)

    def fuller(self, view: list[Message], budget: int) -> list[Message]:
        """The view with as much more as a budget has room for: all that the agent said, then all fields of the most
        relevant records, and more characters of each."""
        usual = self._head, self._after
        self._head, self._after = self._all_said
        if tokens_of(fuller := self._view(self._blocks)) <= budget:
            view = fuller
        else:
            self._head, self._after = usual
        whole, most = replace(self._talk, thorough=True), self._options.max_chars
        grown = [self._drawn(group, most, whole) for group in self._groups]

        def mixed(count: int) -> list[Message]:
            return self._view([*grown[:count], *self._blocks[count:]])

        count = bisect_right(range(len(grown) + 1), budget, key=lambda count: tokens_of(mixed(count))) - 1
        view = mixed(count) if count > 0 else view
        longest = max((len(record.raw_output) for record in self._known), default=0)
        if count < len(grown) or self._options.capped or longest <= most:
            return view
        return self._with_characters(most, longest, budget, whole) or view

    def shorter(self, budget: int) -> list[Message] | None:
        """The view with the most relevant records as far as there is room for each in short, and then with more of
        these; None where there is none for the `top_k` most relevant."""
        short = [self._drawn(group, SMALL) for group in self._groups]
        order = _with_changes(self._order, self._overtaken)
        shown = self._as_many(short, order, budget)
        if shown is None or len(shown) < min(len(order), self._options.top_k):
            return None
        blocks = _of(short, shown)
        self._groups = [list(block.records) for block in blocks]
        most = max(SMALL, self._options.max_chars)
        return self._with_characters(SMALL, most, budget, self._talk) or self._view(blocks)

    def _with_characters(self, least: int, most: int, budget: int, talk: Talk) -> list[Message] | None:
        """The view with as many characters of each record as a budget has room for; None where it has none."""
        rest = tokens_of([*self._head, *self._tail, *self._after])

        def drawn(characters: int) -> list[Message]:
            return self._context([self._drawn(group, characters, talk) for group in self._groups])

        found = fullest(least, most, drawn, tokens_of, budget - rest)
        return None if found is None else [*self._head, *found, *self._tail, *self._after]

    def packed(self, budget: int) -> list[Message]:
        """The view with the last results cut, within a budget: what the user said and the most relevant records, short,
        before as much of the last results as there is room for. Raises `InvalidInput` where nothing fits."""
        tail, self._tail = self._tail, self._cut_tail(SHORTEST)
        short = [self._drawn(group, SMALL) for group in self._groups]
        order = _with_changes(self._order, self._overtaken)
        shown = self._as_many(short, order[: self._options.top_k], budget)
        if shown is None or len(shown) < min(len(order), self._options.top_k):
            unnamed = self._least(_of(short, order[: self._options.top_k]), budget)
            if shown is None:  # there is no room for the names of records
                return unnamed
        blocks = _of(short, shown)
        rest = tokens_of(self._view(blocks)) - tokens_of(self._tail)
        longest = max((len(record.raw_output) for record in self._step.newest), default=SHORTEST)
        fitted = fullest(SHORTEST, max(longest, SHORTEST), self._cut_tail, tokens_of, budget - rest)
        self._tail = tail if fitted is None else fitted
        shown = self._as_many(short, order, budget) or shown
        return self._view(_of(short, shown))

    def _least(self, blocks: Sequence[Block], budget: int) -> list[Message]:
        """The view with less of what the user said in between, which stays so: long messages are cut, for some records
        or for their names alone; where that is not enough the oldest messages go, and at last the names of records."""
        rest = [*self._tail, *self._after]
        question = f"{last_said(self._step.messages)} {self._step.query}"
        few, names = self._context(blocks), self._context([])
        for context, every in ((few, True), (names, True), (names, False), ([], False)):
            room = budget - tokens_of([*context, *rest])
            if (head := within(self._head, room, question, every=every)) is not None:
                self._head = head
                return [*head, *context, *rest]
        needed = tokens_of([*least(self._head, question), *rest])
        raise InvalidInput(f"The budget is too small: at least {needed} tokens must stay")

    def _as_many(self, blocks: Sequence[Block], order: Sequence[str], budget: int) -> list[str] | None:
        """The ids of the first records of an order, as many as there is room for; None where there is none for their
        names."""

        def tokens(count: int) -> int:
            return tokens_of(self._view(_of(blocks, order[:count])))

        fitting = bisect_right(range(len(order) + 1), budget, key=tokens)
        return list(order[: fitting - 1]) if fitting else None

    def _drawn(self, group: Sequence[ToolRecord], limit: int, talk: Talk | None = None) -> Block:
        """A table of records of so many characters each; of those that are not the most relevant a part of that, until
        all fields are told."""
        brief = max(min(limit, SMALL), limit // BRIEF) if talk is None or talk is self._talk else limit
        limits = [limit if one.trace_id in self._first else brief for one in group]
        return block_of(tuple(group), Shortener(talk or self._talk), limits, self._overtaken)

    def _view(self, blocks: Sequence[Block]) -> list[Message]:
        return [*self._head, *self._context(blocks), *self._tail, *self._after]

    def _context(self, blocks: Sequence[Block]) -> list[Message]:
        """The message that holds tables, and that names what is left out, the records that are not shown, and the calls
        without results; none where there are none of them."""
        shown = {one.trace_id for block in blocks for one in block.records}
        hidden = [one for one in self._known if one.trace_id not in shown]
        told = self._tables(blocks)
        if gone := left_out([block for block in blocks if not block.is_whole], self._talk):
            told.append(f"Left out: {_named(gone, FIELDS)}")
        if unseen := [*self._step.unread, *((one.tool_name, one.trace_id) for one in hidden)]:
            told.append(f"Not shown: {_named(_by_tool(unseen[::-1]), RECORDS)}")
        if unanswered := [call_text(*one) for one in reversed(self._step.unanswered)]:
            told.append(f"No result: {_named(unanswered, UNANSWERED)}")
        return [{"role": "system", "content": "\n".join([HEADING, NOTICE, *told])}] if told else []

    def _tables(self, blocks: Iterable[Block]) -> list[str]:
        """The tables of the most relevant records as retrieved ones, with the rule between them, and then the
        others."""
        said = {one.trace_id for block in blocks for one in block.records if one.raw_output.strip()}
        first = set([one for one in self._order if one in said][: self._options.top_k])
        telling = [block for block in blocks if any(one.trace_id in first for one in block.records)]
        parts = [
            f"{RETRIEVED}{number}]\nSummary: {_summary(block)}\nRaw Data: {block.body}"
            for number, block in enumerate(telling, 1)
        ]
        others = [f"{block.title}\n{block.body}" for block in blocks if block not in telling]
        return [*([f"\n{RULE}\n".join(parts)] if parts else []), *(["\n".join([OTHERS, *others])] if others else [])]

    def _cut_tail(self, characters: int) -> list[Message]:
        """The last calls with so many characters of each of their results."""
        step, shortener = self._step, Shortener(self._talk)
        cut = {
            result.at: block_of((record,), shortener, [characters]).body
            for result, record in zip(step.last.results, step.newest, strict=True)
            if len(record.raw_output) > characters
        }
        places = range(step.last.start, step.last.end)
        return [{**step.messages[at], "content": cut[at]} if at in cut else step.messages[at] for at in places]


def _of(blocks: Iterable[Block], ids: Sequence[str]) -> list[Block]:
    """Tables with some of their records alone."""
    return [left for block in blocks if (left := block.of(ids)) is not None]


def _by_relevance(records: Sequence[ToolRecord], ranked: Sequence[str]) -> list[str]:
    """The ids of records: those of failures where they are few, then the most relevant of the others, and then the
    newest; no answer before a later one to the same call."""
    known = dict.fromkeys(record.trace_id for record in reversed(records))
    failures = [record.trace_id for record in reversed(records) if record.reports_failure]
    few = failures if len(failures) * FAILURES_OF <= len(records) else []
    order = [one for one in dict.fromkeys([*few, *ranked, *known]) if one in known]
    answers: defaultdict[Call, list[str]] = defaultdict(list)
    for record in records:
        answers[record.call].append(record.trace_id)
    calls = {record.trace_id: record.call for record in records}
    return [answers[calls[one]].pop() for one in order]  # of the answers to one call, the newest first


def _with_changes(order: Sequence[str], overtaken: Mapping[str, str]) -> list[str]:
    """The ids of records, in their order, but for what changed a thing, which comes before what the thing was."""
    known, ordered = frozenset(order), dict[str, None]()
    for one in order:
        changes = [one]
        while (then := overtaken.get(changes[-1])) in known and then not in ordered and then not in changes:
            changes.append(str(then))
        ordered |= dict.fromkeys(reversed(changes))
    return list(ordered)


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
