"""Every text gets its vector, whatever the text and whatever the provider does."""

import asyncio
import base64
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openai import AsyncOpenAI

from config.settings import Settings
from tests import scripted_model as say
from tests.scripted_model import Behaviour, ScriptedModel, text_vector
from utils.circuit import CircuitBreaker
from utils.embeddings import LocalEmbedder, open_embedder
from utils.errors import CircuitOpen, ConfigurationError, ModelGarbage, ModelRefused, ModelUnavailable
from utils.remote_embedder import RemoteEmbedder
from utils.text_cache import TextCache


@pytest.fixture
def embedder(client: AsyncOpenAI) -> RemoteEmbedder:
    return RemoteEmbedder(client, "text-embedding-3-small", deadline=5, breaker=CircuitBreaker("embedding"))


async def test_vectors_come_in_the_order_of_the_texts_and_have_length_one(
    embedder: RemoteEmbedder, scripted_model: ScriptedModel
) -> None:
    assert (await embedder.embed([])).shape == (0, 0) and scripted_model.requests == []
    assert embedder.dimensions is None
    backwards = say.edited(lambda body: {**body, "data": body["data"][::-1]})
    longer = say.vectors(lambda rows: [[9 * x for x in row] for row in rows])
    for number, behaviour in enumerate((None, backwards, longer)):
        if behaviour is not None:
            scripted_model.script(behaviour, on="embeddings")
        texts = [f"a red fox {number}", f"a blue whale {number}", f"a red fox {number}"]
        vectors = await embedder.embed(texts)
        assert vectors.shape == (3, 1536) and vectors.dtype == np.float32
        assert vectors == pytest.approx(np.stack([text_vector(text) for text in texts]), abs=1e-6)
    assert embedder.dimensions == 1536


