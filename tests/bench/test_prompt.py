"""`python -m bench.prompt` runs, and its report tells what stands in prompts."""

from pathlib import Path

import pytest

from bench.prompt import COLOURS, ROOMS, Bm25, main
from memory.domain import Gist
from tests.conversations import START


def test_a_short_run_tells_of_every_system_and_draws_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-to-be-used")
    main(["--every", "12", "--plot", str(tmp_path / "prompt.svg")])
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("| ")
    ][2:]
    assert {row[0] for row in rows} == set(COLOURS)
    for system, room, tokens, evidence, *_ in rows:
        assert 0 < float(tokens) <= (float(room) if system != "table" else 1_000)
        assert 0 <= float(evidence) <= 100
    ours = [float(row[3]) for row in rows if row[0] == "loci"]
    assert len(ours) == len(ROOMS) and ours[-1] >= max(ours[0], 80)
    drawn = (tmp_path / "prompt.svg").read_text()
    assert drawn.startswith("<svg") and drawn.count("<polyline") == len(COLOURS)


def test_bm25_has_the_rarer_words_first() -> None:
    texts = "The cat sleeps", "The dog barks at the cat", "A dog sleeps"
    gists = [Gist(str(at), str(at), "turn", "s", "user", text, START) for at, text in enumerate(texts)]
    assert [hit.gist.id for hit in Bm25(gists).hits("Who barks at a cat?")] == ["1", "0"]
    assert Bm25(gists).hits("Any whales?") == ()
