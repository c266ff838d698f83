"""MongoDB's search finds what is found in memory, of its owner alone, and nothing that is gone.

Commands are compared with what the documentation of MongoDB asks for, and answered by `tests.scripted_mongot`.
"""

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any

import pytest
from bson.binary import VECTOR_SUBTYPE, Binary

from agents.memory import Memory
from agents.open import open_memory
from agents.tools.memory import Compressing
from config.recipes import QUERY, QUERY_COSINE, SEARCH
from config.settings import Settings
from memory.domain import RULE_BASED
from memory.ids import scoped
from memory.recall import vector_search
from memory.recall.ranking import Scope
from memory.recall.recaller import with_overrides
from tests.conversations import START, USER, Silent, found, pairs, request, settle, turn
from tests.scripted_mongot import ScriptedMongot
from utils.errors import StoreUnavailable
from utils.vectors import from_binary


@pytest.fixture
def settings(make_settings: Callable[..., Settings], mongot: ScriptedMongot) -> Settings:
    return make_settings(mongodb_uri=mongot.uri, vector_search="mongodb")


@pytest.fixture
async def asking(settings: Settings) -> AsyncIterator[Memory]:
    """A memory that asks MongoDB, in which nothing happens in the background."""
    async with open_memory(settings, nudge=Silent()) as memory:
        yield memory


@pytest.fixture
async def exact(settings: Settings) -> AsyncIterator[Memory]:
    """Another one on the same database, that keeps histories in memory."""
    async with open_memory(settings.model_copy(update={"vector_search": "exact"}), nudge=Silent()) as memory:
        yield memory


def filters(mongot: ScriptedMongot) -> list[dict[str, Any]]:
    """What the last search was narrowed by."""
    parts: list[dict[str, Any]] = mongot.sent("$vectorSearch")[-1]["filter"]["$and"]
    return parts


def told_long_ago(memory: Memory) -> None:
    """What this process was told is more than a minute old."""
    for owner in (USER, "ann", "bob"):
        memory.engine.gists.just_said.forget(owner)


# What is sent.


async def test_a_search_is_one_stage_with_its_owner_inside(asking: Memory, mongot: ScriptedMongot) -> None:
    await asking.add(USER, "s1", [turn("m1", "bees make honey")], wait=True)
    assert await found(asking, "bees honey") == ["m1"]
    [search] = mongot.sent("$vectorSearch")
    vector = search.pop("queryVector")
    assert isinstance(vector, Binary)
    assert vector.subtype == VECTOR_SUBTYPE
    [expected] = await asking.engine.gists.embedder.embed(["bees honey"])
    assert from_binary(vector).tolist() == expected.tolist()
    model = asking.engine.gists.embedder.model
    assert search == {
        "index": "loci_embeddings",
        "path": "embedding",
        "numCandidates": 20 * vector_search.NEAREST,
        "limit": vector_search.NEAREST,
        "filter": {
            "$and": [
                {"user_id": USER},
                {"embedding_model": model},
                {"model": {"$ne": RULE_BASED}},
                {"kind": {"$in": ["turn", "fact"]}},
            ]
        },
    }
    [asked] = [body for body in mongot.requests if "aggregate" in body and "$vectorSearch" in body["pipeline"][0]]
    assert asked["aggregate"] == "vectors"
    assert asked["pipeline"][1:] == [{"$project": {"session_id": 1, "message_index": 1}}]


async def test_every_read_of_messages_names_their_owner(asking: Memory, mongot: ScriptedMongot) -> None:
    await asking.add(USER, "s1", pairs(10), wait=True)
    mongot.requests.clear()
    await found(asking, "what did the user say of item number 7?")
    reads = [body["filter"] for body in mongot.sent("find") if body["find"] == "vectors"]
    around = [filter["$or"] for filter in reads if "$or" in filter]
    assert len(around) == 1
    assert all(branch["user_id"] == USER for branch in around[0])
    assert {"user_id": USER, "kind": {"$in": ["turn", "fact"]}} in reads


async def test_a_search_is_narrowed_inside_the_stage(asking: Memory, mongot: ScriptedMongot) -> None:
    await asking.add(USER, "s1", [turn("m1", "bees make honey")], wait=True)
    since, until = START + timedelta(minutes=3), START + timedelta(minutes=5)
    limits = {"since": since.timestamp(), "until": until.timestamp()}
    await found(asking, "bees", kinds=("turn", "fact"), session_id="s1", only_session=True, **limits)
    naive = {"$gte": since.replace(tzinfo=None), "$lte": until.replace(tzinfo=None)}
    assert filters(mongot)[3:] == [{"kind": {"$in": ["turn", "fact"]}}, {"timestamp": naive}, {"session_id": "s1"}]
    await found(asking, "bees", session_id="s1")
    assert {"session_id": "s1"} not in filters(mongot)


