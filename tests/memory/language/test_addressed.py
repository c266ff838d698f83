"""Is a question about what the assistant said told from others that say "you"?"""

import pytest

from memory.language.questions import asks_of_assistant


@pytest.mark.parametrize(
    "text",
    [
        "Which hamster names did you propose?",
        "When exactly did you first mention the museum?",
        "What have you already recommended for the slow import?",
        "the marinade you suggested",
        "Remind me which three books you'd listed",
        "what was the second restaurant on your list in Lyon?",
        "What was your honest verdict on the tent?",
        "Did you say how long to rest the dough?",
        "You once translated a toast for me, how did it go?",
        "Which steps you’ve given me come last?",
        "Was hast du mir zum Umzug geraten?",
        "Was war dein Rat zum Mietvertrag?",
        "¿Qué libro me recomendaste?",
        "Quel restaurant tu m'as conseillé ?",
        "Che libro mi hai consigliato?",
        "O que você me recomendou?",
        "Welk boek heb je me aangeraden?",
    ],
)
def test_what_the_assistant_said_is_asked_for(text: str) -> None:
    assert asks_of_assistant(text)


@pytest.mark.parametrize(
    "text",
    [
        "Can you tell me my shoe size?",
        "Could you give me a summary?",
        "What would you suggest for dinner?",
        "Did I tell you when the lease ends?",
        "What did I tell you on 8 August?",
        "What do you know about my sister?",
        "Do you remember my cat?",
        "Did you know that Ann moved?",
        "Thank you, said Mia?",
        "What did I say you called my cat?",
        "What did Ana say you told her?",
        "Did my boss say you made a mistake?",
        "If you said so, where is it?",
        "As you said you would remember: what is my cat called?",
        "Who thank you gave the cake to?",
        "What did Mia suggest?",
        "Was habe ich dir gesagt?",
    ],
)
def test_what_others_said_or_the_assistant_is_to_say_is_not(text: str) -> None:
    assert not asks_of_assistant(text)
