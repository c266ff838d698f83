"""Tool memory over HTTP."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.checks import eventually, problem
from tests.scripted_model import ScriptedModel, answer
from tests.tool_calls import BOOK, Message, context, result, step, steps, user

PATH = "/v1/tool-memory"
HISTORY = [user(BOOK), *steps(4)]


def compress(api: httpx.Client, owner: str, messages: list[Message], task: str = "t", **more: Any) -> dict[str, Any]:
    found = api.post(f"{PATH}/compress", json={"user_id": owner, "task_id": task, "messages": messages, **more})
    assert found.status_code == 200, found.text
    body: dict[str, Any] = found.json()
    assert body.keys() == {"messages", "trace_ids", "stats"}
    assert body["stats"].keys() == {"tokens_before", "tokens_after"}
    return body


def add(api: httpx.Client, owner: str, output: Any = None, task: str = "t", **more: Any) -> dict[str, Any]:
    body = {"user_id": owner, "task_id": task, "tool_name": "find", "raw_output": output, **more}
    found = api.post(f"{PATH}/records", json=body)
    assert found.status_code == 201, found.text
    made: dict[str, Any] = found.json()
    return made


def listed(api: httpx.Client, owner: str, **query: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    cursor = None
    while True:
        more = {} if cursor is None else {"cursor": cursor}
        found = api.get(f"{PATH}/records", params={"user_id": owner, **query, **more})
        assert found.status_code == 200, found.text
        items += found.json()["items"]
        cursor = found.json()["next_cursor"]
        if cursor is None:
            return items


def test_the_first_step_passes_unchanged(api: httpx.Client, user: str) -> None:
    messages = [
        {"role": "system", "content": "x"},
        {"role": "user", "content": [{"type": "text", "text": "y"}], "name": "z"},
    ]
    found = compress(api, user, messages)
    assert (found["messages"], found["trace_ids"]) == (messages, [])
    assert found["stats"] == {"tokens_before": 10, "tokens_after": 10}
    assert listed(api, user) == []


def test_a_history_comes_back_short_and_its_records_whole(api: httpx.Client, user: str) -> None:
    output = {"codes": [f"HAT{at:03}" for at in range(40)], "note": "lorem ipsum " * 200}
    messages = [*HISTORY[:1], *step(50, output), *HISTORY[1:]]
    found = compress(api, user, messages)
    assert [one["role"] for one in found["messages"]] == ["user", "system", "assistant", "tool"]
    assert found["messages"][2:] == HISTORY[-2:]
    assert found["stats"]["tokens_after"] < found["stats"]["tokens_before"] / 2
    assert len(found["trace_ids"]) == 5
    whole = [api.get(f"{PATH}/records/{one}", params={"user_id": user}).json() for one in found["trace_ids"]]
    [one] = [one for one in whole if one["tool_call_id"] == "c50"]
    assert (one["raw_input"], one["raw_output"], one["task_id"], one["step_id"]) == ({"n": 50}, output, "t", 1)
    assert one["trace_id"] in context(found["messages"])
    assert one["model"] == "rule_based"


def test_options_of_a_request_go_before_those_of_the_settings(api: httpx.Client, user: str) -> None:
    shapes = [one for at in range(6) for one in step(at, {f"field{at}": [f"HAT{at}{n:03}" for n in range(90)]})]
    messages = [HISTORY[0], *shapes, *step(9)]
    plain = context(compress(api, user, messages)["messages"])
    assert plain.count("[RETRIEVED RECORD") == 3
    assert context(compress(api, user, messages, top_k=5)["messages"]).count("[RETRIEVED RECORD") == 5
    assert len(context(compress(api, user, messages, max_chars_per_record=100)["messages"])) < len(plain) / 2
    asked = context(compress(api, user, messages, top_k=1, query="what of field1 HAT1001?")["messages"])
    assert "field1" in asked.split("[OTHER RECORDS]")[0]
    found = compress(api, user, messages, budget_tokens=120)
    assert found["stats"]["tokens_after"] <= 120


def test_settings_say_how_much_is_shown(serve: Callable[..., str]) -> None:
    with httpx.Client(base_url=serve(tool_memory_top_k=1, tool_memory_max_chars=100), timeout=30) as api:
        shapes = [one for at in range(3) for one in step(at, {f"field{at}": [f"HAT{at}{n:03}" for n in range(90)]})]
        found = context(compress(api, "ann", [HISTORY[0], *shapes, *step(9)])["messages"])
        assert found.count("[RETRIEVED RECORD") == 1 and len(found) < 800


def test_a_budget_that_is_too_small_is_refused_and_changes_nothing(api: httpx.Client, user: str) -> None:
    body = {"user_id": user, "task_id": "t", "messages": HISTORY, "budget_tokens": 5}
    assert "budget" in problem(api.post(f"{PATH}/compress", json=body), 400, 422)["detail"]
    assert listed(api, user) == []
    problem(api.delete(f"{PATH}/tasks/t", params={"user_id": user}), 404)


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ({"code": "HAT136"}, {"code": "HAT136"}),
        ("plain text", {"_raw": "plain text"}),
        ('{"a": 1}', {"a": 1}),
        ('{"a": NaN}', {"_raw": '{"a": NaN}'}),
        ('{"a": 1e999}', {"_raw": '{"a": 1e999}'}),
        ('{"a": "\\ud800"}', {"_raw": '{"a": "\\ud800"}'}),
        ('{"a": 123456789012345678901234567890}', {"a": 123456789012345678901234567890}),
        ("[" * 2_000, {"_raw": "[" * 2_000}),
        ("", {"_raw": ""}),
        (None, None),
        (0, 0),
        (False, False),
        ([], []),
        ({}, {}),
        ({"a|b": [[1, 2], [{"": None}]]}, {"a|b": [[1, 2], [{"": None}]]}),
        ("\x1b[31mred\x00 Größe 😀\u2028", {"_raw": "\x1b[31mred\x00 Größe 😀\u2028"}),
        ({"k\x00": "\x07"}, {"k\x00": "\x07"}),
    ],
)
def test_a_record_comes_back_as_it_was(api: httpx.Client, user: str, output: Any, told: Any) -> None:
    made = add(api, user, output)
    assert made["raw_output"] == told and type(made["raw_output"]) is type(told)
    assert api.get(f"{PATH}/records/{made['trace_id']}", params={"user_id": user}).json() == made
    found = compress(api, user, [HISTORY[0], *step(1)])
    assert made["trace_id"] in context(found["messages"])


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (None, {}),
        ({"n": 1}, {"n": 1}),
        ("no json", {"_raw": "no json"}),
        ([1], {"_raw": "[1]"}),
        ('{"n": 1}', {"n": 1}),
    ],
)
def test_arguments_of_any_kind_are_told(api: httpx.Client, user: str, asked: Any, told: Any) -> None:
    assert add(api, user, "x", raw_input=asked)["raw_input"] == told


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, "a": 2}', '{"a":0.1000000000000000055}', ' {"a" :1e2}\n', "plain\ttext\n", "[1,\n 2]", '{"a": 1E400}'],
)
def test_a_text_is_kept_to_the_letter(api: httpx.Client, user: str, text: str) -> None:
    made = add(api, user, text, raw_input=text)
    kept = api.get(f"{PATH}/records/{made['trace_id']}", params={"user_id": user}).json()
    assert kept == made
    assert (kept["raw_output_text"], kept["raw_input_text"], kept["characters"]) == (text, text, len(text))


def test_a_record_is_kept_once_by_its_call_and_what_came_back(api: httpx.Client, user: str) -> None:
    first = add(api, user, "one", tool_call_id="c")
    assert add(api, user, "one", tool_call_id="c")["trace_id"] == first["trace_id"]
    for changed in ({"raw_output": "other"}, {"raw_input": {"n": 1}}, {"tool_name": "get"}):
        made = add(api, user, **{"output": "one", "tool_call_id": "c"} | changed)
        assert made["trace_id"] != first["trace_id"]
        assert made["raw_output_text"] == changed.get("raw_output", "one")
    assert add(api, user, "one")["trace_id"] != add(api, user, "one")["trace_id"]
    assert len(listed(api, user)) == 6


def test_a_list_says_of_records_all_but_the_truth(api: httpx.Client, user: str) -> None:
    made = add(api, user, "x" * 50_000, raw_input={"q": "y" * 50_000})
    [one] = listed(api, user)
    assert one == {name: value for name, value in made.items() if not name.startswith("raw_")}
    assert one["characters"] == 50_000
    described = api.get("/openapi.json").json()
    assert "one record has that whole" in described["paths"][f"{PATH}/records"]["get"]["description"]
    assert "another record" in described["paths"][f"{PATH}/records"]["post"]["description"]


def test_a_write_under_a_key_happens_once(api: httpx.Client, user: str) -> None:
    body = {"user_id": user, "task_id": "t", "tool_name": "find", "raw_output": "x"}
    headers = {"Idempotency-Key": f"k-{user}"}
    first, again = (api.post(f"{PATH}/records", json=body, headers=headers) for _ in range(2))
    assert first.json() == again.json() and again.headers["idempotency-replayed"] == "true"
    problem(api.post(f"{PATH}/records", json=body | {"raw_output": "y"}, headers=headers), 422)
    assert len(listed(api, user)) == 1
    body, headers = {"user_id": user, "task_id": "t", "messages": HISTORY}, {"Idempotency-Key": f"c-{user}"}
    first, again = (api.post(f"{PATH}/compress", json=body, headers=headers) for _ in range(2))
    assert first.content == again.content and "idempotency-replayed" in again.headers


def test_a_record_whose_answer_a_crash_left_out_is_kept_once(api: httpx.Client, user: str, database: Any) -> None:
    body = {"user_id": user, "task_id": "t", "tool_name": "find", "raw_output": "x"}
    for _ in range(2):
        api.post(f"{PATH}/records", json=body, headers={"Idempotency-Key": "k"}).raise_for_status()
        assert database["idempotency"].delete_many({"user_id": user}).deleted_count == 1
    assert len(listed(api, user)) == 1


def test_records_are_listed_by_pages_the_newest_first(api: httpx.Client, user: str) -> None:
    made = [add(api, user, f"number {at}", task=f"t{at % 2}")["trace_id"] for at in range(7)]
    assert {one["trace_id"] for one in listed(api, user, limit=2)} == set(made)
    assert len(listed(api, user, limit=3)) == 7
    times = [one["timestamp"] for one in listed(api, user, limit=2)]
    assert times == sorted(times, reverse=True)
    assert {one["trace_id"] for one in listed(api, user, task_id="t1")} == set(made[1::2])
    problem(api.get(f"{PATH}/records", params={"user_id": user, "cursor": "x"}), 400, 422)


def test_a_search_finds_insights_of_a_task_alone(api: httpx.Client, user: str) -> None:
    trace = add(api, user, {"ship": "zeppelin", "code": "HAT136"})
    add(api, user, {"town": "Lisbon"}, task="other")
    for at in range(5):
        add(api, user, {"town": f"number {at}"})
    body = {"user_id": user, "task_id": "t", "query": "which zeppelin?"}
    items = api.post(f"{PATH}/search", json=body).json()["items"]
    assert len(items) == 3  # top_k
    assert items[0].keys() == {"trace_id", "summary", "score", "timestamp"}
    assert (items[0]["trace_id"], items[0]["summary"]) == (trace["trace_id"], trace["summary"])
    assert [one["score"] for one in items] == sorted((one["score"] for one in items), reverse=True)
    assert len(api.post(f"{PATH}/search", json=body | {"top_k": 50}).json()["items"]) == 6
    assert api.post(f"{PATH}/search", json=body | {"task_id": "nobody's"}).json()["items"] == []


def test_a_task_that_is_reset_is_gone(api: httpx.Client, user: str, other: str) -> None:
    trace = compress(api, user, HISTORY)["trace_ids"][0]
    add(api, user, "x", task="kept")
    add(api, other, "x")
    gone = api.delete(f"{PATH}/tasks/t", params={"user_id": user})
    assert gone.json() == {"deleted": {"tasks": 1, "traces": 4, "vectors": 4}}
    problem(api.get(f"{PATH}/records/{trace}", params={"user_id": user}), 404)
    problem(api.delete(f"{PATH}/tasks/t", params={"user_id": user}), 404)
    assert (len(listed(api, user)), len(listed(api, other))) == (1, 1)
    assert compress(api, user, HISTORY[:1])["messages"] == HISTORY[:1]


def test_nobody_sees_what_others_tools_gave(api: httpx.Client, user: str, other: str) -> None:
    trace = compress(api, user, HISTORY)["trace_ids"][0]
    problem(api.get(f"{PATH}/records/{trace}", params={"user_id": other}), 404)
    problem(api.delete(f"{PATH}/tasks/t", params={"user_id": other}), 404)
    assert listed(api, other) == []
    body = {"user_id": other, "task_id": "t", "query": "HAT001"}
    assert api.post(f"{PATH}/search", json=body).json()["items"] == []
    assert compress(api, other, [HISTORY[0], *step(8)])["messages"] == [HISTORY[0], *step(8)]
    assert len(listed(api, user)) == 4


def test_with_keys_the_owner_comes_from_the_key(serve: Callable[..., str]) -> None:
    with httpx.Client(base_url=serve(api_keys="alice:key-of-alice, bob:key-of-bob"), timeout=30) as api:
        alice, bob = ({"X-API-Key": f"key-of-{name}"} for name in ("alice", "bob"))
        body = {"task_id": "t", "messages": HISTORY}
        problem(api.post(f"{PATH}/compress", json=body), 401)
        trace = api.post(f"{PATH}/compress", json=body, headers=alice).json()["trace_ids"][0]
        assert api.get(f"{PATH}/records/{trace}", headers=alice).status_code == 200
        problem(api.get(f"{PATH}/records/{trace}", headers=bob), 404)
        problem(api.get(f"{PATH}/records/{trace}", params={"user_id": "alice"}, headers=bob), 403)
        problem(api.post(f"{PATH}/compress", json=body | {"user_id": "alice"}, headers=bob), 403)


@pytest.mark.parametrize(
    "changed",
    [
        {"task_id": None},
        {"task_id": ""},
        {"task_id": "a/b"},
        {"task_id": "a\x00b"},
        {"messages": []},
        {"messages": "x"},
        {"messages": [{"content": "x"}]},
        {"messages": [{"role": 5}]},
        {"messages": ["x"]},
        {"top_k": 0},
        {"top_k": "3"},
        {"top_k": 51},
        {"max_chars_per_record": 99},
        {"budget_tokens": 0},
        {"budget_tokens": 1.5},
        {"query": " "},
        {"unknown": 1},
    ],
)
def test_what_is_no_request_is_refused(api: httpx.Client, user: str, changed: dict[str, Any]) -> None:
    body = {"user_id": user, "task_id": "t", "messages": HISTORY} | changed
    problem(api.post(f"{PATH}/compress", json=body), 422)
    assert listed(api, user) == []


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ({"role": "zzz", "content": "x"}, "role"),
        ({"role": "user"}, "content"),
        ({"role": "user", "content": None}, "content"),
        ({"role": "user", "content": 5}, "content"),
        ({"role": "user", "content": {"text": "x"}}, "content"),
        ({"role": "user", "content": ["x"]}, "content: its part 0"),
        ({"role": "assistant", "content": None}, "content"),
        ({"role": "assistant", "content": None, "tool_calls": "x"}, "tool_calls"),
        ({"role": "assistant", "content": None, "tool_calls": [5]}, "tool_calls.0"),
        ({"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": "f"}]}, "tool_calls.0.function"),
        ({"role": "tool", "tool_call_id": "c1", "content": {"a": 1}}, "content"),
        ({"role": "tool", "tool_call_id": "c1", "content": None}, "content"),
    ],
)
def test_a_message_that_no_provider_takes_is_refused_by_its_place(
    api: httpx.Client, user: str, message: Message, place: str
) -> None:
    body = {"user_id": user, "task_id": "t", "messages": [HISTORY[0], message]}
    [error] = problem(api.post(f"{PATH}/compress", json=body), 422)["errors"]
    assert error["loc"] == ["body", "messages", 1] and error["msg"].startswith(place), error


@pytest.mark.parametrize(
    "message",
    [
        {"role": "developer", "content": "x", "x_own": {"a": [None]}},
        {"role": "user", "content": []},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,x"}}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "custom", "custom": {"name": "f"}}]},
        {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f"}}]},
        {"role": "assistant", "content": "x", "tool_calls": None},
        {"role": "assistant", "content": None, "refusal": "no"},
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": None},
    ],
)
def test_a_message_that_a_provider_may_take_passes(api: httpx.Client, user: str, message: Message) -> None:
    assert compress(api, user, [HISTORY[0], message])["messages"] == [HISTORY[0], message]


@pytest.mark.parametrize(
    "changed", [{"tool_name": ""}, {"tool_name": None}, {"raw_output": 2**63}, {"tool_call_id": ""}]
)
def test_what_is_no_record_is_refused(api: httpx.Client, user: str, changed: dict[str, Any]) -> None:
    body = {"user_id": user, "task_id": "t", "tool_name": "find", "raw_output": "x"}
    problem(api.post(f"{PATH}/records", json=body | changed), 400, 422)
    del body["raw_output"]
    problem(api.post(f"{PATH}/records", json=body), 422)
    assert listed(api, user) == []


@pytest.mark.parametrize(
    "raw",
    [b'{"messages": [{"role": "user", "content": NaN}]}', b'{"messages": "\\ud800"}', b"[" * 100, b'{"a": "\xff"}'],
)
def test_what_is_no_json_is_refused_here_as_elsewhere(api: httpx.Client, raw: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    problem(api.post(f"{PATH}/compress", content=raw, headers=headers), 400, 422)


def test_control_characters_are_taken_of_tools_and_nowhere_else(api: httpx.Client, user: str) -> None:
    text = "\x1b[31mred\x00\x9b"
    found = compress(api, user, [*HISTORY[:1], *step(1, text), *step(2, text)], query=f"what is {text}?")
    assert found["messages"][-1] == result("c2", text)
    assert add(api, user, text, tool_name=text, tool_call_id=text, user_query=text)["tool_name"] == text
    body: dict[str, Any]
    for path, body in (
        ("/query", {"query": text}),
        ("/v1/messages", {"session_id": "s", "messages": [{"role": "user", "content": text}]}),
        ("/v1/facts", {"text": text}),
    ):
        problem(api.post(path, json={"user_id": user, **body}), 400)


def test_steps_at_once_keep_each_result_once(api: httpx.Client, user: str) -> None:
    with ThreadPoolExecutor(6) as at_once:
        found = list(at_once.map(lambda _: compress(api, user, HISTORY)["messages"], range(6)))
    assert all(one == found[0] for one in found)
    assert len(listed(api, user)) == 4


def test_a_deleted_user_leaves_no_trace(api: httpx.Client, user: str, other: str, database: Any) -> None:
    for owner in (user, other):
        compress(api, owner, HISTORY)
        add(api, owner, "x", task="u")
    counts = api.delete(f"/v1/users/{user}").json()["deleted"]
    assert (counts["tasks"], counts["traces"], counts["vectors"]) == (2, 5, 5)
    for name in database.list_collection_names():
        assert not [document for document in database[name].find() if f"'{user}'" in str(document)], name
    assert (listed(api, user), len(listed(api, other))) == ([], 5)
    assert api.delete(f"/v1/users/{user}").json()["deleted"]["traces"] == 0


def test_the_observer_writes_summary_and_insight_in_the_background(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.always(answer("The zeppelin HAT001 is late."), on="observer")
    [trace] = compress(chat, user, [HISTORY[0], *step(1)])["trace_ids"]

    def noted() -> bool:
        return bool(chat.get(f"{PATH}/records/{trace}", params={"user_id": user}).json()["model"] != "rule_based")

    eventually(noted)
    body = {"user_id": user, "task_id": "t", "query": "zeppelin"}
    [hit] = eventually(lambda: chat.post(f"{PATH}/search", json=body).json()["items"])
    assert hit["summary"] == "The zeppelin HAT001 is late."
    view = compress(chat, user, [HISTORY[0], *step(1), *step(2)])
    assert "The zeppelin HAT001 is late.\nRaw Data: " in context(view["messages"])
    model.always(None, on="observer")


def test_many_results_are_noted_batch_by_batch_without_a_wait_for_the_sweep(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.always(answer("The zeppelin is late."), on="observer")
    compress(chat, user, [HISTORY[0], *steps(80)])
    eventually(lambda: {one["summary"] for one in listed(chat, user)} == {"The zeppelin is late."}, 15)
    model.always(None, on="observer")


def test_a_result_of_many_megabytes_is_kept_whole(api: httpx.Client, user: str) -> None:
    text = json.dumps([{"code": f"HAT{at:06}", "note": "nothing of note"} for at in range(60_000)])
    found = compress(api, user, [HISTORY[0], *step(1, text), *step(2)])
    assert found["stats"]["tokens_before"] > 500_000 > 5_000 > found["stats"]["tokens_after"]
    whole = api.get(f"{PATH}/records/{found['trace_ids'][0]}", params={"user_id": user})
    assert whole.json()["raw_output"] == json.loads(text)
