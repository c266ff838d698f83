"""A new fact confirms, replaces or ends what it is on, and stands beside everything else."""

import pytest

from memory.facts.rules.reconcile import Add, Keep, Update
from tests.facts_by_rules import decided, in_force
from utils.encoder import Encoder


@pytest.mark.parametrize(
    ("messages", "facts"),
    [
        (["I live in Gdynia.", "I moved to Sopot in June."], ["The user moved to Sopot in June and lives in Sopot."]),
        (["My daughter is 5 years old.", "My daughter is 6."], ["The user's daughter is 6."]),
        (["I'm a plumber.", "I work as a bus driver now."], ["The user works as a bus driver now."]),
        (["I work at Tesco.", "I quit my job.", "I work at Boots."], ["The user works at Boots."]),
        (["My boss is Carla.", "My new boss is called Igor."], ["The user's new boss is called Igor."]),
        (["My credit is -40.", "My credit is 40."], ["The user's credit is 40."]),
        (["My tour of Iceland is in May.", "My tour of Iceland is off."], ["The user's tour of Iceland is off."]),
        (["My rent is 940.", "My rent went up to 1100."], ["The user's rent went up to 1100."]),
        (["My favourite film is Alien.", "My favourite film is Heat."], ["The user's favourite film is Heat."]),
        (["I do boxing on Mondays.", "I do boxing on Thursdays."], ["The user does boxing on Thursdays."]),
        (["I'm engaged.", "I got married in May."], ["The user got married in May."]),
        (["I'm vegan.", "I eat fish again."], ["The user eats fish again."]),
        (
            ["I've been vegetarian since 2019.", "Since last month I eat fish again."],
            ["The user eats fish again since June 2025 (“last month”)."],
        ),
        (["I'm not married.", "I got married yesterday."], ["The user got married on 15 July 2025 (“yesterday”)."]),
        (["I don't have a car.", "I bought a car."], ["The user bought a car."]),
        (
            ["I have no kids.", "My son was born on Monday."],
            ["The user's son was born on 14 July 2025 (“Monday”)."],
        ),
        (["Kim's recital is in May.", "Kim's recital was moved to June."], ["Kim's recital was moved to June."]),
        (["Our regatta is cancelled.", "Our regatta is on again."], ["The user's regatta is on again."]),
        (["I smoke again.", "I quit smoking."], ["The user quit smoking."]),
        (["I don't like opera, it is too loud.", "I like opera."], ["The user likes opera."]),
        (["Our desk is on the 3rd floor.", "Our desk is on the 5th floor."], ["The user's desk is on the 5th floor."]),
        (["My trip to Oslo is cancelled.", "I'm going to Oslo after all."], ["The user is going to Oslo after all."]),
        (
            ["We use Postgres.", "We switched from Postgres to CockroachDB."],
            ["We switched from Postgres to CockroachDB."],
        ),
        (
            ["The deadline of my thesis is 3 May.", "The thesis deadline was moved to 9 June."],
            ["The thesis deadline was moved to 9 June."],
        ),
    ],
)
def test_another_value_of_what_there_is_one_of_takes_the_place(
    encoder: Encoder, messages: list[str], facts: list[str]
) -> None:
    assert in_force(encoder, *messages) == facts


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I'm allergic to kiwis.", "I'm not allergic to kiwis, the test was wrong."),
        ("I like ballet.", "I don't like ballet, it is too long."),
        ("I have a nut allergy.", "I don't have a nut allergy after all."),
        ("I don't smoke.", "I smoke again."),
        ("I love figs.", "I can't stand figs."),
        ("I play hockey.", "I stopped playing hockey."),
        ("I'm allergic to dust.", "I outgrew my dust allergy."),
        ("I have a moped.", "I sold my moped."),
        ("My parrot is called Kiwi.", "Kiwi died on Sunday."),
        ("My boss is Carla.", "Carla left the company."),
        ("My girlfriend is called Nina.", "I broke up with Nina."),
        ("I have a dog, Rufus, and two cats, Salt and Vinegar.", "Rufus, Salt and Vinegar died."),
        ("My favourite team is Ajax.", "I don't like Ajax anymore."),
        ("My salary is 50000.", "I earn 60000 now."),
        ("My favorite editor is Vim.", "I switched from Vim to Emacs."),
        ("My favourite colour is blue.", "I prefer green now."),
        ("My favourite sport is tennis.", "I took up golf instead of tennis."),
        ("We live in Trinidad and Tobago.", "We moved from Trinidad to Norway."),
        ("I have an account at Marks and Spencer.", "I closed my Marks account."),
        ("I am married to Anna, and Tom is my son.", "Anna and I got divorced."),
        ("My trip to Malta is in August.", "My trip to Malta is cancelled."),
        ("I'm planning a trip to Malta in August.", "I cancelled my trip to Malta."),
        ("We use Oracle.", "We switched from Oracle to SQLite."),
        ("I bank with Lloyds.", "I closed my account at Lloyds."),
        ("I live in Bergamo.", "It's not true that I live in Bergamo."),
        ("I work at Fiat.", "I started at Saab in May."),
        ("Ich wohne in Ulm.", "Ich bin nach Jena gezogen."),
        ("Ich habe eine Nussallergie.", "Ich habe doch keine Nussallergie."),
        ("J'habite à Brest.", "J'ai déménagé à Dijon."),
    ],
)
def test_what_is_over_or_not_so_is_in_force_no_more(encoder: Encoder, before: str, after: str) -> None:
    [first] = in_force(encoder, before)
    left = in_force(encoder, before, after)
    assert len(left) == 1 and left != [first]


