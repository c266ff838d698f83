"""The format of a file is told by what stands in it."""

from pathlib import Path

import orjson
import pytest

from bench.recall.corpus import UnreadableCorpus
from bench.recall.reading import corpus_of, read_corpus


def test_each_format_is_known_by_its_content() -> None:
    assert corpus_of({"corpus": "mine", "conversations": []}, "file").name == "mine"
    locomo = {"sample_id": "s", "conversation": {"speaker_a": "Ann"}, "qa": []}
    assert corpus_of([locomo], "file").conversations[0].id == "s"
    item = {"question_id": "q", "question_type": "t", "question": "?", "haystack_dates": [], "haystack_sessions": []}
    assert corpus_of([item], "file").conversations[0].questions[0].category == "t"


def test_a_corpus_without_a_name_has_its_files(tmp_path: Path) -> None:
    file = tmp_path / "locomo10.json"
    file.write_bytes(orjson.dumps([{"sample_id": "s", "conversation": {}, "qa": []}]))
    assert read_corpus(file).name == "locomo10"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "is not JSON"),
        ("[]", "neither the prepared format"),
        ('{"conversations": [{"id": 3}], "corpus": "x"}', r"conversations\.0\.id"),
    ],
)
def test_what_is_no_benchmark_is_refused_with_its_reason(text: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.json"
    file.write_text(text)
    with pytest.raises(UnreadableCorpus, match=reason):
        read_corpus(file)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableCorpus, match=r"gone\.json: No such file"):
        read_corpus(tmp_path / "gone.json")
