"""What the tests of the chat page share: a model that says what it is told to."""

from collections.abc import Callable, Iterator
from threading import Event as Signal

import pytest

from tests.scripted_model import Behaviour, ScriptedModel


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as model:
        yield model


@pytest.fixture
def address(serve: Callable[..., str], model: ScriptedModel) -> str:
    return serve(openai_base_url=model.url, embedding_model="local", model_deadline=5)


@pytest.fixture
def held(model: ScriptedModel) -> Iterator[Signal]:
    """The model says two words, and the rest of its answer once this is set."""
    signal = Signal()
    words = ("One ", "two ", "three ", "four")
    model.script(Behaviour(text="".join(words), pieces=words, hang_after=3, go_on=signal), about="Count for me")
    yield signal
    signal.set()
