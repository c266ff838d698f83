"""A correction that names nothing corrects what was just told; a plan ends nothing yet."""

import pytest

from tests.facts_by_rules import extracted, in_force
from utils.encoder import Encoder


@pytest.mark.parametrize(
    ("messages", "left"),
    [
        (["My collar size is 41.", "Oops, it's 42."], ["The user's collar size is 42."]),
        (["Our rehearsal is at 7.", "Sorry, it is at 8."], ["The user's rehearsal is at 8."]),
        (["I live in Gdansk.", "Sorry, I meant Poznan."], ["The user lives in Poznan."]),
        (["My horse is called Juno.", "No, it's Luna."], ["The user's horse is called Luna."]),
        (["My cousin lives in Ghent.", "Actually he lives in Bruges."], ["The user's cousin lives in Bruges."]),
        (["My uncle works at Bosch.", "I meant my aunt works at Bosch."], ["The user's aunt works at Bosch."]),
        (["My aunt lives in Cork. I live in Ulm.", "I meant my aunt lives in Ulm."], ["The user's aunt lives in Ulm."]),
        (["I live in Gdansk.", "Correction: I live in Poznan."], ["The user lives in Poznan."]),
        (["No, it's 42."], []),
        (
            ["My sister works in Paris.", "I live in Berlin, not Paris."],
            ["The user's sister works in Paris.", "The user lives in Berlin, not Paris."],
        ),
        (
            ["My boss drinks coffee.", "I prefer tea, not coffee."],
            ["The user's boss drinks coffee.", "The user prefers tea, not coffee."],
        ),
        (["I have 2 cats.", "Actually it is at 10."], ["The user has 2 cats."]),
        (["My flight is on 3 May.", "Sorry, 4 May."], ["The user's flight is 4 May."]),
        (["My slot is on Friday at 10.", "Sorry, I meant Friday at 11."], ["The user's slot is Friday at 11."]),
        (["My slot is on 9 December at 10:20. EDIT: 11:20"], ["The user's slot is on 9 December at 11:20."]),
        (["My favourite pie is apple.", "Actually it is at 10."], ["The user's favourite pie is apple."]),
        (["My rent is 900.", "Actually, it's under 900."], ["The user's rent is under 900."]),
        (
            ["I'm having lunch with Sam on Friday.", "Actually it's with Pat."],
            ["The user is having lunch with Pat on Friday."],
        ),
        (["I live in Gdansk.", "No, Poznan."], ["The user lives in Poznan."]),
        (["My cousin is called Ola.", "Sorry, Tom."], ["The user's cousin is called Ola."]),
        (["I have two cats.", "Actually it is in March."], ["The user has two cats."]),
        (["My locker number is 12. Sorry, 21."], ["The user's locker number is 21."]),
        (["My favorite fruit is mango. My favorite fruit is now fig."], ["The user's favorite fruit is now fig."]),
        (["I moved to Porto.", "I never lived in Porto."], ["The user never lived in Porto."]),
        (
            ["My son's recital is on 4 May.", "The recital was moved to 6 May."],
            ["The user's son's recital was moved to 6 May."],
        ),
        (
            ["My flight is at 8. My locker is number 12. No, it's 14."],
            ["The user's flight is at 8.", "The user's locker is number 14."],
        ),
        (["My niece is in Lagos.", "My niece is in Accra."], ["The user's niece is in Accra."]),
    ],
)
def test_a_correction_corrects_what_was_just_told(encoder: Encoder, messages: list[str], left: list[str]) -> None:
    assert in_force(encoder, *messages) == left


@pytest.mark.parametrize(
    ("messages", "fact"),
    [
        (["My niece is called Asta.", "Her birthday is 3 July."], "The user's niece's birthday is 3 July."),
        (["My uncle is called Bert.", "He lives in Graz."], "The user's uncle lives in Graz."),
        (["My aunt is a baker. My uncle is a judge.", "She lives in Graz."], "The user's aunt lives in Graz."),
        (["I have a nephew called Nils.", "He is allergic to figs."], "The user's nephew Nils is allergic to figs."),
    ],
)
def test_a_pronoun_means_whom_the_last_fact_was_about(encoder: Encoder, messages: list[str], fact: str) -> None:
    assert in_force(encoder, *messages)[-1] == fact
    assert len(in_force(encoder, *messages[1:])) == 0


def test_a_pronoun_means_whose_thing_was_told_of_right_before(encoder: Encoder) -> None:
    facts = in_force(encoder, "Lars is 5.", "My aunt's birthday is on 1 May. She bakes.")
    assert "The user's aunt bakes." in facts


@pytest.mark.parametrize(
    ("so", "plan", "then"),
    [
        ("I live in Gdansk.", "I'm moving to Poznan in two months.", "I moved to Poznan."),
        ("My aunt lives in Cork.", "My aunt is moving to Derry next spring.", "My aunt moved to Derry."),
        ("My rent is 700.", "My rent will be 780 from March.", "My rent is 780."),
    ],
)
def test_a_plan_ends_nothing_until_it_is_so(encoder: Encoder, so: str, plan: str, then: str) -> None:
    assert len(in_force(encoder, so, plan)) == 2
    assert len(in_force(encoder, so, plan, then)) == 1


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        (
            "I used to row but I gave it up two years ago.",
            ["The user used to row but they gave it up in 2023 (“two years ago”)."],
        ),
        ("We used to keep bees, but they died in May.", ["We used to keep bees but they died in May."]),
        ("My husband and I live in Derry.", ["The user and their husband live in Derry."]),
        ("Olga and I got engaged in 2019.", ["Olga and the user got engaged in 2019."]),
        ("I'm Frodo haha", []),
        ("I'm Zorro 😂", []),
        ("I live in Derry lol", ["The user lives in Derry."]),
        ("Correction: it's Derry.", []),
        ("My aunt's office is in Derry.", ["The user's aunt's office is in Derry."]),
    ],
)
def test_a_sentence_makes_one_fact_of_whom_it_is_about(encoder: Encoder, message: str, facts: list[str]) -> None:
    assert extracted(encoder, message) == facts


@pytest.mark.parametrize(
    "message", ["狗が好き。", "私は福岡に住んでいます。", "我住在深圳。", "我叫李雷。", "أنا طبيبة", "Soy celíaca."]
)
def test_a_short_statement_in_any_script_is_a_fact(encoder: Encoder, message: str) -> None:
    assert extracted(encoder, message) == [message]
