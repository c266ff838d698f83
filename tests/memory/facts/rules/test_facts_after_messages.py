"""Facts by rules: what holds after messages?"""

import pytest

from memory.facts.rules.extract import extract_by_rules
from memory.facts.rules.reconcile import Add, Delete, Known, Update, decide_by_rules


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
        (["I live in Rome.", "I live in Milan, not in Rome."], ["The user lives in Milan."]),
        (["I'm allergic to nuts", "I'm not allergic to nuts"], ["The user is not allergic to nuts."]),
        (["My dog is called Rex.", "My dog Rex died."], ["The user's dog Rex died."]),
        (["My cat is called Rex.", "My dog Rex died."], ["The user's cat is called Rex.", "The user's dog Rex died."]),
        (["My name is Jon.", "My name is not Jon, it is John."], ["The user's name is John."]),
        (["My name is Jon.", "I'm not Jon, I'm John."], ["The user is not Jon.", "The user's name is John."]),
        (["My name is Jon.", "It's not Jon, it's John."], ["The user's name is John."]),
        (["I was born in Rome.", "I mean Oslo, not Rome."], ["The user was born in Oslo."]),
        (["I feel bad in Rome.", "The weather today is nice, not bad."], ["The user feels bad in Rome."]),
        (["I am not Italian.", "My name is not Tom."], ["The user is not Italian.", "The user's name is not Tom."]),
        (
            ["I don't live in Rome.", "My boss is not Tom."],
            ["The user does not live in Rome.", "The user's boss is not Tom."],
        ),
        (["My name is Jon.", "No, it's John, not Jon."], ["The user's name is John."]),
        (["My class is on Monday.", "It's on Tuesday, not on Monday."], ["The user's class is on Tuesday."]),
        (["I live in Rome.", "It's nice, not bad."], ["The user lives in Rome."]),
        (
            ["My cat is called Jo.", "My dog is called Jo.", "It's Al, not Jo."],
            ["The user's cat is called Jo.", "The user's dog is called Jo."],
        ),
        (
            ["I work at Siemens as an engineer.", "I quit my job at Siemens.", "I started a new job at Bosch."],
            ["The user quit their job at Siemens.", "The user started a new job at Bosch."],
        ),
        (["I work at Siemens.", "I left Siemens last week."], ["The user left Siemens last week."]),
        (["I work at Siemens.", "I quit my job."], ["The user quit their job."]),
        (
            ["I work as a nurse at the hospital.", "I quit my job at the hospital."],
            ["The user quit their job at the hospital."],
        ),
        (["I live in Graz.", "I moved out of Graz."], ["The user moved out of Graz."]),
        (
            ["I live in New York.", "I work at Graz University.", "I moved out of York.", "I moved away from Graz."],
            [
                "The user lives in New York.",
                "The user works at Graz University.",
                "The user moved out of York.",
                "The user moved away from Graz.",
            ],
        ),
        (
            ["I work as a barista.", "I quit my weekend job at the bar."],
            ["The user works as a barista.", "The user quit their weekend job at the bar."],
        ),
        (["I live in Graz.", "I moved out of Linz."], ["The user lives in Graz.", "The user moved out of Linz."]),
        (
            ["I work at Siemens.", "I left my keys at Siemens.", "I quit smoking."],
            ["The user works at Siemens.", "The user left their keys at Siemens.", "The user quit smoking."],
        ),
        (["I work as a teacher.", "I am a pilot now."], ["The user is a pilot now."]),
        (["I work as a teacher.", "I am a volunteer."], ["The user works as a teacher.", "The user is a volunteer."]),
        (
            ["I moved to Berlin.", "Actually, I moved to Hamburg, not Berlin.", "I no longer live in Hamburg."],
            ["The user no longer lives in Hamburg."],
        ),
        (
            ["I have a dog called Biscuit.", "Biscuit died.", "My new dog is called Rex."],
            ["Biscuit died.", "The user's new dog is called Rex."],
        ),
        (["I have a dog called Biscuit.", "I no longer have a dog."], ["The user no longer has a dog."]),
        (["My dog is called Biscuit.", "My dog died."], ["The user's dog died."]),
        (
            ["I have a dog called Biscuit.", "My grandma died."],
            ["The user has a dog called Biscuit.", "The user's grandma died."],
        ),
        (
            ["I live in Madrid.", "In my novel, I live in Tokyo.", "In a parallel universe I moved to Narnia."],
            ["The user lives in Madrid."],
        ),
        (["I live in Madrid.", "In 2019, I moved to Berlin."], ["The user moved to Berlin."]),
        (["i live in oslo", "i moved to berlin"], ["The user moved to Berlin."]),
        (["my name is ann", "my name is bea"], ["The user's name is Bea."]),
        (
            ["I have a dog called Rex and a cat called Tom.", "My dog Rex died."],
            ["The user has a cat called Tom.", "The user's dog Rex died."],
        ),
        (
            ["I play the guitar and the piano.", "I stopped playing the guitar.", "I no longer play the piano."],
            ["The user stopped playing the guitar.", "The user no longer plays the piano."],
        ),
        (["I live in Madrid.", "Last month I moved to Berlin."], ["The user moved to Berlin last month."]),
        (["I moved to Oslo", "I'm now living in Bonn."], ["The user is now living in Bonn."]),
        (["My car is a red Toyota.", "I sold my car."], ["The user sold their car."]),
        (
            ["I have a red car.", "My bike is old.", "I sold my car."],
            ["The user's bike is old.", "The user sold their car."],
        ),
        (
            ["My sister's car is old.", "I sold my car."],
            ["The user's sister's car is old.", "The user sold their car."],
        ),
        (["My phone number is 555-1234.", "Sorry, it's 555-4321."], ["The user's phone number is 555-4321."]),
        (["My name is Leo.", "I meant Leon."], ["The user's name is Leon."]),
        (
            ["I live in Rome.", "My name is Jon.", "No, it's John."],
            ["The user lives in Rome.", "The user's name is John."],
        ),
        (["I live in Rome.", "Sorry, it's Tuesday."], ["The user lives in Rome."]),
        (["I'm 34.", "No, it's 5."], ["The user is 34 years old."]),
        (["My flight is at 9:45.", "Sorry, it's 5551234."], ["The user's flight is at 9:45."]),
        (["My office is in room 12.", "My office moved to room 14."], ["The user's office moved to room 14."]),
        (
            ["My wife's name is Eva.", "We got divorced.", "I'm married to Clara now."],
            ["The user is married to Clara now."],
        ),
        (["My wife is Eva.", "I got divorced."], ["The user got divorced."]),
        (["My wife is Eva.", "I got divorced in 2010."], ["The user's wife is Eva.", "The user got divorced in 2010."]),
        (["My wife is Eva.", "I'm married to Eva."], ["The user's wife is Eva.", "The user is married to Eva."]),
        (["I live in Madrid.", "I LIVE IN PARIS"], ["The user lives in Paris."]),
        (["My mother is a nurse.", "My mother was a nurse."], ["The user's mother was a nurse."]),
        (["My mother is a nurse.", "My mother used to be a nurse."], ["The user's mother used to be a nurse."]),
        (["I live in Madrid.", "I used to live in Madrid."], ["The user used to live in Madrid."]),
        (
            ["I live in Madrid.", "I used to live in Oslo."],
            ["The user lives in Madrid.", "The user used to live in Oslo."],
        ),
        (["I live in Madrid.", "I live near Rome."], ["The user lives in Madrid.", "The user lives near Rome."]),
        (["I live near Rome.", "I live near Bonn."], ["The user lives near Bonn."]),
        (["I live near Rome.", "I moved to Bonn."], ["The user moved to Bonn."]),
        (["I live in Madrid.", "I live in Rome, just kidding."], ["The user lives in Madrid."]),
        (
            ["I drive a red Toyota.", "I sold my old car and bought a bike."],
            ["The user sold their old car and bought a bike."],
        ),
        (["My cat is called Tom.", "Sorry, it's called Tim."], ["The user's cat is called Tim."]),
        (["I work at IBM.", "I used to work at IBM."], ["The user used to work at IBM."]),
        (["My name is Ann", "Call me Bea"], ["The user's name is Bea."]),
        (
            ["My boss is Mr. Smith. He lives in Rome.", "Mr. Smith moved to Oslo."],
            ["The user's boss is Mr. Smith.", "Mr. Smith moved to Oslo."],
        ),
    ],
)
def test_what_holds_after_messages(messages: list[str], facts: list[str]) -> None:
    assert after(*messages) == facts
