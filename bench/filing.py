"""Where rules file what clients tell memory banks: 136 banks, updated at `/v1/banks/{type}/{id}/update`.

    python -m bench.filing [--json] [--failures]

Each case of `data/notes.json` is a new bank with one to three updates: named files and sections, headings, labels,
check lists, JSON, prose without any of these, what ticks off items, and what replaces a section.

filed: pieces that say where they belong, and stand there; kept: pieces that do not, and stand somewhere, and cases of
which no word is lost; closed: items that were ticked off or dropped, and are open nowhere; replaced: texts that went
when their section was replaced; ms: p50 of an update, in this process.
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

DATA = Path(__file__).parent / "data" / "notes.json"
OPEN_SECTIONS = ("Next", "Issues", "To do")
TARGET = re.compile(r"^(?:\[file:[^\]\n]*\]|[a-z0-9_-]+\.md(?: > [A-Z][^:(\n]*)?(?: \(replace\))?:)", re.M)
WORD = re.compile(r"\w{3,}")
# What says where a text belongs, and need not stand there.
LABELS = re.compile(
    r"blocked|cancelled|completed|constraints?|current|decided|decisions?|done|focus|goal|issues?|longer|needed|next|not"
    r"|notes?|open|preferences?|questions?|reason|remaining|replace|requirements?|status|steps|todos?"
)

Bank = Mapping[str, str]  # what stands under `file > section`


@dataclass(frozen=True)
class Piece:
    """`sections`: any of these is right; none given, any of the bank."""

    words: str
    sections: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    id: str
    type: str
    updates: tuple[str, ...]
    filed: tuple[Piece, ...]
    closed: tuple[str, ...]
    gone: tuple[str, ...]
    may_go: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    case: Case
    misfiled: tuple[Piece, ...]
    unkept: tuple[Piece, ...]
    lost: tuple[str, ...]
    still_open: tuple[str, ...]
    not_replaced: tuple[str, ...]
    milliseconds: tuple[float, ...]


@dataclass(frozen=True)
class Figures:
    banks: int
    labelled: int
    filed: float
    unlabelled: int
    unlabelled_kept: float
    nothing_lost: float
    done: int
    closed: float
    replaced: float
    ms_p50: float

    @classmethod
    def of(cls, results: Sequence[Result]) -> "Figures":
        labelled = sum(bool(piece.sections) for each in results for piece in each.case.filed)
        unlabelled = sum(not piece.sections for each in results for piece in each.case.filed)
        done = sum(len(each.case.closed) for each in results)
        gone = sum(len(each.case.gone) for each in results)
        return cls(
            banks=len(results),
            labelled=labelled,
            filed=1 - sum(len(each.misfiled) for each in results) / max(1, labelled),
            unlabelled=unlabelled,
            unlabelled_kept=1 - sum(len(each.unkept) for each in results) / max(1, unlabelled),
            nothing_lost=sum(not each.lost for each in results) / max(1, len(results)),
            done=done,
            closed=1 - sum(len(each.still_open) for each in results) / max(1, done),
            replaced=1 - sum(len(each.not_replaced) for each in results) / max(1, gone),
            ms_p50=median(took for each in results for took in each.milliseconds),
        )

    def row(self, name: str) -> list[str]:
        shares = (self.filed, self.unlabelled_kept, self.nothing_lost, self.closed, self.replaced)
        return [name, str(self.banks), *(f"{100 * share:.1f}" for share in shares), figure(self.ms_p50)]


def cases() -> list[Case]:
    return [
        Case(
            id=each["id"],
            type=each["type"],
            updates=tuple(each["updates"]),
            filed=tuple(Piece(piece["words"], tuple(piece["sections"])) for piece in each["filed"]),
            closed=tuple(each["closed"]),
            gone=tuple(each["gone"]),
            may_go=tuple(each["may_go"]),
        )
        for each in json.loads(DATA.read_text())
    ]


async def update(api: Api, case: Case) -> Result:
    """The updates of a case one after the other, in a bank of a user of its own."""
    address = f"/v1/banks/{case.type}/{'global' if case.type == 'global' else case.id}"
    took = []
    for content in case.updates:
        began = time.perf_counter()
        await api.post(f"{address}/update", {"user_id": case.id, "content": content})
        took.append(milliseconds_since(began))
    answer: Any = await api.get(f"{address}?user_id={case.id}")
    bank = dict(_sections(answer["content"]))
    whole = "\n".join(bank.values())
    words = {word.casefold() for word in WORD.findall(whole)}
    return Result(
        case=case,
        misfiled=tuple(piece for piece in case.filed if piece.sections and not _stands(piece, bank)),
        unkept=tuple(piece for piece in case.filed if not piece.sections and not phrase(piece.words).search(whole)),
        lost=tuple(sorted(_content_words(case) - words)),
        still_open=tuple(item for item in case.closed if _is_open(item, bank)),
        not_replaced=tuple(text for text in case.gone if phrase(text).search(whole)),
        milliseconds=tuple(took),
    )


def _sections(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for file, text in files.items():
        _, *sections = re.split(r"^## (.+)\n?", text, flags=re.M)
        for title, body in zip(sections[::2], sections[1::2], strict=True):
            yield f"{file} > {title.strip()}", body


def _stands(piece: Piece, bank: Bank) -> bool:
    """Whether it is where it should be; `file > *` takes any section of the file."""
    return any(
        phrase(piece.words).search(text)
        for place, text in bank.items()
        if place in piece.sections or f"{place.partition(' > ')[0]} > *" in piece.sections
    )


def _is_open(item: str, bank: Bank) -> bool:
    lines = [line for place, text in bank.items() if place.endswith(OPEN_SECTIONS) for line in text.splitlines()]
    return any(phrase(item).search(line) and "[x]" not in line for line in lines)


def _content_words(case: Case) -> set[str]:
    """All that must be somewhere in the bank afterwards."""
    texts = [TARGET.sub("", text) for update in case.updates for text in _contents(update)]
    words = {word.casefold() for text in texts for word in WORD.findall(re.sub(r"^#+ .*$", "", text, flags=re.M))}
    return {word for word in words - set(case.may_go) if not LABELS.fullmatch(word)}


def _contents(update: str) -> list[str]:
    if not update.startswith(("{", "[{")):
        return [update]
    changes = json.loads(update)
    return [change["content"] for change in (changes if isinstance(changes, list) else [changes])]


async def _update_all() -> list[Result]:
    async with in_memory_api() as api:
        return [await update(api, case) for case in cases()]


def _report(results: Sequence[Result]) -> str:
    head = ["said by", "banks", "filed %", "kept %", "no word lost %", "closed %", "replaced %", "p50, ms"]
    kinds = sorted({_kind(each) for each in results})
    rows = [Figures.of([each for each in results if _kind(each) == kind]).row(kind) for kind in kinds]
    rows.append(Figures.of(results).row("all"))
    return table(head, rows)


def _kind(result: Result) -> str:
    return result.case.id.partition("-")[0]


def _failures(results: Sequence[Result]) -> Iterator[str]:
    for each in results:
        for piece in each.misfiled:
            yield f"{each.case.id}: {piece.words!r} is not in {' or '.join(piece.sections)}"
        yield from (f"{each.case.id}: {piece.words!r} is nowhere" for piece in each.unkept)
        yield from (f"{each.case.id}: lost the word {word!r}" for word in each.lost)
        yield from (f"{each.case.id}: still open: {item!r}" for item in each.still_open)
        yield from (f"{each.case.id}: not replaced: {text!r}" for text in each.not_replaced)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.filing", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="figures as JSON")
    parser.add_argument("--failures", action="store_true", help="what stands at a wrong place, or is lost, too")
    options = parser.parse_args(arguments)
    with new_runner() as runner:
        results = runner.run(_update_all())
    if options.failures:
        print(_report(results), *_failures(results), sep="\n")
    elif options.json:
        print(json.dumps(asdict(Figures.of(results))))
    else:
        print(_report(results))


if __name__ == "__main__":
    main()
