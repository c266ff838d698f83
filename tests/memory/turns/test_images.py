"""Images are kept with the messages that they came with, and go with them."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from memory.ids import owner_apart, prompt_id, response_id
from memory.turns.images import IN_FLIGHT, LENGTH, SHOWN
from tests.conversations import USER, Silent, pairs, request
from tests.meanwhile import Killed, kill, meanwhile
from tests.scripted_model import ScriptedModel
from utils.clock import now
from utils.errors import InvalidInput

PIXEL = "data:image/png;base64,iVBORw0KGgo="
AWAY = "https://pictures.test/bike.png"
BOTH = (PIXEL, AWAY)


async def shown(memory: Memory, turn_id: str, owner: str = USER) -> tuple[str, ...]:
    return (await memory.engine.chats.images.of(owner, [prompt_id(turn_id)])).get(prompt_id(turn_id), ())


async def count(memory: Memory, owner: str = USER) -> int:
    return int(await memory.engine.store.collections.images.count_documents({"user_id": owner}))


async def send(memory: Memory, turn_id: str = "t1", **more: Any) -> None:
    await memory.chat(request("This is my bike.", **{"turn_id": turn_id, "images": BOTH, **more}))


async def test_images_come_back_as_they_came_and_are_the_user_s_alone(quiet: Memory) -> None:
    for owner, images in (("ann", BOTH), ("bob", (AWAY,))):  # whose messages have the same id
        await send(quiet, owner=owner, images=images)
    assert await shown(quiet, "t1", "ann") == BOTH
    assert await shown(quiet, "t1", "bob") == (AWAY,)
    assert await shown(quiet, "t1", "cleo") == ()


async def test_a_request_that_is_made_again_keeps_them_once_and_a_temporary_one_never(quiet: Memory) -> None:
    await send(quiet)
    await send(quiet, retried=True)
    await send(quiet, "t2", temporary=True)
    assert await count(quiet) == 2


async def delete_message(memory: Memory) -> None:
    await memory.engine.oversight.forgetter.message(USER, prompt_id("t1"))


async def delete_exchange(memory: Memory) -> None:
    await memory.engine.oversight.forgetter.exchange(USER, response_id("t1"))


async def delete_session(memory: Memory) -> None:
    await memory.engine.oversight.forgetter.session(USER, "s1")


async def delete_user(memory: Memory) -> None:
    await memory.engine.oversight.forgetter.user(USER)


@pytest.mark.parametrize("delete", [delete_message, delete_exchange, delete_session, delete_user])
async def test_they_go_with_their_message(quiet: Memory, delete: Callable[[Memory], Any]) -> None:
    await send(quiet)
    await send(quiet, "other", owner="bob")
    await delete(quiet)
    assert (await count(quiet), await count(quiet, "bob")) == (0, 2)


async def test_another_text_leaves_a_message_its_images(quiet: Memory) -> None:
    await send(quiet)
    await quiet.engine.oversight.forgetter.reword(USER, prompt_id("t1"), "This is my new bike.")
    assert await shown(quiet, "t1") == BOTH


async def test_nothing_is_left_of_those_of_a_message_that_is_deleted_as_soon_as_it_is_there(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def deleting() -> None:
        await delete_message(quiet)

    meanwhile(monkeypatch, quiet.engine.chats.turns, "open_exchange", deleting, after=True)
    await send(quiet)
    assert await count(quiet) == 0


async def test_they_go_along_with_a_session_that_moves_as_soon_as_their_message_is_there(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await send(quiet, "t0", images=(), project="zoo")

    async def moving() -> None:
        await quiet.put_project(USER, "zoo", {"isolated": True})

    meanwhile(monkeypatch, quiet.engine.chats.turns, "open_exchange", moving, after=True)
    await send(quiet)
    assert await shown(quiet, "t1", owner_apart(USER, "zoo")) == BOTH
    assert await count(quiet) == 0


async def test_those_of_a_message_that_never_came_go_with_the_session_and_no_others(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, quiet.engine.chats.turns, "open_exchange", kill)
    with pytest.raises(Killed):
        await send(quiet, "lost")
    await send(quiet)
    images = quiet.engine.store.collections.images
    await quiet.engine.chats.images.drop_unsaid(USER, "s1")
    assert await count(quiet) == 4  # its message may still be on its way
    await images.update_many({}, {"$set": {"created_at": now() - 2 * IN_FLIGHT}})
    await quiet.engine.chats.images.drop_unsaid(USER, "s1")
    assert (await count(quiet), await shown(quiet, "t1")) == (2, BOTH)


async def test_nothing_is_left_of_those_of_a_session_that_is_deleted_meanwhile(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await send(quiet, "t0", images=())

    async def deleting() -> None:
        await delete_session(quiet)

    meanwhile(monkeypatch, quiet.engine.chats.turns, "insert", deleting)
    await send(quiet)
    assert await count(quiet) == 0


@asynccontextmanager
async def small(settings: Settings, tokens: int) -> AsyncIterator[Memory]:
    async with open_memory(settings.model_copy(update={"context_tokens": tokens}), nudge=Silent()) as memory:
        yield memory


def asked_last(model: ScriptedModel) -> list[Any]:
    return [message["content"] for message in model.asked("chat")[-1]["messages"] if message["role"] == "user"]


async def test_a_model_is_shown_those_of_the_running_conversation(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    await send(with_model)
    await with_model.chat(request("What colour is it?"))
    earlier = asked_last(scripted_model)[0]
    assert earlier[0]["text"] == "This is my bike."
    assert [part["image_url"]["url"] for part in earlier[1:]] == [*BOTH]
    looked = await with_model.chat(request("What is in the picture?"))
    assert looked.context.images is None  # not "No image is attached."


async def test_what_a_small_context_does_not_show_has_a_word_for_it(
    model_settings: Settings, scripted_model: ScriptedModel
) -> None:
    async with small(model_settings, 16_384) as memory:
        for number in range(4):
            await send(memory, f"t{number}")
        await memory.chat(request("What colour is it?"))
    bikes = [content for content in asked_last(scripted_model) if "This is my bike." in str(content)]
    assert bikes[0] == "This is my bike.\n[image]\n[image]"
    assert len(bikes[-1]) == 3


async def test_an_image_of_no_message_is_refused(quiet: Memory) -> None:
    await send(quiet)
    records = [record async for record in quiet.engine.records(USER)]
    for record in records:
        if record.kind == "message":
            record.fields.pop("images", None)
    async with quiet.importing("bob") as importing:
        with pytest.raises(InvalidInput, match="has fewer images"):
            for record in records:
                await importing.take(record)


async def test_they_take_so_many_characters_and_no_more(with_model: Memory) -> None:
    long = "data:image/png;base64," + "A" * (LENGTH // 2)
    for number in range(3):
        await send(with_model, f"t{number}", images=(long,))
    for beside, ids in (((), ["t2"]), ((long,), [])):
        found = (await with_model.chat(request("What colour is it?", images=beside))).context.conversation.images
        assert list(found) == [prompt_id(identifier) for identifier in ids]


async def test_so_many_are_shown_and_no_more(with_model: Memory) -> None:
    for number in range(12):
        await send(with_model, f"t{number}")
    found = (await with_model.chat(request("What colour is it?"))).context.conversation.images
    assert sum(map(len, found.values())) == SHOWN
    assert prompt_id("t11") in found and prompt_id("t0") not in found


async def test_a_message_is_asked_again_with_its_images_unless_others_are_named(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    await send(with_model)
    again = await with_model.chat(request("This is my bike.", instead_of=prompt_id("t1")))
    assert again.context.request.images == BOTH and again.context.request.asks_again == prompt_id("t1")
    same = await with_model.chat(
        request("This is my bike.", instead_of=prompt_id("t1"), images=BOTH, same_images=False)
    )
    assert same.context.request.asks_again == prompt_id("t1")
    bare = await with_model.chat(request("This is my bike.", instead_of=prompt_id("t1"), same_images=False))
    assert bare.context.request.images == () and bare.context.request.asks_again is None
    assert await count(with_model) == 2
    assert len(scripted_model.asked("chat")) > 3


async def test_the_import_of_another_user_s_export_has_them(quiet: Memory) -> None:
    await quiet.add(USER, "s0", pairs(2))
    await send(quiet)
    records = [record async for record in quiet.engine.records(USER)]
    assert [record.kind for record in records].count("image") == 2
    for new in (2, 0):
        async with quiet.importing("bob") as importing:
            for record in records:
                await importing.take(record)
            assert (await importing.finish()).imported["image"] == new
    assert await shown(quiet, "t1", "bob") == BOTH
    await quiet.engine.oversight.forgetter.user(USER)
    assert (await count(quiet), await count(quiet, "bob")) == (0, 2)
