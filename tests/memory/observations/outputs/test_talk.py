"""Is what people say in an output told, and their courtesies not?"""

import time

import pytest

from memory.observations.outputs.rules import observe_by_rules
from memory.observations.outputs.talk import speakers_in


def findings(output: str) -> list[str]:
    return [one.content for one in observe_by_rules(output) if one.category == "finding"]


@pytest.mark.parametrize(
    ("first", "second"), [("User", "Agent"), ("Ann", "Bob Lee"), ("Customer", "Support"), ("Speaker 1", "Speaker 2")]
)
def test_of_a_talk_what_is_stated_is_told_with_who_says_it(first: str, second: str) -> None:
    talk = [
        f"{first}: The invoice export is broken since Monday.",
        f"{second}: I found that the export job uses the old schema v3.",
        f"{first}: Great, please fix.",
        f"{second}: OK, thanks!",
        f"{first}: Check the logs of db-1.",
        f"{second}: Sure. The export runs on v4 now. Anything else?",
    ]
    assert findings("\n".join(talk)) == [talk[0], talk[1], f"{second}: The export runs on v4 now."]


@pytest.mark.parametrize(
    "line",
    [
        "Greeting: Hello, world!",
        "Description: A linter for YAML.",
        "Message: Please log in again.",
        "Owner: Maria Lopez",
        "User: postgres-1",
        "Agent: Mozilla/5.0",
    ],
)
def test_a_value_under_a_name_is_nothing_that_somebody_says(line: str) -> None:
    assert findings(f"Region: eu-1\nName: x-1\n{line}\nRegion: eu-2\nName: x-2\n") == [
        "Region: eu-1",
        "Name: x-1",
        line,
        "Region: eu-2",
        "Name: x-2",
    ]


def test_what_is_said_without_a_verb_that_is_known_is_told_unless_it_is_a_request() -> None:
    talk = ["Q: Who owns it?", "A: Maria Lopez owns the gateway.", "Q: Look at db-1, please.", "A: Done, Sir."]
    assert findings("\n".join(talk)) == [talk[1]]


def test_a_long_turn_is_read_in_a_moment() -> None:
    began = time.process_time()
    assert not speakers_in([f"User: {'a-' * 100_000}", f"User: {'.' * 200_000}", f"User: {'a' * 200_000}."])
    assert speakers_in([f"User: {'a-' * 100_000}a."]) == {"User"}
    assert time.process_time() - began < 10
