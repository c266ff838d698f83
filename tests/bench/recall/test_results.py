"""A saved run is the run that was saved."""

from pathlib import Path

import pytest

from bench.recall.results import UnreadableRun, load, save
from tests.bench.recall.rows import row, run


def test_a_run_that_is_saved_comes_back_as_it_was(tmp_path: Path) -> None:
    one = run(row("q1", ["a", "b"], ["a"]), row("q2", [], [], "abstention"))
    save(one, tmp_path / "run.json")
    assert load(tmp_path / "run.json") == one


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"corpora": 3}')
    with pytest.raises(UnreadableRun, match="is not a run that was saved"):
        load(tmp_path / "run.json")
    with pytest.raises(UnreadableRun, match=r"gone\.json: No such file"):
        load(tmp_path / "gone.json")
