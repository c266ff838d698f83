"""The report of the figures, as Markdown tables that read as well in a terminal."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bench.recall.table import table
from bench.speed.beside import Measured, PeerRun
from bench.speed.floors import Floor
from bench.speed.ingest import FOUND, IngestRun
from bench.speed.search import SearchRun
from bench.speed.times import Times, ratio
from bench.speed.users import EACH, FEW, UsersRun

NONE = "–"

Ingested = tuple[list[IngestRun], Floor]


@dataclass
class Results:
    """What was measured; empty or None for what was not asked for."""

    machine: str
    search: list[SearchRun] = field(default_factory=list)
    users: UsersRun | None = None
    ingest: Ingested | None = None
    one: Ingested | None = None
    peers: list[PeerRun] = field(default_factory=list)


def report(results: Results) -> str:
    """The whole report."""
    parts = ["# Speed", results.machine]
    parts += _search(results.search) if results.search else []
    parts += _users(results.users) if results.users else []
    parts += _ingest("Many messages a call", *results.ingest) if results.ingest else []
    parts += _ingest("One message a call", *results.one) if results.one else []
    parts += _peers(results) if results.peers else []
    return "\n\n".join(parts) + "\n"


def _search(runs: Sequence[SearchRun]) -> list[str]:
    head = ["messages", "p50, ms", "p95, ms", "the server's p50, ms", "first search, ms"]
    head += ["API, MB", "of them this index, MB", "store, MB"]
    rows = [
        [
            f"{run.messages:,}",
            *_times(run.waited),
            figure(run.took.p50),
            figure(run.first),
            f"{run.after.api:,.0f}",
            f"{run.after.api - run.before.api:,.0f}",
            f"{run.after.store:,.0f}",
        ]
        for run in runs
    ]
    return [
        "## Search of one user",
        "By one client over HTTP; questions whose encoding is known. The first search is that after a start.",
        table(head, rows),
        *_floors(runs),
    ]


def _floors(runs: Sequence[SearchRun]) -> list[str]:
    """Each floor a row, and how many times it a search takes."""
    rows = [
        [f"{floor.name}, {run.messages:,}", *_times(floor.times), _multiple(run.waited.p50, floor.times.p50)]
        for run in runs
        for floor in (*run.floors, Floor("an empty answer over HTTP", run.trip))
        if floor.times is not None
    ]
    notes = dict.fromkeys(f"{floor.note}." for run in runs for floor in run.floors if floor.note)
    return [table(["floor, messages", "p50, ms", "p95, ms", "a search's p50 is"], rows), *notes]


def _users(run: UsersRun) -> list[str]:
    def row(name: str, times: Times) -> list[str]:
        return [name, f"{times.count:,}", *_times(times), _multiple(times.p50, _p50(run.floor))]

    before, after = run.before, run.after
    return [
        "## Search of many users",
        f"{run.users:,} users of {EACH:,} messages, `RECALL_MEMORY_MB` at its default. Resident are "
        f"{after.api:,.0f} MB of the API ({before.api:.0f} before the first user) and {after.store:,.0f} of the store "
        f"({before.store:.0f}).",
        table(
            ["users, in turn", "searches", "p50, ms", "p95, ms", "to NumPy's p50"],
            [
                row(f"{min(FEW, run.users)}, all kept in memory", run.few),
                row(f"{run.users:,}, for the first time", run.new),
                row(f"{run.users:,}, once more", run.again),
            ],
        ),
    ]


def _ingest(title: str, runs: Sequence[IngestRun], floor: Floor) -> list[str]:
    batch, calls = runs[0].batch, runs[0].calls.count
    rows = [
        [one.way.name, f"{one.rate:,.0f}", *_times(one.calls), _multiple(one.calls.p50, _p50(floor))] for one in runs
    ]
    if floor.times is not None:
        rows.append([floor.name, f"{1_000 * batch / floor.times.p50:,.0f}", *_times(floor.times), "1 x"])
    return [
        f"## {title}",
        f"{calls:,} calls of {batch:,}, one after the other.",
        table(["how", "messages a second", "call, p50, ms", "p95, ms", "to SQLite's p50"], rows),
    ]


def _peers(results: Results) -> list[str]:
    head = ["system, messages", "add, ms each", "p50, ms", "p95, ms", "to Loci's p50", "MB", "of them messages, MB"]
    rows: list[list[str]] = []
    notes: list[str] = []
    for run in results.search:
        rows.append(_own(run, results.ingest))
        for peer in results.peers:
            if peer.messages == run.messages and isinstance(peer.found, Measured):
                rows.append(_peer(peer.name, peer.found, run.waited.p50))
                notes += _shortfall(peer.name, peer.found, run)
    notes += [f"{one.name} is not measured: {one.found}." for one in results.peers if isinstance(one.found, str)]
    return [
        "## Others",
        "The same vectors, given to each by itself in a process of its own and asked without HTTP; to add excludes "
        f"encoding. Loci's is that of the way “{FOUND.name}”, its memory that of both processes.",
        table(head, rows),
        *dict.fromkeys(notes),
    ]


def _own(run: SearchRun, ingest: Ingested | None) -> list[str]:
    added = next((1_000 / one.rate for one in ingest[0] if one.way == FOUND), None) if ingest else None
    after, before = (each.api + each.store for each in (run.after, run.before))
    return [
        f"Loci over HTTP, {run.messages:,}",
        figure(added),
        *_times(run.waited),
        "1 x",
        f"{after:,.0f}",
        f"{after - before:,.0f}",
    ]


def _peer(name: str, found: Measured, own: float) -> list[str]:
    return [
        f"{name} {found.version}, {found.messages:,}",
        figure(found.add_ms),
        figure(found.p50),
        figure(found.p95),
        _multiple(found.p50, own),
        f"{found.resident_mb:,.0f}",
        f"{found.resident_mb - found.empty_mb:,.0f}",
    ]


def _shortfall(name: str, found: Measured, run: SearchRun) -> Iterable[str]:
    if found.messages < run.messages:
        yield f"{name} took {found.messages:,} of {run.messages:,} messages in its time."
    if found.searches < run.waited.count:
        yield f"{name} answered {found.searches} of {run.waited.count} questions about {found.messages:,} messages."


def _p50(floor: Floor) -> float | None:
    return None if floor.times is None else floor.times.p50


def _times(times: Times) -> list[str]:
    return [figure(times.p50), figure(times.p95)]


def _multiple(value: float | None, to: float | None) -> str:
    found = ratio(value, to)
    return NONE if found is None else f"{figure(found)} x"


def figure(value: float | None) -> str:
    """With three digits that count, or all before the point."""
    if value is None:
        return NONE
    digits = next((digits for digits, least in ((0, 100), (1, 10), (2, 1)) if abs(value) >= least), 3)
    return f"{value:,.{digits}f}"
