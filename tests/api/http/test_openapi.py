"""What the API tells of itself is true."""

from typing import Any

import httpx
import pytest

METHODS = {"get", "put", "post", "patch", "delete"}


@pytest.fixture
def described(api: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = api.get("/openapi.json").json()
    return found


def operations(described: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation) for path, item in described["paths"].items() for method, operation in item.items()
    ]


def references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [found for item in value.values() for found in references(item)]
    if isinstance(value, list):
        return [found for item in value for found in references(item)]
    return []


def test_every_reference_leads_somewhere(described: dict[str, Any]) -> None:
    found = references(described)
    assert found
    for reference in found:
        at: Any = described
        for step in reference.removeprefix("#/").split("/"):
            at = at[step]


def test_it_is_openapi_3_1_with_unique_operations(described: dict[str, Any]) -> None:
    assert described["openapi"].startswith("3.1")
    ids = [operation["operationId"] for _, _, operation in operations(described)]
    assert len(ids) == len(set(ids))
    for path, method, operation in operations(described):
        assert method in METHODS
        assert operation["responses"]
        named = {parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "path"}
        assert named == {part[1:-1] for part in path.split("/") if part.startswith("{")}, path


def test_every_error_is_described_as_a_problem(described: dict[str, Any]) -> None:
    for path, _, operation in operations(described):
        for status, response in operation["responses"].items():
            if status >= "400" and (path, status) != ("/readyz", "503"):
                reference = {"$ref": "#/components/schemas/Problem"}
                assert response["content"] == {"application/problem+json": {"schema": reference}}, (path, status)


def test_writes_describe_their_idempotency_key(described: dict[str, Any]) -> None:
    for path, method, operation in operations(described):
        named = {parameter["name"] for parameter in operation.get("parameters", [])}
        repeatable = path.endswith("/import") or path.startswith("/v1/admin/")
        assert ("Idempotency-Key" in named) == (method != "get" and not repeatable)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("post", "/query", "{", 400),
        ("post", "/query", "{}", 422),
        ("get", "/v1/receipts/{turn_id}", None, 404),
        ("get", "/v1/sessions/{session_id}", None, 404),
        ("patch", "/v1/sessions/{session_id}", '{"title": "x"}', 404),
        ("delete", "/v1/sessions/{session_id}", None, 404),
        ("get", "/v1/sessions/{session_id}/messages", None, 404),
        ("get", "/v1/memories/{key}", None, 404),
        ("delete", "/v1/memories/{key}", None, 404),
        ("get", "/v1/memories/{key}/history", None, 404),
        ("get", "/v1/sessions", None, 200),
        ("put", "/v1/memories/{key}", '{"value": "x"}', 201),
        ("delete", "/v1/users/{user_id}", None, 200),
        ("get", "/v1/users/{user_id}/export", None, 200),
        ("post", "/v1/users/{user_id}/import", "{}", 415),
    ],
)
def test_an_answer_is_one_of_those_described(
    api: httpx.Client, described: dict[str, Any], user: str, method: str, path: str, body: str | None, status: int
) -> None:
    filled = "/".join("nothing" if part.startswith("{") else part for part in path.split("/"))
    headers = {"content-type": "application/json"} if body else {}
    parameters = described["paths"][path][method].get("parameters", [])
    named = any(one["name"] == "user_id" and one["in"] == "query" for one in parameters)
    answer = api.request(method, filled, params={"user_id": user} if named else {}, content=body, headers=headers)
    assert answer.status_code == status
    assert str(status) in described["paths"][path][method]["responses"]


def test_it_says_that_sessions_are_searched_by_their_titles_alone(described: dict[str, Any]) -> None:
    listing = described["paths"]["/v1/sessions"]["get"]
    [searched] = [one for one in listing["parameters"] if one["name"] == "q"]
    assert "title" in searched["description"] and "messages are not searched" in searched["description"]
    assert "titles alone" in listing["description"]
