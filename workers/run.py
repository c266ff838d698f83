"""Workers as processes of their own, on Redis."""

import os
import signal
import sys
from threading import Thread
from time import sleep
from typing import Any

from celery import signals

from config.settings import Settings
from utils.errors import ConfigurationError
from workers.app import BeatThread, make_app

PARENT_SECONDS = 1.0  # between looks at whether the worker is there


def run_worker(settings: Settings, *, concurrency: int, beat: bool) -> None:
    """Works until it is told to stop: SIGTERM ends it after the tasks that run. `beat`: sends the sweeps too. Raises
    `SystemExit` with Celery's status where the worker failed."""
    if settings.redis_url is None:
        raise ConfigurationError("REDIS_URL is not set: without it the workers run inside `loci serve`")
    app, process = make_app(settings)
    app.set_current()  # where tasks are looked up
    own = os.getpid()

    def begin(**_: Any) -> None:
        if os.getpid() != own:
            Thread(target=_end_with, args=(own,), daemon=True).start()
        process.start()

    signals.worker_process_init.connect(begin, weak=False)
    signals.worker_process_shutdown.connect(lambda **_: process.stop(), weak=False)
    if beat:  # once the worker is ready: threads do not survive the forks of the pool
        signals.worker_ready.connect(lambda **_: BeatThread(app).start(), weak=False)
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
    if worker.exitcode:  # it ended by itself, as for a message that it cannot read: whoever watches it starts it again
        sys.exit(worker.exitcode)


def _end_with(parent: int) -> None:
    """Ends a process of the pool once its worker is gone, killed: each holds the others' pipes open, so that none is
    told. What it was at comes back when its lease is over."""
    while os.getppid() == parent:
        sleep(PARENT_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)


def run_beat(settings: Settings) -> None:
    """Sends the sweeps until it is told to stop; one a deployment is enough, more do no harm."""
    if settings.redis_url is None:
        raise ConfigurationError("REDIS_URL is not set: without it beat runs inside `loci serve`")
    app, _ = make_app(settings)
    app.Beat(loglevel=settings.log_level).run()
