"""What all tests share: a built-in store, a memory over it, a served API; and no network but this machine."""

import asyncio
import functools
import ipaddress
import itertools
import logging
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpcore2
import pytest
import uvicorn
from hypothesis import settings
from pymongo import MongoClient

from agents.memory import Memory
from agents.open import open_memory
from api.app import create_app
from api.cli.commands import main
from config.settings import Settings
from embedded.launch import attached
from tests import processes
from tests.conversations import Silent
from tests.disks import quick_folder
from tests.encoders import Readings, furnish, kept_in
from tests.scripted_model import ScriptedModel
from tests.scripted_mongot import ScriptedMongot
from utils import encoder, openai_client
from utils.encoder import Encoder

DRIVER = "LOCI_TEST_DRIVER"  # `motor`, or PyMongo's own where it is not set
NUMBERS = "LOCI_TEST_ENCODER"  # `int8` or `float32`, or what this processor is faster with where it is not set

SLOW = (  # tests that start processes or a browser, kill what they started, or look through many inputs
    "tests/workers/",
    "tests/web/",
    "tests/utils/test_encoder.py",
    "tests/agents/chat/test_writer_agent.py",
    "tests/api/cli/",
    "tests/api/http/test_problems.py",
    "tests/api/mcp/",
    "tests/api/portable/",
    "tests/api/test_",
    "tests/api/openai/test_branches.py",
    "tests/api/openai/test_openai_",
    "tests/api/routes/test_operations.py",
    "tests/api/routes/test_projects.py",
    "tests/api/routes/test_query_",
    "tests/api/routes/test_sessions.py",
    "tests/api/routes/test_tool_",
    "tests/bench/",
    "tests/embedded/operators/test_odd_input.py",
    "tests/embedded/test_launch.py",
    "tests/embedded/test_reading.py",
    "tests/embedded/properties/",
    "tests/memory/banks/",
    "tests/memory/oversight/",
    "tests/memory/store/test_changes.py",
    "tests/memory/test_moving.py",
    "tests/memory/turns/test_eviction.py",
)

# No test speaks TLS, and each of the thousands of clients would read a bundle of certificates.
ssl.create_default_context = functools.cache(ssl.create_default_context)
httpcore2.default_ssl_context = functools.cache(httpcore2.default_ssl_context)

_databases = itertools.count()
_loaded = functools.cache(encoder._load)
os.register_at_fork(after_in_child=_loaded.cache_clear)  # whose threads a child lacks

# Examples of properties are the same in every run; asking for a number of them (`LOCI_TEST_EXAMPLES`) gives new ones.
settings.register_profile("loci", derandomize="LOCI_TEST_EXAMPLES" not in os.environ, deadline=None, print_blob=True)
settings.load_profile("loci")


def pytest_configure(config: pytest.Config) -> None:
    """Where other numbers are asked for, the encoder of this process has those. The processes that tests start, two
    hundred of them, do not compile the project anew. And the folders of tests are where a commit waits for no disk."""
    if config.option.basetemp is None and not hasattr(config, "workerinput"):
        folder = quick_folder()
        config.option.basetemp = folder.__enter__() / "pytest"
        config.add_cleanup(lambda: folder.__exit__(None, None, None))
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if NUMBERS in os.environ:
        quantised = {"int8": True, "float32": False}[os.environ[NUMBERS]]
        encoder.multiplies_int8 = lambda: quantised


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks what is `slow`, which begins, so that none of it is waited for at the end. Where another driver is asked
    for, those tests alone run that use one."""
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: not item.nodeid.startswith((*SLOW, "tests/api/")))
    if DRIVER in os.environ:
        using = {item for item in items if "make_settings" in getattr(item, "fixturenames", ())}
        config.hook.pytest_deselected(items=[item for item in items if item not in using])
        items[:] = [item for item in items if item in using]


@pytest.fixture(autouse=True, scope="session")
def _only_this_machine() -> Iterator[None]:
    """Refuses every connection that would leave this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not ipaddress.ip_address(address[0]).is_loopback:
            raise AssertionError(f"a test tried to reach {address[0]}")
        connect(self, address)

    socket.socket.connect = guarded  # type: ignore[method-assign]
    yield
    socket.socket.connect = connect  # type: ignore[method-assign]


@pytest.fixture(autouse=True, scope="session")
def _hear_ctrl_c() -> None:
    """As at a terminal, also where a shell that ran the tests in its background had it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings come from the test alone."""
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setitem(Settings.model_config, "env_file", None)


@pytest.fixture(scope="session")
def encoder_files(pytestconfig: pytest.Config) -> Path:
    """Where the encoder's files are, and what it made of texts."""
    assert pytestconfig.cache is not None
    return kept_in(pytestconfig.cache)


@pytest.fixture(scope="session")
def encoder_readings(encoder_files: Path) -> Iterator[Readings]:
    made = Readings(encoder_files / "readings.db")
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _read_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """One encoder serves all homes, and no text is read that was read before, in this test or another."""
    if not request.path.match("tests/utils/test_encoder.py"):
        readings, files = request.getfixturevalue("encoder_readings"), request.getfixturevalue("encoder_files")
        monkeypatch.setattr(Encoder, "_read", lambda local, text: readings.read(local, text))
        monkeypatch.setattr(encoder, "_load", lambda home: _loaded(files))


@pytest.fixture(autouse=True, scope="session")
def _commands_find_an_encoder(encoder_files: Path) -> Iterator[None]:
    """Those that tests start as processes of their own build none."""
    processes.prepare = lambda home: furnish(home, encoder_files)
    yield


