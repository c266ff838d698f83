"""Memory as tools: a loop with OpenAI's own client, and whatever a model may write into a call."""

import json
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from openai import AsyncOpenAI

from agents.memory import Memory
from agents.memory_tools import MemoryTools
from agents.tools import record_part
from agents.tools.record_part import TextPart
from memory.observations.observations import Observations
from memory.turns.keyvalues import NONE
from tests.conversations import USER
from tests.scripted_model import Behaviour, ScriptedModel, answer
from tests.tool_calls import compress, step, user
from utils.errors import StoreUnavailable

NESTED: list[Any] = []
for _ in range(100_000):
    NESTED = [NESTED]


def calling(*calls: tuple[str, dict[str, Any]]) -> Behaviour:
    """An answer that calls tools."""
    written = tuple((name, json.dumps(arguments)) for name, arguments in calls)
    return Behaviour(text="", calls=written, finish_reason="tool_calls")


async def loop(tools: MemoryTools, model: ScriptedModel, question: str) -> str:
    """The agent's loop of the README."""
    messages: list[Any] = [{"role": "user", "content": question}]
    async with AsyncOpenAI(base_url=model.url, api_key="sk-test", max_retries=0) as client:
        while True:
            answered = await client.chat.completions.create(
                model="gpt-4o-mini",
                messages=messages,
                tools=tools.schema,  # type: ignore[arg-type]
            )
            said = answered.choices[0].message
            if not said.tool_calls:
                return said.content or ""
            messages += [said, *await tools.answers(said.tool_calls)]


async def test_an_agent_remembers_and_recalls_through_openais_client(
    quiet: Memory, scripted_model: ScriptedModel
) -> None:
    tools = MemoryTools(quiet, USER, source="AGENT:test")
    scripted_model.script(
        calling(
            ("remember", {"findings": ["The API allows 100 requests a minute."], "lessons": None}),
            ("scratchpad_set", {"key": "plan/step", "value": "2", "ttl_seconds": 60}),
        ),
        calling(("recall", {"query": "requests per minute"}), ("scratchpad_get", {"key": "plan/step"})),
        answer("It is 100 a minute."),
    )
    assert await loop(tools, scripted_model, "How many?") == "It is 100 a minute."
    first, _, last = scripted_model.asked("chat")
    assert [tool["function"]["name"] for tool in first["tools"]] == [
        "remember",
        "recall",
        "scratchpad_get",
        "scratchpad_set",
        "scratchpad_list",
        "scratchpad_search",
        "scratchpad_delete",
        "tool_record",
    ]
    results = [json.loads(message["content"]) for message in last["messages"] if message["role"] == "tool"]
    assert results[:2] == [{"remembered": 1}, {"kept": "plan/step"}]
    [found] = results[2]["found"]
    assert (found["content"], found["source"]) == ("The API allows 100 requests a minute.", "AGENT:test")
    assert results[3] == {"value": "2"}
    ids = [message["tool_call_id"] for message in last["messages"] if message["role"] == "tool"]
    assert ids == ["call-0", "call-1", "call-0", "call-1"]
    [kept] = await quiet.recall_observations(USER, "requests")
    assert (kept.observation.category, kept.observation.source) == ("finding", "AGENT:test")


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("forget_all", "{}", "There is no tool 'forget_all'; there are remember, recall"),
        (None, None, "There is no tool ''"),
        (["recall"], "{}", "There is no tool"),
        ("recall", None, "query: Field required"),
        ("recall", {"query": "\ud800"}, "Invalid JSON"),
        ("recall", {"query": {"a", "b"}}, "Invalid JSON"),
        ("tool_record", '{"trace_id": "x", "limit": 99}', "limit: Input should be greater"),
        ("tool_record", '{"trace_id": "x", "offset": 100000000000000000000}', "offset: Input should be less"),
        ("tool_record", {"trace_id": NESTED}, "Invalid JSON"),
        ("recall", '{"query": "x"', "Invalid JSON"),
        ("recall", "[]", "should be an object"),
        ("recall", '{"query": "x", "limit": 0}', "limit: Input should be greater than or equal to 1"),
        ("recall", '{"query": "x", "category": "fact"}', "category: Input should be 'finding', 'insight' or 'lesson'"),
        ("recall", '{"query": "x", "owner": "bob"}', "owner: Extra inputs are not permitted"),
        ("remember", "{}", "give at least one of findings, insights and lessons"),
        ("remember", '{"findings": "x"}', "findings: Input should be a valid array"),
        ("remember", '{"findings": [" "]}', "not all of them blank"),
        ("remember", '{"findings": ["a\\u0000b"]}', "A text has control characters"),
        ("scratchpad_get", '{"key": "nothing"}', "There is nothing under this key"),
        ("scratchpad_search", '{"text": ""}', "text: String should have at least 1 character"),
        ("scratchpad_delete", '{"key": "nothing"}', "There is nothing under this key"),
        ("scratchpad_set", '{"key": "../x", "value": "y"}', "A key has . or .. between its slashes"),
        ("scratchpad_set", '{"key": "k", "value": "y", "ttl_seconds": -1}', "ttl_seconds: Input should be greater"),
    ],
)
async def test_what_a_model_gets_wrong_it_is_told(quiet: Memory, name: Any, arguments: Any, told: str) -> None:
    result = json.loads(await MemoryTools(quiet, USER).call(name, arguments))
    assert told in result["error"]
    assert await quiet.engine.notes.observations.page(USER, limit=9) == []
    assert await quiet.scratchpad.page(USER, limit=9) == []


