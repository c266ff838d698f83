"""Whatever is sent, the answer is sound: below 500, and an error is a problem."""

import json
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.wire.chat import QueryRequest
from api.wire.facts import MemoryPut
from api.wire.observations import ConsolidateRequest, EntryPut, ExtractRequest, ObservationsRequest, RecallRequest
from api.wire.search import SearchRequest
from api.wire.sessions import MessageIn, MessagesRequest
from tests.checks import problem

FIELDS = [*{*QueryRequest.model_fields, *MessagesRequest.model_fields, *MessageIn.model_fields}]
FIELDS += [*{*SearchRequest.model_fields, *MemoryPut.model_fields, *EntryPut.model_fields}]
FIELDS += [*{*ObservationsRequest.model_fields, *RecallRequest.model_fields, *ExtractRequest.model_fields}]
FIELDS += [*ConsolidateRequest.model_fields]
PATHS = [("POST", "/query"), ("POST", "/v1/messages"), ("POST", "/v1/search"), ("PUT", "/v1/memories/fuzz")]
PATHS += [("POST", f"/v1/observations{rest}") for rest in ("", "/recall", "/recall-fil", "/extract")]
PATHS += [("PUT", "/v1/scratchpad/fuzz"), ("POST", "/v1/sessions/fuzz/consolidate")]
LISTS = ["/v1/sessions", "/v1/memories", "/v1/sessions/fuzz/messages", "/v1/memories/fuzz/history", "/v1/receipts/f"]
LISTS += ["/v1/observations", "/v1/scratchpad", "/v1/scratchpad/fuzz", "/v1/admin/users", "/v1/admin/jobs"]
PARAMETERS = ["user_id", "limit", "cursor", "q", "prefix", "category", "source", "state", "kind", "other"]

quick = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
texts = st.text(max_size=40) | st.sampled_from(
    ["fuzz", "user", "turn", "2024-01-01T00:00:00Z", "\ud800", "\x00", "$gt"]
)
leaves = st.none() | st.booleans() | st.integers() | st.floats() | texts
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*FIELDS, "$gt"]) | texts, inner, max_size=4)
    ),
    max_leaves=12,
)
right = st.fixed_dictionaries(
    {},
    optional={
        "query": st.just("hello") | texts,
        "session_id": st.just("fuzz") | texts,
        "messages": st.lists(
            st.fixed_dictionaries(
                {"role": st.sampled_from(["user", "assistant", "tool", "system"]), "content": texts},
                optional={"id": texts, "name": texts, "timestamp": texts},
            ),
            max_size=3,
        ),
        "project": st.just("fuzz") | texts,
        "value": texts,
        "ttl_seconds": st.integers(),
        "source": st.just("fuzz") | texts,
        "findings": st.lists(texts, max_size=3),
        "content": texts,
        "category": st.sampled_from(["finding", "lesson", "fact"]),
        "step_name": texts,
        "step_type": texts,
        "output": texts | st.text(min_size=50, max_size=200),
        "top_k": st.integers(0, 60),
        "stream": st.booleans(),
        "temporary": st.booleans(),
        "wait": st.just(False),
        "since": st.datetimes().map(str),
        "until": st.datetimes().map(str) | texts,
        "min_score": st.floats(),
    },
)
bodies = right | st.dictionaries(st.sampled_from(FIELDS) | texts, values, max_size=5) | values


def sound(answer: httpx.Response) -> None:
    if answer.status_code >= 400:
        assert answer.status_code < 500
        problem(answer, answer.status_code)


@pytest.mark.parametrize(("method", "path"), PATHS)
@quick
@given(body=bodies)
def test_any_json_gets_a_sound_answer(api: httpx.Client, method: str, path: str, body: Any) -> None:
    raw = json.dumps(body).encode()
    sound(api.request(method, path, content=raw, headers={"content-type": "application/json"}))


@pytest.mark.parametrize(("method", "path"), PATHS)
@quick
@given(raw=st.binary(max_size=200) | st.builds(lambda a, b: b'{"query": "' + a + b'"' + b, st.binary(), st.binary()))
def test_any_bytes_get_a_sound_answer(api: httpx.Client, method: str, path: str, raw: bytes) -> None:
    sound(api.request(method, path, content=raw, headers={"content-type": "application/json"}))


@pytest.mark.parametrize("path", LISTS)
@quick
@given(pairs=st.lists(st.tuples(st.sampled_from(PARAMETERS), st.binary(max_size=30)), max_size=4))
def test_any_query_string_gets_a_sound_answer(api: httpx.Client, path: str, pairs: list[tuple[str, bytes]]) -> None:
    query = "&".join(f"{name}=" + "".join(f"%{byte:02X}" for byte in value) for name, value in pairs)
    sound(api.get(f"{path}?{query}"))


@quick
@given(segment=st.binary(min_size=1, max_size=40), method=st.sampled_from(["GET", "PATCH", "DELETE"]))
def test_any_path_gets_a_sound_answer(api: httpx.Client, segment: bytes, method: str) -> None:
    escaped = "".join(f"%{byte:02X}" for byte in segment)
    for folder in ("v1/sessions", "v1/memories", "v1/receipts", "v1/observations", "v1/scratchpad", "web"):
        path = f"/{folder}/{escaped}"
        body = {"title": "x"} if method == "PATCH" else None
        sound(api.request(method, path, json=body))


@quick
@given(
    name=st.sampled_from(["If-Match", "Idempotency-Key", "X-API-Key", "Authorization"]), value=st.binary(max_size=40)
)
def test_any_header_gets_a_sound_answer(api: httpx.Client, name: str, value: bytes) -> None:
    printable = bytes(byte for byte in value if byte >= 32 and byte != 127).strip()
    headers = [(name.encode(), printable), (b"content-type", b"application/json")]
    sound(api.put("/v1/memories/fuzz", content=b'{"value": "x"}', headers=headers))
