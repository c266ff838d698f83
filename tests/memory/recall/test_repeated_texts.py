"""What a search returns where the same was said often."""

import pytest

from agents.memory import Memory
from config.recipes import PROXY, QUERY_COSINE, SEARCH
from memory.recall.recaller import with_overrides
from tests.conversations import USER, found, turn


async def test_diverse_results_of_one_text_said_often_are_one_and_few_others_are_listed(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn(f"m{n}", "ok") for n in range(300)], wait=True)
    recall = await quiet.search(USER, "ok", with_overrides(QUERY_COSINE, mmr_lambda=0.7))
    assert [hit.gist.content for hit in recall.hits] == ["ok"]
    assert len(recall.considered) < 50


@pytest.mark.parametrize("often", [2, 30, 300])
async def test_a_text_said_often_leaves_room_for_diverse_results(quiet: Memory, often: int) -> None:
    others = [f"Bees of hive {n} make honey." for n in range(9)]
    said = [*others, *["What do bees make? Bees make honey."] * often]
    await quiet.add(USER, "s1", [turn(f"m{n}", text) for n, text in enumerate(said)], wait=True)
    recall = await quiet.search(USER, "bees make honey", with_overrides(PROXY, floor=0.0))
    assert len(recall.hits) == len({hit.gist.content for hit in recall.hits}) == PROXY.top_k
    assert said[-1] in {hit.gist.content for hit in recall.hits}


async def test_a_search_for_diverse_results_has_each_text_once(quiet: Memory) -> None:
    said = [*["The heron nests by the mill."] * 100, "Herons eat frogs.", "A heron is grey."]
    await quiet.add(USER, "s1", [turn(f"m{n}", text) for n, text in enumerate(said)], wait=True)
    recall = await quiet.search(USER, "heron", with_overrides(SEARCH, mmr_lambda=0.7, floor=0.0))
    assert sorted(hit.gist.content for hit in recall.hits) == sorted(set(said))


async def test_a_search_returns_every_message_that_says_the_same(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "bees make honey"), turn("m2", "Bees make honey")], wait=True)
    assert await found(quiet, "bees") == ["m1", "m2"]
