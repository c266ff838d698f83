"""`python -m bench.proxy` runs, and its report tells what was measured."""

from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path

import pytest

from bench import proxy
from bench.proxy import Measured, Took, loci, main, questions, report
from bench.speed.server import Server
from tests import processes


def cells(text: str, first: str) -> list[str]:
    """The row of a table that begins with a text."""
    row = next(line for line in text.splitlines() if line.startswith(f"| {first} "))
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_a_short_run_tells_of_every_kind_of_call(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_an_encoder(home: Path, model_url: str) -> AbstractContextManager[Server]:
        processes.prepare(home)
        return loci(home, model_url)

    monkeypatch.setattr(proxy, "loci", with_an_encoder)
    monkeypatch.setattr(proxy, "WARM_ROUNDS", 1)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-to-be-used")
    main(["--seconds", "0", "--messages", "25"])
    told = capsys.readouterr().out
    assert told.startswith("1 rounds, in a conversation of 25 messages")
    for kind in Took:
        assert len(cells(told, kind)) == 3
    assert len(cells(told, "overhead beyond encoding")) == 2


def test_what_loci_adds_is_the_difference_of_medians() -> None:
    measured = Measured({kind: [float(at), float(at)] for at, kind in enumerate(Took, 1)}, known=[5, 4])
    measured.took[Took.THROUGH][:] = [30.0, 32.0]
    text = report(measured, 1_000)
    assert "2 rounds, in a conversation of 1,000 messages" in text
    assert "4.5 memories a question" in text
    assert cells(text, Took.THROUGH) == [Took.THROUGH, "31.0", "31.9"]
    assert cells(text, "overhead")[1] == "30.0"
    assert cells(text, "overhead beyond encoding")[1] == "22.0"
    assert cells(text, "overhead, memory_strategy none")[1] == "2.00"
    assert cells(text, "first token later by, after the request")[1] == "1.00"


def test_no_question_is_asked_twice() -> None:
    assert len(set(islice(questions(), 2_000))) == 2_000


@pytest.mark.parametrize("arguments", [["--messages", "0"], ["--messages", "many"], ["--seconds", "long"]])
def test_the_rest_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert "error" in capsys.readouterr().err
