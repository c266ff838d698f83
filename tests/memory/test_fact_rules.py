"""Facts by rules: what a message states, and what becomes of facts in force."""

import pytest

from memory.fact_decisions import Add, Delete, Keep, Known, Update, decide_by_rules
from memory.fact_rules import MOST, extract_by_rules
from memory.person import third_person


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


def known(*texts: str) -> list[Known]:
    return [Known(str(number), text) for number, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user lives in Madrid.", "The user moved to Berlin."),
        ("User lives in Madrid", "The user now lives in Berlin."),
        ("Lives in Madrid", "The user lives in Berlin."),
        ("The user's dog is called Biscuit.", "The user's dog's name is Rex."),
        ("The user works at Siemens.", "The user joined Lidl."),
        ("The user's favourite colour is green.", "The user's favorite color is blue."),
        ("The user is 34 years old.", "The user turned 35."),
        ("The user's flight is at 9:45 on Friday.", "The user's flight is at 10:15."),
        ("The user's flight to Oslo is on Friday.", "The user's flight to Oslo is on Saturday."),
        ("The user's locker is number 12.", "The user's locker is number 40."),
        ("The user loves sushi.", "The user hates sushi."),
        ("The user is single.", "The user got married."),
        ("Ana lives in Rome.", "Ana moved to Paris."),
        ("The user's sister Ana lives in Rome.", "Ana moved to Paris."),
        ("The user has a cat.", "The user has a cat named Miso."),
        ("The user drives a Volvo.", "The user sold their Volvo."),
        ("The user eats meat.", "The user does not eat meat anymore."),
        ("The user lives in Madrid.", "The user no longer lives in Madrid."),
        ("The user no longer lives in Madrid.", "The user lives in Oslo."),
    ],
)
def test_a_new_value_takes_the_place_of_the_old(old: str, new: str) -> None:
    assert decide_by_rules([new], known("The user plays chess.", old)) == [Update("1", new)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user loves sushi.", "The user loves ramen."),
        ("The user has a dog.", "The user has a cat."),
        ("Ana lives in Rome.", "The user lives in Paris."),
        ("The user's dog is called Rex.", "The user's cat is called Miso."),
        ("The user lives in Madrid.", "The user lived in Lisbon until 2019."),
        ("The user lives in Madrid.", "The user is moving to Berlin in June."),
        ("The user's dog is brown.", "The user's dog is clever."),
        ("The user plays chess.", "The user no longer plays golf."),
        ("The user plays chess and tennis.", "The user no longer plays tennis."),
    ],
)
def test_what_can_hold_side_by_side_is_added(old: str, new: str) -> None:
    assert decide_by_rules([new], known(old)) == [Add(new)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user lives in Berlin.", "The user lives in Berlin."),
        ("The user lives in Berlin, near the canal.", "The user lives in Berlin."),
        ("The user loves sushi.", "The user really loves sushi."),
    ],
)
def test_the_same_again_changes_nothing(old: str, new: str) -> None:
    assert decide_by_rules([new], known(old)) == [Keep("0")]


def test_of_several_values_one_is_replaced_and_the_others_end() -> None:
    facts = known("The user lives in Madrid.", "The user lives in Rome.")
    assert decide_by_rules(["The user lives in Oslo."], facts) == [Update("1", "The user lives in Oslo."), Delete("0")]


def test_no_fact_in_force_is_replaced_twice() -> None:
    new = ["The user lives in Oslo.", "The user lives in Bergen."]
    decisions = decide_by_rules(new, known("The user lives in Madrid."))
    assert decisions[0] == Update("0", new[0])
    assert decisions[1] == Add(new[1])


# What follows was found by trying to break the rules.


