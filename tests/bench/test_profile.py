"""The measure of profiles: its data can be judged."""

import json

from bench.profile import DATA, PARTS, Judged, in_order


def test_each_fact_of_the_data_is_there_once_with_how_much_it_is_needed() -> None:
    data = json.loads(DATA.read_text("utf-8"))
    facts = [fact for part in PARTS for facts in data[part].values() for fact in facts]
    assert len({fact["text"] for fact in facts}) == len(facts)
    assert {fact["need"] for fact in facts} == {1, 2, 3, 4}
    assert len(data["facts"]) == 9


def test_pairs_of_a_language_are_judged_where_one_is_needed_more() -> None:
    facts = [
        Judged("facts", "en", "a", 4, 0.9),
        Judged("facts", "en", "b", 3, 0.9),
        Judged("facts", "en", "c", 1, 0.2),
        Judged("facts", "en", "d", 1, 0.1),
        Judged("facts", "de", "e", 2, 0.5),
    ]
    assert list(in_order(facts)) == [False, True, True, True, True]
