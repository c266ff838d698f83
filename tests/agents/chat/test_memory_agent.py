"""The bundle holds what the platform document says: 8 similar messages, 6 pairs, 3 summaries, 8 facts."""

import pytest

from agents.chat.context import Bundle
from agents.memory import Memory
from tests.conversations import USER, pairs, request, settle, turn
from tests.scripted_model import ScriptedModel


async def bundle(memory: Memory, query: str, session_id: str = "s1") -> Bundle:
    found = (await memory.chat(request(query, session_id))).context.bundle
    assert found is not None
    return found


async def test_the_bundle_has_the_last_6_pairs_in_order(with_model: Memory) -> None:
    await with_model.add(USER, "s1", pairs(9))
    found = await bundle(with_model, "what is new?")
    assert [one.id for one in found.recent] == [one.id for one in pairs(9)[-12:]]


async def test_the_bundle_has_the_3_newest_summaries(with_model: Memory) -> None:
    await with_model.add(USER, "s1", pairs(40))
    await with_model.engine.chats.summaries.work()
    found = await bundle(with_model, "what is new?")
    assert [one.from_index for one in found.summaries] == [60, 40, 20]


async def test_the_bundle_has_8_facts_those_first_that_suit_the_question(with_model: Memory) -> None:
    for number in range(12):
        await with_model.engine.chats.keyvalues.put(USER, f"key {number}", "x")
    await with_model.engine.chats.keyvalues.put(USER, "dog", "Biscuit")
    await with_model.engine.chats.keyvalues.put(USER, "cat", "Tom")
    found = await bundle(with_model, "what is my dog called?")
    assert len(found.memories) == 8
    assert [one.key for one in found.memories[:2]] == ["dog", "cat"]


async def test_the_bundle_has_8_similar_messages_or_as_many_as_are_asked_for(with_model: Memory) -> None:
    await with_model.add(USER, "s0", [turn(f"m{n}", f"bees honey {n}") for n in range(20)], wait=True)
    found = await bundle(with_model, "bees honey?")
    assert len(found.recall.hits) == len(found.context) == 8
    asked = request("bees honey?", top_k=3)
    again = (await with_model.chat(asked)).context.bundle
    assert again is not None
    assert len(again.recall.hits) == 3


async def test_what_is_among_the_recent_messages_is_not_in_the_context_again(with_model: Memory) -> None:
    await with_model.add(USER, "s1", [turn("m1", "bees make honey")], wait=True)
    await with_model.add(USER, "s2", [turn("m2", "bees make wax")], wait=True)
    found = await bundle(with_model, "bees make what?")
    assert {hit.gist.id for hit in found.recall.hits} == {"m1", "m2"}
    assert [one.id for one in found.recent] == ["m1"]
    assert [hit.gist.id for hit in found.context] == ["m2"]


async def test_the_statement_of_a_fact_is_not_in_the_context_again(with_model: Memory) -> None:
    for session in ("s2", "s3"):
        await with_model.chat(request("remember that my dog is Biscuit", session))
    await settle(with_model)
    found = await bundle(with_model, "remember what my dog is")
    assert [one.key for one in found.memories] == ["dog"]
    assert not any(hit.gist.content.startswith("remember that my dog") for hit in found.context)


async def test_facts_that_no_message_states_are_found(quiet: Memory) -> None:
    await quiet.learn(USER, "I live in Madrid.")
    await settle(quiet)
    found = await bundle(quiet, "Where do I live?")
    assert [hit.gist.content for hit in found.recall.hits] == ["The user lives in Madrid."]


async def test_a_fact_that_a_message_of_the_bundle_states_is_left_out(quiet: Memory) -> None:
    await quiet.add(USER, "s2", [turn("m1", "I live in Madrid.", proxied=True)])
    await quiet.engine.knowledge.queue.work()
    await settle(quiet)
    [fact] = [one for one, _ in await quiet.engine.knowledge.facts.page(USER, limit=5)]
    assert fact.sources == ("m1",)
    recall = (await bundle(quiet, "the user lives in Madrid?")).recall
    assert [hit.gist.id for hit in recall.hits] == ["m1"]
    assert {one.key: one.dropped for one in recall.considered}[fact.id] == "duplicate"


@pytest.mark.parametrize(
    ("before", "now", "question"),
    [
        ("I live in Lyon.", "I live in Nantes now.", "Where do I live?"),
        ("My favourite fruit is the quince.", "My favourite fruit is the medlar now.", "What is my favourite fruit?"),
    ],
)
async def test_what_replaced_a_fact_stands_once(quiet: Memory, before: str, now: str, question: str) -> None:
    """In the message, not in the fact that takes the place of what it replaced beside it."""
    for text in (before, now):
        await quiet.chat(request(text, "s1"))
    await settle(quiet)
    await quiet.engine.knowledge.queue.work()
    await settle(quiet)
    done = await quiet.chat(request(question, "s2"))
    bundle = done.context.bundle
    assert bundle is not None
    assert [hit.gist.content for hit in bundle.recall.hits] == [now]
    assert now in done.answer.text


async def test_recent_messages_are_those_of_the_session_alone(with_model: Memory) -> None:
    await with_model.add(USER, "s1", [turn("m1")])
    await with_model.add(USER, "s2", [turn("m2")])
    await with_model.add("bob", "s1", [turn("m3")])
    assert [one.id for one in (await bundle(with_model, "what is new?")).recent] == ["m1"]


async def test_a_request_to_summarise_sees_everything_that_no_summary_covers(with_model: Memory) -> None:
    await with_model.add(USER, "s1", pairs(9))
    found = await bundle(with_model, "summarise our conversation")
    assert len(found.unsummarised) == 18
    await with_model.add(USER, "s1", pairs(3, first=20))
    await with_model.engine.chats.summaries.work()
    found = await bundle(with_model, "summarise our conversation")
    assert len(found.unsummarised) == 6


async def test_of_summaries_the_lines_that_are_like_the_question_are_for_the_prompt(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.reply = lambda _: "- Agreed a kitchen budget of 12,000 euros.\n- Deploys on Fridays are not allowed."
    await with_model.add(USER, "other", pairs(10))
    await with_model.engine.chats.summaries.work()
    found = await bundle(with_model, "What budget did we agree on for the kitchen?")
    assert [line for _, line in found.material.lines] == ["Agreed a kitchen budget of 12,000 euros."]
    known = scripted_model.asked("chat")[-1]["messages"][1]["content"]
    assert "12,000 euros" in known and "Fridays" not in known


async def test_beside_the_hits_stand_the_messages_next_to_them(with_model: Memory) -> None:
    said = "I like trains", "Which bees do you keep?", "Carnica, in two hives", "They were a gift", "I read a lot"
    await with_model.add(USER, "old", [turn(f"m{n}", text) for n, text in enumerate(said)], wait=True)
    found = await bundle(with_model, "Which hives of carnica?")
    assert found.material.hits[0].gist.id == "m2"
    there = {hit.gist.id for hit in found.material.hits} | {gist.id for gist in found.material.near}
    assert there == {"m0", "m1", "m2", "m3", "m4"}
