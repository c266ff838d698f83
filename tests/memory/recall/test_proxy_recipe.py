"""The numbers of the proxy's document, each shown by what it does."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from config.recipes import PROXY, Recipe
from memory.recall.index import UserIndex
from memory.recall.ranking import GLOBAL, RECENCY_DAYS, Scope, at_even_odds
from memory.recall.scored import EXTRA, POOL_PER_ITEM, Ranked, Reads, Scored
from tests.conversations import START
from utils.vectors import to_binary


def scored(said: Sequence[tuple[float, str, int]], recipe: Recipe = PROXY, **more: Any) -> list[Ranked]:
    """What is selected of rows as in `looked_at`."""
    return looked_at(said, recipe, **more).select()


def looked_at(
    said: Sequence[tuple[float, str, int]],
    recipe: Recipe = PROXY,
    *,
    reads: Reads | None = None,
    ages: Sequence[float] | None = None,
    scopes: int = 1,
) -> Scored:
    """Rows with a relevance, a conversation, and a direction of 16 that rows may share."""
    index = UserIndex("model", 16)
    index.put(
        [
            {
                "_id": str(number),
                "embedding_model": "model",
                "embedding": to_binary(np.eye(16, dtype=np.float32)[direction]),
                "timestamp": START + timedelta(seconds=number),
                "session_id": conversation,
                "kind": "turn",
            }
            for number, (_, conversation, direction) in enumerate(said)
        ]
    )
    base = np.array([relevance for relevance, _, _ in said], np.float32)
    recency = np.exp(-np.array(ages or [0] * len(said), np.float64) / RECENCY_DAYS)
    found = Scored(index, recipe, np.arange(len(said)), base, base, None, recency, silent=False, scopes=scopes)
    return found.read(reads or {})


def kept(ranked: list[Ranked]) -> list[int]:
    return [one.row for one in ranked if one.dropped is None]


def test_the_defaults_are_the_documents() -> None:
    assert (PROXY.floor, PROXY.recency_weight, PROXY.mmr_lambda) == (0.35, 0.2, 0.7)
    assert (RECENCY_DAYS, POOL_PER_ITEM) == (30, 3)


def test_what_is_less_relevant_than_035_is_left_out() -> None:
    assert kept(scored([(0.34, "c", 0), (0.35, "c", 1), (0.9, "c", 2)])) == [2, 1]


@pytest.mark.parametrize("days", [0, 30, 365])
def test_the_score_is_four_parts_relevance_and_one_part_recency(days: float) -> None:
    [one] = scored([(0.5, "c", 0)], ages=[days])
    assert one.parts.score == pytest.approx(0.8 * 0.5 + 0.2 * math.exp(-days / 30))


def test_recency_does_not_lift_what_is_below_the_floor() -> None:
    assert kept(scored([(0.3, "c", 0), (0.4, "c", 1)], ages=[0, 1_000])) == [1]


def test_relevance_is_what_it_would_be_at_even_odds() -> None:
    """Where one in ten answers, a probability of 0.1 says no more than that: even odds. Here one in seven does."""
    even = at_even_odds(np.array([0, 0.05, 0.1, 0.5, 1], np.float32), 0.1)
    assert even.tolist() == pytest.approx([0, 0.3214, 0.5, 0.9, 1], abs=1e-4)
    assert PROXY.prior == 0.14


def test_a_cross_encoder_alone_says_what_is_relevant() -> None:
    found = scored([(0.9, "c", 0), (0.1, "c", 1), (0.9, "c", 2)], reads={0: 0.2, 1: 0.8})
    assert kept(found) == [1]
    assert next(one for one in found if one.row == 1).parts.score == pytest.approx(0.8 * 0.8 + 0.2)


def test_the_second_pick_weighs_its_score_against_likeness_to_the_first() -> None:
    """0.7 · (0.8 · 0.9 + 0.2) - 0.3 · 1 = 0.34 for the double, 0.7 · (0.8 · 0.4 + 0.2) - 0 = 0.36 for the other."""
    recipe = replace(PROXY, top_k=2)
    assert kept(scored([(0.9, "c", 0), (0.9, "c", 0), (0.4, "c", 1)], recipe)) == [1, 2]
    assert kept(scored([(0.9, "c", 0), (0.9, "c", 0), (0.36, "c", 1)], recipe)) == [1, 0]


def test_three_candidates_an_item_are_looked_at_in_each_conversation() -> None:
    """Doubles of the first fill a pool of six; the best of the other conversation has a pool of its own."""
    recipe = replace(PROXY, top_k=2)
    said = [*((0.9, "c", 0) for _ in range(40)), (0.5, GLOBAL, 1)]
    assert kept(scored(said, recipe)) == [39, 38]
    found = scored(said, recipe, scopes=2)
    assert kept(found) == [39, 40]
    assert len(found) == POOL_PER_ITEM * 2 + EXTRA + 1  # of a long conversation, no more are told of


def test_what_is_beyond_the_pool_of_its_conversation_is_not_chosen_for_being_other() -> None:
    said = [*((0.9, "c", 0) for _ in range(6)), (0.5, "c", 1), *((0.4, GLOBAL, 2) for _ in range(3))]
    ranked = scored(said, replace(PROXY, top_k=2), scopes=2)
    assert kept(ranked) == [5, 9]
    assert next(one for one in ranked if one.row == 6).dropped == "top_k"


def test_a_cross_encoder_that_counts_alone_reads_what_recall_finds_unlikely() -> None:
    said = [(0.9, "c", 0), (0.1, "c", 1), (0.2, "c", 2)]
    assert looked_at(said).shortlist(2) == [0, 2]
    assert looked_at(said, replace(PROXY, rerank_share=0.5)).shortlist(2) == [0]


@pytest.mark.parametrize(("conversation", "scopes"), [("ada", ("ada", GLOBAL)), (GLOBAL, (GLOBAL,))])
def test_a_conversation_is_searched_with_what_is_global(conversation: str, scopes: tuple[str, ...]) -> None:
    assert Scope.of_conversation(conversation).sessions == scopes