RUNS = (
    *" \t\n\"'A@,;(«“`~-9",
    *(f"{word} " for word in "I i'm my a, and so who not no the in old A 1 . > - $ 's don't is said Write".split()),  # noqa: SIM905
    *("and I ", "I am ", "My sister ", "I have a ", "has lived in ", "moved from ", "```\n", " \n"),
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


def test_long_facts_that_differ_at_the_end_are_two() -> None:
    long = "The user has a list: " + "salt, " * 200
    assert decide_by_rules([long + "figs."], known(long + "nuts.")) == [Add(long + "figs.")]


def test_blanks_in_a_row_are_one() -> None:
    assert extract_by_rules("I  live \t in   Rome   and  I  work at   IBM.") == [
        "The user lives in Rome.",
        "The user works at IBM.",
    ]


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("The user is pregnant.", "The user is not pregnant."),
        ("The user is allergic to nuts.", "The user is not allergic to nuts."),
        ("The user has a car.", "The user does not have a car."),
        ("The user has a red car.", "The user does not have a car."),
        ("The user has a car.", "The user has no car."),
        ("The user has a car.", "The user has not got a car."),
        ("The user has children.", "The user has no children."),
        ("The user has two kids.", "The user does not have any children."),
        ("The user eats meat.", "The user does not eat meat."),
        ("The user is married.", "The user is not married."),
        ("The user is married to Anna.", "The user isn't married."),
        ("The user is diabetic.", "The user is not diabetic."),
        ("The user speaks Spanish.", "The user does not speak Spanish."),
        ("The user owns a house.", "The user does not own a house."),
        ("The user's sister is a doctor.", "The user's sister is not a doctor."),
        ("The user works on Sundays.", "The user does not work on Sundays."),
        ("The user's boss is Tom.", "The user's boss is not Tom."),
        ("The user will move to Oslo.", "The user will not move."),
        ("The user can swim.", "The user cannot swim."),
        ("Ana has a dog.", "Ana doesn't have a dog."),
        ("The user lives in Rome.", "The user never lived in Rome."),
        ("The user lives in Rome.", "The user does not live in Rome."),
    ],
)
def test_what_is_denied_is_so_no_more(yes: str, no: str) -> None:
    assert decide_by_rules([no], known(yes)) == [Update("0", no)]


@pytest.mark.parametrize(
    ("no", "yes"),
    [
        ("The user is not allergic to nuts.", "The user is allergic to nuts."),
        ("The user is not pregnant.", "The user is pregnant with twins."),
        ("The user does not have a car.", "The user has a red car."),
        ("The user has no children.", "The user has two children, Leo and Mia."),
        ("The user does not eat meat.", "The user eats meat."),
        ("The user is not married.", "The user got married."),
        ("The user is not married.", "The user is married to Anna."),
        ("The user's sister is not a doctor.", "The user's sister is a doctor."),
        ("The user does not work on Sundays.", "The user works on Sundays."),
        ("The user's boss is not Tom.", "The user's boss is Tom."),
        ("The user will not move.", "The user will move to Oslo."),
        ("The user does not live in Rome.", "The user lives in Rome."),
    ],
)
def test_what_was_denied_is_so_after_all(no: str, yes: str) -> None:
    assert decide_by_rules([yes], known(no)) == [Update("0", yes)]


def after(*messages: str) -> list[str]:
    """The facts in force after messages."""
    force: dict[str, str] = {}
    for number, message in enumerate(messages):
        facts = [Known(key, text) for key, text in force.items()]
        for place, decision in enumerate(decide_by_rules(extract_by_rules(message), facts)):
            if isinstance(decision, Update | Delete):
                force.pop(decision.id)
            if isinstance(decision, Add | Update):
                force[f"{number}.{place}"] = decision.text
    return list(force.values())


