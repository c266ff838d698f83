"""Facts by rules: what does a message state?"""

import pytest

from memory.facts.rules.extract import MOST, extract_by_rules
from memory.facts.rules.person import third_person
from memory.facts.rules.reconcile import Known, decide_by_rules


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("I live in Madrid.", ["The user lives in Madrid."]),
        ("i live in oslo", ["The user lives in oslo."]),
        ("Hi! I'm Tom and I'm a nurse from Leeds.", ["The user's name is Tom.", "The user is a nurse from Leeds."]),
        ("I moved to Berlin and I work at Siemens.", ["The user moved to Berlin.", "The user works at Siemens."]),
        ("We have two kids, Leo and Mia.", ["The user has two kids, Leo and Mia."]),
        ("My dog is called Biscuit.", ["The user's dog is called Biscuit."]),
        ("Actually, my sister's flight is at 9:45.", ["The user's sister's flight is at 9:45."]),
        (
            "I live in Madrid with my dog Biscuit.",
            ["The user lives in Madrid with their dog Biscuit.", "The user has a dog called Biscuit."],
        ),
        ("I'm 34", ["The user is 34 years old."]),
        ("I was born on 5 May 1990 in Porto.", ["The user was born on 5 May 1990 in Porto."]),
        ("I'm allergic to nuts, but I love figs.", ["The user is allergic to nuts.", "The user loves figs."]),
        ("I don't eat meat anymore.", ["The user does not eat meat anymore."]),
        (
            "I've been vegan since 2019; my wife isn't.",
            ["The user has been vegan since 2019.", "The user's wife isn't."],
        ),
        ("I'm going to visit my aunt in Lisbon in June.", ["The user is going to visit their aunt in Lisbon in June."]),
        ("Remember that my locker is number 12.", ["The user's locker is number 12."]),
        ("Where do I live? I live in Rome.", ["The user lives in Rome."]),
    ],
)
def test_what_users_say_of_themselves_is_a_fact(message: str, facts: list[str]) -> None:
    assert extract_by_rules(message) == facts


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("The trip to Lisbon is cancelled.", ["The trip to Lisbon is cancelled."]),
        ("The deadline moved to 15 November.", ["The deadline moved to 15 November."]),
        ("The party is off, sadly.", ["The party is off, sadly."]),
        ("My wedding is off.", ["The user's wedding is off."]),
        ("One of my cats died.", ["One of the user's cats died."]),
        ("Both of our kids play the piano.", ["Both of the user's kids play the piano."]),
        ("I switched jobs and am a baker now.", ["The user switched jobs.", "The user is a baker now."]),
        ("I live in Rome and hate olives.", ["The user lives in Rome.", "The user hates olives."]),
    ],
)
def test_what_changes_is_a_fact(message: str, facts: list[str]) -> None:
    assert extract_by_rules(message) == facts


@pytest.mark.parametrize(
    "message",
    [
        "The lights are off.",
        "The meeting is at 10.",
        "The file moved to the next folder.",
        "The cursor moved to line 15.",
        "Most of my code, sadly.",
        "half of my school too",
        "My server is off.",
        "The alarm is off.",
    ],
)
def test_what_changes_for_a_moment_is_none(message: str) -> None:
    assert extract_by_rules(message) == []


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("Ana has a PhD in chemistry.", ["Ana has a PhD in chemistry."]),
        (
            "Ana is my colleague. She has a PhD in chemistry.",
            ["Ana is the user's colleague.", "Ana has a PhD in chemistry."],
        ),
        (
            "My wife's name is Clara and she works as a judge.",
            ["The user's wife's name is Clara.", "Clara works as a judge."],
        ),
        (
            "My brother lives abroad. His boat is called Nixe.",
            ["The user's brother lives abroad.", "The user's brother's boat is called Nixe."],
        ),
        ("She has a PhD.", []),
        (
            "My boss is Mr. Smith. He lives in the U.S. and likes golf.",
            ["The user's boss is Mr. Smith.", "Mr. Smith lives in the U.S. and likes golf."],
        ),
        (
            "My doctor is Dr. Brown. He is very kind.",
            ["The user's doctor is Dr. Brown.", "Dr. Brown is very kind."],
        ),
        ("My friend Prof. Lee moved to St. Louis. She loves it.", ["The user's friend Prof. Lee moved to St. Louis."]),
        ("My son Max Jr. is six.", ["The user's son Max Jr. is six."]),
        ("I work for Acme Inc. in Boston.", ["The user works for Acme Inc. in Boston."]),
        (
            "I wake up at 7 a.m. every day. I live in the U.S. I work at IBM.",
            ["The user wakes up at 7 a.m. every day.", "The user lives in the U.S.", "The user works at IBM."],
        ),
    ],
)
def test_the_subject_of_a_fact_is_kept(message: str, facts: list[str]) -> None:
    assert extract_by_rules(message) == facts


