"""Facts by rules: is what changed replaced, and nothing else?"""

import pytest

from tests.memory.fact_changes import ALL, Row, after, faults


@pytest.mark.parametrize("row", [row for rows in ALL.values() for row in rows], ids=lambda row: " ".join(row[0]))
def test_what_changed_is_replaced_and_the_rest_stays(row: Row) -> None:
    assert faults(row) == ""


def test_a_name_that_several_bear_ends_nothing() -> None:
    both = ["My sister Anna lives in Gothenburg.", "My colleague Anna lives in Oslo."]
    facts = ["The user's sister Anna lives in Gothenburg.", "The user's colleague Anna lives in Oslo."]
    assert after(*both, "Anna moved to Malmö.") == [*facts, "Anna moved to Malmö."]
    assert after(*both, "Anna moved to Malmö.", "Anna moved to Malmö.") == [*facts, "Anna moved to Malmö."]
