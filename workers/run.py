"""How does a worker run as processes of its own, on Redis?"""

from typing import Any

from celery import signals

from config.settings import Settings
from utils.errors import ConfigurationError
from workers.app import make_app, make_beat


def run_worker(settings: Settings, *, concurrency: int, beat: bool) -> None:
    """Works until it is told to stop: SIGTERM ends it after the tasks that run. `beat`: sends the sweeps too."""
    if settings.redis_url is None:
        raise ConfigurationError("REDIS_URL is not set: without it the workers run inside `loci serve`")
    app, process = make_app(settings)
    app.set_current()  # where tasks are looked up

    def begin(**_: Any) -> None:
        process.start()

    def end(**_: Any) -> None:
        process.stop()

    def ready(**_: Any) -> None:  # not before: threads do not survive the forks of the pool
        make_beat(app).start()

    signals.worker_process_init.connect(begin, weak=False)
    signals.worker_process_shutdown.connect(end, weak=False)
    if beat:
        signals.worker_ready.connect(ready, weak=False)
    worker = app.Worker(
        concurrency=concurrency,
        pool="prefork" if concurrency > 1 else "solo",
        loglevel=settings.log_level,
        without_mingle=True,
        without_gossip=True,
    )
    try:
        worker.start()
    finally:
        process.stop()  # a pool of one works in this process, and sends no signal as it ends


def run_beat(settings: Settings) -> None:
    """Sends the sweeps until it is told to stop; one a deployment is enough, more do no harm."""
    if settings.redis_url is None:
        raise ConfigurationError("REDIS_URL is not set: without it beat runs inside `loci serve`")
    app, _ = make_app(settings)
    app.Beat(loglevel=settings.log_level).run()
