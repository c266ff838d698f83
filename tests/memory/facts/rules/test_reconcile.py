"""Facts by rules: what becomes of those in force?"""

import pytest

from memory.facts.rules.extract import extract_by_rules
from memory.facts.rules.reconcile import Add, Delete, Keep, Known, Update, decide_by_rules, reconciled


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
        ("The user has a cat.", "The user has a cat named Miso."),
        ("The user drives a Volvo.", "The user sold their Volvo."),
        ("The user eats meat.", "The user does not eat meat anymore."),
        ("The user lives in Madrid.", "The user no longer lives in Madrid."),
        ("The user no longer lives in Madrid.", "The user lives in Oslo."),
    ],
)
def test_a_new_value_takes_the_place_of_the_old(old: str, new: str) -> None:
    assert decide_by_rules([new], known("The user plays chess.", old)) == [Update("1", new)]


def test_who_somebody_is_stays_told() -> None:
    facts = known("The user's sister Ana lives in Rome.")
    assert decide_by_rules(["Ana moved to Paris."], facts) == [Update("0", "The user's sister Ana moved to Paris.")]


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


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("I live in Madrid. I moved to Berlin. No wait, I moved to Bonn.", ["The user moved to Bonn."]),
        ("My dog is called Rex. I love figs. My dog died.", ["The user loves figs.", "The user's dog died."]),
        ("My name is Jon. It's not Jon, it's John.", ["The user's name is John."]),
        ("It's not Jon, it's John. I live in Rome.", ["Not Jon, but John.", "The user lives in Rome."]),
        ("I have a cat. I have a cat named Miso.", ["The user has a cat named Miso."]),
        ("I have a cat named Miso. I have a cat.", ["The user has a cat named Miso."]),
    ],
)
def test_of_one_message_the_later_takes_the_place_of_the_earlier(message: str, facts: list[str]) -> None:
    assert reconciled(extract_by_rules(message)) == facts


def test_long_facts_that_differ_at_the_end_are_two() -> None:
    long = "The user has a list: " + "salt, " * 200
    assert decide_by_rules([long + "figs."], known(long + "nuts.")) == [Add(long + "figs.")]


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
