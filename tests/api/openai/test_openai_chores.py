"""What a chat front asks for itself: answered, and neither remembered nor given memories."""

import json

import httpx
import pytest

from agents.proxy.chores import Chore, chores
from tests.openai_chat import PARROT, QUESTION, last_chat, said, stored
from tests.scripted_model import Body, ScriptedModel

HISTORY = "<chat_history>\nUSER: What is the name of my parrot?\nASSISTANT: Archimedes.\n</chat_history>"


def asked_by(chore: Chore) -> list[Body]:
    if chore.max_tokens is not None:
        return said(chore.begins)
    system = [{"role": "system", "content": f"{chore.system} and so on."}] if chore.system else []
    return system + said(f"{chore.begins}\nas the front has it. {chore.holds}\n### Chat History:\n{HISTORY}")


@pytest.mark.parametrize("chore", chores(), ids=lambda chore: f"{chore.front}: {chore.what}")
@pytest.mark.parametrize("streamed", [False, True])
def test_a_chore_goes_through_and_leaves_nothing(
    chat: httpx.Client, model: ScriptedModel, user: str, chore: Chore, streamed: bool
) -> None:
    for messages in (said(PARROT), asked_by(chore)):
        body = {"model": "gpt-test", "messages": messages, "memory_id": user, "stream": streamed}
        body |= {"max_tokens": chore.max_tokens} if chore.max_tokens else {}
        chat.post("/v1/chat/completions", json=body).raise_for_status()
    other = body | {"memory_id": f"{user}-other", "project": "made by none", "user_id": user}
    chat.post("/v1/chat/completions", json=other).raise_for_status()
    assert chat.get("/v1/projects", params={"user_id": user}).json()["items"] == []
    assert last_chat(model).body["messages"] == asked_by(chore)
    assert [text for role, text in stored(chat, user) if role == "user"] == [PARROT]


@pytest.mark.parametrize("chore", [chore for chore in chores() if chore.system], ids=lambda chore: chore.what)
def test_a_chore_is_one_under_instructions_that_stand(chat: httpx.Client, user: str, chore: Chore) -> None:
    body = {"model": "gpt-test", "messages": asked_by(chore), "memory_id": user, "instructions": "Be brief."}
    chat.post("/v1/chat/completions", json=body).raise_for_status()
    assert stored(chat, user) == []


@pytest.mark.parametrize("chore", chores(), ids=lambda chore: f"{chore.front}: {chore.what}")
def test_by_rules_a_chore_is_told_what_rules_cannot_do(api: httpx.Client, user: str, chore: Chore) -> None:
    for messages in (said(PARROT), asked_by(chore)):
        body = {"model": "gpt-test", "messages": messages, "memory_id": user}
        body |= {"max_tokens": chore.max_tokens} if chore.max_tokens else {}
        found = api.post("/v1/chat/completions", json=body).json()
    assert "Archimedes" not in json.dumps(found)
    assert [text for role, text in stored(api, user) if role == "user"] == [PARROT]


@pytest.mark.parametrize(
    "text",
    [
        f"### Task:\nAnswer with the documents that are given.\n<context>The parrot eats nuts.</context>\n{QUESTION}",
        "Provide a title for my talk about parrots.",
        "quota",
        "Our front writes <chat_history> around what was said.",
        "# Current Chat:\n\nNobody has said anything yet.",
    ],
)
def test_what_a_user_says_is_no_chore(chat: httpx.Client, user: str, text: str) -> None:
    body = {"model": "gpt-test", "messages": said(text), "memory_id": user}
    chat.post("/v1/chat/completions", json=body).raise_for_status()
    assert stored(chat, user)[0] == ("user", text)
