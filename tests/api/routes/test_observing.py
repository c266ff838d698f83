"""Observations of outputs and sessions, over HTTP."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.checks import problem
from tests.observed import listed, recalled, remember, texts
from tests.scripted_model import ScriptedModel, answer, garbage, html, status

OUTPUT = "Deployed the billing service. The API rate limit is 100 requests per minute. Avoid library X next time."


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


def test_what_a_terminal_coloured_is_read(api: httpx.Client, user: str) -> None:
    said = "FAILED tests/test_a.py::test_one - AssertionError: 3 != 4 in the calculation"
    assert texts(extract(api, user, f"\x1b[31m{said}\x1b[0m\x07")["findings"]) == [said]
    body = {"user_id": user, "step_name": "a\x1bb", "step_type": "GOAL", "output": said}
    problem(api.post("/v1/observations/extract", json=body), 422)


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


def test_a_model_whose_answer_cannot_be_read_is_asked_once_more(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    model.script(answer("I found nothing."), answer('{"findings": ["The limit is 100/min."]}'), on="observations")
    read = extract(chat, user, OUTPUT)
    assert (read["outcome"], texts(read["findings"])) == ("observed", ["The limit is 100/min."])
    assert len(model.asked("observations")) == 2


def test_outputs_are_skipped_under_50_characters_and_cut_at_4000(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    short = extract(chat, user, "x" * 49)
    assert (short["outcome"], short["model"], short["findings"]) == ("skipped", None, [])
    assert extract(chat, user, "")["outcome"] == "skipped"
    assert model.asked("observations") == []
    assert extract(chat, user, "x" * 50)["outcome"] == "observed"
    extract(chat, user, "y" * 4_000 + "z" * 1_000)
    sent = json.loads(model.asked("observations")[-1]["messages"][1]["content"])["output"]
    assert len(sent) <= 4_000 and sent.startswith("yy") and sent.endswith("zz")


@pytest.mark.parametrize(
    "behaviour",
    [
        answer("I found nothing."),
        answer('{"findings": "one"}'),
        answer('{"findings": [1]}'),
        answer("[]"),
        answer('{"found": ["The limit is 100/min."]}'),
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


def test_what_is_counted_is_what_is_given(api: httpx.Client, user: str) -> None:
    said = [
        {"role": "user", "content": "Finding: the disk of db-2 is 97% full"},
        {"role": "assistant", "content": "Note that the retention is 14 days. We learned that the job runs at 03:00."},
        {"role": "user", "content": "Lessons:\n- never deploy on Friday\n- check the pool first\n\nThanks"},
        {"role": "assistant", "content": "We have not decided yet whether to use Redis. It is important."},
        {"role": "assistant", "content": f"We decided to use SQLite, because one machine is enough{', so far' * 9}."},
    ]
    done = consolidate(api, user, f"{user}-c", messages=said)
    assert texts(done["findings"]) == ["the disk of db-2 is 97% full"]
    assert [one for one in texts(done["insights"]) if "Redis" in one] == []
    every = [*done["findings"], *done["insights"], *done["lessons"], done["summary"]]
    ids = {one["id"] for one in every}
    assert done["added"] == len(ids) == len(listed(api, user))
    assert ids == {one["id"] for one in listed(api, user)}


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
