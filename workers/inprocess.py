"""Worker and beat without a broker: threads of the process that answers."""

import threading
from typing import Any

from celery.exceptions import WorkerShutdown
from celery.platforms import EX_OK
from celery.worker.control import control_command

from config.settings import Settings
from memory.ids import new_id
from workers.app import BeatThread, make_app

STOP_SECONDS = 30


@control_command()
def end_worker(_state: Any) -> None:
    """Ends the worker that hears it; Celery's own `shutdown` does, too, and warns of it."""
    raise WorkerShutdown(EX_OK)


class InProcessWorker:
    """A Celery worker, one task at a time, and a beat, on a queue in memory. `app`: takes the nudges."""

    def __init__(self, settings: Settings) -> None:
        self.app, self._process = make_app(settings)
        self._name = f"loci-{new_id()}@localhost"  # workers of one process hear each other's messages
        self._controller: Any = None
        self._ready = threading.Event()  # the controller takes tasks, or there will be none
        self._beat = BeatThread(self.app)
        self._thread = threading.Thread(target=self._work, name="worker", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._beat.start()

    def stop(self) -> None:
        """Ends after the task that runs. A start under way is waited for: a controller stopped before that goes on."""
        self._beat.stop()
        self._ready.wait(STOP_SECONDS)
        if self._controller is not None and self._thread.is_alive():
            # By a message, for one is what it waits for: told by `stop`, it would look up after two seconds.
            self.app.control.broadcast(end_worker.__name__, destination=[self._name])
        self._thread.join(timeout=STOP_SECONDS)
        self._beat.join(timeout=STOP_SECONDS)

    def _work(self) -> None:
        """The worker's thread: its event loop and memory live and end here. They open with the first task, so that a
        store that is away just now costs a task, not the worker."""
        self.app.set_current()  # of this thread: where tasks are looked up
        try:
            self._controller = self.app.WorkController(
                app=self.app,
                pool_cls="solo",
                concurrency=1,
                hostname=self._name,
                without_heartbeat=True,
                without_mingle=True,
                without_gossip=True,
                ready_callback=lambda _: self._ready.set(),
            )
            self._controller.start()
        finally:
            self._ready.set()
            self._process.stop()
