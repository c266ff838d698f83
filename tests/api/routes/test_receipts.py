"""Receipts of answers: what was considered, used and spent, and why something was not."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.api.queries import ask, embedded, messages_of
from tests.checks import problem
from tests.scripted_model import ScriptedModel, answer


def test_a_receipt_tells_what_was_considered_used_and_spent(
    chat: httpx.Client, model: ScriptedModel, user: str
) -> None:
    facts = [f"The harbour crane number {number} is painted blue." for number in range(7)]
    ids = embedded(chat, user, *facts, "Bread.", facts[0])
    body = ask(chat, user, "Which harbour crane is painted blue?", prompt="table")
    receipt = chat.get(f"/v1/receipts/{body['turn_id']}", params={"user_id": user}).json()
    assert receipt["turn_id"] == body["turn_id"]
    assert receipt["session_id"] == body["session_id"]
    assert receipt["usage"] == body["usage"]
    assert receipt["query"] == "Which harbour crane is painted blue?"
    assert receipt["agents_used"] == body["agents_used"]
    assert sum(entry["tokens"] for entry in receipt["ledger"]) == body["usage"]["prompt_tokens"]
    sent = "".join(message["content"] for message in model.asked("chat")[-1]["messages"])
    assert sum(entry["characters"] for entry in receipt["ledger"]) == len(sent)
    used = [one["id"] for one in receipt["considered"] if one["used"]]
    assert used
    assert set(used) == {one["id"] for one in receipt["used"] if one["section"] == "similar"}
    dropped = {one["id"]: one["dropped"] for one in receipt["considered"] if not one["used"]}
    assert set(used) | set(dropped) == set(ids)
    assert set(dropped.values()) == {"duplicate", "budget"}
    assert len(receipt["messages"]) == 2
    assert {message["id"] for message in messages_of(chat, user, body["session_id"])} == set(receipt["messages"])


def test_messages_say_which_sources_an_answer_cites(chat: httpx.Client, model: ScriptedModel, user: str) -> None:
    embedded(chat, user, "The harbour crane is painted blue.")
    model.script(answer("Blue [1], as x[77] says, not [78, 1]."), about="Which harbour crane is painted blue?")
    session = ask(chat, user, "Which harbour crane is painted blue?")["session_id"]
    prompt, response = messages_of(chat, user, session)
    assert (prompt["cites"], response["cites"]) == ([], [1])
    one = chat.get(f"/v1/sessions/{session}/messages/{response['id']}", params={"user_id": user}).json()
    assert one == response


def test_a_receipt_tells_what_was_too_unlike_the_question(serve: Callable[..., str], user: str) -> None:
    with httpx.Client(base_url=serve(query_recipe="query-cosine"), timeout=30) as client:
        ids = embedded(client, user, "The harbour crane number 7 is painted blue.", "Bread.")
        body = ask(client, user, "Which harbour crane is painted blue?")
        receipt = client.get(f"/v1/receipts/{body['turn_id']}", params={"user_id": user}).json()
    assert {one["id"]: one["dropped"] for one in receipt["considered"]} == {ids[0]: None, ids[1]: "below_floor"}


def test_a_receipt_tells_why_one_message_was_not_used(api: httpx.Client, user: str, other: str) -> None:
    ids = embedded(
        api, user, *(f"The harbour crane number {number} is painted blue." for number in range(12)), "Bread."
    )
    theirs = embedded(api, other, "The harbour crane of the other user is painted blue.")
    body = ask(api, user, "Which harbour crane is painted blue?", top_k=2)
    later = embedded(api, user, "The harbour crane number 99 is painted blue.")

    def why(identifier: str) -> dict[str, Any]:
        path = f"/v1/receipts/{body['turn_id']}/why-not"
        answer = api.get(path, params={"user_id": user, "id": identifier})
        assert answer.status_code == 200, answer.text
        assert answer.json()["detail"].endswith(".")
        return answer.json()  # type: ignore[no-any-return]

    used = body["citations"][0]["id"]
    assert (why(used)["used"], why(used)["reason"], why(used)["recorded"]) == (True, "used", True)
    reasons = {why(identifier)["reason"] for identifier in ids[:12]}
    assert "top_k" in reasons and reasons <= {"used", "not_quoted", "top_k"}
    assert all(why(identifier)["place"] is not None for identifier in ids[:12])
    assert why(ids[12])["reason"] in ("below_floor", "top_k")
    assert why(later[0])["reason"] == "later"
    for unknown in (theirs[0], "never there"):
        path = f"/v1/receipts/{body['turn_id']}/why-not"
        problem(api.get(path, params={"user_id": user, "id": unknown}), 404)
    assert why(f"{body['turn_id']}.prompt")["reason"] == "own"
    problem(api.get("/v1/receipts/nothing/why-not", params={"user_id": user, "id": ids[0]}), 404)


def test_a_message_that_asks_the_same_says_so(api: httpx.Client, user: str) -> None:
    [asked, told] = embedded(api, user, "Which harbour crane is painted blue?", "The harbour crane 7 is painted blue.")
    body = ask(api, user, "Which harbour crane is painted blue?")
    path = f"/v1/receipts/{body['turn_id']}/why-not"
    why = api.get(path, params={"user_id": user, "id": asked}).json()
    assert (why["reason"], why["used"], why["recorded"]) == ("asked", False, False)
    assert api.get(path, params={"user_id": user, "id": told}).json()["reason"] == "used"


def test_what_was_said_before_and_is_dated_later_was_there_to_be_found(api: httpx.Client, user: str) -> None:
    embedded(api, user, *(f"The harbour crane number {number} is painted blue." for number in range(12)))
    planned = {"role": "user", "content": "Bread is to be bought.", "timestamp": "2100-01-01T00:00:00Z"}
    told = api.post("/v1/messages", json={"user_id": user, "session_id": "s", "messages": [planned], "wait": True})
    [identifier] = told.json()["ids"]
    body = ask(api, user, "Which harbour crane is painted blue?", top_k=2)
    params = {"user_id": user, "id": identifier}
    why = api.get(f"/v1/receipts/{body['turn_id']}/why-not", params=params).json()
    assert why["reason"] in ("below_floor", "top_k") and why["place"] == 12 and not why["recorded"]


@pytest.mark.parametrize("client", ["api", "chat"])
def test_a_receipt_names_the_observation_that_an_answer_rests_on(
    client: str, user: str, request: pytest.FixtureRequest
) -> None:
    api: httpx.Client = request.getfixturevalue(client)
    note = {"content": "The billing API allows 137 requests a minute", "category": "finding", "source": "GOAL:limits"}
    [noted] = api.post("/v1/observations", json=note | {"user_id": user}).json()["ids"]
    body = ask(api, user, "How many requests a minute does the billing API allow?", prompt="table")
    assert "137" in body["response"]
    assert [(one["kind"], one["id"]) for one in body["citations"]] == [("finding", noted)]
    path, params = f"/v1/receipts/{body['turn_id']}", {"user_id": user}
    receipt = api.get(path, params=params).json()
    [considered] = [one for one in receipt["considered"] if one["id"] == noted]
    assert considered["used"] and considered["explain"]["bm25"] == considered["score"] > 0.1
    assert [(one["id"], one["section"]) for one in receipt["used"]] == [(noted, "observations")]
    why = api.get(f"{path}/why-not", params=params | {"id": noted}).json()
    assert (why["reason"], why["place"], why["recorded"]) == ("used", 0, True)


@pytest.mark.parametrize(
    ("query", "reason", "said"),
    [
        ("Which harbour crane is painted blue?", "not_quoted", "answered from others"),
        ("Is the harbour crane afraid of my aunt Berta?", "no_answer", "nothing that was found answers"),
        ("We painted the harbour crane number 7 once more.", "no_question", "did not take the message for a question"),
    ],
)
def test_why_rules_did_not_quote_what_was_found_is_one_reason(
    api: httpx.Client, user: str, query: str, reason: str, said: str
) -> None:
    embedded(api, user, *(f"The harbour crane number {number} is painted blue." for number in range(8)))
    body = ask(api, user, query)
    path, params = f"/v1/receipts/{body['turn_id']}", {"user_id": user}
    receipt = api.get(path, params=params).json()
    [first, *_] = [one["id"] for one in receipt["considered"] if one["dropped"] == reason]
    why = api.get(f"{path}/why-not", params=params | {"id": first}).json()
    assert (why["reason"], why["recorded"]) == (reason, True)
    assert said in why["detail"] and " or none " not in why["detail"]


def test_a_message_that_rules_passed_over_since_it_asks_is_told_so(api: httpx.Client, user: str) -> None:
    asking, _ = embedded(
        api, user, "Should I hire somebody with a boat for the crane?", "Berta painted the harbour crane."
    )
    body = ask(api, user, "Who painted the harbour crane?")
    params = {"user_id": user, "id": asking}
    why = api.get(f"/v1/receipts/{body['turn_id']}/why-not", params=params).json()
    assert why["reason"] == "not_quoted" and "it asks something itself" in why["detail"]


def test_a_message_that_no_memory_was_asked_for_says_so(api: httpx.Client, user: str) -> None:
    [told] = embedded(api, user, "My locker code is 4711.")
    body = ask(api, user, "What is my locker code?", use_memory=False)
    answer = api.get(f"/v1/receipts/{body['turn_id']}/why-not", params={"user_id": user, "id": told}).json()
    assert (answer["reason"], answer["used"]) == ("memory_not_asked", False)


def test_an_answer_by_rules_costs_no_prompt(api: httpx.Client, user: str) -> None:
    body = ask(api, user, "What is the capital of my heart?")
    receipt = api.get(f"/v1/receipts/{body['turn_id']}", params={"user_id": user}).json()
    assert receipt["model"] == "rule_based"
    assert receipt["ledger"] == [] and body["usage"]["prompt_tokens"] == 0 < body["usage"]["completion_tokens"]


def test_a_receipt_is_its_owners_alone(api: httpx.Client, user: str, other: str) -> None:
    turn = ask(api, user, "hello")["turn_id"]
    assert api.get(f"/v1/receipts/{turn}", params={"user_id": user}).status_code == 200
    problem(api.get(f"/v1/receipts/{turn}", params={"user_id": other}), 404)
    problem(api.get("/v1/receipts/nothing", params={"user_id": user}), 404)


def test_a_receipt_tells_how_a_misspelt_word_was_read(api: httpx.Client, user: str) -> None:
    embedded(api, user, "The allotment is behind the mill.")

    def searched(query: str, **more: Any) -> str | None:
        turn_id = ask(api, user, query, **more)["turn_id"]
        receipt = api.get(f"/v1/receipts/{turn_id}", params={"user_id": user}).json()
        assert receipt["query"] == query
        return receipt["searched"]  # type: ignore[no-any-return]

    assert searched("Where is the alotment?") == "Where is the allotment?"
    assert searched("Where is the allotment?") is None
    assert searched("Where is the alotment?", use_memory=False) is None
