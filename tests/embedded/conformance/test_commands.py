"""Commands, cursors, sessions and refused transactions answer as a server by itself does."""

import pytest
from bson import Int64
from pymongo.errors import CollectionInvalid, OperationFailure

from tests.embedded.conformance.asking import code_of, refused, same
from tests.embedded.drivers import settled

WRONG = [
    ({"nonsense": 1}, 59),
    ({"find": "docs", "nonsense": 1}, 40415),
    ({"find": 5}, 73),
    ({"find": ""}, 73),
    ({"find": "docs", "filter": 5}, 14),
    ({"find": "docs", "sort": 5}, 14),
    ({"find": "docs", "skip": "x"}, 14),
    ({"find": "docs", "hint": "nothing"}, 2),
    ({"find": "docs", "readConcern": {"level": "nonsense"}}, 2),
    ({"aggregate": "docs", "pipeline": []}, 9),
    ({"aggregate": "docs", "pipeline": 5, "cursor": {}}, 14),
    ({"aggregate": "docs", "pipeline": [5], "cursor": {}}, 14),
    ({"insert": "docs", "documents": []}, 16),
    ({"insert": "docs"}, 40414),
    ({"insert": "docs", "documents": [{}], "nonsense": 1}, 40415),
    ({"update": "docs", "updates": [{"q": {}, "u": {}, "nonsense": 1}]}, 40415),
    ({"findAndModify": "docs"}, 9),
    ({"findAndModify": "docs", "remove": True, "update": {"$set": {"a": 1}}}, 9),
    ({"findAndModify": "docs", "remove": True, "new": True}, 9),
    ({"distinct": "docs", "key": 5}, 14),
    ({"getMore": Int64(123456), "collection": "docs"}, 43),
    ({"listIndexes": "nothing"}, 26),
    ({"dropIndexes": "nothing", "index": "*"}, 26),
    ({"dropIndexes": "docs", "index": "nothing"}, 27),
    ({"dropIndexes": "docs", "index": "_id_"}, 72),
    ({"createIndexes": "docs", "indexes": [{"key": {"a": 1}, "name": "a", "nonsense": 1}]}, 197),
    ({"createIndexes": "docs", "indexes": [{"key": {}, "name": "a"}]}, 67),
    ({"createIndexes": "docs", "indexes": [{"key": {"_id": -1}, "name": "a"}]}, 2),
    ({"renameCollection": "docs", "to": "other"}, 13),
]
NEGATIVE = [
    ({"find": "docs", "skip": -1}, 51024),
    ({"find": "docs", "limit": -1}, 51024),
    ({"find": "docs", "batchSize": -1}, 51024),
    ({"aggregate": "docs", "pipeline": [], "cursor": {"batchSize": -1}}, 51024),
]


async def test_the_server_greets_and_describes_itself(db):
    for name in ("hello", "isMaster"):
        hello = await db.command(name)
        assert hello["maxWireVersion"] >= 21 and hello["maxWriteBatchSize"] == 100_000
        assert hello["maxBsonObjectSize"] == 16 * 2**20 and hello["maxMessageSizeBytes"] == 48_000_000
    assert await db.command("ping") == {"ok": 1.0}
    info = await settled(db.client.server_info())
    assert int(info["version"].split(".")[0]) >= 7 and info["maxBsonObjectSize"] == 16 * 2**20
    assert (await settled(db.client.admin.command("serverStatus")))["uptime"] >= 0


async def test_wrong_commands_are_refused_and_do_nothing(db, docs):
    await docs.insert_one({"_id": 1})
    same([(command, code, await code_of(db.command(command))) for command, code in WRONG])
    assert await docs.find({}) == [{"_id": 1}]


async def test_negative_numbers_are_refused(db, on_store):
    """With this code up to MongoDB 7."""
    same([(command, code, await code_of(db.command(command))) for command, code in NEGATIVE])


async def test_collections_are_renamed(db, docs):
    await docs.insert_many([{"_id": 1, "a": 1}, {"_id": 2, "a": 2}])
    await docs.create_index("a", name="a", unique=True)
    await db["taken"].insert_one({"_id": 9})
    assert await code_of(docs.rename("taken")) == 48
    assert await code_of(docs.rename("docs")) == 20
    assert await code_of(db["nothing"].rename("other")) == 26
    await docs.rename("fresh")
    assert sorted(await db.list_collection_names()) == ["fresh", "taken"]
    assert await db["fresh"].find({"a": 2}) == [{"_id": 2, "a": 2}]
    assert await refused(db["fresh"].insert_one({"_id": 3, "a": 1})) == 11000
    await db["fresh"].rename("taken", dropTarget=True)
    assert await db.list_collection_names() == ["taken"]
    assert await db["taken"].count_documents({}) == 2
    assert {each["name"] for each in await db["taken"].list_indexes()} == {"_id_", "a"}


