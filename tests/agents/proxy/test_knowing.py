"""What the proxy puts before a user's message: as `/query` would, beside what its client sends itself."""

import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import count
from typing import Any

import pytest

from agents.memory import Memory
from agents.open import open_memory
from agents.proxy import ProxyOptions, ProxyRequest
from config.settings import Settings
from tests.conversations import START, USER, Silent, settle, turn
from tests.openai_chat import finding
from tests.scripted_model import ScriptedModel, calling, edited
from utils.errors import NotFound
from utils.text import count_tokens

QUESTION = "Which number has my locker at the pool?"
LOCKER = "My locker at the pool is number 4071."


async def passed_on(
    memory: Memory, model: ScriptedModel, messages: Sequence[Any], **more: Any
) -> tuple[str, list[Any]]:
    """The id of the exchange, and the messages that the provider got."""
    options = ProxyOptions("s1", **more.pop("options", {}))
    body = {"model": "gpt-test", "messages": list(messages), **more}
    assert memory.proxy is not None
    proxied = await memory.proxy.complete(ProxyRequest(USER, body, options))
    with suppress(NotFound):  # a call of tools has none yet
        await memory.engine.chats.receipts.get(USER, proxied.turn_id)
    return proxied.turn_id, model.asked("chat")[-1]["messages"]


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


async def test_it_has_the_sections_of_query_and_the_receipt_what_each_took(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.find_facts = finding(lambda message: [message], updating=False)
    await with_model.engine.chats.keyvalues.put(USER, "pool", "closed on Mondays")
    await with_model.learn(USER, "I am allergic to chlorine.")
    said = "Which locker do you have?", LOCKER, "It is near the showers"
    await with_model.add(USER, "old", [turn(f"m{n}", text) for n, text in enumerate(said)], wait=True)
    await settle(with_model)
    turn_id, [sent] = await passed_on(with_model, scripted_model, [user(QUESTION)])
    block = sent["content"].removesuffix(QUESTION)
    places = [
        block.index(text)
        for text in ("Now it is ", "## About me", "I am allergic to chlorine.", "## From earlier", LOCKER, said[2])
    ]
    assert places == sorted(places)
    assert "pool: closed on Mondays" in block and block.endswith("</memory>\n\n")
    receipt = await with_model.engine.chats.receipts.get(USER, turn_id)
    assert {"now", "profile", "similar", "messages"} <= {entry.section for entry in receipt.ledger}
    assert {used.id for used in receipt.used if used.section == "similar"} >= {"m1", "m2"}
    assert sum(entry.characters for entry in receipt.ledger) == len(sent["content"])


@pytest.mark.parametrize("text", ["hi", "Thanks a lot!"])
async def test_small_talk_goes_on_as_it_came(with_model: Memory, scripted_model: ScriptedModel, text: str) -> None:
    await with_model.engine.chats.keyvalues.put(USER, "pool", "closed on Mondays")
    assert (await passed_on(with_model, scripted_model, [user(text)]))[1] == [user(text)]


@pytest.mark.parametrize("top_k", [1, 2])
async def test_what_is_sent_along_is_none_of_the_memories_that_are_asked_for(
    with_model: Memory, scripted_model: ScriptedModel, top_k: int
) -> None:
    texts = [f"Crane number {number} at the harbour is blue." for number in range(6)]
    for number, text in enumerate(texts):
        await with_model.add(USER, f"old{number}", [turn(f"m{number}", text)])
    await settle(with_model)
    messages = [
        user(" ".join(texts[0].split())),
        {"role": "assistant", "content": texts[1]},
        user("Which crane is blue?"),
    ]
    options = {"top_k": top_k, "floor": 0.0}
    _, sent = await passed_on(with_model, scripted_model, messages, options=options)
    assert sent[:-1] == messages[:-1]
    known = sent[-1]["content"]
    assert known.count("at the harbour is blue") == top_k
    assert texts[0] not in known and texts[1] not in known


@pytest.mark.parametrize(("length", "least", "most"), [(100, 300, 1_100), (2_600, 1, 240), (4_000, 0, 0)])
async def test_memories_take_a_share_of_what_the_messages_leave_of_the_context(
    model_settings: Settings, scripted_model: ScriptedModel, length: int, least: int, most: int
) -> None:
    settings = model_settings.model_copy(update={"chat_model": "gpt-test", "context_tokens": 4_096})
    async with open_memory(settings, nudge=Silent()) as memory:
        said = [turn(f"m{n}", f"Crane {n} at the harbour is blue. " + "It lifts much. " * 9) for n in range(40)]
        await memory.add(USER, "old", said, wait=True)
        messages = [
            user("word " * (length * 4 // 5)),
            {"role": "assistant", "content": "Yes."},
            user("Which crane is blue?"),
        ]
        _, sent = await passed_on(memory, scripted_model, messages, options={"floor": 0.0})
    tokens = count_tokens(sent[-1]["content"]) - count_tokens(messages[-1]["content"])
    assert least <= tokens <= most


async def test_a_model_that_nobody_knows_takes_more_than_its_client_sends(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    await with_model.add(USER, "old", [turn("m1", LOCKER)], wait=True)
    messages = [user("word " * 20_000), {"role": "assistant", "content": "Yes."}, user(QUESTION)]
    _, sent = await passed_on(with_model, scripted_model, messages)
    assert LOCKER in sent[-1]["content"]


async def test_what_a_provider_counts_scales_what_fits_the_next_time(
    model_settings: Settings, scripted_model: ScriptedModel
) -> None:
    def doubled(body: dict[str, Any]) -> dict[str, Any]:
        return {**body, "usage": {name: 2 * count for name, count in body["usage"].items()}}

    settings = model_settings.model_copy(update={"chat_model": "gpt-test", "context_tokens": 8_192})
    async with open_memory(settings, nudge=Silent()) as memory:
        said = [turn(f"m{n}", f"Crane {n} at the harbour is blue. " + "It lifts much. " * 9) for n in range(60)]
        await memory.add(USER, "old", said, wait=True)
        scripted_model.script(edited(doubled))
        first, second = [
            count_tokens(
                (await passed_on(memory, scripted_model, [user(text)], options={"floor": 0.0}))[1][-1]["content"]
            )
            for text in ("Which crane is blue?", "Which crane is blue, then?")
        ]
    assert 0.4 * first < second < 0.6 * first


async def test_every_round_of_tools_begins_with_the_same(
    with_model: Memory, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    minutes = count()
    monkeypatch.setattr("agents.proxy.proxy.now", lambda: START + timedelta(minutes=next(minutes)))
    await with_model.add(USER, "old", [turn("m1", LOCKER)], wait=True)
    scripted_model.script(calling("open", number=4071))
    _, first = await passed_on(with_model, scripted_model, [user(QUESTION)])
    call = {"id": "c", "type": "function", "function": {"name": "open", "arguments": json.dumps({"number": 4071})}}
    rounds = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "It is open."},
    ]
    _, second = await passed_on(with_model, scripted_model, [user(QUESTION), *rounds])
    assert LOCKER in first[0]["content"] and "12:00" in first[0]["content"]
    assert second == [*first, *rounds]
