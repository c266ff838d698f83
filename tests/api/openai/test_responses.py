"""The Responses API where the provider answers chat completions."""

from typing import Any

import httpx
import openai
import pytest
from openai import APIStatusError, OpenAI
from pydantic import BaseModel

from tests.api.openai.responses_client import KNOWN, TOOL, kinds, last_asked, output_output, respond
from tests.checks import eventually
from tests.openai_chat import PARROT, QUESTION, stored
from tests.scripted_model import ScriptedModel, answer, calling, cut, edited, stalled, status


def test_a_response_has_what_the_clients_shapes_want(client: OpenAI, model: ScriptedModel) -> None:
    model.script(answer("Noted."))
    made = respond(client, PARROT, instructions="Be brief.", metadata={"a": "b"}, temperature=0.5)
    assert made.output_text == "Noted." and made.status == "completed" and made.id.startswith("resp_")
    assert made.usage.total_tokens == made.usage.input_tokens + made.usage.output_tokens > 0
    assert (made.instructions, made.metadata, made.temperature, made.store) == ("Be brief.", {"a": "b"}, 0.5, True)
    body = last_asked(model)
    assert body["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": PARROT}]
    assert body == {"model": "gpt-test", "messages": body["messages"], "temperature": 0.5}


def test_what_is_told_in_one_conversation_is_known_in_another(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel
) -> None:
    model.script(answer("Noted."), answer("Archimedes."))
    first = respond(client, PARROT)
    raw = client.responses.with_raw_response.create(model="gpt-test", input=QUESTION)
    second = raw.parse()
    assert PARROT in last_asked(model)["messages"][-1]["content"]
    assert [hit["content"] for hit in second.model_extra["memory_hits"]] == [PARROT]
    turn = raw.headers["X-Loci-Turn"]
    assert raw.headers["X-Loci-Turn-ID"] == turn and raw.headers["X-Loci-Memories"].split(",")[0].endswith(".prompt")
    assert chat.get(f"/v1/receipts/{turn}").json()["session_id"] == second.id
    assert stored(chat, first.id) == [("user", PARROT), ("assistant", "Noted.")]
    assert stored(chat, second.id) == [("user", QUESTION), ("assistant", "Archimedes.")]


def test_a_stream_has_every_event_in_order(client: OpenAI, model: ScriptedModel) -> None:
    model.script(answer("That is a fine name."))
    with client.responses.stream(model="gpt-test", input=PARROT) as stream:
        events = list(stream)
        final = stream.get_final_response()
    assert kinds(events) == KNOWN["text"]
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == final.output_text
    assert final.output_text == "That is a fine name." and final.usage.total_tokens > 0
    assert client.responses.retrieve(final.id).output_text == final.output_text


def test_a_chain_is_one_conversation(client: OpenAI, chat: httpx.Client, model: ScriptedModel) -> None:
    model.script(answer("Hello Ada."), answer("Twelve."), answer("Ada."))
    first = respond(client, "I am Ada.", instructions="Be brief.")
    second = respond(client, "What is 3 times 4?", previous_response_id=first.id)
    third = respond(client, "Who am I?", previous_response_id=second.id)
    said = [(one["role"], one["content"]) for one in last_asked(model)["messages"]]
    told = [
        ("user", "I am Ada."),
        ("assistant", "Hello Ada."),
        ("user", "What is 3 times 4?"),
        ("assistant", "Twelve."),
    ]
    assert said[:4] == told and said[4][1].endswith("Who am I?") and len(said) == 5
    assert stored(chat, first.id) == [*told, ("user", "Who am I?"), ("assistant", "Ada.")]
    assert third.previous_response_id == second.id
    listed = client.responses.input_items.list(third.id, order="asc", limit=2)
    assert [item.content[0].text for item in listed] == [text for _, text in told] + ["Who am I?"]
    newest = client.responses.input_items.list(third.id, limit=1).data
    assert [item.content[0].text for item in newest] == ["Who am I?"]


