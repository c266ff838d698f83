"""What the tests of the front doors share: a served API without a model and one with a scripted one."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from time import sleep
from typing import Any

import httpx
import pytest
from openai import OpenAI
from pymongo import MongoClient
from pymongo.database import Database

from config.settings import Settings
from tests.checks import but_for_others, eventually
from tests.conftest import Served, before_a_model
from tests.scripted_model import ScriptedModel, echo, no_facts

_users = itertools.count()


SCRIPTED = "scripted"  # the database of the API with the scripted model


@pytest.fixture
def user() -> str:
    """A user whom no other test knows."""
    return f"user-{next(_users)}"


@pytest.fixture
def other() -> str:
    """Another one."""
    return f"other-{next(_users)}"


@pytest.fixture(scope="session")
def plain_settings(store_uri: str, home: Path) -> Settings:
    return Settings(_env_file=None, mongodb_uri=store_uri, mongodb_db="plain", loci_home=home)


@pytest.fixture(scope="session")
def plain(plain_settings: Settings) -> Iterator[str]:
    """The address of an API without a model."""
    served = Served(plain_settings)
    yield served.start()
    served.stop()


@pytest.fixture
def api(plain: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=plain, timeout=30) as client:
        yield client


@pytest.fixture
def database(server: MongoClient[dict[str, Any]], plain_settings: Settings) -> Database[dict[str, Any]]:
    """What the API without a model has stored."""
    return server[plain_settings.mongodb_db]


@pytest.fixture
def own(serve: Callable[..., str]) -> Iterator[httpx.Client]:
    """An API whose users are those of the test alone."""
    with httpx.Client(base_url=serve(), timeout=30) as client:
        yield client


@pytest.fixture
def own_database(
    server: MongoClient[dict[str, Any]], make_settings: Callable[..., Settings]
) -> Database[dict[str, Any]]:
    """What that API has stored."""
    return server[make_settings().mongodb_db]


@pytest.fixture
def counts(database: Database[dict[str, Any]], user: str) -> Callable[[], dict[str, int]]:
    """How many documents each collection has but for those of other tests' users, once all work is done; what earlier
    tests left behind is taken away."""
    under_way = {"$in": ["pending", "leased"]}
    database.vectors.update_many({"facts.state": "pending"}, {"$unset": {"facts": ""}})
    database.sessions.update_many({"summary.state": "pending"}, {"$unset": {"summary": ""}})
    work = {"$or": [{"embed.state": under_way}, {"facts.state": under_way}]}

    def counted() -> dict[str, int]:
        return {
            name: database[name].count_documents(but_for_others(user))
            for name in sorted(set(database.list_collection_names()) - {"growth"})
        }

    def at_rest() -> dict[str, int] | None:
        before = counted()
        sleep(0.2)  # receipts, and more, are written behind their answers
        return before if counted() == before else None

    def settled() -> dict[str, int]:
        eventually(lambda: not database.vectors.count_documents(work), 60)
        eventually(lambda: not database.sessions.count_documents({"summary.state": "leased"}), 60)
        eventually(lambda: not database.traces.count_documents({"observe.state": under_way}), 60)
        return eventually(at_rest, 60)

    return settled


def _provider(url: str) -> dict[str, str]:
    return {"openai_base_url": url, "openai_api_key": "sk-test"}


@pytest.fixture(scope="session")
def _model_and_api(store_uri: str, home: Path) -> Iterator[tuple[ScriptedModel, str]]:
    with before_a_model(store_uri, home, SCRIPTED, _provider) as both:
        yield both


@pytest.fixture
def model(_model_and_api: tuple[ScriptedModel, str]) -> Iterator[ScriptedModel]:
    """The model behind `chat`, without a script."""
    model = _model_and_api[0]
    model.requests.clear()
    yield model
    model.forget_script()  # of a test that failed before its request came, the next ones know nothing
    model.reply, model.find_facts = echo, no_facts
    model.always(None)
    model.always(None, on="embeddings")


@pytest.fixture
def chat(model: ScriptedModel, _model_and_api: tuple[ScriptedModel, str]) -> Iterator[httpx.Client]:
    """An API with the scripted model."""
    with httpx.Client(base_url=_model_and_api[1], timeout=30) as client:
        yield client


@pytest.fixture
def second(model: ScriptedModel, store_uri: str, home: Path) -> Iterator[httpx.Client]:
    """Another API over the same store."""
    own = {"mongodb_uri": store_uri, "mongodb_db": SCRIPTED, "loci_home": home}
    served = Served(Settings(_env_file=None, **own, **_provider(model.url)))  # type: ignore[arg-type]
    with httpx.Client(base_url=served.start(), timeout=30) as client:
        yield client
    served.stop()


@pytest.fixture
def client(chat: httpx.Client) -> Iterator[OpenAI]:
    """OpenAI's client in front of Loci in front of the scripted provider."""
    with OpenAI(base_url=f"{chat.base_url}/v1", api_key="sk-mine", max_retries=0) as made:
        yield made


@pytest.fixture
def plain_client(api: httpx.Client) -> Iterator[OpenAI]:
    """OpenAI's client in front of Loci alone."""
    with OpenAI(base_url=f"{api.base_url}/v1", api_key="unused", max_retries=0) as made:
        yield made
