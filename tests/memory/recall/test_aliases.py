"""Whom do others call by a name that nobody has?"""

import pytest

from memory.recall.query import LEAST, speaker_called
from tests.memory.indexes import Said, index_of

EMI = [Said("Hey Kate! How are you?", name="Elise"), Said("Fine, thanks.", name="Emi")]


def called(name: str, said: list[Said]) -> str | None:
    index = index_of(said)
    code = speaker_called(name, index)
    return next((speaker for speaker, number in index.names.items() if number == code), None)


def test_who_is_greeted_by_a_name_is_called_so() -> None:
    assert called("kate", EMI * LEAST) == "emi"


@pytest.mark.parametrize("greeting", ["Good morning Kate", "hi Kate", "So nice, thank you Kate!", "Bye, Kate"])
def test_greetings_of_many_kinds_count(greeting: str) -> None:
    assert called("kate", [Said(greeting, name="Elise"), Said("Oh, hi.", name="Emi")] * LEAST) == "emi"


def test_a_few_greetings_are_not_enough() -> None:
    assert called("kate", EMI * (LEAST - 1)) is None


def test_who_is_only_spoken_of_is_no_speaker() -> None:
    said = [Said("Kate came by. I like Kate.", name="Elise"), Said("Kate is kind.", name="Emi")]
    assert called("kate", said * 5) is None


def test_a_name_by_which_both_are_greeted_means_neither() -> None:
    back = [Said("Hey Kate!", name="Emi"), Said("Hello.", name="Elise")]
    assert called("kate", (EMI + back) * LEAST) is None


def test_a_greeting_at_the_end_of_one_message_does_not_greet_by_the_first_word_of_the_next() -> None:
    said = [Said("I just came to say hi", name="Elise"), Said("Kate told me", name="Emi")]
    assert called("kate", said * 5) is None


def test_without_names_nobody_is_called_anything() -> None:
    said = [Said("Hey Kate! How are you?"), Said("Fine, thanks.", role="assistant")]
    assert called("kate", said * 5) is None
    assert called("kate", []) is None


def test_deleted_greetings_do_not_count() -> None:
    index = index_of(EMI * LEAST, dropped=[0])
    assert speaker_called("kate", index) is None
    assert speaker_called("kate", index_of(EMI * (LEAST + 1), dropped=[0])) is not None
