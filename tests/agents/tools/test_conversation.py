"""What does an answer point at, and what of it stays?"""

import pytest

from agents.tools.conversation import WHOLE, closing, digest, findings_in, picked, points_at

OFFER = (
    "I checked all of them with the front desks. Option 1: Cielo (H103), 140 EUR with breakfast, free cancellation "
    "until 3 Dec. Option 2: Alba (H101), 95 EUR without breakfast, non-refundable. All prices are per night and "
    "include the city tax. Which of these options would you like me to book for the two of you?"
)


@pytest.mark.parametrize(
    "answer",
    [
        "Yes, please",
        "The second, thanks!",
        "Ja, die günstigere bitte",
        "We'd like option 2, for the nights from 5 to 7 May.",
    ],
)
def test_a_short_answer_that_names_nothing_points_at_what_was_said(answer: str) -> None:
    assert points_at(answer, OFFER)


def test_so_does_the_number_of_an_item() -> None:
    assert points_at("Option 2, code ROMA10", OFFER)
    assert points_at(f"Number 3, and {'please ' * 30}", "1. Rome\n2. Paris\n3. Bern\nWhich?")
    assert not points_at("Option 4, code ROMA10", OFFER)
    assert not points_at("12.2 kg, code ROMA10", OFFER)


@pytest.mark.parametrize(
    "answer",
    [
        "Yes. Invoice goes to Quay 9, Oslo 0150, Norway, VAT NO123456789.",
        "Please do. Use the card ending in 4242 and passport X123456.",
        "Sounds good. My passport number is X123456 and my birthday is 4 July 1980.",
        "No wait. First check the weather in Rome on 3 May. Then yes, book it for ann_17.",
        "Before that, change my address to Via Roma 4, 00100 Rome, flat B12. After that you may proceed with it.",
    ],
)
def test_so_does_one_that_agrees_and_adds_what_the_offer_did_not_name(answer: str) -> None:
    assert points_at(answer, OFFER)


def test_who_agrees_where_nothing_was_offered_says_so_himself() -> None:
    assert not points_at("Yes. Invoice goes to Quay 9, Oslo, VAT NO123456789.", "What is your passport number?")


def test_an_answer_that_names_what_it_means_does_not() -> None:
    assert not points_at("Yes, the Cielo, H103", OFFER)
    assert not points_at("Sure, my user id is ann_17", OFFER)
    assert not points_at("I'm not sure of the name, it is ann_17", OFFER)
    assert not points_at("My user id is ann_17", OFFER)
    assert not points_at("I would like to know " + "all " * 40, OFFER)


def test_a_short_message_stays_whole() -> None:
    assert digest("Shall I book H101 for 95 EUR?", "Yes") == "Shall I book H101 for 95 EUR?"


def test_of_an_offer_the_options_stay_with_their_codes_and_prices_and_the_question() -> None:
    assert digest(OFFER, "The second").splitlines() == [
        "Option 1: Cielo (H103), 140 EUR with …",
        "Option 2: Alba (H101), 95 EUR without breakfast, non-refundable.",
        closing(OFFER),
    ]


def test_what_the_agent_found_out_is_told() -> None:
    assert findings_in("I looked. The root cause is a deadlock of job 17. Shall I go on?") == (
        "The root cause is a deadlock of job 17."
    )
    assert findings_in("I found two flights on 3 May. Which one would you like?") == ""


@pytest.mark.parametrize("answer", ["Go with the third one.", "Plan C, please", "C", "The last one is best."])
def test_the_option_that_is_picked_stays_whole_however_it_is_labelled(answer: str) -> None:
    plans = (
        "I compared the plans. Plan A: move the tables to ClickHouse, 3 weeks, 12,000 EUR. Plan B: add read replicas, "
        "1 week, 4,000 EUR. Plan C: partition orders by month, 2 weeks, 0 EUR. I would take B, for the peak is reads."
    )
    told = digest(plans, answer)
    assert (
        "Plan C: partition orders by month, 2 weeks, 0 EUR." in told and "Plan B: add read replicas, 1 week, …" in told
    )
    assert picked(answer, plans) == 2


def test_sizes_in_parentheses_are_no_options() -> None:
    told = digest(
        "The jacket in black L is 98.90, which is 3.00 more than the one you have. Boots in black are 148.00 (L) or "
        "151.00 (XL), both in stock. Shall I change the jacket, and pay the difference with your card ending in 1881?",
        "Which payment methods do I have, and what is the tracking number of W1003?",
    )
    assert all(not line.startswith("(L)") for line in told.splitlines())


@pytest.mark.parametrize("text", ["", ".", "x" * 5_000, "\n" * 500, "a. " * 900, "1. " * 900, "**" * 900])
def test_odd_messages_have_a_digest(text: str) -> None:
    assert len(digest(text, text)) <= 4 * WHOLE
    points_at(text, text)


def test_what_stands_at_the_end_stands_there_once() -> None:
    text = f"{'We looked around for you. ' * 12}The choice: The blue or The red, The last?"
    assert digest(text, "Hm").count("The choice") == 1
    spaced = f"{'We looked around for you. ' * 12}Take desk 9012.\n\n   Or  desk 77?  "
    assert digest(spaced, "Hm").count("9012") == 1


@pytest.mark.parametrize(
    ("answer", "picks"),
    [
        ("option 2, economy, and pay by card", True),
        ("2, please", True),
        ("I take #2 then", True),
        ("I have 2 bags", False),
        ("option 4", False),
        ("option 2.5", False),
    ],
)
def test_an_item_is_picked_by_its_number(answer: str, picks: bool) -> None:
    assert (picked(answer, OFFER) is not None) is picks


def test_a_message_ends_with_what_it_said_before_it_offered_more_help() -> None:
    text = f"{'We looked around for you. ' * 12}Shall I book desk 9012? If you have any other wishes, let me know!"
    assert closing(text) == "… Shall I book desk 9012?"
    assert digest(text, "Yes").endswith("Shall I book desk 9012?") and "wishes" not in digest(text, "Yes")


@pytest.mark.parametrize("answer", ["Cancel the last order, please", "The last.", "the third one"])
def test_an_ordinal_means_nothing_where_no_options_were_offered(answer: str) -> None:
    said = "I looked at both of the orders that you made in May. " * 5
    assert digest(said, answer) and picked(answer, said) is None


def test_an_ordinal_within_a_phrase_picks_nothing() -> None:
    assert picked("In the first place I do not want to pay twice", "1. Pay by card 2. Pay by cash") is None
    assert picked("Cancel the last order, please", "1. Pay by card 2. Pay by cash") is None
    assert picked("The first, please", "1. Pay by card 2. Pay by cash") is not None
