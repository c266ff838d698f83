"""Does a summary by rules say what lasts, in few words?"""

from hypothesis import given
from hypothesis import strategies as st

from memory.domain import RULE_BASED, Gist, Role
from memory.summary_rules import summarise_by_rules
from tests.conversations import START
from utils.text import count_tokens


def gists(*said: tuple[Role, str], model: str | None = None) -> list[Gist]:
    return [
        Gist(str(at), str(at), "turn", "s1", role, text, START, message_index=at, model=model)
        for at, (role, text) in enumerate(said)
    ]


def test_questions_come_with_their_answers_and_statements_as_points() -> None:
    text = summarise_by_rules(
        gists(
            ("user", "Hi there!"),
            ("assistant", "Hello."),
            ("user", "We decided to launch on 3 March. It rains."),
            ("assistant", "Good."),
            ("user", "Thanks. Which database suits us?"),
            ("assistant", "PostgreSQL does. It is robust."),
            ("user", "I prefer tea to coffee."),
            ("assistant", "Noted."),
        ),
        120,
    )
    assert text.split("\n") == [
        "- Q: Which database suits us? A: PostgreSQL does.",
        "- We decided to launch on 3 March.",
        "- I prefer tea to coffee.",
    ]


def test_statements_are_not_crowded_out_by_long_questions() -> None:
    long = "x" * 40 + " " + "and more words of the same kind " * 10
    said: list[tuple[Role, str]] = [("user", "My sister Ana must never eat peanuts.")]
    for _ in range(3):
        said += [("user", f"{long}?"), ("assistant", f"{long}.")]
    text = summarise_by_rules(gists(*said), 120)
    assert "- My sister Ana must never eat peanuts." in text
    assert "- Q: " in text


def test_an_answer_by_rules_is_left_out_for_it_only_quotes_or_knows_nothing() -> None:
    said = gists(("user", "What is my dog called?"), ("assistant", "I don't know that yet."), model=RULE_BASED)
    assert summarise_by_rules(said, 120) == "- Q: What is my dog called?"


def test_a_point_says_whose_it_is_where_speakers_have_names() -> None:
    said = [Gist("1", "1", "turn", "s1", "user", "I live in Oslo with my dog.", START, name="Petra")]
    assert summarise_by_rules(said, 120) == "- Petra: I live in Oslo with my dog."


def test_nothing_but_small_talk_still_gives_a_line() -> None:
    assert summarise_by_rules(gists(("user", "Hi"), ("assistant", "Hello")), 120) == "- Hi"
    assert summarise_by_rules([], 120) == ""


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant", "system", "tool"]), st.text(max_size=400)), max_size=25)
)
def test_a_summary_of_anything_is_short(said: list[tuple[Role, str]]) -> None:
    text = summarise_by_rules(gists(*said), 120)
    assert count_tokens(text) <= 120 or text.count("\n") == 0
    assert len(text) <= 600
    assert len(text.split("\n")) <= 6
