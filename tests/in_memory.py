"""A core whose database is in memory alone: mongomock-motor stands in for Motor."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from mongomock.collection import BulkOperationBuilder, Collection
from mongomock_motor import AsyncMongoMockClient
from pymongo import IndexModel

from config.settings import Settings
from memory.engine import Engine
from memory.wiring import Models, open_engine
from utils.embeddings import LocalEmbedder


@contextmanager
def in_memory() -> Iterator[None]:
    """While it is used, mongomock takes what PyMongo hands on besides (an order, which nobody here asks for), and does
    not forget for which documents an index is."""
    add = BulkOperationBuilder.add_update

    def add_update(self: Any, *given: Any, sort: object = None, **more: Any) -> None:
        assert sort is None
        add(self, *given, **more)

    def create_indexes(self: Any, models: Sequence[IndexModel], session: object = None) -> list[str]:
        documents = [dict(model.document) for model in models]
        return [self.create_index(list(document.pop("key").items()), **document) for document in documents]

    with (
        patch.object(BulkOperationBuilder, "add_update", add_update),
        patch.object(Collection, "create_indexes", create_indexes),
    ):
        yield


async def open_in_memory(reader: LocalEmbedder) -> Engine:
    """A core over a database of its own."""
    database = AsyncMongoMockClient(tz_aware=True)["loci"]
    return await open_engine(database, Models(reader, reader), Settings(recall_memory_mb=64))
