"""OpenAI's API goes through to the provider, by OpenAI's own client: requests, answers, errors and keys."""

import json
from typing import Any

import httpx
import openai
import pytest
from openai import OpenAI
from pydantic import BaseModel

from api.http.guard import MAX_BODY
from tests.openai_chat import PARROT, QUESTION, ask, last_chat, said, stored
from tests.scripted_model import Behaviour, Body, ScriptedModel, answer, edited, status


@pytest.mark.parametrize("code", [400, 401, 404, 429, 503])
def test_an_error_of_the_provider_keeps_its_status_and_its_text(
    client: OpenAI, model: ScriptedModel, user: str, code: int
) -> None:
    model.script(status(code, retry_after=7, param="temperature"))
    with pytest.raises(openai.APIStatusError) as raised:
        ask(client, user, PARROT)
    assert raised.value.status_code == code
    assert raised.value.body == {
        "message": f"scripted failure {code}",
        "type": "error",
        "param": "temperature",
        "code": None,
    }
    assert raised.value.response.headers["retry-after"] == "7"


def test_all_that_loci_does_not_know_goes_through(client: OpenAI, model: ScriptedModel, user: str) -> None:
    sent: Body = {
        "model": "gpt-test",
        "messages": [
            {"role": "system", "content": "Answer in verse.\x07"},
            {"role": "user", "content": "Hi", "name": "ada"},
            {"role": "assistant", "content": None, "tool_calls": []},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "And this?"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}},
                ],
            },
        ],
        "n": 2,
        "logprobs": True,
        "top_logprobs": 3,
        "seed": 2**40,
        "stop": None,
        "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}},
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}],
        "unheard_of": {"deep": [1, 2.5, "ü"]},
    }
    client.post("/chat/completions", body={**sent, "memory_id": user, "memory_strategy": "none"}, cast_to=object)
    assert model.asked("chat")[-1] == sent
    client.post("/chat/completions", body={**sent, "memory_id": user, "memory_top_k": 0}, cast_to=object)
    assert model.asked("chat")[-1] == sent


def test_an_answer_goes_through_with_all_its_fields(client: OpenAI, model: ScriptedModel, user: str) -> None:
    strange = {"system_fingerprint": "fp_1", "service_tier": "x", "novel": {"a": [1]}}
    model.script(edited(lambda body: body | strange))
    found = ask(client, user, PARROT).model_dump()
    assert {name: found[name] for name in strange} == strange
    assert found["id"] == "chatcmpl-scripted"


def test_structured_outputs_are_parsed_by_the_client(client: OpenAI, model: ScriptedModel, user: str) -> None:
    class Bird(BaseModel):
        name: str
        age: int

    model.script(answer('{"name": "Archimedes", "age": 4}'))
    found = client.chat.completions.parse(
        model="gpt-test", messages=said(QUESTION), response_format=Bird, extra_body={"memory_id": user}
    )
    assert found.choices[0].message.parsed == Bird(name="Archimedes", age=4)
    assert model.asked("chat")[-1]["response_format"]["type"] == "json_schema"


def test_the_clients_key_goes_to_the_provider(client: OpenAI, model: ScriptedModel, user: str) -> None:
    ask(client, user, "Hi", extra_headers={"OpenAI-Organization": "org-7", "X-Private": "no"})
    headers = last_chat(model).headers
    assert headers["authorization"] == "Bearer sk-mine"
    assert headers["openai-organization"] == "org-7"
    assert "x-private" not in headers