async def test_a_store_that_is_away_is_told_of(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: Any, **__: Any) -> None:
        raise StoreUnavailable("The store does not answer; try again")

    monkeypatch.setattr(Observations, "recall", away)
    result = await MemoryTools(quiet, USER).call("recall", '{"query": "x"}')
    assert json.loads(result) == {"error": "The store does not answer; try again"}


async def test_a_list_of_keys_says_whether_there_are_more(quiet: Memory) -> None:
    tools = MemoryTools(quiet, USER)
    for number in range(201):
        await quiet.scratchpad.put(USER, f"k{number:03}", "v" * 300, expected=NONE)
    listed = json.loads(await tools.call("scratchpad_list", '{"prefix": "k"}'))
    assert len(listed["entries"]) == 200 and listed["more"]
    assert listed["entries"][0] == {"key": "k000", "value": "v" * 200}
    assert json.loads(await tools.call("scratchpad_list", '{"prefix": "k20"}'))["more"] is False


async def test_the_scratchpad_is_searched_and_cleared(quiet: Memory) -> None:
    tools = MemoryTools(quiet, USER)
    for owner, key, value in (
        (USER, "plan/deploy", "ask Ada"),
        (USER, "notes", "the DEPLOY takes 9 minutes"),
        (USER, "lunch", "50% off (soup)"),
        ("bob", "deploy", "his own"),
    ):
        await quiet.scratchpad.put(owner, key, value)
    found = json.loads(await tools.call("scratchpad_search", '{"text": "deploy"}'))
    assert [one["key"] for one in found["entries"]] == ["notes", "plan/deploy"] and found["more"] is False
    for text, keys in (("% off (", ["lunch"]), (".*", [])):
        entries = json.loads(await tools.call("scratchpad_search", {"text": text}))["entries"]
        assert [one["key"] for one in entries] == keys
    assert json.loads(await tools.call("scratchpad_delete", '{"key": "notes"}')) == {"deleted": "notes"}
    assert "nothing under this key" in await tools.call("scratchpad_get", '{"key": "notes"}')
    assert [one.key for one in await quiet.scratchpad.page("bob", limit=9)] == ["deploy"]


async def test_tools_see_their_owner_alone(quiet: Memory) -> None:
    await MemoryTools(quiet, "ann").call("remember", '{"findings": ["The heron nests by the mill."]}')
    assert json.loads(await MemoryTools(quiet, "bob").call("recall", '{"query": "heron"}')) == {"found": []}


def test_schemas_are_plain_json_schemas_that_name_every_argument(quiet: Memory) -> None:
    for tool in MemoryTools(quiet, USER).schema:
        function: Any = tool["function"]
        assert function["description"] and tool["type"] == "function"
        parameters = function["parameters"]
        assert parameters["type"] == "object" and parameters["additionalProperties"] is False
        text = json.dumps(parameters)
        assert not any(f'"{name}"' in text for name in ("title", "default", "anyOf", "$ref", "$defs"))


@pytest.mark.parametrize("source", ["", " ", "x" * 401])
def test_a_source_that_cannot_be_is_refused_at_once(quiet: Memory, source: str) -> None:
    with pytest.raises(ValueError, match="source"):
        MemoryTools(quiet, USER, source=source)


