"""The Responses API without a provider, and conversations."""

from collections.abc import Callable
from typing import Any

import httpx
import openai
import pytest
from openai import OpenAI
from pymongo.database import Database

from tests.api.openai.responses_client import KNOWN, TOOL, kinds, respond
from tests.openai_chat import PARROT, QUESTION, stored


def texts(items: Any) -> list[str]:
    return [part.text for item in items for part in item.content]


@pytest.mark.parametrize("streamed", [True, False])
def test_rules_answer_from_all_conversations(plain_client: OpenAI, streamed: bool) -> None:
    respond(plain_client, PARROT, tools=[TOOL, {"type": "web_search"}])
    if streamed:
        with plain_client.responses.stream(model="gpt-test", input=QUESTION) as stream:
            events = list(stream)
            made: Any = stream.get_final_response()
        assert kinds(events) == KNOWN["text"]
    else:
        made = respond(plain_client, QUESTION)
    assert "Archimedes" in made.output_text and made.model == "rule_based"
    assert made.usage.total_tokens == made.usage.input_tokens + made.usage.output_tokens > 0
    assert PARROT in [hit["content"] for hit in made.model_extra["memory_hits"]]
    assert plain_client.responses.retrieve(made.id).output_text == made.output_text


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"text": {"format": {"type": "json_object"}}}, "text.format"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"input": [{"type": "function_call_output", "call_id": "c", "output": "x"}]}, "input"),
    ],
    ids=str,
)
def test_rules_say_what_they_cannot_do(
    api: httpx.Client, database: Database[dict[str, Any]], user: str, fields: dict[str, Any], param: str
) -> None:
    found = api.post("/v1/responses", json={"input": "Hi there.", **fields})
    assert (found.status_code, found.json()["error"]["param"]) == (400, param)
    for name in ("sessions", "vectors", "responses", "response_items"):
        assert database[name].count_documents({"user_id": user}) == 0


def test_what_rules_quote_goes_with_what_they_quoted(plain_client: OpenAI, api: httpx.Client) -> None:
    first = respond(plain_client, PARROT)
    second = respond(plain_client, QUESTION)
    assert "Archimedes" in second.output_text
    told = api.get(f"/v1/sessions/{first.id}/messages").json()["items"][0]
    api.delete(f"/v1/sessions/{first.id}/messages/{told['id']}")
    assert "Archimedes" not in plain_client.responses.retrieve(second.id).model_dump_json()


def test_a_chain_goes_on_behind_a_request_to_forget(plain_client: OpenAI) -> None:
    first = respond(plain_client, "Remember that my locker is number 4711.")
    second = respond(plain_client, "Forget my locker.", previous_response_id=first.id)
    third = respond(plain_client, "What is the number of my locker?", previous_response_id=second.id)
    for made in (first, second, third):
        told = plain_client.responses.retrieve(made.id).model_dump_json()
        asked = plain_client.responses.input_items.list(made.id, order="asc").model_dump_json()
        assert "4711" not in told + asked + third.output_text


def test_a_conversation_has_what_is_said_in_it(plain_client: OpenAI, api: httpx.Client) -> None:
    kept = plain_client.conversations.create(metadata={"topic": "birds"}, items=[{"role": "user", "content": PARROT}])
    assert kept.id.startswith("conv_") and kept.metadata == {"topic": "birds"}
    made = respond(plain_client, QUESTION, conversation=kept.id)
    assert made.conversation.id == kept.id and "Archimedes" in made.output_text
    listed = plain_client.conversations.items.list(kept.id, order="asc", limit=1)
    assert texts(listed) == [PARROT, QUESTION, made.output_text]
    assert [text for _, text in stored(api, kept.id)] == [PARROT, QUESTION, made.output_text]
    assert texts(plain_client.responses.input_items.list(made.id, order="asc")) == [PARROT, QUESTION]
    again = respond(plain_client, "Thanks.", conversation={"id": kept.id}, store=False)
    newest = plain_client.conversations.items.list(kept.id, limit=1).data[0]
    assert texts([newest]) == [again.output_text]
    message = api.get(f"/v1/sessions/{kept.id}/messages").json()["items"][0]
    api.delete(f"/v1/sessions/{kept.id}/messages/{message['id']}")
    assert PARROT not in texts(plain_client.conversations.items.list(kept.id))


