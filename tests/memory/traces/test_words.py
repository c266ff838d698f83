"""Words of a query: the records that have them in what they were called with and what came back."""

import pytest

from memory.traces.trace import Trace
from memory.traces.words import MOST_WORDS, shares, words_in, words_sought
from utils.clock import now


def trace(output: str, name: str = "search_hotels", asked: str = "{}") -> Trace:
    return Trace("t", "k", "task", 1, "c", name, asked, output, now(), "", "", "", len(output))


@pytest.mark.parametrize(
    ("output", "query", "has"),
    [
        ('{"name": "Oriente One"}', "Oriente One", True),
        ('{"from_price": 119.9}', "119.9", True),
        ('{"from_price": 119.95}', "119.9", False),
        ('{"from_price": 2119.9}', "119.9", False),
        ('{"from_price": 1,119}', "119", False),
        ('{"from_price": 119}', "What is the price?", True),
        ('{"hotel_id": "LIS-294"}', "lis-294", True),
        ('{"name": "Belém Bay"}', "belém", True),
        ('{"name": "Orientale"}', "Oriente", False),
        ("東京都のホテル", "ホテル", True),
    ],
)
def test_words_are_found_wherever_they_stand_alone(output: str, query: str, has: bool) -> None:
    words = words_sought(query)
    assert (words_in(trace(output), words) == set(words)) is has
    assert "search" in words_in(trace(output), ("search",))


def test_words_that_say_nothing_are_not_looked_for() -> None:
    assert words_sought("What is it?") == () and words_sought(" ") == ()
    assert len(words_sought(" ".join(f"word{at}" for at in range(99)))) == MOST_WORDS


def test_a_word_weighs_the_more_the_fewer_records_have_it() -> None:
    common, rare = frozenset({"hotel"}), frozenset({"hotel", "oriente"})
    found = {f"r{at}": common for at in range(9)} | {"a": rare}
    assert shares(found, ("hotel", "oriente")) == {"a": 1.0}
    assert shares(found, ("hotel", "oriente", "no", "where")) == {}
    assert shares({}, ("hotel",)) == {} and shares({"a": frozenset()}, ()) == {}
