"""What mongosh and Compass send is answered in the form that they read. Their commands, as recorded."""

import json
import uuid

import pytest
from bson import Binary
from pymongo.errors import OperationFailure

from tests.embedded.drivers import settled

pytestmark = pytest.mark.usefixtures("on_store")


async def asked(db, command):
    """The answer to a command that goes to the database `admin`."""
    return await settled(db.client.admin.command(command))


async def refusal(db, command) -> int:
    with pytest.raises(OperationFailure) as caught:
        await asked(db, command)
    return caught.value.code


async def test_compass_connects(db):
    build = await asked(db, {"buildInfo": 1})
    assert build["version"] == "7.0.0" and build["modules"] == []
    host = await asked(db, {"hostInfo": 1})
    assert host["system"]["cpuArch"] and host["system"]["memSizeMB"] > 0 and host["os"]["name"]
    status = await asked(db, {"connectionStatus": 1, "showPrivileges": True})
    assert status["authInfo"] == {
        "authenticatedUsers": [],
        "authenticatedUserRoles": [],
        "authenticatedUserPrivileges": [],
    }
    parameter = await asked(db, {"getParameter": 1, "featureCompatibilityVersion": 1})
    assert parameter["featureCompatibilityVersion"] == {"version": "7.0"}
    assert await refusal(db, {"getParameter": "foo"}) == 72
    assert await refusal(db, {"atlasVersion": 1}) == 59
    pipeline = [{"$match": {"managedClusterType": "atlasCliLocalDevCluster"}}, {"$group": {"_id": 1, "n": {"$sum": 1}}}]
    local = await asked(db, {"aggregate": "atlascli", "pipeline": pipeline, "cursor": {}})
    assert local["cursor"]["firstBatch"] == []


async def test_compass_browses_a_collection(db, docs):
    await docs.insert_many([{"n": n} for n in range(10)])
    storage = {"$collStats": {"storageStats": {}}}
    group = {
        "_id": None,
        "capped": {"$first": "$storageStats.capped"},
        "count": {"$sum": "$storageStats.count"},
        "size": {"$sum": {"$toDouble": "$storageStats.size"}},
        "freeStorageSize": {"$sum": {"$toDouble": "$storageStats.freeStorageSize"}},
        "average": {"$sum": {"$toDouble": "$storageStats.avgObjSize"}},
        "nindexes": {"$max": "$storageStats.nindexes"},
    }
    (stats,) = await docs.aggregate([storage, {"$group": group}])
    assert (stats["count"], stats["capped"], stats["nindexes"]) == (10, False, 1)
    assert stats["size"] == 10 * stats["average"] > 0 and stats["freeStorageSize"] == 0
    described = await db.command({"listCollections": 1, "filter": {"name": "docs"}, "nameOnly": False})
    assert described["cursor"]["firstBatch"][0]["info"]["readOnly"] is False
    assert len(await docs.aggregate([{"$sample": {"size": 4}}], allowDiskUse=True)) == 4
    database = await db.command({"dbStats": 1})
    assert database["objects"] == 10 and database["fsTotalSize"] > database["fsUsedSize"] > 0


async def test_compass_lists_indexes_with_their_sizes_and_uses(db, docs):
    await docs.create_index("n", name="by_n")
    await docs.insert_many([{"n": n} for n in range(10)])
    await docs.find({"n": 3})
    await docs.count_documents({"n": {"$gte": 3}})
    await docs.explain({"n": 3})
    uses = {"name": 1, "usageCount": "$accesses.ops", "usageSince": "$accesses.since"}
    found = {each["name"]: each for each in await docs.aggregate([{"$indexStats": {}}, {"$project": uses}])}
    assert found.keys() == {"_id_", "by_n"} and found["by_n"]["usageCount"] == 2 and found["by_n"]["usageSince"]
    sizes = await docs.aggregate(
        [
            {"$collStats": {"storageStats": {}}},
            {"$project": {"indexSizes": {"$objectToArray": "$storageStats.indexSizes"}}},
            {"$unwind": "$indexSizes"},
            {"$group": {"_id": "$indexSizes.k", "size": {"$sum": {"$toDouble": "$indexSizes.v"}}}},
        ]
    )
    assert {each["_id"]: each["size"] > 0 for each in sizes} == {"_id_": True, "by_n": True}
    building = [
        {"$currentOp": {"allUsers": True, "localOps": False}},
        {"$match": {"ns": f"{db.name}.docs", "active": True, "command.createIndexes": {"$exists": True}}},
        {"$sort": {"command.indexes.name": 1, "secs_running": -1}},
    ]
    progress = await asked(db, {"aggregate": 1, "pipeline": building, "cursor": {}})
    assert progress["cursor"]["firstBatch"] == []