async def test_an_agent_reads_whole_what_its_history_shows_in_part(quiet: Memory) -> None:
    whole = {"order_id": "W2378156", "note": "nobody asked for it " * 20}
    [trace_id] = (await compress(quiet, [user("Where is it?"), *step(1, whole, "get_order")], owner=USER)).trace_ids
    tools = MemoryTools(quiet, USER)
    read = json.loads(await tools.call("tool_record", json.dumps({"trace_id": trace_id})))
    assert (read["tool"], json.loads(read["result"])) == ("get_order", whole)
    for row in (f"{trace_id}:", f" {trace_id} ×2 (before {trace_id}): order_id=W2378156"):
        assert json.loads(await tools.call("tool_record", {"trace_id": row})) == read
    other = MemoryTools(quiet, "bob")
    assert json.loads(await other.call("tool_record", json.dumps({"trace_id": trace_id}))) == {
        "error": "No such record"
    }


async def test_a_long_record_is_read_part_by_part(quiet: Memory) -> None:
    rows = [f"row {number}: nothing of note" for number in range(12_000)]
    rows[9_000] += ", but for the zeppelin HAT136"
    whole = "\n".join(rows)
    messages = [user("Where is it?"), *step(1, whole, "read_log", path="x" * 20_000)]
    [trace_id] = (await compress(quiet, messages, owner=USER)).trace_ids
    tools = MemoryTools(quiet, USER)

    async def read(**more: Any) -> dict[str, str]:
        text = await tools.call("tool_record", {"trace_id": trace_id, **more})
        assert len(text) < 2.5 * max(8_000, more.get("limit", 0))
        found: dict[str, str] = json.loads(text)
        return found

    parts, offset = [""], 0
    first = await read()
    assert (first["result"], first["more"]) == (
        whole[:8_000],
        f"characters 0 to 8000 of {len(whole)}; offset 8000 reads on",
    )
    while offset < len(whole):
        part = await read(offset=offset, limit=32_000)
        parts.append(part["result"])
        offset += len(part["result"])
    assert "".join(parts) == whole and part["more"].endswith("the last ones")
    assert "zeppelin HAT136" in (await read(query="zeppelin"))["result"]
    assert "none of these words" in (await read(query="glacier"))["error"]


async def test_calls_without_arguments_are_carried_out(quiet: Memory) -> None:
    tools = MemoryTools(quiet, USER)
    for arguments in (None, "", " ", {}, "{}"):
        assert json.loads(await tools.call("scratchpad_list", arguments)) == {"entries": [], "more": False}


async def test_calls_may_be_objects_of_a_client_or_of_json(quiet: Memory) -> None:
    function = {"name": "scratchpad_set", "arguments": '{"key": "k", "value": "v"}'}
    odd = SimpleNamespace(id="o", function=SimpleNamespace(name=None, arguments=None))
    calls: list[Any] = [{"id": "c", "type": "function", "function": function}, odd, {"id": "d", "function": None}, {}]
    done = await MemoryTools(quiet, USER).answers(calls)
    assert [one["tool_call_id"] for one in done] == ["c", "o", "d", None]
    assert json.loads(done[0]["content"]) == {"kept": "k"}
    assert all("There is no tool" in one["content"] for one in done[1:])


async def test_calls_of_an_agents_own_tools_are_left_to_it(quiet: Memory) -> None:
    tools = MemoryTools(quiet, USER)
    names = ("scratchpad_list", "weather", "nosuch")
    calls = [{"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}} for name in names]
    done = await tools.answers(calls, others={"weather", "stocks"})
    assert [one["tool_call_id"] for one in done] == ["scratchpad_list", "nosuch"]
    assert "There is no tool" in done[1]["content"]
    with pytest.raises(ValueError, match="recall"):
        await tools.answers(calls, others=["weather", "recall"])


async def test_a_record_is_read_beside_the_event_loop(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    [trace_id] = (await compress(quiet, [user("Where is it?"), *step(1)], owner=USER)).trace_ids
    threads: list[int] = []

    def read(text: str, **_: Any) -> TextPart:
        threads.append(threading.get_ident())
        return TextPart(text, 0, len(text))

    monkeypatch.setattr(record_part, "part_of", read)
    assert "error" not in json.loads(await MemoryTools(quiet, USER).call("tool_record", {"trace_id": trace_id}))
    assert len(threads) == 1 and threads[0] != threading.get_ident()
