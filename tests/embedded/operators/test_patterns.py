"""How long may a pattern be, and how many of the long ones are kept?"""

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