async def test_compass_edits_a_document_only_where_nobody_else_has(docs):
    await docs.insert_one({"_id": 1, "a": "old", "b": 2})
    change = {"$set": {"a": "new"}, "$unset": {"b": ""}}
    assert await docs.find_one_and_update({"_id": 1, "a": "old", "b": 2}, change, return_document=True) == {
        "_id": 1,
        "a": "new",
    }
    assert await docs.find_one_and_update({"_id": 1, "a": "old", "b": 2}, change) is None
    assert await docs.find_one_and_replace({"_id": 1, "a": "new"}, {"_id": 1, "c": 3}, return_document=True) == {
        "_id": 1,
        "c": 3,
    }


async def test_compass_refuses_a_preview_as_on_any_standalone_server(db):
    find = {"find": "docs", "filter": {}, "txnNumber": 1, "autocommit": False, "startTransaction": True}
    with pytest.raises(OperationFailure) as caught:
        await db.command(find)
    assert caught.value.code == 20
    assert await refusal(db, {"abortTransaction": 1, "txnNumber": 1, "autocommit": False}) == 20


async def test_compass_watches_performance(db, docs):
    before = (await asked(db, {"serverStatus": 1}))["opcounters"]
    await docs.insert_many([{"n": n} for n in range(3)])
    await docs.update_one({"n": 1}, {"$set": {"n": 5}})
    await docs.find({})
    await docs.delete_many({})
    status = await asked(db, {"serverStatus": 1})
    after = status["opcounters"]
    assert {kind: after[kind] - before[kind] for kind in ("insert", "query", "update", "delete")} == {
        "insert": 3,
        "query": 1,
        "update": 1,
        "delete": 1,
    }
    assert status["network"]["bytesIn"] > 0 and status["network"]["bytesOut"] > 0
    assert status["connections"]["current"] >= 1 and status["mem"]["bits"] == 64
    assert status["globalLock"]["activeClients"]["total"] >= 1
    assert status["globalLock"]["currentQueue"].keys() == {"total", "readers", "writers"}
    spent = (await asked(db, {"top": 1}))["totals"][f"{db.name}.docs"]
    assert (spent["insert"]["count"], spent["queries"]["count"], spent["total"]["count"]) == (1, 1, 4)
    assert spent["total"]["time"] == pytest.approx(spent["readLock"]["time"] + spent["writeLock"]["time"], abs=2)


async def test_a_section_of_the_status_can_be_left_out(db):
    status = await asked(db, {"serverStatus": 1, "metrics": 0, "repl": 1})
    assert "metrics" not in status and "opcounters" in status and "repl" not in status


async def test_mongosh_measures_a_collection(db, docs):
    await docs.insert_many([{"n": n} for n in range(10)])
    (stats,) = await docs.aggregate([{"$collStats": {"storageStats": {"scale": 1}, "count": {}, "latencyStats": {}}}])
    assert stats["ns"] == f"{db.name}.docs" and stats["count"] == stats["storageStats"]["count"] == 10
    assert stats["latencyStats"]["writes"]["ops"] == 1
    size = await db.command({"dataSize": f"{db.name}.docs"})
    assert (size["numObjects"], size["size"]) == (10, stats["storageStats"]["size"])
    (nothing,) = await db["nothing"].aggregate([{"$collStats": {"storageStats": {}}}])
    assert nothing["storageStats"]["count"] == nothing["storageStats"]["nindexes"] == 0
    assert await docs.aggregate([{"$planCacheStats": {}}]) == []