async def test_times_at_the_end_of_the_calendar_are_sent(asking: Memory) -> None:
    await asking.add(USER, "s1", [turn("m1", "bees make honey")], wait=True)
    assert await found(asking, "bees", since=-62135596800.0, until=253402300800.0) == ["m1"]


# What is found.


async def test_what_is_found_is_what_is_found_in_memory(asking: Memory, exact: Memory) -> None:
    await asking.add(USER, "s1", pairs(40), wait=True)
    await asking.add(USER, "s2", [turn(f"b{n}", f"bees of hive {n} make honey") for n in range(40)], wait=True)
    for query in ("what does the user say of item number 7?", "honey of hive 12", "when?"):
        for recipe in (SEARCH, QUERY, QUERY_COSINE, with_overrides(SEARCH, recency_weight=0.3, mmr_lambda=0.7)):
            one, other = [await memory.search(USER, query, recipe) for memory in (asking, exact)]
            assert [hit.gist for hit in one.hits] == [hit.gist for hit in other.hits]
            for hit, same in zip(one.hits, other.hits, strict=True):
                assert list(hit.parts) == pytest.approx(list(same.parts), abs=1e-3)


async def test_users_find_their_own_messages_alone(asking: Memory, mongot: ScriptedMongot) -> None:
    for owner in ("ann", "bob"):
        await asking.add(owner, "s1", [turn(f"{owner}{n}", f"bees make honey {n}") for n in range(5)], wait=True)
    for owner in ("ann", "bob"):
        assert {name[:3] for name in await found(asking, "bees honey", owner=owner)} == {owner}
        assert {"user_id": owner} in filters(mongot)
    assert await found(asking, "bees honey", owner="cleo") == []


async def test_an_id_that_another_user_has_by_now_is_not_found(
    asking: Memory, settings: Settings, mongot: ScriptedMongot
) -> None:
    await asking.add("ann", "s1", [turn("m1", "bees make honey")], wait=True)
    with mongot.lagging(settings.mongodb_db):
        await asking.engine.oversight.forgetter.user("ann")
        await asking.add("bob", "s1", [turn("m1", "bees make honey")], wait=True)
        await asking.add("ann", "s2", [turn("m2", "wasps do not")], wait=True)
        told_long_ago(asking)
        assert "m1" not in {one.key for one in (await asking.search("ann", "bees make honey")).considered}
        assert scoped("m1", "ann") not in await found(asking, "bees make honey", owner="ann")


async def test_neighbours_that_share_nothing_with_the_query_are_ranked_with_what_stands_beside_them(
    asking: Memory, settings: Settings, mongot: ScriptedMongot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_search, "NEAREST", 1)
    monkeypatch.setattr(vector_search, "NEWEST", 1)
    said = [turn(f"m{n}", f"tiles, grout and shelf number {n}") for n in range(20)]
    said[9] = turn("m9", "What is your cello called?")
    await asking.add(USER, "s1", said, wait=True)
    told_long_ago(asking)
    recall = await asking.search(USER, "What is your cello called?", with_overrides(SEARCH, floor=0.0))
    assert {one.key for one in recall.considered} == {"m7", "m8", "m10", "m11", "m19"}  # m9 asks the same


async def test_answers_made_by_rules_take_no_place_among_the_nearest(
    asking: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_search, "NEAREST", 2)
    monkeypatch.setattr(vector_search, "NEWEST", 1)
    echoes = [turn(f"r{n}", "bees make honey", "assistant", model=RULE_BASED) for n in range(10)]
    await asking.add(USER, "s1", [turn("m1", "In summer bees make honey")], wait=True)
    await asking.add(USER, "s2", echoes, wait=True)
    await asking.add(USER, "s3", [turn("m2", "something else")], wait=True)
    told_long_ago(asking)
    assert "m1" in await found(asking, "bees make honey")


# While mongot lags.


async def test_what_was_just_said_is_found_while_mongot_does_not_know_it(
    asking: Memory, settings: Settings, mongot: ScriptedMongot
) -> None:
    await asking.add(USER, "s1", [turn("m1", "bees make honey")], wait=True)
    with mongot.lagging(settings.mongodb_db):
        await asking.add(USER, "s1", [turn("m2", "wasps live in paper")], wait=True)  # embedded
        await asking.add(USER, "s1", [turn("m3", "hornets eat wasps")])  # not yet
        assert set(await found(asking, "what do wasps live in?")) >= {"m2", "m3"}


