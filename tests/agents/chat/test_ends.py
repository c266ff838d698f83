"""What was said first or last is found by its place, and all that is known is told."""

from agents.memory import Memory
from tests.conversations import USER, request, say, settle, turn


async def test_the_first_and_the_last_thing_are_told(quiet: Memory) -> None:
    await say(quiet, "My van is at the harbour.", "Who am I?", "I like plums.", "Where is my van?")
    assert "My van is at the harbour." in await say(quiet, "What was the first thing I told you?")
    assert "I like plums." in await say(quiet, "What was the last thing I told you?")
    assert "Who am I?" in await say(quiet, "What was my first question?")
    assert "What was my first question?" in await say(quiet, "What did I just say?")
    assert (await say(quiet, "Repeat your last answer")).startswith("I told you: ")


async def test_they_are_of_this_conversation_where_it_has_any(quiet: Memory) -> None:
    await quiet.add(USER, "old", [turn("m1", "My boat is blue."), turn("m2", "My oar is red.")], wait=True)
    asked = "What was the first thing I told you?"
    assert "My boat is blue." in await say(quiet, asked, session_id="new")
    assert "My oar is red." in await say(quiet, "What was the last thing I told you?", session_id="newer")
    await say(quiet, "My sail is torn.", session_id="new")
    assert "My sail is torn." in await say(quiet, asked, session_id="new")
    assert "My boat is blue." in await say(quiet, "What was the first thing I ever told you?", session_id="new")


async def test_nothing_is_invented_where_nothing_was_said(quiet: Memory) -> None:
    assert await say(quiet, "What was the first thing I told you?") == "You haven't said anything before this."
    assert await say(quiet, "What was my first question?", session_id="s2") != ""


async def test_another_user_s_first_message_is_never_told(quiet: Memory) -> None:
    await quiet.add("ben", "s1", [turn("m1", "My boat is blue.")], wait=True)
    assert "boat" not in await say(quiet, "What was the first thing I told you?")


async def test_a_deleted_message_is_the_first_no_more(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "My boat is blue."), turn("m2", "My oar is red.")], wait=True)
    await quiet.engine.oversight.forgetter.message(USER, "m1")
    assert "My oar is red." in await say(quiet, "What was the first thing I told you?")
    assert "My oar is red." in await say(quiet, "What was the first thing I told you?", session_id="s2")


async def test_the_message_asked_for_is_cited_and_in_the_receipt(quiet: Memory) -> None:
    await say(quiet, "My van is at the harbour.", "I like plums.")
    done = await quiet.chat(request("What was the first thing I told you?"))
    [citation] = done.answer.citations
    assert citation.content == "My van is at the harbour."
    receipt = await quiet.engine.chats.receipts.get(USER, done.context.request.turn_id)
    assert [one.id for one in receipt.used] == [citation.id]


async def test_all_that_is_known_are_facts_and_what_no_fact_says(quiet: Memory) -> None:
    await quiet.add(USER, "old", [turn("m1", "I live in Graz.", proxied=True)], wait=True)
    await quiet.engine.knowledge.queue.work()
    await settle(quiet)
    told = await say(quiet, "The wifi password is trout-77.", "Tell me everything you know about me")
    assert "The user lives in Graz." in told
    assert "The wifi password is trout-77." in told
    assert "I live in Graz." not in told


async def test_a_model_is_told_which_message_it_is(with_model: Memory) -> None:
    await with_model.add(USER, "s1", [turn("m1", "My boat is blue."), turn("m2", "My oar is red.")], wait=True)
    done = await with_model.chat(request("What was the first thing I told you?"))
    [given] = [one for one in done.answer.given if one.section == "end"]
    assert given.content == "My boat is blue."
    assert sum(one.content == given.content for one in done.answer.given) == 1
    assert "end" in {entry.section for entry in done.answer.ledger}