@pytest.mark.parametrize(
    "messages",
    [
        ["I have a dog called Otto.", "I have a cat called Mimi."],
        ["I have a dog called Otto.", "I also have a dog called Bruno."],
        ["I live in Gdynia.", "My sister lives in Sopot."],
        ["I'm a plumber.", "My brother is a baker."],
        ["My sister Lena lives in Rome.", "My colleague Lena lives in Bern."],
        ["I speak Polish.", "I speak Danish."],
        ["I paint landscapes.", "I gave up pottery."],
        ["I live in Bergamo.", "My flight to Bergamo was cancelled."],
        ["I like cheese.", "I don't like blue cheese."],
        ["My lease ends in May.", "My contract ends in July."],
        ["My brother lives in Pisa.", "My brother-in-law moved to Lucca."],
        ["My optician is Dr Roth.", "My vet is Dr Kern now."],
        ["I'm allergic to kiwis.", "My son is not allergic to kiwis."],
        ["I have no children.", "My sister's daughter was born yesterday."],
        ["I have an appointment with Dr Khan on Monday.", "I have an appointment with Dr Bo on Friday."],
        ["My car is red.", "My car is a Skoda."],
        ["I have a cat called Tom.", "My uncle Tom died."],
        ["Ich mag Tee.", "Ich mag Kaffee."],
        ["Ich wohne in Ulm.", "Ich habe eine Katze."],
        ["I ate ramen yesterday.", "I bought a kettle last Friday."],
        ["My sister got engaged yesterday.", "My sister painted the fence today."],
        ["I phoned Ines yesterday.", "I mended my tent today."],
        ["My J# version is 8.", "My J version is 3.", "My J* version is 20."],
        ["My C++ linter is tidy.", "My C# linter is style."],
        ["Locker D- is 22.", "Locker D is 33."],
        ["I like F#.", "I like F."],
        ["My 30% stake is green.", "My 30 stake is red."],
        ["My -v flag is on.", "My v flag is off."],
        ["My favourite cafe is Bello.", "I found a new cafe near work."],
        ["My favourite mug is the Moomin.", "I got a new mug yesterday."],
        ["I have a dog, Rufus, and two cats, Salt and Vinegar.", "Salt died."],
        ["I work with Anna and Tom.", "Anna left the company."],
        ["My recital is next Friday at 14:00.", "I met my aunt yesterday."],
        ["My vet's appointment is tomorrow.", "I bought a sofa yesterday."],
        ["My insurance is due next Monday.", "I mended a tent yesterday."],
        ["My driving test is next Friday.", "My cousin passed the driving test yesterday."],
        ["I don't have a car.", "My wife bought a car."],
        ["I don't have a dog.", "My neighbour adopted a dog."],
        ["I'm not married.", "My sister got married yesterday."],
    ],
)
def test_what_is_of_something_else_stands_beside(encoder: Encoder, messages: list[str]) -> None:
    assert len(in_force(encoder, *messages)) == len(messages)