@pytest.mark.parametrize(
    "message",
    [
        "",
        "What is the capital of France?",
        "Do you know that I live in Rome?",
        "Thanks, that's great!",
        "I'd like you to write a poem.",
        "I want to know how rain forms.",
        "I need help with my essay.",
        "I have a question about taxes.",
        "I think it will rain.",
        "If I lived in Rome I would be happy.",
        "If I win the lottery, I'll move to Rome.",
        "I'd live in Rome if I were rich.",
        "Well, if they promote me, my salary will be 5000 euros.",
        "I wish I had a dog.",
        "I ate pasta.",
        "I'm fine.",
        "Write a story about a king. Make it long.",
        "It is raining in Paris.",
        "This is wonderful.",
    ],
)
def test_what_states_nothing_that_lasts_is_no_fact(message: str) -> None:
    assert extract_by_rules(message) == []


def test_a_long_message_has_a_bounded_number_of_facts() -> None:
    assert len(extract_by_rules(" ".join(f"I own {n} boats." for n in range(100)))) == MOST


@pytest.mark.parametrize(
    ("first", "third"),
    [
        ("I live with my sister", "The user lives with their sister"),
        ("we live with our sister", "The user lives with their sister"),
        ("I really don't like it", "The user really does not like it"),
        ("I can't swim", "The user cannot swim"),
        ("I've lost my keys", "The user has lost their keys"),
        ("I'll marry Ana, who loves me", "The user will marry Ana, who loves them"),
        ("I study because I'm curious", "The user studies because they are curious"),
        ("I teach", "The user teaches"),
        ("my mother and I bake", "The user's mother and they bake"),
        ("Ana is my friend", "Ana is the user's friend"),
    ],
)
def test_the_first_person_becomes_the_third(first: str, third: str) -> None:
    assert third_person(first) == third


RUNS = (
    *" \t\n\"'A@,;(«“`~-9",
    *(f"{word} " for word in "I i'm my a, and so who not no the in old A 1 . > - $ 's don't is said Write".split()),  # noqa: SIM905
    *(
        "sorry, ",
        "no, it's 1 ",
        "a dog, ",
        "last month ",
        "the a, and the b ",
        "and I ",
        "I am ",
        "My sister ",
        "I have a ",
        "has lived in ",
        "and hate ",
        "really ",
        "drinks a ",
        "no longer ",
        "gave up a ",
        "is cancelled ",
        "the trip is off ",
        "moved from ",
        "```\n",
        " \n",
    ),
)