def test_items_are_added_read_and_taken_out(plain_client: OpenAI) -> None:
    items = plain_client.conversations.items
    kept = plain_client.conversations.create()
    added = items.create(kept.id, items=[{"role": "user", "content": "One."}, {"role": "assistant", "content": "Two."}])
    assert texts(added.data) == ["One.", "Two."] and added.first_id == added.data[0].id and not added.has_more
    assert texts([items.retrieve(added.last_id, conversation_id=kept.id)]) == ["Two."]
    assert items.delete(added.first_id, conversation_id=kept.id).id == kept.id
    assert texts(items.list(kept.id)) == ["Two."]
    assert plain_client.conversations.update(kept.id, metadata={"a": "b"}).metadata == {"a": "b"}
    assert plain_client.conversations.retrieve(kept.id).metadata == {"a": "b"}
    made = respond(plain_client, "Hello.", conversation=kept.id)
    assert plain_client.conversations.delete(kept.id).deleted is True
    assert plain_client.responses.retrieve(made.id).output_text == made.output_text
    for gone in (plain_client.conversations.retrieve, items.list):
        with pytest.raises(openai.NotFoundError):
            gone(kept.id)
    with pytest.raises(openai.NotFoundError):
        respond(plain_client, "Hello.", conversation=kept.id)


def test_a_conversation_is_its_users_alone(plain_client: OpenAI, api: httpx.Client, other: str) -> None:
    kept = plain_client.conversations.create(items=[{"role": "user", "content": PARROT}])
    item = plain_client.conversations.items.list(kept.id).data[0]
    path = f"/v1/conversations/{kept.id}"
    calls: list[tuple[str, str, Any]] = [
        ("GET", path, None),
        ("POST", path, {"metadata": {}}),
        ("DELETE", path, None),
        ("GET", f"{path}/items", None),
        ("POST", f"{path}/items", {"items": [{"role": "user", "content": "x"}]}),
        ("GET", f"{path}/items/{item.id}", None),
        ("DELETE", f"{path}/items/{item.id}", None),
        ("POST", "/v1/responses", {"input": "x", "conversation": kept.id}),
    ]
    for method, address, body in calls:
        found = api.request(method, address, json=body, params={"user_id": other})
        assert found.status_code == 404 and found.json()["error"]["message"], address
    assert texts(plain_client.conversations.items.list(kept.id)) == [PARROT]


@pytest.mark.parametrize(
    "body",
    [
        {"items": [{"role": "user", "content": "x"}] * 21},
        {"items": [{"content": "x"}]},
        {"items": "x"},
        {"metadata": {"a": "x" * 513}},
        {"metadata": {str(n): "x" for n in range(17)}},
        {"unknown": 1},
        [],
    ],
    ids=lambda body: str(body)[:40],
)
def test_a_conversation_is_refused_in_words(api: httpx.Client, body: Any) -> None:
    found = api.post("/v1/conversations", json=body)
    assert found.status_code == 400 and found.json()["error"]["message"]


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "order=up", "after=msg_none"])
def test_a_list_is_asked_for_rightly(plain_client: OpenAI, api: httpx.Client, query: str) -> None:
    made = respond(plain_client, "Hello.")
    name, _, value = query.partition("=")
    found = api.get(f"/v1/responses/{made.id}/input_items", params={name: value})
    assert found.status_code in (400, 404) and found.json()["error"]["message"]


CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "/v1/responses", {"input": "Hello."}),
    ("GET", "/v1/responses/resp_none", {}),
    ("DELETE", "/v1/responses/resp_none", {}),
    ("POST", "/v1/responses/resp_none/cancel", {}),
    ("GET", "/v1/responses/resp_none/input_items", {}),
    ("POST", "/v1/conversations", {}),
    ("GET", "/v1/conversations/conv_none", {}),
    ("POST", "/v1/conversations/conv_none", {"metadata": {}}),
    ("DELETE", "/v1/conversations/conv_none", {}),
    ("POST", "/v1/conversations/conv_none/items", {"items": [{"role": "user", "content": "x"}]}),
    ("GET", "/v1/conversations/conv_none/items", {}),
    ("GET", "/v1/conversations/conv_none/items/msg_none", {}),
    ("DELETE", "/v1/conversations/conv_none/items/msg_none", {}),
]


def test_each_route_is_about_the_user_of_its_key(serve: Callable[..., str]) -> None:
    address = serve(api_keys="alice:key-of-alice, bob:key-of-bob")
    with httpx.Client(base_url=address, timeout=30) as api:
        bobs = {"X-API-Key": "key-of-bob"}
        for method, path, body in CALLS:

            def call(
                body: Any, headers: Any = bobs, method: str = method, path: str = path, **query: str
            ) -> httpx.Response:
                return api.request(method, path, json=body, params=query, headers=headers)

            for found in (call(body | {"user_id": "bob"}), call(body, user_id="bob"), call(body)):
                assert found.status_code in (200, 404), (method, path, found.text)
            for found in (call(body | {"user_id": "alice"}), call(body, user_id="alice")):
                assert found.status_code == 403, (method, path, found.text)
            for found in (call(body | {"user_id": "alice"}, user_id="bob"), call(body | {"user_id": 5})):
                assert (found.status_code, found.json()["error"]["param"]) == (400, "user_id"), (method, path)
            assert call(body, headers={}).status_code == 401
