"""Does what comes nearest hold what is wanted, and is it likely, or far before the others?"""

from datetime import UTC, datetime

import pytest

from agents.chat.context import Citation
from agents.chat.nearest import nearest
from agents.chat.statements import Sentence


def scored(*found: tuple[str, float]) -> list[Sentence]:
    """Sentences of messages, as likely as they are said to be."""
    moment = datetime(2025, 3, 1, tzinfo=UTC)
    return [
        Sentence(text, Citation(0, text, "turn", "similar", "s", "user", text, moment, score), 0.51)
        for text, score in found
    ]


@pytest.mark.parametrize(("first", "second", "told"), [(0.55, 0.5, True), (0.45, 0.4, False), (0.45, 0.2, True)])
def test_what_is_likely_or_stands_out_is_the_nearest(first: float, second: float, told: bool) -> None:
    downtime, lift = "downtime was 47 minutes on the second floor", "the lift took 12 minutes to come back to us"
    found = nearest("How long was the outage?", scored((downtime, first), (lift, second)))
    assert [one.text for one in found] == [downtime] * told


@pytest.mark.parametrize(
    ("hives", "told"),
    [("im allergic to ibuprofen, got hives all over", True), ("ich bin no fan von Ibuprofen, nicht mit mir", False)],
)
def test_what_holds_what_is_wanted_is_the_nearest_behind_what_does_not(hives: str, told: bool) -> None:
    given = "they gave me paracetamol 500, max 4x2 a day"
    for score in (0.42, 0.32):
        found = nearest("Which medicine must I not take?", scored((given, 0.62), (hives, score)))
        assert [one.text for one in found] == [hives] * (told and score > 0.4)
