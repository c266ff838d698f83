"""How much work is done with a text, counted in steps, and texts of the shapes that people and programs send."""

import cProfile
import json
import sys
from base64 import b64encode
from collections.abc import Awaitable, Callable
from functools import _lru_cache_wrapper
from random import Random
from typing import Any

PIECES = {
    "letters": "a",
    "blanks": " ",
    "line ends": "\n",
    "words": "a b ",
    "clauses": "and my sister likes tea ",
    "sentences": "I live in Rome. My dog is called Bob. ",
    "statements": "My code is a1 ",
    "short lines": "ok 1\n",
    "letters by line": "a\n",
    "digits": "1",
    "numbers": "1,1,",
    "quotation marks": '"',
    "apostrophes": "'a ",
    "brackets": "[",
    "bracket lines": "[1,\n",
    "braces": '{"a": [',
    "brace lines": "{\n",
    "parentheses": "(",
    "spaced brackets": "[ ",
    "dashes": "- - ",
    "rules": "=-",
    "dots": ".",
    "dotted": "a.",
    "commas": "a,",
    "columns": "a  b  c\n",
    "table rows": "| a | b\n",
    "CSV rows": "a,b,c\n",
    "stars": "**",
    "fences": "```\n",
    "headings": "# x\n",
    "items": "- name: x\n",
    "tasks": "- [ ] x\n",
    "keys": "  x:\n",
    "settings": "a = 1\n",
    "assignments": "a = ",
    "tags": "<a b='c' ",
    "unclosed tags": "<p>",
    "closing tags": "</p>",
    "comments": "<!--",
    "thoughts": "<think>",
    "test suites": "<testsuite>",
    "test cases": "<testcase a='",
    "documents": "<?xml version='1.0'?>\n<a>",
    "underscores": "_",
    "tabs": "\t",
    "no-break blanks": "a\u00a0",
    "backslashes": "\\",
    "paths": "/1",
    "addresses": "http://a.b/",
    "mail": "a@b.",
    "times": "10:15 ",
    "dates": "5 May 2023 ",
    "names": "Anna Bob ",
    "labels": "Anna: ",
    "questions": "what is my ",
    "requests": "remember that my ",
    "denials": "not ",
    "decisions": "not decided ",
    "lessons": "Lesson: x. ",
    "errors": "error\n  at x(a.py:3)\n",
    "failures": "1 failed ",
    "log": "12:00:01 INFO a\n",
    "definitions": "def f(\n",
    "Chinese": "我叫小明",
    "Arabic": "أنا نباتي ",
    "accents": "e\u0301",
    "emoji": "👩\u200d👧",
}
_NOISE = b64encode(Random(7).randbytes(60_000)).decode()
SHAPES: dict[str, Callable[[int], str]] = {
    **{name: lambda size, piece=piece: (piece * size)[:size] for name, piece in PIECES.items()},  # type: ignore[misc]
    "words that differ": lambda size: " ".join(f"w{at * at}" for at in range(size // 4))[:size],
    "lines that differ": lambda size: "".join(f"line {at} is ok\n" for at in range(size // 10))[:size],
    "a blob": lambda size: (_NOISE * (size // len(_NOISE) + 1))[:size],
    "a blob in a text": lambda size: (
        f"The picture:\n{(_NOISE * (size // len(_NOISE) + 1))[: size - 50]}\nMy dog is called Bob."
    ),
    "a quotation that is never closed": lambda size: ('He said "' + "I live in Rome " * size)[:size],
    "nested lists": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "deeper and deeper": lambda size: "".join(f"{' ' * depth}k{depth}:\n" for depth in range(int((2 * size) ** 0.5)))[
        :size
    ],
    "records": lambda size: json.dumps([{"id": f"a{at}", "at": at} for at in range(size // 24)])[:size],
    "records of other fields": lambda size: json.dumps([{f"k{at}": at} for at in range(size // 16)])[:size],
    "states": lambda size: json.dumps({f"key-{at}": {"state": "ok"} for at in range(size // 32)})[:size],
}


def forget_words() -> None:
    """Empties the product's bounded caches: what an earlier test read must cost as much as what is new."""
    for name in [name for name in sys.modules if name.startswith(("agents.", "api.", "memory.", "utils."))]:
        for cache in vars(sys.modules[name]).values():
            if type(cache) is _lru_cache_wrapper and cache.cache_parameters()["maxsize"]:
                cache.cache_clear()


def steps(work: Callable[[], object]) -> int:
    """How many functions this thread calls for some work, those in C included."""
    forget_words()
    counting = cProfile.Profile()
    counting.enable()
    try:
        work()
    finally:
        counting.disable()
    return sum(entry.callcount for entry in counting.getstats())


async def steps_of(work: Awaitable[Any], *, anew: bool = True) -> tuple[int, Any]:
    """The same of what is awaited, with what comes of it: what this thread does until then, in the event loop too.
    `anew`: with empty caches."""
    if anew:
        forget_words()
    counting = cProfile.Profile()
    counting.enable()
    try:
        result = await work
    finally:
        counting.disable()
    return sum(entry.callcount for entry in counting.getstats()), result


def assert_work_grows_no_faster_than_a_text(
    work: Callable[[str], object], shape: Callable[[int], str], size: int, spare: int = 3_000
) -> None:
    """`spare`: steps that may be for nothing, as the first of a kind."""
    once, thrice = (shape(times * size) for times in (1, 3))
    few = steps(lambda: work(once))
    assert steps(lambda: work(thrice)) <= 4 * few + spare