@pytest.mark.parametrize("chained", [True, False])
@pytest.mark.parametrize("streamed", [True, False])
def test_a_tool_loop_is_one_turn(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, chained: bool, streamed: bool
) -> None:
    model.script(calling("weather", "Let me see.", city="Turin"), answer("It rains."))
    asked = {"role": "user", "content": "How is the weather in Turin?"}
    if streamed:
        with client.responses.stream(model="gpt-test", input=[asked], tools=[TOOL]) as stream:  # type: ignore[list-item]
            events = list(stream)
            first = stream.get_final_response()
        assert kinds(events)[-5:] == KNOWN["call"][-5:]
        assert kinds(events)[:8] == KNOWN["text"][:8]
    else:
        first = respond(client, [asked], tools=[TOOL])
    call = first.output[-1]
    assert (call.name, call.arguments, call.status) == ("weather", '{"city": "Turin"}', "completed")
    given = output_output(call, "rain")
    if chained:
        second = respond(client, [given], tools=[TOOL], previous_response_id=first.id)
    else:
        told = [item.model_dump(exclude_none=True) for item in first.output]
        second = respond(client, [asked, *told, given], tools=[TOOL])
    assert second.output_text == "It rains."
    sent = last_asked(model)
    assert sent["messages"][1]["content"] == "Let me see."
    assert sent["messages"][1]["tool_calls"][0]["function"] == {"name": "weather", "arguments": '{"city": "Turin"}'}
    assert sent["messages"][2] == {"role": "tool", "tool_call_id": call.call_id, "content": "rain"}
    assert sent["tools"][0]["function"]["name"] == "weather"
    assert stored(chat, first.id) == [("user", asked["content"]), ("assistant", "It rains.")]


