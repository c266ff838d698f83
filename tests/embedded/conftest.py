"""What the store's tests share: one server for the session, and a fresh database for each test."""

import os
import uuid
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.disks import quick_folder
from tests.embedded.drivers import DRIVERS, Database, Documents, kept_attached, settled


@pytest.fixture(scope="session")
def uri() -> Iterator[str]:
    """The server that conformance is tested against: `LOCI_TEST_MONGODB_URI`, or the built-in store."""
    given = os.environ.get("LOCI_TEST_MONGODB_URI")
    if given:
        yield given
        return
    with quick_folder() as home, kept_attached(home) as started:
        yield started


@pytest.fixture
def driver() -> str:
    """The product's own; what drivers do is tested with each of them."""
    return "async"


@pytest.fixture
async def db(driver: str, uri: str) -> AsyncIterator[Database]:
    """A database of its own."""
    client = DRIVERS[driver](uri, tz_aware=True, serverSelectionTimeoutMS=5000)
    database = Database(client, f"test_{uuid.uuid4().hex[:12]}")
    yield database
    await settled(client.drop_database(database.name))
    await settled(client.close())


@pytest.fixture
async def docs(db: Database) -> Documents:
    return db["docs"]


@pytest.fixture
def on_store() -> None:
    """For tests of what only the built-in store does."""
    if os.environ.get("LOCI_TEST_MONGODB_URI"):
        pytest.skip("of the built-in store only")
