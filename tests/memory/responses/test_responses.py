"""What is stored of responses: whose it is, where a transcript goes on, and what is left of what was forgotten."""

import pytest

from agents.memory import Memory
from memory.domain import Turn
from memory.ids import owner_apart, prompt_id, response_id
from memory.responses import Answered, Begun, ResponseItem
from tests.conversations import USER
from utils.clock import now
from utils.errors import NotFound

ASKED, SAID = "My parrot is called Archimedes.", "Noted."


def item(identifier: str, role: str, text: str) -> ResponseItem:
    part = {"type": "input_text" if role == "user" else "output_text", "text": text}
    return ResponseItem(
        identifier, {"id": identifier, "type": "message", "role": role, "content": [part]}, (role, text)
    )


async def say(memory: Memory, turn_id: str, session: str, *, owner: str = USER) -> None:
    """An exchange, as the proxy commits it."""
    turns = [
        Turn(prompt_id(turn_id), "user", ASKED, now(), turn_id=turn_id),
        Turn(response_id(turn_id), "assistant", SAID, now(), turn_id=turn_id),
    ]
    await memory.engine.chats.turns.remember(owner, session, turns)


async def keep(
    memory: Memory, name: str, *, owner: str = USER, previous: str | None = None, stored: bool = True
) -> None:
    """A response to one message, in the session `s`, whose exchange is `name`."""
    responses = memory.engine.responses.responses
    begun = await responses.begin(owner, Begun.at_end(name, "s"))
    given, output = [item(f"{name}-in", "user", ASKED)], [item(f"{name}-out", "assistant", SAID)]
    body = {"id": name, "instructions": "Be brief."}
    await responses.keep(owner, begun, Answered(name, body, given, output), previous=previous, stored=stored)


async def documents(memory: Memory, owner: str = USER) -> list[int]:
    collections = memory.engine.store.collections
    names = ("responses", "response_items")
    return [await collections[name].count_documents({"user_id": owner}) for name in names]


async def test_what_was_forgotten_before_it_was_stored_stays_forgotten(quiet: Memory) -> None:
    responses = quiet.engine.responses.responses
    begun = await responses.begin(USER, Begun.at_end("r", "s"))
    await say(quiet, "r", "s")
    await quiet.engine.oversight.forgetter.session(USER, "s")
    given = [item("in", "user", ASKED)]
    await responses.keep(USER, begun, Answered("r", {"id": "r"}, given, [item("out", "assistant", SAID)]))
    assert await documents(quiet) == [0, 0]


async def test_what_a_client_sends_again_that_was_forgotten_is_not_stored(quiet: Memory) -> None:
    responses = quiet.engine.responses.responses
    await say(quiet, "r", "s")
    begun = await responses.begin(USER, Begun.at_end("r", "s"))
    forgotten = item("old", "user", "My PIN is 4471.")
    given = [forgotten, item("new", "user", ASKED)]
    await responses.keep(USER, begun, Answered("r", {}, given, [], ("user", ASKED)))
    items = await responses.items.page(USER, {"response": "r"})
    assert [one.id for one in items] == ["new"]
    begun = await responses.begin(USER, Begun.at_end("r2", "s"))
    await responses.keep(USER, begun, Answered("r2", {}, [forgotten], [forgotten], forgotten.said))
    assert await responses.items.page(USER, {"response": "r2"}) == []


async def test_an_exchange_that_goes_while_its_response_is_stored_takes_its_items_along(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    responses = quiet.engine.responses.responses
    await say(quiet, "r", "s")
    adding = responses.items.add

    async def overtaken(*given: object, **more: object) -> None:
        await quiet.engine.oversight.forgetter.exchanges(USER, [prompt_id("r")])
        await adding(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(responses.items, "add", overtaken)
    await keep(quiet, "r")
    assert await documents(quiet) == [1, 0]


async def test_ids_are_each_users_own(quiet: Memory) -> None:
    for owner in (USER, "bob"):
        await say(quiet, f"{owner}-r", "s", owner=owner)
        await keep(quiet, "r", owner=owner)
    await quiet.engine.responses.responses.delete("bob", "r")
    assert (await quiet.engine.responses.responses.get(USER, "r")).body["id"] == "r"
    with pytest.raises(NotFound):
        await quiet.engine.responses.responses.get("bob", "r")
    assert await documents(quiet, "bob") == [0, 0]


async def test_nothing_of_what_is_not_to_be_stored_is_there(quiet: Memory) -> None:
    await say(quiet, "r", "s")
    await keep(quiet, "r", stored=False)
    document = await quiet.engine.store.collections.responses.find_one({"user_id": USER})
    assert document is not None and "body" not in document and await documents(quiet) == [1, 0]


async def test_a_chain_goes_on_without_a_link_that_is_deleted(quiet: Memory) -> None:
    responses = quiet.engine.responses.responses
    for name, previous in (("r1", None), ("r2", "r1"), ("r3", "r2")):
        await say(quiet, name, "s")
        await keep(quiet, name, previous=previous)
    await responses.delete(USER, "r2")
    newest = await responses.get(USER, "r3")
    every = await responses.items.page(USER, await responses.before(USER, newest, itself=True))
    assert [one.id for one in every] == ["r1-in", "r1-out", "r3-in", "r3-out"]


async def test_a_response_that_is_asked_for_again_stays_in_its_session(quiet: Memory) -> None:
    responses = quiet.engine.responses.responses
    await responses.begin(USER, Begun.at_end("r1", "s1"))
    again = await responses.begin(USER, Begun.at_end("r1", "elsewhere"))
    assert again.session_id == "s1"


async def test_what_is_stored_of_a_session_moves_with_it(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    stored, sessions, zoo = quiet.engine.responses, quiet.engine.chats.sessions, owner_apart(USER, "zoo")
    await say(quiet, "r1", "s")
    await keep(quiet, "r1")
    await keep(quiet, "r2", previous="r1")
    await stored.conversations.create(USER, "s", {"topic": "parrots"}, [item("own", "user", "Listen.")])
    await quiet.put_project(USER, "zoo", {"isolated": True})
    end = sessions.end

    async def later(owner: str, session_id: str) -> object:
        await keep(quiet, "r3", previous="r2", owner=owner)
        return await end(owner, session_id)

    with monkeypatch.context() as patched:
        patched.setattr(sessions, "end", later)
        await quiet.move(USER, "s", "zoo")
    for owner, other, project in ((zoo, USER, None), (USER, zoo, "zoo")):
        response = await stored.responses.get(owner, "r3")
        chain = await stored.responses.items.page(owner, await stored.responses.before(owner, response, itself=True))
        assert [one.id for one in chain] == ["r1-in", "r1-out", "r2-in", "r2-out", "r3-in", "r3-out"]
        assert (await stored.conversations.get(owner, "s")).metadata == {"topic": "parrots"}
        assert (await stored.conversations.item(owner, "s", "own")).body["content"][0]["text"] == "Listen."
        assert await documents(quiet, other) == [0, 0]
        await quiet.move(USER, "s", project)


async def test_of_what_is_not_stored_no_messages_are_read(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    async def read(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(quiet.engine.responses.responses, "_messages", read)
    await keep(quiet, "r", stored=False)
    assert await documents(quiet) == [1, 0]
