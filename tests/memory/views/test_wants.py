"""Which values does a tool want as they are now?"""

import pytest

from memory.views.blocks import blocks_of
from memory.views.relevance import talk_of
from memory.views.wants import given_anew, wanted_in
from tests.tool_calls import record

NOTE = "lorem ipsum dolor sit amet " * 20


@pytest.mark.parametrize(
    ("output", "key", "is_wanted"),
    [
        ({"error": "412 Precondition Failed: send the event's current etag"}, "etag", True),
        ({"error": "version mismatch: revision_no is 8 by now"}, "revision_no", True),
        ("Error: the current lock_token must be sent, yours is stale", "lock_token", True),
        ({"error": "no such event; its etag is unknown"}, "etag", False),
        ({"note": "the current etag is what counts"}, "etag", False),
    ],
)
def test_a_call_that_fails_for_want_of_a_current_value_names_its_field(
    output: object, key: str, is_wanted: bool
) -> None:
    assert (key in wanted_in([record("a", output, "update", id=7)])) is is_wanted


def test_what_is_given_anew_is_what_the_thing_is_named_by_from_then_on() -> None:
    back = {"event_id": "ev_9", "etag": '"ccc333"', "start": "16:00", "status": "ok", "version": 4}
    sent = {"event_id": "ev_9", "etag": '"aaa111"', "start": "15:00", "status": "open", "version": 3}
    assert given_anew(record("a", back, "update_event", **sent)) == {"etag", "version"}
    assert given_anew(record("a", back, "get_event", **sent)) == frozenset()
    assert given_anew(record("a", {**back, "error": "no"}, "update_event", **sent)) == frozenset()
    assert given_anew(record("a", {"event_id": "ev_9"}, "update_event", **sent)) == frozenset()


@pytest.mark.parametrize("tag", ['"ccc333ddd444"', 'W/"ccc333ddd444"', "17"])
def test_a_new_tag_stands_in_the_place_of_the_one_that_was_sent(tag: str) -> None:
    key = "etag" if tag != "17" else "rowVersion"
    updated = record(
        "a", {"event_id": "ev_9", "note": NOTE, key: tag}, "update_event", **{"event_id": "ev_9", key: '"aaa111bbb222"'}
    )
    [block] = blocks_of([updated], talk_of(["Move it"]), 2_000)
    assert tag.strip('W/"') in block.body and "aaa111" not in block.title
