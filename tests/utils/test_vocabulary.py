"""Texts are taken apart as the model was trained to read them."""

from unicodedata import normalize

import pytest

from utils.encoder import PACKAGE, model_file
from utils.encoder_file import EncoderFile
from utils.vocabulary import LONGEST_RUN, UNKNOWN, Vocabulary, write_table

pytest.importorskip(PACKAGE)


@pytest.fixture(scope="module")
def file() -> EncoderFile:
    return EncoderFile(model_file())


@pytest.fixture(scope="module")
def vocabulary(file: EncoderFile, tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    table = tmp_path_factory.mktemp("vocabulary") / "table.npz"
    write_table(file.pieces, table)
    return Vocabulary(file.pieces, table)


def pieces(file: EncoderFile, vocabulary: Vocabulary, text: str, most: int = 1_000) -> list[str]:
    known, bounds = file.pieces.text, file.pieces.bounds
    numbers = [token.number for token in vocabulary.tokens(text, most)]
    return [known[bounds[number] : bounds[number + 1]].decode() for number in numbers]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't know", "▁I ▁don ' t ▁know"),
        ("  Two\n\nlines ", "▁Two ▁lines"),
        ("ﬁne １２３", "▁fine ▁123"),
        ("Grüße aus Köln!", "▁Grüße ▁aus ▁Köln !"),
        ("你好世界", "▁ 你好 世界"),
        ("東京駅はどこですか", "▁ 東京 駅 は どこ ですか"),
        ("", ""),
    ],
)
def test_texts_are_taken_apart_as_by_sentencepiece(
    file: EncoderFile, vocabulary: Vocabulary, text: str, expected: str
) -> None:
    assert pieces(file, vocabulary, text) == expected.split()


def test_each_piece_belongs_to_a_word_and_punctuation_to_none(vocabulary: Vocabulary) -> None:
    words = [token.word for token in vocabulary.tokens("Marisol's (new) xylophones!", 100)]
    assert [word for at, word in enumerate(words) if word and word not in words[:at]] == [
        "marisol",
        "s",
        "new",
        "xylophones",
    ]
    assert "" in words


def test_where_no_blanks_stand_between_words_a_piece_is_one(vocabulary: Vocabulary) -> None:
    assert [token.word for token in vocabulary.tokens("玉露 60度", 100) if token.word] == ["玉", "露", "60", "度"]


def test_what_is_unknown_in_a_row_is_one_token_but_for_letters(vocabulary: Vocabulary) -> None:
    unknown = [token for token in vocabulary.tokens("a ᛋᛁ b", 100) if token.number == UNKNOWN]
    assert [token.word for token in unknown] == ["ᛋᛁ", "ᛋᛁ"]
    marks = [token for token in vocabulary.tokens("a \U0001d15e\U0001d15e b", 100) if token.number == UNKNOWN]
    assert [token.word for token in marks] == [""]


@pytest.mark.parametrize("text", ["Grüße aus Köln", "Tôi sống ở Hà Nội", "한국어를 공부해요", "où est l'été"])
def test_composed_and_decomposed_letters_are_the_same(vocabulary: Vocabulary, text: str) -> None:
    assert normalize("NFD", text) != text
    assert vocabulary.tokens(normalize("NFD", text), 100) == vocabulary.tokens(text, 100)


@pytest.mark.parametrize("word", ["हिन्दी", "नमस्ते", "ภาษาไทย"])
def test_marks_belong_to_the_letter_before_them(vocabulary: Vocabulary, word: str) -> None:
    assert {token.word for token in vocabulary.tokens(f"({word})!", 100)} - {""} == {normalize("NFC", word)}


@pytest.mark.parametrize("text", ["word " * 9_000, "x" * 20_000, "世界" * 9_000, "x" * LONGEST_RUN])
def test_no_more_is_read_than_asked_for(vocabulary: Vocabulary, text: str) -> None:
    assert len(vocabulary.tokens(text, 50)) == 50
