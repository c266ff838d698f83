"""Explanations: which index a command uses, and how much it reads."""

import platform
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, cast, get_args

from embedded.codec import Document, decode, encode_reply
from embedded.commands.call import Call, Command, Steps, read
from embedded.commands.checks import check
from embedded.commands.greeting import VERSION
from embedded.commands.opening import Stage, breathing, counted, everything, open_pipeline, read_stages
from embedded.commands.operation import (
    FindAndModify,
    Update,
    check_deletes,
    check_updates,
    read_delete,
    read_find_and_modify,
    read_update,
)
from embedded.commands.reading import query_of
from embedded.commands.showing import Outcome, Subject, show
from embedded.commands.sources import source
from embedded.counting import count as count_matches
from embedded.cursors import Breath, Leave, Stream
from embedded.errors import StoreError
from embedded.operators.aggregating import run_pipeline
from embedded.operators.matching import compile_filter
from embedded.operators.projecting import compile_projection
from embedded.operators.updating import apply_update, check_update, upsert_document
from embedded.planning import Plan, make_plan
from embedded.querying import Query, drain, select, sorted_query
from embedded.scanning import Gauge
from embedded.splicing import encode_changed

Verbosity = Literal["queryPlanner", "executionStats", "allPlansExecution"]
Sections = Generator[Breath, None, Document]
"""Parts of a reply, as what is returned in the end; breaths before."""

_EXPLAINED = frozenset({"find", "count", "distinct", "aggregate", "update", "delete", "findAndModify", "findandmodify"})
_PORTION = 200


def commands(known: Mapping[str, Command]) -> dict[str, Command]:
    """`explain`, for commands that are `known`."""
    return {"explain": read(partial(explain, known), "explain", "verbosity")}


def explain(known: Mapping[str, Command], call: Call) -> Steps:
    """Raises 59 for an unknown command, 20 for one that has no plan, 2 for an unknown verbosity."""
    command = call.document("explain")
    verbosity = call.body.get("verbosity", "allPlansExecution")
    if verbosity not in get_args(Verbosity):
        raise StoreError(2, f"Enumeration value '{verbosity}' for field 'explain.verbosity' is not a valid value.")
    name = next(iter(command), "")
    if name not in known:
        raise StoreError(59, f"Explain failed due to unknown command: {name}")
    if name not in _EXPLAINED:
        raise StoreError(20, f"Cannot explain cmd: {name}")
    inner = replace(call, name=name, body={**command, "$db": call.database})
    check(inner, known[name].fields)
    yield from _explain(inner, cast(Verbosity, verbosity))


def explain_inline(call: Call) -> Steps:
    """The reply to an aggregate that asks for its plan instead of its results."""
    return _explain(call, "queryPlanner")


def _explain(call: Call, verbosity: Verbosity) -> Steps:
    explained = _pipeline(call, verbosity) if call.name == "aggregate" else _query(call, _subject(call), verbosity)
    sections = yield from explained
    yield encode_reply(
        {
            "explainVersion": "1",
            **sections,
            "command": call.body,
            "serverInfo": {"host": platform.node(), "version": VERSION},
        }
    )


def _subject(call: Call) -> Subject:
    """What a command other than aggregate looks for. Raises as the command does, and 16 for several updates or deletes
    at once."""
    match call.name:
        case "find":
            return Subject(query_of(call))
        case "count":
            limit = abs(call.signed("limit"))
            return Subject(Query(call.document("query"), (), call.integer("skip"), limit, hint=call.hint()), "count")
        case "distinct":
            if not isinstance(call.body.get("key"), str):
                raise StoreError(14, "BSON field 'distinct.key' is the wrong type, expected type 'string'")
            return Subject(Query(call.document("query"), hint=call.hint()))
        case "update":
            check_updates(operations := call.documents("updates"))
            update = read_update(_only(operations))
            query = Query(update.filter, limit=0 if update.multi else 1, hint=update.hint)
            return _updating(query, update)
        case "delete":
            check_deletes(operations := call.documents("deletes"))
            delete = read_delete(_only(operations))
            return Subject(Query(delete.filter, limit=delete.limit, hint=delete.hint), "delete")
    asked = read_find_and_modify(call)
    query = sorted_query(Query(asked.filter, limit=1, hint=asked.hint), asked.sort)
    if asked.change is None:
        return Subject(query, "delete", hands_back=True)
    return replace(_updating(query, asked), hands_back=True)


def _updating(query: Query, asked: Update | FindAndModify) -> Subject:
    if asked.change is not None:
        check_update(asked.change, asked.array_filters)
    return Subject(query, "update", asked.change, asked.array_filters, asked.upsert)


def _only(operations: list[Document]) -> Document:
    if len(operations) != 1:
        raise StoreError(16, "explained write batches must be of size 1")
    return operations[0]


def _query(call: Call, subject: Subject, verbosity: Verbosity) -> Sections:
    plan = _plan(call, subject.query)
    outcome = None
    if verbosity != "queryPlanner":
        outcome = Outcome()
        yield from _run(call, plan, subject, outcome)
    return _sections(call, plan, subject, outcome, verbosity)