@pytest.fixture(scope="session")
def home(encoder_files: Path) -> Iterator[Path]:
    """Where the shared store and the encoder live."""
    with quick_folder() as home:
        furnish(home, encoder_files)
        yield home


@pytest.fixture(scope="session")
def store_uri(home: Path) -> Iterator[str]:
    """The address of a built-in store that runs as long as the tests."""
    with asyncio.Runner() as runner:
        store = attached(home)
        yield runner.run(store.__aenter__())
        runner.run(store.__aexit__(None, None, None))


@pytest.fixture(scope="session")
def server(store_uri: str) -> Iterator[MongoClient[dict[str, Any]]]:
    """The shared store, past the product."""
    with MongoClient[dict[str, Any]](store_uri, tz_aware=True) as client:
        yield client


@pytest.fixture
def make_settings(home: Path, store_uri: str, server: MongoClient[dict[str, Any]]) -> Iterator[Callable[..., Settings]]:
    """Settings over a database of their own in the shared store. It goes with the test: whoever defines a collection
    is slower for each that is there."""
    name = f"test_{os.getpid()}_{next(_databases)}"

    def make(**changes: Any) -> Settings:
        driver = os.environ.get(DRIVER, "pymongo")
        mine = {"mongodb_uri": store_uri, "mongodb_db": name, "loci_home": home, "mongodb_driver": driver}
        mine["embedding_model"] = "text-embedding-3-small"  # else a provider is asked whether it has it
        return Settings(**mine | changes)

    yield make
    server.drop_database(name)


@pytest.fixture
async def memory(make_settings: Callable[..., Settings]) -> AsyncIterator[Memory]:
    """A memory without a model, that embeds and summarises in the background."""
    async with open_memory(make_settings()) as opened:
        yield opened


@pytest.fixture
async def quiet(make_settings: Callable[..., Settings]) -> AsyncIterator[Memory]:
    """A memory without a model, in which nothing happens in the background."""
    async with open_memory(make_settings(), nudge=Silent()) as opened:
        yield opened


@pytest.fixture
def scripted_model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as model:
        yield model


@pytest.fixture
def mongot(store_uri: str) -> Iterator[ScriptedMongot]:
    """The shared store as a MongoDB that has search."""
    with ScriptedMongot(store_uri) as scripted:
        yield scripted


@pytest.fixture
def model_settings(
    make_settings: Callable[..., Settings], scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    """Settings that name the scripted model."""
    monkeypatch.setattr(openai_client, "FIRST_PAUSE", 0.01)
    return make_settings(openai_base_url=scripted_model.url, openai_api_key="sk-test", model_deadline=5)


@pytest.fixture
async def with_model(model_settings: Settings) -> AsyncIterator[Memory]:
    """A memory on the scripted model, in which nothing happens in the background."""
    async with open_memory(model_settings, nudge=Silent()) as opened:
        yield opened


class Served:
    """An API that runs in a thread of this process, on a port of its own, with its worker."""

    def __init__(self, settings: Settings) -> None:
        config = uvicorn.Config(create_app(settings), host="127.0.0.1", port=0, log_level="warning")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    def start(self) -> str:
        """Its address."""
        self._thread.start()
        while not self._server.started:
            if not self._thread.is_alive():
                raise AssertionError("the API did not start")
            self._thread.join(0.01)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(30)


@contextmanager
def before_a_model(
    store_uri: str, home: Path, database: str, provider: Callable[[str], dict[str, str]]
) -> Iterator[tuple[ScriptedModel, str]]:
    """A scripted model, and the address of an API before it. `provider`: the settings of one at an address."""
    with ScriptedModel() as model:
        own: dict[str, Any] = {"mongodb_uri": store_uri, "mongodb_db": database, "loci_home": home}
        served = Served(Settings(_env_file=None, model_deadline=5, **own, **provider(model.url)))
        yield model, served.start()
        served.stop()


@pytest.fixture
def serve(make_settings: Callable[..., Settings]) -> Iterator[Callable[..., str]]:
    """Starts the API over settings with the given changes; returns its address."""
    running: list[Served] = []

    def start(**changes: Any) -> str:
        running.append(Served(make_settings(**changes)))
        return running[-1].start()

    yield start
    for served in running:
        served.stop()


RunHere = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(autouse=True)
def _levels_of_loggers() -> Iterator[None]:
    """Gives loggers their levels back, which a command sets for its whole process."""
    before = {logger: logger.level for logger in _loggers()}
    yield
    for logger in _loggers():
        if logger.level != before.get(logger, logging.NOTSET):
            logger.setLevel(before.get(logger, logging.NOTSET))


def _loggers() -> list[logging.Logger]:
    known = logging.root.manager.loggerDict.values()
    return [logging.root, *(logger for logger in known if isinstance(logger, logging.Logger))]


@pytest.fixture
def run_here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunHere:
    """`processes.run` of a command in this process, which is ten times faster than in its own; not of `store`, which
    becomes another program."""

    def run(home: Path, *arguments: str, **settings: object) -> subprocess.CompletedProcess[str]:
        home.mkdir(parents=True, exist_ok=True)
        processes.prepare(home)
        with monkeypatch.context() as patch:
            for name, value in {"loci_home": home, "columns": 120, **settings}.items():
                patch.setenv(name.upper(), str(value))
            patch.setattr(sys, "argv", ["loci", *arguments])
            with pytest.raises(SystemExit) as ended:
                main()
        said = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, int(ended.value.code or 0), said.out, said.err)

    return run
