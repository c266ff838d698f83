"""Observations over HTTP."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from pymongo.database import Database

from tests.checks import eventually, problem
from tests.scripted_model import ScriptedModel, answer, garbage, html, status

GOAL = "GOAL:api-analysis"
OUTPUT = "Deployed the billing service. The API rate limit is 100 requests per minute. Avoid library X next time."


def remember(api: httpx.Client, user: str, source: str = GOAL, **body: Any) -> list[str]:
    found = api.post("/v1/observations", json={"user_id": user, "source": source, **body})
    assert found.status_code == 200, found.text
    ids: list[str] = found.json()["ids"]
    return ids


def recalled(api: httpx.Client, user: str, query: str, **more: Any) -> list[dict[str, Any]]:
    found = api.post("/v1/observations/recall", json={"user_id": user, "query": query, **more})
    assert found.status_code == 200, found.text
    items: list[dict[str, Any]] = found.json()["items"]
    return items


def texts(items: list[dict[str, Any]]) -> list[str]:
    return [item["content"] for item in items]


def listed(api: httpx.Client, user: str, **query: Any) -> list[dict[str, Any]]:
    found = api.get("/v1/observations", params={"user_id": user, **query})
    assert found.status_code == 200, found.text
    items: list[dict[str, Any]] = found.json()["items"]
    return items


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


def extract(api: httpx.Client, user: str, output: str, **more: Any) -> dict[str, Any]:
    body = {"user_id": user, "step_name": "deploy-api", "step_type": "GOAL", "output": output, **more}
    found = api.post("/v1/observations/extract", json=body)
    assert found.status_code == 200, found.text
    read: dict[str, Any] = found.json()
    return read


def test_rules_extract_without_a_model(api: httpx.Client, user: str) -> None:
    read = extract(api, user, OUTPUT)
    assert (read["outcome"], read["model"]) == ("observed", "rule_based")
    assert texts(read["findings"]) == ["The API rate limit is 100 requests per minute."]
    assert texts(read["lessons"]) == ["Avoid library X next time."]
    [item] = recalled(api, user, "rate limit")
    assert (item["source"], item["model"], item["id"]) == ("GOAL:deploy-api", "rule_based", read["findings"][0]["id"])
    assert extract(api, user, OUTPUT) == read
    assert len(listed(api, user)) == 2


def test_a_model_extracts(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    notes = '```json\n{"findings": ["The limit is 100/min.", " "], "insights": ["REST is simpler."], "more": 1}\n```'
    model.script(answer(f"Here you are:\n{notes}\nDone."), on="observations")
    read = extract(chat, user, OUTPUT)
    assert (read["outcome"], read["model"]) == ("observed", "gpt-4o-mini")
    assert texts(read["findings"]) == ["The limit is 100/min."]
    assert texts(read["insights"]) == ["REST is simpler."]
    assert read["lessons"] == []
    [asked] = model.asked("observations")
    assert '"step_type":"GOAL"' in asked["messages"][1]["content"]
    assert recalled(chat, user, "limit")[0]["model"] == "gpt-4o-mini"


def test_outputs_are_skipped_under_50_characters_and_cut_at_4000(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    short = extract(chat, user, "x" * 49)
    assert (short["outcome"], short["model"], short["findings"]) == ("skipped", None, [])
    assert extract(chat, user, "")["outcome"] == "skipped"
    assert model.asked("observations") == []
    assert extract(chat, user, "x" * 50)["outcome"] == "observed"
    extract(chat, user, "y" * 4_000 + "z" * 1_000)
    sent = model.asked("observations")[-1]["messages"][1]["content"]
    assert "y" * 4_000 in sent and "z" * 2 not in sent


@pytest.mark.parametrize(
    "behaviour",
    [
        answer("I found nothing."),
        answer('{"findings": "one"}'),
        answer('{"findings": [1]}'),
        answer("[]"),
        html(),
        garbage(),
        status(400),
    ],
)
def test_a_model_that_fails_gives_nothing_and_no_error(
    chat: httpx.Client, model: ScriptedModel, user: str, behaviour: Any
) -> None:
    before = failures(chat)
    model.always(behaviour, on="observations")
    read = extract(chat, user, OUTPUT)
    model.always(None, on="observations")
    assert read == {"outcome": "failed", "model": "gpt-4o-mini", "findings": [], "insights": [], "lessons": []}
    assert listed(chat, user) == []
    assert failures(chat) == before + 1


def failures(api: httpx.Client) -> float:
    name = "loci_observation_failures_total"
    lines = api.get("/metrics").text.splitlines()
    return float(next(line for line in lines if line.startswith(name + " ")).split()[1])


@pytest.mark.parametrize("body", [{}, {"step_name": ""}, {"step_type": " "}, {"output": None}, {"outputs": "x"}])
def test_bad_steps_are_refused(api: httpx.Client, user: str, body: dict[str, Any]) -> None:
    right = {"user_id": user, "step_name": "a", "step_type": "RUN", "output": OUTPUT}
    problem(api.post("/v1/observations/extract", json={**right, **body} if body else {"user_id": user}), 422)


SAID = [
    {"role": "user", "content": "How should we handle auth? I like simple things."},
    {"role": "assistant", "content": "We decided to use OAuth2, since the gateway speaks it. Anything else?"},
    {"role": "user", "content": "We learned that the tokens expire after an hour."},
    {"role": "assistant", "content": "To sum up: the gateway checks OAuth2 tokens, " + "and so on, " * 10 + "done."},
    {"role": "assistant", "content": "Bye!"},
]


def consolidate(api: httpx.Client, user: str, session: str, **body: Any) -> dict[str, Any]:
    found = api.post(f"/v1/sessions/{session}/consolidate", json={"user_id": user, **body})
    assert found.status_code == 200, found.text
    done: dict[str, Any] = found.json()
    return done


def test_a_session_is_consolidated_once(api: httpx.Client, user: str) -> None:
    session = f"{user}-s"
    api.post("/v1/messages", json={"user_id": user, "session_id": session, "messages": SAID})
    done = consolidate(api, user, session)
    assert texts(done["insights"]) == ["We decided to use OAuth2, since the gateway speaks it."]
    assert texts(done["lessons"]) == ["We learned that the tokens expire after an hour."]
    assert done["summary"]["content"] == SAID[3]["content"].strip()
    assert done["added"] == 3
    assert consolidate(api, user, session) == {**done, "added": 0}
    assert {(item["source"], item["model"]) for item in listed(api, user)} == {(f"session:{session}", "rule_based")}
    assert texts(recalled(api, user, "when do tokens expire", category="lesson")) == texts(done["lessons"])


def test_a_session_without_a_body_is_consolidated(api: httpx.Client) -> None:
    api.post("/v1/messages", json={"session_id": "bodiless", "messages": SAID})
    assert api.post("/v1/sessions/bodiless/consolidate").json()["added"] == 3
    assert api.delete("/v1/sessions/bodiless").json()["deleted"]["observations"] == 3


def test_messages_that_come_along_are_consolidated_instead(api: httpx.Client, user: str) -> None:
    session = f"{user}-t"
    done = consolidate(api, user, session, messages=SAID)
    assert done["added"] == 3
    assert consolidate(api, user, session, messages=[])["added"] == 0
    deleted = api.delete(f"/v1/sessions/{session}", params={"user_id": user})
    assert deleted.json()["deleted"]["observations"] == 3
    assert listed(api, user) == recalled(api, user, "OAuth2 tokens") == []


def test_consolidating_at_once_adds_each_once(api: httpx.Client, user: str) -> None:
    session = f"{user}-u"
    api.post("/v1/messages", json={"user_id": user, "session_id": session, "messages": SAID})
    with ThreadPoolExecutor(6) as at_once:
        done = list(at_once.map(lambda _: consolidate(api, user, session), range(6)))
    assert sum(one["added"] for one in done) == len(listed(api, user)) == 3


def test_a_deleted_session_takes_what_it_left(api: httpx.Client, user: str) -> None:
    session = f"{user}-v"
    api.post("/v1/messages", json={"user_id": user, "session_id": session, "messages": SAID})
    consolidate(api, user, session)
    remember(api, user, findings=["The heron nests by the mill"])
    deleted = api.delete(f"/v1/sessions/{session}", params={"user_id": user}).json()["deleted"]
    assert (deleted["observations"], deleted["vectors"]) == (3, 5)
    assert texts(listed(api, user)) == ["The heron nests by the mill"]
    assert recalled(api, user, "OAuth2 tokens") == []
    problem(api.post(f"/v1/sessions/{session}/consolidate", json={"user_id": user}), 404)


def test_a_deleted_message_takes_what_it_alone_told(api: httpx.Client, user: str) -> None:
    session = f"{user}-w"
    said = {"role": "user", "content": "We decided on blue."}
    messages = [{"id": f"{user}-{at}", **said} for at in range(2)] + [
        {"id": f"{user}-2", "role": "user", "content": "It is agreed that the boat is called Nixe."}
    ]
    api.post("/v1/messages", json={"user_id": user, "session_id": session, "messages": messages})
    assert consolidate(api, user, session)["added"] == 2
    for at, left in ((2, ["We decided on blue."]), (0, ["We decided on blue."]), (1, [])):
        api.delete(f"/v1/sessions/{session}/messages/{user}-{at}", params={"user_id": user})
        assert texts(listed(api, user)) == left
        assert texts(recalled(api, user, "blue boat Nixe")) == left


def test_sessions_of_others_and_of_nobody_are_not_found(api: httpx.Client, user: str, other: str) -> None:
    session = f"{user}-x"
    api.post("/v1/messages", json={"user_id": user, "session_id": session, "messages": SAID})
    problem(api.post(f"/v1/sessions/{session}/consolidate", json={"user_id": other}), 404)
    problem(api.post("/v1/sessions/nobodys/consolidate", json={"user_id": user}), 404)
    problem(api.post("/v1/sessions/nobodys/consolidate", json={"user_id": user, "messages": [{"role": "x"}]}), 422)
    assert listed(api, other) == []
