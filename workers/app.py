"""The Celery app: the broker, the tasks and the schedule, and the process whose one event loop does the work; the same
app on Redis and in one process.

A message is a nudge, never the record: it may be lost or come twice. What there is to do stands in MongoDB.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from threading import Thread
from time import monotonic
from typing import Any, TypeVar

from celery import Celery, beat

from agents.memory import Memory
from agents.open import open_memory
from config.settings import Settings
from memory.ids import new_id
from utils.clock import Seldom
from utils.errors import DiskFull
from utils.loops import new_runner
from utils.mongo import StoreError, foreseen

SWEEP_SECONDS = 5.0
LOOK_SECONDS = 0.2  # between two looks of the beat at the schedule, for which whoever ends it waits
NUDGE_EXPIRES = 60  # seconds after which a nudge says nothing that the sweep has not found
GOES_ON = 2.0  # seconds after a turn that left work, in which nudges say nothing new
POLLING = 0.02  # seconds between two looks at the in-memory queue

T = TypeVar("T")

log = logging.getLogger(__name__)

WORK: dict[str, Callable[[Memory], Awaitable[object]]] = {
    "embed": lambda memory: memory.engine.gists.queue.turn(),
    "summarise": lambda memory: memory.engine.chats.summaries.work(),
    "title": lambda memory: memory.engine.chats.titles.work(),
    "learn": lambda memory: memory.engine.knowledge.queue.turn(),
    "observe": lambda memory: memory.engine.tools.queue.turn(),
    "renew": lambda memory: memory.engine.gists.queue.renew(),
    "sweep": lambda memory: memory.engine.sweep(),
}


class WorkerProcess:
    """The door from Celery's synchronous tasks to the core. Belongs to the thread that starts it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings.model_copy(update={"rerank_model": None})  # a worker does not search
        self._runner: asyncio.Runner | None = None
        self._stack = AsyncExitStack()
        self._memory: Memory | None = None
        self._full = Seldom()

    def start(self) -> None:
        """Opens the loop, and on it the memory. Where that fails, the next piece of work tries again."""
        self._runner = new_runner()
        try:
            opened = open_memory(self._settings, condenses=False)  # whose loop rests between two tasks
            self._memory = self._runner.run(self._stack.enter_async_context(opened))
        except BaseException:
            self.stop()
            raise

    def run(self, work: Callable[[Memory], Awaitable[T]]) -> T | None:
        """What one piece of work gives. Where the store is away or has no room it is left to the next sweep: None."""

        async def job(memory: Memory) -> T:
            return await work(memory)

        try:
            if self._runner is None or self._memory is None:
                self.start()
            assert self._runner is not None and self._memory is not None  # noqa: S101
            return self._runner.run(job(self._memory))
        except StoreError as error:
            full = isinstance(foreseen(error), DiskFull)
            if not full or self._full.due():
                what = "the disk is full" if full else f"the store does not answer ({type(error).__name__})"
                log.warning("%s; the work waits for the next sweep", what)
            return None

    def stop(self) -> None:
        """Closes the memory and the loop."""
        runner, self._runner, self._memory = self._runner, None, None
        if runner is not None:
            with runner:
                runner.run(self._stack.aclose())


def make_app(settings: Settings) -> tuple[Celery, WorkerProcess]:
    """The app over `REDIS_URL`, or over a queue in this process's memory; and the door of its tasks to the core."""
    broker = settings.redis_url.get_secret_value() if settings.redis_url else "memory://localhost/"
    sweep = {"task": "loci.sweep", "schedule": SWEEP_SECONDS, "options": {"expires": NUDGE_EXPIRES}}
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
        beat_schedule={"sweep": sweep},
        enable_utc=True,
    )
    process = WorkerProcess(settings)
    _register(app, process)
    return app, process


def nudge(app: Celery, *tasks: str, again: bool = False) -> None:
    """`again`: goes on with what a turn left."""
    for task in tasks:
        app.send_task(f"loci.{task}", kwargs={"again": True} if again else {}, expires=NUDGE_EXPIRES, retry=False)


def _register(app: Celery, process: WorkerProcess) -> None:
    """The tasks, of this app alone: shared ones would reach the core of the first app of a process."""

    def add(task: str) -> None:
        left = -GOES_ON

        @app.task(name=f"loci.{task}", shared=False)
        def work(*, again: bool = False) -> None:
            nonlocal left
            if not again and monotonic() - left < GOES_ON:
                return  # what that turn left is on its way, and others have theirs first
            done = process.run(WORK[task])
            left = -GOES_ON
            if task == "sweep":  # these do a part at a time, and let others have their turn
                nudge(app, "embed", "observe", "renew", "learn")
            elif task == "observe" and done:
                nudge(app, "embed")
            elif task in ("embed", "learn") and done:
                left = monotonic()
                nudge(app, task, again=True)

    for task in WORK:
        add(task)


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


class BeatThread(Thread):
    """Sends what is due by the app's schedule until it is told to stop. A thread beside the worker, since a process
    would outlive a worker that is killed."""

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


async def ping_broker(settings: Settings) -> str:
    """What the broker is. Raises `OSError` where Redis does not answer."""
    if settings.redis_url is None:
        return "in-process queue"
    from redis.asyncio import Redis  # a tenth of a second, which who has no Redis need not wait
    from redis.exceptions import RedisError

    try:
        client = Redis.from_url(settings.redis_url.get_secret_value(), socket_connect_timeout=2, socket_timeout=2)
    except ValueError:
        raise ConnectionError("REDIS_URL is not one that the client takes") from None
    try:
        await client.ping()
    except RedisError as error:
        raise ConnectionError("Redis does not answer") from error
    finally:
        await client.aclose()
    return "Redis"
