"""mongosh finds a server that it knows how to talk to. What it sends is in test_recorded.py, without it."""

import uuid

import pytest

from tests.embedded.shell import MONGOSH, Shell

pytestmark = [
    pytest.mark.usefixtures("on_store"),
    pytest.mark.skipif(MONGOSH is None, reason="no mongosh: set LOCI_TEST_MONGOSH or put one on the PATH"),
]


@pytest.fixture
def shell(uri, tmp_path) -> Shell:
    return Shell(tmp_path, uri, f"test_{uuid.uuid4().hex[:12]}")


def test_a_person_is_greeted_without_a_warning_about_the_server(shell):
    printed = shell.typed("show dbs")
    assert "Using MongoDB:\t\t7.0.0" in printed
    for warning in ("Non-Genuine", "startup warnings", "Uncaught", "Error"):
        assert warning not in printed


def test_results_come_in_pages(shell):
    printed = shell.typed(
        "db.c.insertMany([...Array(45).keys()].map(n => ({_id: n}))).acknowledged", "db.c.find()", "it", "it", "it"
    )
    assert printed.count('Type "it" for more') == 2
    assert "{ _id: 44 }" in printed and "no cursor" in printed


def test_what_is_there_is_shown(shell):
    printed = shell.typed(
        "db.things.insertOne({a: 1}).acknowledged",
        *("show collections", "show users", "show roles", "show profile", "show logs", "show log"),
        *("use another", "show tables", "db"),
    )
    assert "things" in printed and "db.system.profile is empty" in printed and '"msg"' in printed
    assert "switched to db another" in printed and "Uncaught" not in printed


def test_documents_are_written_and_found(shell):
    answers = shell.answers(
        "db.c.insertMany([{_id: 1, n: 1}, {_id: 2, n: 2}, {_id: 3, n: 3}]).acknowledged",
        "db.c.find({n: {$gt: 1}}, {n: 1, _id: 0}).sort({n: -1}).limit(1).toArray()",
        "db.c.findOne({n: 2})",
        "[db.c.countDocuments(), db.c.estimatedDocumentCount(), db.c.find({n: 1}).count(), db.c.find().size()]",
        "db.c.distinct('n')",
        "db.c.updateOne({_id: 4}, {$set: {n: 4}}, {upsert: true}).upsertedCount",
        "db.c.updateMany({n: {$lt: 3}}, {$inc: {n: 10}}).modifiedCount",
        "db.c.replaceOne({_id: 4}, {n: 40}).modifiedCount",
        "db.c.findOneAndUpdate({_id: 4}, {$set: {m: 1}}, {returnDocument: 'after'})",
        "db.c.findOneAndReplace({_id: 4}, {n: 41})",
        "db.c.findOneAndDelete({_id: 4})",
        "db.c.bulkWrite([{insertOne: {document: {_id: 5}}}, {deleteOne: {filter: {_id: 5}}}]).deletedCount",
        "db.c.aggregate([{$group: {_id: null, sum: {$sum: '$n'}}}]).toArray()",
        "db.c.deleteMany({}).deletedCount",
    )
    assert answers == [
        True,
        [{"n": 3}],
        {"_id": 2, "n": 2},
        [3, 3, 1, 3],
        [1, 2, 3],
        1,
        2,
        1,
        {"_id": 4, "n": 40, "m": 1},
        {"_id": 4, "n": 40, "m": 1},
        {"_id": 4, "n": 41},
        1,
        [{"_id": None, "sum": 26}],
        3,
    ]


def test_indexes_are_made_listed_and_dropped(shell):
    answers = shell.answers(
        "db.c.createIndex({a: 1, b: -1})",
        "db.c.createIndexes([{c: 1}, {d: 1}], {unique: true})",
        "db.c.getIndexes().map(index => index.name)",
        "db.c.getIndexKeys().length",
        "db.c.dropIndex('c_1').nIndexesWas",
        "db.c.dropIndexes().nIndexesWas",
        "db.c.aggregate([{$indexStats: {}}]).toArray().map(index => index.name)",
    )
    assert answers == ["a_1_b_-1", ["c_1", "d_1"], ["_id_", "a_1_b_-1", "c_1", "d_1"], 4, 4, 3, ["_id_"]]


