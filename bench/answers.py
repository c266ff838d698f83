"""What /query answers by rules, without a language model, to questions about a history.

    python -m bench.answers [--turns] [--heldout] [--floor T ...] [--json]

bench/data/questions.json has histories of 25 users and what each of them says next: questions that one message
answers, those of which a newer message replaces an older one, those for what the assistant said; questions with nothing
but a near miss in the history, tasks for a language model, and small talk. Each history is imported into a memory of
this process, and facts are made of it; each line is said in a session of its own, and is remembered as lines of users
are. A reply is

right: its first quote is evidence, and it has an accepted answer in it; of what was replaced, the newer message comes
first. For near misses, tasks and small talk: it quotes nothing.
among: evidence is quoted, but not first, or without the answer.
wrong: something else is quoted. silent: nothing is, where something should be.

`--turns` says the lines of bench/data/turns.json instead: two questions in one, pronouns, what was so once, whether
something was told or is known, whose words, and what was to be remembered. They were written without a look at rules.
`--heldout` says only the lines of the histories marked so, which nobody should look at to make rules. `--floor` quotes,
instead, up to three hits of a search that score T or more, and half as much as the best, and are no question.
`--json` prints every reply with its verdict.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

from pydantic import TypeAdapter

from agents.chat import ChatRequest
from agents.memory import Memory
from agents.open import open_memory
from bench.recall.in_process import TURNS, Quiet, passing_settings
from bench.recall.table import table
from memory.domain import Turn
from memory.ids import prompt_id, response_id
from utils.loops import new_runner
from utils.text import folded

DATA = Path(__file__).parent / "data" / "questions.json"
TURNS_DATA = DATA.with_name("turns.json")
MOST_QUOTED = 3
HALF = 0.5

Kind = Literal[
    "single", "replaced", "assistant", "none", "task", "small talk",
    "joined", "pronoun", "once", "whether told", "known", "whose words", "to remember",
]  # fmt: skip
Verdict = Literal["right", "among", "wrong", "silent"]

_OPENERS = "what|whats|which|who|whos|whose|when|where|why|how|is|are|do|does|did|can|could|should|would|any"
_QUESTION = re.compile(rf"(?:{_OPENERS})\b|.*[?？؟]\s*$", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True)
class Message:
    id: str
    session: int
    date: datetime
    role: Literal["user", "assistant"]
    text: str

    @property
    def turn(self) -> Turn:
        return Turn(self.id, self.role, self.text, self.date.replace(tzinfo=UTC))


@dataclass(frozen=True)
class Line:
    """What a user says next. `evidence`: ids of the messages any of which answers it, with one of `answers`, and all
    of `also`; `replaced`: those that they replace; `near`: those that only seem to answer it. `after`: what the user
    says right before it."""

    kind: Kind
    language: str
    text: str
    evidence: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class History:
    id: str
    heldout: bool
    messages: tuple[Message, ...]
    asked: tuple[Line, ...]


@dataclass(frozen=True)
class Data:
    corpus: str
    histories: tuple[History, ...]


@dataclass(frozen=True)
class Quote:
    id: str
    text: str


@dataclass(frozen=True)
class Reply:
    """`quotes`: in the order of the text."""

    text: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True)
class Judged:
    history: str
    line: Line
    reply: Reply
    verdict: Verdict


Ask = Callable[[History, int, Line], Awaitable[Reply]]


def read_data(path: Path = DATA) -> Data:
    return TypeAdapter(Data).validate_json(path.read_bytes())


def verdict(line: Line, reply: Reply) -> Verdict:
    if not line.evidence:
        return "wrong" if reply.quotes else "right"
    if not reply.quotes:
        return "silent"
    text = folded(reply.text)
    answered = any(folded(answer) in text for answer in line.answers) and all(folded(one) in text for one in line.also)
    if reply.quotes[0].id in line.evidence and answered:
        return "right"
    return "among" if any(quote.id in line.evidence for quote in reply.quotes) else "wrong"


async def remember(memory: Memory, history: History) -> None:
    for session in sorted({message.session for message in history.messages}):
        turns = [message.turn for message in history.messages if message.session == session]
        await memory.add(history.id, f"session-{session}", turns, wait=True)
    await memory.engine.knowledge.queue.work()
    await memory.engine.gists.queue.work()


def chatting(memory: Memory) -> Ask:
    """Asks as /query does."""

    async def ask(history: History, place: int, line: Line) -> Reply:
        session = f"asked-{place}"
        for at, text in enumerate((*line.after, line.text)):
            name = f"{session}-{at}"
            finished = await memory.chat(ChatRequest(text, history.id, session, name))
            await memory.engine.embed_all(history.id, [prompt_id(name), response_id(name)])
        answer = finished.answer
        order = [int(number) for number in _NUMBER.findall(answer.text)]
        cited = sorted(answer.citations, key=lambda cite: order.index(cite.n) if cite.n in order else len(order))
        return Reply(answer.text, tuple(Quote(citation.id, citation.content) for citation in cited))

    return ask


@dataclass(frozen=True)
class Searched:
    """What a search found, best first, with the scores."""

    quotes: tuple[Quote, ...]
    scores: tuple[float, ...]

    def above(self, floor: float) -> Reply:
        """What is quoted of it: what scores as much as `floor`, and half as much as the best, and is no question."""
        least = max(floor, HALF * max(self.scores, default=0.0))
        pairs = zip(self.quotes, self.scores, strict=True)
        quotes = [quote for quote, score in pairs if score >= least and not _QUESTION.match(quote.text)][:MOST_QUOTED]
        return Reply(" ".join(quote.text for quote in quotes), tuple(quotes))


async def search(memory: Memory, history: History, place: int, line: Line) -> Searched:
    """Searches for a line, which is remembered afterwards."""
    hits = (await memory.search(history.id, line.text, scope=TURNS)).hits
    name = f"asked-{place}"
    await memory.add(history.id, name, [Turn(prompt_id(name), "user", line.text, datetime.now(UTC))], wait=True)
    quotes = tuple(Quote(hit.gist.id, hit.gist.content) for hit in hits)
    return Searched(quotes, tuple(hit.score for hit in hits))


async def measure(histories: Sequence[History]) -> list[Judged]:
    judged = []
    with passing_settings() as settings:
        async with open_memory(settings, nudge=Quiet()) as memory:
            ask = chatting(memory)
            for history in histories:
                await remember(memory, history)
                for place, line in enumerate(history.asked):
                    reply = await ask(history, place, line)
                    judged.append(Judged(history.id, line, reply, verdict(line, reply)))
    return judged


async def measure_floors(histories: Sequence[History], floors: Sequence[float]) -> dict[float, list[Judged]]:
    judged: dict[float, list[Judged]] = {floor: [] for floor in floors}
    with passing_settings() as settings:
        async with open_memory(settings, nudge=Quiet()) as memory:
            for history in histories:
                await remember(memory, history)
                for place, line in enumerate(history.asked):
                    searched = await search(memory, history, place, line)
                    for floor in floors:
                        reply = searched.above(floor)
                        judged[floor].append(Judged(history.id, line, reply, verdict(line, reply)))
    return judged


def counts(judged: Sequence[Judged]) -> dict[str, Counter[Verdict]]:
    """Verdicts by kind, of other languages than English, and of all; of those that have a line."""
    groups = {kind: [item for item in judged if item.line.kind == kind] for kind in get_args(Kind)}
    groups["in other languages"] = [item for item in judged if item.line.language != "en"]
    groups["all"] = list(judged)
    return {name: Counter(item.verdict for item in group) for name, group in groups.items() if group}


def report(judged: Sequence[Judged]) -> str:
    verdicts = get_args(Verdict)
    groups = counts(judged)
    rows = [
        (
            *(group, str(count.total()), *(str(count[name]) for name in verdicts)),
            *(_percent(count["right"], count), _percent(count["wrong"], count)),
        )
        for group, count in groups.items()
    ]
    head = ("", "lines", *verdicts, "right %", "wrong %")
    whole = groups["all"]
    last = f"right {_percent(whole['right'], whole)} %, wrong {_percent(whole['wrong'], whole)} %"
    return f"{table(head, rows)}\n\n{last}"


def report_floors(judged: dict[float, list[Judged]]) -> str:
    """The shares of what is right and wrong by kind and floor."""
    groups = {floor: counts(some) for floor, some in judged.items()}
    kinds = next(iter(groups.values()))
    rows = [(kind, *(_shares(group[kind]) for group in groups.values())) for kind in kinds]
    return table(("right %/wrong %", *(f"{floor:g}" for floor in groups)), rows)


def _shares(count: Counter[Verdict]) -> str:
    return f"{_percent(count['right'], count)}/{_percent(count['wrong'], count)}"


def _percent(part: int, whole: Counter[Verdict]) -> str:
    return f"{100 * part / whole.total():.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", action="store_true")
    parser.add_argument("--heldout", action="store_true")
    parser.add_argument("--floor", type=float, nargs="+", default=())
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    path = TURNS_DATA if arguments.turns else DATA
    histories = [history for history in read_data(path).histories if history.heldout or not arguments.heldout]
    with new_runner() as runner:
        if arguments.floor:
            by_floor = runner.run(measure_floors(histories, arguments.floor))
            replies: object = {floor: [asdict(item) for item in judged] for floor, judged in by_floor.items()}
            shown = report_floors(by_floor)
        else:
            judged = runner.run(measure(histories))
            replies, shown = [asdict(item) for item in judged], report(judged)
    print(json.dumps(replies, ensure_ascii=False, indent=1) if arguments.json else shown)


if __name__ == "__main__":
    main()
