"""The Celery app: the broker, the tasks and the schedule; the same app on Redis and in one process.

A message is a nudge, never the record: it may be lost or come twice. What there is to do stands in MongoDB.
"""

from typing import Any

from celery import Celery

from config.settings import Settings
from memory.ids import new_id
from workers.process import WorkerProcess

SWEEP_SECONDS = 5.0
LOOK_SECONDS = 0.2  # between two looks of the beat at the schedule, for which whoever ends it waits
NUDGE_EXPIRES = 60  # seconds after which a nudge says nothing that the sweep has not found
POLLING = 0.02  # seconds between two looks at the in-memory queue


def make_app(settings: Settings) -> tuple[Celery, WorkerProcess]:
    """The app over `REDIS_URL`, or over a queue in this process's memory; and the door of its tasks to the core."""
    broker = settings.redis_url.get_secret_value() if settings.redis_url else "memory://localhost/"
    app = Celery("loci", broker=broker, set_as_current=False)
    app.conf.update(
        broker_connection_retry_on_startup=True,
        broker_transport_options=_transport(settings),
        task_ignore_result=True,
        task_default_queue="loci"
        if settings.redis_url
        else f"loci-{new_id()}",  # memory:// is one a process, not an app
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_proc_alive_timeout=60,  # seconds that a process may take to open the store and the encoder
        worker_send_task_events=False,
        beat_scheduler="celery.beat:Scheduler",  # nothing to persist
        beat_max_loop_interval=LOOK_SECONDS,
        beat_schedule={
            "sweep": {"task": "loci.sweep", "schedule": SWEEP_SECONDS, "options": {"expires": NUDGE_EXPIRES}}
        },
        enable_utc=True,
    )
    process = WorkerProcess(settings)
    _register(app, process)
    return app, process


def _register(app: Celery, process: WorkerProcess) -> None:
    """The tasks, of this app alone: shared ones would reach the core of the first app of a process."""

    @app.task(name="loci.embed", shared=False)
    def embed() -> None:
        process.run(lambda memory: memory.engine.gists.queue.work())

    @app.task(name="loci.summarise", shared=False)
    def summarise() -> None:
        process.run(lambda memory: memory.engine.chats.summaries.work())

    @app.task(name="loci.learn", shared=False)
    def learn() -> None:
        process.run(lambda memory: memory.engine.knowledge.queue.work())

    @app.task(name="loci.observe", shared=False)
    def observe() -> None:
        if process.run(lambda memory: memory.engine.tools.queue.turn()):
            embed.apply_async(expires=NUDGE_EXPIRES, retry=False)

    @app.task(name="loci.renew", shared=False)
    def renew() -> None:
        process.run(lambda memory: memory.engine.gists.queue.renew())

    @app.task(name="loci.sweep", shared=False)
    def sweep() -> None:
        process.run(lambda memory: memory.engine.sweep())
        # Which do a part at a time, and let others have their turn.
        observe.apply_async(expires=NUDGE_EXPIRES, retry=False)
        renew.apply_async(expires=NUDGE_EXPIRES, retry=False)


def _transport(settings: Settings) -> dict[str, Any]:
    if settings.redis_url is None:
        return {"polling_interval": POLLING}
    return {
        "visibility_timeout": 300,
        "unacked_restore_interval": 2,
        "unacked_restore_throttle": 1,
        "max_retries": 0,  # a nudge to a broker that is away is dropped
        "socket_connect_timeout": 5,
        "socket_timeout": 30,
    }
