"""What is told from a result of its own as one that was shortened."""

import pytest

from memory.views.shortened import is_left_of

WHOLE = "\n".join(f"{number:03} the heron stands by the mill and waits" for number in range(40))

ROWS = [f'{{"id": {number}, "note": "{"the heron stands by the mill " * 5}"}}' for number in range(3)]


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"{WHOLE}\n",
        WHOLE[:500],
        WHOLE[-500:],
        WHOLE[:333],
        WHOLE[:80] + "\n[...]\n" + WHOLE[-300:],
        WHOLE[:80] + " <output truncated>",
        WHOLE[:126] + "\nOutput truncated",
        "(result omitted for brevity)",
        "Previous tool result removed.",
        WHOLE[:80] + "…",
        WHOLE[:80] + "\n... [truncated 1,512 characters] ...\n" + WHOLE[-60:],
        WHOLE[:80] + "... (38 more lines)",
        "[Old tool result content cleared]",
        "[cleared]",
        "[... truncated ...]",
        "<result omitted>",
        "Tool output removed to save context.",
        "...",
        "",
    ],
)
def test_what_is_left_of_a_text_is_known(text: str) -> None:
    assert is_left_of(text, WHOLE)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("one is CHANGED", "one is AAA"),
        ("10", "100"),
        ("count: 10", "count: 100"),
        ("done", "still waiting for the build"),
        ("Item removed", "Items in the cart: 1 kettle, 2 cups"),
        ('{"status": "done"}', '{"status": "waiting", "place": 4}'),
        ("[]", '[{"id": 4}]'),
        ("{}", '{"id": 4}'),
        ("0", "17 rows"),
        (WHOLE, WHOLE[:500]),
        ('{"status": "removed"}', '{"status": "available", "place": 4}'),
        ("<status>removed</status>", "<status>available</status><place>4</place>"),
        ('["removed"]', '["available", "waiting"]'),
        (f"{WHOLE}\nstatus: removed", f"{WHOLE}\nstatus: available"),
        (f"{WHOLE}\nstatus: waiting...", f"{WHOLE}\nstatus: compiling everything"),
        (f"[{ROWS[0]}, {ROWS[2]}]", f"[{', '.join(ROWS)}]"),
        (f"[{', '.join(ROWS[:2])}]", f"[{', '.join(ROWS)}]"),
        ("\n".join(ROWS[:2]), "\n".join(ROWS)),
        (WHOLE.replace("039", "040")[:1_000].replace("heron", "crane"), WHOLE),
    ],
)
def test_another_text_is_another_one(text: str, whole: str) -> None:
    assert not is_left_of(text, whole)


@pytest.mark.parametrize("text", ["[" * 100_000, "<a" * 100_000, " " * 100_000 + "x", "\n" * 100_000 + "…"])
def test_the_end_of_a_long_text_is_known_whatever_it_is(text: str) -> None:
    """Where a pattern tries again at every character, this does not end."""
    assert is_left_of(text, f"{text[:50_000]}y{text}")
    assert is_left_of(text, WHOLE + text)
