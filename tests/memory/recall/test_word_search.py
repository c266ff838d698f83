"""Recall by words: scores as a loop over the texts gives them."""

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.recipes import OBSERVATIONS, Recipe
from memory.gists.gists import hashes, terms_of, to_bytes
from memory.recall.index import WORDS, UserIndex
from memory.recall.ranking import Scope
from memory.recall.word_search import indexed, indexed_terms, ranked, sought
from tests.conversations import START
from utils.text import content_stems

EVERY = Scope(kinds=None)
text = st.lists(st.sampled_from(["dog", "dogs", "cat", "apple", "the", "barking", "mill's"]), max_size=8).map(" ".join)


def index_of(texts: list[str], kind: str = "finding") -> UserIndex:
    index = UserIndex(WORDS, 0)
    row = {"timestamp": START, "session_id": "", "kind": kind, "role": kind}
    index.put([row | {"_id": str(n), "words": to_bytes(indexed_terms(one))} for n, one in enumerate(texts)])
    return index


def expected(texts: list[str], query: str, recipe: Recipe) -> dict[int, float]:
    """Robertson's formula with Lucene's idf, text by text; then s / (1 + s)."""
    documents = [Counter(indexed(one)) for one in texts]
    mean = max(1, sum(document.total() for document in documents) / len(documents))
    scores: dict[int, float] = {}
    for row, document in enumerate(documents):
        score = 0.0
        for term in set(content_stems(query)):
            having = sum(term in one for one in documents)
            rarity = math.log(1 + (len(documents) - having + 0.5) / (having + 0.5))
            length = 1 - recipe.b + recipe.b * document.total() / mean
            score += rarity * document[term] * (recipe.k1 + 1) / (document[term] + recipe.k1 * length)
        if score > 0:
            scores[row] = score / (1 + score)
    return scores


@settings(max_examples=150, deadline=None)
@given(st.lists(text, min_size=1, max_size=12), text)
def test_scores_are_bm25s_and_fall_along_the_list(texts: list[str], query: str) -> None:
    found = ranked(index_of(texts), sought(query), OBSERVATIONS, EVERY)
    assert dict(found) == pytest.approx(expected(texts, query, OBSERVATIONS), rel=1e-4)
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True) and all(0 < score < 1 for score in scores)


@settings(max_examples=50, deadline=None)
@given(st.lists(text, min_size=1, max_size=12), text, st.sets(st.integers(0, 11)))
def test_what_was_deleted_counts_for_nothing(texts: list[str], query: str, gone: set[int]) -> None:
    index = index_of(texts)
    index.drop(map(str, gone))
    left = [one for n, one in enumerate(texts) if n not in gone]
    found = [score for _, score in ranked(index, sought(query), OBSERVATIONS, EVERY)]
    scores = expected(left, query, OBSERVATIONS).values() if left else []
    assert found == pytest.approx(sorted(scores, reverse=True), rel=1e-4)


def test_a_score_is_higher_above_one_than_below_it() -> None:
    """The document's own formula gives 1.0 → 1.0 and 1.01 → 0.50."""
    texts = ["heron", "heron heron heron", *[f"other {n}" for n in range(200)]]
    (first, high), (second, low) = ranked(index_of(texts), sought("heron"), OBSERVATIONS, EVERY)
    assert (first, second) == (1, 0) and 0.5 < low < high < 1


def test_equal_ones_come_newest_first_and_then_by_id() -> None:
    index = UserIndex(WORDS, 0)
    one = {"session_id": "", "kind": "finding", "role": "finding", "words": to_bytes(indexed_terms("heron"))}
    index.put([one | {"_id": name, "timestamp": START} for name in ("b", "a")])
    index.put([one | {"_id": "c", "timestamp": START.replace(year=2026)}])
    found = ranked(index, sought("heron"), OBSERVATIONS, EVERY)
    assert [index.ids[row] for row, _ in found] == ["c", "a", "b"]


@pytest.mark.parametrize("query", ["the", "to be", "What did I tell you about it?"])
def test_a_query_of_stop_words_alone_finds_nothing(query: str) -> None:
    index = index_of(["to be or not", "the mill", "What did I tell you about it?"])
    assert ranked(index, sought(query), OBSERVATIONS, EVERY) == []


SAID = [
    "该服务使用 PostgreSQL 16 和 Redis",
    "レート制限は毎分100リクエストです",
    "속도 제한은 분당 100개 요청입니다",
    "Ограничение: 100 запросов в минуту на ключ",
    "Die Grenze liegt bei 100 Anfragen pro Minute",
    "Das Büro liegt in der Langen Straße",
    "El servicio responde en 20 ms",
    "The API uses OAuth2",
    "ระบบใช้ฐานข้อมูล",
    "The internet was reached over a gateway",
    "Der Dienst nutzt die Datenbank",
]


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("服务", 0),
        ("数据库服务", 0),
        ("postgresql", 0),
        ("ＰｏｓｔｇｒｅＳＱＬ", 0),
        ("使", 0),
        ("制限", 1),
        ("レート制限", 1),
        ("제한", 2),
        ("요청", 2),
        ("запрос", 3),
        ("минута", 3),
        ("ограничения", 3),
        ("КЛЮЧИ", 3),
        ("Anfrage", 4),
        ("Grenzen", 4),
        ("Minuten", 4),
        ("Dienste", 10),
        ("Datenbanken", 10),
        ("Datenbanks", 10),
        ("strasse", 5),
        ("STRASSE", 5),
        ("straße", 5),
        ("buro", 5),
        ("Bu\u0308ro", 5),
        ("servicios", 6),
        ("oauth", 7),
        ("OAuth2", 7),
        ("oauth3", 7),
        ("ฐานข้อมูล", 8),
    ],
)
def test_words_of_any_language_are_found(query: str, row: int) -> None:
    assert [found for found, _ in ranked(index_of(SAID), sought(query), OBSERVATIONS, EVERY)][:1] == [row]


