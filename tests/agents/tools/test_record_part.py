"""Which part of a long text is read, and which of a long message is shown?"""

import pytest

from agents.tools.record_part import MOST_WORDS, part_of, passage
from utils.text import GAP

ROWS = "\n".join(f"row {number:04}: nothing of note" for number in range(2_000))
TEXT = ROWS.replace("row 1200: nothing", "row 1200: the zeppelin HAT136 waits for a pilot, nothing")


def test_without_a_query_it_begins_where_it_is_asked_to() -> None:
    first = part_of(TEXT, offset=0, limit=100)
    assert first is not None and (first.text, first.begin, first.end, first.all) == (TEXT[:100], 0, 100, len(TEXT))
    last = part_of(TEXT, offset=len(TEXT) - 10, limit=100)
    assert last is not None and (last.text, last.end) == (TEXT[-10:], len(TEXT))
    behind = part_of(TEXT, offset=len(TEXT) + 5, limit=100)
    assert behind is not None and behind.text == ""


def test_a_query_is_found_in_any_case_with_what_stands_before_it() -> None:
    for query in ("hat136", "zeppelin pilot", "PILOT the zeppelin"):
        part = part_of(TEXT, offset=0, limit=400, query=query)
        assert part is not None and "zeppelin HAT136" in part.text and "row 1199" in part.text, query
        assert len(part.text) == 400 and TEXT[part.begin : part.end] == part.text


@pytest.mark.parametrize(
    "query", ["What is the plan of customer cust_133?", "cust_133 churned signup", "plan, cust_133"]
)
@pytest.mark.parametrize("limit", [200, 1_000, 8_000])
def test_a_rare_word_is_found_among_those_that_stand_everywhere(query: str, limit: int) -> None:
    rows = (f'{{"customer": "cust_{n}", "plan": "pro", "signup": "2025", "churned": true}}' for n in range(100, 300))
    part = part_of(", ".join(rows), offset=0, limit=limit, query=query)
    assert part is not None and '"cust_133", "plan": "pro", "signup": "2025", "churned": true' in part.text


def test_a_query_at_the_end_gives_a_whole_part() -> None:
    part = part_of(TEXT, offset=0, limit=400, query="row 1999")
    assert part is not None and part.end == len(TEXT) and len(part.text) == 400


def test_behind_an_offset_the_next_place_is_found() -> None:
    first = part_of(TEXT, offset=0, limit=100, query="nothing of")
    assert first is not None and first.begin == 0
    second = part_of(TEXT, offset=first.end, limit=100, query="nothing of")
    assert second is not None and second.begin >= first.end


def test_words_that_are_not_there_are_not_found() -> None:
    assert part_of(TEXT, offset=0, limit=100, query="glacier") is None
    assert part_of("", offset=0, limit=100, query="x") is None
    assert part_of(TEXT, offset=len(TEXT) - 50, limit=100, query="zeppelin") is None


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_the_shortest_part_is_found_by_words(limit: int) -> None:
    part = part_of(TEXT, offset=0, limit=limit, query="pilot zeppelin")
    assert part is not None and len(part.text) == limit and part.begin == TEXT.index("zeppelin")


def test_a_part_stands_where_the_text_has_it_whatever_its_case_takes() -> None:
    text = "İ" * 300 + "ΟΔΟΣ zeppelin " + "İ" * 300
    for query in ("ZEPPELIN", "οδος", "i̇ zeppelin"):
        part = part_of(text, offset=0, limit=100, query=query)
        assert part is not None and "ΟΔΟΣ zeppelin" in part.text, query


def test_of_a_long_query_the_longest_words_are_looked_for() -> None:
    few = " ".join(f"w{number}" for number in range(400))
    long = " ".join(f"zeppelin{number}" for number in range(MOST_WORDS))
    assert part_of("w7 and w8", offset=0, limit=100, query=f"{few} {long}") is None
    assert part_of("the zeppelin15", offset=0, limit=100, query=f"{few} {long}") is not None


def test_a_short_message_is_shown_whole() -> None:
    assert passage("My dog is called Biscuit.", "quantum", 100) == "My dog is called Biscuit."


def test_of_a_long_message_the_sentences_are_shown_that_the_query_speaks_of() -> None:
    text = " ".join([*["It rained over the harbour again."] * 200, "The key is with Ada.", *["It was dull."] * 200])
    shown = passage(text, "Who has the key?", 300)
    assert "The key is with Ada." in shown and len(shown) <= 300 and GAP in shown


def test_of_one_endless_sentence_is_shown_what_stands_around_the_words() -> None:
    text = f"{'rain and ' * 2_000}the key is with Ada and {'rain and ' * 2_000}"
    shown = passage(text, "Who has the key?", 300)
    assert "the key is with Ada" in shown and len(shown) <= 300
    assert shown.startswith(GAP) and shown.endswith(GAP)


def test_a_long_message_without_a_word_of_the_query_is_cut() -> None:
    assert len(passage("rain and " * 2_000, "key", 300)) <= 300
