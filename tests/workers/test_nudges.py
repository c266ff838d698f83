"""How the API tells the workers that there is work."""

import threading
import time
from typing import Any

import pytest
from celery import Celery

from config.settings import Settings
from tests.checks import eventually
from tests.processes import free_port
from workers.app import make_app
from workers.nudges import CeleryNudge


class Queue:
    """Stands for a Celery app: takes what is sent, as slowly as it is told to."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.free = threading.Event()
        self.free.set()
        self.error: Exception | None = None

    def send_task(self, name: str, **_: Any) -> None:
        self.free.wait(10)
        self.sent.append(name)
        if self.error is not None:
            raise self.error


@pytest.fixture
def queue() -> Queue:
    return Queue()


def nudge_over(queue: Any) -> CeleryNudge:
    return CeleryNudge(queue)


def test_many_nudges_at_once_go_out_as_few(queue: Queue) -> None:
    nudge = nudge_over(queue)
    queue.free.clear()
    for _ in range(1_000):
        nudge("embed")
        nudge("summarise")
    queue.free.set()
    eventually(lambda: len(queue.sent) >= 2)
    nudge.close()
    assert set(queue.sent) == {"loci.embed", "loci.summarise"}
    assert len(queue.sent) <= 4


def test_a_nudge_after_one_that_went_out_goes_out_too(queue: Queue) -> None:
    nudge = nudge_over(queue)
    for number in range(1, 4):
        nudge("embed")
        eventually(lambda number=number: len(queue.sent) == number)
    nudge.close()


def test_each_kind_of_work_has_a_task_of_its_own(queue: Queue) -> None:
    nudge = nudge_over(queue)
    nudge("embed", "summarise", "learn", "observe")
    eventually(lambda: len(queue.sent) == 4)
    nudge.close()
    assert set(queue.sent) == {"loci.embed", "loci.summarise", "loci.learn", "loci.observe"}
    assert set(queue.sent) <= set(make_app(Settings())[0].tasks)


def test_asking_never_waits_for_the_broker(queue: Queue) -> None:
    queue.free.clear()
    nudge = nudge_over(queue)
    for _ in range(100):
        nudge("embed")
    assert queue.sent == []
    queue.free.set()
    nudge.close()


def test_a_broker_that_fails_is_told_again_the_next_time(queue: Queue, caplog: pytest.LogCaptureFixture) -> None:
    nudge = nudge_over(queue)
    queue.error = ConnectionError("redis://:secret@host")
    nudge("embed")
    eventually(lambda: caplog.messages)
    queue.error = None
    nudge("embed")
    eventually(lambda: len(queue.sent) == 2)
    nudge.close()
    assert caplog.messages == ["the broker does not take nudges: ConnectionError"]


def test_a_broker_that_is_away_does_not_hold_up_the_end() -> None:
    nudge = nudge_over(Celery(broker=f"redis://127.0.0.1:{free_port()}/0", set_as_current=False))
    nudge("embed")
    began = time.monotonic()
    nudge.close()
    assert time.monotonic() - began < 6