@pytest.mark.parametrize(
    ("pipeline", "code"),
    [
        ([{"$collStats": {"odd": {}}}], 40415),
        ([{"$collStats": {"storageStats": {"scale": 0}}}], 2),
        ([{"$collStats": {"count": 5}}], 14),
        ([{"$collStats": {"latencyStats": {"histograms": True}}}], 238),
        ([{"$collStats": {"queryExecStats": {}}}], 238),
        ([{"$collStats": {"count": {}}}], 26),
        ([{"$match": {}}, {"$collStats": {"count": {}}}], 40602),
        ([{"$indexStats": {"odd": 1}}], 28803),
        ([{"$currentOp": {}}], 73),
        ([{"$indexStats": 5}], 9),
    ],
)
async def test_misplaced_and_malformed_figures_are_refused(db, pipeline, code):
    with pytest.raises(OperationFailure) as caught:
        await db["nothing"].aggregate(pipeline)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ({"aggregate": 1, "pipeline": [], "cursor": {}}, 73),
        ({"aggregate": 1, "pipeline": [{"$match": {}}], "cursor": {}}, 73),
        ({"aggregate": 2, "pipeline": [{"$currentOp": {}}], "cursor": {}}, 9),
        ({"aggregate": 1, "pipeline": [{"$listLocalSessions": {}}], "cursor": {}}, 238),
        ({"aggregate": 1, "pipeline": [{"$currentOp": {"odd": True}}], "cursor": {}}, 9),
        ({"aggregate": 1, "pipeline": [{"$currentOp": {"idleCursors": True}}], "cursor": {}}, 238),
        ({"replSetGetStatus": 1}, 76),
        ({"replSetGetConfig": 1}, 76),
        ({"replSetInitiate": {}}, 76),
        ({"getDefaultRWConcern": 1}, 51300),
        ({"getParameter": 1, "noSuch": 1}, 72),
        ({"setParameter": 1, "noSuch": 1}, 72),
        ({"setParameter": 1, "logLevel": 1}, 20),
        ({"getLog": "odd"}, 96),
        ({"getLog": 1}, 14),
        ({"killOp": 1, "id": 5, "comment": None}, 4),
        ({"killOp": 1, "op": "five"}, 14),
        ({"profile": 2}, 238),
        ({"fsync": 1, "lock": True}, 238),
        ({"fsyncUnlock": 1}, 20),
        ({"shutdown": 1}, 238),
        ({"createUser": "u", "pwd": "p", "roles": []}, 238),
        ({"dropUser": "u"}, 11),
        ({"saslStart": 1, "mechanism": "SCRAM-SHA-256", "payload": b""}, 18),
        ({"collMod": "docs", "validator": {}}, 238),
    ],
)
async def test_what_an_administrator_asks_for_is_refused_with_mongodbs_code(db, command, code):
    assert await refusal(db, command) == code


@pytest.mark.parametrize(
    "name",
    [
        *("top", "currentOp", "killOp", "getLog", "getParameter", "getCmdLineOpts", "fsync", "fsyncUnlock"),
        "renameCollection",
    ],
)
async def test_administration_is_for_the_database_admin(db, name):
    with pytest.raises(OperationFailure) as caught:
        await db.command({name: 1})
    assert caught.value.code == 13


REFUSED = {
    *("mapReduce", "replSetGetStatus", "getDefaultRWConcern", "saslStart", "dropUser", "fsyncUnlock", "setParameter"),
    *("abortTransaction", "commitTransaction"),
}


async def test_what_is_asked_on_connecting_is_answered(db):
    client = await asked(db, {"whatsmyuri": 1})
    assert client["you"].startswith("127.0.0.1:")
    assert (await asked(db, {"getLog": "*"}))["names"] == ["global", "startupWarnings"]
    assert (await asked(db, {"getLog": "startupWarnings"}))["log"] == []
    log = await asked(db, {"getLog": "global"})
    assert log["totalLinesWritten"] >= len(log["log"]) >= 1
    assert all({"t", "s", "c", "ctx", "msg"} <= json.loads(line).keys() for line in log["log"])
    assert "--home" in (await asked(db, {"getCmdLineOpts": 1}))["argv"]
    assert (await asked(db, {"getParameter": "*"}))["ttlMonitorSleepSecs"] == 60
    commands = (await asked(db, {"listCommands": 1}))["commands"]
    assert {"find", "explain", "listCommands"} <= commands.keys() and commands.keys().isdisjoint(REFUSED)


async def test_nobody_is_logged_in(db):
    assert (await db.command({"usersInfo": 1}))["users"] == []
    assert (await db.command({"rolesInfo": 1, "showBuiltinRoles": True}))["roles"] == []
    assert (await db.command({"logout": 1}))["ok"] == 1.0
    assert (await db.command({"profile": -1}))["was"] == 0


async def test_a_session_begins_and_ends(db):
    started = await asked(db, {"startSession": 1})
    assert started["timeoutMinutes"] == 30 and len(started["id"]["id"]) == 16
    other = {"id": Binary(uuid.uuid4().bytes, 4)}
    for ending in ("killSessions", "endSessions", "refreshSessions"):
        assert (await asked(db, {ending: [started["id"], other]}))["ok"] == 1.0
