"""A cross-encoder shows over HTTP: in searches, answers, their receipts, and why a message was not used."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.said import say, search
from tests.cross_encoder import GARBAGE, opinion, write_cross_encoder

LIKES = {"wonder": 9.0}
QUESTION = "Which harbour crane is painted blue?"
PLAIN = "The harbour crane number {} is painted blue."
LIKED = "The harbour crane of {}, painted blue, is a wonder."


@pytest.fixture
def reranked(serve: Callable[..., str], tmp_path: Path) -> Iterator[httpx.Client]:
    """An API with a cross-encoder that likes wonders."""
    folder = write_cross_encoder(tmp_path / "cross-encoder", LIKES)
    with httpx.Client(base_url=serve(rerank_model=folder / "model.onnx"), timeout=30) as client:
        yield client


def search_of(api: httpx.Client, user: str, said: list[str]) -> list[dict[str, Any]]:
    say(api, user, "before", *said)
    return search(api, user, QUESTION)


def test_a_search_is_ordered_by_what_the_cross_encoder_says_too(
    api: httpx.Client, reranked: httpx.Client, user: str
) -> None:
    said = [*(PLAIN.format(number) for number in range(3, 8)), LIKED.format("Porto")]
    assert all(item["explain"]["rerank"] is None for item in search_of(api, user, said))
    items = search_of(reranked, user, said)
    assert items[0]["content"] == said[-1] != search(api, user, QUESTION)[0]["content"]
    assert len(items) == 6
    for item in items:
        parts = item["explain"]
        assert parts["rerank"] == pytest.approx(opinion(LIKES, item["content"]), rel=1e-4)
        assert item["score"] == pytest.approx((parts["fused"] + parts["rerank"]) / 2)
    scores = [item["score"] for item in items]
    assert scores == sorted(scores, reverse=True) and scores[-1] >= 0 and scores[0] <= 1


def test_a_least_score_is_held_against_the_fused_one(reranked: httpx.Client, user: str) -> None:
    say(reranked, user, "before", *(PLAIN.format(number) for number in range(3, 6)), "Bread, a wonder.")
    items = search(reranked, user, QUESTION, min_score=0.3)
    assert len(items) == 3
    assert all(item["explain"]["fused"] >= 0.3 for item in items)


def test_an_answer_its_receipt_and_why_not_agree(
    api: httpx.Client, serve: Callable[..., str], tmp_path: Path, user: str
) -> None:
    said = [PLAIN.format(number) for number in range(30)]
    ids = say(api, user, "before", *said)
    place = ids.index(search(api, user, QUESTION, top_k=30)[10]["id"])  # one that is read, and not returned without
    folder = write_cross_encoder(tmp_path / "cross-encoder", {str(place): 9.0})
    with httpx.Client(base_url=serve(rerank_model=folder), timeout=30) as reranked:
        liked = say(reranked, user, "before", *said)[place]
        body = reranked.post("/query", json={"user_id": user, "query": QUESTION, "top_k": 2}).json()
        agrees(reranked, user, body, liked)


def agrees(reranked: httpx.Client, user: str, body: dict[str, Any], liked: str) -> None:
    """An answer that two messages were found for, of thirty, with what its receipt says of all."""
    context = body["memory_context"]["context"]
    assert context[0]["id"] == liked and liked in {citation["id"] for citation in body["citations"]}
    assert context[0]["similarity"] > context[1]["similarity"]

    path = f"/v1/receipts/{body['turn_id']}"
    considered = reranked.get(path, params={"user_id": user}).json()["considered"]
    assert considered[0]["id"] == liked and considered[0]["used"]
    assert considered[0]["explain"]["rerank"] == pytest.approx(opinion(LIKES, "wonder"), rel=1e-4)
    scores = [one["score"] for one in considered if one["dropped"] in (None, "top_k")]
    assert scores == sorted(scores, reverse=True)

    def why(identifier: str) -> dict[str, Any]:
        found: dict[str, Any] = reranked.get(f"{path}/why-not", params={"user_id": user, "id": identifier}).json()
        return found

    for place, one in enumerate(considered):
        told = why(one["id"])
        assert told["recorded"] and told["place"] == place
        assert (told["score"], told["explain"]) == (one["score"], one["explain"])
    recorded = {one["id"] for one in considered}
    listed = reranked.get("/v1/sessions/before/messages", params={"user_id": user}).json()["items"]
    others = [why(item["id"]) for item in listed if item["id"] not in recorded]
    assert len(others) == 30 - len(considered) > 0
    for told in others:
        assert not told["recorded"] and told["reason"] in ("top_k", "below_floor")
        assert told["place"] >= len(considered) and told["score"] <= min(scores)
    read = [one["explain"]["rerank"] is not None for one in (*considered, *others)]
    assert sum(read) == 24  # the 24 likeliest were read, whether they were returned or not


def test_a_cross_encoder_that_fails_does_not_fail_the_search_or_the_answer(
    api: httpx.Client, reranked: httpx.Client, user: str, other: str, caplog: pytest.LogCaptureFixture
) -> None:
    said = [PLAIN.format(number) for number in ("0", "1", f"2, {GARBAGE},", "3")]
    plain = search_of(api, user, said)
    with caplog.at_level(logging.WARNING, "memory.recall.scored"):
        items = search_of(reranked, user, said)
    assert [item["content"] for item in items] == [item["content"] for item in plain]
    assert {item["explain"]["rerank"] for item in items} == {None}
    assert "search without the cross-encoder" in caplog.text and GARBAGE not in caplog.text
    body = reranked.post("/query", json={"user_id": user, "query": QUESTION}).json()
    receipt = reranked.get(f"/v1/receipts/{body['turn_id']}", params={"user_id": user}).json()
    assert len(body["memory_context"]["context"]) == 4
    assert {one["explain"]["rerank"] for one in receipt["considered"]} == {None}
    assert search_of(reranked, other, [LIKED.format("Porto")])[0]["explain"]["rerank"] is not None