@pytest.mark.timeout(10)
@pytest.mark.parametrize("run", RUNS)
def test_a_long_run_of_anything_is_read_in_time(run: str) -> None:
    rest = run * (20_000 // len(run))
    for message in (rest, f"I live in Berlin{rest}x and more", f"My sister{rest}", f"Write{rest}: x", f"I{rest}have"):
        facts = extract_by_rules(message)
        assert len(facts) <= MOST
        decide_by_rules([message], [Known("0", message)])
        decide_by_rules([f"The user lives in{rest}"], [Known("0", f"The user's{rest}is here")])


def test_blanks_in_a_row_are_one() -> None:
    assert extract_by_rules("I  live \t in   Rome   and  I  work at   IBM.") == [
        "The user lives in Rome.",
        "The user works at IBM.",
    ]


@pytest.mark.parametrize(
    "message",
    [
        "```\nI live in Rome.\nMy name is Ann.\n```",
        "~~~ text\nI live in Rome.\n~~~",
        "````\n```\nI live in Rome.\n```\nI have a dog.\n````",
        "Look: ```I live in Rome.``` Why?",
        "```\nI live in Rome.",
        "> I live in Rome.\n> My name is Ann.",
        '"I live in the city of Rome and I am a nurse."',
        "She wrote: “I live in the city of Rome.”",
        "« I live in the city of Rome. »",
        "Write a story that starts with: I am a pirate. I live on a ship.",
        "Translate: I live in Rome.",
        "Please translate this:\nI live in Rome.\n\nI have a dog.",
        "Can you summarise this: I live in Rome. I have a dog.",
        "Hi! Could you please proofread this: I live in Rome.",
        "Rewrite the following\n\nMy name is Ann. I live in Rome.",
        "Correct this: I has a dog. My sister live in Rome.",
        "Fix: I lives in Rome.",
        "Explain what it means:\nI am a rock, I am an island in Maine.",
        "Continue: My name is Ishmael.",
        "Translate into French, I live in Rome.",
        "I need you to rewrite this: I live in Rome.",
        "My boss said: I live in Rome.",
    ],
)
def test_what_others_say_and_texts_to_work_on_are_no_facts(message: str) -> None:
    assert extract_by_rules(message) == []


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("```\nx = 1\n```\nI live in Rome.", ["The user lives in Rome."]),
        ("> Where are you?\nI live in Rome.", ["The user lives in Rome."]),
        ("Write a poem about the sea. I live in Rome.", ["The user lives in Rome."]),
        ("Correct, I live in Rome.", ["The user lives in Rome."]),
        ("Write this down: I live in Rome.", ["The user lives in Rome."]),
        ('My dog is called "Rex".', ["The user's dog is called Rex."]),
        ('I have a 27" monitor. I live in Rome. My TV is 55" wide.', None),
    ],
)
def test_what_stands_beside_them_is(message: str, facts: list[str] | None) -> None:
    found = extract_by_rules(message)
    assert found == facts if facts is not None else "The user lives in Rome." in found


