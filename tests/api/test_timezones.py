"""Days are those of where the user is: at every door, on both sides of the world, near midnight."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from openai import OpenAI

from tests import mcp_clients
from tests.api.queries import ask
from tests.checks import eventually, problem
from tests.mcp_clients import call, refusal
from tests.openai_chat import said
from tests.scripted_model import ScriptedModel

AUCKLAND, LOS_ANGELES = "Pacific/Auckland", "America/Los_Angeles"
# A moment, the day of May 2025 that it is there, and by how many days UTC is behind.
MOMENTS = {
    AUCKLAND: (datetime(2025, 5, 7, 13, tzinfo=UTC), 8, 1),
    LOS_ANGELES: (datetime(2025, 5, 8, 5, tzinfo=UTC), 7, -1),
}
MOVED = "I moved to Berlin yesterday."
READING_THE_TIME = (
    "memory.facts.queue.now",
    "agents.chat.exchange.now",
    "agents.proxy.proxy.now",
    "agents.proxy.request.now",
)

both_sides = pytest.mark.parametrize("zone", MOMENTS)


@pytest.fixture
def zone() -> str:
    """For tests of one side."""
    return AUCKLAND


@pytest.fixture
def yesterday(zone: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """It is the moment of a zone; the day before it there."""
    moment, day, _ = MOMENTS[zone]
    for name in READING_THE_TIME:
        monkeypatch.setattr(name, lambda: moment)
    return f"on {day - 1} May 2025"


@both_sides
def test_facts(api: httpx.Client, user: str, zone: str, yesterday: str) -> None:
    body = {"user_id": user, "text": MOVED, "timezone": zone}
    [decided] = api.post("/v1/facts", json=body).json()["decisions"]
    assert decided["text"] == f"The user moved to Berlin {yesterday} (“yesterday”) and lives in Berlin."


@both_sides
def test_facts_by_the_setting(serve: Callable[..., str], zone: str, yesterday: str) -> None:
    with httpx.Client(base_url=serve(timezone=zone), timeout=30) as api:
        [decided] = api.post("/v1/facts", json={"text": MOVED}).json()["decisions"]
    assert yesterday in decided["text"]


@both_sides
async def test_mcp(plain: str, zone: str, yesterday: str, user: str) -> None:
    async with mcp_clients.client(plain, path=f"/mcp?user_id={user}") as connected:
        told = await call(connected, "remember", text=MOVED, timezone=zone)
        found = await call(connected, "recall", query="Where did I move?", timezone=zone)
    assert yesterday in told["decisions"][0]["text"]
    assert yesterday in found["items"][0]["text"]


@both_sides
def test_completions_by_rules_whose_facts_a_worker_makes_later(
    plain_client: OpenAI, api: httpx.Client, user: str, zone: str, yesterday: str
) -> None:
    fields = {"user_id": user, "timezone": zone}
    plain_client.chat.completions.create(model="m", messages=said(MOVED), extra_body=fields)
    eventually(lambda: yesterday in api.get("/v1/facts", params={"user_id": user}).text)


@both_sides
def test_the_proxy_and_what_it_tells_the_provider(
    client: OpenAI, model: ScriptedModel, user: str, zone: str, yesterday: str
) -> None:
    day = MOMENTS[zone][1]
    fields = {"user_id": user, "timezone": zone}
    for text in ("My parrot Pico ate my pen.", "What is my parrot called?"):
        client.chat.completions.create(model="gpt-test", messages=said(text), extra_body=fields)
    sent = model.asked("chat")[-1]
    known = sent["messages"][-1]["content"]
    assert re.search(rf" 2025-05-0{day} \d\d:\d\d\n\[1\] user: My parrot Pico ate my pen\.\n", known)
    assert "timezone" not in sent
    eventually(lambda: any(f"2025-05-0{day}" in str(one["messages"]) for one in model.asked("facts")))


def tell(api: httpx.Client, user: str, *messages: tuple[str, datetime], **more: Any) -> None:
    told = [{"role": "user", "content": text, "timestamp": at.isoformat()} for text, at in messages]
    body = {"user_id": user, "session_id": "s", "messages": told, "wait": True, **more}
    assert api.post("/v1/messages", json=body).json()["accepted"] == len(told)


@both_sides
def test_search_and_questions_by_day(api: httpx.Client, user: str, zone: str) -> None:
    moment, day, behind = MOMENTS[zone]
    here, in_utc = "The heron came at last.", "The kestrel left."
    tell(api, user, (here, moment), (in_utc, moment + timedelta(days=behind)))
    query = f"What did I say on {day} May 2025?"
    for named, first in ({"timezone": zone}, here), ({}, in_utc):
        body = {"user_id": user, "query": query, **named}
        assert api.post("/v1/search", json=body).json()["items"][0]["content"] == first
        answer = ask(api, user, query, **named)["response"]
        assert first in answer and f"2025-05-0{day}" in answer, answer


@both_sides
def test_imported_messages_tell_of_the_days_of_where_they_were_said(api: httpx.Client, user: str, zone: str) -> None:
    moment, day, _ = MOMENTS[zone]
    tell(api, user, ("I went fishing yesterday.", moment), timezone=zone)
    tell(api, user, ("I painted the shed yesterday.", moment + timedelta(days=40)), timezone=zone)
    answer = ask(api, user, f"What did I do on {day - 1} May 2025?", timezone=zone)
    assert f"You told me on 2025-05-0{day}: “I went fishing yesterday.”" in answer["response"]
    assert answer["citations"][0]["timestamp"] == moment.isoformat().replace("+00:00", "Z")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/query", {"query": "What did I do today?"}),
        ("/v1/messages", {"session_id": "s", "messages": [{"role": "user", "content": "Hi"}]}),
        ("/v1/facts", {"text": MOVED}),
        ("/v1/search", {"query": "today"}),
    ],
)
@pytest.mark.parametrize("name", ["Mars/Olympus", "../etc/passwd", "europe", "x" * 300, ""])
def test_a_zone_that_there_is_not_is_refused(api: httpx.Client, user: str, path: str, body: Any, name: str) -> None:
    told = problem(api.post(path, json={"user_id": user, "timezone": name, **body}), 422)
    assert told["errors"][0]["loc"][-1] == "timezone"


async def test_so_it_is_by_mcp(plain: str) -> None:
    async with mcp_clients.client(plain) as connected:
        assert "IANA name" in await refusal(connected, "remember", text=MOVED, timezone="Mars/Olympus")


def test_and_by_the_proxy(chat: httpx.Client) -> None:
    body = {"model": "m", "messages": said("Hi"), "timezone": "Mars/Olympus"}
    told = chat.post("/v1/chat/completions", json=body)
    assert told.status_code in (400, 422) and "IANA name" in told.json()["error"]["message"]
