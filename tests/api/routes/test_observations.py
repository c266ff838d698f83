"""Observations over HTTP."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from pymongo.database import Database

from tests.checks import eventually, problem
from tests.observed import GOAL, listed, recalled, remember, texts


def test_one_is_remembered_recalled_read_and_deleted(api: httpx.Client, user: str) -> None:
    [identifier] = remember(api, user, content="PostgreSQL version is 15.2", category="finding")
    [item] = recalled(api, user, "which version of postgresql")
    assert (item["id"], item["category"], item["source"], item["model"]) == (identifier, "finding", GOAL, None)
    assert 0 < item["score"] < 1
    one = api.get(f"/v1/observations/{identifier}", params={"user_id": user})
    assert one.json() == {key: value for key, value in item.items() if key != "score"}
    deleted = api.delete(f"/v1/observations/{identifier}", params={"user_id": user})
    assert deleted.json() == {"deleted": {"observations": 1}}
    assert recalled(api, user, "which version of postgresql") == []
    problem(api.get(f"/v1/observations/{identifier}", params={"user_id": user}), 404)
    problem(api.delete(f"/v1/observations/{identifier}", params={"user_id": user}), 404)


def test_a_batch_is_recalled_by_category(api: httpx.Client, user: str) -> None:
    ids = remember(
        api,
        user,
        findings=["The API uses OAuth2", "The rate limit of the API is 100/min"],
        insights=["REST is better than GraphQL for this API"],
        lessons=["Always check the rate limits of an API first"],
    )
    assert len(set(ids)) == 4
    body = {"user_id": user, "query": "API rate limits"}
    assert api.post("/v1/observations/recall-fil", json=body).json() == {
        "findings": ["The rate limit of the API is 100/min", "The API uses OAuth2"],
        "insights": ["REST is better than GraphQL for this API"],
        "lessons": ["Always check the rate limits of an API first"],
    }
    one = api.post("/v1/observations/recall-fil", json={**body, "limit_per_category": 1}).json()
    assert one["findings"] == ["The rate limit of the API is 100/min"]
    assert texts(recalled(api, user, "API rate limits", category="insight")) == [
        "REST is better than GraphQL for this API"
    ]


def test_words_are_stemmed(api: httpx.Client, user: str) -> None:
    remember(api, user, findings=["Deployments fail when migrations are running", "The office has two kitchens"])
    assert texts(recalled(api, user, "why does a deployment fail during a migration?")) == [
        "Deployments fail when migrations are running"
    ]


def test_scores_fall_along_the_list_and_hold_whatever_else_is_left_out(api: httpx.Client, user: str) -> None:
    findings = ["alpha", "alpha beta", "alpha beta gamma", "gamma delta epsilon", "something else"]
    remember(api, user, findings=findings, lessons=["beta gamma alpha"])
    every = recalled(api, user, "alpha beta gamma")
    scores = [item["score"] for item in every]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score < 1 for score in scores)
    lessons = recalled(api, user, "alpha beta gamma", category="lesson")
    assert lessons == [item for item in every if item["category"] == "lesson"]
    best = recalled(api, user, "alpha beta gamma", min_score=scores[1])
    assert [item["score"] for item in best] == [score for score in scores if score >= scores[1]]
    assert len(recalled(api, user, "alpha beta gamma", limit=2)) == 2


def test_a_time_range_bounds_recall(api: httpx.Client, user: str) -> None:
    [identifier] = remember(api, user, findings=["The heron nests by the mill"])
    at = datetime.fromisoformat(listed(api, user)[0]["created_at"])
    around = {"since": at.isoformat(), "until": at.isoformat()}
    assert [item["id"] for item in recalled(api, user, "heron", **around)] == [identifier]
    assert recalled(api, user, "heron", since=(at + timedelta(seconds=1)).isoformat()) == []
    assert recalled(api, user, "heron", until=(at - timedelta(seconds=1)).isoformat()) == []
    assert at.tzinfo is not None and abs(datetime.now(UTC) - at) < timedelta(minutes=1)


def test_the_same_again_is_the_same_one(api: httpx.Client, user: str) -> None:
    first = remember(api, user, findings=["The API uses OAuth2", "The API uses OAuth2"])
    assert first[0] == first[1]
    assert remember(api, user, content="The API uses OAuth2", category="finding") == first[:1]
    others = [
        *remember(api, user, content="The API uses OAuth2", category="lesson"),
        *remember(api, user, source="AGENT:other", content="The API uses OAuth2", category="finding"),
    ]
    assert len({*first, *others}) == len(listed(api, user)) == 3
    assert len(recalled(api, user, "OAuth2")) == 3
    fil = api.post("/v1/observations/recall-fil", json={"user_id": user, "query": "OAuth2"}).json()
    assert fil == {"findings": ["The API uses OAuth2"], "insights": [], "lessons": ["The API uses OAuth2"]}


def test_what_was_deleted_can_be_remembered_again(api: httpx.Client, user: str) -> None:
    for _ in range(3):
        [identifier] = remember(api, user, findings=["The heron nests by the mill"])
        assert [item["id"] for item in recalled(api, user, "heron")] == [identifier]
        api.delete(f"/v1/observations/{identifier}", params={"user_id": user})
        assert recalled(api, user, "heron") == []


def test_the_same_at_once_is_one(api: httpx.Client, user: str) -> None:
    with ThreadPoolExecutor(8) as at_once:
        ids = list(at_once.map(lambda _: remember(api, user, findings=["The heron nests by the mill"])[0], range(8)))
    assert len(set(ids)) == len(listed(api, user)) == len(recalled(api, user, "heron")) == 1


def test_remembering_and_deleting_at_once_leaves_both_or_neither(
    api: httpx.Client, user: str, database: Database[dict[str, Any]]
) -> None:
    [identifier] = remember(api, user, findings=["The heron nests by the mill"])

    def work(number: int) -> None:
        if number % 2:
            api.delete(f"/v1/observations/{identifier}", params={"user_id": user})
        else:
            remember(api, user, findings=["The heron nests by the mill"])

    with ThreadPoolExecutor(6) as at_once:
        list(at_once.map(work, range(24)))
    there = len(listed(api, user))
    assert len(recalled(api, user, "heron")) == there
    assert database["vectors"].count_documents({"user_id": user, "kind": "finding"}) == there


def test_observations_come_in_pages_by_category_and_source(api: httpx.Client, user: str) -> None:
    remember(api, user, findings=[f"finding {number}" for number in range(5)], lessons=["a lesson"])
    remember(api, user, source="AGENT:b", findings=["finding 9"])
    seen, cursor = [], None
    while True:
        query = {"user_id": user, "limit": 2} | ({"cursor": cursor} if cursor else {})
        page = api.get("/v1/observations", params=query).json()
        seen += texts(page["items"])
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 7
    assert texts(listed(api, user, category="lesson")) == ["a lesson"]
    assert texts(listed(api, user, source="AGENT:b")) == ["finding 9"]


def test_an_idempotency_key_gives_the_first_answer_again(api: httpx.Client, user: str) -> None:
    body = {"user_id": user, "source": GOAL, "findings": ["The heron nests by the mill"]}
    headers = {"Idempotency-Key": f"{user}-key"}
    first = api.post("/v1/observations", json=body, headers=headers)
    again = api.post("/v1/observations", json=body, headers=headers)
    assert again.json() == first.json() and again.headers["idempotency-replayed"] == "true"
    problem(api.post("/v1/observations", json={**body, "source": "x"}, headers=headers), 422)


def test_users_do_not_see_each_others(api: httpx.Client, user: str, other: str) -> None:
    [identifier] = remember(api, user, findings=["The heron nests by the mill"])
    [same] = remember(api, other, findings=["The heron nests by the mill"])
    assert same != identifier
    assert [item["id"] for item in recalled(api, other, "heron")] == [same]
    problem(api.get(f"/v1/observations/{identifier}", params={"user_id": other}), 404)
    problem(api.delete(f"/v1/observations/{identifier}", params={"user_id": other}), 404)
    assert len(recalled(api, user, "heron")) == 1


def test_a_message_with_the_id_of_an_observation_hides_neither(
    api: httpx.Client, user: str, other: str, database: Database[dict[str, Any]]
) -> None:
    [identifier] = remember(api, user, findings=["The heron nests by the mill"])
    [gist] = database["vectors"].find({"user_id": user})
    api.delete(f"/v1/observations/{identifier}", params={"user_id": user})
    for owner, key in ((user, identifier), (other, identifier), (other, gist["_id"])):
        message = {"id": key, "role": "user", "content": "mine"}
        body = {"user_id": owner, "session_id": "s", "messages": [message]}
        assert api.post("/v1/messages", json=body).json()["accepted"] == 1
    assert remember(api, user, findings=["The heron nests by the mill"]) == [identifier]
    assert [item["id"] for item in recalled(api, user, "heron")] == [identifier]
    assert api.delete(f"/v1/observations/{identifier}", params={"user_id": user}).status_code == 200
    assert recalled(api, user, "heron") == []
    assert database["vectors"].count_documents({"user_id": {"$in": [user, other]}}) == 3


def test_searches_for_messages_rank_as_before(api: httpx.Client, user: str) -> None:
    messages = [
        {"role": ("user", "assistant")[at % 2], "content": f"The heron number {at} nests by mill {at * 7 % 5}"}
        for at in range(12)
    ]
    api.post("/v1/messages", json={"user_id": user, "session_id": "s", "messages": messages, "wait": True})
    body = {"user_id": user, "query": "Where does heron number 3 nest?"}
    before = api.post("/v1/search", json=body).json()["items"]
    remember(api, user, findings=[f"Heron {at} nests in the reeds, not by the mill" for at in range(30)])
    kinds = {**body, "kinds": ["finding", "insight", "lesson"], "top_k": 50}
    found = eventually(lambda: [hit for hit in [api.post("/v1/search", json=kinds).json()["items"]] if len(hit) == 30])
    assert {item["kind"] for item in found[0]} == {"finding"}
    after = api.post("/v1/search", json=body).json()["items"]
    assert [item["id"] for item in after] == [item["id"] for item in before]
    assert [item["score"] for item in after] == pytest.approx([item["score"] for item in before], abs=1e-5)
    chat = api.post("/query", json={**body, "session_id": "t"}).json()
    assert all(hit["role"] != "finding" for hit in chat["memory_context"]["context"])


def test_gists_of_other_systems_are_never_recalled(
    api: httpx.Client, user: str, database: Database[dict[str, Any]]
) -> None:
    """An insight that another system keeps has no category, and so no place in the index of words."""
    remember(api, user, insights=["The heron nests by the mill"])
    [gist] = database["vectors"].find({"user_id": user})
    del gist["category"]
    database["vectors"].insert_one(gist | {"_id": f"{user}-trace", "id": "t", "trace_id": "t"})
    remember(api, user, insights=["Another heron"])  # a change that indexes read
    assert sorted(texts(recalled(api, user, "heron"))) == ["Another heron", "The heron nests by the mill"]
    assert (
        len(api.post("/v1/observations/recall-fil", json={"user_id": user, "query": "heron"}).json()["insights"]) == 2
    )


def test_no_search_within_a_session_finds_what_only_says_to_come_of_it(api: httpx.Client, user: str) -> None:
    remember(api, user, source="session:tasks/7", insights=["The heron nests by the mill"])
    body = {"user_id": user, "query": "heron", "kinds": ["insight"]}
    eventually(lambda: api.post("/v1/search", json=body).json()["items"])
    for session in ("tasks/7", "session:tasks", "7"):
        found = api.post("/v1/search", json={**body, "session_id": session})
        assert found.status_code == 422 or found.json()["items"] == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"source": GOAL},
        {"content": "x", "category": "finding"},
        {"source": "", "content": "x", "category": "finding"},
        {"source": GOAL, "content": "x"},
        {"source": GOAL, "category": "finding"},
        {"source": GOAL, "content": " ", "category": "finding"},
        {"source": GOAL, "content": "x", "category": "fact"},
        {"source": GOAL, "content": "x", "category": "finding", "lessons": ["x"]},
        {"source": GOAL, "findings": "x"},
        {"source": GOAL, "findings": [1]},
        {"source": GOAL, "findings": ["x", ""]},
        {"source": GOAL, "findings": ["x" * 16_001]},
        {"source": GOAL, "findings": ["x"] * 600, "lessons": ["y"] * 600},
        {"source": "s" * 401, "findings": ["x"]},
        {"source": GOAL, "findings": ["x"], "id": "mine"},
    ],
)
def test_bad_observations_are_refused_whole(api: httpx.Client, user: str, body: dict[str, Any]) -> None:
    problem(api.post("/v1/observations", json={"user_id": user, **body}), 422)
    assert listed(api, user) == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": ""},
        {"query": "x", "limit": 0},
        {"query": "x", "limit": 201},
        {"query": "x", "category": "fact"},
        {"query": "x", "min_score": 1.5},
        {"query": "x", "since": "yesterday"},
        {"query": "x", "kinds": ["finding"]},
    ],
)
def test_bad_recalls_are_refused(api: httpx.Client, user: str, body: dict[str, Any]) -> None:
    problem(api.post("/v1/observations/recall", json={"user_id": user, **body}), 422)


def test_nothing_to_remember_is_nothing(api: httpx.Client, user: str) -> None:
    assert remember(api, user, findings=[], lessons=[]) == []


@pytest.mark.parametrize("query", ["???", "the of and", "日本", "😀", "x" * 32_000, "heron " * 5_000])
def test_odd_queries_are_answered(api: httpx.Client, user: str, query: str) -> None:
    remember(api, user, findings=["The heron nests by the mill", "日本 は 島国", "Grüße aus Zürich 😀"])
    recalled(api, user, query)


def test_accents_and_other_scripts_are_found(api: httpx.Client, user: str) -> None:
    remember(api, user, findings=["Grüße aus Zürich", "日本 は 島国", "Мельница стоит у реки"])
    assert texts(recalled(api, user, "zurich")) == ["Grüße aus Zürich"]
    assert texts(recalled(api, user, "日本")) == ["日本 は 島国"]
    assert texts(recalled(api, user, "МЕЛЬНИЦА")) == ["Мельница стоит у реки"]
