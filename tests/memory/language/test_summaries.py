"""A summary by rules says what lasts, in few words."""

from hypothesis import given
from hypothesis import strategies as st

from memory.domain import RULE_BASED, Gist, Role
from memory.language.summaries import extend_by_rules, shortened, summarise_by_rules
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


def test_questions_that_rules_answered_keep_out_of_what_tells() -> None:
    asked = gists(
        ("user", "My boss is called Fatima. Who is Denise?"),
        ("assistant", "I don't know that yet."),
        ("user", "What's happening on 1 December?"),
        ("assistant", "I don't know that yet."),
        model=RULE_BASED,
    )
    assert summarise_by_rules(asked, 120) == "- My boss is called Fatima."
    told = gists(("user", "I like C++."))
    assert extend_by_rules("- Q: Who is Denise?\n- Q: Which one? A: The red one.", told, 120).split("\n") == [
        "- Q: Which one? A: The red one.",
        "- I like C++.",
    ]
    assert shortened("- Q: Who is Denise?\n- I like tea.\n- Q: Why?", None) == "- I like tea."
    assert shortened("- Q: Who is Denise?\n- Q: Why?", 1) == "- Q: Who is Denise?"


def test_a_point_says_whose_it_is_where_speakers_have_names() -> None:
    said = [Gist("1", "1", "turn", "s1", "user", "I live in Oslo with my dog.", START, name="Petra")]
    assert summarise_by_rules(said, 120) == "- Petra: I live in Oslo with my dog."


def test_nothing_but_small_talk_still_gives_a_line() -> None:
    assert summarise_by_rules(gists(("user", "Hi"), ("assistant", "Hello")), 120) == "- Hi"
    assert summarise_by_rules([], 120) == ""


def test_what_was_said_several_times_stands_there_once_where_it_was_said_last() -> None:
    said = gists(
        ("user", "I live in Oslo."),
        ("user", "I live in Rome now."),
        ("user", "i live in oslo!"),
        ("user", "I like C."),
        ("user", "I like C++."),
    )
    assert summarise_by_rules(said, 120).split("\n") == [
        "- I live in Rome now.",
        "- i live in oslo!",
        "- I like C.",
        "- I like C++.",
    ]


def test_what_two_speakers_say_stands_there_of_each() -> None:
    said = [
        Gist(str(at), str(at), "turn", "s1", "user", "I live in Oslo now.", START, name=name)
        for at, name in enumerate(("Petra", "Jon", "Petra"))
    ]
    assert summarise_by_rules(said, 120).split("\n") == ["- Jon: I live in Oslo now.", "- Petra: I live in Oslo now."]


def test_of_a_question_that_was_asked_several_times_the_last_answer_of_a_model_stands_there() -> None:
    question = ("user", "Which database suits us?")
    by_model = gists(question, ("assistant", "MySQL does."), question, ("assistant", "PostgreSQL does."))
    by_rules = gists(question, ("assistant", "I don't know that yet."), model=RULE_BASED)
    assert summarise_by_rules(by_model, 120) == "- Q: Which database suits us? A: PostgreSQL does."
    assert summarise_by_rules([*by_model, *by_rules], 120) == "- Q: Which database suits us? A: PostgreSQL does."
    assert summarise_by_rules([*by_rules, *by_rules], 120) == "- Q: Which database suits us?"
    assert summarise_by_rules([*by_rules, *by_model], 120) == "- Q: Which database suits us? A: PostgreSQL does."


def test_lines_of_several_summaries_are_told_once() -> None:
    assert shortened("- I live in Oslo.\n- I like tea.\n- i live in Oslo", None) == "- I like tea.\n- i live in Oslo"
    added = gists(("user", "I like tea!"), ("user", "I moved to Rome."))
    assert extend_by_rules("- I like tea.\n- I work by night.", added, 120).split("\n") == [
        "- I work by night.",
        "- I like tea!",
        "- I moved to Rome.",
    ]


def test_points_are_whole_sentences_in_german_too() -> None:
    said = gists(("user", "Mein Termin bei Dr. Weber ist am 12. Mai um neun. Ich mag Obst, z. B. Äpfel."))
    assert summarise_by_rules(said, 120).split("\n") == [
        "- Mein Termin bei Dr. Weber ist am 12. Mai um neun.",
        "- Ich mag Obst, z. B. Äpfel.",
    ]


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant", "system", "tool"]), st.text(max_size=400)), max_size=25)
)
def test_a_summary_of_anything_is_short(said: list[tuple[Role, str]]) -> None:
    text = summarise_by_rules(gists(*said), 120)
    assert count_tokens(text) <= 120 or text.count("\n") == 0
    assert len(text) <= 600
    assert len(text.split("\n")) <= 6
