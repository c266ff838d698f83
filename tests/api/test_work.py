"""How much work a text is, whatever it looks like and wherever it is sent: no more than it is long, and in the event
loop, where all others wait meanwhile, next to none."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from time import monotonic
from typing import Any

import httpx
import pytest

from agents.memory import Memory
from api.app import create_app
from api.auth import ApiKeys
from config.settings import Settings
from tests.mcp_clients import ACCEPT
from tests.mirrors import Mirroring, say
from tests.work import SHAPES, steps_of

BLANK = frozenset(["blanks", "line ends", "tabs"])  # refused where something must be said
TRIED = 3  # shapes at each door, other ones at the next, beside those that are tried at all
EVERYWHERE = ("words that differ", "clauses", "a blob")
GO_ON = ("responses", "anthropic", "completions", "tools of MCP")  # as other doors do, at which other shapes are tried
LONG = 20_000  # characters that are enough to tell how work grows
SPARE = 30_000  # steps that a short text may take, and waiting
DATE = "2024-05-02T10:00:00Z"

Client = httpx.AsyncClient
Send = Callable[[Client, str, str], Awaitable[httpx.Response]]


@pytest.fixture
async def client(quiet: Memory, make_settings: Callable[..., Settings]) -> AsyncIterator[Client]:
    """A client of the application in this thread, without workers."""
    app = create_app(make_settings())
    app.state.memory, app.state.settings, app.state.started = quiet, make_settings(), monotonic()
    app.state.keys = ApiKeys(quiet.engine.store.api_keys, {}, None)
    transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 1))
    calling = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=60)
    async with calling as client, app.state.mcp.running():
        yield client


def posting(path: str, **fields: Any) -> Send:
    """Sends a text as the field whose value is `...`, or in whatever a function makes of it."""

    def filled(text: str, value: Any) -> Any:
        return text if value is ... else value(text) if callable(value) else value

    async def send(client: Client, user: str, text: str) -> httpx.Response:
        body = {"user_id": user} | {name: filled(text, value) for name, value in fields.items()}
        return await client.post(path, json=body)

    return send


def said(text: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text}]


def by_others(text: str) -> list[dict[str, Any]]:
    return [{"role": role, "content": text} for role in ("system", "assistant", "tool")]


def instructed(text: str) -> list[dict[str, Any]]:
    """A system message, an assistant's answer and another message behind the user's."""
    system, answer = {"role": "system", "content": text}, {"role": "assistant", "content": text}
    return [system, *said("Hello."), answer, *said("Hello again."), system]


def history(text: str) -> list[dict[str, Any]]:
    """Three calls of tools, of which the first gave the text."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "What is in it?"}]
    for at, result in enumerate((text, "two files", "nothing")):
        call = {"id": f"c{at}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{at}", "content": result})
    return messages


async def bring_in(client: Client, user: str, text: str) -> httpx.Response:
    session = {"created_at": DATE, "updated_at": DATE, "title": "s", "epoch": "e" * 32, "id": "s"}
    message = {"session_id": "s", "id": "m", "role": "user", "content": text, "timestamp": DATE, "created_at": DATE}
    lines = [
        {"kind": "export", "format": "loci", "version": 1, "user_id": user, "at": DATE},
        {"kind": "session", "places": 1, "summarised_to": -1} | session,
        {"kind": "message", "place": 0} | message,
        {"kind": "end", "counts": {"session": 1, "message": 1}},
    ]
    body = "\n".join(map(json.dumps, lines))
    return await client.post(f"/v1/users/{user}/import", content=body, headers={"content-type": "application/jsonl"})


async def keep(client: Client, user: str, text: str) -> httpx.Response:
    return await client.put("/v1/scratchpad/k", params={"user_id": user}, json={"value": text})


async def update_bank(client: Client, user: str, text: str) -> httpx.Response:
    opened = {"user_id": user, "conversation_type": "global"}
    (await client.post("/v1/banks", json=opened)).raise_for_status()
    return await client.post("/v1/banks/global/global/update", json={"user_id": user, "content": text})