@pytest.mark.parametrize(
    "messages",
    [
        ["I live in Leeds.", "I never lived in Bath."],
        ["I work at Brightpath.", "I don't work at Aldi."],
        ["My name is Nora.", "My name is not Dora."],
        ["My husband is called Piet.", "My husband is not called Jan."],
        ["My birthday is on 9 April.", "My birthday is not on 2 May."],
        ["My bike is green.", "My bike is not yellow."],
        ["My daughter goes to Hill School.", "My daughter doesn't go to Lake School."],
        ["My sister works at Brightpath.", "My sister left Aldi."],
    ],
)
def test_what_denies_another_value_stands_beside(encoder: Encoder, messages: list[str]) -> None:
    assert in_force(encoder, *messages)[0].endswith(messages[0][-8:]) and len(in_force(encoder, *messages)) == 2


def test_of_a_name_that_several_bear_nothing_ends(encoder: Encoder) -> None:
    two = ["My sister Lena lives in Rome.", "My colleague Lena lives in Bern."]
    assert len(in_force(encoder, *two, "Lena moved to Oslo.")) == 3
    assert in_force(encoder, two[0], "Lena moved to Oslo.") == [
        "The user's sister Lena moved to Oslo and lives in Oslo."
    ]


def test_a_deadline_of_several_moves_alone(encoder: Encoder) -> None:
    assert in_force(encoder, "The beta deadline is 15 January.", "Actually the deadline was moved to 5 February.") == [
        "The beta deadline was moved to 5 February."
    ]
    two = ["The beta deadline is 15 January.", "The thesis deadline is 3 March."]
    assert len(in_force(encoder, *two, "The deadline was moved to 5 April.")) == 3


def test_the_same_again_confirms_and_more_of_it_replaces(encoder: Encoder) -> None:
    known = {"a": "The user has a brother."}
    assert decided(encoder, "I have a brother.", known) == [Keep("a")]
    assert decided(encoder, "I have a brother called Nils.", known) == [
        Update("a", "The user has a brother called Nils.")
    ]
    assert decided(encoder, "I have a sister.", known) == [Add("The user has a sister.")]


def test_a_correction_changes_the_one_fact_that_it_corrects(encoder: Encoder) -> None:
    known = {"a": "The user's boss is called Katharine.", "b": "The user was born in 1986."}
    assert decided(encoder, "sorry, it's Katrine, not Katharine", known) == [
        Update("a", "The user's boss is called Katrine.")
    ]
    assert decided(encoder, "it's Ann, not Anne", known) == []


def test_of_one_message_the_last_counts(encoder: Encoder) -> None:
    assert in_force(encoder, "I moved to Sopot. No wait, I moved to Gdynia.") == [
        "The user moved to Gdynia and lives in Gdynia."
    ]


def test_what_may_replace_a_fact_stands_beside_it_and_names_it(encoder: Encoder) -> None:
    known = {"a": "The user works at Siemens.", "b": "The user likes tea and coffee."}
    assert decided(encoder, "I don't like tea.", known) == [Add("The user does not like tea.", beside="b")]


def test_what_changes_a_part_of_a_thing_ends_nothing_else_of_it(encoder: Encoder) -> None:
    known = {"a": "The user's flight to Rome is on 3 May, seat 12A."}
    assert decided(encoder, "They changed my seat to 14C.", known) == [
        Add("They changed the user's seat to 14C.", beside="a")
    ]
    assert in_force(encoder, "My seat is 12A.", "They changed my seat to 14C.") == [
        "They changed the user's seat to 14C."
    ]


