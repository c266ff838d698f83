"""Records of tools over HTTP come back as they were, once."""

import json
from datetime import datetime
from typing import Any

import httpx
import pytest

from tests.api.tool_requests import HISTORY, PATH, add, compress, listed
from tests.checks import problem
from tests.tool_calls import context, step


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
    times = [datetime.fromisoformat(one["timestamp"]) for one in listed(api, user, limit=2)]
    assert times == sorted(times, reverse=True)
    assert {one["trace_id"] for one in listed(api, user, task_id="t1")} == set(made[1::2])
    problem(api.get(f"{PATH}/records", params={"user_id": user, "cursor": "x"}), 400, 422)


def test_a_result_of_many_megabytes_is_kept_whole(api: httpx.Client, user: str) -> None:
    text = json.dumps([{"code": f"HAT{at:06}", "note": "nothing of note"} for at in range(60_000)])
    found = compress(api, user, [HISTORY[0], *step(1, text), *step(2)])
    assert found["stats"]["tokens_before"] > 500_000 > 5_000 > found["stats"]["tokens_after"]
    whole = api.get(f"{PATH}/records/{found['trace_ids'][0]}", params={"user_id": user})
    assert whole.json()["raw_output"] == json.loads(text)


def test_a_result_is_kept_without_blanks(api: httpx.Client, user: str) -> None:
    made = add(api, user, {"a": [1, 2.5, None], "b": "Größe, 😀"})
    assert made["raw_output_text"] == '{"a":[1,2.5,null],"b":"Größe, 😀"}'


def test_a_result_that_the_store_cannot_take_is_refused(api: httpx.Client, user: str) -> None:
    body = f'{{"user_id": "{user}", "task_id": "t", "tool_name": "find", "raw_output": [{"1e15," * 999_999}1]}}'
    refused = api.post(f"{PATH}/records", content=body, headers={"Content-Type": "application/json"})
    assert problem(refused, 400)["detail"] == "The store takes at most 16 MB in a document"
    assert listed(api, user) == []