@pytest.mark.parametrize("written", ["İSTANBUL", "İstanbul", "istanbul", "ISTANBUL", "ｉｓｔａｎｂｕｌ", "𝐢𝐬𝐭𝐚𝐧𝐛𝐮𝐥"])
@pytest.mark.parametrize("query", ["İSTANBUL", "İstanbul", "istanbul", "ISTANBUL", "ＩＳＴＡＮＢＵＬ", "𝐈𝐒𝐓𝐀𝐍𝐁𝐔𝐋"])
def test_a_word_is_found_however_its_letters_are_written(written: str, query: str) -> None:
    index = index_of([f"Sunucu {written} ofisinde", "Sunucu Ankara ofisinde"])
    assert [row for row, _ in ranked(index, sought(query), OBSERVATIONS, EVERY)] == [0]


@pytest.mark.parametrize(("query", "found"), [("İSTANBUL", [0, 1]), ("istanbul", [0]), ("DİYARBAKIR", [2])])
def test_what_an_earlier_version_kept_of_words_with_a_dotted_capital_is_found(query: str, found: list[int]) -> None:
    """It took "İ" for the end of a word."""
    index = index_of(["sunucu İstanbul ofisinde"])
    for row, kept in enumerate((["sunucu", "i", "stanbul", "ofisind"], ["sunucu", "di", "yarbakir", "ofisind"]), 1):
        document = {"_id": str(row), "timestamp": START, "session_id": "", "kind": "finding", "role": "finding"}
        index.put([document | {"words": to_bytes(hashes(kept))}])
    assert sorted(row for row, _ in ranked(index, sought(query), OBSERVATIONS, EVERY)) == found


@pytest.mark.parametrize(
    "query", ["international", "gates", "Strafe", "犬", "служба", "serv", "오류", "reached2", "Datensatz"]
)
def test_other_words_that_begin_alike_are_not_found(query: str) -> None:
    found = [row for row, _ in ranked(index_of(SAID), sought(query), OBSERVATIONS, EVERY)]
    assert found == ([9] if query == "reached2" else [])  # of which the letters are a word


def test_an_inflected_form_counts_only_where_nothing_has_the_word_itself() -> None:
    texts = ["Die Anfragen kommen nachts", "Die Anfrage kam nachts"]
    assert [row for row, _ in ranked(index_of(texts), sought("Anfrage"), OBSERVATIONS, EVERY)] == [1]
    assert [row for row, _ in ranked(index_of(texts[:1]), sought("Anfrage"), OBSERVATIONS, EVERY)] == [0]


def test_english_texts_have_the_terms_of_their_words_alone() -> None:
    text = "The mill's wheels were turned by 2 herons, which nobody had expected."
    assert list(indexed_terms(text)) == list(terms_of(text))


def test_nothing_is_found_in_nothing_or_by_nothing() -> None:
    assert ranked(UserIndex(WORDS, 0), sought("heron"), OBSERVATIONS, EVERY) == []
    assert ranked(index_of(["heron"]), sought("?!"), OBSERVATIONS, EVERY) == []
    assert ranked(index_of(["", "?"]), sought("heron"), OBSERVATIONS, EVERY) == []


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Sunucu Ankara'da duruyor", "Ankara"),
        ("Müşteri İzmir’de oturuyor", "İzmir"),
        ("Toplantı Paris'te yapıldı", "Paris"),
        ("Toplantı Paris yakınında", "Paris'te"),
        ("C'est l'usine de Lyon", "usine"),
        ("It is Ann's own", "Ann"),
    ],
)
def test_words_that_an_apostrophe_joins_are_found(text: str, query: str) -> None:
    index = index_of([text, "nothing of it"])
    assert [row for row, _ in ranked(index, sought(query), OBSERVATIONS, EVERY)] == [0]


def test_function_words_of_another_language_are_not_looked_for() -> None:
    texts = ["meine Tests sind meine Sache", "der Build dauert zehn Minuten", "ist das so"]
    query = "Wie lange dauert mein Build, und was ist meine Sicht?"
    assert [row for row, _ in ranked(index_of(texts), sought(query), OBSERVATIONS, EVERY)] == [1]
    assert sought(query).terms.tolist() == hashes(["lang", "dauert", "build", "sicht"]).tolist()
    assert sought("wie ist das").terms.tolist() == hashes(["wie", "ist", "das"]).tolist()  # of them alone, they stay
