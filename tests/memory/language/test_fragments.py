"""Which few words name a thing that is looked for?"""

import pytest

from memory.language.fragments import is_fragment, names_a_thing


@pytest.mark.parametrize(
    "text", ["police report of the stolen bike", "Pia's shoe size", "9f3c2ab", "swimming lessons", "Hedwig"]
)
def test_words_without_a_verb_are_a_fragment(text: str) -> None:
    assert is_fragment(text)


@pytest.mark.parametrize(
    "text",
    [
        "Rex snores",
        "The landlord raised the rent",
        "short answers please",
        "Mein Hund heißt Rex",
        "Ben called",
        "finished the report",
        "Linus likes trains",
        "Pia, Linus and me",
        "on my way",
        "running late",
        "good night",
        "hungry?",
        "so tired",
        "Finally",
        "thanks, Anna",
        "",
        "a " * 20,
    ],
)
def test_what_tells_greets_or_asks_is_no_fragment(text: str) -> None:
    assert not is_fragment(text)


def test_one_plain_word_is_a_thing_where_it_was_told_as_one() -> None:
    assert names_a_thing("hamster", "The hamster moved in.")
    assert not names_a_thing("hungry", "I was hungry.")
    assert names_a_thing("TX4471", "Number TX4471-B.")
