"""Subscriptions: who is told of a change, and who not any more."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from types import SimpleNamespace
from typing import Any

import pytest
from mcp_types import SubscriptionFilter, SubscriptionsListenRequestParams

from agents.memory import Memory
from api.mcp import subscriptions as module
from api.mcp.subscriptions import Subscriptions
from tests.conversations import USER, until
from tests.meanwhile import meanwhile
from utils.errors import InvalidInput

URI = "loci://banks/project/loci/active.md"


class Session:
    """A connection. `stuck`: it takes nothing; `broken`: it is gone, and nobody said so."""

    def __init__(self, *, stuck: bool = False, broken: bool = False) -> None:
        self._connection = SimpleNamespace(exit_stack=AsyncExitStack())
        self._stuck = stuck
        self._broken = broken
        self.heard: list[str] = []

    async def send_resource_updated(self, uri: str) -> None:
        self.heard.append(uri)
        if self._stuck:
            await asyncio.Event().wait()
        if self._broken:
            raise RuntimeError

    async def end(self) -> None:
        await self._connection.exit_stack.aclose()


@pytest.fixture
async def subscriptions(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    monkeypatch.setattr(module, "LOOK", 0.05)
    monkeypatch.setattr(module, "SENDING", 0.05)
    await quiet.activate(USER, "project", "loci")
    made = Subscriptions(lambda: quiet.engine.library.banks)
    yield made
    await made.end_all()


def heard(session: Session, times: int) -> Any:
    async def look() -> bool:
        return len(session.heard) >= times

    return look


async def test_each_change_is_told_once_whoever_made_it(quiet: Memory, subscriptions: Any) -> None:
    first, second = Session(), Session()
    await quiet.update(USER, "project", "loci", "The sky was blue.")  # before anybody asked
    await subscriptions.add(USER, "one", first, URI)
    await quiet.update(USER, "project", "loci", "decisions.md:\nAnother file.")
    await quiet.update(USER, "project", "loci", "The sea was calm.")
    await until(heard(first, 1))
    await subscriptions.add(USER, "two", second, URI)
    await quiet.update(USER, "project", "loci", "The air was clear.")
    await until(heard(second, 1))
    assert (len(first.heard), len(second.heard)) == (2, 1)


async def test_who_cannot_be_told_keeps_nobody_waiting_and_is_told_no_more(quiet: Memory, subscriptions: Any) -> None:
    stuck, broken, well = Session(stuck=True), Session(broken=True), Session()
    for number, session in enumerate((stuck, broken, well)):
        await subscriptions.add(USER, str(number), session, URI)
    await quiet.update(USER, "project", "loci", "The sky was blue.")
    await until(heard(well, 1))

    async def dropped() -> bool:
        return list(subscriptions._owners[USER].told) == ["2"]

    await until(dropped)
    await quiet.update(USER, "project", "loci", "The sea was calm.")
    await until(heard(well, 2))
    assert (len(stuck.heard), len(broken.heard)) == (1, 1)


async def test_of_too_many_connections_the_oldest_are_told_no_more(
    quiet: Memory, subscriptions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST", 2)
    sessions = [Session() for _ in range(3)]
    for number, session in enumerate(sessions):
        await subscriptions.add(USER, str(number), session, URI)
    await quiet.update(USER, "project", "loci", "The sky was blue.")
    for session in sessions[1:]:
        await until(heard(session, 1))
    assert sessions[0].heard == []


async def test_of_too_many_addresses_the_last_are_refused_and_nothing_is_kept_of_them(
    subscriptions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ADDRESSES", 2)
    many = [URI.replace("active", name) for name in ("context", "active", "progress")]
    listened = SubscriptionsListenRequestParams(notifications=SubscriptionFilter(resource_subscriptions=many))
    context: Any = None
    with pytest.raises(InvalidInput, match="At most 2 files"):
        await subscriptions.listen(USER, context, listened)
    assert subscriptions._owners == {}
    one, two = Session(), Session()
    for uri in many[:2]:
        await subscriptions.add(USER, "one", one, uri)
    await subscriptions.add(USER, "two", two, URI)
    with pytest.raises(InvalidInput):
        await subscriptions.add(USER, "two", two, many[2])
    await subscriptions.add("bob", "three", Session(), many[2])
    await one.end()
    await subscriptions.add(USER, "two", two, many[2])


async def test_of_two_who_ask_at_once_for_too_many_addresses_one_is_refused(
    subscriptions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ADDRESSES", 1)
    asked = [subscriptions.add(USER, name, Session(), URI.replace("active", name)) for name in ("context", "progress")]
    done = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(one) for one in done] == [type(None), InvalidInput]


async def test_who_subscribes_meanwhile_to_the_same_file_is_told_of_no_change_twice(
    quiet: Memory, subscriptions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Session(), Session()
    mark = None

    async def another() -> None:
        nonlocal mark
        await subscriptions.add(USER, "second", second, URI)
        await quiet.update(USER, "project", "loci", "The sky was blue.")
        await until(heard(second, 1))
        mark = subscriptions._owners[USER].marks[URI]

    with monkeypatch.context() as patched:
        meanwhile(patched, quiet.engine.library.banks, "infos", another, after=True)  # type: ignore[arg-type]
        await subscriptions.add(USER, "first", first, URI)
    assert subscriptions._owners[USER].marks[URI] == mark
    assert (len(first.heard), len(second.heard)) == (0, 1)


async def test_of_a_connection_whose_end_nobody_would_hear_of_nothing_is_kept(subscriptions: Any) -> None:
    with pytest.raises(AttributeError):
        await subscriptions.add(USER, "one", object(), URI)
    assert subscriptions._owners[USER].told == {}


async def test_nothing_is_kept_of_who_left_and_nobody_looks_for_nobody(subscriptions: Any) -> None:
    one, two = Session(), Session()
    await subscriptions.add(USER, "one", one, URI)
    await subscriptions.add("bob", "two", two, URI)
    await one.end()
    subscriptions.drop("bob", "two", URI)
    assert subscriptions._owners == {}

    async def rests() -> bool:
        return bool(subscriptions._looking.done())

    await until(rests)
