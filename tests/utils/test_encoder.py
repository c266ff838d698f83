"""The local encoder against multilingual-e5-small as its paper has it, and the keeping of its files."""

import asyncio
import json
import math
import multiprocessing
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from utils import encoder
from utils.embeddings import LocalEmbedder
from utils.encoder import (
    ADAPTER,
    DIMENSIONS,
    MODEL,
    MOST_TOKENS,
    OFFSET,
    PACKAGE,
    TOKEN_DIMENSIONS,
    Encoder,
    load_encoder,
    model_file,
)
from utils.encoder_file import EncoderFile
from utils.encoder_graph import Weights, build_graph, weights_of
from utils.errors import ConfigurationError
from utils.vectors import normalised
from utils.vocabulary import BEGIN, END, Vocabulary, write_table

pytest.importorskip(PACKAGE)

TEXTS = [
    "The cat sat on the mat.",
    "A feline was resting on a rug.",
    "My daughter Alice starts school in September, and I am allergic to peanuts.",
    "def add(a: int, b: int) -> int:\n    return a + b  # the sum",
    "Où est la gare ? 東京駅はどこですか 😀",
    "ok",
    "Quarterly revenue rose 14.2% to $3.1bn, driven by cloud subscriptions. " * 3,
]

Floats = NDArray[np.float32]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def local(home: Path) -> Encoder:
    return load_encoder(home)


@pytest.fixture(scope="module")
def encoders(tmp_path_factory: pytest.TempPathFactory, local: Encoder) -> dict[bool, Encoder]:
    """Those of processors with instructions for int8, and without."""
    mine = encoder.multiplies_int8()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoder, "multiplies_int8", lambda: not mine)
        return {mine: local, not mine: load_encoder(tmp_path_factory.mktemp("other"))}


@pytest.fixture
def built(tmp_path: Path, home: Path, local: Encoder) -> Path:
    """A home of the test's own, with the files that were built once."""
    shutil.copytree(home / "encoder", tmp_path / "encoder")
    return tmp_path


@pytest.fixture(scope="module")
def file() -> EncoderFile:
    return EncoderFile(model_file())


@pytest.fixture(scope="module")
def weights(file: EncoderFile) -> Weights:
    return weights_of(file, ADAPTER)


