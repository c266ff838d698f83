"""`python -m bench.doors` runs, and its report tells of every door."""

from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from bench import doors
from bench.doors import DOORS, main
from bench.proxy import loci
from bench.speed.server import Server
from tests import processes


@pytest.mark.parametrize("arguments", [[], ["--translated"]], ids=["passed through", "translated"])
def test_a_short_run_tells_of_every_door(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_an_encoder(home: Path, model_url: str, **settings: str) -> AbstractContextManager[Server]:
        processes.prepare(home)
        return loci(home, model_url, **settings)

    monkeypatch.setattr(doors, "loci", with_an_encoder)
    monkeypatch.setattr(doors, "WARM_ROUNDS", 0)
    main(["--seconds", "0", "--messages", "25", *arguments])
    told = capsys.readouterr().out
    assert told.startswith("1 rounds, in a conversation of 25 messages")
    for door in DOORS:
        assert len(next(line for line in told.splitlines() if line.startswith(f"| {door.name} ")).split("|")) == 9
