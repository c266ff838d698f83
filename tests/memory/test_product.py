"""A product that `wiring` alone would name is counted, retried, exported, imported and forgotten with the others."""

from collections.abc import AsyncIterator
from datetime import datetime

import pytest

from agents.memory import Memory
from memory.lines import Line, Passed
from memory.oversight import Oversight, open_oversight
from memory.portable import Importer
from memory.product import Counts, Inserting, Product, Queue, Record, index
from memory.store import ensure_indexes
from tests.conversations import USER
from utils.clock import now


class WishLine(Line):
    text: str
    at: Passed


def wishes_of(memory: Memory) -> Product:
    wishes = memory.engine.store.collections.wishes

    async def records(owner: str) -> AsyncIterator[Record]:
        async for wish in wishes.find({"user_id": owner}).sort("_id", 1):
            yield Record("wish", WishLine.picked(wish))

    async def forget_user(owner: str, moment: datetime) -> Counts:
        return {"wishes": (await wishes.delete_many({"user_id": owner, "at": {"$lte": moment}})).deleted_count}

    return Product(
        indexes={"wishes": [index("owner_newest", "user_id", "-at", "-_id")]},
        activity={"wishes": "at"},
        queues=(Queue("grant", wishes, "granting", "text", "text"),),
        forget_user=forget_user,
        records=records,
        lines={"wish": WishLine},
        takers=lambda owner: {
            "wish": Inserting(wishes, owner, lambda fields: fields | {"_id": f"{owner} {fields['text']}"})
        },
    )


@pytest.fixture
async def product(quiet: Memory) -> Product:
    made = wishes_of(quiet)
    await ensure_indexes(quiet.engine.store.collections, [made])
    dead = {"state": "dead", "attempts": 3, "lease_until": now()}
    wish = {"_id": "w", "user_id": USER, "text": "a boat", "at": now(), "granting": dead}
    await quiet.engine.store.collections.wishes.insert_one(wish)
    return made


def overseen(memory: Memory, product: Product) -> Oversight:
    engine = memory.engine
    products = (*engine.products, product)
    return open_oversight(engine.store, engine.gists, engine.search, engine.chats, engine.notes, products)


async def test_admins_see_a_new_product_and_a_deletion_takes_it(quiet: Memory, product: Product) -> None:
    oversight = overseen(quiet, product)
    assert [seen.id for seen in await oversight.owners.page(limit=10)] == [USER]
    assert (await oversight.owners.counts(USER))["wishes"] == 1
    assert [(job.kind, job.about) for job in await oversight.jobs.page("dead", limit=10)] == [("grant", "a boat")]
    await oversight.jobs.retry("grant", "w")
    assert await oversight.jobs.page("dead", limit=10) == []
    assert (await oversight.forgetter.user(USER))["wishes"] == 1


async def test_records_of_a_new_product_come_in_once(quiet: Memory, product: Product) -> None:
    importer = Importer(quiet.engine.store, (*quiet.engine.products, product), quiet.engine.chats.projects)
    assert list(importer.lines)[-3:] == ["wish", "preferences", "project"]
    exported = [record async for record in product.records(USER)]
    for imported in (1, 0):
        async with importer.begin("bob") as importing:
            for record in exported:
                await importing.take(record)
            assert (await importing.finish()).imported["wish"] == imported
    assert [record async for record in product.records("bob")] == exported