def reference(weights: Weights, words: Floats) -> tuple[Floats, Floats]:
    """BERT as its paper has it, in float64: the sentence's vector (384,), and the tokens' (n, 384)."""
    erf = np.vectorize(math.erf)

    def get(name: str) -> NDArray[np.float64]:
        return weights[name].astype(np.float64)

    def dense(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        return x @ get(f"{name}.w").T + get(f"{name}.b")

    def norm(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return scaled * get(f"{name}.w") + get(f"{name}.b")

    x = norm(words + get("emb.pos")[: len(words)] + get("emb.type")[0], "emb.ln")
    for number in range(12):
        layer = f"l{number}"
        q, k, v = (dense(x, f"{layer}.{part}").reshape(-1, 12, 32).swapaxes(0, 1) for part in ("q", "k", "v"))
        scores = q @ k.swapaxes(1, 2) / math.sqrt(32)
        attention = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (attention / attention.sum(-1, keepdims=True) @ v).swapaxes(0, 1).reshape(-1, 384)
        x = norm(dense(mixed, f"{layer}.ao") + x, f"{layer}.aln")
        inner = dense(x, f"{layer}.fi")
        inner = inner * 0.5 * (1 + erf(inner / math.sqrt(2)))
        x = norm(dense(inner, f"{layer}.fo") + x, f"{layer}.oln")
    mean = x.mean(0)
    return (mean / np.linalg.norm(mean)).astype(np.float32), x.astype(np.float32)


def sentences_of(local: Encoder, texts: Sequence[str]) -> Floats:
    """The vectors of texts, (n, 384)."""
    return np.stack([reading.sentence for reading in local.read(texts)])


def words_of(local: Encoder, file: EncoderFile, text: str) -> Floats:
    """The embeddings of a text's pieces, the two special ones among them, (n, 384)."""
    return file.words(encoder._windows(local._tokens(text))[0])


@pytest.fixture(scope="module")
def references(local: Encoder, file: EncoderFile, weights: Weights) -> list[tuple[Floats, Floats]]:
    """What the paper makes of each text."""
    return [reference(weights, words_of(local, file, text)) for text in TEXTS]


def test_the_float_graph_agrees_with_a_plain_forward_pass_and_int8_is_close(
    encoders: dict[bool, Encoder], file: EncoderFile, references: list[tuple[Floats, Floats]]
) -> None:
    for text, (sentence, tokens) in zip(TEXTS, references, strict=True):
        words = words_of(encoders[False], file, text)
        outputs = encoders[False]._session.run(["sentence", "tokens"], {"words": words[None]})
        assert outputs[0][0] == pytest.approx(sentence, abs=1e-5)
        assert outputs[1][0] == pytest.approx(tokens, abs=1e-4)
        assert float(sentences_of(encoders[True], [text])[0] @ normalised(sentence[None] + np.load(OFFSET))[0]) >= 0.99


def test_vectors_are_the_same_to_five_thousandths_on_any_processor(encoders: dict[bool, Encoder]) -> None:
    told = json.loads((Path(__file__).parents[2] / "bench" / "data" / "languages.json").read_text())
    texts = [talk["messages"][at]["text"] for talk in told["conversations"] for at in (0, 1, 2)]
    ours, others = encoders[True].read([*TEXTS, *texts]), encoders[False].read([*TEXTS, *texts])
    for one, other in zip(ours, others, strict=True):
        assert float(one.sentence @ other.sentence) >= 0.995
        assert one.words == other.words and one.ids == other.ids
        alike = (one.tokens.astype(int) * other.tokens).sum(1) / 127**2
        assert alike.min(initial=1) >= 0.95
    assert not np.array_equal(ours[0].sentence, others[0].sentence)  # they are two graphs


def test_a_texts_vector_does_not_depend_on_its_company(encoders: dict[bool, Encoder]) -> None:
    for one in encoders.values():
        together = sentences_of(one, TEXTS)
        assert all(np.array_equal(sentences_of(one, [text])[0], row) for text, row in zip(TEXTS, together, strict=True))


@pytest.mark.parametrize(
    ("cpuinfo", "multiplies"),
    [
        ("processor\t: 0\nflags\t\t: fpu avx2 avx512f avx512_vnni\n", True),
        ("flags\t\t: fpu avx2 avx_vnni\n", True),
        ("BogoMIPS\t: 50.00\nFeatures\t: fp asimd asimddp i8mm\n", True),
        ("processor\t: 0\nflags\t\t: fpu avx2 avx512f\n", False),
        ("Features\t: fp asimd\n", False),
        ("", False),
        (None, False),
    ],
)
def test_the_processors_features_tell_whether_it_multiplies_int8(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cpuinfo: str | None, multiplies: bool
) -> None:
    if cpuinfo is not None:
        (tmp_path / "cpuinfo").write_text(cpuinfo)
    monkeypatch.setattr(encoder, "CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(sys, "platform", "linux")
    assert encoder.multiplies_int8() is multiplies


def test_every_mac_with_a_processor_of_arm_multiplies_int8(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    for machine, multiplies in (("arm64", True), ("x86_64", False)):
        monkeypatch.setattr("platform.machine", lambda machine=machine: machine)
        assert encoder.multiplies_int8() is multiplies


def test_a_home_that_came_from_another_kind_of_processor_gets_a_graph_of_its_own(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = encoder.multiplies_int8()
    for quantised in (mine, not mine):
        monkeypatch.setattr(encoder, "multiplies_int8", lambda quantised=quantised: quantised)
        monkeypatch.setattr(encoder, "_encoders", {})
        load_encoder(built)
        [graph] = (built / "encoder").glob("*.onnx")
        assert f"-{'int8' if quantised else 'float32'}." in graph.name


def test_the_offset_moves_all_cosines_alike(local: Encoder, references: list[tuple[Floats, Floats]]) -> None:
    sentences = np.stack([sentence for sentence, _ in references])
    lift = float(np.load(OFFSET) @ np.load(OFFSET))
    vectors = sentences_of(local, TEXTS)
    assert vectors @ vectors.T == pytest.approx((sentences @ sentences.T + lift) / (1 + lift), abs=0.03)


def test_the_packages_own_engine_gives_the_same_vectors(file: EncoderFile) -> None:
    """Without the adapter, and with the mark that it puts before a query. It runs on processors with AVX2 alone."""
    engine = pytest.importorskip(PACKAGE)
    session = onnxruntime.InferenceSession(
        build_graph(weights_of(file), file.shape, quantised=False).SerializeToString(),
        providers=["CPUExecutionProvider"],
    )
    with tempfile.TemporaryDirectory() as folder:
        write_table(file.pieces, table := Path(folder) / "table.npz")
        vocabulary = Vocabulary(file.pieces, table)
    for text in TEXTS:
        numbers = [token.number for token in vocabulary.tokens(f"query: {text}", 510)]
        words = file.words([BEGIN, *numbers, END])
        [[sentence]] = session.run(["sentence"], {"words": words[None]})
        assert float(sentence @ engine.query(text.strip())) > 0.999


def test_similar_texts_are_closer_than_others(local: Encoder) -> None:
    cat, feline, alice, *_ = sentences_of(local, TEXTS)
    assert cat @ feline > 0.5 > alice @ feline


def test_any_text_has_a_vector_of_length_one(local: Encoder) -> None:
    vectors = sentences_of(local, ["", "   ", "\x00", "odd \ud800", "x" * 1_000_000, "word " * 10_000, "\u202e\u0301"])
    assert vectors.shape == (7, DIMENSIONS) and vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert local.read([]) == []


def test_texts_without_a_known_word_are_like_themselves_alone(local: Encoder) -> None:
    unknown = ["\N{RUNIC LETTER FEHU FEOH FE F}", "\U00013000\U0001302f", "\U00012000" * 100]
    texts = [*unknown, "x" * 300, "\N{THUMBS UP SIGN}", "Thanks"]
    alike = sentences_of(local, texts) @ sentences_of(local, texts).T
    assert np.allclose(alike.diagonal(), 1, atol=1e-5)
    assert np.abs(alike - np.diag(alike.diagonal()))[: len(unknown)].max() < 0.2
    assert [len(reading.tokens) for reading in local.read(texts)] == [1, 2, 1, 2, 0, 1]
    plain, marked = sentences_of(local, ["The cat sat", "The cat sat \N{THUMBS UP SIGN}"])
    assert plain @ marked > 0.8


def test_unknown_words_match_themselves_wherever_they_stand(local: Encoder) -> None:
    sun, ice = "\u16cb", "\u16c1"  # runes
    alone, within, other = local.read([sun, f"a {sun} drawn", f"{ice} drawn"])
    assert np.array_equal(alone.tokens[0], within.tokens[within.words.index(sun)])
    assert (other.tokens.astype(int) @ alone.tokens[0].astype(int)).max() < 0.6 * 127**2


def test_characters_that_are_words_are_kept(local: Encoder) -> None:
    [reading] = local.read(["\u7389\u9732 60 \u5ea6 a x"])
    assert reading.words == ("\u7389", "\u9732", "60", "\u5ea6")


def test_tokens_have_vectors_in_context(local: Encoder) -> None:
    river, money, nothing = local.read(["the river bank", "the money bank", ""])
    assert river.words == ("river", "bank") and river.tokens.shape == (2, TOKEN_DIMENSIONS)
    rows = river.tokens / np.float32(127)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=0.02)
    assert 0.2 < float(rows[1] @ (money.tokens[1] / np.float32(127))) < 0.99
    assert nothing.tokens.shape == (0, TOKEN_DIMENSIONS)


def test_the_tokens_that_are_kept_are_those_that_carry_meaning(local: Encoder) -> None:
    [reading] = local.read(["What did Marisol's grandmother bake for the children?!"])
    assert set(reading.words) == {"marisol", "grandmother", "bake", "children"}
    assert reading.tokens.shape == (len(reading.words), TOKEN_DIMENSIONS)
    assert np.linalg.norm(reading.tokens, axis=1) == pytest.approx(127, rel=0.02)
    assert local.read(["who is it?"])[0].words == ("who", "is", "it")
    assert local.read(["?!"])[0].tokens.shape == (0, TOKEN_DIMENSIONS)


def test_of_a_long_text_the_rarest_words_are_kept_once(local: Encoder) -> None:
    common = " ".join(["house day time work man year"] * 15)
    [reading] = local.read([f"{common} xylophone {common}"])
    assert len(reading.words) <= MOST_TOKENS
    assert "xylophone" in reading.words and reading.words.count("house") == 1


def test_two_event_loops_share_one_encoder(local: Encoder) -> None:
    expected = sentences_of(local, TEXTS)
    results: list[Floats] = []

    async def embed() -> None:
        embedder = LocalEmbedder(local, model=MODEL, dimensions=DIMENSIONS)
        rows = await asyncio.gather(*(embedder.embed([text]) for text in TEXTS), embedder.embed(TEXTS * 3))
        results.append(np.concatenate(rows[:-1]))
        results.append(rows[-1][-len(TEXTS) :])

    threads = [threading.Thread(target=lambda: asyncio.run(embed())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(results) == 4
    assert all(np.array_equal(rows, expected) for rows in results)


async def test_the_local_embedder_keeps_order_and_embeds_a_text_once(
    local: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"number {number % 20}" for number in range(50)]
    expected = sentences_of(local, texts)
    encoded: list[str] = []
    read = local.read
    monkeypatch.setattr(local, "read", lambda texts: (encoded.extend(texts), read(texts))[1])
    embedder = LocalEmbedder(local, model=MODEL, dimensions=DIMENSIONS)
    vectors = await embedder.embed(texts)
    assert np.array_equal(vectors, expected)
    assert np.array_equal(await embedder.embed(texts[:1]), vectors[:1])
    assert sorted(encoded) == sorted(set(texts))
    assert (await embedder.embed([])).shape == (0, DIMENSIONS)
    [reading] = await embedder.read(["garden, world"])
    assert reading.words == ("garden", "world") and reading.tokens.shape == (2, TOKEN_DIMENSIONS)


async def test_a_cancelled_bulk_leaves_the_encoder_usable(local: Encoder) -> None:
    embedder = LocalEmbedder(local, model=MODEL, dimensions=DIMENSIONS)
    bulk = asyncio.create_task(embedder.embed([f"text {number} " * 50 for number in range(500)]))
    await embedder.embed(["first"])
    bulk.cancel()
    with pytest.raises(asyncio.CancelledError):
        await bulk
    assert (await embedder.embed(["after"])).shape == (1, DIMENSIONS)


def _load_elsewhere(home: Path, vectors: "multiprocessing.Queue[list[float]]") -> None:
    vectors.put(sentences_of(load_encoder(home), ["hello"])[0].tolist())


def _loaded_by_two_processes(home: Path) -> list[list[float]]:
    context = multiprocessing.get_context("spawn")
    vectors: multiprocessing.Queue[list[float]] = context.Queue()
    processes = [context.Process(target=_load_elsewhere, args=(home, vectors)) for _ in range(2)]
    for process in processes:
        process.start()
    loaded = [vectors.get(timeout=60) for _ in processes]
    for process in processes:
        process.join(10)
    return loaded


def test_two_processes_build_once_and_what_an_earlier_version_built_goes(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "encoder").mkdir()
    for name in ("loci-minilm-3-0.1.2.onnx", "loci-minilm-3-0.1.2.lock"):
        (tmp_path / "encoder" / name).write_text("")
    first, second = _loaded_by_two_processes(tmp_path)
    assert first == second
    assert capfd.readouterr().err.count("Building the local encoder (once)") == 1
    assert len(list((tmp_path / "encoder").glob("*"))) == 4  # graph, table of pieces, their digest, and the lock


def test_one_process_loads_once_even_from_many_threads(home: Path, local: Encoder) -> None:
    loaded: list[Encoder] = []
    threads = [threading.Thread(target=lambda: loaded.append(load_encoder(home))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert loaded == [local] * 4


def _damaged(path: Path, share: float) -> None:
    """Turns 64 bytes of a file into others, after so much of it."""
    content = bytearray(path.read_bytes())
    start = int(share * len(content))
    content[start : start + 64] = bytes(255 - byte for byte in content[start : start + 64])
    path.write_bytes(content)


def test_two_processes_that_meet_a_damaged_file_build_it_again_once(
    built: Path, local: Encoder, capfd: pytest.CaptureFixture[str]
) -> None:
    [graph] = (built / "encoder").glob("*.onnx")
    _damaged(graph, 0.5)
    wanted = sentences_of(local, ["hello"])[0].tolist()
    assert _loaded_by_two_processes(built) == [wanted, wanted]
    assert capfd.readouterr().err.count("Building the local encoder (once)") == 1


@pytest.mark.parametrize(("pattern", "share"), [("*.onnx", 0.5), ("*.npz", 0.5), ("*.digest", 0)])
def test_a_file_with_other_bytes_of_the_same_length_is_built_again(
    built: Path,
    local: Encoder,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    pattern: str,
    share: float,
) -> None:
    [file] = (built / "encoder").glob(pattern)
    whole = file.read_bytes()
    _damaged(file, share)
    for _ in range(2):
        monkeypatch.setattr(encoder, "_encoders", {})
        assert np.array_equal(sentences_of(load_encoder(built), TEXTS[:3]), sentences_of(local, TEXTS[:3]))
    assert file.read_bytes() == whole
    assert caplog.text.count("damaged") == 1  # the second time it is whole


@pytest.mark.parametrize(("pattern", "left"), [("*.onnx", None), ("*.onnx", 700_000), ("*.npz", 0), ("*.digest", None)])
def test_a_damaged_or_missing_file_is_built_again(
    built: Path, local: Encoder, monkeypatch: pytest.MonkeyPatch, pattern: str, left: int | None
) -> None:
    [file] = (built / "encoder").glob(pattern)
    if left is None:
        file.unlink()
    else:
        os.truncate(file, left)
    monkeypatch.setattr(encoder, "_encoders", {})
    assert np.array_equal(sentences_of(load_encoder(built), ["hello"]), sentences_of(local, ["hello"]))


@pytest.mark.parametrize("size", [3, 30, 1_000_000])
def test_a_package_that_is_cut_short_says_so(tmp_path: Path, size: int) -> None:
    cut = tmp_path / model_file().name
    with model_file().open("rb") as whole:
        cut.write_bytes(whole.read(size))
    with pytest.raises(ConfigurationError, match="does not carry the model"):
        _ = EncoderFile(cut).pieces


def test_a_missing_package_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "PACKAGE", "no-such-package")
    with pytest.raises(ConfigurationError, match=r"pip install .no-such-package>="):
        load_encoder(tmp_path)


def test_a_home_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="LOCI_HOME"):
        load_encoder(tmp_path / "file")


def test_what_stands_late_in_a_long_text_is_among_its_tokens(local: Encoder) -> None:
    filler = "It was a day like any other and we went on with what there was to do. " * 40
    [short] = local.read(["Signed by Henrietta Vos."])
    [long] = local.read([f"{filler}Signed by Henrietta Vos. {filler}"])
    assert {"henrietta", "vos"} <= set(long.words)
    wanted = next(at for at, word in enumerate(short.words) if word == "henrietta")
    best = (short.tokens[wanted].astype(np.float32) @ long.tokens.astype(np.float32).T).max() / 127**2
    assert best > 0.7
    assert np.array_equal(long.sentence, sentences_of(local, [filler + filler])[0])  # of the beginning alone


def test_a_text_beyond_all_windows_is_read_by_its_beginning(local: Encoder) -> None:
    [reading] = local.read(["apple " * 5_000])
    assert len(reading.tokens) == len(reading.words) <= 64