def test_the_key_of_the_settings_is_used_where_the_client_asks_for_it(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    with OpenAI(base_url=f"{chat.base_url}/v1", api_key="loci", max_retries=0) as client:
        ask(client, user, "Hi")
    assert last_chat(model).headers["authorization"] == "Bearer sk-test"


def test_no_provider_is_told_whose_memory_it_is(client: OpenAI, model: ScriptedModel, user: str) -> None:
    named = client.with_options(default_query={"user_id": user, "api-version": "2"})
    assert named.models.list().data
    assert named.embeddings.create(model="text-embedding-3-small", input="a").data
    asked = [request.path for request in model.requests if "?" in request.path]  # others may be those of earlier tests
    assert asked == ["/v1/models?api-version=2", "/v1/embeddings?api-version=2"]


def test_models_and_embeddings_go_through(client: OpenAI, model: ScriptedModel) -> None:
    assert [one.id for one in client.models.list()] == ["scripted"]
    found = client.embeddings.create(model="text-embedding-3-small", input=["a", "b"])
    assert len(found.data) == 2 and len(found.data[0].embedding) == 1536


def test_a_provider_that_is_away_is_told_in_openais_shape(serve: Any, user: str) -> None:
    address = serve(openai_base_url="http://127.0.0.1:9/v1", openai_api_key="sk", embedding_model="local")
    away = OpenAI(base_url=f"{address}/v1", api_key="sk", max_retries=0)
    with away as client, pytest.raises(openai.InternalServerError) as raised:
        ask(client, user, PARROT)
    assert raised.value.status_code == 503
    assert raised.value.body == {
        "message": "The model cannot be reached, or broke off",
        "type": "server_error",
        "param": None,
        "code": None,
    }


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"memory_top_k": 99}, "memory_top_k"),
        ({"memory_top_k": "many"}, "memory_top_k"),
        ({"memory_recency_weight": 2}, "memory_recency_weight"),
        ({"memory_score_threshold": -1}, "memory_score_threshold"),
        ({"memory_strategy": "magic"}, "memory_strategy"),
        ({"memory_id": ""}, "memory_id"),
        ({"messages": []}, "messages"),
        ({"messages": "hello"}, "messages"),
        ({"messages": ["hello"]}, "messages"),
        ({"user_id": ["ann"]}, "user_id"),
    ],
)
def test_bad_fields_are_refused_in_openais_shape(
    chat: httpx.Client, model: ScriptedModel, fields: Body, param: str
) -> None:
    found = chat.post("/v1/chat/completions", json={"model": "m", "messages": said("Hi"), **fields})
    assert found.status_code == 400
    error = found.json()["error"]
    assert error.keys() == {"message", "type", "param", "code"}
    assert (error["type"], error["param"]) == ("invalid_request_error", param)
    assert model.asked("chat") == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "The body is not valid JSON in UTF-8"),
        (b"nonsense", "The body is not valid JSON in UTF-8"),
        (b"\xff", "The body is not valid JSON in UTF-8"),
        (b"[1]", "The body is not a JSON object"),
        (b"null", "The body is not a JSON object"),
        (b"[" * 100_000, "The body is nested too deeply"),
        (b'{"n": ' + b"1" * 5_000 + b"}", "The body has an integer of too many digits"),
        (b'{"messages": [{"role": "user", "content": "Hi"}, "str"]}', "messages[1]: must be an object"),
    ],
    ids=str,
)
def test_bodies_that_cannot_be_read_are_refused_by_what_is_wrong(chat: httpx.Client, body: bytes, message: str) -> None:
    found = chat.post("/v1/chat/completions", content=body, headers={"content-type": "application/json"})
    assert found.status_code == 400
    assert found.json()["error"]["type"] == "invalid_request_error"
    assert found.json()["error"]["message"] == message


def test_one_request_has_one_user(chat: httpx.Client, model: ScriptedModel, user: str, other: str) -> None:
    def post(*named: str, **fields: Any) -> int:
        body = {"model": "m", "messages": said("Hi"), "memory_id": user, **fields}
        return chat.post("/v1/chat/completions", params={"user_id": list(named)}, json=body).status_code

    assert post(user, user_id=other) == post(user, other) == 400
    assert model.asked("chat") == []
    assert post(user, user_id=user) == post(user, user_id=None) == 200


@pytest.mark.parametrize("raw", [b"[]", b"{}", b'{"choices": []}', b'{"choices": [1], "error": null}'])
def test_an_answer_without_an_answer_in_it_is_told_as_an_error(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str, raw: bytes
) -> None:
    model.script(Behaviour(raw=raw))
    with pytest.raises(openai.APIStatusError) as raised:
        ask(client, user, PARROT)
    assert raised.value.status_code == 502
    assert stored(chat, user) == [("user", PARROT)]


