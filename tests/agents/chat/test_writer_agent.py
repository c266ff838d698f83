"""What a model is sent, and that the costs add up."""

import pytest

from agents.memory import Finished, Memory
from memory.domain import RULE_BASED
from tests.conversations import USER, pairs, request, say, settle
from tests.scripted_model import ScriptedModel, answer, edited, status
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
    assert "dog: Biscuit" in scripted_model.asked("chat")[-1]["messages"][1]["content"]
    assert finished.context.bundle is not None
    assert finished.context.bundle.recall.hits == ()
