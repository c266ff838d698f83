"""Explain says which index serves, and how much is read."""

import pytest
from pymongo.errors import OperationFailure

pytestmark = pytest.mark.usefixtures("on_store")


@pytest.fixture
async def filled(docs):
    await docs.create_index("n", name="by_n")
    await docs.insert_many([{"_id": n, "n": n, "odd": bool(n % 2), "tags": [n, n + 1]} for n in range(20)])
    return docs


async def run(db, command, verbosity="executionStats"):
    return await db.command("explain", command, verbosity=verbosity)


def names(stage) -> list[str]:
    """The stages from the outermost inwards."""
    return [stage["stage"], *names(stage["inputStage"])] if "inputStage" in stage else [stage["stage"]]


def examined(explained) -> tuple[int, int, int]:
    """(returned, keys, documents)."""
    stats = explained["executionStats"]
    return stats["nReturned"], stats["totalKeysExamined"], stats["totalDocsExamined"]


@pytest.mark.parametrize(
    ("command", "stages", "figures"),
    [
        ({"find": "docs", "filter": {"n": {"$gte": 15}}}, ["FETCH", "IXSCAN"], (5, 5, 5)),
        ({"find": "docs", "filter": {"odd": True}}, ["COLLSCAN"], (10, 0, 20)),
        (
            {"find": "docs", "sort": {"odd": 1}, "skip": 1, "limit": 3},
            ["LIMIT", "SKIP", "SORT", "COLLSCAN"],
            (3, 0, 20),
        ),
        (
            {"find": "docs", "filter": {"n": 3}, "projection": {"n": 1}},
            ["PROJECTION_DEFAULT", "FETCH", "IXSCAN"],
            (1, 1, 1),
        ),
        ({"count": "docs", "query": {"n": {"$in": [1, 2]}}}, ["COUNT", "COUNT_SCAN"], (0, 2, 0)),
        ({"count": "docs"}, ["COUNT", "COUNT_SCAN"], (0, 20, 0)),
        ({"count": "docs", "query": {"odd": True}}, ["COUNT", "COLLSCAN"], (0, 0, 20)),
        ({"distinct": "docs", "key": "odd", "query": {"n": {"$in": [4, 5]}}}, ["FETCH", "IXSCAN"], (2, 2, 2)),
        ({"aggregate": "docs", "pipeline": [{"$match": {"n": 4}}], "cursor": {}}, ["FETCH", "IXSCAN"], (1, 1, 1)),
        (
            {"aggregate": "docs", "pipeline": [{"$match": {"n": 4}}, {"$count": "c"}], "cursor": {}},
            ["COUNT", "COUNT_SCAN"],
            (1, 1, 0),
        ),
        (
            {"update": "docs", "updates": [{"q": {"n": {"$gte": 15}}, "u": {"$set": {"odd": True}}, "multi": True}]},
            ["UPDATE", "FETCH", "IXSCAN"],
            (0, 5, 5),
        ),
        ({"delete": "docs", "deletes": [{"q": {"n": 4}, "limit": 0}]}, ["DELETE", "FETCH", "IXSCAN"], (0, 1, 1)),
        (
            {"findAndModify": "docs", "query": {"n": 4}, "update": {"$set": {"odd": 5}}},
            ["UPDATE", "LIMIT", "FETCH", "IXSCAN"],
            (1, 1, 1),
        ),
        (
            {"findAndModify": "docs", "query": {"n": 4}, "remove": True},
            ["DELETE", "LIMIT", "FETCH", "IXSCAN"],
            (1, 1, 1),
        ),
        ({"find": "nothing"}, ["EOF"], (0, 0, 0)),
    ],
)
async def test_each_command_tells_its_stages_and_what_they_read(db, filled, command, stages, figures):
    explained = await run(db, command)
    assert names(explained["queryPlanner"]["winningPlan"]) == stages
    assert names(explained["executionStats"]["executionStages"]) == stages
    assert examined(explained) == figures
    assert explained["executionStats"]["executionSuccess"] is True


