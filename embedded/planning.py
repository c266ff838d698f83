"""Plans: the index entries that a query has to read.

A plan is a list of key ranges of one index (or the whole collection), whether they say everything that the filter
does, and whether they come in the order that was asked for. What they do not say is checked on the documents.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from embedded.bounds import (
    MAX_POINTS,
    Bound,
    Bounds,
    ascending,
    descending,
    is_inside,
    is_point,
    merge_bounds,
    read_bounds,
    successor,
)
from embedded.catalog import Collection, Index
from embedded.errors import StoreError
from embedded.operators.matching import compile_filter
from embedded.operators.values import encode_key, invert_key

SortSpec = Sequence[tuple[str, int]]
Range = tuple[bytes, bytes]
ONE_DOCUMENT = 100  # scores of a unique index by which at most one document is found, or one for each of several keys
FEW_DOCUMENTS = 50
MAX_MERGED = 100
EVERYTHING: list[Range] = [(b"", b"\xff")]


@dataclass(slots=True)
class Plan:
    """How to find the documents of `filter`: `ranges` are [from, to) keys, in index order.

    `index` None reads the collection in insertion order. `exact`: no document needs to be looked at.
    `ordered`: the documents come sorted. `reverse`: the index is read backwards.
    `shared`: each range has this many bytes in front of what it is ordered by, and the ranges have to be merged.
    `points`: each range begins with the one key in it, of a unique index.
    """

    collection: Collection
    filter: Mapping[str, Any]
    index: Index | None = None
    ranges: list[Range] = field(default_factory=list)
    exact: bool = False
    ordered: bool = False
    reverse: bool = False
    shared: list[int] = field(default_factory=list)
    points: bool = False
    score: float = 0.0

    @property
    def is_one(self) -> bool:
        """Whether one entry of a unique index is all there is to read."""
        return self.points and self.exact and len(self.ranges) == 1


def make_plan(
    collection: Collection, filter: Mapping[str, Any], sort: SortSpec = (), hint: str | Mapping[str, Any] | None = None
) -> Plan:
    """The plan that reads the fewest documents, by rule: equalities, then ranges, then the order.

    Raises 2 for a hint that names no index.
    """
    if hint is None and is_point(filter.get("_id")) and not collection.identity.dropped:
        return _one_document(collection, filter)
    bounds = read_bounds(filter)
    if hint is not None:
        return _hinted(collection, filter, bounds, sort, hint)
    best = Plan(collection, filter, exact=bounds.complete and not bounds.fields, ordered=not sort)
    place = 0  # of two that are as good, the first is taken
    for most, at, index in sorted(_likely(collection.indexes, bounds, sort), key=lambda one: (-one[0], one[1])):
        if most < best.score:
            break
        plan = _use(collection, index, filter, bounds, sort)
        if plan is not None and (plan.score > best.score or (plan.score == best.score and at < place)):
            best, place = plan, at
    if best.index is None and "$or" in filter:
        return _union(collection, filter, sort) or best
    return best


def _likely(indexes: Iterable[Index], bounds: Bounds, sort: SortSpec) -> Iterator[tuple[float, int, Index]]:
    """The indexes that may be of use, each with the best score that its plan may have, and its place."""
    for at, index in enumerate(indexes):
        first = index.keys[0][0]
        if index.dropped or (first not in bounds.fields and (not sort or sort[0][0] != first)):
            continue
        led = next((n for n, (path, _) in enumerate(index.keys) if path not in bounds.fields), len(index.keys))
        unique = ONE_DOCUMENT if index.unique and led == len(index.keys) else 0.0
        yield 4 * led + unique + (3 if sort else 0) - len(index.keys) / 100, at, index


def _one_document(collection: Collection, filter: Mapping[str, Any]) -> Plan:
    """The plan for a filter that names one `_id`."""
    key = encode_key(filter["_id"])
    only = len(filter) == 1
    return Plan(collection, filter, collection.identity, [(key, successor(key))], only, ordered=True, points=True)


def _union(collection: Collection, filter: Mapping[str, Any], sort: SortSpec) -> Plan | None:
    """One plan for all branches of an `$or`, where one index serves every one of them."""
    branches = filter["$or"]
    if not isinstance(branches, list) or not branches or not all(isinstance(branch, dict) for branch in branches):
        return None
    plans = [make_plan(collection, branch) for branch in branches]
    index = plans[0].index
    if index is None or any(plan.index is not index for plan in plans):
        return None
    ranges: list[Range] = []
    for low, high in sorted(one for plan in plans for one in plan.ranges):
        if ranges and low <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(ranges[-1][1], high))
        else:
            ranges.append((low, high))
    return Plan(collection, filter, index, ranges, ordered=not sort)


def _hinted(
    collection: Collection,
    filter: Mapping[str, Any],
    bounds: Bounds,
    sort: SortSpec,
    hint: str | Mapping[str, Any],
) -> Plan:
    if not isinstance(hint, str) and "$natural" in hint:
        backwards = hint["$natural"] == -1
        return Plan(collection, filter, exact=False, ordered=not sort, reverse=backwards)
    for index in collection.indexes:
        wanted = index.name == hint if isinstance(hint, str) else list(index.keys) == list(hint.items())
        if wanted:
            plan = _use(collection, index, filter, bounds, sort, forced=True)
            if plan is not None:
                return plan
    raise StoreError(2, "error processing query: planner returned error: hint provided does not correspond to an index")


def _use(
    collection: Collection,
    index: Index,
    filter: Mapping[str, Any],
    bounds: Bounds,
    sort: SortSpec,
    forced: bool = False,
) -> Plan | None:
    """The plan that reads this index, or None if it is of no use or lacks documents that the filter selects."""
    if not forced and (index.sparse or index.covers is not None) and not _holds_all(index, bounds):
        return None
    prefixes = [b""]
    ranges: list[Range] | None = None
    leading = 0  # components fixed to one value
    points_end = 0  # components fixed to one of several values
    score = 0.0
    used: set[str] = set()
    fixed: set[str] = set()
    roots: set[str] = set()  # of arrays that the ranges enter: two conditions may be met by two of their elements
    exact = bounds.complete
    for place, (path, direction) in enumerate(index.keys):
        found = bounds.fields.get(path)
        if found is None:
            break
        if index.multikey >> place & 1:
            root = path.split(".", 1)[0]
            if root in roots:
                break
            roots.add(root)
        bound, whole = merge_bounds(found, multikey=bool(index.multikey >> place & 1))
        if bound.points is not None and len(prefixes) * len(bound.points) > MAX_POINTS:
            break
        used.add(path)
        exact = exact and whole and bound.exact
        if bound.points is None:
            parts = _directed(bound, direction)
            ranges = [(prefix + low, prefix + high) for prefix in prefixes for low, high in parts]
            score += 2
            break
        points = bound.points if direction > 0 else sorted(invert_key(point) for point in bound.points)
        prefixes = [prefix + point for prefix in prefixes for point in points]
        if len(points) == 1 and leading == place:
            leading += 1
        points_end = place + 1
        if len(points) == 1 and not index.multikey >> place & 1:
            fixed.add(path)
        score += 4 if len(points) == 1 else 3
    exact = exact and len(used) == len(bounds.fields)
    if ranges is None:
        ranges = [(prefix, successor(prefix)) for prefix in prefixes] if used else EVERYTHING
    if index.unique and leading == len(index.keys):
        score += ONE_DOCUMENT
    elif index.unique and points_end == len(index.keys):
        score += FEW_DOCUMENTS
    ordered, reverse = _order(index, leading, fixed, sort)
    shared: list[int] = []
    if not ordered and points_end > leading and 1 < len(prefixes) <= MAX_MERGED:
        ordered, reverse = _order(index, points_end, fixed, sort)
        shared = [len(prefix) for prefix in prefixes for _ in range(len(ranges) // len(prefixes))] if ordered else []
    if sort and ordered:
        score += 3
    if not used and not (sort and ordered) and not forced:
        return None
    single = index.unique and points_end == len(index.keys) and not shared
    score -= len(index.keys) / 100
    return Plan(collection, filter, index, ranges, exact, ordered, reverse, shared, single, score)


def _directed(bound: Bound, direction: int) -> list[Range]:
    """The ranges of a bound without points, in the order of the index."""
    if direction > 0:
        ranges = [(ascending(bound.low), ascending(bound.high))]
        extra = bound.besides
    else:
        ranges = [(descending(bound.high), descending(bound.low))]
        extra = None if bound.besides is None else invert_key(bound.besides)
    return ranges if extra is None else sorted([*ranges, (extra, successor(extra))])


def _order(index: Index, leading: int, fixed: set[str], sort: SortSpec) -> tuple[bool, bool]:
    """(whether entries that agree in the `leading` components come in the order of `sort`, whether backwards).

    `fixed` are the paths that have the same value in all documents.
    """
    if not sort:
        return True, False
    wanted = [(path, direction) for path, direction in sort if path not in fixed]
    given = list(enumerate(index.keys))[leading:]
    if len(wanted) > len(given):
        return False, False
    turns = set()
    for (place, (path, direction)), (sort_path, sort_direction) in zip(given, wanted, strict=False):
        if path != sort_path or index.multikey >> place & 1:
            return False, False
        turns.add(direction != sort_direction)
    return len(turns) <= 1, turns == {True}


def _holds_all(index: Index, bounds: Bounds) -> bool:
    """Whether every document that the filter selects is in this sparse or partial index."""
    if (
        index.sparse
        and not any(bound.present for path, _ in index.keys for bound in bounds.fields.get(path, []))
        and not any(path in bounds.existing for path, _ in index.keys)
    ):
        return False
    if index.partial is None:
        return True
    for path, condition in index.partial.items():
        if path.startswith("$"):
            return False
        if condition == {"$exists": True} and (
            path in bounds.existing or any(bound.present for bound in bounds.fields.get(path, []))
        ):
            continue
        if not _within(path, condition, bounds):
            return False
    return True


def _within(path: str, condition: object, bounds: Bounds) -> bool:
    """Whether what a filter says of a path implies a condition on it."""
    values = bounds.equalities.get(path)
    if values is not None and not any(value is None or isinstance(value, list) for value in values):
        holds = compile_filter({path: condition})
        if all(holds(_nested(path, value)) for value in values):
            return True
    wanted = read_bounds({path: condition})
    found = bounds.fields.get(path, [])
    needed = wanted.fields.get(path, [])
    return wanted.complete and bool(needed) and all(any(is_inside(bound, need) for bound in found) for need in needed)


def _nested(path: str, value: object) -> dict[str, Any]:
    for name in reversed(path.split(".")):
        value = {name: value}
    return value  # type: ignore[return-value]
