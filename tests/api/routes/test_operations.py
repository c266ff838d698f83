"""Routes of operation: whether it is up, and what it runs on."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from fastapi import Response

from agents.memory import Memory
from api.routes import operations
from api.routes.operations import readyz
from config.recipes import QUERY
from config.settings import Settings
from tests.checks import eventually, problem
from tests.conftest import Served
from tests.conversations import USER, turn
from tests.processes import free_port, loci
from utils import mongo


def test_livez_says_ok(api: httpx.Client) -> None:
    assert api.get("/livez").json() == {"status": "ok"}


def test_readyz_names_each_dependency_with_its_latency(api: httpx.Client) -> None:
    body = api.get("/readyz").json()
    assert body["ready"] is True
    assert body["dependencies"].keys() == {"store", "broker", "embeddings"}
    for dependency in body["dependencies"].values():
        assert dependency["ok"] is True
        assert dependency["latency_ms"] >= 0
    assert body["dependencies"]["broker"]["detail"] == "in-process queue"
    eventually(lambda: api.get("/readyz").json()["not_embedded"] == 0)
    assert api.get("/readyz").json()["not_embedded_at_least"] is False


async def test_what_waits_is_counted_beyond_a_thousand_and_where_it_is_not_it_says_so(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def counted() -> tuple[int | None, bool]:
        ready = await readyz(Response(), quiet, Settings(mongodb_uri="mongodb://127.0.0.1"))
        return ready.not_embedded, ready.not_embedded_at_least

    for part in range(2):
        await quiet.add(USER, "s", [turn(f"m{part}.{number}", f"item {number}") for number in range(600)])
    assert await counted() == (1_200, False)
    monkeypatch.setattr(operations, "MOST_COUNTED", 1_000)
    assert await counted() == (1_000, True)


def test_health_tells_the_basic_configuration(api: httpx.Client) -> None:
    body = api.get("/health").json()
    assert body["status"] == "ok"
    assert (body["chat_model"], body["broker"], body["store"]) == ("rule_based", "in-process", "mongodb")
    assert (body["top_k"], body["similarity_floor"], body["summary_interval"]) == (8, QUERY.floor, 10)


def test_health_names_the_models_that_are_set(chat: httpx.Client) -> None:
    body = chat.get("/health").json()
    assert (body["chat_model"], body["embedding_model"]) == ("gpt-4o-mini", "text-embedding-3-small")


def test_metrics_tell_of_searches_and_of_indexes_read(api: httpx.Client, user: str) -> None:
    def read() -> dict[str, float]:
        answer = api.get("/metrics")
        assert answer.headers["content-type"].startswith("text/plain; version=")
        lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}

    before = read()
    messages = [{"id": f"m{n}", "role": "user", "content": f"I keep bees, hive {n}"} for n in range(3)]
    said = {"user_id": user, "session_id": "s1", "messages": messages, "wait": True}
    api.post("/v1/messages", json=said).raise_for_status()
    for query in ("Which bees do I keep?", "Which hive?"):
        assert api.post("/v1/search", json={"user_id": user, "query": query}).json()["items"]
    after = read()
    assert after["loci_search_seconds_count"] - before["loci_search_seconds_count"] == 2
    assert after["loci_index_load_seconds_count"] - before["loci_index_load_seconds_count"] == 1
    assert after["loci_index_loaded_gists_total"] - before["loci_index_loaded_gists_total"] == 3
    assert after["loci_index_users"] > 0 and after["loci_index_bytes"] > 0
    assert after["process_resident_memory_bytes"] > 0


def test_an_api_without_its_broker_is_not_ready_but_answers(serve: Callable[..., str], user: str) -> None:
    with httpx.Client(base_url=serve(redis_url=f"redis://127.0.0.1:{free_port()}/0"), timeout=30) as api:
        answer = api.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["ready"] is False
        assert answer.json()["dependencies"]["broker"]["ok"] is False
        assert answer.json()["dependencies"]["store"]["ok"] is True
        assert api.post("/query", json={"query": "hello", "user_id": user}).status_code == 200


@pytest.mark.parametrize("driver", ["pymongo", "motor"])
def test_an_api_without_its_store_lives_but_is_not_ready(
    make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, user: str, driver: str
) -> None:
    monkeypatch.setattr(mongo, "SELECTION_SECONDS", 1)
    port = free_port()
    question = {"query": "hello", "user_id": user}
    with loci(tmp_path, "store", "--port", str(port)) as store, ExitStack() as stack:
        eventually(lambda: (tmp_path / "store" / "store.json").exists())
        uri = f"mongodb://127.0.0.1:{port}/?directConnection=true"
        served = Served(make_settings(mongodb_uri=uri, mongodb_driver=driver))
        with httpx.Client(base_url=served.start(), timeout=30) as api:
            assert api.get("/readyz").status_code == 200
            store.kill()
            assert api.get("/livez").status_code == 200
            answer = api.get("/readyz")
            assert answer.status_code == 503
            assert answer.json()["dependencies"]["store"]["ok"] is False
            assert answer.json()["not_embedded"] is None
            refused = api.post("/query", json=question)
            assert problem(refused, 503)["title"] == "Store unavailable"
            assert refused.headers["retry-after"] == "1"
            stack.enter_context(loci(tmp_path, "store", "--port", str(port)))
            eventually(lambda: api.get("/readyz").status_code == 200)
            assert api.post("/query", json=question).status_code == 200
        served.stop()
