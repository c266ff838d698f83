"""A store that was killed is back for whoever calls next, and nothing is made twice."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import httpx

from tests.mcp_clients import call, client
from tests.processes import free_port, loci

MESSAGE = {"role": "user", "content": "The heron nests by the mill."}
CALLS: dict[str, Callable[[httpx.Client], httpx.Response]] = {
    "query": lambda api: api.post("/query", json={"query": "My boat is called Nixe.", "session_id": "s"}),
    "stream": lambda api: api.post("/query", json={"query": "I like tea.", "session_id": "s", "stream": True}),
    "messages": lambda api: api.post("/v1/messages", json={"session_id": "s", "messages": [MESSAGE]}),
    "completions": lambda api: api.post(
        "/v1/chat/completions", json={"memory_id": "s", "messages": [{"role": "user", "content": "I like plums."}]}
    ),
    "rename": lambda api: api.patch("/v1/sessions/s", json={"title": "Boats"}),
    "fact": lambda api: api.post("/v1/facts", json={"text": "I live in Graz."}),
    "observation": lambda api: api.post("/v1/observations", json={"source": "GOAL:a", "findings": ["It runs"]}),
    "keep": lambda api: api.put("/v1/memories/boat", json={"value": "Nixe"}),
    "search": lambda api: api.post("/v1/search", json={"query": "boat"}),
    "forget": lambda api: api.delete("/v1/memories/boat"),
}


def kill_the_store(home: Path) -> None:
    os.kill(json.loads((home / "store" / "store.json").read_text())["pid"], signal.SIGKILL)


def test_the_first_request_after_the_store_was_killed_succeeds(tmp_path: Path) -> None:
    home, port = tmp_path / "home", free_port()
    with loci(home, "serve", port=port) as process:
        process.says("Loci is at")
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as api:
            assert CALLS["query"](api).status_code == 200
            for name, call in CALLS.items():
                kill_the_store(home)
                answer = call(api)
                assert answer.status_code < 300, (name, answer.text)
                assert "event: error" not in answer.text
            kept = api.get("/v1/sessions/s/messages").json()["items"]
            facts = [one["text"] for one in api.get("/v1/facts").json()["items"]]
            process.stop()
    said = [one["content"] for one in kept if one["role"] == "user"]
    assert said == ["My boat is called Nixe."] * 2 + ["I like tea.", MESSAGE["content"], "I like plums."]
    assert len(facts) == len(set(facts))


async def test_so_does_the_first_call_by_mcp_and_nothing_is_made_twice(tmp_path: Path) -> None:
    home, port = tmp_path / "home", free_port()
    calls: tuple[tuple[str, dict[str, str]], ...] = (
        ("activate", {"conversation_type": "project", "project_name": "herons"}),
        ("update", {"content": "The heron nests by the mill."}),
        ("remember", {"text": "I live in Graz."}),
        ("remember", {"text": "Thanks a lot!"}),  # states no fact, and is kept as a message
        ("recall", {"query": "Where do I live?"}),
        ("list_banks", {}),
    )
    with loci(home, "serve", port=port) as process:
        process.says("Loci is at")
        async with client(f"http://127.0.0.1:{port}") as connected:
            await call(connected, "list_banks")
            for name, arguments in calls:
                kill_the_store(home)
                await call(connected, name, **arguments)
            kill_the_store(home)
            assert await connected.list_resources()
            read = await call(connected, "activate", conversation_type="project", project_name="herons")
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as api:
            facts = [one["text"] for one in (await api.get("/v1/facts")).json()["items"]]
            noted = [one["content"] for one in (await api.get("/v1/sessions/mcp/messages")).json()["items"]]
        process.stop()
    assert sum(text.count("The heron nests by the mill.") for text in read["content"].values()) == 1
    assert (facts, noted) == (["The user lives in Graz."], ["Thanks a lot!"])
