"""The official client at `/mcp`, in both eras of the protocol, with keys and without."""

import asyncio
import json
import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest
from mcp.shared.exceptions import MCPError

from agents.open import open_memory
from api.http.guard import MAX_BODY
from api.mcp import server, tools
from api.wire.banks import BankOut
from api.wire.base import Page
from config.recipes import BankRecipe
from config.settings import Settings
from memory.banks.tidying import BankTidying
from tests.checks import problem
from tests.conversations import Silent, until
from tests.mcp_clients import ACCEPT, INITIALIZE, call, client, refusal

MODES = ("legacy", "auto")


@pytest.mark.parametrize("mode", MODES)
async def test_a_whole_conversation(address: str, mode: str) -> None:
    async with client(address, mode) as connected:
        offered = {tool.name for tool in (await connected.list_tools()).tools}
        assert offered == {"activate", "update", "recall", "read_memory", "remember", "list_banks", "tool_record"}
        assert "activate" in await refusal(connected, "update", content="Too early.")
        begun = await call(
            connected, "activate", conversation_type="project", project_name="Loci", current_path="/src/loci"
        )
        assert begun["bank_info"]["type"] == "project"
        assert begun["bank_info"]["files"] == list(begun["content"])
        done = await call(connected, "update", content="Decided: we use SQLite.\n\nNext steps: the tests.")
        assert (done["status"], done["previous_errors"]) == ("success", [])
        assert done["bank_info"]["id"] == begun["bank_info"]["id"]
        found = await call(connected, "recall", query="Which database was decided on?", top_k=3)
        assert "SQLite" in found["items"][0]["text"]
        assert found["items"][0]["bank"] == begun["conversation_id"]
        assert (await call(connected, "remember", text="I live in Madrid."))["decisions"][0]["event"] == "ADD"
        assert (await call(connected, "remember", text="What about lunch?"))["message_id"]
        assert "Nothing was forgotten" in await refusal(connected, "remember", text="Forget my locker.")
        assert (await call(connected, "recall", query="Where does the user live?"))["items"][0]["kind"] == "fact"
        [bank] = (await call(connected, "list_banks"))["items"]
        assert bank["version"] == 2
    async with client(address, mode) as later:
        again = await call(later, "activate", conversation_type="project", current_path="/src/loci/")
        assert "Decided: we use SQLite." in again["content"]["decisions.md"]


async def test_an_isolated_project_is_remembered_by_itself(address: str) -> None:
    async with httpx.AsyncClient(base_url=address) as api:
        (await api.put("/v1/projects/zoo", json={"isolated": True})).raise_for_status()
    async with client(address) as connected:
        await call(connected, "remember", text="I live in Madrid.", project="zoo")
        assert (await call(connected, "remember", text="What about lunch?", project="zoo"))["message_id"]
        asked = {"query": "Where does the user live?"}
        [found] = [
            item
            for item in (await call(connected, "recall", **asked, project="zoo"))["items"]
            if "Madrid" in item["text"]
        ]
        assert "Madrid" not in json.dumps(await call(connected, "recall", **asked))
        read = await call(connected, "read_memory", id=found["id"], project="zoo")
        assert read["text"] == "The user lives in Madrid."
        assert "Nothing is remembered" in await refusal(connected, "read_memory", id=found["id"])
    async with client(address, **{"X-Loci-Project": "zoo"}) as configured:
        assert found in (await call(configured, "recall", **asked))["items"]
        await call(configured, "remember", text="What about supper?")
        assert (await call(configured, "read_memory", id=found["id"]))["text"] == found["text"]
    async with httpx.AsyncClient(base_url=address) as api:
        noted = (await api.get("/v1/sessions/zoo.mcp/messages", params={"project": "zoo"})).json()["items"]
        assert [message["content"] for message in noted] == ["What about lunch?", "What about supper?"]


