"""Answers that were still coming when their process died."""

from dataclasses import replace
from datetime import timedelta

import pytest
from pymongo.errors import AutoReconnect

from agents.memory import Memory
from memory.domain import Turn
from memory.turns import drafts
from memory.turns.drafts import TRIES
from memory.turns.places import Place
from tests.scripted_model import ScriptedModel, answer
from utils.clock import now

ANSWER = Turn("t1.response", "assistant", "Once upon", now(), turn_id="t1", model="gpt", interrupted=True)


async def begun(memory: Memory) -> Place:
    """An exchange whose answer is still to come."""
    prompt = Turn("t1.prompt", "user", "Tell me a story.", now(), turn_id="t1")
    return await memory.engine.chats.turns.open_exchange("ann", "s", prompt, retried=False)


async def messages(memory: Memory) -> list[tuple[str, bool]]:
    return [
        (one.content, one.interrupted) for one in await memory.engine.chats.turns.page("ann", "s", after=-1, limit=9)
    ]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drafts are abandoned at once."""
    monkeypatch.setattr(drafts, "ABANDONED", timedelta(seconds=-1))


async def test_a_draft_that_is_still_written_is_left_alone(quiet: Memory) -> None:
    await quiet.engine.chats.drafts.save(await begun(quiet), ANSWER)
    assert await quiet.engine.chats.drafts.recover() == 0
    assert await messages(quiet) == [("Tell me a story.", False)]


async def test_an_abandoned_draft_becomes_an_interrupted_answer(quiet: Memory, later: None) -> None:
    place = await begun(quiet)
    await quiet.engine.chats.drafts.save(place, replace(ANSWER, content="Once"))
    await quiet.engine.chats.drafts.save(place, ANSWER)
    await quiet.engine.sweep()
    assert await messages(quiet) == [("Tell me a story.", False), ("Once upon", True)]
    session = await quiet.engine.chats.sessions.get("ann", "s")
    assert (session.message_count, session.pair_count) == (2, 1)
    assert await quiet.engine.chats.drafts.recover() == 0


async def test_a_draft_of_an_earlier_build_is_recovered(quiet: Memory, later: None) -> None:
    await quiet.engine.chats.drafts.save(await begun(quiet), ANSWER)
    await quiet.engine.store.collections.drafts.update_one({}, {"$unset": {"place.is_first": ""}})
    assert await quiet.engine.chats.drafts.recover() == 1
    assert await messages(quiet) == [("Tell me a story.", False), ("Once upon", True)]


async def test_what_is_recovered_brings_the_title_that_the_answer_would_have(
    with_model: Memory, scripted_model: ScriptedModel, later: None
) -> None:
    scripted_model.script(answer("A bedtime story"), on="title")
    await with_model.engine.chats.drafts.save(await begun(with_model), ANSWER)
    await with_model.engine.sweep()
    assert (await with_model.engine.chats.sessions.get("ann", "s")).title == "A bedtime story"


@pytest.mark.parametrize("proxied", [True, False])
async def test_what_is_recovered_is_kept_up_as_the_answer_would_have_been(
    quiet: Memory, later: None, proxied: bool
) -> None:
    await quiet.engine.chats.drafts.save(await begun(quiet), replace(ANSWER, proxied=proxied))
    await quiet.engine.chats.drafts.recover()
    kept = await quiet.engine.store.collections.vectors.find_one({"id": ANSWER.id})
    assert kept is not None and ("facts" in kept) == proxied


@pytest.mark.parametrize("late", [True, False])
async def test_the_whole_answer_stands_whether_its_draft_was_recovered_before_or_outlived_it(
    quiet: Memory, later: None, late: bool
) -> None:
    """Late: the process was not dead, only slow."""
    place = await begun(quiet)
    await quiet.engine.chats.drafts.save(place, ANSWER)
    if late:
        assert await quiet.engine.chats.drafts.recover() == 1
    whole = replace(ANSWER, content="Once upon a time.", interrupted=False)
    assert await quiet.engine.chats.turns.close_exchange("ann", "s", place, whole, retried=late) != "gone"
    await quiet.engine.chats.drafts.recover()
    assert await messages(quiet) == [("Tell me a story.", False), ("Once upon a time.", False)]
    assert (await quiet.engine.chats.sessions.get("ann", "s")).message_count == 2
    assert await quiet.engine.store.collections.drafts.count_documents({}) == 0


@pytest.mark.parametrize("all_of_the_user", [True, False])
async def test_a_deletion_takes_drafts_along(quiet: Memory, later: None, all_of_the_user: bool) -> None:
    await quiet.engine.chats.drafts.save(await begun(quiet), ANSWER)
    forgetter = quiet.engine.oversight.forgetter
    await (forgetter.user("ann") if all_of_the_user else forgetter.session("ann", "s"))
    assert await quiet.engine.store.collections.drafts.count_documents({}) == 0
    assert await quiet.engine.chats.drafts.recover() == 0
    assert await messages(quiet) == []


@pytest.mark.parametrize("source", ["t1.prompt", "t1.response"])
async def test_the_answer_of_a_deleted_exchange_is_not_recovered(quiet: Memory, later: None, source: str) -> None:
    place = await begun(quiet)
    await quiet.engine.chats.drafts.save(place, ANSWER)
    if source == ANSWER.id:
        await quiet.engine.chats.turns.close_exchange("ann", "s", place, ANSWER, retried=False)
    assert await quiet.engine.oversight.forgetter.exchange("ann", source)
    assert await quiet.engine.chats.drafts.recover() == 0
    assert await messages(quiet) == []


async def test_a_deleted_answer_is_not_recovered_again(quiet: Memory, later: None) -> None:
    place = await begun(quiet)
    await quiet.engine.chats.drafts.save(place, ANSWER)
    await quiet.engine.chats.turns.close_exchange("ann", "s", place, ANSWER, retried=False)
    assert await quiet.engine.oversight.forgetter.message("ann", ANSWER.id)
    await quiet.engine.chats.drafts.recover()
    assert await messages(quiet) == [("Tell me a story.", False)]


async def test_a_draft_that_cannot_be_kept_stops_nothing_and_is_dropped_in_the_end(
    quiet: Memory, later: None, caplog: pytest.LogCaptureFixture
) -> None:
    place = await begun(quiet)
    bad = replace(ANSWER, id="bad.response", turn_id="bad", content="A secret.")
    await quiet.engine.chats.drafts.save(place, bad)
    await quiet.engine.store.collections.drafts.update_one({"id": bad.id}, {"$unset": {"place.epoch": ""}})
    await quiet.engine.chats.drafts.save(place, ANSWER)
    await quiet.engine.sweep()
    assert await messages(quiet) == [("Tell me a story.", False), ("Once upon", True)]
    assert [one["embed"]["state"] async for one in quiet.engine.store.collections.vectors.find({})] == ["done", "done"]
    for _ in range(TRIES - 1):
        assert [record.levelname for record in caplog.records if "bad" in record.message][-1] == "WARNING"
        assert await quiet.engine.store.collections.drafts.count_documents({}) == 1
        await quiet.engine.sweep()
    assert await quiet.engine.store.collections.drafts.count_documents({}) == 0
    lost = caplog.records[-1]
    assert (lost.levelname, "user ann, session s, exchange bad" in lost.message) == ("ERROR", True)
    assert "secret" not in caplog.text


async def test_a_store_that_is_away_costs_no_draft(quiet: Memory, later: None, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: object) -> bool:
        raise AutoReconnect("the store went away")

    await quiet.engine.chats.drafts.save(await begun(quiet), ANSWER)
    with monkeypatch.context() as patch:
        patch.setattr(quiet.engine.chats.turns, "is_there", away)
        for _ in range(TRIES + 1):
            with pytest.raises(AutoReconnect):
                await quiet.engine.chats.drafts.recover()
    assert await quiet.engine.chats.drafts.recover() == 1
    assert await messages(quiet) == [("Tell me a story.", False), ("Once upon", True)]
