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
BODIES: dict[str, tuple[bytes, tuple[int, ...]]] = {
    "malformed JSON": (b'{"query": "xyzzy-the-input"', (400,)),
    "two documents": (b'{"query": "xyzzy-the-input"} {}', (400,)),
    "a trailing comma": (b'{"query": "xyzzy-the-input",}', (400,)),
    "single quotes": (b"{'query': 'xyzzy-the-input'}", (400,)),
    "no JSON": (b"xyzzy-the-input", (400,)),
    "invalid UTF-8": (b'{"query": "xyzzy-the-input \xff\xfe"}', (400,)),
    "overlong UTF-8": (b'{"query": "xyzzy-the-input \xc0\x80"}', (400,)),
    "UTF-16": ('{"query": "xyzzy-the-input"}'.encode("utf-16"), (400,)),
    "a lone surrogate": (b'{"query": "xyzzy-the-input \\ud800"}', (400,)),
    "a surrogate in a key": (b'{"query": "xyzzy-the-input", "\\udfff": 1}', (400,)),
    "NaN": (b'{"query": "xyzzy-the-input", "top_k": NaN}', (400,)),
    "Infinity": (b'{"query": "xyzzy-the-input", "top_k": Infinity}', (400,)),
    "a float that overflows": (b'{"query": "xyzzy-the-input", "top_k": 1e999}', (400,)),
    "NUL": (b'{"query": "xyzzy-the-input \\u0000"}', (400,)),
    "a control character": (b'{"query": "xyzzy-the-input \\u001b[31m"}', (400,)),
    "a raw control character": (b'{"query": "xyzzy-the-input \x07"}', (400,)),
    "a C1 control character": (b'{"query": "xyzzy-the-input \\u0084"}', (400,)),
    "NUL in a key": (b'{"query": "xyzzy-the-input", "a\\u0000b": 1}', (400,)),
    "deep nesting": (b'{"query": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", (400,)),
    "deep objects": (b'{"a":' * 500 + b"1" + b"}" * 500, (400,)),
    "a huge integer": (b'{"query": "xyzzy-the-input", "top_k": 1' + b"0" * 400 + b"}", (400,)),
    "an integer of 65 bits": (b'{"query": "xyzzy-the-input", "top_k": 18446744073709551615}', (400, 422)),
    "an empty body": (b"", (422,)),
    "an array": (b'["xyzzy-the-input"]', (422,)),
    "a string": (b'"xyzzy-the-input"', (422,)),
    "a number": (b"5", (422,)),
    "null": (b"null", (422,)),
}

# What each field of a body may not be.
QUERY_FIELDS: dict[str, list[Any]] = {
    "query": ["", " \n\t ", "x" * 32_001, None, 5, [MARK], {"$gt": ""}],
    "user_id": [{"$gt": ""}, {"$ne": None}, "", " ", "a/b", "..", "x" * 201, 5, None],
    "session_id": [{"$regex": ".*"}, "", "a/b", True],
    "use_memory": ["yes", 1, None],
    "top_k": [0, 51, -1, True, "8", 1.5, 8.0, None, {"$gt": 0}],
    "history": [
        *({}, [MARK], [{"role": "user"}], [MESSAGE] * 1_001, [MESSAGE | {"role": "king"}], [MESSAGE | {"extra": MARK}]),
        [{"role": "user", "content": {"$gt": ""}}],
    ],
    "images": [
        *(MARK, [MARK], ["file:///etc/passwd"], ["http://"], ["http://[xyzzy-the-input"], [None]),
        *(["data:image/png;base64,xyzzy-the-input!"], ["data:image/png,xyzzy-the-input"]),
        *(["data:text/html;base64,PGI+"], ["https://example.org/a.png"] * 17, ["data:image/png;base64,"]),
        *(["data:image/;base64,AAAA"], ["data:image/png\r\nX: y;base64,AAAA"], ["https://exa mple.org/a.png"]),
    ],
    "location": ["", "x" * 501, {"lat": 1.5}],
    "model": ["", "x" * 201, 4],
    "stream": ["true", 0],
    "temporary": [MARK],
    "unknown": [MARK],
    "userId": [MARK],
    "$where": [MARK],
}
MESSAGES_FIELDS: dict[str, list[Any]] = {"messages": [None, [], {}], "session_id": [None, 5], "wait": [MARK, 1]}
SEARCH_FIELDS: dict[str, list[Any]] = {
    "query": [None, {"$gt": ""}],
    "top_k": [0, 51],
    "since": [MARK, 0, "2026-01-02"],  # the last one is behind `until`
    "until": ["2024-01-01T00:00:00+99:00"],
    "kinds": [[], [MARK], "turn"],
    "min_score": [1.1, -0.1, "0.5", True],
    "recency_weight": [2],
    "mmr_lambda": [{"$gt": 0}],
    "session_id": [{"$ne": "x"}],
    "limit": [MARK],
}
BODY = {"session_id": "s", "messages": [MESSAGE]}
WRONG: list[tuple[str, dict[str, Any]]] = [
    *(("/query", {"query": MARK, name: value}) for name, values in QUERY_FIELDS.items() for value in values),
    ("/v1/messages", {"session_id": "s"}),
    ("/v1/messages", {"messages": [MESSAGE]}),
    *(("/v1/messages", BODY | {name: value}) for name, values in MESSAGES_FIELDS.items() for value in values),
    ("/v1/search", {}),
    *(
        ("/v1/search", {"query": "x", "until": "2026-01-01", name: value})
        for name, values in SEARCH_FIELDS.items()
        for value in values
    ),
]

# What paths and query strings lead nowhere, by the statuses that may say so.
CALLS: dict[tuple[str, tuple[int, ...]], list[str]] = {
    ("GET", (404,)): [
        *(f"/v1/{kind}/{MARK}" for kind in ("receipts", "sessions", "memories")),
        *(f"/nothing/{MARK}", f"/v1/sessions/{MARK}/messages", f"/v1/memories/{MARK}/history"),
        *("/web/nothing.js", "/web/%00", "/web/..%2f..%2fpyproject.toml", "/web/%2e%2e/%2e%2e/pyproject.toml", "/web/"),
        "/web/" + "x" * 5_000,
    ],
    ("DELETE", (404,)): [f"/v1/sessions/{MARK}", f"/v1/memories/{MARK}"],
    ("GET", (405,)): ["/query"],
    ("PUT", (405,)): ["/query"],
    ("DELETE", (405,)): ["/v1/sessions"],
    ("POST", (405,)): ["/v1/sessions", "/livez", "/web/chat/main.js"],
    ("TRACE", (405,)): ["/livez"],
    ("GET", (400,)): [
        *(
            f"/v1/sessions?cursor={cursor}"
            for cursor in (MARK, "", "W10", "WzEsMl0", "WzFlMzAsImEiXQ", "eyJhIjoxLCJiIjoyfQ")
        ),
        f"/v1/memories?cursor={MARK}",
    ],
    ("GET", (400, 404, 422)): ["/v1/sessions?cursor=%00", "/v1/sessions/s/messages?cursor=-1", "/v1/sessions/a%00b"],
    ("GET", (422,)): [
        *(f"/v1/sessions?limit={limit}" for limit in (0, 201, MARK, 1.5, 10**26 - 1, "")),
        *(f"/v1/sessions?user_id={user}" for user in ("", "a%00b", "a%0Ab", "a%2Fb", "x" * 201)),
        *(f"/v1/sessions?q={part}" for part in ("a%00b", "%1B", "x" * 201)),
        *(f"/v1/sessions/{session}" for session in ("a%0D%0Ab", "%7F", "%C2%85", "%20")),
        *("/v1/sessions?cursor=" + "A" * 2_001, "/v1/memories/" + "x" * 201),
    ],
    ("DELETE", (422,)): ["/v1/users/%00", "/v1/users/%20"],
}


def check(answer: httpx.Response, *statuses: int) -> None:
    problem(answer, *statuses)
    assert MARK not in answer.text
    assert MARK not in str(answer.headers)


@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_cannot_be_read_is_refused(api: httpx.Client, counts: Counts, name: str) -> None:
    body, statuses = BODIES[name]
    before = counts()
    check(api.post("/query", content=body, headers={"content-type": "application/json"}), *statuses)
    assert counts() == before


@pytest.mark.parametrize(("path", "body"), WRONG, ids=lambda value: json.dumps(value)[:70])
def test_a_body_with_a_wrong_field_is_refused(
    api: httpx.Client, counts: Counts, user: str, path: str, body: dict[str, Any]
) -> None:
    before = counts()
    check(api.post(path, json={"user_id": user, **body}), 422)
    assert counts() == before


@pytest.mark.parametrize(
    ("method", "path", "statuses"),
    [(method, path, statuses) for (method, statuses), paths in CALLS.items() for path in paths],
    ids=lambda value: str(value)[:50],
)
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
