"""What the tests of workers share: a real Redis."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import RedisError

from tests.checks import eventually
from tests.processes import Process, free_port


class Broker:
    """A Redis server that keeps nothing on disk."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._port = free_port()
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self._process = self._start()

    def _start(self) -> Process:
        command = ["redis-server", "--port", str(self._port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        process = Process(self._home, list(command))
        eventually(self._answers)
        return process

    def _answers(self) -> bool:
        try:
            with Redis.from_url(self.url) as client:
                return bool(client.ping())
        except RedisError:
            return False

    def kill_and_restart(self) -> None:
        self._process.kill()
        self._process = self._start()

    def stop(self) -> None:
        self._process.stop()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    if shutil.which("redis-server") is None and os.environ.get("CI") != "true":
        pytest.skip("redis-server is not installed")
    started = Broker(tmp_path / "redis")
    yield started
    started.stop()
