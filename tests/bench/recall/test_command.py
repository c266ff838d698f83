"""`python -m bench.recall` runs, here and against a server."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pymongo import MongoClient

from bench.recall.__main__ import SMALL, main
from bench.recall.results import load
from config.settings import Settings


def test_without_data_it_runs_on_the_small_conversation_in_a_store_of_its_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-to-be-used")
    main(["--limit", "4", "--save", str(tmp_path / "run.json")])
    (corpus,) = load(tmp_path / "run.json").corpora
    assert (corpus.corpus, corpus.messages) == ("small", 80)
    asked = [row for row in corpus.rows if row.category != "small_talk"]
    assert len(asked) == 4
    assert any(set(row.found) & set(row.evidence) for row in asked)
    assert "| overall" in capsys.readouterr().out


def test_a_server_is_asked_reported_on_compared_and_left_empty(
    serve: Callable[..., str],
    make_settings: Callable[..., Settings],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    url, first, second = serve(), tmp_path / "first.json", tmp_path / "second.md"
    main([str(SMALL), "--url", url, "--limit", "3", "--save", str(first)])
    main(["--url", url, "--limit", "3", "--against", str(first), "--report", str(second)])
    assert "+0.0 … +0.0" in capsys.readouterr().out
    assert "(second.svg)" in second.read_text()
    assert (tmp_path / "second.svg").read_text().startswith("<svg")
    settings = make_settings()
    assert settings.mongodb_uri is not None
    with MongoClient[dict[str, object]](settings.mongodb_uri.get_secret_value()) as client:
        for collection in ("sessions", "vectors", "summaries"):
            assert client[settings.mongodb_db][collection].count_documents({}) == 0


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--url", "http://127.0.0.1:9"], r"bench\.recall: http://127\.0\.0\.1:9: "),
        (["gone.json"], r"bench\.recall: .*gone\.json: No such file"),
        ([str(SMALL), str(SMALL)], "two corpora have the same name: small, small"),
    ],
)
def test_what_is_not_there_is_told_in_one_line(arguments: list[str], reason: str) -> None:
    with pytest.raises(SystemExit, match=reason):
        main(arguments)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--limit", "0"], "must be a number from 1 on"),
        (["--save", "nowhere/run.json"], "its directory is not there"),
        (["--report", "run.html"], "must end in .md"),
    ],
)
def test_what_cannot_be_done_is_told_before_the_run(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert reason in capsys.readouterr().err
