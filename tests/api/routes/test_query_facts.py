"""`/query` about what was said in a conversation, and corrected there since."""

from typing import Any

import httpx
import pytest
from openai import OpenAI

from tests.api.queries import ask
from tests.checks import eventually
from tests.openai_chat import ask as say
from tests.openai_chat import finding
from tests.scripted_model import ScriptedModel

GRAZ = "My sister lives in Graz."
LINZ = "Actually my sister lives in Linz now."


def tell(client: OpenAI, api: httpx.Client, user: str, text: str, fact: str) -> None:
    """Says something in a conversation; returns when this is the one fact that is recalled of it."""
    say(client, "family", text, fields={"user_id": user})
    asked = {"user_id": user, "query": fact, "kinds": ["fact"]}

    def recalled() -> bool:
        found: list[dict[str, Any]] = api.post("/v1/search", json=asked).json()["items"]
        return [hit["content"] for hit in found] == [fact]

    eventually(recalled)


@pytest.mark.parametrize(
    "question",
    [
        "Where does my sister live?",
        "Does my sister live in Graz?",
    ],
)
def test_what_was_corrected_in_a_conversation_is_told_as_it_is_now(
    plain_client: OpenAI, api: httpx.Client, user: str, question: str
) -> None:
    tell(plain_client, api, user, GRAZ, "The user's sister lives in Graz.")
    assert GRAZ in ask(api, user, "Where does my sister live?", session_id="before")["response"]
    tell(plain_client, api, user, LINZ, "The user's sister lives in Linz now.")
    told = ask(api, user, question, session_id="after")
    context = [item["content"] for item in told["memory_context"]["context"]]
    assert GRAZ not in told["response"].split("\n(Until")[0] and GRAZ not in context
    assert context == [LINZ]  # and not beside it the fact that it states
    assert LINZ in told["response"]


def test_a_model_is_sent_what_holds_now_instead_of_what_was_corrected(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.find_facts = finding(
        lambda message: [f"The user's sister lives in {'Linz' if 'Linz' in message else 'Graz'}."]
    )
    model.reply = lambda _: "All right."
    tell(client, chat, user, GRAZ, "The user's sister lives in Graz.")
    tell(client, chat, user, LINZ, "The user's sister lives in Linz.")
    told = ask(chat, user, "Does my sister live in Graz?", session_id="later")
    _, known, _, asked = model.asked("chat")[-1]["messages"]
    assert asked["content"] == "Does my sister live in Graz?"
    assert "The user's sister lives in Linz." in known["content"]
    assert known["content"].count(GRAZ) == known["content"].count(
        f"{GRAZ} (since then: The user's sister lives in Linz.)"
    )
    assert GRAZ not in [item["content"] for item in told["memory_context"]["context"]]


@pytest.mark.parametrize("session", ["told", "elsewhere"])
def test_of_a_message_that_holds_in_part_each_part_is_answered_as_it_is_now(
    api: httpx.Client, user: str, session: str
) -> None:
    for text, holds in (("My cat is called Minka and I live in Graz.", "Graz"), ("I moved to Linz.", "Linz")):
        ask(api, user, text, session_id="told")
        asked = {"user_id": user, "query": f"lives in {holds}", "kinds": ["fact"]}
        eventually(lambda asked=asked, holds=holds: holds in str(api.post("/v1/search", json=asked).json()["items"]))
    assert "Minka" in ask(api, user, "What is my cat's name?", session_id=session)["response"]
    now, before = ask(api, user, "Where do I live?", session_id=session)["response"].split("\n")
    assert "Linz" in now and "Graz" in before and before.startswith("(Until")