def test_where_the_user_is_just_now_ends_no_job(encoder: Encoder) -> None:
    assert in_force(encoder, "I work at Deloitte.", "I'm at Heathrow now.")[0] == "The user works at Deloitte."


def test_a_trip_that_is_off_and_on_again_is_on(encoder: Encoder) -> None:
    on, off = "I'm going to Lisbon in June.", "I cancelled my trip to Lisbon."
    assert in_force(encoder, on, off) == ["The user cancelled their trip to Lisbon."]
    assert in_force(encoder, on, off, "I'm going to Lisbon after all.") == ["The user is going to Lisbon after all."]


@pytest.mark.parametrize(
    ("plan", "off", "again"),
    [
        ("We are going to Lisbon in June.", "The Lisbon trip is cancelled.", "We are going to Lisbon after all."),
        ("I'm flying to Rome in May.", "The flight to Rome was cancelled.", "We are flying to Rome after all."),
        ("I'm visiting Kyoto in May.", "The trip to Kyoto was called off.", "We are going to Kyoto after all."),
    ],
)
def test_a_plan_ends_with_what_it_is_of_by_another_name(encoder: Encoder, plan: str, off: str, again: str) -> None:
    assert in_force(encoder, plan, off) == [off]
    assert in_force(encoder, plan, off, again) == [again]


@pytest.mark.parametrize(
    "off", ["Anna's trip to Lisbon is cancelled.", "My hotel in Lisbon was cancelled.", "The Porto trip is cancelled."]
)
def test_a_plan_does_not_end_with_anothers_or_with_something_else_there(encoder: Encoder, off: str) -> None:
    assert "The user is going to Lisbon in June." in in_force(encoder, "I'm going to Lisbon in June.", off)


@pytest.mark.parametrize(
    ("first", "off"),
    [
        ("I love Lisbon.", "The Lisbon trip is cancelled."),
        ("I went to Lisbon in May.", "The Lisbon trip is cancelled."),
        ("I fly to Rome every week.", "My flight to Rome was cancelled."),
    ],
)
def test_what_is_off_ends_plans_alone(encoder: Encoder, first: str, off: str) -> None:
    assert set(in_force(encoder, first)) <= set(in_force(encoder, first, off))


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("I work at Tesco.", "I moved to Leeds last week."),
        ("My sister works at Tesco.", "My sister moved to Leeds yesterday."),
        ("I'm allergic to peanuts.", "We bought peanuts for the birds."),
        ("I'm allergic to cats.", "We got a cat."),
        ("My daughter is called Ella.", "Ella started school."),
        ("I lost my brother.", "I have a brother."),
    ],
)
def test_what_was_done_ends_nothing_of_another_kind(encoder: Encoder, first: str, then: str) -> None:
    assert set(in_force(encoder, first)) < set(in_force(encoder, first, then))


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("I work at Tesco.", "I was fired yesterday."),
        ("I have a dog.", "I gave away my dog last week."),
        ("I'm with Vodafone.", "I closed my account at Vodafone yesterday."),
        ("I have a gym membership.", "I terminated my gym membership last week."),
    ],
)
def test_what_was_over_on_a_day_is_in_force_no_more(encoder: Encoder, first: str, then: str) -> None:
    assert not set(in_force(encoder, first)) & set(in_force(encoder, first, then))


def test_what_is_no_fact_itself_may_end_one(encoder: Encoder) -> None:
    gone = "Ugo moved out."
    assert in_force(encoder, gone) == []
    assert in_force(encoder, "I have a tenant called Ugo.", gone) == [gone]