def test_figures_are_told(shell):
    shell.answers("db.c.insertMany([...Array(10).keys()].map(n => ({n: n}))).acknowledged")
    stats, size, parts, database, latencies, validated, renamed = shell.answers(
        "db.c.stats()",
        "db.c.dataSize()",
        "[db.c.storageSize() + db.c.totalIndexSize(), db.c.totalSize()]",
        "db.stats()",
        "db.c.latencyStats()[0].latencyStats",
        "db.c.validate()",
        "[db.c.renameCollection('d').ok, db.d.countDocuments(), db.getCollectionNames()]",
    )
    assert stats["count"] == 10 and stats["size"] == size > 0 and stats["nindexes"] == 1
    assert parts[0] == parts[1] and database["objects"] == 10
    assert latencies["writes"]["ops"] == 1 and latencies["writes"]["latency"] > 0
    assert validated["valid"] is True and validated["nrecords"] == 10
    assert renamed == [1, 10, ["d"]]


def test_the_server_tells_of_itself(shell):
    version, status, host, current, uri, commands, parameter, log, level = shell.answers(
        "db.version()",
        "db.serverStatus()",
        "db.hostInfo()",
        "db.currentOp()",
        "db.adminCommand({whatsmyuri: 1}).you",
        "Object.keys(db.adminCommand({listCommands: 1}).commands)",
        "db.adminCommand({getParameter: 1, featureCompatibilityVersion: 1}).featureCompatibilityVersion",
        "db.adminCommand({getLog: 'startupWarnings'}).log",
        "db.getProfilingStatus().was",
    )
    assert version == "7.0.0" and parameter == {"version": "7.0"} and log == [] and level == 0
    assert status["connections"]["current"] >= 1 and status["opcounters"]["command"] > 0
    assert host["system"]["numCores"] >= 1
    assert [each["ns"] for each in current["inprog"] if each.get("appName", "").startswith("mongosh")] == ["admin.$cmd"]
    assert uri.startswith("127.0.0.1:") and "find" in commands and "mapReduce" not in commands


def test_plans_are_explained(shell):
    shell.answers("db.c.insertMany([{n: 1}, {n: 2}]).acknowledged", "db.c.createIndex({n: 1})")
    scan, sort, stages, count, update, removed, modified, odd = shell.answers(
        "db.c.find({n: 1}).explain().queryPlanner.winningPlan.inputStage.indexName",
        "db.c.find().sort({m: 1}).explain('executionStats').executionStats.executionStages.stage",
        "db.c.explain('executionStats').aggregate([{$group: {_id: '$n'}}]).stages.map(stage => stage.nReturned)",
        "db.c.explain().count({n: 1}).queryPlanner.winningPlan.stage",
        "db.c.explain('executionStats').update({n: 1}, {$set: {m: 1}}).executionStats.executionStages.nWouldModify",
        "db.c.explain().remove({n: 1}).queryPlanner.winningPlan.stage",
        "db.c.countDocuments({m: 1})",
        "db.c.find().explain('odd')",
    )
    assert (scan, sort, stages, count) == ("n_1", "SORT", [2, 2], "COUNT")
    assert (update, removed, modified) == (1, "DELETE", 0)
    assert odd == {"code": 2, "codeName": "BadValue"}


def test_what_the_store_has_not_is_refused_by_name(shell):
    answers = shell.answers(
        "rs.status()",
        "rs.initiate()",
        "db.runCommand({noSuchThing: 1})",
        "db.createUser({user: 'u', pwd: 'p', roles: []})",
        "db.c.watch()",
        "db.createCollection('capped', {capped: true, size: 100})",
        "db.createView('view', 'c', [])",
        "db.setProfilingLevel(2)",
        "db.fsyncLock()",
        "db.c.find().collation({locale: 'de'}).toArray()",
    )
    assert [answer.get("codeName") for answer in answers] == [
        "NoReplicationEnabled",
        "NoReplicationEnabled",
        "CommandNotFound",
        "NotImplemented",
        "Location40573",
        *["NotImplemented"] * 5,
    ]


def test_a_transaction_is_refused(shell):
    printed = shell.typed(
        "session = db.getMongo().startSession(); session.startTransaction(); 'begun'",
        "session.getDatabase('test').c.insertOne({a: 1})",
        "db.getSiblingDB('test').c.countDocuments({a: 1})",
    )
    assert "begun" in printed and "does not support retryable writes" in printed
