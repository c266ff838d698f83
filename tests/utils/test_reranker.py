"""Does the reranker score pairs as its graph does, whatever the graph, the texts and the callers are?

The toy graph sums over a pair's tokens: the word `n2` weighs -2, `p3` weighs 3, and a word of the text counts 10 times.
"""

import asyncio
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from utils import reranker
from utils.errors import ConfigurationError, ModelError, ModelGarbage
from utils.reranker import BATCH, INPUTS, MAX_QUERY_TOKENS, MAX_TOKENS, Reranker, load_reranker

WEIGHTS = {
    "[PAD]": 1000.0,  # which shows wherever padding is not masked
    "[UNK]": 0.0,
    "[CLS]": 0.0,
    "[SEP]": 0.0,
    **{f"p{number}": float(number) for number in range(1, 6)},
    **{f"n{number}": -float(number) for number in range(1, 6)},
    "tiny": 1 / 4096,
    "nan": math.nan,
    "huge": math.inf,
}
PAD, UNKNOWN, CLS, SEP = range(4)
OUTSIDE = len(WEIGHTS)  # the id of a word that the tokenizer knows and the graph does not
BATCH_OF_TOKENS: list[str | int | None] = ["pairs", "tokens"]


def sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def logit(query: str, text: str) -> float:
    """What the toy graph makes of a pair, by hand."""
    return sum(WEIGHTS.get(word, 0) for word in query.split()) + 10 * sum(WEIGHTS.get(w, 0) for w in text.split())


def toy_tokenizer() -> Tokenizer:
    vocabulary = {word: number for number, word in enumerate(WEIGHTS)} | {"outside": OUTSIDE}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()  # drops NUL, as those of real models do
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)],
    )
    return tokenizer