async def test_another_process_finds_what_mongot_does_not_know_yet(
    asking: Memory, exact: Memory, settings: Settings, mongot: ScriptedMongot
) -> None:
    with mongot.lagging(settings.mongodb_db):
        await exact.add(USER, "s1", [turn("m1", "wasps live in paper")], wait=True)
        assert await found(asking, "where do wasps live?") == ["m1"]


async def test_what_was_deleted_is_not_found_while_mongot_still_names_it(
    asking: Memory, exact: Memory, settings: Settings, mongot: ScriptedMongot
) -> None:
    await asking.add(USER, "s1", [turn("m1", "bees make honey")], wait=True)
    await asking.add(USER, "s2", [turn("m2", "bees like lavender")], wait=True)
    with mongot.lagging(settings.mongodb_db):
        await exact.engine.oversight.forgetter.session(USER, "s1")
        told_long_ago(asking)
        recall = await asking.search(USER, "bees make honey")
        assert [hit.gist.id for hit in recall.hits] == ["m2"]
        assert [one.key for one in recall.considered] == ["m2"]


async def test_what_was_redacted_is_not_found_by_what_it_said(
    asking: Memory, settings: Settings, mongot: ScriptedMongot
) -> None:
    said = turn("m1", "Your locker has the number 4711", "assistant", model="gpt-4o-mini")
    await asking.add(USER, "s1", [said], wait=True)
    told_long_ago(asking)
    with mongot.lagging(settings.mongodb_db):
        assert await asking.engine.oversight.forgetter.redact(USER, "locker", ["4711"]) == 1
        assert await found(asking, "locker number 4711") == []
        await settle(asking)
        [hit] = (await asking.search(USER, "locker number")).hits
        assert "4711" not in hit.gist.content


# Scopes.


async def test_a_search_stays_within_a_session_a_time_and_kinds(asking: Memory) -> None:
    await asking.add(USER, "s1", [turn(f"m{n}", f"bees {n}") for n in range(10)], wait=True)
    await asking.add(USER, "s2", [turn("n99", "bees elsewhere")], wait=True)
    assert await found(asking, "bees", session_id="s2", only_session=True) == ["n99"]
    since, until = (START + timedelta(minutes=n) for n in (3, 5))
    limits = {"since": since.timestamp(), "until": until.timestamp()}
    assert sorted(await found(asking, "bees", **limits)) == ["m3", "m4", "m5"]
    assert await found(asking, "bees", kinds=("insight",)) == []
    assert len(await found(asking, "bees", kinds=("insight", "turn"))) == 8
    assert await found(asking, "bees", session_id="s3", only_session=True) == []
    assert "m3" not in await found(asking, "bees 3", exclude=frozenset({"m3"}))


@pytest.mark.parametrize(("vectors", "expected"), [(49, ["elsewhere"]), (50, [])])
async def test_other_sessions_are_searched_while_the_session_has_fewer_than_50_vectors(
    asking: Memory, monkeypatch: pytest.MonkeyPatch, vectors: int, expected: list[str]
) -> None:
    monkeypatch.setattr(vector_search, "NEAREST", 5)
    monkeypatch.setattr(vector_search, "NEWEST", 5)
    await asking.add(USER, "s2", [turn("elsewhere", "my cello is a Mirecourt")], wait=True)
    filler = [turn(f"m{n}", f"filler {n}") for n in range(vectors)]
    echo = turn("echo", "You told me: my cello", "assistant", model=RULE_BASED)
    await asking.add(USER, "s1", [*filler, echo], wait=True)
    told_long_ago(asking)
    assert await found(asking, "my cello is a", QUERY_COSINE, session_id="s1") == expected


# When it fails.


async def test_a_mongot_that_fails_is_told_as_a_store_that_does_not_answer(
    asking: Memory, mongot: ScriptedMongot, caplog: pytest.LogCaptureFixture
) -> None:
    await asking.add(USER, "s1", [turn("m1", "bees make honey")], wait=True)
    mongot.refusing = (8, "UnknownError", "Executor error :: caused by :: connection refused")
    with pytest.raises(StoreUnavailable, match="does not answer"):
        await found(asking, "bees")
    assert "connection refused" in caplog.text
    mongot.refusing = None
    assert await found(asking, "bees") == ["m1"]


async def test_an_index_that_was_dropped_is_told_and_not_taken_for_an_empty_history(
    asking: Memory, mongot: ScriptedMongot
) -> None:
    await asking.add(USER, "s1", [turn("m1", "bees make honey")], wait=True)
    mongot.indexes.clear()
    with pytest.raises(StoreUnavailable, match="gone"):
        await found(asking, "bees")


