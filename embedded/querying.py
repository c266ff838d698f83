"""What comes out of a query? Sorted, skipped, limited and projected, as BSON bytes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from embedded.catalog import Collection
from embedded.codec import Document, decode, encode
from embedded.cursors import Stream
from embedded.errors import StoreError, not_implemented
from embedded.operators.matching import compile_filter
from embedded.operators.projecting import compile_projection
from embedded.operators.values import encode_key, index_values, invert_key
from embedded.planning import Plan, SortSpec, make_plan
from embedded.scanning import Decode, Effort, Match, Source, decode_row, matches

MAX_SORT_BYTES = 512 * 1024 * 1024


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
    """The sort as pairs. Raises 15975 for directions other than 1 and -1, 238 for `$meta`."""
    pairs = []
    for path, direction in spec.items():
        if isinstance(direction, Mapping):
            raise not_implemented("a sort by $meta")
        if isinstance(direction, bool) or not isinstance(direction, (int, float)) or direction not in (1, -1):
            raise StoreError(15975, "$sort key ordering must be 1 (for ascending) or -1 (for descending)")
        pairs.append((path, int(direction)))
    return [] if pairs and pairs[0][0] == "$natural" else pairs


def run_query(collection: Collection | None, query: Query, source: Source, effort: Effort | None = None) -> Stream:
    """The bytes of the documents that a query finds. Operators are checked at once, even with nothing to read."""
    project = compile_projection(query.projection, query.filter) if query.projection else None
    if collection is None:
        compile_filter(query.filter)
        return iter(())
    plan = make_plan(collection, query.filter, query.sort, query.hint)
    if not plan.exact:
        compile_filter(query.filter)
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
        found = _sorted(found, query.sort, wanted)
    return _slice(found, query.skip, query.limit) if query.skip or query.limit else found


def sort_bytes(document: Mapping[str, Any], sort: SortSpec) -> bytes:
    """Bytes that sort as the documents do: an array counts as its smallest or, descending, its largest element."""
    parts = []
    for path, direction in sort:
        keys = [encode_key(value) for value in index_values(document, path).values]
        parts.append(min(keys) if direction > 0 else invert_key(max(keys)))
    return b"".join(parts)


def _sorted(found: Iterator[Match | None], sort: SortSpec, wanted: int) -> Iterator[Match | None]:
    """The first `wanted` (0: all) in order; ties stay in the order found."""
    kept: list[tuple[bytes, int, bytes]] = []
    size = 0
    for match in found:
        if match is None:
            yield None
            continue
        row, raw, document = match
        kept.append((sort_bytes(decode(raw) if document is None else document, sort), row, raw))
        size += len(raw)
        if wanted and len(kept) >= 4 * wanted + 1000:
            kept.sort(key=_first)
            del kept[wanted:]
            size = sum(len(raw) for _, _, raw in kept)
        if size > MAX_SORT_BYTES:
            raise StoreError(292, "Sort exceeded memory limit; add an index or a limit")
    kept.sort(key=_first)
    for _, row, raw in kept[: wanted or None]:
        yield row, raw, None


def _first(entry: tuple[bytes, int, bytes]) -> bytes:
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
        yield None if raw is None else decode(raw)


def drain(stream: Stream, breathe: Callable[[], None]) -> Iterator[Document]:
    """A stream's documents, `breathe` called at its breaths: for what cannot pause."""
    for raw in stream:
        if raw is None:
            breathe()
        else:
            yield decode(raw)