def toy_graph(
    *,
    inputs: Sequence[str] = INPUTS,
    kinds: Mapping[str, int] = MappingProxyType({}),
    shape: Sequence[str | int | None] = BATCH_OF_TOKENS,
    output: str = "(n, 1)",
    floating: int = TensorProto.FLOAT,
    named: str = "logits",
) -> onnx.ModelProto:
    """The sum of the weights of a pair's tokens that are not masked, those of the text ten times.

    `inputs`: the first holds the ids. `kinds`: their types, where not int64. `named`: the output; before
    `logits` there is another.
    """
    constants: dict[str, NDArray[Any]] = {
        "weights": np.array(list(WEIGHTS.values()), dtype=np.float32),
        "nine": np.array(9, dtype=np.float32),
        "one": np.array(1, dtype=np.float32),
        "axis": np.array([1], dtype=np.int64),
    }
    nodes = [helper.make_node("Gather", ["weights", inputs[0]], ["found"])]
    weighed = "found"
    if "token_type_ids" in inputs:
        nodes += [
            helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.FLOAT),
            helper.make_node("Mul", ["types", "nine"], ["nines"]),
            helper.make_node("Add", ["nines", "one"], ["factor"]),
            helper.make_node("Mul", [weighed, "factor"], ["typed"]),
        ]
        weighed = "typed"
    if "attention_mask" in inputs:
        nodes += [
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Mul", [weighed, "mask"], ["masked"]),
        ]
        weighed = "masked"
    nodes.append(helper.make_node("ReduceSum", [weighed, "axis"], ["sum"], keepdims=1))
    match output:
        case "(n, 1)":
            nodes.append(helper.make_node("Identity", ["sum"], ["raw"]))
        case "(n,)":
            nodes.append(helper.make_node("Squeeze", ["sum", "axis"], ["raw"]))
        case "(n, 2)":  # the second stands above the first by the sum
            nodes += [
                helper.make_node("Mul", ["sum", "nine"], ["first"]),
                helper.make_node("Add", ["first", "sum"], ["second"]),
                helper.make_node("Concat", ["first", "second"], ["raw"], axis=1),
            ]
        case "(n, 3)":
            nodes.append(helper.make_node("Concat", ["sum", "sum", "sum"], ["raw"], axis=1))
        case "(n, tokens)":
            nodes.append(helper.make_node("Identity", [weighed], ["raw"]))
    nodes.append(helper.make_node("Cast", ["raw"], [named], to=floating))
    rank = 1 if output == "(n,)" else 2
    outputs = [helper.make_tensor_value_info(named, floating, [None] * rank)]
    if named == "logits":
        outputs.insert(0, helper.make_tensor_value_info("found", TensorProto.FLOAT, shape))  # a hidden state
    graph = helper.make_graph(
        nodes,
        "toy",
        [helper.make_tensor_value_info(name, kinds.get(name, TensorProto.INT64), shape) for name in inputs],
        outputs,
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes a folder with a toy graph of these traits and a tokenizer."""

    def write(tokenizer: Tokenizer | None = None, **traits: Any) -> Path:
        onnx.save_model(toy_graph(**traits), tmp_path / "model.onnx")
        (tokenizer or toy_tokenizer()).save(str(tmp_path / "tokenizer.json"))
        return tmp_path

    return write


@pytest.fixture
def toy(make: Make) -> Reranker:
    return load_reranker(make())


Ran = list[tuple[tuple[int, int], list[int]]]


def watch(toy: Reranker, monkeypatch: pytest.MonkeyPatch) -> Ran:
    """The shape and the lengths of each batch that runs from now on."""
    ran: Ran = []
    run = toy._run

    def watched(pairs: Sequence[Any]) -> NDArray[np.floating]:
        lengths = [len(pair) for pair in pairs]
        ran.append(((len(pairs), max(lengths)), lengths))
        return run(pairs)

    monkeypatch.setattr(toy, "_run", watched)
    return ran


async def test_scores_are_the_sigmoids_of_the_logits_in_the_order_of_the_texts(toy: Reranker) -> None:
    texts = ["p1 n2 tiny", "", "n1", "p1", "unknown p1 n1 n1 unknown", "p1"]
    scores = await toy.scores("p1 n2", texts)
    assert scores.shape == (6,) and scores.dtype == np.float32
    assert scores == pytest.approx([sigmoid(logit("p1 n2", text)) for text in texts], rel=1e-5)


async def test_no_texts_have_no_scores(toy: Reranker) -> None:
    scores = await toy.scores("p1", [])
    assert scores.shape == (0,) and scores.dtype == np.float32


async def test_the_largest_logits_do_not_overflow(toy: Reranker) -> None:
    assert (await toy.scores("", ["p5 " * 100, "n5 " * 100])).tolist() == [1, 0]


async def test_many_texts_run_in_batches_of_like_length_and_keep_their_order(
    toy: Reranker, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = watch(toy, monkeypatch)
    sizes = np.random.default_rng(3).permutation(50).tolist()
    scores = await toy.scores("n1", ["tiny " * size for size in sizes])
    assert scores == pytest.approx([sigmoid(10 * size / 4096 - 1) for size in sizes], rel=1e-5)
    assert [shape for shape, _ in ran] == [(BATCH, 4 + 15), (BATCH, 4 + 31), (BATCH, 4 + 47), (2, 4 + 49)]


async def test_a_texts_score_does_not_depend_on_its_company(toy: Reranker) -> None:
    texts = ["p1", "n2 tiny " * 100, "tiny " * 1000, ""]
    alone = [(await toy.scores("tiny", [text]))[0] for text in texts]
    assert await toy.scores("tiny", texts) == pytest.approx(alone, rel=1e-6)


@pytest.mark.parametrize(
    ("query", "text", "kept"),
    [
        (3, 2, (3, 2)),
        (3, MAX_TOKENS - 6, (3, MAX_TOKENS - 6)),
        (3, MAX_TOKENS - 5, (3, MAX_TOKENS - 6)),
        (3, 3000, (3, MAX_TOKENS - 6)),
        (MAX_QUERY_TOKENS + 1, 2, (MAX_QUERY_TOKENS, 2)),
        (3000, 3000, (MAX_QUERY_TOKENS, MAX_TOKENS - 3 - MAX_QUERY_TOKENS)),
        (3000, 0, (MAX_QUERY_TOKENS, 0)),
    ],
)
async def test_of_a_long_pair_the_text_is_cut_and_of_a_query_the_first_128_tokens_count(
    toy: Reranker, monkeypatch: pytest.MonkeyPatch, query: int, text: int, kept: tuple[int, int]
) -> None:
    ran = watch(toy, monkeypatch)
    score = await toy.scores("tiny " * query, ["tiny " * text])
    assert score == pytest.approx([sigmoid((kept[0] + 10 * kept[1]) / 4096)], rel=1e-6)
    assert ran == [((1, 3 + sum(kept)), [3 + sum(kept)])]


async def test_the_beginning_is_what_is_kept(toy: Reranker) -> None:
    kept = MAX_TOKENS - 3 - MAX_QUERY_TOKENS
    query = "tiny " * (MAX_QUERY_TOKENS - 1) + "p2" + " p5" * 50
    scores = await toy.scores(query, ["tiny " * kept + "n5", "tiny " * (kept - 1) + "n1 n5"])
    asked = (MAX_QUERY_TOKENS - 1) / 4096 + 2
    expected = [sigmoid(asked + 10 * kept / 4096), sigmoid(asked + 10 * (kept - 1) / 4096 - 10)]
    assert scores == pytest.approx(expected, rel=1e-5)


async def test_the_tokenizers_own_truncation_and_padding_do_not_count(make: Make) -> None:
    tokenizer = toy_tokenizer()
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=64, pad_id=UNKNOWN, pad_token="[UNK]")
    toy = load_reranker(make(tokenizer))
    assert toy._padding == UNKNOWN
    assert await toy.scores("n1", ["tiny " * 300, ""]) == pytest.approx([sigmoid(3000 / 4096 - 1), sigmoid(-1)])


@pytest.mark.parametrize("output", ["(n,)", "(n, 2)"])
@pytest.mark.parametrize("count", [1, 2, 3, 20])
async def test_a_flat_output_and_one_of_two_classes_are_understood(make: Make, output: str, count: int) -> None:
    toy = load_reranker(make(output=output))
    texts = [f"p{1 + number % 5} n{1 + number % 4}" for number in range(count)]
    expected = [sigmoid(logit("n1 tiny", text)) for text in texts]
    assert await toy.scores("n1 tiny", texts) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("floating", [TensorProto.FLOAT16, TensorProto.DOUBLE])
async def test_graphs_of_other_precisions_are_run(make: Make, floating: int) -> None:
    toy = load_reranker(make(kinds=dict.fromkeys(INPUTS, TensorProto.INT32), floating=floating))
    scores = await toy.scores("n1", ["p1", "", "n1"])
    assert scores.dtype == np.float32
    assert scores == pytest.approx([sigmoid(9), sigmoid(-1), sigmoid(-11)], rel=1e-3)


async def test_a_single_output_may_have_any_name(make: Make) -> None:
    assert await load_reranker(make(named="score")).scores("p1", ["n1"]) == pytest.approx([sigmoid(-9)], rel=1e-5)


async def test_without_token_types_the_query_counts_like_the_text(make: Make) -> None:
    toy = load_reranker(make(inputs=INPUTS[:2]))
    assert await toy.scores("p1", ["n2", "p1 p1 p1"]) == pytest.approx([sigmoid(-1), sigmoid(4)])


async def test_without_an_attention_mask_nothing_is_padded(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    toy = load_reranker(make(inputs=["input_ids"]))
    ran = watch(toy, monkeypatch)
    texts = ["p1 p1", "p1", "n1 n1"] + ["n1"] * BATCH
    expected = [sigmoid(3), sigmoid(2), sigmoid(-1)] + [sigmoid(0)] * BATCH
    assert await toy.scores("p1", texts) == pytest.approx(expected, rel=1e-5)
    assert [shape for shape, _ in ran] == [(BATCH, 5), (1, 5), (2, 6)]


async def test_any_text_has_a_score(toy: Reranker) -> None:
    texts = ["", "   ", "p1 \x00 n1", "odd \ud800 p1", "x" * 1_000_000, "word " * 10_000, "\u202e\u0301", "[SEP] [PAD"]
    scores = await toy.scores("\udfff \x00 n1", texts)
    assert scores == pytest.approx([sigmoid(9) if "odd" in text else sigmoid(-1) for text in texts], rel=1e-5)


@pytest.mark.parametrize("output", ["(n, 1)", "(n,)", "(n, 2)"])
@pytest.mark.parametrize("word", ["nan", "huge"])
async def test_a_logit_that_is_not_finite_is_garbage(make: Make, word: str, output: str) -> None:
    toy = load_reranker(make(output=output))
    with pytest.raises(ModelGarbage):
        await toy.scores("p1", ["p1", word, "n1"])
    assert await toy.scores("p1", ["n1"]) == pytest.approx([sigmoid(-9)], rel=1e-5)


async def test_a_token_that_the_graph_does_not_know_is_an_error_of_the_model(toy: Reranker) -> None:
    with pytest.raises(ModelError) as failed:
        await toy.scores("p1", ["n1", "outside"])
    assert "outside" not in failed.value.detail
    assert (await toy.scores("p1", ["n1"])).shape == (1,)


async def test_concurrent_callers_each_get_their_own_scores_in_turns(
    toy: Reranker, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = watch(toy, monkeypatch)
    bulk = asyncio.create_task(toy.scores("p1", ["n1 tiny tiny"] * (10 * BATCH)))
    short = [asyncio.create_task(toy.scores(f"n{number}", ["p1", "", "n1"])) for number in range(1, 6)]
    for number, scores in enumerate(await asyncio.gather(*short), start=1):
        assert scores == pytest.approx([sigmoid(10 - number), sigmoid(-number), sigmoid(-10 - number)], rel=1e-5)
    assert await bulk == pytest.approx([sigmoid(1 - 10 + 20 / 4096)] * (10 * BATCH), rel=1e-5)
    assert ran[-1][0][0] == BATCH  # the short ones did not wait for all of the bulk


def test_two_event_loops_share_one_reranker(toy: Reranker) -> None:
    texts = [f"n{1 + number % 5}" for number in range(40)]
    results: list[NDArray[np.float32]] = []

    async def score() -> None:
        results.extend(await asyncio.gather(*(toy.scores("p5 tiny", texts) for _ in range(4))))

    threads = [threading.Thread(target=lambda: asyncio.run(score())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    expected = [sigmoid(logit("p5 tiny", text)) for text in texts]
    assert len(results) == 8
    assert all(scores == pytest.approx(expected, rel=1e-5) for scores in results)


async def test_a_cancelled_bulk_stops_after_its_batch_and_leaves_the_reranker_usable(
    toy: Reranker, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = watch(toy, monkeypatch)
    run = toy._run
    started, release = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def held(pairs: Sequence[Any]) -> NDArray[np.floating]:
        loop.call_soon_threadsafe(started.set)
        assert release.wait(10)
        return run(pairs)

    monkeypatch.setattr(toy, "_run", held)
    bulk = asyncio.create_task(toy.scores("p1", ["n1"] * (5 * BATCH)))
    await asyncio.wait_for(started.wait(), 10)
    waiting = asyncio.create_task(toy.scores("p1", ["never asked"]))
    await asyncio.sleep(0)
    for task in (bulk, waiting):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    release.set()
    assert await toy.scores("n1", ["", "p1"]) == pytest.approx([sigmoid(-1), sigmoid(9)], rel=1e-5)
    assert [shape[0] for shape, _ in ran] == [BATCH, 2]


@pytest.mark.parametrize("named", ["", "model.onnx"])
@pytest.mark.parametrize(
    ("graph", "tokenizer"),
    [
        ("model.onnx", "tokenizer.json"),
        ("onnx/model.onnx", "tokenizer.json"),
        ("onnx/model.onnx", "onnx/tokenizer.json"),
    ],
)
async def test_a_file_or_its_folder_can_be_named(
    make: Make, tmp_path: Path, graph: str, tokenizer: str, named: str
) -> None:
    made, folder = make(), tmp_path / "cross-encoder"
    (folder / "onnx").mkdir(parents=True)
    (made / "model.onnx").rename(folder / graph)
    (made / "tokenizer.json").rename(folder / tokenizer)
    toy = load_reranker(folder / graph if named else folder)
    assert await toy.scores("p1", ["n1"]) == pytest.approx([sigmoid(-9)], rel=1e-5)


async def test_links_of_a_hubs_cache_are_not_followed_to_find_the_tokenizer(make: Make, tmp_path: Path) -> None:
    made = make()
    (tmp_path / "blobs").mkdir()
    (tmp_path / "snapshot" / "onnx").mkdir(parents=True)
    (made / "model.onnx").rename(tmp_path / "blobs" / "6c1f")
    (made / "tokenizer.json").rename(tmp_path / "blobs" / "92ab")
    (tmp_path / "snapshot" / "onnx" / "model.onnx").symlink_to(tmp_path / "blobs" / "6c1f")
    (tmp_path / "snapshot" / "tokenizer.json").symlink_to(tmp_path / "blobs" / "92ab")
    assert (await load_reranker(tmp_path / "snapshot").scores("p1", ["n1"])).shape == (1,)


def test_one_process_loads_once_even_from_many_threads(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make()
    loaded: list[Reranker] = []
    paths = [folder, folder / "model.onnx"] * 2
    threads = [threading.Thread(target=lambda path=path: loaded.append(load_reranker(path))) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert loaded == [loaded[0]] * 4
    monkeypatch.chdir(folder)
    assert load_reranker(Path("model.onnx")) is loaded[0]


def test_a_forked_child_loads_its_own(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reranker, "_rerankers", {})
    monkeypatch.setattr(reranker, "_loading", threading.Lock())
    folder = make()
    toy = load_reranker(folder)
    reranker._forget_rerankers()
    assert load_reranker(folder) is not toy


def refused(path: Path) -> str:
    with pytest.raises(ConfigurationError) as refusal:
        load_reranker(path)
    assert refusal.value.detail.startswith("RERANK_MODEL: ") and "\n" not in refusal.value.detail
    return refusal.value.detail


def test_a_path_without_a_graph_says_what_is_looked_for(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing", tmp_path / "missing.onnx", Path("a\x00b")):
        assert "there is no ONNX file" in refused(path) and "model.onnx" in refused(path)
    assert "cannot be read" in refused(tmp_path / ("x" * 300))


def test_a_graph_without_a_tokenizer_says_where_it_belongs(make: Make) -> None:
    folder = make()
    (folder / "tokenizer.json").unlink()
    assert f"no tokenizer.json beside {folder / 'model.onnx'} or in the folder above" in refused(folder)


@pytest.mark.parametrize("content", ["", "{}", "[1, 2]", '{"version": "1.0", "model": {"type": "Unheard"}}'])
def test_a_file_that_is_no_tokenizer_is_refused(make: Make, content: str) -> None:
    folder = make()
    (folder / "tokenizer.json").write_text(content)
    assert "tokenizer.json is not a tokenizer" in refused(folder)


def test_a_tokenizer_that_knows_no_words_is_refused(make: Make) -> None:
    assert "tokenizer.json cannot be used" in refused(make(Tokenizer(models.WordLevel({"a": 0}, unk_token="[UNK]"))))


@pytest.mark.parametrize("content", [b"", b"no graph", b"\x08\x0a" * 100])
def test_a_file_that_is_no_graph_is_refused(make: Make, content: bytes) -> None:
    folder = make()
    (folder / "model.onnx").write_bytes(content)
    assert "model.onnx cannot be loaded" in refused(folder)


@pytest.mark.parametrize(
    ("traits", "complaint"),
    [
        ({"inputs": [*INPUTS, "position_ids"]}, "position_ids tensor(int64), instead of"),
        ({"inputs": ["ids", "attention_mask"]}, "it takes ids tensor(int64), attention_mask tensor(int64), instead of"),
        ({"inputs": ["token_type_ids"]}, "it takes token_type_ids tensor(int64), instead of"),
        ({"kinds": {"attention_mask": TensorProto.FLOAT}}, "attention_mask tensor(float)"),
        ({"output": "(n, 3)"}, "(3, 3) for n = 3"),
        ({"output": "(n, tokens)"}, "not one logit a pair"),
        ({"floating": TensorProto.INT64}, "not one logit a pair"),
        ({"shape": [1, "tokens"]}, "does not run on 3 x 5 tokens"),
        ({"shape": ["pairs", 128]}, "does not run on 3 x 5 tokens"),
    ],
)
def test_a_graph_that_is_no_cross_encoder_is_refused(make: Make, traits: dict[str, Any], complaint: str) -> None:
    assert complaint in refused(make(**traits))


def test_a_graph_without_an_output_is_refused(make: Make) -> None:
    folder = make()
    model = onnx.load_model(folder / "model.onnx")
    del model.graph.output[:]
    onnx.save_model(model, folder / "model.onnx")
    assert "does not run" in refused(folder) and "logits" in refused(folder)
