"""The measure of facts: how patterns match, and how what becomes of an item is judged."""

from collections import Counter

import pytest

from agents.memory import Memory
from bench.facts import FactCase, Matcher, by_group, read_data, report, tell

MATCHER = Matcher(("not", "*n't", "no longer"))
LIVES_IN_MADRID = (("madrid",), ("!berlin",), ("!@over",))


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ((("nurse", "doctor"), ("wife's sister",)), True),
        ((("nurse",), ("brother",)), False),
        ((("nur",),), False),
        ((("nur*",),), True),
        ((("cilantro",), ("!sister",)), False),
        ((("cilantro",), ("@over",)), True),
        ((("cilantro",), ("!@over",)), False),
    ],
)
def test_a_pattern_matches_whole_words_of_each_group(pattern: tuple[tuple[str, ...], ...], matches: bool) -> None:
    assert MATCHER.matches("My wife’s sister is a NURSE and doesn't eat cilantro.", pattern) is matches


def test_each_item_of_the_data_can_be_judged() -> None:
    items = read_data().items
    assert Counter(item.kind for item in items) == {"plain": 110, "change": 90, "others": 50, "nothing": 50}
    assert len({item.id for item in items}) == len(items)
    for item in items:
        assert all(0 <= place < len(item.messages) for place in item.none)
        if item.kind == "nothing":
            assert len(item.none) == len(item.messages)
            assert not item.in_force
        else:
            assert item.in_force or item.not_in_force


async def test_a_fact_that_should_have_ended_is_false_and_one_that_took_its_place_is_right(quiet: Memory) -> None:
    ended = (LIVES_IN_MADRID,)
    moves = FactCase("moves", "change", "en", ("I live in Madrid.", "I moved to Berlin."), (), ((("berlin",),),), ended)
    silent = FactCase("silent", "change", "en", ("What's the time?",), (), (), ended)
    stays = FactCase("stays", "change", "en", ("I live in Madrid.",), (), ((("berlin",),),), ended)
    right, wrong = [await tell(quiet, item, MATCHER) for item in (moves, stays)]
    assert right.right
    assert right.ended
    assert right.facts == ("The user moved to Berlin and lives in Berlin.",)
    assert (wrong.false, wrong.missing) == (("The user lives in Madrid.",), stays.in_force)
    nothing = await tell(quiet, silent, MATCHER)
    assert not nothing.facts and not nothing.right  # nothing was there to end
    last = report(by_group([right, wrong])).splitlines()[-1]
    assert last == "precision 0.500, recall 0.500, updates right 1/2 (0.500), false facts 1"


async def test_a_message_that_holds_no_fact_makes_false_ones(quiet: Memory) -> None:
    item = FactCase("none", "nothing", "en", ("I live in Madrid.",), (0,))
    assert (await tell(quiet, item, MATCHER)).false == ("The user lives in Madrid.",)