async def test_a_receipt_explains_what_was_not_looked_at(asking: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    await asking.add(USER, "s1", [turn(f"m{n}", f"tiles and grout number {n}") for n in range(60)], wait=True)
    await asking.add(USER, "s2", [turn("cello", "My cello is called Esmeralda.")], wait=True)
    asked = request("What is my cello called?", "s3")
    done = await asking.chat(asked)
    assert "Esmeralda" in done.answer.text
    explained = await asking.engine.oversight.explainer.why_not(USER, asked.turn_id, "cello")
    assert (explained.reason, explained.recorded) == ("used", True)
    monkeypatch.setattr(vector_search, "NEAREST", 1)
    monkeypatch.setattr(vector_search, "NEWEST", 1)
    looked_at = {one.key for one in (await asking.engine.chats.receipts.get(USER, asked.turn_id)).considered}
    other = next(name for name in (f"m{n}" for n in range(20)) if name not in looked_at)
    explained = await asking.engine.oversight.explainer.why_not(USER, asked.turn_id, other)
    assert (explained.reason, explained.recorded) == ("pool", False)


async def test_observations_are_recalled_by_words_without_it(asking: Memory, mongot: ScriptedMongot) -> None:
    await asking.observe(USER, "RUN:walk", findings=["The heron nests by the mill"])
    [recalled] = await asking.recall_observations(USER, "heron")
    assert recalled.observation.content == "The heron nests by the mill"
    assert mongot.sent("$vectorSearch") == []
    await settle(asking)
    assert await found(asking, "heron") == []
    assert await found(asking, "heron", kinds=("finding",)) == [recalled.observation.id]


async def test_what_was_said_last_is_found_beside_many_new_observations(asking: Memory) -> None:
    await asking.add(USER, "s1", [turn("m1", "bees make honey")], wait=True)
    await asking.observe(USER, "RUN:walk", findings=[f"heron {n}" for n in range(vector_search.NEWEST + 50)])
    assert await found(asking, "bees honey") == ["m1"]


async def test_sections_of_memory_banks_are_found_by_those_who_ask_for_them(
    asking: Memory, mongot: ScriptedMongot
) -> None:
    await asking.activate(USER, "project", "hive")
    await asking.update(USER, "project", "hive", "The bees make honey in May.")
    await asking.add(USER, "s1", [turn("m1", "bees make honey")], wait=True)
    await asking.engine.gists.queue.work()
    assert await found(asking, "bees honey") == ["m1"]
    recall = await asking.search(USER, "bees honey", SEARCH, Scope(kinds=("section",)))
    assert [hit.gist.kind for hit in recall.hits] == ["section"]
    assert {"kind": {"$in": ["section"]}} in filters(mongot)


async def test_of_what_a_search_is_among_all_is_compared(
    asking: Memory, mongot: ScriptedMongot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_search, "NEAREST", 2)
    monkeypatch.setattr(vector_search, "NEWEST", 2)
    await asking.add(USER, "s1", [turn(f"m{n}", f"bees make honey {n}") for n in range(12)], wait=True)
    await asking.add("bob", "s1", [turn("a1", "bees make honey")], wait=True)
    told_long_ago(asking)
    among = frozenset({f"m{n}" for n in range(9)} | {"a1"})
    recall = await asking.search(USER, "bees make honey", with_overrides(SEARCH, floor=0.0), Scope(among=among))
    assert {one.key for one in recall.considered} == among - {"a1"}
    assert mongot.sent("$vectorSearch") == []


async def test_a_history_is_packed_by_what_its_records_say(asking: Memory, mongot: ScriptedMongot) -> None:
    def called(at: int) -> list[dict[str, Any]]:
        call = {"id": f"c{at}", "type": "function", "function": {"name": "look", "arguments": f'{{"hive": {at}}}'}}
        result = {"role": "tool", "tool_call_id": f"c{at}", "content": f'{{"hive": {at}, "bees": {at * 1000}}}'}
        return [{"role": "assistant", "content": None, "tool_calls": [call]}, result]

    history = ({"role": "user", "content": "How many bees?"}, *(part for at in range(6) for part in called(at)))
    for _ in range(2):
        options = asking.tool_memory.options
        done = await asking.tool_memory.compress(
            Compressing(USER, "t1", history, options, query="hive 3", sent_alone=True)
        )
        await settle(asking)
    assert "3000" in str(done.messages)
    assert mongot.sent("$vectorSearch") == []
