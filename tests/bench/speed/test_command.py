"""The command takes what it documents, and refuses the rest before it measures anything."""

import pytest

from bench.speed.__main__ import _options


def test_all_but_peers_is_measured_by_default() -> None:
    options = _options([])
    assert options.only == {"search", "users", "ingest", "one"}
    assert options.sizes == (1_000, 10_000, 100_000)
    assert options.users == 1_000


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
