"""A request that is made twice under one key is done once."""

import asyncio
from datetime import timedelta

import pytest

from agents.memory import Memory
from memory.ids import derived_id
from memory.store import idempotency
from memory.store.idempotency import IN_PROGRESS, IdempotencyKeys, StoredAnswer
from tests.conversations import until
from utils.clock import now
from utils.errors import Conflict, IdempotencyMismatch

PRINT = "print"
ANSWER = StoredAnswer(201, "application/json", b'{"a": 1}')


@pytest.fixture
def keys(quiet: Memory) -> IdempotencyKeys:
    return quiet.engine.store.idempotency


async def test_the_first_answer_is_given_again(keys: IdempotencyKeys) -> None:
    assert await keys.begin("ann", "k", PRINT) is None
    await keys.finish("ann", "k", PRINT, ANSWER)
    for _ in range(2):
        assert await keys.begin("ann", "k", PRINT) == ANSWER


async def test_another_request_under_the_same_key_is_refused(keys: IdempotencyKeys) -> None:
    await keys.begin("ann", "k", PRINT)
    with pytest.raises(IdempotencyMismatch):
        await keys.begin("ann", "k", "another")
    await keys.finish("ann", "k", PRINT, ANSWER)
    with pytest.raises(IdempotencyMismatch):
        await keys.begin("ann", "k", "another")


async def test_of_many_at_once_one_begins(keys: IdempotencyKeys) -> None:
    results = await asyncio.gather(*(keys.begin("ann", "k", PRINT) for _ in range(10)), return_exceptions=True)
    assert results.count(None) == 1
    assert sum(isinstance(one, Conflict) for one in results) == 9


async def test_a_request_that_crashed_may_be_made_again_after_a_while_by_one(
    keys: IdempotencyKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    await keys.begin("ann", "k", PRINT)
    moment = now() + IN_PROGRESS * 1.1
    monkeypatch.setattr(idempotency, "now", lambda: moment)
    results = await asyncio.gather(*(keys.begin("ann", "k", PRINT) for _ in range(5)), return_exceptions=True)
    assert results.count(None) == 1
    assert sum(isinstance(one, Conflict) for one in results) == 4


async def test_a_request_that_failed_may_be_made_again_at_once(keys: IdempotencyKeys) -> None:
    await keys.begin("ann", "k", PRINT)
    await keys.release("ann", "k")
    assert await keys.begin("ann", "k", "another") is None
    await keys.finish("ann", "k", PRINT, ANSWER)
    await keys.release("ann", "k")  # too late: it is done
    assert await keys.begin("ann", "k", "another") == ANSWER


async def test_users_have_keys_of_their_own(keys: IdempotencyKeys) -> None:
    await keys.begin("ann", "k", PRINT)
    assert await keys.begin("bob", "k", "another") is None
    await keys.finish("ann", "k", PRINT, ANSWER)
    with pytest.raises(Conflict):
        await keys.begin("bob", "k", "another")


async def test_keys_expire_after_a_day(quiet: Memory) -> None:
    found = await quiet.engine.store.collections.idempotency.index_information()
    assert found["expiry"]["expireAfterSeconds"] == 24 * 3600


async def test_a_key_is_held_for_as_long_as_its_request_runs(
    keys: IdempotencyKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    await keys.begin("ann", "k", PRINT)
    late = now() + IN_PROGRESS * 1.1
    monkeypatch.setattr(idempotency, "now", lambda: late)
    monkeypatch.setattr(idempotency, "IN_PROGRESS", timedelta(seconds=0.1))
    holding = asyncio.create_task(keys.hold("ann", "k"))

    async def held() -> bool:
        return await keys._requests.count_documents({"until": {"$gt": late}}) == 1

    await until(held)
    with pytest.raises(Conflict):
        await keys.begin("ann", "k", PRINT)
    holding.cancel()


async def test_answers_are_forgotten_and_requests_in_progress_are_not(keys: IdempotencyKeys) -> None:
    for owner, key in (("ann", "k"), ("bob", "k"), ("ann", "running")):
        await keys.begin(owner, key, PRINT)
    await keys.finish("ann", "k", PRINT, ANSWER)
    await keys.finish("bob", "k", PRINT, ANSWER)
    await keys.forget("ann")
    assert await keys.begin("ann", "k", PRINT) is None
    assert await keys.begin("bob", "k", PRINT) == ANSWER
    with pytest.raises(Conflict):
        await keys.begin("ann", "running", PRINT)


@pytest.mark.parametrize("anew", [True, False])
async def test_an_answer_whose_record_is_gone_is_kept_only_where_it_is_asked_for(
    keys: IdempotencyKeys, quiet: Memory, anew: bool
) -> None:
    await keys.begin("ann", "k", PRINT)
    await quiet.engine.oversight.forgetter.user("ann")
    await keys.finish("ann", "k", PRINT, ANSWER, anew=anew)
    if anew:
        with pytest.raises(IdempotencyMismatch):
            await keys.begin("ann", "k", "another")
    assert await keys.begin("ann", "k", PRINT) == (ANSWER if anew else None)


async def test_the_answer_to_a_request_in_progress_at_a_deletion_is_not_kept(
    keys: IdempotencyKeys, quiet: Memory
) -> None:
    await keys.begin("ann", "running", PRINT)
    await keys.begin("bob", "running", PRINT)
    await keys.forget("ann")
    await keys.begin("ann", "later", PRINT)
    for owner, key in (("ann", "running"), ("bob", "running"), ("ann", "later")):
        await keys.finish(owner, key, PRINT, ANSWER)
    assert await keys.begin("bob", "running", PRINT) == await keys.begin("ann", "later", PRINT) == ANSWER
    assert await quiet.engine.store.collections.idempotency.count_documents({"user_id": "ann"}) == 1
    assert await keys.begin("ann", "running", PRINT) is None


async def test_what_tells_nothing_of_a_deletion_is_kept(keys: IdempotencyKeys) -> None:
    for key in ("asked", "deletion"):
        await keys.begin("ann", key, PRINT)
    await keys.forget("ann", but=derived_id("ann", "asked"))
    await keys.finish("ann", "asked", PRINT, ANSWER)
    await keys.finish("ann", "deletion", PRINT, ANSWER, anew=True)
    for key in ("asked", "deletion"):
        assert await keys.begin("ann", key, PRINT) == ANSWER
