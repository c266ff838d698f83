"""Tool memory over HTTP: histories that come back short, tasks, and whose they are."""

from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import httpx

from tests.api.tool_requests import HISTORY, PATH, add, compress, listed
from tests.checks import eventually, problem
from tests.scripted_model import ScriptedModel, answer
from tests.tool_calls import context, step, steps


def test_the_first_step_passes_unchanged(api: httpx.Client, user: str) -> None:
    messages = [
        {"role": "system", "content": "x"},
        {"role": "user", "content": [{"type": "text", "text": "y"}], "name": "z"},
    ]
    found = compress(api, user, messages)
    assert (found["messages"], found["trace_ids"]) == (messages, [])
    assert found["stats"] == {"tokens_before": 10, "tokens_after": 10}
    assert listed(api, user) == []


def test_an_empty_history_stays_empty_and_nothing_is_kept(
    api: httpx.Client, user: str, counts: Callable[[], dict[str, int]]
) -> None:
    before = counts()
    nothing = {"messages": [], "trace_ids": [], "stats": {"tokens_before": 0, "tokens_after": 0}}
    assert compress(api, user, []) == compress(api, user, [], budget_tokens=1) == nothing
    assert counts() == before
    add(api, user, "The keyboard costs 72 dollars.")
    assert compress(api, user, []) == nothing


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
    assert "field1" in asked.split("[OTHERS]")[0]
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


def test_a_search_finds_what_stands_in_results_alone(api: httpx.Client, user: str) -> None:
    inns = [{"hotel_id": f"LIS-{at}", "name": f"Inn of {at} Hills", "from_price": 70.5 + at} for at in range(200, 280)]
    inns[60] |= {"name": "Oriente One", "from_price": 119.9}
    record = add(api, user, {"results": inns}, tool_name="search_hotels")["trace_id"]
    for at in range(5):
        add(api, user, {"booking_id": f"BK-{at}", "price": 119.95}, tool_name="get_booking")
    assert "Oriente" not in api.get(f"{PATH}/records/{record}", params={"user_id": user}).json()["summary"]
    for query in ("Oriente One", "119.9", "the price of LIS-260", "Which hotel is Oriente One?"):
        body = {"user_id": user, "task_id": "t", "query": query, "top_k": 2}
        items = api.post(f"{PATH}/search", json=body).json()["items"]
        assert items[0]["trace_id"] == record and len(items) == 2
        assert 1 >= items[0]["score"] > items[1]["score"]
        assert api.post(f"{PATH}/search", json=body | {"task_id": "other"}).json()["items"] == []


def test_the_observer_writes_summary_and_insight_in_the_background(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.always(answer("The zeppelin HAT001 is late."), on="observer")
    long = step(1, {"code": "HAT001", "note": "lorem ipsum " * 90})
    [trace] = compress(chat, user, [HISTORY[0], *long])["trace_ids"]

    def noted() -> bool:
        return bool(chat.get(f"{PATH}/records/{trace}", params={"user_id": user}).json()["model"] != "rule_based")

    eventually(noted)
    body = {"user_id": user, "task_id": "t", "query": "zeppelin"}
    [hit] = eventually(lambda: chat.post(f"{PATH}/search", json=body).json()["items"])
    assert hit["summary"] == "The zeppelin HAT001 is late."
    view = compress(chat, user, [HISTORY[0], *long, *step(2)])
    assert "The zeppelin HAT001 is late.\nRaw Data: " in context(view["messages"])
    model.always(None, on="observer")


def test_many_results_are_noted_batch_by_batch_without_a_wait_for_the_sweep(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.always(answer("The zeppelin is late."), on="observer")
    compress(chat, user, [HISTORY[0], *steps(80)])
    eventually(lambda: {one["summary"] for one in listed(chat, user)} == {"The zeppelin is late."}, 15)
    model.always(None, on="observer")


def test_a_blob_comes_back_short_with_its_size_and_its_record_whole(api: httpx.Client, user: str) -> None:
    blob = b64encode(Random(3).randbytes(60_000)).decode()
    found = compress(api, user, [HISTORY[0], *step(1, blob), *step(2), *step(3)])
    view = context(found["messages"])
    assert "80000 characters" in view and blob[:16] in view and len(view) < 2_000
    whole = [api.get(f"{PATH}/records/{one}", params={"user_id": user}).json() for one in found["trace_ids"]]
    assert {one["tool_call_id"]: one["raw_output"] for one in whole}["c1"] == {"_raw": blob}
