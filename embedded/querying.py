"""Queries: documents sorted, skipped, limited and projected, as BSON bytes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from embedded.catalog import Collection
from embedded.codec import Document, decode, encode
from embedded.cursors import Stream
from embedded.errors import StoreError
from embedded.operators.matching import compile_filter
from embedded.operators.ordering import compile_sort, direction
from embedded.operators.projecting import compile_projection
from embedded.planning import Plan, SortSpec, make_plan
from embedded.scanning import Decode, Effort, Match, Source, decode_row, matches, read_one, read_row

MAX_SORT_BYTES = 512 * 1024 * 1024
KEPT_WHOLE = 16 * 1024 * 1024
_OVERHEAD = 150  # bytes that Python takes for what is kept of one document
_PORTION = 100


@dataclass(slots=True)
class Query:
    """What to find. `limit` 0 means all."""

    filter: Mapping[str, Any]
    sort: SortSpec = ()
    skip: int = 0
    limit: int = 0
    projection: Mapping[str, Any] | None = None
    hint: str | Mapping[str, Any] | None = None


def read_sort(spec: Mapping[str, Any]) -> SortSpec:
    """The sort as pairs. Raises 15974/15975 for directions other than 1 and -1, 238 for `$meta`."""
    return [(path, direction(path, wanted)) for path, wanted in spec.items()]


def sorted_query(query: Query, sort: Mapping[str, Any]) -> Query:
    """The query in an order; `$natural` alone is that of the insertions. Raises as `read_sort`, 2 for `$natural` with
    other paths or against a hint."""
    if "$natural" not in sort:
        query.sort = read_sort(sort)
        return query
    if len(sort) > 1:
        raise StoreError(2, "Cannot include '$natural' in compound sort: " + ", ".join(sort))
    if query.hint is not None and (isinstance(query.hint, str) or "$natural" not in query.hint):
        raise StoreError(2, "Cannot use hint with $natural sort")
    query.hint = {"$natural": direction("natural", sort["$natural"])}
    return query


def run_query(collection: Collection | None, query: Query, source: Source, effort: Effort | None = None) -> Stream:
    """The bytes of the documents that a query finds. Operators are checked at once, even with nothing to read."""
    project = compile_projection(query.projection, query.filter) if query.projection else None
    if collection is None:
        compile_filter(query.filter)
        return iter(())
    plan = make_plan(collection, query.filter, query.sort, query.hint)
    if not plan.exact:
        compile_filter(query.filter)
    if plan.is_one and project is None and effort is None and not query.skip:
        return read_one(plan, source)
    found = select(plan, query, source, effort)
    if project is None:
        return _bytes(found)
    return _projected(found, project)


def select(
    plan: Plan, query: Query, source: Source, effort: Effort | None = None, decoded: Decode = decode_row
) -> Iterator[Match | None]:
    """The matches of a plan in the query's order, `skip` and `limit` applied."""
    wanted = query.skip + query.limit if query.limit else 0
    found = matches(plan, source, wanted=wanted if plan.ordered else 0, effort=effort, decoded=decoded)
    if effort is not None:
        found = effort.found.through(found)
    if not plan.ordered:
        found = _sorted(found, query.sort, wanted, source)
    return _slice(found, query.skip, query.limit) if query.skip or query.limit else found


def _sorted(found: Iterator[Match | None], sort: SortSpec, wanted: int, source: Source) -> Iterator[Match | None]:
    """The first `wanted` (0: all) in order; ties stay in the order found.

    Beyond 16 MiB only the keys are kept, and the documents read once more, as they are then.
    """
    key = compile_sort(dict(sort))
    kept: list[tuple[bytes, int, bytes | None]] = []
    size, whole = 0, True
    for match in found:
        if match is None:
            yield None
            continue
        row, raw, document = match
        place = key(decode(raw) if document is None else document)
        kept.append((place, row, raw if whole else None))
        size += len(place) + (len(raw) if whole else 0) + _OVERHEAD
        if wanted and len(kept) >= 4 * wanted + 1000:
            kept.sort(key=_first)
            del kept[wanted:]
            size = sum(len(place) + len(body or b"") + _OVERHEAD for place, _, body in kept)
        if whole and size > KEPT_WHOLE:
            kept = [(place, row, None) for place, row, _ in kept]
            size, whole = sum(len(place) + _OVERHEAD for place, _, _ in kept), False
        if size > MAX_SORT_BYTES:
            raise StoreError(292, "Sort exceeded memory limit; add an index or a limit")
    kept.sort(key=_first)
    ordered = [(row, body) for _, row, body in kept[: wanted or None]]
    kept.clear()  # a cursor that waits has no use for the keys
    for number, (row, held) in enumerate(ordered):
        if number % _PORTION == 0:
            yield None
        body = read_row(row, source) if held is None else held
        if body is not None:  # else it was deleted since
            yield row, body, None


def _first(entry: tuple[bytes, int, bytes | None]) -> bytes:
    return entry[0]


def _slice(found: Iterator[Match | None], skip: int, limit: int) -> Iterator[Match | None]:
    taken = 0
    for match in found:
        if match is None:
            yield None
        elif skip:
            skip -= 1
        else:
            yield match
            taken += 1
            if taken == limit:
                return


def _bytes(found: Iterator[Match | None]) -> Stream:
    for match in found:
        yield None if match is None else match[1]


def _projected(found: Iterator[Match | None], project: Any) -> Stream:
    for match in found:
        if match is None:
            yield None
        else:
            yield encode(project(decode(match[1]) if match[2] is None else match[2]))


def documents(stream: Stream) -> Iterator[Document | None]:
    """A stream's documents, decoded."""
    for raw in stream:
        yield decode(raw) if isinstance(raw, bytes) else None


def drain(stream: Stream, breathe: Callable[[], None]) -> Iterator[Document]:
    """A stream's documents, `breathe` called at its breaths: for what cannot pause."""
    for raw in stream:
        if isinstance(raw, bytes):
            yield decode(raw)
        else:
            breathe()
