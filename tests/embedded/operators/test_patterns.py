"""Patterns: what one finds, how long it may be, and how many of the long ones are kept."""

import re

import pytest

from embedded.errors import StoreError
from embedded.operators import patterns


def test_a_pattern_has_at_most_16_384_bytes():
    assert patterns.compile_pattern("x" * 16_384, "")("x" * 16_384)
    for long in ("x" * 16_385, "é" * 8_193):
        with pytest.raises(StoreError, match="too long") as raised:
            patterns.compile_pattern(long, "")
        assert raised.value.code == 51091


def test_few_long_patterns_are_kept_and_many_short_ones():
    for n in range(60):
        patterns.compile_pattern(f"{n:02}" + "x" * 2_000, "")
    assert patterns._kept_long.cache_info().currsize == patterns._kept_long.cache_info().maxsize < 60
    assert not any(len(pattern) > 2_000 for _, pattern, *_ in re._cache if isinstance(pattern, str))
    first, second = patterns.compile_pattern("short", "i"), patterns.compile_pattern("short", "i")
    assert first is second


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "found"),
    [
        (r"café\b ", "i", "café x", None),
        (r"CAFÉ(?:\W|$)", "i", "café x", "café "),
        (r"\bcaf\b", "", "café", "caf"),
        (r"\w+", "i", "über", "ber"),
        (r"(?i)É\w+", "", "éab", "éab"),
        (r"[^\w]", "i", "aÉ", "É"),
        (r"[\wé]+", "i", "aÉ", "aÉ"),
        (r"[^\wé]", "i", "aÉ.", "."),
        (r"[\w^-]+", "i", "a^-É", "a^-"),
        (r"\d+", "i", "٣3", "3"),
        (r"\s", "i", "\u2003\t", "\t"),
        (r"(?<=[\w.])x", "i", "éx.x", "x"),
    ],
)
def test_words_digits_and_spaces_are_those_of_ascii_and_letters_fold_by_unicode(pattern, flags, text, found):
    match = patterns.compile_pattern(pattern, flags)(text)
    assert (match and match[0]) == found