def tool_call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The body and the headers of a call by MCP."""
    version, named = "2026-07-28", "io.modelcontextprotocol/"
    info = {"clientCapabilities": {}, "clientInfo": {"name": "test", "version": "1"}, "protocolVersion": version}
    meta = {named + name: value for name, value in info.items()}
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    headers = ACCEPT | {"mcp-protocol-version": version, "mcp-method": "tools/call", "mcp-name": tool}
    return {"headers": headers, "json": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}}


async def change_fact(client: Client, user: str, text: str) -> httpx.Response:
    told = await client.post("/v1/facts", json={"user_id": user, "text": "I keep bees."})
    [made] = told.raise_for_status().json()["decisions"]
    return await client.patch(f"/v1/facts/{made['id']}", json={"user_id": user, "text": text})


async def stand(client: Client, user: str, text: str) -> httpx.Response:
    """Instructions of a user, a session and a project, and a value under a key."""
    own = {"user_id": user}
    (await client.post("/v1/messages", json=own | {"session_id": "s", "messages": said("Hello.")})).raise_for_status()
    asked = [
        await client.patch("/v1/profile", json=own | {"instructions": text}),
        await client.patch("/v1/sessions/s", json=own | {"instructions": text}),
        await client.put("/v1/projects/p", json=own | {"instructions": text}),
        await client.put("/v1/memories/k", json=own | {"value": text}),
    ]
    return first_refused(asked)


async def converse(client: Client, user: str, text: str) -> httpx.Response:
    params, items = {"user_id": user}, [{"type": "message", "role": "user", "content": text}]
    begun = await client.post("/v1/conversations", params=params, json={"items": items})
    if begun.status_code >= 300:
        return begun
    return await client.post(f"/v1/conversations/{begun.json()['id']}/items", params=params, json={"items": items})


async def ask_claude(client: Client, user: str, text: str) -> httpx.Response:
    body = {"model": "m", "max_tokens": 99, "messages": said(text)}
    paths = ("/anthropic/v1/messages/count_tokens", "/anthropic/v1/messages")
    return first_refused([await client.post(path, params={"user_id": user}, json=body) for path in paths])


async def embed(client: Client, _: str, text: str) -> httpx.Response:
    return await client.post("/v1/embeddings", json={"model": "m", "input": text})


async def call_tools(client: Client, user: str, text: str) -> httpx.Response:
    """The tools of MCP that take a text."""
    given: dict[str, Any] = {}
    asked = []
    for tool, arguments in {
        "activate": {"conversation_type": "global"},
        "remember": {"text": text},
        "recall": {"query": text},
        "update": {"content": text},
    }.items():
        if tool == "update":
            arguments["conversation_id"] = given["conversation_id"]
        asked.append(await client.post("/mcp", params={"user_id": user}, **tool_call(tool, arguments)))
        result = asked[-1].raise_for_status().json()["result"]
        given |= result.get("structuredContent") or {}
        if result.get("isError"):
            return httpx.Response(422, text=asked[-1].text)
    return first_refused(asked)


def first_refused(answers: list[httpx.Response]) -> httpx.Response:
    """That of the answers which refuses, or the last."""
    return next((answer for answer in answers if answer.status_code >= 300), answers[-1])


DOORS: dict[str, tuple[int, Send]] = {  # and how long a text is at most that is tried there
    "messages": (60_000, posting("/v1/messages", session_id="s", messages=said)),
    "query": (12_000, posting("/query", query=...)),
    "chat completions": (12_000, posting("/v1/chat/completions", model="m", messages=said)),
    "search": (2_000, posting("/v1/search", query=...)),
    "facts": (20_000, posting("/v1/facts", text=...)),
    "bank": (30_000, update_bank),
    "observations": (16_000, posting("/v1/observations", content=..., category="finding", source="s")),
    "extract": (60_000, posting("/v1/observations/extract", step_name="s", step_type="t", output=...)),
    "consolidate": (60_000, posting("/v1/sessions/s/consolidate", messages=said)),
    "recall": (2_000, posting("/v1/observations/recall", query=...)),
    "scratchpad": (60_000, keep),
    "compress": (60_000, posting("/v1/tool-memory/compress", task_id="t", messages=history)),
    "records": (60_000, posting("/v1/tool-memory/records", task_id="t", tool_name="n", raw_input="{}", raw_output=...)),
    "tool search": (2_000, posting("/v1/tool-memory/search", task_id="t", query=...)),
    "import": (60_000, bring_in),
    "other roles": (60_000, posting("/v1/messages", session_id="s", messages=by_others)),
    "system message": (8_000, posting("/v1/chat/completions", model="m", messages=instructed)),
    "instructions": (8_000, posting("/query", query="Hello.", instructions=...)),
    "what stands": (8_000, stand),
    "fact": (600, change_fact),
    "conversations": (20_000, converse),
    "responses": (1_000, posting("/v1/responses", model="m", input=...)),
    "anthropic": (1_000, ask_claude),
    "completions": (1_000, posting("/v1/completions", model="m", prompt=...)),
    "embeddings": (1_000, embed),
    "tools of MCP": (600, call_tools),
}


@pytest.mark.parametrize("door", DOORS)
async def test_a_text_is_no_more_work_than_it_is_long(
    client: Client, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    """First all is done in this thread, so that its steps count, too, then, with words that are known, what has to be
    done in the event loop."""
    most, send = DOORS[door]
    long = min(most, LONG)
    offset = list(DOORS).index(door)
    tried = 0 if door in GO_ON else TRIED
    shapes = {*EVERYWHERE, *[*SHAPES, *SHAPES][offset * TRIED % len(SHAPES) :][:tried]}

    async def taken(shape: str, size: int, user: str, *, anew: bool) -> int:
        text = SHAPES[shape](size)
        count, response = await steps_of(send(client, user, text), anew=anew)
        assert response.status_code < 300 or (shape in BLANK and response.status_code == 422), response.text
        return count

    await taken("letters", 300, "warm", anew=False)
    with monkeypatch.context() as here:
        here.setattr(asyncio, "to_thread", at_once)
        in_all = {
            shape: [await taken(shape, size, f"{shape} {size}", anew=True) for size in (long // 3, long)]
            for shape in shapes
        }
    in_loop = {
        shape: [await taken(shape, size, f"{shape} {size} again", anew=False) for size in (most // 8, most)]
        for shape in shapes
    }
    assert {shape: counts for shape, counts in in_loop.items() if counts[1] > 2 * counts[0] + SPARE} == {}
    assert {shape: counts for shape, counts in in_all.items() if counts[1] > 4 * counts[0] + SPARE} == {}


async def at_once(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    return function(*arguments, **options)


@pytest.mark.parametrize("begin", ["", "---\nid: "], ids=["text", "front matter"])
async def test_a_file_of_the_mirror_is_no_more_work_than_it_is_long(
    quiet: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begin: str
) -> None:
    mirrored = Mirroring(quiet, tmp_path / "mirror")
    await say(quiet, "I live in Rome.")
    await mirrored.start()
    files = itertools.count()

    async def taken(shape: str, size: int) -> int:
        folder = tmp_path / "mirror/ann/entries/s/turns/user"
        path = folder / f"{next(files)}.md"
        path.write_text(begin + SHAPES[shape](size))
        count, _ = await steps_of(mirrored.edits.look("ann", [str(path.relative_to(tmp_path / "mirror/ann"))]))
        return count

    await taken("letters", 300)
    monkeypatch.setattr(asyncio, "to_thread", at_once)
    counts = {shape: (await taken(shape, 5_000), await taken(shape, 15_000)) for shape in list(SHAPES)[::TRIED]}
    assert {shape: pair for shape, pair in counts.items() if pair[1] > 4 * pair[0] + SPARE} == {}
