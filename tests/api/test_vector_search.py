"""A whole installation finds its messages through MongoDB's search."""

from collections.abc import Callable, Iterator

import httpx
import pytest

from agents.open import open_memory
from api.cli.doctor import Finding, examine
from config.settings import Settings
from tests.api.said import say, search
from tests.checks import problem
from tests.conftest import Served
from tests.conversations import Silent
from tests.scripted_mongot import NOT_ENABLED, ScriptedMongot

SAID = ["The cello teacher is called Mirela.", "Bees make honey in June.", "The locker has the number 4711."]


@pytest.fixture
def settings(make_settings: Callable[..., Settings], mongot: ScriptedMongot) -> Settings:
    return make_settings(mongodb_uri=mongot.uri, vector_search="mongodb")


@pytest.fixture
def asking(settings: Settings) -> Iterator[httpx.Client]:
    """An API that asks MongoDB."""
    yield from _client(settings)


@pytest.fixture
def exact(asking: httpx.Client, settings: Settings) -> Iterator[httpx.Client]:
    """Another one on the same database, that keeps histories in memory."""
    yield from _client(settings.model_copy(update={"vector_search": "exact"}))


def _client(settings: Settings) -> Iterator[httpx.Client]:
    served = Served(settings)
    try:
        with httpx.Client(base_url=served.start(), timeout=30) as client:
            yield client
    finally:
        served.stop()


def tell(api: httpx.Client, user: str, *texts: str) -> None:
    say(api, user, f"{user}-s", *texts)


def test_a_search_finds_what_exact_search_finds(
    asking: httpx.Client, exact: httpx.Client, mongot: ScriptedMongot
) -> None:
    tell(asking, "ann", *SAID, *(f"Nothing much happened on day {number}." for number in range(60)))
    for query in ("Who teaches the cello?", "What do bees make?", "which locker is mine?", "what happened on day 7?"):
        one, other = search(asking, "ann", query), search(exact, "ann", query)
        assert [item["id"] for item in one] == [item["id"] for item in other]
        assert [item["score"] for item in one] == pytest.approx([item["score"] for item in other], abs=1e-3)
        assert one[0]["explain"].keys() == other[0]["explain"].keys()
    assert len(mongot.sent("$vectorSearch")) == 4


def test_two_users_find_their_own(asking: httpx.Client, mongot: ScriptedMongot) -> None:
    tell(asking, "ann", *SAID)
    tell(asking, "bob", *SAID)
    for user in ("ann", "bob"):
        found = search(asking, user, "What do bees make?", min_score=0)
        assert {item["session_id"] for item in found} == {f"{user}-s"}
        assert {"user_id": user} in mongot.sent("$vectorSearch")[-1]["filter"]["$and"]


def test_a_question_is_answered_by_what_was_said_in_another_session(asking: httpx.Client) -> None:
    asking.post("/query", json={"query": "My cello is called Esmeralda.", "session_id": "monday"})
    answer = asking.post("/query", json={"query": "What is my cello called?", "session_id": "tuesday"}).json()
    assert "Esmeralda" in answer["response"]
    assert answer["citations"][0]["session_id"] == "monday"


def test_a_deleted_session_is_not_found_while_mongot_still_knows_it(
    asking: httpx.Client, settings: Settings, mongot: ScriptedMongot
) -> None:
    tell(asking, "ann", *SAID)
    with mongot.lagging(settings.mongodb_db):
        assert asking.delete("/v1/sessions/ann-s", params={"user_id": "ann"}).status_code == 200
        assert search(asking, "ann", "What do bees make?") == []


def test_readiness_tells_of_the_search_index(asking: httpx.Client, settings: Settings, mongot: ScriptedMongot) -> None:
    ready = asking.get("/readyz")
    assert ready.status_code == 200
    assert ready.json()["dependencies"]["vector_search"]["ok"] is True
    mongot.indexes[settings.mongodb_db] |= {"status": "BUILDING", "queryable": False}
    building = asking.get("/readyz")
    assert building.status_code == 503
    told = building.json()["dependencies"]["vector_search"]
    assert told["ok"] is False
    assert "BUILDING" in told["detail"]
    tell(asking, "ann", *SAID)
    refused = asking.post("/v1/search", json={"user_id": "ann", "query": "What do bees make?"})
    assert "BUILDING" in problem(refused, 503)["detail"]
    assert refused.headers["retry-after"]
    problem(asking.post("/query", json={"user_id": "ann", "query": "What do bees make?"}), 503)
    mongot.ready(settings.mongodb_db)
    assert asking.get("/readyz").status_code == 200
    assert search(asking, "ann", "What do bees make?")


async def test_the_doctor_examines_the_search_index(settings: Settings, mongot: ScriptedMongot) -> None:
    def told(found: list[Finding]) -> Finding:
        return next(one for one in found if one.name == "vector search")

    before = told(await examine(settings))
    assert (before.ok, "made when Loci starts" in before.advice) == (False, True)
    async with open_memory(settings, nudge=Silent()):
        assert told(await examine(settings)).ok
    mongot.refusing = NOT_ENABLED
    assert "MongoDB Atlas" in told(await examine(settings)).advice
    assert "vector search" not in {one.name for one in await examine(settings, quick=True)}
