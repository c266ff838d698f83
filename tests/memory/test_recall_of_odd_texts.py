"""What was typed to find something stands behind what tells, and what the encoder has no words for is found."""

import pytest

from agents.memory import Memory
from tests.conversations import USER, turn


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("Casimir", marks=pytest.mark.xfail(strict=True, reason="the name alone stands first")),
        pytest.param("TH-40921", marks=pytest.mark.xfail(reason="on some processors the query itself stands first")),
        "the oven",
        "what is my starter called",
        "where is the oven",
    ],
)
async def test_what_was_typed_to_find_something_stands_behind_it(quiet: Memory, query: str) -> None:
    told = ["Casimir ordered the oven, it is in Dorsten: order TH-40921.", "My sourdough starter is called Gerald."]
    await quiet.add(USER, "s1", [turn("m0", told[0]), turn("m1", told[1]), turn("m2", query)], wait=True)
    first = (await quiet.search(USER, query)).hits[0].gist.id
    assert first == ("m1" if "starter" in query else "m0")


async def test_writing_without_spaces_is_found_by_its_words(quiet: Memory) -> None:
    said = [
        "\u7389\u9732\u306f60\u5ea6\u304f\u3089\u3044\u3067\u3059\u3002",
        "I like tea.",
        "\u6211\u559c\u6b22\u7eff\u8336",
    ]
    await quiet.add(USER, "s1", [turn(f"m{at}", text) for at, text in enumerate(said)], wait=True)
    assert (await quiet.search(USER, "\u7389\u9732")).hits[0].gist.id == "m0"
    assert (await quiet.search(USER, "\u7eff\u8336")).hits[0].gist.id == "m2"


@pytest.mark.parametrize("query", ["\u16cb\u16c1", "\U00013000\U0001302f" * 100])
async def test_what_the_encoder_does_not_know_is_like_nothing_else(quiet: Memory, query: str) -> None:
    said = ["y" * 300, "\U00012000" * 20, "\N{THUMBS UP SIGN}", "\u16b7\u16a8", "We sold the boat."]
    await quiet.add(USER, "s1", [turn(f"m{at}", text) for at, text in enumerate(said)], wait=True)
    assert not (await quiet.search(USER, query)).hits
    assert (await quiet.search(USER, said[3])).hits[0].gist.content == said[3]