async def test_files_are_resources_now_and_as_they_were(address: str) -> None:
    async with client(address) as connected:
        await call(connected, "activate", conversation_type="code", project_name="Loci")
        await call(connected, "update", content="patterns.md:\nWe use ruff.")
        uris = [one.uri for one in (await connected.list_resources()).resources]
        assert "loci://banks/code/loci/patterns.md" in uris
        now = (await connected.read_resource("loci://banks/code/loci/patterns.md")).contents[0]
        assert (now.mime_type, "We use ruff." in now.text) == ("text/markdown", True)  # type: ignore[union-attr]
        before = (await connected.read_resource("loci://banks/code/loci/patterns.md?version=1")).contents[0]
        assert "We use ruff." not in before.text  # type: ignore[union-attr]
        missing = {
            "loci://banks/code/loci/none.md": "has no such file",
            "loci://banks/code/loci/none.md?version=1": "has no such file",
            "loci://banks/code/loci/patterns.md?version=9": "no such version",
            "loci://banks/code/nope/a.md": "No such memory bank",
            "file:///etc/passwd": "No such resource",
            "loci://x": "No such resource",
        }
        for uri, told in missing.items():
            with pytest.raises(MCPError, match=told):
                await connected.read_resource(uri)
        templates = (await connected.list_resource_templates()).resource_templates
        assert templates[0].uri_template == "loci://banks/{type}/{id}/{file}"


@pytest.mark.parametrize("mode", MODES)
async def test_what_activate_gives_has_a_limit_whatever_the_bank_was_told_last(
    address: str, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nobody(_: BankTidying) -> int:
        return 0

    monkeypatch.setattr(BankTidying, "condense", nobody)
    huge = "\n\n".join(f"Note {number}: nothing much was said about part {number} of it." for number in range(4_000))
    async with client(address, mode) as connected:
        await call(connected, "activate", conversation_type="project", project_name="loci")
        await call(connected, "update", content="[critical] The key is under the mat.\n\nNext: the tests.")
        assert (await call(connected, "activate", conversation_type="project", project_name="loci"))["left_out"] is None
        await call(connected, "update", content=huge)
        told = await call(connected, "activate", conversation_type="project", project_name="loci")
        text = "\n".join(told["content"].values())
        assert len(text) < 4 * BankRecipe().most < len(huge)
        assert "The key is under the mat." in text and "Next: the tests." in text
        assert f"version {told['cache']['version']} has all of it" in text
        whole = f"loci://banks/project/loci/active.md?version={told['cache']['version']}"
        assert whole.replace("active.md", "{file}") in told["left_out"]
        read = (await connected.read_resource(whole)).contents[0]
        assert all(f"Note {number}:" in read.text for number in range(4_000))  # type: ignore[union-attr]
        begun = await connected.get_prompt("memory_bank", {"conversation_type": "project", "project_name": "loci"})
        assert len(begun.messages[0].content.text) < 5 * BankRecipe().most  # type: ignore[union-attr]


async def test_resources_of_many_banks_come_page_by_page(address: str) -> None:
    async with client(address) as connected:
        for number in range(27):
            await call(connected, "activate", conversation_type="project", project_name=f"p{number}")
        first = await connected.list_resources()
        rest = await connected.list_resources(cursor=first.next_cursor)
        assert len({one.uri for one in (*first.resources, *rest.resources)}) == 27 * 5
        assert rest.next_cursor is None
        with pytest.raises(MCPError):
            await connected.list_resources(cursor="nonsense")


async def test_banks_are_listed_to_the_last(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "MOST_BANKS", 2)
    async with client(address) as connected:
        for name in ("one", "two", "three"):
            await call(connected, "activate", conversation_type="project", project_name=name)
        first = await call(connected, "list_banks")
        rest = await call(connected, "list_banks", cursor=first["next_cursor"])
        assert [bank["id"] for bank in first["items"] + rest["items"]] == ["three", "two", "one"]
        assert rest["next_cursor"] is None
        assert "cursor" in await refusal(connected, "list_banks", cursor="nonsense")


async def test_a_prompt_begins_with_the_bank(address: str) -> None:
    async with client(address, "legacy") as connected:
        assert [one.name for one in (await connected.list_prompts()).prompts] == ["memory_bank"]
        early = await connected.get_prompt("memory_bank", {"conversation_type": "global"})
        assert early.messages[0].content.text.startswith("There is no such memory bank yet")  # type: ignore[union-attr]
        assert (await call(connected, "list_banks"))["items"] == []
        assert "activate" in await refusal(connected, "update", content="Too early.")
        await call(connected, "activate", conversation_type="global")
        await call(connected, "activate", conversation_type="project", project_name="loci")
        begun = await connected.get_prompt("memory_bank", {"conversation_type": "global"})
        assert "global/global" in begun.messages[0].content.text  # type: ignore[union-attr]
        assert (await call(connected, "update", content="I prefer tea."))["bank_info"]["id"] == "global"
        wrong: list[tuple[str, dict[str, str]]] = [
            ("none", {}),
            ("memory_bank", {}),
            ("memory_bank", {"conversation_type": "project"}),
            ("memory_bank", {"conversation_type": "global", "project_description": "x"}),
            ("memory_bank", {"conversation_type": "project", "project_name": "a\0b"}),
            ("memory_bank", {"conversation_type": "project", "current_path": "src"}),
        ]
        for name, arguments in wrong:
            with pytest.raises(MCPError):
                await connected.get_prompt(name, arguments)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("activate", {}),
        ("activate", {"conversation_type": "projekt"}),
        ("activate", {"conversation_type": "project"}),
        ("activate", {"conversation_type": "project", "project_name": 5}),
        ("activate", {"conversation_type": "global", "unknown": 1}),
        ("activate", {"conversation_type": "code", "current_path": ".."}),
        ("update", {}),
        ("update", {"content": ""}),
        ("update", {"content": None}),
        ("update", {"content": "x", "conversation_id": "project/nope"}),
        ("update", {"content": "x", "conversation_id": 5}),
        ("update", {"content": "a\0b"}),
        ("activate", {"conversation_type": "project", "project_name": "a\0b"}),
        ("recall", {"query": " "}),
        ("recall", {"query": "x", "top_k": 0}),
        ("remember", {"text": ""}),
        ("list_banks", {"x": 1}),
    ],
)
async def test_wrong_arguments_are_told_to_the_model(plain: str, tool: str, arguments: dict[str, Any]) -> None:
    async with client(plain) as connected:
        assert await refusal(connected, tool, **arguments)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("recall", {"query": "x", "top_k": "5"}),
        ("recall", {"query": "x", "top_k": None}),
        ("list_banks", {"cursor": None}),
        ("activate", {"conversation_type": "global", "project_name": None}),
    ],
)
async def test_models_may_write_a_number_as_a_string_and_null_for_what_they_leave_out(
    plain: str, tool: str, arguments: dict[str, Any]
) -> None:
    async with client(plain) as connected:
        assert not (await connected.call_tool(tool, arguments)).is_error


