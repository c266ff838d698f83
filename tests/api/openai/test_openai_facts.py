"""Facts of what is said through OpenAI's API."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
from openai import OpenAI

from tests.checks import eventually
from tests.openai_chat import ask, facts_of, finding, stored
from tests.scripted_model import Body, ScriptedModel, no_facts

TWO_DAYS = (
    "Hi, I'm Tom. I live in Madrid with my dog Biscuit.",
    "My flight to Oslo is on Friday.",
    "I love sushi. What should I cook?",
    "Good morning! I moved to Berlin last week.",
    "Correction: my flight to Oslo is on Saturday.",
    "I don't like sushi anymore.",
    "Thanks, you're great!",
)
ONCE_MORE = "Tom here again, from Berlin."
# What a provider finds in each message, and what it decides, by the last fact of each. It names those in force by text.
FOUND: dict[str, list[str]] = {
    TWO_DAYS[0]: ["The user's name is Tom.", "The user lives in Madrid.", "The user has a dog called Biscuit."],
    TWO_DAYS[1]: ["The user's flight to Oslo is on Friday."],
    TWO_DAYS[2]: ["The user loves sushi."],
    TWO_DAYS[3]: ["The user moved to Berlin last week."],
    TWO_DAYS[4]: ["The user's flight to Oslo is on Saturday."],
    TWO_DAYS[5]: ["The user has gone off sushi."],
    TWO_DAYS[6]: [],
    ONCE_MORE: ["The user's name is Tom.", "The user is in Berlin."],
}
ADDED: dict[str, Any] = {"event": "ADD", "fact": 0}
UPDATED: dict[str, Any] = {"event": "UPDATE", "fact": 0}
DECIDED: dict[str, list[dict[str, Any]]] = {
    "The user's flight to Oslo is on Friday.": [ADDED],
    "The user loves sushi.": [ADDED],
    "The user moved to Berlin last week.": [
        UPDATED | {"id": "The user lives in Madrid.", "text": "The user lives in Berlin."}
    ],
    "The user's flight to Oslo is on Saturday.": [
        UPDATED | {"id": "The user's flight to Oslo is on Friday.", "text": "The user's flight to Oslo is on Saturday."}
    ],
    "The user has gone off sushi.": [ADDED, {"event": "DELETE", "id": "The user loves sushi."}],
    "The user is in Berlin.": [
        {"event": "NONE", "fact": 0, "id": "The user's name is Tom."},
        {"event": "NONE", "fact": 1, "id": "The user lives in Berlin."},
    ],
}


def undated(facts: list[str]) -> list[str]:
    return [fact.partition(" in the week of ")[0] for fact in facts]


def test_the_facts_of_a_conversation_with_corrections_come_out_right(
    plain_client: OpenAI, api: httpx.Client, user: str
) -> None:
    for text in TWO_DAYS:
        ask(plain_client, user, text)
    right = [
        "The user does not like sushi anymore.",
        "The user has a dog called Biscuit.",
        "The user moved to Berlin",
        "The user's flight to Oslo is on Saturday.",
        "The user's name is Tom.",
    ]
    assert eventually(lambda: undated(facts_of(api, user)) == right or None), facts_of(api, user)


def test_the_facts_that_a_provider_finds_in_a_conversation_with_corrections_come_out_right(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    def find_facts(body: Body) -> str:
        asked = json.loads(body["messages"][1]["content"])
        if "message" in asked:
            return json.dumps({"facts": FOUND.get(asked["message"], [])})
        in_force = {one["text"]: one["id"] for one in asked["in_force"]}
        named = DECIDED[asked["new"][-1]["text"]]
        decisions = [one | {"id": in_force[one["id"]]} if "id" in one else one for one in named]
        return json.dumps({"decisions": decisions})

    model.find_facts, model.reply = find_facts, lambda _: "All right."
    for text in (*TWO_DAYS, ONCE_MORE):
        ask(client, user, text)

    def known() -> dict[str, tuple[str | None, int]]:
        """Of each fact what has become of it, and how many messages say it."""
        items = chat.get("/v1/facts", params={"memory_id": user, "ended": True}).json()["items"]
        texts = {item["id"]: item["text"] for item in items} | {None: "nothing"}
        return {
            item["text"]: (texts[item["superseded_by"]] if item["valid_to"] else None, len(item["sources"]))
            for item in items
            if item["decided_by"] == "gpt-4o-mini"
        }

    right = {
        "The user's name is Tom.": (None, 2),
        "The user has a dog called Biscuit.": (None, 1),
        "The user lives in Madrid.": ("The user lives in Berlin.", 1),
        "The user lives in Berlin.": (None, 2),
        "The user's flight to Oslo is on Friday.": ("The user's flight to Oslo is on Saturday.", 1),
        "The user's flight to Oslo is on Saturday.": (None, 1),
        "The user loves sushi.": ("nothing", 1),
        "The user has gone off sushi.": (None, 1),
    }
    assert eventually(lambda: known() == right)


def test_all_that_is_said_without_a_pause_becomes_facts_before_it_goes(
    serve: Callable[..., str], scripted_model: ScriptedModel, user: str
) -> None:
    scripted_model.find_facts = finding(lambda message: [message], updating=False)
    scripted_model.reply = lambda asked: "Noted."  # an echo would repeat what memory put before it, longer every time
    said = [f"My gadget {n} is called G{n}." for n in range(25)]
    address = serve(openai_base_url=scripted_model.url, openai_api_key="sk", embedding_model="local", max_entries=20)
    with (
        httpx.Client(base_url=address, timeout=30) as api,
        OpenAI(base_url=f"{address}/v1", api_key="sk", max_retries=0) as client,
    ):
        for text in said:
            ask(client, user, text)
        assert eventually(lambda: facts_of(api, user) == sorted(said) or None, 60)
        eventually(lambda: len(stored(api, user)) == 20)


def test_a_fact_in_force_is_told_and_a_replaced_one_is_not(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.find_facts = finding(lambda message: [message])
    for text in ("The user's locker is number 12.", "The user's locker is number 40."):
        chat.post("/v1/facts", json={"text": text, "memory_id": user}).raise_for_status()
    found = ask(client, user, "What is the number of my locker?")
    assert [hit["content"] for hit in found.model_extra["memory_hits"]] == ["The user's locker is number 40."]
    known = model.asked("chat")[-1]["messages"][0]["content"]
    assert f"\n## About me\n[1] {datetime.now(UTC):%Y-%m-%d}: The user's locker is number 40.\n" in known
    assert "number 12" not in known


def test_a_model_is_told_what_replaced_an_earlier_statement(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.find_facts = finding(lambda message: [f"The user lives in {'Berlin' if 'Berlin' in message else 'Madrid'}."])
    ask(client, user, "I live in Madrid.")
    ask(client, user, "Berlin is my home now.")
    eventually(lambda: facts_of(chat, user) == ["The user lives in Berlin."] or None)
    [fact] = chat.get("/v1/facts", params={"memory_id": user}).json()["items"]
    assert fact["decided_by"] == "gpt-4o-mini"
    ask(client, user, "Where do I live, in Madrid?", fields={"memory_score_threshold": 0})
    content = model.asked("chat")[-1]["messages"][0]["content"]
    assert "] user: I live in Madrid. (since then: The user lives in Berlin.)" in content


def test_what_was_told_in_a_conversation_can_be_forgotten_there(
    plain_client: OpenAI, api: httpx.Client, user: str
) -> None:
    ask(plain_client, user, "My locker is number 12.")
    ask(plain_client, user, "I live in Oslo.")
    eventually(lambda: len(facts_of(api, user)) == 2 or None)
    assert "forgotten" in ask(plain_client, user, "Forget my locker").choices[0].message.content
    assert facts_of(api, user) == ["The user lives in Oslo."]
    assert not any("locker is" in text for _, text in stored(api, user))
    assert "nothing was deleted" in ask(plain_client, user, "Forget my locker").choices[0].message.content


def test_rules_answer_by_what_is_true_now(plain_client: OpenAI, api: httpx.Client, user: str) -> None:
    for text in ("I live in Madrid.", "I moved to Berlin last week."):
        ask(plain_client, user, text)
    eventually(lambda: undated(facts_of(api, user)) == ["The user moved to Berlin"] or None)
    said_back = ask(plain_client, user, "Where do I live?").choices[0].message.content
    assert "Berlin" in said_back.split("\n(Until")[0] and "Madrid" not in said_back.split("\n(Until")[0]


def test_a_corrected_fact_is_told_instead_of_what_was_said_however_often(
    plain_client: OpenAI, api: httpx.Client, user: str
) -> None:
    ask(plain_client, user, "My dog is called Biscuit.")
    eventually(lambda: facts_of(api, user) == ["The user's dog is called Biscuit."] or None)
    [fact] = api.get("/v1/facts", params={"memory_id": user}).json()["items"]
    corrected = {"text": "The user's dog is called Rusk."}
    api.patch(f"/v1/facts/{fact['id']}", json=corrected).raise_for_status()
    for _ in range(3):
        told = ask(plain_client, user, "What is my dog called?")
        assert "Rusk" in told.choices[0].message.content and "Biscuit" not in told.choices[0].message.content
        assert [hit["content"] for hit in told.model_extra["memory_hits"]] == [corrected["text"]]


def test_a_model_is_told_that_a_statement_holds_no_longer(
    client: OpenAI, chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.find_facts = lambda _: json.dumps({"facts": ["The user lives in Madrid."], "decisions": []})
    ask(client, user, "I live in Madrid.")
    eventually(lambda: facts_of(chat, user) == ["The user lives in Madrid."] or None)
    [fact] = chat.get("/v1/facts", params={"memory_id": user}).json()["items"]
    chat.delete(f"/v1/facts/{fact['id']}").raise_for_status()
    model.find_facts = no_facts
    ask(client, user, "Where do I live, in Madrid?", fields={"memory_score_threshold": 0})
    content = model.asked("chat")[-1]["messages"][0]["content"]
    assert "] user: I live in Madrid. (this holds no longer)" in content
