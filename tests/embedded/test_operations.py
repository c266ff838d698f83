"""What is under way is shown, and can be ended."""

import resource
import threading
import uuid
from types import SimpleNamespace

import pytest
from bson import decode
from pymongo import MongoClient
from pymongo.errors import OperationFailure

from embedded.activity import Activity, Operation
from embedded.catalog import Catalog, Collection
from embedded.commands.call import Call
from embedded.commands.operations import Wanted, shown_operations
from embedded.commands.statistics import top
from embedded.commands.status import host_info, server_status
from tests.embedded.drivers import until

pytestmark = pytest.mark.usefixtures("on_store")

ENDLESS = [
    {"$lookup": {"from": "docs", "localField": "same", "foreignField": "same", "as": "x"}},
    {"$unwind": "$x"},
    {"$lookup": {"from": "docs", "localField": "same", "foreignField": "same", "as": "y"}},
    {"$unwind": "$y"},
    {"$group": {"_id": "$y.n", "n": {"$sum": 1}}},
]


class Running:
    """A pipeline that takes minutes, in a thread; `code` is what ended it."""

    def __init__(self, uri: str, database: str) -> None:
        self.code: int | None = None
        self._client = MongoClient(uri, appname="patience")
        self._docs = self._client[database]["docs"]
        self._docs.insert_many([{"n": n, "same": 1} for n in range(600)])
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self._docs.aggregate(ENDLESS, comment="patience").to_list()
        except OperationFailure as error:
            self.code = error.code

    def ended(self) -> int | None:
        self.thread.join(20)
        self._client.close()
        return self.code


@pytest.fixture
def admin(uri):
    with MongoClient(uri, appname="watcher") as client:
        yield client.admin


@pytest.fixture
def database(admin):
    name = f"test_{uuid.uuid4().hex[:12]}"
    yield name
    admin.client.drop_database(name)


@pytest.fixture
def running(uri, admin, database):
    return Running(uri, database)


def seen(admin, database: str) -> list[dict]:
    return list(admin.aggregate([{"$currentOp": {}}, {"$match": {"ns": f"{database}.docs", "op": "command"}}]))


def test_a_command_that_runs_is_shown_and_killed(admin, running, database):
    until(lambda: seen(admin, database) != [])
    (shown,) = seen(admin, database)
    assert shown["active"] is True and shown["appName"] == "patience" and shown["client"].startswith("127.0.0.1:")
    assert shown["command"]["comment"] == "patience" and shown["microsecs_running"] > 0
    by_command = admin.command({"currentOp": 1, "ns": f"{database}.docs"})["inprog"]
    assert [each["opid"] for each in by_command] == [shown["opid"]]
    assert admin.command({"killOp": 1, "op": shown["opid"]})["info"] == "attempting to kill op"
    assert running.ended() == 11601
    assert seen(admin, database) == []


def test_a_session_that_is_killed_ends_its_command(admin, running, database):
    until(lambda: seen(admin, database) != [])
    (shown,) = seen(admin, database)
    admin.command({"killSessions": [{"id": shown["command"]["lsid"]["id"]}]})
    assert running.ended() == 11601


def test_a_time_limit_holds_within_a_pipeline(admin, database):
    docs = admin.client[database]["docs"]
    docs.insert_many([{"n": n, "same": 1} for n in range(600)])
    with pytest.raises(OperationFailure) as caught:
        docs.aggregate(ENDLESS, maxTimeMS=100)
    assert caught.value.code == 50


def test_who_is_idle_is_shown_when_asked_for(admin, uri):
    with MongoClient(uri, appname="somebody") as other:
        other.admin.command("ping")
        shown = list(admin.aggregate([{"$currentOp": {"idleConnections": True}}]))
    idle = [each for each in shown if each.get("appName") == "somebody"]
    assert idle and not any(each["active"] for each in idle)
    assert [each["ns"] for each in shown if each["active"]] == ["admin.$cmd"]


def test_a_long_command_is_shown_cut_short(admin):
    long = {"currentOp": 1, "op": {"$in": ["command", "x" * 5000]}}
    (shown,) = admin.command(long)["inprog"]
    assert len(shown["command"]["$truncated"]) == 1000
    assert shown["command"]["$truncated"].startswith("{")


def test_a_command_too_long_for_a_document_is_shown_nonetheless():
    operation = Operation(1, "insert", {"insert": "docs", "documents": [{"a": "x" * 10_000_000}] * 2, "$db": "t"})
    store = SimpleNamespace(activity=SimpleNamespace(running=lambda: [operation], clients={}))
    (shown,) = shown_operations(Call("currentOp", {}, {}, store), Wanted(truncated=False))
    assert shown["command"]["insert"] == "docs" and len(shown["command"]["$truncated"]) == 20_000


class Long(bytes):
    def __repr__(self) -> str:
        raise AssertionError("it is looked at in whole")


class Wide(dict):
    looked_at = 0

    def items(self):
        for item in super().items():
            self.looked_at += 1
            yield item


def deep(levels):
    value = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize("value", [Long(100_000), Wide.fromkeys(map(str, range(9_000)), 1), deep(5_000), [0] * 9_000])
def test_no_more_of_a_command_is_looked_at_than_is_shown(value):
    operation = Operation(1, "find", {"find": "docs", "filter": {"a": value}, "$db": "t"})
    store = SimpleNamespace(activity=SimpleNamespace(running=lambda: [operation], clients={}))
    (shown,) = shown_operations(Call("currentOp", {}, {}, store), Wanted())
    assert shown["command"]["$truncated"].startswith("{'find': 'docs', 'filter': {'a': ")
    assert len(shown["command"]["$truncated"]) == 1_000
    assert not isinstance(value, Wide) or value.looked_at < 1_000


def test_connections_are_counted_as_they_come_and_go(admin, uri):
    def connected() -> bool:
        shown = admin.aggregate([{"$currentOp": {"idleConnections": True}}])
        return any(each.get("appName") == "passing" for each in shown)

    before = admin.command("serverStatus")["connections"]
    with MongoClient(uri, appname="passing") as other:
        other.admin.command("ping")
        during = admin.command("serverStatus")["connections"]
        assert connected() and during["current"] >= 2 and during["totalCreated"] > before["totalCreated"]
    until(lambda: not connected())


def test_where_files_are_not_limited_connections_are_available(admin, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    store = SimpleNamespace(activity=Activity(), cursors=())
    told = decode(server_status(Call("serverStatus", {"serverStatus": 1}, {}, store)))
    assert told["connections"]["available"] == 2**31 - 1
    assert decode(host_info(Call("hostInfo", {"hostInfo": 1}, {}, store)))["extra"]["maxOpenFiles"] == 2**31 - 1


def test_top_pauses_where_there_are_many_collections():
    catalog = Catalog({("t", str(n)): Collection(n, "t", str(n), b"", ()) for n in range(120)})
    store = SimpleNamespace(activity=Activity(), catalog=catalog, closing=False)
    *breaths, reply = top(Call("top", {"top": 1, "$db": "admin"}, {}, store))
    assert breaths == [None, None] and len(decode(reply)["totals"]) == 1 + 120
