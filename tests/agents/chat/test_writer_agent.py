"""What a model is sent, and that the costs add up."""

import json
from typing import Any

import pytest

from agents.chat import HistoryItem
from agents.events import Finished
from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from memory.domain import RULE_BASED
from tests.conversations import USER, Silent, pairs, request, say, settle, turn
from tests.scripted_model import Behaviour, ScriptedModel, answer, edited, status
from utils.text import count_tokens


async def test_the_model_is_sent_the_bundle_in_the_seeds_order(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    await with_model.add(USER, "s1", pairs(10))
    await settle(with_model)
    await say(with_model, "remember that my dog is Biscuit", prompt="table")
    await with_model.chat(request("what does the user say of item number 3?", location="Lisbon", prompt="table"))
    system, user = scripted_model.asked("chat")[-1]["messages"]
    assert system["role"] == "system"
    assert "never instructions" in system["content"]
    headings = [line for line in user["content"].split("\n") if line.startswith("## ")]
    assert headings == [
        "## Summaries of earlier conversation",
        "## Facts the user asked to remember",
        "## Earlier messages like this one",
        "## Most recent messages",
        "## The user's location",
        "## The user's message",
    ]
    assert "dog: Biscuit" in user["content"]
    assert user["content"].endswith("what does the user say of item number 3?")


@pytest.mark.parametrize("streamed", [False, True])
async def test_the_receipts_ledger_adds_up_to_the_tokens_that_the_provider_counted(
    with_model: Memory, scripted_model: ScriptedModel, streamed: bool
) -> None:
    await with_model.add(USER, "s1", pairs(3))
    await settle(with_model)
    asked = request("what does the user say of item number 1?")
    if streamed:
        finished = [event async for event in with_model.stream(asked)][-1]
    else:
        finished = await with_model.chat(asked)
    assert isinstance(finished, Finished)
    sent = scripted_model.asked("chat")[-1]["messages"]
    receipt = await with_model.engine.chats.receipts.get(USER, asked.turn_id)
    characters = sum(len(message["content"]) for message in sent)
    assert sum(entry.characters for entry in receipt.ledger) == characters
    assert sum(entry.tokens for entry in receipt.ledger) == receipt.prompt_tokens == characters // 4 + 1
    assert finished.answer.usage.prompt_tokens == receipt.prompt_tokens
    assert finished.answer.usage.completion_tokens == len(finished.answer.text) // 4 + 1


async def test_without_a_providers_count_the_tokens_are_estimated_and_add_up(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(edited(lambda body: {**body, "usage": None}))
    asked = request("what is new?")
    finished = await with_model.chat(asked)
    receipt = await with_model.engine.chats.receipts.get(USER, asked.turn_id)
    assert sum(entry.tokens for entry in receipt.ledger) == finished.answer.usage.prompt_tokens > 0
    assert finished.answer.usage.completion_tokens == count_tokens(finished.answer.text)


async def test_an_answer_cites_the_memories_that_it_names(with_model: Memory, scripted_model: ScriptedModel) -> None:
    await say(with_model, "my dog is called Biscuit", session_id="s2")
    scripted_model.script(answer("Your dog is called Biscuit [1]."))
    finished = await with_model.chat(request("my dog is called what?"))
    (citation,) = finished.answer.citations
    assert (citation.n, citation.content, citation.session_id) == (1, "my dog is called Biscuit", "s2")
    assert citation.score is not None
    assert citation.score >= 0.45


async def test_the_request_chooses_the_model_and_the_answer_says_which_it_was(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    finished = await with_model.chat(request("hello", model="another-model"))
    assert scripted_model.asked("chat")[-1]["model"] == "another-model"
    assert finished.answer.model == "another-model"


async def test_rules_answer_when_the_model_fails_and_the_answer_says_so(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    await say(with_model, "my dog is called Biscuit")
    scripted_model.always(status(500))
    finished = await with_model.chat(request("what is my dog called?"))
    assert finished.answer.model == RULE_BASED
    assert "Biscuit" in finished.answer.text
    assert finished.answer.usage.total > 0


async def test_a_model_that_cannot_embed_still_gets_recent_messages_and_facts(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    await say(with_model, "remember that my dog is Biscuit")
    scripted_model.always(status(500), on="embeddings")
    finished = await with_model.chat(request("an entirely new question about my dog?"))
    assert "dog: Biscuit" in scripted_model.asked("chat")[-1]["messages"][-3]["content"]
    assert finished.context.bundle is not None
    assert finished.context.bundle.recall.hits == ()


async def test_the_conversation_is_sent_as_it_was_said_and_what_is_known_behind_it(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.reply = lambda _: "All right."
    await say(with_model, "my dog is called Biscuit", session_id="other")
    await say(with_model, "Here is a list:\n\n- oats\n- milk " + "and more " * 100)
    await with_model.chat(request("what is my dog called?", instructions="Be brief.", timezone="Europe/Rome"))
    system, said, answered, known, _, asked = scripted_model.asked("chat")[-1]["messages"]
    assert "\n\nBe brief.\n\nToday is " in system["content"] and "Europe/Rome" in system["content"]
    assert "Now it is " in known["content"] and "Europe/Rome" in known["content"]
    assert (known["role"], known["content"].count("my dog is called Biscuit")) == ("user", 1)
    assert "oats" not in known["content"]
    assert said == {"role": "user", "content": "Here is a list:\n\n- oats\n- milk " + "and more " * 100}
    assert answered["role"] == "assistant"
    assert asked == {"role": "user", "content": "what is my dog called?"}


@pytest.mark.parametrize("query", ["hi", "Thanks a lot!"])
async def test_small_talk_is_sent_with_the_conversation_and_without_memories(
    with_model: Memory, scripted_model: ScriptedModel, query: str
) -> None:
    await say(with_model, "my dog is called Biscuit", session_id="other")
    await say(with_model, "I plan a trip to Oslo")
    await with_model.chat(request(query))
    sent = scripted_model.asked("chat")[-1]["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "user"]
    assert "Biscuit" not in str(sent)


async def test_what_was_asked_before_or_said_out_of_courtesy_is_no_memory(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.reply = lambda _: "Noted."
    said = (
        "Where is my bike?",
        "Thanks, that was really nice of you!",
        "Please write a poem about my bike",
        "My bike is in the shed",
    )
    for number, text in enumerate(said):
        await say(with_model, text, session_id=f"s{number + 2}")
    await with_model.chat(request("Where did I put my bike?"))
    known = scripted_model.asked("chat")[-1]["messages"][1]["content"]
    assert [text in known for text in said] == [False, False, False, True]


@pytest.mark.parametrize(("top_k", "most"), [(1, 1), (3, 3), (None, 20)])
async def test_no_more_memories_are_sent_than_are_asked_for(
    with_model: Memory, scripted_model: ScriptedModel, top_k: int | None, most: int
) -> None:
    for number in range(20):
        await with_model.add(
            USER, f"old{number}", [turn(f"m{number}", f"Crane number {number} at the harbour is blue.")]
        )
    await settle(with_model)
    asked = request("Which crane at the harbour is blue?", top_k=top_k)
    finished = await with_model.chat(asked)
    known = scripted_model.asked("chat")[-1]["messages"][1]["content"]
    assert known.count(" at the harbour is blue") == most
    receipt = await with_model.engine.chats.receipts.get(USER, asked.turn_id)
    assert len([used for used in receipt.used if used.section == "similar"]) == most
    assert finished.context.bundle is not None
    assert len(finished.context.bundle.recall.hits) == (top_k or 8)
    assert finished.answer.citations == ()


async def test_what_a_provider_counts_scales_what_fits_the_next_time(
    model_settings: Settings, scripted_model: ScriptedModel
) -> None:
    """A provider that counts twice as many tokens as were estimated gets less text."""

    def doubled(body: dict[str, Any]) -> dict[str, Any]:
        return {**body, "usage": {name: 2 * count for name, count in body["usage"].items()}}

    settings = model_settings.model_copy(update={"context_tokens": 4_096})
    async with open_memory(settings, nudge=Silent()) as memory:
        await memory.add(USER, "s1", [turn(f"t{number}", f"line {number} " + "words " * 60) for number in range(60)])
        scripted_model.script(edited(doubled))
        await memory.chat(request("and what now?"))
        await memory.chat(request("and then, what now?"))
    first, second = (sum(len(one["content"]) for one in body["messages"]) for body in scripted_model.asked("chat"))
    assert 0.4 * first < second < 0.6 * first


PICTURE = "data:image/png;base64,iVBORw0KGgo="
LOOKED_AT = (
    HistoryItem("user", "This is my bike.", (PICTURE, "https://pictures.test/bike.png")),
    HistoryItem("assistant", "A red one."),
)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("sees", [True, False])
async def test_images_of_earlier_messages_are_sent_where_the_model_sees_them(
    with_model: Memory, scripted_model: ScriptedModel, *, sees: bool, streamed: bool
) -> None:
    if not sees:
        scripted_model.script(*[status(400, message="this model does not support image input")] * 2)
    asked = request("what colour is my bike?", history=LOOKED_AT)
    if streamed:
        done = [event async for event in with_model.stream(asked)][-1]
        assert isinstance(done, Finished)
    else:
        done = await with_model.chat(asked)
    assert done.answer.fallback is None
    earlier = scripted_model.asked("chat")[-1]["messages"][1]["content"]
    if sees:
        assert [part["type"] for part in earlier] == ["text", "image_url", "image_url"]
        assert [part["image_url"]["url"] for part in earlier[1:]] == [PICTURE, "https://pictures.test/bike.png"]
    else:
        assert earlier == "This is my bike.\n[image]\n[image]"


@pytest.mark.parametrize("sent_along", [False, True])
async def test_of_120_messages_a_small_context_has_the_newest_and_the_rest_in_short(
    model_settings: Settings, scripted_model: ScriptedModel, *, sent_along: bool
) -> None:
    texts = [
        f"Report {number}: crane {number} at quay {number * 7} lifts {number * 31} tons. " * 4 for number in range(120)
    ]
    texts[40] = "My locker at the pool is number 4071."
    said = [turn(f"t{n}", text, "assistant" if n % 2 else "user") for n, text in enumerate(texts)]
    history = tuple(HistoryItem(one.role, one.content) for one in said) if sent_along else ()
    async with open_memory(model_settings.model_copy(update={"context_tokens": 4_096}), nudge=Silent()) as memory:
        await memory.add(USER, "s1", said, wait=True)
        await memory.engine.chats.summaries.work()
        asked = request("Which number is my locker at the pool?", history=history)
        await memory.chat(asked)
        receipt = await memory.engine.chats.receipts.get(USER, asked.turn_id)
    sent = scripted_model.asked("chat")[-1]["messages"]
    assert sum(count_tokens(one["content"]) for one in sent) <= 3_072
    assert sent[-4]["content"] == texts[-1] and len(sent) > 8
    assert "4071" in sent[-3]["content"] and "## Earlier in this conversation, summed up" in sent[-3]["content"]
    shares = {entry.section: entry.tokens for entry in receipt.ledger}
    assert {"system", "now", "conversation", "conversation summary", "similar", "query"} <= set(shares)


@pytest.mark.parametrize(
    ("said", "most"), [({"max_model_len": 2_048}, 2_048), ({"meta": {"n_ctx": 1_024}}, 1_024), ({}, 8_192)]
)
async def test_what_the_provider_says_that_its_model_takes_bounds_the_prompt(
    model_settings: Settings, scripted_model: ScriptedModel, said: dict[str, Any], most: int
) -> None:
    listed = {"object": "list", "data": [{"id": "small", "object": "model", "created": 0, "owned_by": "x", **said}]}
    scripted_model.script(Behaviour(raw=json.dumps(listed).encode()), on="models")
    settings = model_settings.model_copy(update={"chat_model": "small"})
    async with open_memory(settings, nudge=Silent()) as memory:
        await memory.add(USER, "s1", [turn(f"t{number}", f"line {number} " + "words " * 60) for number in range(120)])
        await memory.chat(request("and what now?"))
    sent = sum(count_tokens(one["content"]) for one in scripted_model.asked("chat")[-1]["messages"])
    assert 0.45 * most < sent <= 0.75 * most


async def test_the_settings_choose_the_prompt_and_a_request_another(
    model_settings: Settings, scripted_model: ScriptedModel
) -> None:
    async with open_memory(model_settings.model_copy(update={"prompt": "table"}), nudge=Silent()) as memory:
        await say(memory, "I plan a trip to Oslo")
        await say(memory, "where do I go?")
        await say(memory, "where do I go, and when?", prompt="budget")
    table, budget = (body["messages"] for body in scripted_model.asked("chat")[-2:])
    assert "## Most recent messages" in table[-1]["content"] and len(table) == 2
    assert next(one["content"] for one in budget if "Oslo" in one["content"]) == "I plan a trip to Oslo"
    assert budget[-1]["content"] == "where do I go, and when?"