async def test_collections_are_listed_by_name_and_kind(db):
    await db.create_collection("a")
    await db.create_collection("b")
    assert await code_of(db.command({"create": "a"})) == 48
    with pytest.raises(CollectionInvalid):
        await db.create_collection("a")
    assert await db.list_collection_names(filter={"name": {"$in": ["b", "c"]}}) == ["b"]
    assert sorted(await db.list_collection_names(filter={"type": "collection"})) == ["a", "b"]
    assert await db.list_collection_names(filter={"type": "view"}) == []
    assert await db["a"].options() == {}


async def test_cursors_are_fetched_killed_and_belong_to_their_collection(db, docs):
    await docs.insert_many([{"_id": n} for n in range(10)])
    for command in (
        {"find": "docs", "batchSize": 4},
        {"aggregate": "docs", "pipeline": [], "cursor": {"batchSize": 4}},
    ):
        cursor = (await db.command(command))["cursor"]
        assert len(cursor["firstBatch"]) == 4 and cursor["ns"] == f"{db.name}.docs"
        more = (await db.command({"getMore": cursor["id"], "collection": "docs", "batchSize": 5}))["cursor"]
        assert len(more["nextBatch"]) == 5 and more["id"] == cursor["id"]
        assert await refused(db.command({"getMore": cursor["id"], "collection": "other"})) == 13
        rest = (await db.command({"getMore": cursor["id"], "collection": "docs"}))["cursor"]
        assert len(rest["nextBatch"]) == 1 and rest["id"] == 0
        assert await refused(db.command({"getMore": cursor["id"], "collection": "docs"})) == 43
    cursor = (await db.command({"find": "docs", "batchSize": 1}))["cursor"]
    killed = await db.command({"killCursors": "docs", "cursors": [cursor["id"], Int64(77)]})
    assert killed["cursorsKilled"] == [cursor["id"]] and killed["cursorsNotFound"] == [77]


@pytest.fixture
async def alone(db):
    """For tests of what a server without a replica set answers."""
    if "setName" in await db.command("hello"):
        pytest.skip("a replica set has transactions and change streams")


async def test_change_streams_are_refused_as_without_a_replica_set(db, docs, alone):
    await docs.insert_one({})
    for watched in (docs.raw, db.raw, db.client):
        assert await refused(first_change(watched)) == 40573


async def first_change(watched):
    stream = await settled(watched.watch())
    return await settled(stream.next())


async def test_transactions_are_refused_as_without_a_replica_set(db, docs, alone):
    session = await settled(db.client.start_session())
    await settled(session.start_transaction())
    assert await refused(docs.insert_one({}, session=session)) == 20
    await settled(session.abort_transaction())
    await settled(session.start_transaction())
    assert await refused(docs.find({}, session=session)) == 20
    await settled(session.abort_transaction())
    await settled(session.end_session())
    assert await docs.count_documents({}) == 0


async def test_a_whole_transaction_is_refused(db, docs, alone):
    session = await settled(db.client.start_session())

    def work(session):
        return docs.raw.insert_one({}, session=session)  # which a driver that is asynchronous awaits

    with pytest.raises(OperationFailure) as caught:
        await settled(session.with_transaction(work))
    assert caught.value.code == 20
    await settled(session.end_session())


async def test_sessions_carry_reads_and_writes(db, docs):
    session = await settled(db.client.start_session(causal_consistency=True))
    await docs.insert_one({"_id": 1}, session=session)
    await docs.update_one({"_id": 1}, {"$set": {"a": 1}}, session=session)
    assert await docs.find({}, session=session, batch_size=1) == [{"_id": 1, "a": 1}]
    identifier = session.session_id
    await settled(session.end_session())
    assert await db.command({"endSessions": [identifier]}) == {"ok": 1.0}


async def test_documents_of_16_mib_are_stored_and_larger_ones_refused(docs):
    largest = 16 * 2**20 - 22  # what {_id: 1, s: ""} takes
    await docs.insert_one({"_id": 1, "s": "x" * largest})
    assert len((await docs.find_one({}))["s"]) == largest
    assert await refused(docs.update_one({"_id": 1}, {"$set": {"t": 1}})) in (10334, 17419)
    assert list(await docs.find_one({"_id": 1})) == ["_id", "s"]


async def test_messages_of_48_mb_are_taken(docs):
    await docs.insert_many([{"_id": n, "s": "x" * 9_500_000} for n in range(6)])
    assert await docs.count_documents({}) == 6
    found = await docs.find({}, {"_id": 1}, sort=[("_id", 1)])
    assert [each["_id"] for each in found] == list(range(6))