async def test_what_is_wrong_is_told_in_words(plain: str) -> None:
    async with client(plain) as connected:
        assert await refusal(connected, "remember", text="a\0b") == "text: a string has control characters"
        assert (await refusal(connected, "update")).startswith("content: ")
        told = await refusal(connected, "activate", conversation_type="code", current_path="~/src/loci")
        assert told.startswith("current_path must be absolute")


async def test_with_an_error_the_errors_of_its_own_bank_are_told(
    address: str, make_settings: Callable[..., Settings]
) -> None:
    async def previous(connected: Any, tool: str, **arguments: Any) -> list[str]:
        told = json.loads((await connected.call_tool(tool, arguments)).content[0].text)
        return [error["description"] for error in told["previous_errors"]]

    async with client(address, "legacy") as connected, open_memory(make_settings(), nudge=Silent()) as memory:
        banks = memory.engine.library.banks
        for name in ("one", "two"):
            await call(connected, "activate", conversation_type="project", project_name=name)
            await banks.note_error(await banks.info("default", "project", name), f"Of {name}.", "warning")
        assert await previous(connected, "update", content="") == ["Of two."]
        assert await previous(connected, "update", content="", conversation_id="project/one") == ["Of one."]
        assert await previous(connected, "update", content="", conversation_id="project/none") == []
        assert await previous(connected, "activate", conversation_type="project") == []


