"""Which index does a query use, and how much does it read?"""

import platform
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from embedded.codec import Document, encode_reply
from embedded.commands.aggregating import counted, open_pipeline
from embedded.commands.call import Call, Command, Steps, read
from embedded.commands.greeting import VERSION
from embedded.commands.reading import query_of
from embedded.counting import count as count_matches
from embedded.errors import StoreError, not_implemented
from embedded.operators.matching import compile_filter
from embedded.planning import Plan, make_plan
from embedded.querying import Query, select, sorted_query
from embedded.scanning import Effort

_VERBOSITIES = ("queryPlanner", "executionStats", "allPlansExecution")


def explain(call: Call) -> Steps:
    command = call.body["explain"]
    if not isinstance(command, dict) or not command:
        raise StoreError(14, "BSON field 'explain.explain' is the wrong type, expected type 'object'")
    verbosity = call.body.get("verbosity", "allPlansExecution")
    if verbosity not in _VERBOSITIES:
        raise StoreError(2, f"verbosity '{verbosity}' is not one of {', '.join(_VERBOSITIES)}")
    name = next(iter(command))
    inner = replace(call, name=name, body={"$db": call.database, **command})
    query, counts = _query(inner)
    collection = inner.collection()
    compile_filter(query.filter)
    plan = None if collection is None else make_plan(collection, query.filter, query.sort, query.hint)
    planner = {
        "namespace": inner.namespace,
        "parsedQuery": query.filter,
        "indexFilterSet": False,
        "winningPlan": {"stage": "EOF"} if plan is None else _stages(plan, query, counts=counts),
        "rejectedPlans": [],
    }
    reply: Document = {"explainVersion": "1", "queryPlanner": planner, "command": command}
    if verbosity != "queryPlanner":
        effort, started, found = Effort(), time.perf_counter(), 0
        for number in _measure(inner, plan, query, effort, counts=counts):
            if number is None:
                call.breathe()
                yield None
            else:
                found = number
        reply["executionStats"] = {
            "executionSuccess": True,
            "nReturned": found,
            "executionTimeMillis": int((time.perf_counter() - started) * 1000),
            "totalKeysExamined": effort.keys,
            "totalDocsExamined": effort.documents,
        }
    reply["serverInfo"] = {"host": platform.node(), "version": VERSION}
    yield encode_reply(reply)


def _query(call: Call) -> tuple[Query, bool]:
    """(the query within a command, whether it only counts)."""
    body = call.body
    match call.name:
        case "find":
            return query_of(call), False
        case "aggregate":
            opening = open_pipeline(body.get("pipeline") or [], call.hint())
            return opening.query, counted(opening) is not None
        case "count":
            return Query(call.document("query"), hint=call.hint()), True
        case "distinct":
            return Query(call.document("query"), hint=call.hint()), False
        case "findAndModify" | "findandmodify":
            return sorted_query(Query(call.document("query"), limit=1, hint=call.hint()), call.document("sort")), False
        case "update" | "delete":
            operations = call.documents(f"{call.name}s")
            first: Mapping[str, Any] = operations[0] if operations else {}
            return Query(first.get("q", {}), hint=first.get("hint") or None), False
    raise not_implemented(f"explain of {call.name}")


def _measure(call: Call, plan: Plan | None, query: Query, effort: Effort, *, counts: bool) -> Iterator[int | None]:
    """How many documents the query gives, as the last value; None is a breath."""
    total = 0
    if plan is None:
        yield 0
    elif counts:
        yield from count_matches(plan, call.store.source, effort=effort)
    else:
        for match in select(plan, query, call.store.source, effort):
            if match is None:
                yield None
            else:
                total += 1
        yield total


def _stages(plan: Plan, query: Query, *, counts: bool) -> Document:
    """The plan as MongoDB would show it, the outermost stage first."""
    direction = "backward" if plan.reverse else "forward"
    if plan.index is None:
        stage: Document = {"stage": "COLLSCAN", "direction": direction}
        if not plan.exact:
            stage["filter"] = query.filter
        if counts and plan.exact:
            return {"stage": "RECORD_STORE_FAST_COUNT"}
    else:
        index = plan.index
        scan: Document = {
            "stage": "COUNT_SCAN" if counts and plan.exact else "IXSCAN",
            "keyPattern": index.spec["key"],
            "indexName": index.name,
            "isMultiKey": bool(index.multikey),
            "isUnique": index.unique,
            "isSparse": index.sparse,
            "isPartial": index.partial is not None,
            "direction": direction,
            "ranges": len(plan.ranges),
        }
        if counts and plan.exact:
            return {"stage": "COUNT", "inputStage": scan}
        stage = {"stage": "FETCH", "inputStage": scan}
        if not plan.exact:
            stage["filter"] = query.filter
    if counts:
        return {"stage": "COUNT", "inputStage": stage}
    if not plan.ordered:
        stage = {"stage": "SORT", "sortPattern": dict(query.sort), "inputStage": stage}
    if query.skip:
        stage = {"stage": "SKIP", "skipAmount": query.skip, "inputStage": stage}
    if query.limit:
        stage = {"stage": "LIMIT", "limitAmount": query.limit, "inputStage": stage}
    if query.projection:
        stage = {"stage": "PROJECTION_DEFAULT", "transformBy": query.projection, "inputStage": stage}
    return stage


COMMANDS: dict[str, Command] = {"explain": read(explain, "explain", "verbosity")}
