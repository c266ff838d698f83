"""A part of a corpus is spread evenly over it."""

from bench.recall.corpus import spread


def test_a_part_is_spread_evenly() -> None:
    assert spread("abcdefghij", 3) == ("a", "d", "g")
    assert spread("abcd", 4) == ("a", "b", "c", "d")
    assert spread("ab", 9) == ("a", "b")
    assert spread("ab", None) == ("a", "b")
