"""A cross-encoder changes the order of what is found, and nothing else."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.memory import Memory
from agents.open import open_memory
from config.recipes import QUERY, QUERY_COSINE, QUERY_NEWEST_200, SEARCH, Recipe
from config.settings import Settings
from memory.domain import Recall
from memory.recall.ranking import Scope
from memory.recall.recaller import with_overrides
from memory.recall.scored import MOST_READ
from tests.conversations import USER, Silent, request, say, settle, turn
from tests.cross_encoder import GARBAGE, UNKNOWN, opinion, write_cross_encoder
from utils.errors import ConfigurationError, ModelError

LIKES = {"truly": 4.0, "wonder": 9.0}
HERONS = "Where does the heron nest?"
SAID = {
    "m0": "The heron nests by the old mill.",
    "m1": "The heron nests truly early.",
    "m2": "I saw a heron, a wonder!",
    "m3": "We had bread and butter.",
}
UNRELATED = ["We had bread and butter.", "The train was late.", "My sister plays the cello.", "It rained all Sunday."]


@pytest.fixture
async def reranked(make_settings: Callable[..., Settings], tmp_path: Path) -> AsyncIterator[Memory]:
    """A memory with a cross-encoder, in which nothing happens in the background."""
    settings = make_settings(rerank_model=write_cross_encoder(tmp_path / "cross-encoder", LIKES))
    async with open_memory(settings, nudge=Silent()) as opened:
        yield opened


async def tell(memory: Memory, texts: dict[str, str] = SAID) -> None:
    await memory.add(USER, "s1", [turn(name, text) for name, text in texts.items()], wait=True)


def ids(recall: Recall) -> list[str]:
    return [hit.gist.id for hit in recall.hits]


def listen(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The texts of each call of the cross-encoder from now on."""
    asked: list[list[str]] = []
    reranking = memory.engine.search.recaller._reranking
    assert reranking is not None
    score = reranking._reranker.scores

    async def heard(query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        asked.append(list(texts))
        return await score(query, texts)

    monkeypatch.setattr(reranking._reranker, "scores", heard)
    return asked


def test_a_cross_encoder_reads_the_24_best_of_the_fused_recipes() -> None:
    assert Recipe("r", 8, 0.0).rerank == 0
    assert (QUERY.rerank, SEARCH.rerank) == (24, 24)
    assert (QUERY_COSINE.rerank, QUERY_NEWEST_200.rerank) == (0, 0)
    assert with_overrides(SEARCH, top_k=50, recency_weight=0.5, mmr_lambda=0.7).rerank == 24


async def test_the_score_is_the_mean_of_the_fused_one_and_the_cross_encoders(reranked: Memory, quiet: Memory) -> None:
    await tell(quiet)
    recall, plain = await reranked.search(USER, HERONS), await quiet.search(USER, HERONS)
    assert ids(plain)[0] == "m0" and ids(recall)[:2] == ["m2", "m1"]
    fused = {hit.gist.id: hit.parts.fused for hit in plain.hits}
    assert {hit.gist.id: hit.parts.fused for hit in recall.hits} == pytest.approx(fused)
    for hit in recall.hits:
        parts = hit.parts
        assert parts.fused is not None
        assert parts.rerank == pytest.approx(opinion(LIKES, hit.gist.content), rel=1e-4)
        assert hit.score == pytest.approx((parts.fused + parts.rerank) / 2)
    scores = [hit.score for hit in recall.hits]
    assert scores == sorted(scores, reverse=True) and all(0 <= score <= 1 for score in scores)
    assert all(hit.parts.rerank is None and hit.score == hit.parts.fused for hit in plain.hits)


async def test_what_the_cross_encoder_likes_does_not_pass_the_floor_for_it(reranked: Memory, quiet: Memory) -> None:
    await tell(quiet)
    plain = await quiet.search(USER, HERONS)
    floor = (plain.hits[0].score + plain.hits[1].score) / 2
    recall = await reranked.search(USER, HERONS, with_overrides(SEARCH, floor=floor))
    assert ids(recall) == ["m0"]
    assert {one.dropped for one in recall.considered[1:]} == {"below_floor"}
    assert {one.parts.rerank for one in recall.considered[1:]} == {None}


async def test_where_nothing_is_to_be_found_the_cross_encoder_is_not_asked(
    reranked: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tell(reranked, SAID | {"m4": "We met Ana, a wonder!"})
    asked = listen(reranked, monkeypatch)
    recall = await reranked.search(USER, "thanks, sounds good to me!")
    assert recall.hits == () and {one.dropped for one in recall.considered} == {"silent"}
    assert [texts for texts in asked if texts] == []


async def test_the_cosine_recipes_are_not_reranked(reranked: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    await tell(reranked)
    asked = listen(reranked, monkeypatch)
    recall = await reranked.search(USER, HERONS, QUERY_COSINE)
    assert ids(recall)[0] == "m0" and asked == []
    assert all(hit.parts.rerank is None for hit in recall.hits)


@pytest.mark.parametrize(("top_k", "read"), [(1, 24), (8, 24), (22, 24), (50, 52), (100, MOST_READ)])
async def test_at_least_what_is_asked_for_is_read_and_never_more_than_a_bound(
    reranked: Memory, monkeypatch: pytest.MonkeyPatch, top_k: int, read: int
) -> None:
    await tell(reranked, {f"m{number}": f"The heron nests by mill number {number}." for number in range(90)})
    asked = listen(reranked, monkeypatch)
    recall = await reranked.search(USER, HERONS, with_overrides(SEARCH, top_k=top_k, floor=0.0))
    assert [len(texts) for texts in asked] == [read]
    assert len(recall.hits) == min(top_k, 90)
    unread = [hit.parts.rerank is None for hit in recall.hits]
    assert unread == sorted(unread)  # what was read comes before what was not
    assert sum(unread) == max(0, min(top_k, 90) - read)


async def test_the_best_by_the_fused_score_are_the_ones_that_are_read(reranked: Memory, quiet: Memory) -> None:
    await tell(quiet, {f"m{number}": f"The heron nests by mill number {number}." for number in range(60)})
    every = await quiet.search(USER, HERONS, with_overrides(SEARCH, top_k=60, floor=0.0))
    recall = await reranked.search(USER, HERONS, with_overrides(SEARCH, top_k=8, floor=0.0))
    assert {one.key for one in recall.considered if one.parts.rerank is not None} <= set(ids(every)[:24])


async def test_a_text_that_was_said_often_is_read_once_and_after_its_speakers_name(
    reranked: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    same = [turn(f"m{number}", "The heron nests by the old mill.", name="Caroline") for number in range(40)]
    other = turn("m99", "The heron nests there, a wonder!", name="Mel")
    await reranked.add(USER, "s0", [turn(f"x{at}", text) for at, text in enumerate(UNRELATED)], wait=True)
    await reranked.add(USER, "s1", [*same, other], wait=True)
    asked = listen(reranked, monkeypatch)
    recall = await reranked.search(USER, HERONS, QUERY)
    read = [text for text in asked[0] if "heron" in text]
    assert sorted(read) == ["Caroline: The heron nests by the old mill.", "Mel: The heron nests there, a wonder!"]
    assert [hit.gist.content for hit in recall.hits][:2] == [other.content, same[0].content]
    copies = [hit for hit in (await reranked.search(USER, HERONS, SEARCH)).hits if hit.gist.id != "m99"]
    assert len(copies) == 7 and len({hit.parts.rerank for hit in copies}) == 1


async def test_recency_comes_after_the_cross_encoder(reranked: Memory) -> None:
    await tell(reranked)
    recall = await reranked.search(USER, HERONS, with_overrides(SEARCH, recency_weight=0.25))
    for hit in recall.hits:
        parts = hit.parts
        assert parts.fused is not None and parts.rerank is not None and parts.recency is not None
        assert hit.score == pytest.approx(0.75 * (parts.fused + parts.rerank) / 2 + 0.25 * parts.recency)
    scores = [hit.score for hit in recall.hits]
    assert scores == sorted(scores, reverse=True)
    newest = await reranked.search(USER, HERONS, with_overrides(SEARCH, recency_weight=1.0, floor=0.0))
    assert ids(newest) == ["m3", "m2", "m1", "m0"]


async def test_diversity_comes_after_the_cross_encoder(reranked: Memory) -> None:
    await tell(reranked, {"m0": SAID["m0"], "m2": SAID["m2"], "m4": "I saw a heron, truly a wonder!"})
    plain = await reranked.search(USER, HERONS)
    assert sorted(ids(plain)[:2]) == ["m2", "m4"]
    diverse = await reranked.search(USER, HERONS, with_overrides(SEARCH, mmr_lambda=0.3))
    assert ids(diverse)[0] == ids(plain)[0]  # the first is the best by the score with the cross-encoder in it
    assert ids(diverse)[1] not in ("m2", "m4")  # and the one that says the same no longer comes second
    assert all(hit.parts.mmr is not None and hit.parts.rerank is not None for hit in diverse.hits)


@pytest.mark.parametrize("word", [GARBAGE, UNKNOWN])
async def test_a_cross_encoder_that_fails_leaves_the_fused_order_and_a_warning(
    reranked: Memory, quiet: Memory, caplog: pytest.LogCaptureFixture, word: str
) -> None:
    await tell(quiet, SAID | {"m4": f"The heron nests in {word} places, a wonder."})
    with caplog.at_level(logging.WARNING, "memory.recall.scored"):
        recall = await reranked.search(USER, HERONS)
    assert recall == await quiet.search(USER, HERONS)
    [told] = [record for record in caplog.records if record.name == "memory.recall.scored"]
    assert told.levelno == logging.WARNING and "heron" not in told.getMessage()
    everything = [*recall.hits, *recall.considered]
    assert {one.parts.rerank for one in everything} == {None}
    await reranked.engine.oversight.forgetter.session(USER, "s1")
    await tell(reranked)
    assert ids(await reranked.search(USER, HERONS))[0] == "m2"  # and goes on where it can


async def test_a_message_deleted_while_the_cross_encoder_reads_is_not_told(
    reranked: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tell(reranked)
    reranking = reranked.engine.search.recaller._reranking
    assert reranking is not None
    score = reranking._reranker.scores

    async def meanwhile(query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        await reranked.engine.oversight.forgetter.session(USER, "s1")
        return await score(query, texts)

    monkeypatch.setattr(reranking._reranker, "scores", meanwhile)
    assert (await reranked.search(USER, HERONS)).hits == ()


async def test_what_was_just_said_is_read_too(reranked: Memory) -> None:
    await reranked.add(USER, "s1", [turn(name, text) for name, text in SAID.items()])
    recall = await reranked.search(USER, HERONS)
    assert ids(recall)[0] == "m2" and recall.hits[0].parts.rerank is not None


async def test_searches_at_once_each_get_their_own_order(reranked: Memory) -> None:
    for owner, text in (("ann", "a wonder"), ("bob", "truly")):
        said = [turn(f"{owner}0", "The heron nests by the old mill."), turn(f"{owner}1", f"The heron, {text}.")]
        await reranked.add(owner, "s1", said, wait=True)
    recalls = await asyncio.gather(*(reranked.search(owner, HERONS) for owner in ("ann", "bob") * 8))
    for number, recall in enumerate(recalls):
        owner, score = (("ann", 5.0), ("bob", 0.0))[number % 2]
        read = {hit.gist.id: hit.parts.rerank for hit in recall.hits}
        assert read[f"{owner}1"] == pytest.approx(1 / (1 + np.exp(-score)), rel=1e-4)


async def test_a_messages_place_is_where_the_search_has_it(reranked: Memory) -> None:
    texts = {f"m{number}": f"The heron nests {'truly ' * (number % 4)}by mill number {number}." for number in range(40)}
    await tell(reranked, texts)
    recipe = replace(SEARCH, top_k=4)
    found = await reranked.search(USER, HERONS, recipe)
    for at, one in enumerate(found.considered):
        placed = await reranked.engine.search.recaller.place_of(USER, HERONS, recipe, Scope(), one.key)
        assert not isinstance(placed, str)
        place, ranked = placed
        assert (ranked.parts.rerank, ranked.parts.fused) == (one.parts.rerank, one.parts.fused)
        assert place <= at and found.considered[place].parts.score == one.parts.score


async def test_what_was_read_is_not_read_again_where_a_search_looks_further(
    reranked: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tell(reranked)
    read, recaller = listen(reranked, monkeypatch), reranked.engine.search.recaller
    asked = await recaller._ask(USER, HERONS, QUERY, Scope())
    near = await recaller._scored(asked, 2)
    assert near is not None and len(read[0]) == 2
    wide = await recaller._scored(asked, 4, near.reads)
    assert wide is not None and wide.reads.keys() > near.reads.keys()
    every = [text for texts in read for text in texts]
    assert len(every) == len(set(every)) == len(wide.reads)


async def test_receipts_keep_what_the_cross_encoder_said(reranked: Memory) -> None:
    await say(reranked, "the heron nests by the old mill", "the heron nests there, truly a wonder")
    asked = request(HERONS, "s2")
    await reranked.chat(asked)
    await settle(reranked)
    receipt = await reranked.engine.chats.receipts.get(USER, asked.turn_id)
    wonder, mill = receipt.considered
    assert wonder.parts.rerank == pytest.approx(opinion(LIKES, "truly a wonder"), rel=1e-4)
    assert mill.parts.rerank == pytest.approx(opinion({}, ""), rel=1e-4)


async def test_a_path_without_a_cross_encoder_is_refused_at_start(
    make_settings: Callable[..., Settings], tmp_path: Path
) -> None:
    def refused(path: Path) -> str:
        with pytest.raises(ConfigurationError) as refusal:
            asyncio.run(opened(path))
        return refusal.value.detail

    async def opened(path: Path) -> None:
        async with open_memory(make_settings(rerank_model=path)):
            pass

    missing, damaged = tmp_path / "missing.onnx", write_cross_encoder(tmp_path / "damaged", {})
    (damaged / "model.onnx").write_bytes(b"not a graph")
    alone = write_cross_encoder(tmp_path / "alone", {})
    (alone / "tokenizer.json").unlink()
    found = await asyncio.gather(*(asyncio.to_thread(refused, path) for path in (missing, damaged, alone)))
    assert [detail.startswith("RERANK_MODEL: ") for detail in found] == [True] * 3
    assert "no ONNX file" in found[0] and "cannot be loaded" in found[1] and "no tokenizer.json" in found[2]


async def test_an_error_that_is_not_the_models_is_not_hidden(reranked: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    await tell(reranked)
    reranking = reranked.engine.search.recaller._reranking
    assert reranking is not None

    async def broken(query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        raise AssertionError("a bug")

    monkeypatch.setattr(reranking._reranker, "scores", broken)
    with pytest.raises(AssertionError):
        await reranked.search(USER, HERONS)

    async def away(query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        raise ModelError("The reranker failed")

    monkeypatch.setattr(reranking._reranker, "scores", away)
    assert ids(await reranked.search(USER, HERONS))[0] == "m0"