def test_a_transcript_without_ids_goes_on_where_it_began(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel
) -> None:
    model.script(answer("Hello."), answer("Yes."))
    first = respond(client, "I keep bees on the roof.", store=False)
    told = [
        {"role": "user", "content": "I keep bees on the roof."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Do they sting?"},
    ]
    respond(client, told, store=False)
    assert [text for _, text in stored(chat, first.id)] == [
        "I keep bees on the roof.",
        "Hello.",
        "Do they sting?",
        "Yes.",
    ]
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(first.id)


def test_ids_that_clients_made_tell_no_conversation(client: OpenAI, chat: httpx.Client, model: ScriptedModel) -> None:
    for opening in ("I keep bees.", "My car is red."):
        model.script(answer(f"Noted: {opening}"), answer("Yes."))
        first = respond(client, opening)
        told = (("user", opening), ("assistant", f"Noted: {opening}"), ("user", "Go on."))
        respond(client, [{"id": f"msg_{at}", "role": role, "content": text} for at, (role, text) in enumerate(told)])
        assert stored(chat, first.id) == [*told, ("assistant", "Yes.")]


@pytest.mark.parametrize("ids", [True, False], ids=["with ids", "by its words"])
@pytest.mark.parametrize("isolated", [True, False], ids=["isolated", "open"])
def test_a_transcript_goes_on_in_its_project_or_anew_in_another(
    client: OpenAI, chat: httpx.Client, user: str, ids: bool, isolated: bool
) -> None:
    chat.put("/v1/projects/zoo", json={"user_id": user, "isolated": isolated}).raise_for_status()
    first = respond(client, "My quokka eats figs.", extra_headers={"X-Loci-Project": "zoo"})
    output = first.output[0].model_dump(include={"id", "role", "type", "content"} if ids else {"role", "content"})
    told = [{"role": "user", "content": "My quokka eats figs."}, output, {"role": "user", "content": "And hay."}]
    raw = client.responses.with_raw_response.create
    places = [
        raw(model="gpt-test", input=told, extra_headers=headers).headers["X-Loci-Session"]
        for headers in ({}, {"X-Loci-Project": "zoo"}, {"X-Loci-Project": "garden"})
    ]
    assert places[:2] == [first.id, first.id] and places[2] != first.id


@pytest.mark.parametrize("kind", ["responses", "conversations"])
def test_what_is_in_an_isolated_project_is_gone_on_with_and_found_without_its_name(
    client: OpenAI, chat: httpx.Client, user: str, other: str, kind: str
) -> None:
    chat.put("/v1/projects/zoo", json={"user_id": user, "isolated": True}).raise_for_status()
    headers: Any = {"X-Loci-Project": "zoo"}
    if kind == "conversations":
        begun = client.conversations.create(extra_headers=headers).id
        first, after = respond(client, "My quokka eats figs.", conversation=begun), {"conversation": begun}
    else:
        first = respond(client, "My quokka eats figs.", extra_headers=headers)
        begun, after = first.id, {"previous_response_id": first.id}
    second = respond(client, "And hay.", **after)
    assert stored(chat, begun)[0] == ("user", "My quokka eats figs.") and len(stored(chat, begun)) == 4
    assert chat.get("/v1/sessions", params={"user_id": user}).json()["items"] == []
    assert client.responses.input_items.list(second.id).data[0].content[0].text == "And hay."  # type: ignore[union-attr]
    assert chat.get(f"/v1/{kind}/{begun}", params={"user_id": user}).status_code == 200
    assert chat.get(f"/v1/{kind}/{begun}", params={"user_id": other}).status_code == 404
    client.responses.delete(second.id)


@pytest.mark.parametrize("refused", [{"previous_response_id": "resp_none"}, {"conversation": "conv_none"}])
def test_a_request_that_is_refused_makes_no_project(
    client: OpenAI, chat: httpx.Client, user: str, refused: dict[str, Any]
) -> None:
    with pytest.raises(APIStatusError):
        respond(client, "Hello.", extra_body={"project": "zoo"} | refused)
    assert chat.get("/v1/projects", params={"user_id": user}).json()["items"] == []


def test_tools_of_a_namespace_go_on_by_one_name(client: OpenAI, model: ScriptedModel) -> None:
    model.script(calling("skies__weather", city="Turin"), answer("It rains."))
    tools: Any = [{"type": "namespace", "name": "skies", "description": "All of the sky", "tools": [TOOL]}]
    first = respond(client, "How is the weather in Turin?", tools=tools)
    assert [one["function"]["name"] for one in last_asked(model)["tools"]] == ["skies__weather"]
    assert (first.output[0].namespace, first.output[0].name) == ("skies", "weather")
    respond(client, [output_output(first.output[0], "rain")], tools=tools, previous_response_id=first.id)
    assert last_asked(model)["messages"][1]["tool_calls"][0]["function"]["name"] == "skies__weather"


def test_an_answer_of_a_shape_is_asked_for_and_parsed(client: OpenAI, model: ScriptedModel) -> None:
    class Bird(BaseModel):
        name: str

    model.script(answer('{"name": "Archimedes"}'))
    made = client.responses.parse(model="gpt-test", input=QUESTION, text_format=Bird)
    assert made.output_parsed == Bird(name="Archimedes")
    shape = last_asked(model)["response_format"]
    assert shape["type"] == "json_schema" and shape["json_schema"]["name"] == "Bird" and shape["json_schema"]["strict"]


def test_images_and_files_go_on(client: OpenAI, chat: httpx.Client, model: ScriptedModel) -> None:
    image = "data:image/png;base64,iVBORw0KGgo="
    parts = [
        {"type": "input_text", "text": "What is it?"},
        {"type": "input_image", "image_url": image, "detail": "low"},
        {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
    ]
    made = respond(client, [{"role": "user", "content": parts}])
    sent = last_asked(model)["messages"][-1]["content"]
    assert sent[-2:] == [
        {"type": "image_url", "image_url": {"url": image, "detail": "low"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}},
    ]
    assert stored(chat, made.id)[0] == ("user", "What is it? [image] [attachment]")
    assert client.responses.input_items.list(made.id).data[0].content[1].image_url == image  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("fields", "param", "code"),
    [
        ({"background": True}, "background", "unsupported_parameter"),
        ({"input": []}, "input", "missing_required_parameter"),
        ({"input": [{"content": "x"}]}, "input[0]", None),
        ({"input": [{"role": "boss", "content": "x"}]}, "input[0].role", None),
        ({"input": [{"type": "item_reference", "id": "msg_none"}]}, "input", None),
        ({"previous_response_id": "resp_none"}, "previous_response_id", "previous_response_not_found"),
        ({"previous_response_id": "a", "conversation": "b"}, "previous_response_id", "mutually_exclusive_parameters"),
        ({"tools": [{"type": "web_search"}]}, "tools[0]", "unsupported_parameter"),
        ({"tool_choice": {"type": "web_search_preview"}, "tools": [TOOL]}, "tool_choice", None),
        ({"prompt": {"id": "p"}}, "prompt", "unsupported_parameter"),
        ({"metadata": {"a": 1}}, "metadata", None),
        ({"stream": "yes"}, "stream", None),
        ({"memory_top_k": "many"}, "memory_top_k", None),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused_in_words_and_changes_nothing(
    chat: httpx.Client, model: ScriptedModel, fields: dict[str, Any], param: str, code: str | None
) -> None:
    found = chat.post("/v1/responses", json={"model": "gpt-test", "input": "Hi there.", **fields})
    error = found.json()["error"]
    assert found.status_code == 400 and (error["param"], error["code"]) == (param, code) and error["message"]
    assert model.asked("chat") == [] and chat.get("/v1/sessions").json()["items"] == []


def test_a_response_is_its_users_alone_and_can_be_deleted(client: OpenAI, model: ScriptedModel, other: str) -> None:
    made = respond(client, PARROT)
    foreign = client.with_options(default_query={"user_id": other})
    for call in (foreign.responses.retrieve, foreign.responses.delete, foreign.responses.cancel):
        with pytest.raises(openai.NotFoundError):
            call(made.id)
    with pytest.raises(openai.NotFoundError):
        foreign.responses.input_items.list(made.id)
    with pytest.raises(openai.BadRequestError):
        respond(foreign, "Go on.", previous_response_id=made.id)
    with pytest.raises(openai.BadRequestError, match="synchronous"):
        client.responses.cancel(made.id)
    with pytest.raises(openai.BadRequestError, match="stream"):
        client.responses.retrieve(made.id, stream=True)
    client.responses.delete(made.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(made.id)


def test_a_provider_s_error_comes_as_it_is(client: OpenAI, chat: httpx.Client, model: ScriptedModel) -> None:
    model.script(*[status(429, message="slow down")] * 2)
    with pytest.raises(openai.RateLimitError, match="slow down"):
        respond(client.with_options(max_retries=1), PARROT)
    sessions = chat.get("/v1/sessions").json()["items"]
    assert len(sessions) == 1 and stored(chat, sessions[0]["id"]) == [("user", PARROT)]


def test_a_stream_that_breaks_off_has_failed(client: OpenAI, chat: httpx.Client, model: ScriptedModel) -> None:
    model.script(cut(3))
    with client.responses.stream(model="gpt-test", input=PARROT) as stream:
        events = list(stream)
    failed = events[-1]
    assert failed.type == "response.failed" and failed.response.error.code == "server_error"
    eventually(lambda: len(stored(chat, failed.response.id)) == 2)  # what had come
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(failed.response.id)


def test_what_a_client_heard_before_it_left_is_kept(chat: httpx.Client, model: ScriptedModel) -> None:
    model.script(stalled(4))
    body = {"model": "gpt-test", "input": PARROT, "stream": True, "memory_id": "left"}
    with chat.stream("POST", "/v1/responses", json=body) as answered:
        next(line for line in answered.iter_lines() if line == "event: response.output_text.delta")
    eventually(lambda: len(stored(chat, "left")) == 2)
    assert stored(chat, "left")[1][1].startswith("You said:")


def test_an_answer_cut_short_is_incomplete(client: OpenAI, model: ScriptedModel) -> None:
    def shortened(body: dict[str, Any]) -> dict[str, Any]:
        for choice in body["choices"]:
            if choice.get("finish_reason"):
                choice["finish_reason"] = "length"
        return body

    model.script(edited(shortened), edited(shortened))
    made = respond(client, PARROT)
    assert (made.status, made.incomplete_details.reason) == ("incomplete", "max_output_tokens")
    with client.responses.stream(model="gpt-test", input=PARROT) as stream:
        events = list(stream)
    assert events[-1].type == "response.incomplete" and events[-1].response.status == "incomplete"


def test_thoughts_are_items_of_their_own_and_go_back(client: OpenAI, model: ScriptedModel) -> None:
    def thinking(body: dict[str, Any]) -> dict[str, Any]:
        body["choices"][0]["message"]["reasoning_content"] = "Birds have names."
        return body

    model.script(edited(thinking), answer("Good."))
    made = respond(client, PARROT)
    assert [item.type for item in made.output] == ["reasoning", "message"]
    assert made.output[0].content[0].text == "Birds have names."
    respond(client, "Go on.", previous_response_id=made.id)
    assert last_asked(model)["messages"][1]["reasoning_content"] == "Birds have names."


def test_a_key_makes_a_response_once(chat: httpx.Client, model: ScriptedModel) -> None:
    for stream in (False, True):
        body = {"model": "gpt-test", "input": PARROT, "stream": stream}
        made = [
            chat.post("/v1/responses", json=body, headers={"Idempotency-Key": f"k-{stream}-{chat.params}"})
            for _ in "ab"
        ]
        assert made[0].content == made[1].content and made[1].headers["Idempotency-Replayed"] == "true"
        assert made[0].headers["X-Loci-Turn"] == made[1].headers["X-Loci-Turn"]
    assert len(model.asked("chat")) == 2


def test_conversations_that_begin_alike_are_two(client: OpenAI, chat: httpx.Client, model: ScriptedModel) -> None:
    for key in ("one", "two"):
        respond(client, "Hello there.", extra_headers={"Idempotency-Key": f"{key}-{chat.params}"})
    assert len(chat.get("/v1/sessions").json()["items"]) == 2


def test_what_is_forgotten_is_missing_from_what_is_stored(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel
) -> None:
    model.script(answer("Noted."), answer("Fine."))
    first = respond(client, PARROT)
    second = respond(client, "The kettle is broken.", previous_response_id=first.id)
    messages = chat.get(f"/v1/sessions/{first.id}/messages").json()["items"]
    assert chat.delete(f"/v1/sessions/{first.id}/messages/{messages[0]['id']}").status_code == 200
    texts = [item.content[0].text for item in client.responses.input_items.list(second.id, order="asc")]
    assert texts == ["Noted.", "The kettle is broken."]
    assert client.responses.input_items.list(first.id).data == []
    assert chat.delete(f"/v1/sessions/{first.id}/messages/{messages[1]['id']}").status_code == 200
    assert client.responses.retrieve(first.id).output == []
    assert client.responses.retrieve(second.id).output_text == "Fine."
    chat.delete(f"/v1/sessions/{first.id}")
    for made in (first, second):
        with pytest.raises(openai.NotFoundError):
            client.responses.retrieve(made.id)


def test_a_resent_transcript_is_forgotten_too(client: OpenAI, chat: httpx.Client, model: ScriptedModel) -> None:
    model.script(answer("Noted."), answer("Fine."))
    first = respond(client, PARROT)
    told = [{"role": "user", "content": PARROT}, {"role": "assistant", "content": "Noted."}]
    second = respond(client, [*told, {"role": "user", "content": "The kettle is broken."}])
    messages = chat.get(f"/v1/sessions/{first.id}/messages").json()["items"]
    assert [one["content"] for one in messages] == [PARROT, "Noted.", "The kettle is broken.", "Fine."]
    chat.delete(f"/v1/sessions/{first.id}/messages/{messages[0]['id']}")
    texts = [item.content[0].text for item in client.responses.input_items.list(second.id, order="asc")]
    assert texts == ["Noted.", "The kettle is broken."]


def test_a_user_goes_with_all_responses(client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    made = respond(client, PARROT)
    kept = client.conversations.create(metadata={"a": "b"})
    counts = chat.delete(f"/v1/users/{user}").json()
    assert counts["deleted"]["responses"] == 1
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(made.id)
    with pytest.raises(openai.NotFoundError):
        client.conversations.retrieve(kept.id)