async def test_the_stage_that_scans_names_its_index(db, filled):
    explained = await run(db, {"find": "docs", "filter": {"n": {"$gte": 3}}, "sort": {"n": -1}})
    scan = explained["queryPlanner"]["winningPlan"]["inputStage"]
    assert (scan["indexName"], scan["keyPattern"], scan["direction"]) == ("by_n", {"n": 1}, "backward")


async def test_each_stage_tells_what_it_gave(db, filled):
    explained = await run(db, {"find": "docs", "filter": {"n": {"$gte": 10}}, "sort": {"odd": 1}, "limit": 2})
    limit = explained["executionStats"]["executionStages"]
    sort, fetch = limit["inputStage"], limit["inputStage"]["inputStage"]
    scan = fetch["inputStage"]
    assert [each["nReturned"] for each in (limit, sort, fetch, scan)] == [2, 2, 10, 10]
    assert (fetch["docsExamined"], scan["keysExamined"]) == (10, 10)
    assert limit["executionTimeMillisEstimate"] >= scan["executionTimeMillisEstimate"] >= 0


async def test_an_update_is_only_tried(db, filled):
    change = {"q": {"n": {"$gte": 15}}, "u": {"$set": {"odd": True}}, "multi": True}
    update = (await run(db, {"update": "docs", "updates": [change]}))["executionStats"]["executionStages"]
    assert (update["nMatched"], update["nWouldModify"], update["nWouldUpsert"]) == (5, 2, 0)
    assert await filled.count_documents({"odd": True}) == 10
    upsert = {"q": {"n": 99}, "u": {"$set": {"a": 1}}, "upsert": True}
    update = (await run(db, {"update": "docs", "updates": [upsert]}))["executionStats"]["executionStages"]
    assert (update["nMatched"], update["nWouldUpsert"]) == (0, 1)
    removal = await run(db, {"delete": "docs", "deletes": [{"q": {}, "limit": 0}]})
    assert removal["executionStats"]["executionStages"]["nWouldDelete"] == 20
    assert await filled.count_documents({}) == 20


async def test_the_stages_of_a_pipeline_are_told_one_by_one(db, filled):
    pipeline = [{"$match": {"n": {"$lt": 8}}}, {"$unwind": "$tags"}, {"$group": {"_id": "$odd"}}]
    command = {"aggregate": "docs", "pipeline": pipeline, "cursor": {}}
    explained = await run(db, command)
    cursor, *rest = explained["stages"]
    assert names(cursor["$cursor"]["queryPlanner"]["winningPlan"]) == ["FETCH", "IXSCAN"]
    assert examined(cursor["$cursor"])[0] == 8
    assert [each["nReturned"] for each in (cursor, *rest)] == [8, 16, 2]
    assert rest[0]["$unwind"] == "$tags"
    planned = await run(db, command, "queryPlanner")
    assert planned["stages"][1:] == pipeline[1:] and "executionStats" not in planned["stages"][0]["$cursor"]
    inline = await db.command({**command, "explain": True})
    assert inline["stages"] == planned["stages"]


async def test_a_pipeline_that_reads_figures_is_explained(db, filled):
    explained = await run(db, {"aggregate": "docs", "pipeline": [{"$indexStats": {}}], "cursor": {}})
    (stage,) = explained["stages"]
    assert stage["$indexStats"] == {} and stage["nReturned"] == 2


async def test_verbosity_decides_what_is_run(db, filled):
    command = {"find": "docs", "filter": {"n": 3}}
    assert "executionStats" not in await run(db, command, "queryPlanner")
    assert "allPlansExecution" not in (await run(db, command, "executionStats"))["executionStats"]
    assert (await run(db, command, "allPlansExecution"))["executionStats"]["allPlansExecution"] == []
    assert "allPlansExecution" in (await db.command("explain", command))["executionStats"]


