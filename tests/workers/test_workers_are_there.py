"""`loci doctor` tells whether anybody works."""

from pathlib import Path

import pytest

from api.cli import doctor
from tests.checks import eventually
from tests.conftest import RunHere
from tests.processes import loci
from tests.workers.conftest import Broker


def test_the_doctor_tells_of_workers_that_are_there_and_of_none(
    tmp_path: Path, broker: Broker, run_here: RunHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "WORKER_SECONDS", 0.3)
    idle = run_here(tmp_path, "doctor", redis_url=broker.url)
    assert idle.returncode == 1
    assert "FAIL workers: none answered" in idle.stdout and "Start `loci worker --beat`" in idle.stdout
    with loci(tmp_path, "worker", redis_url=broker.url):
        eventually(
            lambda: "ok   workers: 1 on this broker" in run_here(tmp_path, "doctor", redis_url=broker.url).stdout, 60
        )
