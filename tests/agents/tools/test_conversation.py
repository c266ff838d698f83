"""What does an answer lean on, and what of it stays?"""

import pytest

from agents.tools.conversation import CLOSING, WHOLE, closing, digest, leans_on

OFFER = (
    "I checked all of them with the front desks. Option 1: Cielo (H103), 140 EUR with breakfast, free cancellation "
    "until 3 Dec. Option 2: Alba (H101), 95 EUR without breakfast, non-refundable. All prices are per night and "
    "include the city tax. Which of these options would you like me to book for the two of you?"
)


@pytest.mark.parametrize(
    ("answer", "leans"),
    [
        ("Yes, please", True),
        ("The second, thanks!", True),
        ("Ja, die günstigere bitte", True),
        ("We'd like option 2, for the nights from 5 to 7 May.", True),
        ("Option 2, code ROMA10", True),
        ("Yes. Invoice goes to Quay 9, Oslo 0150, Norway, VAT NO123456789.", True),
        ("Before that, change my address to Via Roma 4, 00100 Rome, flat B12. After that you may proceed.", True),
        ("Yes, the Cielo, H103", False),
        ("I would like to know " + "all " * 40, False),
    ],
)
def test_a_short_answer_that_names_nothing_of_what_was_said_leans_on_it(answer: str, leans: bool) -> None:
    assert leans_on(answer, OFFER) is leans
    assert not leans_on("Book AB1234 then", "The yard is closed on Mondays.")


def test_of_a_long_message_its_end_stays_and_what_has_numbers_by_its_beginning() -> None:
    assert digest("Shall I book H101 for 95 EUR?") == "Shall I book H101 for 95 EUR?"
    assert digest(OFFER).splitlines() == [
        "Option 1: Cielo (H103), 140 EUR with breakfast, free cancellation until 3 Dec.",
        "Option 2: Alba (H101), 95 EUR without breakfast, non-refundable.",
        closing(OFFER),
    ]
    flights = "\n".join(f"{at}. HAT13{at}: departs at {at}:00, arrives at {at + 3}:30, ${at}5" for at in range(1, 8))
    *lines, end = digest(f"These go to Rome:\n{flights}\n\nWhich one would you like?").splitlines()
    assert [line[:9] for line in lines] == [f"{at}. HAT13{at}" for at in range(1, 8)]
    assert end == "… Which one would you like?"


@pytest.mark.parametrize("text", ["", ".", "x" * 5_000, "\n" * 500, "a. " * 900, "1. " * 900, "**" * 900])
def test_odd_messages_have_a_digest(text: str) -> None:
    assert len(digest(text)) <= 4 * WHOLE
    leans_on(text, text)


@pytest.mark.parametrize("end", ["Take desk 9012, or 77?", "Take desk 9012.\n\n   Or  desk 77?  "])
def test_what_stands_at_the_end_stands_there_once(end: str) -> None:
    assert digest(f"{'We looked around for you. ' * 12}{end}").count("9012") == 1


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ""),
        ("Shall I?", "Shall I?"),
        ("One. Two. Shall I?", "One. Two. Shall I?"),
        (f"{'x' * 130}. Shall I?", "… Shall I?"),
        (f"First. {'y' * 300}", "… " + "y" * CLOSING),
        (f"First. {'yes ' * 100}", "… " + " ".join(["yes"] * (CLOSING // 4))),
    ],
)
def test_how_a_text_ends(text: str, kept: str) -> None:
    assert closing(text) == kept
