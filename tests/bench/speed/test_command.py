"""The command takes what it documents, and refuses the rest before it measures anything."""

import sys
from pathlib import Path

import pytest

from bench.speed.__main__ import _options


def test_all_but_peers_is_measured_by_default() -> None:
    options = _options([])
    assert options.only == {"search", "users", "ingest", "one"}
    assert options.sizes == (1_000, 10_000, 100_000)
    assert options.users == 1_000


def test_sections_and_sizes_are_lists_and_peers_are_measured_where_they_are_named(tmp_path: Path) -> None:
    options = _options(["--only", "one,search", "--sizes", "50,20,50"])
    assert options.only == {"one", "search"} and options.sizes == (50, 20)
    link = tmp_path / "python"
    link.symlink_to(sys.executable)
    options = _options(["--peers", str(link)])
    assert "peers" in options.only and options.peers == link  # an interpreter of a virtual environment stays one


@pytest.mark.parametrize(
    "arguments",
    [
        ["--only", "everything"],
        ["--only", "peers"],
        ["--only", ""],
        ["--sizes", "1000,"],
        ["--sizes", "9"],
        ["--users", "-5"],
        ["--peers", "/nowhere/python"],
        ["--report", "report.txt"],
        ["--report", "/nowhere/report.md"],
    ],
)
def test_the_rest_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        _options(arguments)
    assert "error" in capsys.readouterr().err
