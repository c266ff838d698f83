"""How does the beat run beside a worker? As a thread: as a process it would outlive a worker that is killed."""

from threading import Thread

from celery import Celery, beat

LOOK_SECONDS = 0.2  # between two looks at the schedule, for which whoever ends it waits; a second in Celery's thread


class BeatThread(Thread):
    """Sends what is due by the app's schedule until it is told to stop."""

    def __init__(self, app: Celery) -> None:
        super().__init__(name="beat", daemon=True)
        self._app = app
        self._service = beat.Service(
            app,
            max_interval=LOOK_SECONDS,  # type: ignore[arg-type]  # any number does
            scheduler_cls=beat.Scheduler,  # the app's schedule is all there is: nothing to persist
        )

    def run(self) -> None:
        self._app.set_current()  # of this thread
        self._service.start()

    def stop(self) -> None:
        """Tells it to end, and does not wait for that; `join` does."""
        self._service.stop()
