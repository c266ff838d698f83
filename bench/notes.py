"""What rules note of the outputs of steps: 141 of everyday tools, read at `/v1/observations/extract`.

    python -m bench.notes [--json] [--failures]

`data/outputs.json` says of each output what a reader must find in its notes, each item as words that one note has
together (an error's message and its place, totals, the last line), and what must not stand there (progress, hints).

wanted: items that a note has; noise: items that should not be there and are; notes: of an output on average; ms: p50
of an output, in this process.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from bench.in_memory_api import Api, in_memory_api
from bench.phrases import phrase
from bench.recall.table import table
from bench.speed.report import figure
from bench.speed.times import milliseconds_since
from utils.loops import new_runner

DATA = Path(__file__).parent / "data" / "outputs.json"
CATEGORIES = ("findings", "insights", "lessons")

NoteWords = tuple[str, ...]  # words that one note has together


@dataclass(frozen=True)
class Output:
    step_name: str
    step_type: str
    text: str
    wanted: tuple[NoteWords, ...]
    noise: tuple[str, ...]


@dataclass(frozen=True)
class Reading:
    """Of one output: its notes, what they lack, and the noise in them."""

    output: Output
    notes: tuple[str, ...]
    missed: tuple[NoteWords, ...]
    noise: tuple[str, ...]
    milliseconds: float


@dataclass(frozen=True)
class Figures:
    outputs: int
    wanted: int
    wanted_found: float
    noise: int
    noise_noted: float
    notes_per_output: float
    ms_p50: float

    @classmethod
    def of(cls, readings: Sequence[Reading]) -> "Figures":
        wanted = sum(len(each.output.wanted) for each in readings)
        noise = sum(len(each.output.noise) for each in readings)
        return cls(
            outputs=len(readings),
            wanted=wanted,
            wanted_found=1 - sum(len(each.missed) for each in readings) / max(1, wanted),
            noise=noise,
            noise_noted=sum(len(each.noise) for each in readings) / max(1, noise),
            notes_per_output=mean(len(each.notes) for each in readings),
            ms_p50=median(each.milliseconds for each in readings),
        )

    def row(self, name: str) -> list[str]:
        shares = (f"{100 * self.wanted_found:.1f}", str(self.noise), f"{100 * self.noise_noted:.1f}")
        end = (f"{self.notes_per_output:.1f}", figure(self.ms_p50))
        return [name, str(self.outputs), str(self.wanted), *shares, *end]


def outputs() -> list[Output]:
    return [
        Output(
            step_name=each["step_name"],
            step_type=each["step_type"],
            text=each["output"],
            wanted=tuple(map(tuple, each["wanted"])),
            noise=tuple(each["noise"]),
        )
        for each in json.loads(DATA.read_text())
    ]


async def read(api: Api, output: Output) -> Reading:
    body = {"step_name": output.step_name, "step_type": output.step_type, "output": output.text}
    began = time.perf_counter()
    answer: Any = await api.post("/v1/observations/extract", body)
    took = milliseconds_since(began)
    notes = tuple(str(note["content"]) for category in CATEGORIES for note in answer[category])
    return Reading(
        output=output,
        notes=notes,
        missed=tuple(item for item in output.wanted if not any(_has(note, item) for note in notes)),
        noise=tuple(words for words in output.noise if any(phrase(words).search(note) for note in notes)),
        milliseconds=took,
    )


def _has(note: str, item: NoteWords) -> bool:
    return all(phrase(words).search(note) for words in item)


async def _read_all() -> list[Reading]:
    async with in_memory_api() as api:
        return [await read(api, output) for output in outputs()]


def _report(readings: Sequence[Reading]) -> str:
    head = ["step", "outputs", "wanted", "found %", "noise", "noted %", "notes", "p50, ms"]
    kinds = sorted({each.output.step_type for each in readings})
    rows = [Figures.of([each for each in readings if each.output.step_type == kind]).row(kind) for kind in kinds]
    rows.append(Figures.of(readings).row("all"))
    return table(head, rows)


def _failures(readings: Sequence[Reading]) -> Iterator[str]:
    for each in readings:
        name = each.output.step_name
        yield from (f"{name}: missed {' … '.join(item)}" for item in each.missed)
        yield from (f"{name}: noted {words}" for words in each.noise)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.notes", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="figures as JSON")
    parser.add_argument("--failures", action="store_true", help="what the notes lack or should not have, too")
    options = parser.parse_args(arguments)
    with new_runner() as runner:
        readings = runner.run(_read_all())
    if options.failures:
        print(_report(readings), *_failures(readings), sep="\n")
    elif options.json:
        print(json.dumps(asdict(Figures.of(readings))))
    else:
        print(_report(readings))


if __name__ == "__main__":
    main()