@pytest.mark.parametrize(
    ("messages", "facts"),
    [
        (["I live in Rome.", "I never lived in Rome."], ["The user never lived in Rome."]),
        (
            ["I live in Rome.", "I don't live in Rome, I live in Milan."],
            ["The user does not live in Rome.", "The user lives in Milan."],
        ),
        (["I live in Rome.", "I live in Milan, not in Rome."], ["The user lives in Milan, not in Rome."]),
        (["I'm allergic to nuts", "I'm not allergic to nuts"], ["The user is not allergic to nuts."]),
        (["My dog is called Rex.", "My dog Rex died."], ["The user's dog Rex died."]),
        (["My cat is called Rex.", "My dog Rex died."], ["The user's cat is called Rex.", "The user's dog Rex died."]),
        (["i live in oslo", "i moved to berlin"], ["The user moved to Berlin."]),
        (["my name is ann", "my name is bea"], ["The user's name is Bea."]),
        (["My name is Ann", "Call me Bea"], ["The user's name is Bea."]),
    ],
)
def test_what_holds_after_messages(messages: list[str], facts: list[str]) -> None:
    assert after(*messages) == facts


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("My name is Ann.", "I'm Italian."),
        ("My name is Ann.", "I'm Jewish."),
        ("My name is Ann.", "I'm American"),
        ("My name is Ann.", "Hi! I'm German."),
        ("My name is Ann.", "I'm Vegan."),
        ("My name is Ann.", "I'm Bavarian."),
        ("My name is Ann.", "I'm Busy."),
        ("My name is Ann.", "My name is on the list."),
        ("My name is Ann.", "My name is often misspelled."),
        ("my name is ann", "my name is long"),
        ("My name is Ann.", "My friend is called Bob."),
        ("My friend is called Ann.", "My friend is called Bob."),
        ("I live in Rome.", "We moved to agile last year."),
        ("I live in Rome.", "We moved to agile."),
        ("I live in Rome.", "We moved to Slack last year."),
        ("I live in Rome.", "I moved to the front seat."),
        ("I live in Rome.", "I moved to a new flat."),
        ("I live in Rome.", "I live in fear of wasps."),
        ("I live in Rome.", "I live in harmony."),
        ("I live in Rome.", "I lived in Oslo."),
        ("I work at Apple.", "I joined the local choir."),
        ("I work at Apple.", "I joined the Berlin Choir."),
        ("I work at Apple.", "I joined a gym."),
        ("I work at Apple.", "I work at night."),
        ("I work at Apple.", "I work with Anna."),
        ("I work at Apple.", "I work for fun."),
        ("I work at Apple.", "I work at weekends."),
        ("I work at Apple.", "I work at Christmas."),
        ("I work as a nurse.", "I became a father."),
        ("I work as a nurse.", "I became a member of a club."),
        ("My wife is Anna.", "My wife is at work."),
        ("My wife is Anna.", "My wife is pregnant."),
        ("My wife is Anna.", "My wife is Italian."),
        ("My boss is Tom.", "My boss is late."),
        ("My boss is Tom.", "My boss is on holiday."),
        ("My address is 5 Elm Street.", "My address is wrong in your system."),
        ("My school is Eton.", "My school is closed today."),
        ("My birthday is on 5 May.", "My birthday is going to be fun."),
        ("My budget is 500 euros.", "My budget is tight."),
        ("My budget is 500 euros.", "My budget is a secret."),
        ("My diet is vegan.", "My diet is working."),
        ("My company is Acme.", "My company is growing."),
        ("My company is Acme.", "My company is German."),
        ("My favourite colour is green.", "My favourite colour is hard to choose."),
        ("My favourite restaurant is Luigi's.", "My favourite restaurant is closed."),
        ("My email is ann@example.org.", "My email is full."),
        ("My phone number is 555 123.", "My phone number is not working."),
        ("My password is hunter2.", "My password is wrong."),
        ("My job is nursing.", "My job is stressful."),
        ("My deadline is on Friday.", "My deadline is tight."),
        ("I'm single.", "I'm single-minded."),
        ("I have two meetings on Monday.", "I have three meetings on Tuesday."),
        ("My son is 5.", "My son is 6."),
        ("I have a sister who is a doctor.", "I am a doctor."),
        ("I have a dog.", "I have another dog."),
        ("I have a sister.", "I have a sister-in-law."),
        ("I visited Paris before Rome.", "I visited Rome before Paris."),
        ("I love cats more than dogs.", "I love dogs more than cats."),
        ("I don't eat meat on Fridays.", "I don't eat meat."),
        ("I eat meat.", "I don't eat meat on Fridays."),
        ("I eat meat and fish.", "I don't eat fish."),
        ("I lived in Rome until 2019.", "I live in Rome."),
        ("My sister lives in Oslo.", "I live in Rome."),
        ("My sister drives a Volvo.", "I sold my Volvo."),
        ("I have a dog.", "I don't have a dog house."),
    ],
)
def test_nothing_is_replaced_by_what_says_something_else(first: str, second: str) -> None:
    before = extract_by_rules(first)
    assert len(before) == 1 or "visited" in first
    assert all(isinstance(one, Add) for one in decide_by_rules(extract_by_rules(second), known(*before)))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("My sister lives in Oslo.", "My sister moved to Bergen."),
        ("My father-in-law lives in Oslo.", "My father-in-law moved to Bergen."),
        ("My best friend works at IBM.", "My best friend works at Apple."),
        ("I'm 34.", "I'm 35 now."),
        ("I have two kids.", "I have three kids."),
        ("I have two children.", "I have 3 kids"),
        ("I weigh 80 kg.", "I weigh 75 kg."),
        ("My car is a red Toyota.", "My car is a blue Honda."),
        ("My flight is on Friday.", "My flight was moved to Saturday."),
        ("My flight is at 9:45.", "My flight was postponed to 11:30."),
        ("My boss is Bob.", "My boss is called Mike."),
        ("My boss is Bob.", "My new boss is Mike."),
        ("My email is ann@example.org.", "My email address is bea@example.org."),
        ("My e-mail address is ann@example.org.", "My email is bea@example.org."),
        ("I was born in Madrid.", "I was born in Toledo."),
        ("I have lived in Prague since 2015.", "I live in Brno."),
        ("I've lived in Prague for ten years.", "I live in Brno."),
        ("I live in New York.", "I moved to the Netherlands."),
        ("I live in Rome.", "I live in a small flat in Milan."),
        ("I live in central London.", "I moved from London to Leeds."),
        ("I work at Apple.", "I joined Google last month."),
        ("I work at Apple.", "I work full-time at British Airways."),
        ("I work as a nurse.", "I became a teacher."),
        ("I work as a nurse.", "I was promoted to head nurse."),
        ("My wife is Anna.", "My wife is called Clara."),
        ("My wife is Anna.", "My wife's name is Clara."),
        ("My birthday is on 5 May.", "My birthday is 6 May."),
        ("My budget is 500 euros.", "My budget is about 700 euros."),
        ("My favourite food is fried rice.", "My favourite food is ramen."),
        ("My favourite colour is green.", "My favorite color is dark blue."),
        ("My school is Eton.", "My school is Harrow."),
        ("My name is Ann.", "My name's Bea."),
        ("My name is Ann.", "I'm Zoë."),
        ("My name is Ann.", "Hi, I'm Sebastian."),
    ],
)
def test_a_correction_takes_the_place(first: str, second: str) -> None:
    [new] = extract_by_rules(second)
    assert decide_by_rules([new], known(*extract_by_rules(first))) == [Update("0", new)]


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
        ("I definitely need my glasses.", ["The user definitely needs their glasses."]),
        ("I emailed Ann on Monday.", ["The user emailed Ann on Monday."]),
        ("I met Ann in June.", ["The user met Ann in June."]),
        ("I've got two cats.", ["The user has two cats."]),
        ("im 34", ["The user is 34 years old."]),
        ("i dont eat meat", ["The user does not eat meat."]),
        ("I got a dog in May.", ["The user got a dog in May."]),
    ],
)
def test_what_was_missed_or_garbled(message: str, facts: list[str]) -> None:
    assert extract_by_rules(message) == facts
