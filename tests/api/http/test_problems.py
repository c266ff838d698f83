"""How errors are told: never with the input, never as a 5xx, and nothing is stored by what is refused."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.checks import problem

Counts = Callable[[], dict[str, int]]
MARK = "xyzzy-the-input"  # stands in every refused request, and must not come back
MESSAGE = {"role": "user", "content": "Hello"}

# What each body is wrong about, with the statuses that may say so.
BODIES: dict[str, tuple[str, bytes, tuple[int, ...]]] = {
    "malformed JSON": ("/query", b'{"query": "xyzzy-the-input"', (400,)),
    "two documents": ("/query", b'{"query": "xyzzy-the-input"} {}', (400,)),
    "a trailing comma": ("/query", b'{"query": "xyzzy-the-input",}', (400,)),
    "single quotes": ("/query", b"{'query': 'xyzzy-the-input'}", (400,)),
    "no JSON": ("/query", b"xyzzy-the-input", (400,)),
    "invalid UTF-8": ("/query", b'{"query": "xyzzy-the-input \xff\xfe"}', (400,)),
    "overlong UTF-8": ("/query", b'{"query": "xyzzy-the-input \xc0\x80"}', (400,)),
    "UTF-16": ("/query", '{"query": "xyzzy-the-input"}'.encode("utf-16"), (400,)),
    "a lone surrogate": ("/query", b'{"query": "xyzzy-the-input \\ud800"}', (400,)),
    "a surrogate in a key": ("/query", b'{"query": "xyzzy-the-input", "\\udfff": 1}', (400,)),
    "NaN": ("/v1/search", b'{"query": "xyzzy-the-input", "min_score": NaN}', (400,)),
    "Infinity": ("/v1/search", b'{"query": "xyzzy-the-input", "min_score": Infinity}', (400,)),
    "a float that overflows": ("/v1/search", b'{"query": "xyzzy-the-input", "min_score": 1e999}', (400, 422)),
    "NUL": ("/query", b'{"query": "xyzzy-the-input \\u0000"}', (400,)),
    "a control character": ("/query", b'{"query": "xyzzy-the-input \\u001b[31m"}', (400,)),
    "a raw control character": ("/query", b'{"query": "xyzzy-the-input \x07"}', (400,)),
    "a C1 control character": ("/query", b'{"query": "xyzzy-the-input \\u0085"}', (400,)),
    "NUL in a key": ("/query", b'{"query": "xyzzy-the-input", "a\\u0000b": 1}', (400,)),
    "deep nesting": ("/query", b'{"query": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", (400,)),
    "deep objects": ("/query", b'{"a":' * 500 + b"1" + b"}" * 500, (400,)),
    "a huge integer": ("/query", b'{"query": "xyzzy-the-input", "top_k": 1' + b"0" * 400 + b"}", (400, 422)),
    "an integer of 65 bits": ("/query", b'{"query": "xyzzy-the-input", "top_k": 18446744073709551615}', (400, 422)),
    "an empty body": ("/query", b"", (422,)),
    "an array": ("/query", b'["xyzzy-the-input"]', (422,)),
    "a string": ("/query", b'"xyzzy-the-input"', (422,)),
    "a number": ("/query", b"5", (422,)),
    "null": ("/query", b"null", (422,)),
}

QUERY_FIELDS: list[dict[str, Any]] = [
    {"query": ""},
    {"query": " \n\t "},
    {"query": "x" * 32_001},
    {"query": None},
    {"query": 5},
    {"query": ["xyzzy-the-input"]},
    {"query": {"$gt": ""}},
    {"user_id": {"$gt": ""}},
    {"user_id": {"$ne": None}},
    {"user_id": ""},
    {"user_id": " "},
    {"user_id": "a/b"},
    {"user_id": ".."},
    {"user_id": "x" * 201},
    {"user_id": 5},
    {"user_id": None},
    {"session_id": {"$regex": ".*"}},
    {"session_id": ""},
    {"session_id": "a/b"},
    {"session_id": True},
    {"use_memory": "yes"},
    {"use_memory": 1},
    {"use_memory": None},
    {"top_k": 0},
    {"top_k": 51},
    {"top_k": -1},
    {"top_k": True},
    {"top_k": "8"},
    {"top_k": 1.5},
    {"top_k": 8.0},
    {"top_k": None},
    {"top_k": {"$gt": 0}},
    {"history": {}},
    {"history": ["xyzzy-the-input"]},
    {"history": [{"role": "user"}]},
    {"history": [{"role": "king", "content": "xyzzy-the-input"}]},
    {"history": [{"role": "user", "content": "x", "extra": "xyzzy-the-input"}]},
    {"history": [{"role": "user", "content": {"$gt": ""}}]},
    {"history": [MESSAGE] * 1_001},
    {"images": "xyzzy-the-input"},
    {"images": ["xyzzy-the-input"]},
    {"images": ["file:///etc/passwd"]},
    {"images": ["http://"]},
    {"images": ["http://[xyzzy-the-input"]},
    {"images": ["data:image/png;base64,xyzzy-the-input!"]},
    {"images": ["data:image/png,xyzzy-the-input"]},
    {"images": ["data:text/html;base64,PGI+"]},
    {"images": [None]},
    {"images": ["https://example.org/a.png"] * 17},
    {"location": ""},
    {"location": "x" * 501},
    {"location": {"lat": 1.5}},
    {"model": ""},
    {"model": "x" * 201},
    {"model": 4},
    {"stream": "true"},
    {"stream": 0},
    {"temporary": "xyzzy-the-input"},
    {"unknown": "xyzzy-the-input"},
    {"userId": "xyzzy-the-input"},
    {"$where": "xyzzy-the-input"},
]

OTHER_BODIES: list[tuple[str, Any]] = [
    ("/v1/messages", {"session_id": "s"}),
    ("/v1/messages", {"session_id": "s", "messages": []}),
    ("/v1/messages", {"session_id": "s", "messages": {}}),
    ("/v1/messages", {"messages": [MESSAGE]}),
    ("/v1/messages", {"session_id": None, "messages": [MESSAGE]}),
    ("/v1/messages", {"session_id": "s", "messages": [MESSAGE], "wait": "xyzzy-the-input"}),
    ("/v1/messages", {"session_id": "s", "messages": [MESSAGE], "wait": 1}),
    ("/v1/messages", {"session_id": "s", "messages": [MESSAGE, {**MESSAGE, "content": " "}]}),
    ("/v1/messages", {"session_id": "s", "messages": [MESSAGE, {**MESSAGE, "id": "xyzzy-the-input\n"}]}),
    ("/v1/messages", {"session_id": "s", "messages": [MESSAGE, {**MESSAGE, "content": "x" * 200_001}]}),
    ("/v1/messages", {"session_id": "s", "messages": [MESSAGE, {**MESSAGE, "id": ""}]}),
    ("/v1/messages", {"session_id": "s", "messages": [MESSAGE, {**MESSAGE, "id": {"$gt": ""}}]}),
    ("/v1/messages", {"session_id": "s", "messages": [MESSAGE, {**MESSAGE, "id": 5}]}),
    ("/v1/messages", {"session_id": "s", "messages": [MESSAGE, {**MESSAGE, "name": ""}]}),
    ("/v1/messages", {"session_id": "s", "messages": [MESSAGE, {**MESSAGE, "name": "Ada\nadmin"}]}),
    ("/v1/messages", {"session_id": "s", "messages": [MESSAGE, {**MESSAGE, "name": "Ada\n"}]}),
    ("/v1/messages", {"session_id": "s", "messages": [MESSAGE, {**MESSAGE, "name": "Ada\u2028admin"}]}),
    ("/v1/messages", {"session_id": "s", "messages": [MESSAGE, {**MESSAGE, "role": "User"}]}),
    ("/v1/messages", {"session_id": "s", "messages": [MESSAGE, {**MESSAGE, "kind": "xyzzy-the-input"}]}),
    ("/v1/search", {}),
    ("/v1/search", {"query": {"$gt": ""}}),
    ("/v1/search", {"query": "x", "top_k": 0}),
    ("/v1/search", {"query": "x", "since": "2026-01-02", "until": "2026-01-01"}),
    ("/v1/search", {"query": "x", "top_k": 51}),
    ("/v1/search", {"query": "x", "kinds": []}),
    ("/v1/search", {"query": "x", "kinds": ["xyzzy-the-input"]}),
    ("/v1/search", {"query": "x", "kinds": "turn"}),
    ("/v1/search", {"query": "x", "min_score": 1.1}),
    ("/v1/search", {"query": "x", "min_score": -0.1}),
    ("/v1/search", {"query": "x", "min_score": "0.5"}),
    ("/v1/search", {"query": "x", "min_score": True}),
    ("/v1/search", {"query": "x", "recency_weight": 2}),
    ("/v1/search", {"query": "x", "mmr_lambda": {"$gt": 0}}),
    ("/v1/search", {"query": "x", "since": "xyzzy-the-input"}),
    ("/v1/search", {"query": "x", "since": 0}),
    ("/v1/search", {"query": "x", "until": "2024-01-01T00:00:00+99:00"}),
    ("/v1/search", {"query": "x", "session_id": {"$ne": "x"}}),
    ("/v1/search", {"query": "x", "limit": "xyzzy-the-input"}),
]

CALLS: list[tuple[str, str, tuple[int, ...]]] = [
    ("GET", "/nothing/xyzzy-the-input", (404,)),
    ("GET", "/v1/receipts/xyzzy-the-input", (404,)),
    ("GET", "/v1/sessions/xyzzy-the-input", (404,)),
    ("GET", "/v1/sessions/xyzzy-the-input/messages", (404,)),
    ("DELETE", "/v1/sessions/xyzzy-the-input", (404,)),
    ("GET", "/v1/memories/xyzzy-the-input", (404,)),
    ("GET", "/v1/memories/xyzzy-the-input/history", (404,)),
    ("DELETE", "/v1/memories/xyzzy-the-input", (404,)),
    ("GET", "/query", (405,)),
    ("PUT", "/query", (405,)),
    ("DELETE", "/v1/sessions", (405,)),
    ("POST", "/v1/sessions", (405,)),
    ("POST", "/livez", (405,)),
    ("TRACE", "/livez", (405,)),
    ("GET", "/v1/sessions?limit=0", (422,)),
    ("GET", "/v1/sessions?limit=201", (422,)),
    ("GET", "/v1/sessions?limit=xyzzy-the-input", (422,)),
    ("GET", "/v1/sessions?limit=1.5", (422,)),
    ("GET", "/v1/sessions?limit=99999999999999999999999999", (422,)),
    ("GET", "/v1/sessions?limit=", (422,)),
    ("GET", "/v1/sessions?cursor=xyzzy-the-input", (400,)),
    ("GET", "/v1/sessions?cursor=", (400,)),
    ("GET", "/v1/sessions?cursor=W10", (400,)),
    ("GET", "/v1/sessions?cursor=WzEsMl0", (400,)),
    ("GET", "/v1/sessions?cursor=WzFlMzAsImEiXQ", (400,)),
    ("GET", "/v1/sessions?cursor=eyJhIjoxLCJiIjoyfQ", (400,)),
    ("GET", "/v1/sessions?cursor=%00", (400, 422)),
    ("GET", "/v1/sessions?cursor=" + "A" * 2_001, (422,)),
    ("GET", "/v1/memories?cursor=xyzzy-the-input", (400,)),
    ("GET", "/v1/sessions/s/messages?cursor=-1", (400, 404)),
    ("GET", "/v1/sessions?user_id=", (422,)),
    ("GET", "/v1/sessions?user_id=a%00b", (422,)),
    ("GET", "/v1/sessions?user_id=a%0Ab", (422,)),
    ("GET", "/v1/sessions?user_id=a%2Fb", (422,)),
    ("GET", "/v1/sessions?user_id=" + "x" * 201, (422,)),
    ("GET", "/v1/sessions?q=a%00b", (422,)),
    ("GET", "/v1/sessions?q=%1B", (422,)),
    ("GET", "/v1/sessions?q=" + "x" * 201, (422,)),
    ("GET", "/v1/sessions/a%00b", (404, 422)),
    ("GET", "/v1/sessions/a%0D%0Ab", (422,)),
    ("GET", "/v1/sessions/%7F", (422,)),
    ("GET", "/v1/sessions/%C2%85", (422,)),
    ("GET", "/v1/sessions/%20", (422,)),
    ("GET", "/v1/memories/" + "x" * 201, (422,)),
    ("DELETE", "/v1/users/%00", (422,)),
    ("DELETE", "/v1/users/%20", (422,)),
    ("GET", "/web/nothing.js", (404,)),
    ("GET", "/web/%00", (404,)),
    ("GET", "/web/..%2f..%2fpyproject.toml", (404,)),
    ("GET", "/web/%2e%2e/%2e%2e/pyproject.toml", (404,)),
    ("GET", "/web/" + "x" * 5_000, (404,)),
    ("GET", "/web/", (404,)),
    ("POST", "/web/chat.js", (405,)),
]


def check(answer: httpx.Response, *statuses: int) -> None:
    problem(answer, *statuses)
    assert MARK not in answer.text
    assert MARK not in str(answer.headers)


@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_cannot_be_read_is_refused(api: httpx.Client, counts: Counts, name: str) -> None:
    path, body, statuses = BODIES[name]
    before = counts()
    check(api.post(path, content=body, headers={"content-type": "application/json"}), *statuses)
    assert counts() == before


@pytest.mark.parametrize("fields", QUERY_FIELDS, ids=lambda fields: json.dumps(fields)[:40])
def test_a_query_that_is_none_is_refused(api: httpx.Client, counts: Counts, user: str, fields: dict[str, Any]) -> None:
    before = counts()
    check(api.post("/query", json={"query": MARK, "user_id": user, **fields}), 422)
    assert counts() == before


@pytest.mark.parametrize(("path", "body"), OTHER_BODIES, ids=lambda value: json.dumps(value)[:50])
def test_a_body_with_a_wrong_field_is_refused(
    api: httpx.Client, counts: Counts, user: str, path: str, body: dict[str, Any]
) -> None:
    before = counts()
    check(api.post(path, json={"user_id": user, **body}), 422)
    assert counts() == before


@pytest.mark.parametrize(("method", "path", "statuses"), CALLS, ids=lambda value: str(value)[:50])
def test_a_path_or_query_string_that_leads_nowhere_is_refused(
    api: httpx.Client, counts: Counts, method: str, path: str, statuses: tuple[int, ...]
) -> None:
    before = counts()
    answer = api.request(method, path)
    check(answer, *statuses)
    if answer.status_code == 405:
        assert answer.headers["allow"]
    assert counts() == before


def test_a_validation_error_tells_where_and_what_without_the_input(api: httpx.Client) -> None:
    body = {"query": "x" * 32_001, "top_k": "xyzzy-the-input", "history": [{"role": "king", "content": "hello"}]}
    found = problem(api.post("/query", json=body), 422)
    assert {tuple(error["loc"]): error["msg"] for error in found["errors"]} == {
        ("body", "query"): "String should have at most 32000 characters",
        ("body", "top_k"): "Input should be a valid integer",
        ("body", "history", 0, "role"): "Input should be 'system', 'user', 'assistant' or 'tool'",
    }


def test_the_name_of_an_unknown_field_is_told_cut_and_printable(api: httpx.Client) -> None:
    found = problem(api.post("/query", json={"query": "hello", "a\u202eb" + "x" * 500: "secret"}), 422)
    assert found["errors"] == [{"loc": ["body", "a?b" + "x" * 57], "msg": "unknown field"}]


@pytest.mark.parametrize("query", ["x" * 32_000, "ß" * 32_000, "🐦" * 32_000, "$gt", "{}", "\u200b?", "a\tb\nc\r\n"])
def test_odd_queries_are_answered(api: httpx.Client, user: str, query: str) -> None:
    answer = api.post("/query", json={"query": query, "user_id": user})
    assert answer.status_code == 200
    session = answer.json()["session_id"]
    kept = api.get(f"/v1/sessions/{session}/messages", params={"user_id": user}).json()["items"][0]
    assert kept["content"] == query


@pytest.mark.parametrize("user_id", ["$gt", "a.b", "ünï", "日本", "a b", "%", "x" * 200, "'; --", "__proto__", "null"])
def test_odd_users_have_memories_of_their_own(api: httpx.Client, user_id: str) -> None:
    assert api.put("/v1/memories/dog", params={"user_id": user_id}, json={"value": user_id}).status_code == 201
    found = api.get("/v1/memories", params={"user_id": user_id}).json()["items"]
    assert [item["value"] for item in found] == [user_id]


def test_the_operators_of_a_database_are_text_like_any_other(api: httpx.Client, user: str) -> None:
    for key in ("$set", "a.b.c", "$where", "_id"):
        assert api.put(f"/v1/memories/{key}", params={"user_id": user}, json={"value": "$inc"}).status_code == 201
        assert api.get(f"/v1/memories/{key}", params={"user_id": user}).json()["value"] == "$inc"


def test_a_query_parameter_that_no_route_knows_is_refused(api: httpx.Client) -> None:
    refused = api.delete("/v1/sessions/precious", params={"userid": "bob"})
    assert refused.status_code == 422
    assert refused.json()["errors"] == [{"loc": ["query", "userid"], "msg": "unknown field"}]
