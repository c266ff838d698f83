"""The beat beside a worker: a thread, since a process would outlive a worker that is killed."""

from threading import Thread

from celery import Celery, beat


class BeatThread(Thread):
    """Sends what is due by the app's schedule until it is told to stop."""

    def __init__(self, app: Celery) -> None:
        super().__init__(name="beat", daemon=True)
        self._app = app
        self._service = beat.Service(app, scheduler_cls=app.conf.beat_scheduler)

    def run(self) -> None:
        self._app.set_current()  # of this thread
        self._service.start()

    def stop(self) -> None:
        """Tells it to end, and does not wait for that; `join` does."""
        self._service.stop()
