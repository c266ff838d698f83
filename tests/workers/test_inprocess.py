"""The worker and the beat of a process without a broker."""

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from pymongo import MongoClient
from pymongo.database import Database

from config.settings import Settings
from memory.gists.gists import MADE_BY
from tests.checks import eventually
from tests.conftest import Served
from tests.processes import free_port, loci
from utils import mongo
from utils.clock import now
from utils.encoder import MODEL
from workers import app
from workers.app import SWEEP_SECONDS
from workers.inprocess import InProcessWorker

Documents = Database[dict[str, Any]]


@pytest.fixture
def database(store_uri: str, make_settings: Callable[..., Settings]) -> Any:
    with MongoClient[dict[str, Any]](store_uri, tz_aware=True) as client:
        yield client[make_settings().mongodb_db]


@pytest.fixture
def sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sweeps come ten times as often."""
    monkeypatch.setattr(app, "SWEEP_SECONDS", SWEEP_SECONDS / 10)


def add(address: str, count: int, session: str = "s") -> None:
    messages = [
        {"role": ("user", "assistant")[at % 2], "content": f"Where does heron number {at} nest?"} for at in range(count)
    ]
    body = {"session_id": session, "messages": messages}
    assert httpx.post(f"{address}/v1/messages", json=body, timeout=30).json()["accepted"] == count


def waiting(database: Documents) -> int:
    return database["vectors"].count_documents({"embed.state": {"$ne": "done"}})


def test_messages_nobody_waits_for_are_embedded(serve: Callable[..., str], database: Documents) -> None:
    add(serve(), 30)
    eventually(lambda: waiting(database) == 0, SWEEP_SECONDS - 1)
    documents = list(database["vectors"].find())
    assert len(documents) == 30
    for document in documents:
        assert document["embedding"].subtype == 9
        assert document["embedding_model"] == MODEL
        assert document["recall"]["made_by"] == MADE_BY


def test_25_pairs_give_2_summaries(serve: Callable[..., str], database: Documents) -> None:
    address = serve()
    for number in range(25):
        body = {"query": f"The heron number {number} nests by the mill.", "session_id": "s"}
        assert httpx.post(f"{address}/query", json=body).status_code == 200
    found = eventually(lambda: database["summaries"].find_one({"summaries.1": {"$exists": True}}), SWEEP_SECONDS - 1)
    windows = [(one["from_index"], one["to_index"], one["message_count"]) for one in found["summaries"]]
    assert windows == [(0, 19, 20), (20, 39, 20)]
    assert {one["model"] for one in found["summaries"]} == {"rule_based"}


def test_two_in_one_process_do_their_own_work(serve: Callable[..., str], database: Documents) -> None:
    first, second = serve(), serve(mongodb_db=f"{database.name}_other")
    other = database.client[f"{database.name}_other"]
    for address, own in ((first, database), (second, other)) * 3:
        add(address, 2)
        eventually(lambda own=own: waiting(own) == 0, SWEEP_SECONDS - 1)


def test_the_sweep_finds_work_that_a_crash_left_behind(
    serve: Callable[..., str], database: Documents, sweeps: None
) -> None:
    address = serve()
    add(address, 4)
    eventually(lambda: waiting(database) == 0)
    orphaned = {
        "embed": {"state": "leased", "attempts": 1, "lease": "gone", "lease_until": now() - timedelta(seconds=1)}
    }
    database["vectors"].update_many({}, {"$set": orphaned, "$unset": {"embedding": ""}})
    eventually(lambda: waiting(database) == 0, 3 * SWEEP_SECONDS)
    assert database["vectors"].count_documents({"embedding": {"$exists": True}}) == 4


def test_what_the_encoder_of_an_earlier_version_embedded_is_embedded_anew(
    make_settings: Callable[..., Settings], database: Documents, sweeps: None
) -> None:
    served = Served(make_settings())
    add(served.start(), 300)
    eventually(lambda: waiting(database) == 0)
    served.stop()
    earlier = {"embedding_model": "loci-minilm-3", "recall.made_by": "loci-minilm-3/3"}
    database["vectors"].update_many({}, {"$set": earlier})
    served = Served(make_settings())
    served.start()
    made_now = {"embedding_model": MODEL, "recall.made_by": MADE_BY, "embed.state": "done"}
    eventually(lambda: database["vectors"].count_documents(made_now) == 300, 6 * SWEEP_SECONDS)
    served.stop()


def test_it_ends_with_its_server_and_leaves_no_thread(make_settings: Callable[..., Settings]) -> None:
    before = set(threading.enumerate())
    served = Served(make_settings())
    add(served.start(), 10)
    served.stop()
    left = {thread.name for thread in set(threading.enumerate()) - before if not thread.name.startswith("asyncio_")}
    assert not left & {"worker", "beat", "nudges"}


def test_of_two_workers_in_a_process_the_one_that_is_told_to_ends(make_settings: Callable[..., Settings]) -> None:
    def working() -> int:
        return sum(thread.name in ("worker", "beat") for thread in threading.enumerate())

    before = working()
    first, second = InProcessWorker(make_settings()), InProcessWorker(make_settings())
    first.start()
    second.start()
    first.stop()
    assert working() == before + 2
    first.stop()  # once more does no harm
    second.stop()
    assert working() == before


def test_a_store_that_is_away_when_it_starts_does_not_end_it(
    make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(mongo, "SELECTION_SECONDS", 1)
    port = free_port()
    uri = f"mongodb://127.0.0.1:{port}/?directConnection=true"
    with loci(tmp_path, "store", "--port", str(port)) as store:
        eventually(lambda: (tmp_path / "store" / "store.json").exists())
        served = Served(make_settings(mongodb_uri=uri))
        address = served.start()
        store.kill()
        assert httpx.post(f"{address}/query", json={"query": "hello"}, timeout=30).status_code == 503
    with loci(tmp_path, "store", "--port", str(port)):
        eventually(lambda: httpx.get(f"{address}/readyz", timeout=30).status_code == 200)
        add(address, 3)
        with MongoClient[dict[str, Any]](uri) as client:
            database = client[make_settings().mongodb_db]
            eventually(lambda: waiting(database) == 0, 3 * SWEEP_SECONDS)
        served.stop()
