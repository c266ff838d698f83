"""The sweep: removes documents that have outlived their TTL index."""

import datetime
import logging
from collections.abc import Callable
from typing import Any

from embedded.catalog import Catalog, Collection, Index
from embedded.codec import decode
from embedded.ledger import Ledger
from embedded.planning import make_plan
from embedded.querying import Query, select

logger = logging.getLogger(__name__)

SECONDS = 60.0
BATCH = 500

Run = Callable[[Ledger], bytes]


def sweeps(catalog: Catalog) -> list[Run]:
    """One write for each TTL index: it removes up to 500 documents and returns b"more" if there may be others."""
    return [_sweep(collection, index) for collection, index in catalog.indexes() if index.expire_after is not None]


def expire(ledger: Ledger, now: datetime.datetime | None = None) -> int:
    """Remove every document that has expired, in one transaction; how many. `now` as UTC."""
    return sum(
        _expire(ledger, collection, index, now, limit=0)
        for collection, index in list(ledger.catalog.indexes())
        if index.expire_after is not None
    )


def _sweep(collection: Collection, index: Index) -> Run:
    def run(ledger: Ledger) -> bytes:
        current = ledger.catalog.get(collection.database, collection.name)
        if current is None or current.id != collection.id or index not in current.indexes:
            return b"done"
        with ledger.attempt():
            removed = _expire(ledger, current, index, None, limit=BATCH)
        if removed:
            logger.info("%d documents of %s expired", removed, current.namespace)
        return b"more" if removed == BATCH else b"done"

    return run


def _expire(ledger: Ledger, collection: Collection, index: Index, now: datetime.datetime | None, *, limit: int) -> int:
    """An array expires with its earliest date; what is not a date stays."""
    assert index.expire_after is not None  # noqa: S101
    path = index.keys[0][0]
    try:
        before = (now or datetime.datetime.now(datetime.UTC)) - datetime.timedelta(seconds=index.expire_after)
    except OverflowError:
        return 0
    filter: dict[str, Any] = {path: {"$lte": before}}
    if index.partial is not None:
        filter = {"$and": [filter, dict(index.partial)]}
    plan = make_plan(collection, filter, (), index.name)
    found = select(plan, Query(filter, limit=limit), ledger.source)
    rows = [(match[0], match[1]) for match in found if match is not None]
    for row, raw in rows:
        ledger.delete(collection, row, decode(raw))
    return len(rows)
