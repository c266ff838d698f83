"""What a peer's run printed is understood, and such a run stays on this machine."""

import json
import socket

import pytest

from bench.speed.beside import Measured, read
from bench.speed.peers import BATCH, Data, Peer, fill, searches, stay_here

FIGURES = {
    "version": "1.2",
    "messages": 10,
    "add_ms": 0.5,
    "searches": 3,
    "p50": 1.0,
    "p95": 2.0,
    "empty_mb": 50.0,
    "resident_mb": 60.0,
}


def test_figures_or_what_is_missing_stand_in_the_last_line() -> None:
    assert read(f"loading …\n{json.dumps(FIGURES)}\n") == Measured.model_validate(FIGURES)
    assert read('{"missing": "No module named \'mem0\'"}') == "No module named 'mem0'"


@pytest.mark.parametrize("output", ["", "Killed", "{}", '{"p50": 1}'])
def test_other_output_is_a_failure(output: str) -> None:
    assert read(output) is None


def test_a_peer_takes_batches_until_it_has_all() -> None:
    taken: list[int] = []
    added, seconds = fill(Peer(taken.extend, lambda place: ()), BATCH + 3, 60.0)
    assert added == len(taken) == BATCH + 3
    assert seconds >= 0
    slow, _ = fill(Peer(lambda places: sorted(range(10_000)), lambda place: ()), 10 * BATCH, 1e-6)
    assert slow == BATCH


def test_a_peer_that_finds_too_little_is_not_taken_for_quick() -> None:
    data = Data.__new__(Data)
    data.questions = ["where?", "when?"]
    assert len(searches(Peer(lambda places: None, lambda place: range(8)), data, 60.0)) == 2
    with pytest.raises(ValueError, match="3 of 8 found: where"):
        searches(Peer(lambda places: None, lambda place: range(3)), data, 60.0)


def test_other_machines_are_refused() -> None:
    here = socket.socket()
    stay_here("socket.connect", (here, ("127.0.0.1", 80)))
    stay_here("socket.connect", (here, "/run/a.socket"))
    stay_here("socket.getaddrinfo", ("localhost", 80, 0, 0, 0))
    stay_here("open", ("/etc/hosts",))
    with pytest.raises(PermissionError):
        stay_here("socket.connect", (here, ("192.0.2.1", 443)))
    with pytest.raises(PermissionError):
        stay_here("socket.getaddrinfo", ("example.org", 443, 0, 0, 0))
    here.close()
