"""Does the command take what it documents, and refuse the rest before it measures anything?"""

import sys
from pathlib import Path

import pytest

from bench.speed.__main__ import _options


def test_all_but_peers_is_measured_by_default() -> None:
    options = _options([])
    assert options.only == {"search", "users", "ingest", "one"}
    assert options.sizes == (1_000, 10_000, 100_000)
    assert options.users == 1_000


def test_peers_are_measured_where_they_are_named() -> None:
    assert "peers" in _options(["--peers", sys.executable]).only


def test_an_interpreter_of_a_virtual_environment_stays_what_it_is(tmp_path: Path) -> None:
    link = tmp_path / "python"
    link.symlink_to(sys.executable)
    assert _options(["--peers", str(link)]).peers == link


def test_sections_and_sizes_are_lists() -> None:
    options = _options(["--only", "one,search", "--sizes", "50,20,50"])
    assert options.only == {"one", "search"}
    assert options.sizes == (50, 20)


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
