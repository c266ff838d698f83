"""The reranker scores pairs as its graph does, whatever the graph, the texts and the callers are."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto

from tests.utils.toy_reranker import UNKNOWN, Make, logit, sigmoid, toy_tokenizer
from utils.errors import ModelError, ModelGarbage
from utils.reranker import BATCH, INPUTS, MAX_QUERY_TOKENS, MAX_TOKENS, Reranker, load_reranker

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


async def test_no_texts_have_no_scores_and_the_largest_logits_do_not_overflow(toy: Reranker) -> None:
    scores = await toy.scores("p1", [])
    assert scores.shape == (0,) and scores.dtype == np.float32
    assert (await toy.scores("", ["p5 " * 100, "n5 " * 100])).tolist() == [1, 0]


async def test_many_texts_run_in_batches_of_like_length_and_keep_their_order(
    toy: Reranker, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = watch(toy, monkeypatch)
    sizes = np.random.default_rng(3).permutation(50).tolist()
    scores = await toy.scores("n1", ["tiny " * size for size in sizes])
    assert scores == pytest.approx([sigmoid(10 * size / 4096 - 1) for size in sizes], rel=1e-5)
    assert [shape for shape, _ in ran] == [(BATCH, 4 + 15), (BATCH, 4 + 31), (BATCH, 4 + 47), (2, 4 + 49)]


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


async def test_the_tokenizers_own_truncation_and_padding_do_not_count(make_toy: Make) -> None:
    tokenizer = toy_tokenizer()
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=64, pad_id=UNKNOWN, pad_token="[UNK]")
    toy = load_reranker(make_toy(tokenizer))
    assert toy._padding == UNKNOWN
    assert await toy.scores("n1", ["tiny " * 300, ""]) == pytest.approx([sigmoid(3000 / 4096 - 1), sigmoid(-1)])


@pytest.mark.parametrize("output", ["(n,)", "(n, 2)"])
@pytest.mark.parametrize("count", [1, 2, 3, 20])
async def test_a_flat_output_and_one_of_two_classes_are_understood(make_toy: Make, output: str, count: int) -> None:
    toy = load_reranker(make_toy(output=output))
    texts = [f"p{1 + number % 5} n{1 + number % 4}" for number in range(count)]
    expected = [sigmoid(logit("n1 tiny", text)) for text in texts]
    assert await toy.scores("n1 tiny", texts) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    "traits",
    [{"floating": TensorProto.FLOAT16}, {"floating": TensorProto.DOUBLE}, {"named": "score"}],
    ids=["half", "double", "name"],
)
async def test_an_output_may_have_any_precision_and_the_only_one_any_name(
    make_toy: Make, traits: dict[str, Any]
) -> None:
    scores = await load_reranker(make_toy(**traits)).scores("n1", ["p1", "", "n1"])
    assert scores.dtype == np.float32
    assert scores == pytest.approx([sigmoid(9), sigmoid(-1), sigmoid(-11)], rel=1e-3)


async def test_without_token_types_the_query_counts_like_the_text(make_toy: Make) -> None:
    toy = load_reranker(make_toy(inputs=INPUTS[:2]))
    assert await toy.scores("p1", ["n2", "p1 p1 p1"]) == pytest.approx([sigmoid(-1), sigmoid(4)])


async def test_any_text_has_a_score(toy: Reranker) -> None:
    texts = ["", "   ", "p1 \x00 n1", "odd \ud800 p1", "x" * 1_000_000, "word " * 10_000, "\u202e\u0301", "[SEP] [PAD"]
    scores = await toy.scores("\udfff \x00 n1", texts)
    assert scores == pytest.approx([sigmoid(9) if "odd" in text else sigmoid(-1) for text in texts], rel=1e-5)


@pytest.mark.parametrize("output", ["(n, 1)", "(n,)", "(n, 2)"])
@pytest.mark.parametrize("word", ["nan", "huge"])
async def test_a_logit_that_is_not_finite_is_garbage(make_toy: Make, word: str, output: str) -> None:
    toy = load_reranker(make_toy(output=output))
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