async def test_blank_and_unencodable_texts_have_vectors_too(
    embedder: RemoteEmbedder, scripted_model: ScriptedModel
) -> None:
    vectors = await embedder.embed(["", " \n\t", "odd \ud800", "\x00"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert scripted_model.asked("embeddings")[0]["input"] == [".", "odd �", "\x00"]


async def test_many_texts_go_in_calls_of_at_most_256(embedder: RemoteEmbedder, scripted_model: ScriptedModel) -> None:
    texts = [f"text {number}" for number in range(300)]
    vectors = await embedder.embed(texts)
    assert [len(body["input"]) for body in scripted_model.asked("embeddings")] == [256, 44]
    assert vectors[299] == pytest.approx(text_vector("text 299"), abs=1e-6)


async def test_long_texts_go_in_calls_of_bounded_size_and_are_cut(
    embedder: RemoteEmbedder, scripted_model: ScriptedModel
) -> None:
    await embedder.embed([f"{number} " + "word " * 20_000 for number in range(30)])
    calls = [[len(text) for text in body["input"]] for body in scripted_model.asked("embeddings")]
    assert [len(call) for call in calls] == [24, 6]
    assert {size for call in calls for size in call} == {24_573}


async def test_a_text_that_is_too_long_for_the_model_is_cut_further(
    embedder: RemoteEmbedder, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(say.status(400), say.status(400), say.status(400), on="embeddings")
    await embedder.embed(["é" * 20_000, "short"])
    sizes = [[len(text.encode()) for text in body["input"]] for body in scripted_model.asked("embeddings")]
    assert sizes == [[24_572, 5], [24_572, 5], [8_190, 5], [1_500, 5]]
    assert (await embedder.embed(["another"])).shape == (1, 1536)
    assert scripted_model.asked("embeddings")[-1]["encoding_format"] == "base64"


async def test_a_provider_without_base64_sends_numbers_from_then_on(
    embedder: RemoteEmbedder, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(say.status(400, param="encoding_format"), on="embeddings")
    assert (await embedder.embed(["one"]))[0] == pytest.approx(text_vector("one"), abs=1e-6)
    await embedder.embed(["two"])
    formats = [body["encoding_format"] for body in scripted_model.asked("embeddings")]
    assert formats == ["base64", "float", "float"]


def first_embedding(value: Any) -> Behaviour:
    return say.edited(lambda body: {**body, "data": [{"index": 0, "embedding": value}, *body["data"][1:]]})


@pytest.mark.parametrize(
    "behaviour",
    [
        say.html(),
        say.garbage(),
        say.garbage(b"[]"),
        say.garbage(b'{"data": null}'),
        say.garbage(b'{"data": [null, null]}'),
        say.nan_vectors(),
        say.wrong_count(),
        say.vectors(lambda rows: [rows[0], rows[1][:-1]]),
        say.vectors(lambda rows: [[0.0] * 9, [0.0] * 9]),
        say.vectors(lambda rows: [[1e39] * 9, [1.0] * 9]),
        say.vectors(lambda rows: [["1"] * 9, [1.0] * 9]),
        say.vectors(lambda rows: [[], []]),
        say.edited(lambda body: {**body, "data": [body["data"][0], body["data"][0]]}),
        say.edited(lambda body: {**body, "data": [{**item, "index": None} for item in body["data"]]}),
        first_embedding("not base64!"),
        first_embedding(base64.b64encode(b"12345").decode()),
        first_embedding(None),
        first_embedding({"x": 1}),
    ],
)
async def test_garbage_is_not_taken_for_vectors(
    embedder: RemoteEmbedder, scripted_model: ScriptedModel, behaviour: Behaviour
) -> None:
    scripted_model.script(behaviour, on="embeddings")
    with pytest.raises(ModelGarbage):
        await embedder.embed(["one", "two"])
    assert (await embedder.embed(["one", "two"])).shape == (2, 1536)


async def test_a_dimension_that_changes_is_garbage(embedder: RemoteEmbedder, scripted_model: ScriptedModel) -> None:
    await embedder.embed(["one"])
    scripted_model.script(say.wrong_dimension(), on="embeddings")
    with pytest.raises(ModelGarbage, match="dimension"):
        await embedder.embed(["two"])


async def test_failures_are_tried_again_and_open_the_circuit(
    embedder: RemoteEmbedder, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(say.status(500), say.status(429), on="embeddings")
    await embedder.embed(["one"])
    scripted_model.script(say.status(401), on="embeddings")
    with pytest.raises(ModelRefused):
        await embedder.embed(["two"])
    scripted_model.always(say.status(503), on="embeddings")
    for _ in range(5):
        with pytest.raises(ModelUnavailable):
            await embedder.embed(["two"])
    with pytest.raises(CircuitOpen):
        await embedder.embed(["two"])
    assert (await embedder.embed(["one"])).shape == (1, 1536)  # known, so nobody has to be asked


async def test_a_slow_provider_is_unavailable_at_the_deadline(
    client: AsyncOpenAI, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(say.hang(), on="embeddings")
    with pytest.raises(ModelUnavailable, match="in time"):
        await RemoteEmbedder(client, "m", deadline=0.2, breaker=CircuitBreaker("embedding")).embed(["one"])


async def test_a_text_is_embedded_once(client: AsyncOpenAI, scripted_model: ScriptedModel) -> None:
    cache: TextCache[Any] = TextCache()
    breaker = CircuitBreaker("embedding")
    query, worker = (RemoteEmbedder(client, "m", deadline=5, breaker=breaker, cache=cache) for _ in range(2))
    first = await query.embed(["a message"])
    expected = first.copy()
    first *= 0  # what a caller does to its vectors does not reach the cache
    assert np.array_equal(await worker.embed(["a message"]), expected)
    assert worker.dimensions == 1536
    await RemoteEmbedder(client, "other", deadline=5, breaker=breaker, cache=cache).embed(["a message"])
    assert [body["model"] for body in scripted_model.asked("embeddings")] == ["m", "other"]


async def test_the_cache_forgets_what_was_used_longest_ago() -> None:
    made: list[str] = []

    async def embed(texts: Any) -> Any:
        made.extend(texts)
        return list(np.ones((len(texts), 2), dtype=np.float32))

    cache: TextCache[Any] = TextCache(size=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        await cache.fill("space", [text], embed)
    assert made == ["a", "b", "c", "b"]
    vectors = await cache.fill("space", ["x", "y", "z", "x"], embed)
    assert np.shape(vectors) == (4, 2)


class _Making:
    """Makes what is asked for once it may. `fails`: but for the first time."""

    def __init__(self, *, fails: bool = False) -> None:
        self.made: list[str] = []
        self.may = asyncio.Event()
        self._fails = fails

    async def __call__(self, texts: Any) -> Any:
        self.made.extend(texts)
        await self.may.wait()
        if self._fails:
            self._fails = False
            raise ModelUnavailable("for once")
        return [text.upper() for text in texts]


async def test_what_one_is_making_the_others_wait_for() -> None:
    make, cache = _Making(), TextCache[str](waiting=True)
    first, second = (asyncio.create_task(cache.fill("space", texts, make)) for texts in (["a", "b"], ["b", "c"]))
    await asyncio.sleep(0)
    assert not first.done() and not second.done()
    make.may.set()
    assert (await first, await second) == (["A", "B"], ["B", "C"])
    assert make.made == ["a", "b", "c"]


@pytest.mark.parametrize("ends", ["fails", "cancelled"])
async def test_who_waited_for_what_could_not_be_made_makes_it(ends: str) -> None:
    make, cache = _Making(fails=ends == "fails"), TextCache[str](waiting=True)
    first, second = (asyncio.create_task(cache.fill("space", ["a"], make)) for _ in range(2))
    await asyncio.sleep(0)
    if ends == "cancelled":
        first.cancel()
    make.may.set()
    with pytest.raises((ModelUnavailable, asyncio.CancelledError)):
        await first
    assert await second == ["A"]
    assert make.made == ["a", "a"]


async def test_who_waits_and_leaves_takes_nothing_from_the_others() -> None:
    make, cache = _Making(), TextCache[str](waiting=True)
    first, second, third = (asyncio.create_task(cache.fill("space", ["a"], make)) for _ in range(3))
    await asyncio.sleep(0)
    second.cancel()
    make.may.set()
    assert (await first, await third) == (["A"], ["A"])
    with pytest.raises(asyncio.CancelledError):
        await second


def test_threads_that_ask_for_the_same_texts_wait_for_each_other() -> None:
    made, cache = list[str](), TextCache[str](waiting=True)

    async def make(texts: Sequence[str]) -> list[str]:
        made.extend(texts)
        await asyncio.sleep(0)
        return [text.upper() for text in texts]

    async def ask(first: int) -> list[str]:
        found: list[str] = []
        for number in range(first, first + 40):
            found += await cache.fill("space", [f"t{number % 40}", f"t{(number + 1) % 40}"], make)
        return found

    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda first: asyncio.run(ask(first)), range(0, 40, 10)):
            assert sorted(set(found)) == sorted(f"T{number}" for number in range(40))
    assert sorted(made) == sorted(f"t{number}" for number in range(40))


async def test_what_was_just_said_is_read_ahead_once() -> None:
    encoder = _Counted()
    reader = LocalEmbedder(encoder, model="m", dimensions=2, ahead=True)  # type: ignore[arg-type]
    for text in ("one", "two", "three", "four"):
        reader.read_ahead(text)
    await asyncio.sleep(0)
    await reader.read(["one", "two", "three"])
    assert encoder.asked == [["one"], ["two"], ["three"]]
    reader.read_ahead("x" * 10_000)
    LocalEmbedder(encoder, model="m", dimensions=2).read_ahead("said elsewhere")  # type: ignore[arg-type]
    await reader.read(["asked"])
    assert encoder.asked[3:] == [["asked"]]


async def test_what_cannot_be_read_ahead_is_told_to_those_who_need_it(caplog: pytest.LogCaptureFixture) -> None:
    reader = LocalEmbedder(_Counted(RuntimeError("broken")), model="m", dimensions=2, ahead=True)  # type: ignore[arg-type]
    reader.read_ahead("said")
    with pytest.raises(RuntimeError):
        await reader.read(["said"])
    assert not caplog.records


class _Counted:
    """An encoder that says what it was asked to read."""

    def __init__(self, error: Exception | None = None) -> None:
        self.asked: list[list[str]] = []
        self._error = error

    def submit(self, texts: Sequence[str]) -> "Future[list[str]]":
        self.asked.append(list(texts))
        future: Future[list[str]] = Future()
        if self._error is None:
            future.set_result([text.upper() for text in texts])
        else:
            future.set_exception(self._error)
        return future


def test_settings_decide_who_embeds(tmp_path: Path, client_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError):
        open_embedder(client_settings, None)
    monkeypatch.setattr("utils.encoder.load_encoder", lambda home: object())
    for settings in (
        Settings(_env_file=None, openai_api_key=None, openai_base_url=None, loci_home=tmp_path),
        client_settings.model_copy(update={"embedding_model": "local"}),
    ):
        local = open_embedder(settings, None)
        assert isinstance(local, LocalEmbedder)
        assert (local.model, local.dimensions) == ("loci-e5-1", 384)
