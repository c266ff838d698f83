"""Which attribute does a request name, and does a sentence give it?"""

import pytest

from memory.facts.rules.attribute_meant import attribute_meant, value_given


@pytest.mark.parametrize(
    ("meant", "sentence", "value"),
    [
        ("my PIN", "My PIN is 4471.", "4471"),
        ("my PIN", "The PIN is 4471.", None),
        ("the PIN", "My PIN is 4471.", "4471"),
        ("my PIN", "Is my PIN 4471?", None),
        ("my PIN", "My PIN is 4471?", None),
        ("my PIN", "My pin board is green.", None),
        ("my number", "My passport number is 12.", None),
        ("my boss's name", "My boss is called Fatima.", "Fatima"),
        ("my boss's name", "My boss is a tyrant.", None),
        ("my allergy", "I have a nut allergy.", "nut allergy"),
        ("my allergy", "I have a nut allergy test on Monday.", None),
        ("where I live", "I live in Oslo with my sister.", "The user lives in Oslo with their sister."),
        ("where I live", "My sister lives in Oslo.", None),
        ("my job", "I am a nurse.", "The user is a nurse."),
        ("my job", "I am a morning person.", None),
    ],
)
def test_a_sentence_gives_the_attribute_that_is_named_or_none(meant: str, sentence: str, value: str | None) -> None:
    attribute = attribute_meant(meant)
    assert attribute is not None
    given = value_given(sentence, attribute)
    assert given == value


@pytest.mark.parametrize("meant", ["Elin", "that my cat is grey", "what I said", "my cat. It is grey", "the"])
def test_what_names_no_attribute_means_none(meant: str) -> None:
    assert attribute_meant(meant) is None
