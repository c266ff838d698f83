"""Which results list what the last question asks for?"""

import pytest

from memory.views.fitness import suiting
from memory.views.relevance import talk_of
from tests.tool_calls import record

HOTELS = record(
    "a",
    {"results": [{"hotel_id": f"H-{at}", "from_price": at, "rating": 7.5, "name": f"Inn {at}"} for at in range(5)]},
    "search_hotels",
    city="Rome",
)
EVENTS = record("b", [{"event_id": f"ev_{at}", "start": f"2025-03-1{at}T09:00"} for at in range(5)], "calendar_list")
OTHERS = [record(f"c{at}", {"note": "x", "price": 5}, "get_note", n=at) for at in range(6)]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("What does each hotel cost?", ["a"]),
        ("And the highest rated one under 180?", ["a"]),
        ("List all events of 2025-03-11", ["b"]),
        ("List all events of 2025-04-11", []),
        ("Which has over 5 km?", []),
        ("Book it for Ann.", []),
        ("Book a hotel for 11 March.", []),
        ("Which event_id is it, and by which name?", []),
        ("", []),
    ],
)
def test_lists_with_what_the_question_asks_for_suit_it(asked: str, found: list[str]) -> None:
    assert suiting([HOTELS, EVENTS, *OTHERS], talk_of([asked], [asked])) == found


def test_what_most_results_list_no_question_asks_of_one() -> None:
    asked = talk_of(["Which is cheaper?"], ["Which is cheaper?"])
    legs = [{"flight_id": f"HB{at}", "fare": at} for at in range(3)]
    flights = [record(f"f{at}", legs, "search_flights") for at in range(3)]
    assert suiting([HOTELS, *flights, *OTHERS[:3]], asked) == []
    of_hotels = talk_of(["Which hotel is cheaper?"], ["Which hotel is cheaper?"])
    assert suiting([HOTELS, *flights, *OTHERS[:3]], of_hotels) == ["a"]
