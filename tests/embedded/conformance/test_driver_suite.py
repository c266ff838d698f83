"""What the driver's own tests ask of a server beyond everyday use."""

import time

import pytest
from pymongo import ASCENDING, MongoClient, WriteConcern
from pymongo.cursor import CursorType
from pymongo.errors import OperationFailure
from pymongo.monitoring import CommandListener


class Asked(CommandListener):
    """The names of the commands that a client sent."""

    def __init__(self):
        self.names = []

    def started(self, event):
        self.names.append(event.command_name)

    def succeeded(self, event):
        pass

    def failed(self, event):
        pass


@pytest.fixture
def asked():
    return Asked()


@pytest.fixture
def sea(uri, db, asked):
    """A database of its own, through one connection."""
    with MongoClient(uri, event_listeners=[asked], maxPoolSize=1) as client:
        client.admin.command("ping")
        yield client[db.name]


@pytest.mark.parametrize("options", [{"scandata": True}, {"full": True}, {"background": True}, {"background": False}])
def test_a_collection_is_validated_by_each_option(sea, options):
    sea.ships.insert_many([{"n": n} for n in range(7)])
    told = sea.validate_collection("ships", **options)
    assert told["valid"] and told["nrecords"] == 7


def test_a_full_validation_is_none_in_the_background(sea):
    sea.ships.insert_one({})
    with pytest.raises(OperationFailure) as refused:
        sea.validate_collection("ships", full=True, background=True)
    assert refused.value.code == 72


def test_an_index_that_was_to_be_made_in_the_background_says_so(sea):
    sea.ships.create_index("name")
    sea.ships.create_index("flag", background=True)
    sea.ships.create_index("port", background=False)
    told = {name: index.get("background") for name, index in sea.ships.index_information().items()}
    assert told == {"_id_": None, "name_1": None, "flag_1": True, "port_1": False}
    assert sea.ships.create_index("flag") == "flag_1"


def stages(plan):
    while plan:
        yield plan
        plan = plan.get("inputStage")


@pytest.mark.parametrize(
    ("filter", "uses"),
    [
        ({"x": 6, "a": {"$lte": 1}}, True),
        ({"x": 6, "a": {"$lt": 1.5}}, True),
        ({"x": {"$gt": 1}, "a": {"$gt": 0, "$lt": 1}}, True),
        ({"x": 6, "$and": [{"a": {"$lte": 0}}]}, True),
        ({"x": 6, "a": {"$lte": 1.6}}, False),
        ({"x": 6, "a": {"$gte": 1}}, False),
        ({"x": 6, "a": {"$lt": "1"}}, False),
        ({"x": 6}, False),
    ],
)
def test_a_partial_index_serves_filters_that_lie_within_its_own(sea, filter, uses):
    sea.ships.create_index([("x", ASCENDING)], partialFilterExpression={"a": {"$lte": 1.5}})
    sea.ships.insert_many([{"x": 6, "a": a} for a in (0, 0.5, 1, 1.5, 2, "0", None, [1, 9])])
    plan = sea.ships.find(filter).explain()["queryPlanner"]["winningPlan"]
    used = [stage for stage in stages(plan) if stage.get("indexName") == "x_1" and stage.get("isPartial")]
    assert bool(used) == uses
    by_reading_all = list(sea.ships.find(filter).hint([("$natural", 1)]))
    assert sorted(map(str, sea.ships.find(filter))) == sorted(map(str, by_reading_all))


@pytest.mark.parametrize(
    ("options", "more"),
    [
        ({"batch_size": 2}, 3),
        ({"batch_size": 2, "cursor_type": CursorType.EXHAUST}, 3),
        ({"batch_size": 4}, 1),
        ({"batch_size": 6}, 1),
        ({"batch_size": 3, "limit": 6}, 1),
        ({}, 0),
    ],
)
def test_a_full_batch_may_be_followed_by_an_empty_one(sea, asked, options, more):
    sea.ships.insert_many([{"_id": n} for n in range(6)])
    asked.names.clear()
    assert [one["_id"] for one in sea.ships.find(**options)] == list(range(6))
    assert asked.names == ["find"] + ["getMore"] * more


def test_raw_batches_end_with_an_empty_one(sea, asked):
    sea.ships.insert_many([{"_id": n} for n in range(4)])
    asked.names.clear()
    assert len(list(sea.ships.find_raw_batches(batch_size=2))) == 2
    assert asked.names == ["find", "getMore", "getMore"]


def test_batches_of_an_exhausted_cursor_come_unasked(uri, sea):
    sea.ships.insert_many([{"_id": n, "load": "x" * 1_000} for n in range(3_000)])
    [pool] = [server.pool for server in sea.client._topology._servers.values()]
    cursor = sea.ships.find(cursor_type=CursorType.EXHAUST, batch_size=2)
    assert [next(cursor)["_id"] for _ in range(3)] == [0, 1, 2]
    assert len(pool.conns) == 0
    cursor.close()  # with more on its way, so that the connection is of no use any more
    until = time.monotonic() + 5
    while pool.active_sockets and time.monotonic() < until:
        time.sleep(0.01)
    assert len(pool.conns) == 0
    found = [one["_id"] for one in sea.ships.find(cursor_type=CursorType.EXHAUST, batch_size=7)]
    assert found == list(range(3_000)) and len(pool.conns) == 1


def test_what_is_written_without_acknowledgement_is_read_at_once_by_everyone(uri, sea):
    unheard = sea.ships.with_options(write_concern=WriteConcern(w=0))
    with MongoClient(uri) as other:
        ships = other[sea.name].ships
        for n in range(30):
            unheard.insert_one({"_id": n})
            time.sleep(0.001)  # the two connections are two ways to the server
            assert ships.count_documents({}) == n + 1
        unheard.update_many({}, {"$set": {"seen": True}})
        time.sleep(0.001)
        assert ships.count_documents({"seen": True}) == 30
