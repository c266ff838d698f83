"""What stands in `vectors` for a turn, and what is embedded of it?"""

import pytest

from memory.gists.gists import document_of, text_to_embed
from tests.conversations import USER, turn


@pytest.mark.parametrize(
    ("name", "text"), [("Ana", "Ana: hello"), (None, "hello"), ("user", "hello"), ("User", "hello")]
)
def test_a_speakers_name_is_embedded_with_the_text_unless_it_is_the_role(name: str | None, text: str) -> None:
    assert text_to_embed(document_of(USER, "s1", turn("m1", "hello", name=name), 0)) == text