@pytest.mark.parametrize(
    ("command", "verbosity", "code"),
    [
        ({"find": "docs"}, "odd", 2),
        ({"find": "docs"}, 5, 2),
        ({"noSuch": "docs"}, "queryPlanner", 59),
        ({"insert": "docs", "documents": [{}]}, "queryPlanner", 20),
        ({"find": "docs", "surprise": 1}, "queryPlanner", 40415),
        ({"find": "docs", "filter": {"a": {"$nonsense": 1}}}, "queryPlanner", 2),
        ({"find": "docs", "hint": "no_such_index"}, "queryPlanner", 2),
        ({"aggregate": "docs", "pipeline": [{"$nonsense": {}}], "cursor": {}}, "queryPlanner", 40324),
        ({"update": "docs", "updates": []}, "queryPlanner", 16),
        ({"update": "docs", "updates": [{"q": {}}]}, "queryPlanner", 9),
        ({"delete": "docs", "deletes": [{"limit": 1}]}, "queryPlanner", 14),
        ({}, "queryPlanner", 59),
    ],
)
async def test_what_cannot_be_explained_is_refused(db, filled, command, verbosity, code):
    with pytest.raises(OperationFailure) as caught:
        await run(db, command, verbosity)
    assert caught.value.code == code


SET, UNKNOWN = {"$set": {"a": 1}}, {"$unknown": {"a": 1}}
REFUSED = [
    ({"update": "docs", "updates": [{"q": {}, "u": SET, "sort": {"n": 1}}]}, 238),
    ({"update": "docs", "updates": [{"q": {}, "u": SET, "surprise": 1}]}, 40415),
    ({"update": "docs", "updates": [{"q": {}, "u": {"a": 1}, "multi": True}]}, 9),
    ({"update": "docs", "updates": [{"q": {"n": 99}, "u": UNKNOWN}]}, 9),
    ({"update": "docs", "updates": [{"q": {}, "u": "abc"}]}, 9),
    ({"update": "nothing", "updates": [{"q": {"$or": [{"a": 1}]}, "u": {"$inc": {"a": "x"}}, "upsert": True}]}, 14),
    ({"delete": "docs", "deletes": [{"q": {}, "limit": "abc"}]}, 9),
    ({"delete": "docs", "deletes": [{"q": {}, "limit": 1, "surprise": 1}]}, 40415),
    ({"findAndModify": "docs", "query": {"n": 1}}, 9),
    ({"findAndModify": "docs", "query": {"n": 1}, "remove": True, "update": SET}, 9),
    ({"findAndModify": "docs", "query": {"n": 1}, "remove": True, "new": True}, 9),
    ({"findAndModify": "docs", "query": {"n": 1}, "update": "abc"}, 9),
    ({"findAndModify": "docs", "query": {"n": 99}, "update": UNKNOWN}, 9),
    ({"findAndModify": "docs", "update": SET, "fields": {"a": 1, "b": 0}}, 31254),
    ({"distinct": "docs"}, 14),
]


async def test_what_a_command_refuses_its_explanation_refuses_alike(db, filled):
    async def code_of(command):
        try:
            reply = await db.command(command)
        except OperationFailure as error:
            return error.code
        return (reply.get("writeErrors") or [{"code": None}])[0]["code"]

    for command, code in REFUSED:
        explained = {"explain": command, "verbosity": "executionStats"}
        assert [await code_of(command), await code_of(explained)] == [code, code], command
    assert await code_of({"explain": {"count": "docs", "limit": "x"}}) == 14


async def test_the_pieces_of_a_pipeline_have_to_be_stages(db, filled):
    for pipeline, code in ((5, 14), ([5], 14), ([{}], 40323), ([{"$match": {}, "$limit": 1}], 40323)):
        command = {"aggregate": "docs", "pipeline": pipeline}
        for asked in ({"explain": {**command, "cursor": {}}}, {**command, "explain": True}):
            with pytest.raises(OperationFailure) as caught:
                await db.command(asked)
            assert caught.value.code == code
