"""Collections and databases come, go and describe themselves as MongoDB's do."""

import pytest
from pymongo.errors import OperationFailure

from tests.embedded.drivers import DRIVERS, settled


@pytest.fixture(params=list(DRIVERS))
def driver(request):
    return request.param


async def test_a_dropped_collection_starts_anew(db):
    await db["a"].create_index("x", name="x", unique=True)
    await db["a"].insert_many([{"x": n} for n in range(5)])
    await db["a"].drop()
    await db["a"].insert_many([{"x": 1}, {"x": 1}])
    assert await db["a"].count_documents({}) == 2
    assert [each["name"] for each in await db["a"].list_indexes()] == ["_id_"]


async def test_databases_are_listed_and_dropped(db):
    await db["a"].insert_one({})
    assert db.name in await settled(db.client.list_database_names())
    await settled(db.client.drop_database(db.name))
    assert db.name not in await settled(db.client.list_database_names())
    assert await db.list_collection_names() == []


async def test_collections_tell_their_kind_and_identity(db):
    await db["a"].insert_one({})
    reply = await db.command({"listCollections": 1})
    (described,) = reply["cursor"]["firstBatch"]
    assert (described["name"], described["type"]) == ("a", "collection")
    assert described["idIndex"]["name"] == "_id_" and described["info"]["readOnly"] is False


@pytest.mark.parametrize("name", ["a$b", "system.x", ""])
async def test_bad_names_are_73(db, name):
    with pytest.raises(OperationFailure) as caught:
        await db.command({"create": name})
    assert caught.value.code == 73


async def test_sizes_are_told(db):
    await db["a"].insert_many([{"n": n} for n in range(10)])
    stats = await db.command("collStats", "a")
    assert stats["count"] == 10 and stats["size"] > 0 and stats["nindexes"] == 1
    stats = await db.command("dbStats")
    assert stats["objects"] == 10 and stats["collections"] == 1


async def test_the_server_says_what_it_is(db):
    hello = await db.command("hello")
    assert hello["isWritablePrimary"] is True and hello["maxWireVersion"] >= 21
    assert hello["maxBsonObjectSize"] == 16 * 1024 * 1024 and hello["logicalSessionTimeoutMinutes"] == 30
    assert (await db.command("ping"))["ok"] == 1.0
    assert int((await db.command("buildInfo"))["version"].split(".")[0]) >= 7
    assert "uptime" in await db.command("serverStatus")


async def test_the_store_gives_its_name_and_no_set(db, on_store):
    assert "setName" not in await db.command("hello")
    assert "Loci" in (await db.command("buildInfo"))["store"]
