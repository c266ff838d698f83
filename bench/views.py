"""What a compressed history keeps of what the next step needs: 100 agents that call tools.

    python -m bench.views [--json] [--failures]

Each history of `data/histories.json` is sent to `/v1/tool-memory/compress` before each step that needs something of an
earlier result. Of these values neither the user nor the last results say one.

needed: values that the view holds, of those that the next call has as arguments or the answer must name;
current: values in force, of things that a later call changed, that the view holds;
stale: former values that it shows without the mark `(before …)` and with none in force behind them;
tokens, characters: of the view to those of the history; ms: p50 of a step, in this process.
"""

import argparse
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.in_memory_api import Api, in_memory_api
from bench.phrases import phrase
from bench.recall.table import table
from bench.speed.report import figure
from bench.speed.times import milliseconds_since
from utils.loops import new_runner

DATA = Path(__file__).parent / "data" / "histories.json"
MARK = re.compile(r"\((?:before|superseded|outdated|stale)\b")
MARKED_WITHIN = 120  # characters of a record, in which its mark stands

Message = Mapping[str, Any]


@dataclass(frozen=True)
class Change:
    now: str
    was: str


@dataclass(frozen=True)
class Step:
    """What the message at a place of a history needs of those before it."""

    at: int
    needed: tuple[str, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class History:
    id: str
    domain: str
    messages: tuple[Message, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Outcome:
    """Of one step: what its view lacks or shows wrongly, and its size before and after."""

    history: str
    domain: str
    step: Step
    lost: tuple[str, ...]
    outdated: tuple[Change, ...]
    stale: tuple[Change, ...]
    tokens: tuple[int, int]
    characters: tuple[int, int]
    milliseconds: float


@dataclass(frozen=True)
class Figures:
    histories: int
    steps: int
    needed: int
    needed_kept: float
    changes: int
    current_kept: float
    stale_shown: float
    tokens: float
    characters: float
    ms_p50: float

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> "Figures":
        needed = sum(len(each.step.needed) for each in outcomes)
        changes = sum(len(each.step.changes) for each in outcomes)
        return cls(
            histories=len({each.history for each in outcomes}),
            steps=len(outcomes),
            needed=needed,
            needed_kept=1 - sum(len(each.lost) for each in outcomes) / max(1, needed),
            changes=changes,
            current_kept=1 - sum(len(each.outdated) for each in outcomes) / max(1, changes),
            stale_shown=sum(len(each.stale) for each in outcomes) / max(1, changes),
            tokens=_ratio([each.tokens for each in outcomes]),
            characters=_ratio([each.characters for each in outcomes]),
            ms_p50=median(each.milliseconds for each in outcomes),
        )

    def row(self, name: str) -> list[str]:
        shares = (self.needed_kept, self.current_kept, self.stale_shown, self.tokens, self.characters)
        counts = (self.histories, self.steps, self.needed, self.changes)
        return [name, *map(str, counts), *(f"{100 * share:.1f}" for share in shares), figure(self.ms_p50)]


def histories() -> list[History]:
    return [
        History(
            id=each["id"],
            domain=each["domain"],
            messages=tuple(each["messages"]),
            steps=tuple(
                Step(step["at"], tuple(step["needed"]), tuple(Change(**change) for change in step["current"]))
                for step in each["steps"]
            ),
        )
        for each in json.loads(DATA.read_text())
    ]


async def measure(api: Api, history: History) -> list[Outcome]:
    """A task of its own, compressed at each of its steps."""
    records: set[str] = set()
    outcomes = []
    for step in sorted(history.steps, key=lambda step: step.at):
        before = history.messages[: step.at]
        began = time.perf_counter()
        view: Any = await api.post("/v1/tool-memory/compress", {"task_id": history.id, "messages": before})
        took = milliseconds_since(began)
        records.update(view["trace_ids"])
        shown = _text(view["messages"])
        by_tools = _text([message for message in view["messages"] if message["role"] != "user"])
        outcomes.append(
            Outcome(
                history=history.id,
                domain=history.domain,
                step=step,
                lost=tuple(value for value in step.needed if not phrase(value).search(shown)),
                outdated=tuple(each for each in step.changes if not phrase(each.now).search(shown)),
                stale=tuple(each for each in step.changes if _is_stale(each, by_tools, records)),
                tokens=(view["stats"]["tokens_before"], view["stats"]["tokens_after"]),
                characters=(len(_text(before)), len(shown)),
                milliseconds=took,
            )
        )
    return outcomes


def _is_stale(change: Change, shown: str, records: set[str]) -> bool:
    """Whether the former value stands without a mark, and the one in force not behind it."""
    current = [match.start() for match in phrase(change.now).finditer(shown)]
    rest = phrase(change.now).sub(lambda match: " " * len(match[0]), shown)  # the one in force may hold the former
    starts = [0, *(match.start() for match in re.finditer(r"(?<!before )\b\w+", shown) if match[0] in records)]
    for match in phrase(change.was).finditer(rest):
        start = max(at for at in starts if at <= match.start())
        marked = MARK.search(shown, start, min(start + MARKED_WITHIN, match.start()))
        if not marked and not any(at > match.start() for at in current):
            return True
    return False


def _text(messages: Sequence[Message]) -> str:
    return "\n".join(part for message in messages for part in _parts(message))


def _parts(message: Message) -> Iterator[str]:
    yield str(message.get("content") or "")
    for call in message.get("tool_calls") or ():
        yield f"{call['function']['name']} {call['function']['arguments']}"


def _ratio(sizes: Sequence[tuple[int, int]]) -> float:
    return sum(after for _, after in sizes) / sum(before for before, _ in sizes)


async def _measure_all() -> list[Outcome]:
    async with in_memory_api() as api:
        return [outcome for history in histories() for outcome in await measure(api, history)]


def _report(outcomes: Sequence[Outcome]) -> str:
    head = ["agents", "histories", "steps", "needed", "changes", "needed %", "current %", "stale %"]
    domains = sorted({each.domain for each in outcomes})
    rows = [Figures.of([each for each in outcomes if each.domain == name]).row(name) for name in domains]
    rows.append(Figures.of(outcomes).row("all"))
    return table([*head, "tokens %", "characters %", "p50, ms"], rows)


def _failures(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for each in outcomes:
        at = f"{each.history} at {each.step.at}"
        yield from (f"{at}: lost {value!r}" for value in each.lost)
        yield from (f"{at}: lost the current {change.now!r}" for change in each.outdated)
        yield from (f"{at}: shows {change.was!r}, which is {change.now!r} now" for change in each.stale)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.views", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="figures as JSON")
    parser.add_argument("--failures", action="store_true", help="what each view lacks or shows wrongly, too")
    options = parser.parse_args(arguments)
    with new_runner() as runner:
        outcomes = runner.run(_measure_all())
    if options.failures:
        print(_report(outcomes), *_failures(outcomes), sep="\n")
    elif options.json:
        print(json.dumps(asdict(Figures.of(outcomes))))
    else:
        print(_report(outcomes))


if __name__ == "__main__":
    main()
