"""Anthropic's Messages by rules, their keys and addresses, and what Claude Code sends."""

import json
from collections.abc import Callable
from typing import Any

import anthropic
import httpx
import pytest
from anthropic import Anthropic

from config.settings import Settings
from tests.api.anthropic.messages_client import TOOL, ask, last_asked
from tests.checks import problem
from tests.openai_chat import PARROT, QUESTION, stored
from tests.scripted_model import ScriptedModel
from utils.upstream import open_anthropic

MESSAGE = {"model": "claude-test", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi there."}]}
REMINDER = {"type": "text", "text": "<system-reminder>\nToday is Friday.\n</system-reminder>\n"}


def test_rules_answer_from_what_was_told(rules_client: Anthropic, api: httpx.Client) -> None:
    ask(rules_client, PARROT)
    made = ask(rules_client, [REMINDER, {"type": "text", "text": QUESTION}], tools=[TOOL], system="Be brief.")
    assert "Archimedes" in made.content[0].text and made.stop_reason == "end_turn" and made.model == "rule_based"
    with rules_client.messages.stream(
        model="m", max_tokens=9, messages=[{"role": "user", "content": QUESTION}], extra_headers={"X-Loci-Session": "s"}
    ) as stream:
        assert "Archimedes" in stream.get_final_text()
    assert stored(api, "s")[0] == ("user", QUESTION)
    assert [one.id for one in rules_client.models.list()] == ["rule_based"]
    assert rules_client.models.retrieve("rule_based").type == "model"
    with pytest.raises(anthropic.NotFoundError):
        rules_client.models.retrieve("none")
    texts = [text for one in api.get("/v1/sessions").json()["items"] for _, text in stored(api, one["id"])]
    assert not any("Friday" in text for text in texts)


def test_rules_say_what_they_cannot(rules_client: Anthropic) -> None:
    shape: Any = {"output_config": {"format": {"type": "json_schema", "schema": {}}}}
    with pytest.raises(anthropic.BadRequestError, match="plain text"):
        ask(rules_client, PARROT, extra_body=shape)


@pytest.mark.parametrize(
    "blocks",
    [
        '[{"type": "tool_result", "content": ' * 400 + '"x"' + "}]" * 400,
        '[{"type": "document", "source": {"type": "content", "content": ' * 200 + '"x"' + "}}]" * 200,
        '[1, null, {}, {"type": 5}, {"type": "image"}, {"type": "image", "source": 1}, {"type": "tool_use"}]',
        '[{"type": "text"}, {"type": "text", "text": 5}, {"type": "text", "text": "\\ud800"}]',
        '[{"type": "search_result", "content": 1}, {"type": "tool_result", "content": [[], {"type": "thinking"}]}]',
    ],
    ids=["results", "documents", "odd", "texts", "others"],
)
@pytest.mark.parametrize("role", ["user", "assistant", "system"])
def test_whatever_a_block_is_the_server_answers_in_anthropics_shape(
    api: httpx.Client,
    chat: httpx.Client,
    passed: httpx.Client,
    model: ScriptedModel,
    claude: ScriptedModel,
    role: str,
    blocks: str,
) -> None:
    model.reply = claude.reply = lambda asked: "Yes."
    hello = '{"role": "user", "content": "Hello."}'
    body = f'{{"model": "m", "max_tokens": 9, "messages": [{hello}, {{"role": "{role}", "content": {blocks}}}]}}'
    for door in (api, chat, passed):
        for path in ("messages", "messages/count_tokens"):
            found = door.post(f"/anthropic/v1/{path}", content=body, headers={"content-type": "application/json"})
            assert found.status_code in (200, 400), found.text
            assert found.json().get("type") in ("message", "error", None)


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/complete", "/v1/messages/batches"])
def test_what_is_not_there_is_told_in_anthropics_shape(api: httpx.Client, path: str) -> None:
    found = api.get(f"/anthropic{path}")
    told = found.json()
    assert (found.status_code, told["type"], told["error"]["type"]) == (404, "error", "not_found_error")
    assert told["request_id"] == found.headers["request-id"] == found.headers["x-request-id"]


def test_a_message_at_the_imports_address_is_told_where_to_go(api: httpx.Client) -> None:
    told = problem(api.post("/v1/messages", json=MESSAGE), 422)
    assert "http://HOST/anthropic" in told["detail"]
    assert api.get("/v1/sessions").json()["items"] == []


@pytest.mark.parametrize("name", ["x-api-key", "authorization"])
def test_a_key_says_who_the_user_is(serve: Callable[..., str], name: str) -> None:
    def carrying(key: str) -> dict[str, str]:
        return {name: key if name == "x-api-key" else f"Bearer {key}"}

    address = serve(api_keys="alice:key-of-alice, bob:key-of-bob", admin_key="key-of-the-admin")
    with httpx.Client(base_url=address, timeout=30) as api:
        for key in ("key-of-alice", "key-of-bob"):
            assert api.post("/anthropic/v1/messages", json=MESSAGE, headers=carrying(key)).is_success
        assert len(api.get("/v1/sessions", headers={"X-API-Key": "key-of-alice"}).json()["items"]) == 1
        named = api.post("/anthropic/v1/messages?user_id=bob", json=MESSAGE, headers=carrying("key-of-alice"))
        assert (named.status_code, named.json()["error"]["type"]) == (403, "permission_error")
        for headers in ({}, carrying("sk-ant-unknown"), carrying("key-of-the-admin")):
            for path in ("messages", "messages/count_tokens"):
                refused = api.post(f"/anthropic/v1/{path}", json=MESSAGE, headers=headers)
                assert (refused.status_code, refused.json()["error"]["type"]) == (401, "authentication_error")
            assert api.get("/anthropic/v1/models", headers=headers).status_code == 401


def test_a_key_of_ours_goes_to_no_provider_and_one_of_the_clients_goes_beside_it(
    serve: Callable[..., str], claude: ScriptedModel
) -> None:
    address = serve(
        api_keys="alice:key-of-alice",
        anthropic_base_url=claude.url.removesuffix("/v1"),
        anthropic_api_key="sk-ant-test",
    )
    for given, sent in (
        ({"x-api-key": "key-of-alice"}, {"x-api-key": "sk-ant-test"}),
        ({"authorization": "Bearer key-of-alice"}, {"x-api-key": "sk-ant-test"}),
        ({"x-api-key": "sk-ant-mine", "authorization": "Bearer key-of-alice"}, {"x-api-key": "sk-ant-mine"}),
        (
            {"x-api-key": "key-of-alice", "authorization": "Bearer sk-ant-oat"},
            {"authorization": "Bearer sk-ant-oat"},
        ),
    ):
        headers = given | {"Idempotency-Key": json.dumps(given)}
        found = httpx.post(f"{address}/anthropic/v1/messages", json=MESSAGE, headers=headers, timeout=30)
        assert found.is_success, found.text
        had = claude.requests[-1].headers
        assert {name: had[name] for name in ("x-api-key", "authorization") if name in had} == sent


@pytest.mark.parametrize(
    ("address", "is_one"),
    [
        (None, False),
        ("http://localhost:8000/anthropic", False),  # as a client in the same shell has it
        ("http://127.0.0.1:8000", False),
        ("http://127.0.0.1:8001", True),
        ("https://api.anthropic.com", True),
    ],
)
def test_the_address_of_loci_itself_is_no_provider(
    make_settings: Callable[..., Settings], address: str | None, is_one: bool
) -> None:
    assert (open_anthropic(make_settings(anthropic_base_url=address)) is not None) == is_one


@pytest.mark.parametrize(
    ("named", "user", "session"),
    [
        (json.dumps({"device_id": "ab", "account_uuid": "", "session_id": "5-e"}), "default", "5-e"),
        ("user_0af3_account_1b-2c_session_7d-8e", "default", "7d-8e"),
        ("user_0af3_account__session_7d-8f", "default", "7d-8f"),
        ("ada", "ada", None),
    ],
)
def test_what_an_agent_has_as_the_user_names_the_conversation(
    own: httpx.Client, named: str, user: str, session: str | None
) -> None:
    found = own.post("/anthropic/v1/messages", json=MESSAGE | {"metadata": {"user_id": named}})
    [kept] = own.get("/v1/sessions", params={"user_id": user}).json()["items"]
    assert kept["id"] == found.headers["X-Loci-Session"] and (session is None or kept["id"] == session)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("<session>\nMy parrot is called Archimedes.\n</session>\n\nWrite the title in its language.", 100),
        ("quota", 1),
        ("CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nAn <analysis> and a <summary> block.", 100),
        ("[SUGGESTION MODE: Suggest what the user might naturally type next.]", 100),
        ("The user stepped away and is coming back. Recap in under 40 words, 1-2 plain sentences.", 100),
    ],
)
def test_chores_of_claude_code_are_answered_and_neither_remembered_nor_given_memories(
    translated_client: Anthropic,
    passing_client: Anthropic,
    model: ScriptedModel,
    claude: ScriptedModel,
    text: str,
    most: int,
) -> None:
    for client, provider, kind in ((translated_client, model, "chat"), (passing_client, claude, "messages")):
        ask(client, PARROT)
        ask(client, text, max_tokens=most)
        assert last_asked(provider, kind)["messages"][-1]["content"] == text
    with httpx.Client(base_url=str(translated_client.base_url).removesuffix("anthropic/"), timeout=30) as api:
        listed = api.get("/v1/sessions", params=dict(translated_client.default_query)).json()["items"]
        assert [one["message_count"] for one in listed] == [2]


def test_what_is_said_in_an_isolated_project_stays_in_it(rules_client: Anthropic, api: httpx.Client) -> None:
    api.put("/v1/projects/zoo", json={"isolated": True}).raise_for_status()
    inside = {"X-Loci-Project": "zoo"}
    ask(rules_client, PARROT, extra_headers=inside | {"X-Loci-Session": "told"})
    there = ask(rules_client, QUESTION, extra_headers=inside | {"X-Loci-Session": "asked"})
    assert "Archimedes" in there.content[0].text
    assert "Archimedes" not in ask(rules_client, QUESTION, extra_headers={"X-Loci-Session": "outside"}).content[0].text


def test_what_is_temporary_leaves_nothing(rules_client: Anthropic, api: httpx.Client) -> None:
    ask(rules_client, PARROT, extra_body={"temporary": True})
    assert api.get("/v1/sessions").json()["items"] == []
    assert "Archimedes" not in ask(rules_client, QUESTION).content[0].text
