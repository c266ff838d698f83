"""A plan as it is shown: its stages, and how much each of them did.

SQLite reads an index entry and its document in one statement, so what scans and fetches took is one figure.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from embedded.catalog import Index
from embedded.codec import Document
from embedded.operators.array_filters import ArrayFilters
from embedded.planning import Plan
from embedded.querying import Query
from embedded.scanning import Effort

# fmt: off
StageName = Literal[
    "COLLSCAN", "IXSCAN", "FETCH", "COUNT_SCAN", "EOF",
    "SORT", "SKIP", "LIMIT", "PROJECTION_DEFAULT", "COUNT", "UPDATE", "DELETE",
]
# fmt: on
Purpose = Literal["return", "count", "update", "delete"]


@dataclass(frozen=True, slots=True)
class Subject:
    """What is explained: a query, and what its command does with what is found.

    `change` is an update's; `hands_back`: one document is returned, the one that was changed or the one with the count.
    """

    query: Query
    purpose: Purpose = "return"
    change: Mapping[str, Any] | list[Any] | None = None
    array_filters: ArrayFilters = field(default_factory=dict)
    upsert: bool = False
    hands_back: bool = False


@dataclass(slots=True)
class Outcome:
    """What running it gave; nothing is changed by an explained update, which `would_modify` so many."""

    effort: Effort = field(default_factory=Effort)
    selected: int = 0
    would_modify: int = 0
    seconds: float = 0.0

    def returned(self, subject: Subject) -> int:
        """How many documents the client would get."""
        if subject.purpose == "return":
            return self.selected
        return min(self.selected, 1) if subject.hands_back else 0


def show(plan: Plan | None, subject: Subject, outcome: Outcome | None = None) -> Document:
    """The stages, each with its input within it, the last one outermost; and what they did, where it was run."""
    shown: Document = {}
    for name, details in _stages(plan, subject):
        stage: Document = {"stage": name}
        if outcome is not None:
            stage |= _did(name, subject, outcome)
        stage |= details
        shown = {**stage, "inputStage": shown} if shown else stage
    return shown


def _stages(plan: Plan | None, subject: Subject) -> Iterator[tuple[StageName, Document]]:
    """The innermost first."""
    query, counts = subject.query, subject.purpose == "count"
    if plan is None:
        yield "EOF", {}
    elif counts and plan.exact:
        yield "COUNT_SCAN", _index(plan.index or plan.collection.identity, plan)
    else:
        unsaid: Document = {} if plan.exact else {"filter": query.filter}
        if plan.index is None:
            yield "COLLSCAN", {**unsaid, "direction": _direction(plan)}
        else:
            yield "IXSCAN", _index(plan.index, plan)
            yield "FETCH", unsaid
    if counts:
        yield "COUNT", {}
        return
    if plan is not None and not plan.ordered:
        yield "SORT", {"sortPattern": dict(query.sort)}
    if query.skip:
        yield "SKIP", {"skipAmount": query.skip}
    if query.limit:
        yield "LIMIT", {"limitAmount": query.limit}
    if query.projection:
        yield "PROJECTION_DEFAULT", {"transformBy": query.projection}
    if subject.purpose == "update":
        yield "UPDATE", {}
    elif subject.purpose == "delete":
        yield "DELETE", {}


def _index(index: Index, plan: Plan) -> Document:
    return {
        "keyPattern": index.spec["key"],
        "indexName": index.name,
        "isMultiKey": bool(index.multikey),
        "isUnique": index.unique,
        "isSparse": index.sparse,
        "isPartial": index.partial is not None,
        "indexVersion": 2,
        "direction": _direction(plan),
        "ranges": len(plan.ranges) or 1,
    }


def _direction(plan: Plan) -> str:
    return "backward" if plan.reverse else "forward"


def _did(name: StageName, subject: Subject, outcome: Outcome) -> Document:
    """A stage's figures. Its time includes that of its input."""
    effort, query = outcome.effort, subject.query
    seconds, returned, more = outcome.seconds, outcome.selected, Document()
    match name:
        case "IXSCAN":
            seconds, returned, more = effort.found.seconds, effort.documents, {"keysExamined": effort.keys}
        case "COUNT_SCAN":
            seconds, returned, more = effort.found.seconds, effort.keys, {"keysExamined": effort.keys}
        case "FETCH" | "COLLSCAN":
            seconds, returned = effort.found.seconds, effort.found.given
            more = {"docsExamined": effort.documents}
        case "SORT" if query.limit:
            returned = min(effort.found.given, query.skip + query.limit)
        case "SORT":
            returned = effort.found.given
        case "COUNT":
            skipped = min(query.skip, effort.found.given)
            returned, more = outcome.returned(subject), {"nCounted": outcome.selected, "nSkipped": skipped}
        case "UPDATE":
            upserts = subject.upsert and not outcome.selected
            returned = outcome.returned(subject)
            more = {
                "nMatched": outcome.selected,
                "nWouldModify": outcome.would_modify,
                "nWouldUpsert": int(upserts),
            }
        case "DELETE":
            returned, more = outcome.returned(subject), {"nWouldDelete": outcome.selected}
    return {"nReturned": returned, "executionTimeMillisEstimate": int(seconds * 1000), **more}