def test_whatever_goes_wrong_is_told_in_openais_shape(api: httpx.Client) -> None:
    large = api.post("/v1/chat/completions", content=b"x" * (MAX_BODY + 1))
    foreign = api.get("/v1/models", headers={"host": "evil.test"})
    for found, code in (
        (large, 413),
        (foreign, 403),
        (api.get("/v1/chat/completions"), 404),
        (api.post("/v1/responses/compact", json={}), 404),
        (api.get("/v1/models/unknown"), 404),
        (api.post("/v1/embeddings", json=[], headers={"Idempotency-Key": ""}), 400),
    ):
        assert (found.status_code, found.json()["error"].keys()) == (code, {"message", "type", "param", "code"})


def test_an_answer_with_numbers_that_json_has_not_is_kept(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.script(edited(lambda body: body | {"odd": [float("-inf"), 2**70]}))
    assert ask(client, user, "Go on.").model_extra["odd"] == [float("-inf"), 2**70]
    assert len(stored(chat, user)) == 2


def test_a_page_that_may_not_ask_first_may_not_post(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    body = json.dumps({"model": "m", "messages": said("Hi"), "memory_id": user})
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        found = chat.post("/v1/chat/completions", content=body, headers={"content-type": kind})
        assert found.status_code == 415 and found.json()["error"]["type"] == "invalid_request_error"
    assert model.asked("chat") == [] and stored(chat, user) == []


def test_html_is_told_as_an_error(client: OpenAI, model: ScriptedModel, user: str) -> None:
    page = (("content-type", "text/html"),)
    for status_sent, status_told in ((200, 502), (302, 502), (403, 403), (500, 500)):
        model.script(Behaviour(status_sent, b"<html>no</html>", headers=page))
        with pytest.raises(openai.APIStatusError) as raised:
            ask(client, user, PARROT)
        assert raised.value.status_code == status_told
        assert "html" not in str(raised.value.body)


def test_models_whose_names_are_paths_are_asked_for_as_they_are(client: OpenAI, model: ScriptedModel) -> None:
    for name in ("meta-llama/Llama-3", "a?b#c"):
        with pytest.raises(openai.APIStatusError):
            client.models.retrieve(name)
    assert [request.path for request in model.requests if "/models/" in request.path] == [
        "/v1/models/meta-llama%2FLlama-3",
        "/v1/models/a%3Fb%23c",
    ]


def test_a_key_with_odd_characters_goes_on_as_it_came(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    headers = {b"authorization": "Bearer sk-ü".encode("latin-1")}
    body = {"model": "m", "messages": said("Hi"), "memory_id": user}
    assert chat.post("/v1/chat/completions", json=body, headers=headers).status_code == 200
    [asked] = [request for request in model.requests if request.kind == "chat"]
    assert asked.headers["authorization"] == "Bearer sk-ü"


def test_keys_of_loci_are_told_from_the_providers(serve: Any, scripted_model: ScriptedModel, user: str) -> None:
    address = serve(
        openai_base_url=scripted_model.url, openai_api_key="sk-own", embedding_model="local", api_keys="ada:loci-ada"
    )
    with httpx.Client(base_url=address, timeout=30) as api:
        body = {"model": "m", "messages": said(PARROT), "memory_id": user}

        def post(**headers: str) -> httpx.Response:
            return api.post("/v1/chat/completions", json=body, headers=headers)

        assert post().status_code == 401 and post().json()["error"]["type"] == "authentication_error"
        assert post(Authorization="Bearer sk-theirs").status_code == 401
        assert post(Authorization="Bearer loci-ada").status_code == 200
        assert last_chat(scripted_model).headers["authorization"] == "Bearer sk-own"
        assert post(Authorization="Bearer sk-theirs", **{"X-API-Key": "loci-ada"}).status_code == 200
        assert last_chat(scripted_model).headers["authorization"] == "Bearer sk-theirs"
        assert post(Authorization="Bearer loci-ada", **{"X-API-Key": "loci-ada"}).status_code == 200
        assert last_chat(scripted_model).headers["authorization"] == "Bearer sk-own"
        key = {"X-API-Key": "loci-ada"}
        kept = api.get(f"/v1/sessions/{user}/messages", headers=key).json()["items"]
        assert [one["role"] for one in kept] == ["user", "assistant", "assistant", "assistant"]