def _plan(call: Call, query: Query) -> Plan | None:
    """The plan, None for a collection that is not there. Operators are checked at once."""
    compile_filter(query.filter)
    if query.projection:
        compile_projection(query.projection, query.filter)
    collection = call.collection()
    return None if collection is None else make_plan(collection, query.filter, query.sort, query.hint)


def _sections(
    call: Call, plan: Plan | None, subject: Subject, outcome: Outcome | None, verbosity: Verbosity
) -> Document:
    sections: Document = {
        "queryPlanner": {
            "namespace": call.namespace,
            "parsedQuery": subject.query.filter,
            "indexFilterSet": False,
            "winningPlan": show(plan, subject),
            "rejectedPlans": [],
        }
    }
    if outcome is not None:
        stats: Document = {
            "executionSuccess": True,
            "nReturned": outcome.returned(subject),
            "executionTimeMillis": int(outcome.seconds * 1000),
            "totalKeysExamined": outcome.effort.keys,
            "totalDocsExamined": outcome.effort.documents,
            "executionStages": show(plan, subject, outcome),
        }
        if verbosity == "allPlansExecution":
            stats["allPlansExecution"] = []  # plans follow rules: there is only the one
        sections["executionStats"] = stats
    return sections


def _run(call: Call, plan: Plan | None, subject: Subject, outcome: Outcome) -> Generator[None, None, None]:
    """Fill in the outcome, a breath now and then. Nothing is changed."""
    started, effort, query = time.perf_counter(), outcome.effort, subject.query
    if plan is None:
        pass
    elif subject.purpose == "count":
        for found in count_matches(plan, call.store.source, effort=effort):
            effort.found.given = found or 0
            if found is None:
                call.breathe()
                yield
        left = max(0, effort.found.given - query.skip)
        outcome.selected = min(left, query.limit) if query.limit else left
    else:
        for match in select(plan, query, call.store.source, effort):
            if match is None:
                call.breathe()
                yield
                continue
            outcome.selected += 1
            if subject.change is not None:
                _, raw, document = match
                old = document or decode(raw)
                new = apply_update(old, subject.change, filter=query.filter, array_filters=subject.array_filters)
                outcome.would_modify += encode_changed(raw, old, new) != raw
    if subject.change is not None and subject.upsert and not outcome.selected:
        upsert_document(query.filter, subject.change, array_filters=subject.array_filters)
    outcome.seconds = time.perf_counter() - started
    if subject.purpose == "count":
        effort.found.seconds = outcome.seconds


def _pipeline(call: Call, verbosity: Verbosity) -> Sections:
    """A pipeline that the indexes serve whole is explained as a query; of any other, each stage is told."""
    stages = read_stages(call)
    made = source(call, stages)
    if made is not None:
        gauges = yield from _run_stages(call, made, stages[1:], verbosity)
        return {"stages": _told(stages, gauges)}
    opening = open_pipeline(stages, call.hint())
    if not opening.rest or counted(opening) is not None:
        subject = Subject(opening.query, "count", hands_back=True) if opening.rest else Subject(opening.query)
        return (yield from _query(call, subject, verbosity))
    subject, outcome = Subject(opening.query), Outcome()
    plan = _plan(call, opening.query)
    found = iter(()) if plan is None else select(plan, opening.query, call.store.source, outcome.effort)
    raws = (None if match is None else match[1] for match in found)
    gauges = yield from _run_stages(call, raws, opening.rest, verbosity)
    if gauges:
        outcome.selected, outcome.seconds = gauges[0].given, gauges[0].seconds
    cursor = _sections(call, plan, subject, outcome if gauges else None, verbosity)
    return {"stages": _told([{"$cursor": cursor}, *opening.rest], gauges)}


def _run_stages(
    call: Call, found: Stream, stages: Sequence[Stage], verbosity: Verbosity
) -> Generator[Breath, None, list[Gauge]]:
    """A gauge for what was found and one for each stage, none where nothing is to be run. Mistakes are told first."""
    run_pipeline((), stages, collection=lambda name: ())
    if verbosity == "queryPlanner":
        return []
    yield Leave.LOOP
    gauges = [Gauge()]
    results: Iterator[Document] = gauges[0].through(breathing(call.breathe, drain(found, call.breathe)))
    for stage in stages:
        gauges.append(Gauge())
        results = run_pipeline(results, [stage], collection=lambda name: everything(call, name, call.breathe))
        results = gauges[-1].through(results)
    for number, _ in enumerate(results):
        if number % _PORTION == 0:
            call.breathe()
            yield None
    return gauges


def _told(stages: Sequence[Stage], gauges: Sequence[Gauge]) -> list[Document]:
    if not gauges:
        return [dict(stage) for stage in stages]
    return [
        {**stage, "nReturned": gauge.given, "executionTimeMillisEstimate": int(gauge.seconds * 1000)}
        for stage, gauge in zip(stages, gauges, strict=True)
    ]