async def test_a_fault_of_ours_is_not_told_as_a_wrong_argument(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def faulty(*_: Any) -> Any:
        return Page[BankOut].model_validate({"secret": 1})

    offer = replace(server.BY_NAME["list_banks"], run=faulty)
    monkeypatch.setitem(server.BY_NAME, "list_banks", offer)
    async with client(address) as connected:
        assert "not foreseen" in await refusal(connected, "list_banks")


async def test_an_agents_tools_are_not_recalled(address: str) -> None:
    steps = [
        {"role": "user", "content": "How many lighthouses are there?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "count_lighthouses", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "There are 12 lighthouses"},
    ]
    async with httpx.AsyncClient(base_url=address) as plain:
        kept = await plain.post("/v1/tool-memory/compress", json={"task_id": "t", "messages": steps})
        assert kept.status_code == 200, kept.text
    async with client(address) as connected:
        await call(connected, "activate", conversation_type="global")
        await call(connected, "update", content="The lighthouse keeper is called Ada.")
        found = (await call(connected, "recall", query="lighthouses counted", top_k=20))["items"]
        assert {one["kind"] for one in found} == {"section"}


async def test_recall_gives_what_has_to_do_with_the_query_and_of_long_messages_a_part(address: str) -> None:
    weather = [f"On day {day} it rained for {day % 7 + 1} hours over the northern harbour." for day in range(450)]
    long = " ".join([*weather[:12], "The spare key lies under the blue flowerpot.", *weather[12:]])[:32_000]
    said = [
        long,
        "My dog is called Biscuit.",
        "We had soup for lunch.",
        "The tram was late again.",
        "I planted two apple trees.",
        "My sister plays the cello.",
        "The printer is out of toner.",
        "Let us meet at noon.",
    ]
    messages = [{"id": f"m{n}", "role": "user", "content": text} for n, text in enumerate(said)]
    async with httpx.AsyncClient(base_url=address, timeout=30) as plain:
        kept = await plain.post("/v1/messages", json={"session_id": "s", "messages": messages, "wait": True})
        assert kept.status_code == 200, kept.text
    async with client(address) as connected:
        await call(connected, "activate", conversation_type="global")
        await call(connected, "update", content="The lighthouse keeper is called Ada.")
        unrelated = await call(connected, "recall", query="quantum chromodynamics")
        assert unrelated["items"] == [] and "Nothing" in unrelated["note"]
        found = await call(connected, "recall", query="Where is the spare key?")
        assert len(json.dumps(found)) < 10_000
        first = found["items"][0]
        assert first["id"] == "m0" and first["whole_characters"] == len(long)
        assert "blue flowerpot" in first["text"] and len(first["text"]) <= 1_000
        part = await call(connected, "read_memory", id="m0", query="flowerpot", limit=200)
        assert "under the blue flowerpot" in part["text"]
        parts, offset = "", 0
        while True:
            read = await call(connected, "read_memory", id="m0", offset=offset, limit=20_000)
            parts += read["text"]
            offset = len(parts)
            if "reads on" not in (read["more"] or ""):
                break
        assert parts == long
        short = (await call(connected, "recall", query="What is my dog called?"))["items"][0]
        assert short["text"] == "My dog is called Biscuit." and "whole_characters" not in short
        section = (await call(connected, "recall", query="Who keeps the lighthouse?"))["items"][0]
        read = await call(connected, "read_memory", id=section["id"])
        assert (read["kind"], read["text"], read["more"]) == ("section", section["text"], None)
        assert "Nothing is remembered" in await refusal(connected, "read_memory", id="m99")
        assert "none of these words" in await refusal(connected, "read_memory", id="m0", query="submarine")


async def test_recall_finds_what_a_bank_was_condensed_from_and_says_where_it_stands(address: str) -> None:
    talk = "It was discussed at some length, with no end in sight. " * 8
    said = "\n".join(f"- {talk}Its code is Z{number} now." for number in range(1_000, 1_100))
    async with client(address) as connected:
        await call(connected, "activate", conversation_type="project", project_name="loci")
        version = (await call(connected, "update", content=said))["version"]

        first: dict[str, Any] = {}

        async def found_once_it_is_embedded() -> bool:
            nonlocal first
            first = next(iter((await call(connected, "recall", query="Z1000"))["items"]), {})
            return "condensed" in first and "Z1000" in first["text"]

        await until(found_once_it_is_embedded, seconds=60)
        uri = f"loci://banks/project/loci/active.md?version={version}"
        assert "Its code is Z1000 now." in first["text"] and uri in first["condensed"]
        assert uri in (await call(connected, "read_memory", id=first["id"]))["condensed"]
        read = (await connected.read_resource(uri)).contents[0]
        assert "Its code is Z1000 now." in read.text  # type: ignore[union-attr]
        begun = await call(connected, "activate", conversation_type="project", project_name="loci")
        assert "Z1000" not in str(begun["content"]) and f"version {version} has" in begun["left_out"]
        prompt = await connected.get_prompt("memory_bank", {"conversation_type": "project", "project_name": "loci"})
        assert begun["left_out"] in prompt.messages[0].content.text  # type: ignore[union-attr]
        [last, *_] = (await call(connected, "recall", query="Z1099"))["items"]
        assert "condensed" not in last and "version" not in last
    async with httpx.AsyncClient(base_url=address, timeout=30) as plain:
        found = (await plain.post("/v1/search", json={"query": "Z1000", "kinds": ["section"]})).json()["items"]
        assert (found[0]["id"], found[0]["version"]) == (first["id"], version)


async def test_an_unknown_tool_is_an_error_of_the_protocol(plain: str) -> None:
    async with client(plain) as connected:
        with pytest.raises(MCPError, match="Unknown tool"):
            await connected.call_tool("delete_everything", {})


async def test_two_clients_at_once_both_get_their_way(address: str) -> None:
    async def talk(mode: str, name: str) -> None:
        async with client(address, mode, name=name) as connected:
            await call(connected, "activate", conversation_type="project", project_name="shared")
            for number in range(8):
                await call(connected, "update", content=f"The sky over {name} was blue on day {number}.")

    await asyncio.gather(talk("legacy", "ann"), talk("auto", "bob"), talk("auto", "cid"))
    async with client(address) as connected:
        told = await call(connected, "activate", conversation_type="project", project_name="shared")
    text = "\n".join(told["content"].values())
    said = [f"over {name} was blue on day {number}." for name in ("ann", "bob", "cid") for number in range(8)]
    assert [text.count(one) for one in said] == [1] * 24


async def test_the_key_says_whose_memory_it_is(serve: Callable[..., str]) -> None:
    address = serve(api_keys="ann:key-of-ann, bob:key-of-bob")
    async with client(address, authorization="Bearer key-of-ann") as ann:
        await call(ann, "activate", conversation_type="project", project_name="loci")
        await call(ann, "update", content="A secret of Ann's.")
    async with client(address, **{"x-api-key": "key-of-bob"}) as bob:
        assert (await call(bob, "list_banks"))["items"] == []
        assert (await call(bob, "recall", query="secret"))["items"] == []
        assert "activate" in await refusal(bob, "update", content="x")
        assert "activate" in await refusal(bob, "update", content="x", conversation_id="project/loci")
        with pytest.raises(MCPError):
            await bob.read_resource("loci://banks/project/loci/active.md")
        told = await call(bob, "activate", conversation_type="project", project_name="loci")
        assert "secret" not in str(told)


def test_without_a_key_that_is_known_nothing_is_told(serve: Callable[..., str]) -> None:
    with httpx.Client(base_url=serve(api_keys="ann:key-of-ann")) as plain:
        for headers in ({}, {"authorization": "Bearer nobodys"}, {"x-api-key": "key-of-an"}):
            refused = plain.post("/mcp", json=INITIALIZE, headers=ACCEPT | headers)
            problem(refused, 401)
            assert refused.headers["www-authenticate"] == "Bearer"


def test_a_session_is_not_anothers(serve: Callable[..., str]) -> None:
    with httpx.Client(base_url=serve(api_keys="ann:key-of-ann, bob:key-of-bob")) as plain:
        mine = ACCEPT | {"x-api-key": "key-of-ann"}
        session = plain.post("/mcp", json=INITIALIZE, headers=mine).headers["mcp-session-id"]
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        assert plain.post("/mcp", json=ping, headers=mine | {"mcp-session-id": session}).status_code == 200
        theirs = ACCEPT | {"x-api-key": "key-of-bob", "mcp-session-id": session}
        assert plain.post("/mcp", json=ping, headers=theirs).status_code == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "evil.example.com"}, 403),
        ({"origin": "http://evil.example.com"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "https://app.example.com"}, 200),
    ],
)
def test_pages_of_other_origins_and_under_other_names_may_not_call(
    serve: Callable[..., str], headers: dict[str, str], status: int
) -> None:
    with httpx.Client(base_url=serve(cors_origins="https://app.example.com")) as plain:
        answer = plain.post("/mcp", json=INITIALIZE, headers=ACCEPT | headers)
        assert (answer.status_code, answer.history) == (status, [])
        if status != 200:
            problem(answer, status)


def test_white_space_around_a_header_is_no_part_of_it(address: str) -> None:
    host, _, port = address.removeprefix("http://").partition(":")
    known = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    }
    params = {"name": "list_banks", "arguments": {}, "_meta": known}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nhost: {host}:{port}\r\ncontent-type: application/json\r\nconnection: close\r\n"
        "accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\n"
        f"mcp-name:  list_banks \t\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(head.encode() + body)
        assert connection.recv(100).startswith(b"HTTP/1.1 200")


def test_what_is_no_request_is_refused(address: str) -> None:
    with httpx.Client(base_url=address) as plain:
        for body in (b"", b"{", b"[]", b'{"jsonrpc": "2.0"}', b"\xff", b'{"a": "\\ud800"}'):
            assert plain.post("/mcp", content=body, headers=ACCEPT).status_code in (400, 404)
        assert plain.post("/mcp", content=b" " * (MAX_BODY + 1), headers=ACCEPT).status_code == 413
        assert plain.put("/mcp", content=b"{}").status_code == 405
        assert plain.get("/livez").status_code == 200