def test_beside_many_facts_nothing_ends_that_is_of_something_else(encoder: Encoder) -> None:
    many = [
        "I live in Gdynia.",
        "I have two cats.",
        "I'm allergic to kiwis.",
        "I work at Tesco.",
        "I play hockey on Mondays.",
        "My sister lives in Rome.",
        "My rent is 940.",
        "I love figs.",
        "We use Oracle.",
    ]
    assert len(in_force(encoder, *many)) == len(many)
    assert len(in_force(encoder, *many, "My rent went up to 1100.", "I gave up hockey.")) == len(many)


def test_what_shares_no_word_with_a_thing_ends_nothing_of_it(encoder: Encoder) -> None:
    told = ("My blood group is A negative.", "Glucose test came back high, gestational diabetes, diet controlled.")
    assert "The user's blood group is A negative." in in_force(encoder, *told)


@pytest.mark.parametrize(
    ("so", "not_so"),
    [
        ("I'm allergic to cow's milk.", "I'm not allergic to goat's milk."),
        ("I like red wine.", "I don't like white wine."),
        ("My daughter likes green apples.", "My daughter doesn't like red apples."),
        ("I play electric guitar.", "I don't play bass guitar."),
    ],
)
def test_what_is_not_so_of_one_kind_ends_nothing_of_another(encoder: Encoder, so: str, not_so: str) -> None:
    assert len(in_force(encoder, so, not_so)) == 2


def test_the_more_facts_there_are_the_surer_what_ends_one_must_be(encoder: Encoder) -> None:
    several = ("I have a cat.", "My car is blue.", "I teach maths.", "I sing in a choir.", "My aunt Klara is a nurse.")
    left = in_force(encoder, *several, "I insured the bass for 2100.", "Gwendolyn paid me finally, in coins.")
    assert "The user insured the bass for 2100." in left


OTHERS = (
    "I live in Porto.",
    "I work as a nurse.",
    "My brother Tom plays the cello.",
    "My cat is called Momo.",
    "I have two nephews.",
    "My car is blue.",
    "I speak Danish.",
    "I go swimming on Mondays.",
    "My mother is from Kiel.",
    "I drink coffee.",
    "My landlord is called Gert.",
    "I collect stamps.",
)


@pytest.mark.parametrize(
    ("told", "then"),
    [
        ("I'm allergic to peanuts.", "I'm not allergic to peanuts, the test was wrong."),
        ("I'm not married.", "I got married yesterday."),
        ("The beta deadline is 15 January.", "Actually the deadline was moved to 5 February."),
        ("We use Postgres.", "We switched from Postgres to CockroachDB."),
        ("I've been vegetarian since 2019.", "Since last month I eat fish again."),
        ("I'm engaged to Max.", "Max and I broke up."),
        ("My rent is 900 euros.", "My rent went up to 950 euros."),
    ],
)
def test_what_ends_a_fact_ends_that_one_of_many(encoder: Encoder, told: str, then: str) -> None:
    left = in_force(encoder, *OTHERS, told, then)
    assert left[:-1] == in_force(encoder, *OTHERS)


@pytest.mark.parametrize("others", [(), OTHERS], ids=["alone", "beside others"])
@pytest.mark.parametrize(
    ("so", "over", "again", "fact"),
    [
        ("I smoke.", "I gave up smoking.", "I smoke again.", "The user smokes again."),
        ("I drink.", "I stopped drinking.", "I drink again.", "The user drinks again."),
        ("I drink beer.", "I gave up beer.", "I drink beer again.", "The user drinks beer again."),
        ("I work at Tesco.", "I left Tesco.", "I work at Tesco again.", "The user works at Tesco again."),
        ("I work at Tesco.", "I quit my job at Tesco.", "I'm back at Tesco.", "The user is back at Tesco."),
        ("I have a canoe.", "I sold my canoe.", "I have a canoe again.", "The user has a canoe again."),
        ("I own a moped.", "I sold my moped.", "I bought a moped again.", "The user bought a moped again."),
    ],
)
def test_what_was_over_and_is_so_again_is_so_once(
    encoder: Encoder, others: tuple[str, ...], so: str, over: str, again: str, fact: str
) -> None:
    assert in_force(encoder, *others, so, over, again) == [*in_force(encoder, *others), fact]
