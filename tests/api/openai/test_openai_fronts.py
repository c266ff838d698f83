"""What chat fronts send of a chat: what they keep nothing of, and what they paste before the user's words."""

import httpx
import pytest

from tests.openai_chat import said, stored
from tests.scripted_model import Body, ScriptedModel, answer

CHAT_ID = "X-OpenWebUI-Chat-Id"
FOUND = "### Task:\nRespond to the user query using the provided context.\n<context>\nI am called Ulf.\n</context>\n\n"
FILES = "<attached_files>\n<file name='a'/>\n</attached_files>\n\n"


def ask(chat: httpx.Client, messages: list[Body], chat_id: str) -> None:
    body = {"model": "gpt-test", "messages": messages}
    chat.post("/v1/chat/completions", json=body, headers={CHAT_ID: chat_id}).raise_for_status()


@pytest.mark.parametrize("name", ["temporary:x7Jq", "local:x7Jq"])
def test_of_a_temporary_chat_of_open_webui_nothing_is_kept(chat: httpx.Client, model: ScriptedModel, name: str) -> None:
    ask(chat, said("I am allergic to walnuts."), name)
    assert chat.get("/v1/sessions").json()["items"] == []
    ask(chat, said("I am allergic to kiwis."), "c-1")
    ask(chat, said("What am I allergic to?"), name)
    assert model.asked("chat")[-1]["messages"] == said("What am I allergic to?")
    assert [item["id"] for item in chat.get("/v1/sessions").json()["items"]] == ["c-1"]


def test_a_message_is_one_whatever_a_front_pastes_before_it(chat: httpx.Client, model: ScriptedModel) -> None:
    model.script(answer("It is about Ulf."))
    ask(chat, said(f"{FOUND}{FILES}Sum up the file."), "c-2")
    assert model.asked("chat")[-1]["messages"][-1]["content"].endswith(f"{FOUND}{FILES}Sum up the file.")
    earlier = [*said(f"{FILES}Sum up the file."), {"role": "assistant", "content": "It is about Ulf."}]
    ask(chat, earlier + said(f"{FOUND}And who is he?"), "c-2")
    assert [text for role, text in stored(chat, "c-2") if role == "user"] == ["Sum up the file.", "And who is he?"]
    assert "Task" not in chat.get("/v1/sessions/c-2").json()["title"]


def test_what_was_wrong_with_an_answer_is_no_turn_of_the_users(chat: httpx.Client, model: ScriptedModel) -> None:
    asked = said("My parrot is called Archimedes.")
    wrong = said("Validation Error found:\nNo call\nRecall the function correctly, fix the errors")
    for text in ("Noted.", "Noted again."):
        model.script(answer(text))
    ask(chat, asked, "c-3")
    ask(chat, [*asked, {"role": "assistant", "content": "Noted."}, *wrong], "c-3")
    assert [text for role, text in stored(chat, "c-3") if role == "user"] == ["My parrot is called Archimedes."]
    assert model.asked("chat")[-1]["messages"][-1:] == wrong


def test_a_session_header_without_a_value_names_no_session(chat: httpx.Client) -> None:
    body = {"model": "gpt-test", "messages": said("I keep bees.")}
    answered = chat.post("/v1/chat/completions", json=body, headers={"X-Loci-Session": ""})
    assert stored(chat, answered.raise_for_status().headers["X-Loci-Session"])[0] == ("user", "I keep bees.")