@pytest.mark.parametrize(
    "message",
    [
        "I'm going to bed.",
        "I'm off to work now.",
        "I got a KeyError.",
        "I got a KeyError when I ran it on Monday.",
        "I'm getting a strange error in Python.",
        "My question is how rain forms.",
        "The server is down.",
        "My server is down.",
        "My wifi is down again.",
        "I love you.",
        "I love it!",
        "I like that a lot.",
        "I'm tired.",
        "I'm so tired today.",
        "I'm busy right now.",
        "I'm hungry.",
        "I am very late for work.",
        "I'll try that tomorrow" + "?",
        "I'll check that.",
        "For example, I live in Rome.",
        "I live in Rome, for instance.",
        "I live in Rome, just kidding.",
        "I live in Rome. Just kidding!",
        "I live in Rome, jk",
        "My name is not important.",
        "My name is on the list.",
        "my name is private",
        "I live in fear.",
        "I live in constant fear of wasps.",
        "I moved to the next question.",
        "We moved on to another topic.",
        "My sister loves it.",
        "As an example, I live in Rome.",
        "I live in the moment.",
    ],
)
def test_passing_remarks_are_no_facts(message: str) -> None:
    assert extract_by_rules(message) == []


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("- My name is Ann\n- I live in Rome", ["The user's name is Ann.", "The user lives in Rome."]),
        ("* I live in Rome\n• I have a dog", ["The user lives in Rome.", "The user has a dog."]),
        ("1. I live in Rome\n2) I have a dog", ["The user lives in Rome.", "The user has a dog."]),
        ("About me: my name is Ann", ["The user's name is Ann."]),
        ("A bit about me: I'm Ann, I live in Rome.", ["The user's name is Ann.", "The user lives in Rome."]),
        ("I'm vegetarian.", ["The user is vegetarian."]),
        ("I'm married.", ["The user is married."]),
        ("I retired.", ["The user retired."]),
        ("I graduated.", ["The user graduated."]),
        ("I'm Zoë.", ["The user's name is Zoë."]),
        ("I'm María José de la Cruz.", ["The user's name is María José de la Cruz."]),
        ("I'm Łukasz Żak.", ["The user's name is Łukasz Żak."]),
        ("I'm Юлия.", ["The user's name is Юлия."]),
        ("I am 李雷.", ["The user's name is 李雷."]),
        ("I'm Italian.", ["The user is Italian."]),
        ("Élodie lives in Rome.", ["Élodie lives in Rome."]),
        (
            "I live in Rome, work at IBM and have two cats.",
            ["The user lives in Rome.", "The user works at IBM.", "The user has two cats."],
        ),
        ("I love work and play.", ["The user loves work and play."]),
        ("I want to live in Rome and work at IBM.", ["The user wants to live in Rome and work at IBM."]),
        ("I don't live in Rome and work at IBM.", ["The user does not live in Rome and work at IBM."]),
        ("My name's Ann", ["The user's name is Ann."]),
        ("My sister's called Eve.", ["The user's sister is called Eve."]),
        ("My sister's flight is at 9:45.", ["The user's sister's flight is at 9:45."]),
        ("I report to Lee.", ["The user reports to Lee."]),
        (
            "I have a dog called Rex, a cat and two kids.",
            ["The user has a dog called Rex.", "The user has a cat.", "The user has two kids."],
        ),
        ("I speak French and German.", ["The user speaks French.", "The user speaks German."]),
        ("I have a black and white cat.", ["The user has a black and white cat."]),
        ("I have a call and a meeting on Monday.", ["The user has a call and a meeting on Monday."]),
        ("We have a flat with a desk and a bed.", ["The user has a flat with a desk and a bed."]),
        ("I play rock and roll.", ["The user plays rock and roll."]),
        ("On Monday I start at Siemens.", ["The user starts at Siemens on Monday."]),
        ("Two years ago my mother moved to Rome.", ["The user's mother moved to Rome two years ago."]),
        ("MY DOG IS CALLED REX.", ["The user's dog is called Rex."]),
        ("I LIVE IN FEAR!", []),
        ("No, it's fine. I live in Rome.", ["The user lives in Rome."]),
        ("I study at M.I.T. in Boston.", ["The user studies at M.I.T. in Boston."]),
        ("I live in Hope.", ["The user lives in Hope."]),
        ("I live in Oslo. Well, no, just kidding. I live in Rome.", ["The user lives in Rome."]),
        ("I live at 5 Elm St. My dog is Rex.", ["The user lives at 5 Elm St.", "The user's dog is Rex."]),
        (
            "I have a job interview and a dentist appointment tomorrow.",
            ["The user has a job interview and a dentist appointment tomorrow."],
        ),
        ("Last week I joined a forum - it's great.", ["The user joined a forum last week - it's great."]),
        ("I have a home for kids who need one.", ["The user has a home for kids who need one."]),
        (
            "I live in Washington D.C. and I work for J. Smith. He likes golf.",
            ["The user lives in Washington D.C.", "The user works for J. Smith."],
        ),
        ("I live in Rome lol", ["The user lives in Rome."]),
        ("I definitely need my glasses.", ["The user definitely needs their glasses."]),
        ("I emailed Ann on Monday.", ["The user emailed Ann on Monday."]),
        ("I met Ann in June.", ["The user met Ann in June."]),
        ("I've got two cats.", ["The user has two cats."]),
        ("I'm not kidding, I live in Rome.", ["The user lives in Rome."]),
        ("my name is ann smith from leeds", ["The user's name is ann smith from leeds."]),
        ("My name is Christian.", ["The user's name is Christian."]),
        ("I moved to the seaside.", ["The user moved to the seaside."]),
        ("im 34", ["The user is 34 years old."]),
        ("i dont eat meat", ["The user does not eat meat."]),
        ("I got a dog in May.", ["The user got a dog in May."]),
    ],
)
def test_what_was_missed_or_garbled(message: str, facts: list[str]) -> None:
    assert extract_by_rules(message) == facts
