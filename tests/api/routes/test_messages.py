"""Messages in, search out."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.api.queries import ask
from tests.api.said import every, search
from tests.checks import eventually, problem


def add(api: httpx.Client, user: str, messages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    body = {"user_id": user, "session_id": "s", "messages": messages, **more}
    found = api.post("/v1/messages", json=body)
    assert found.status_code == 200, found.text
    answer: dict[str, Any] = found.json()
    assert answer.keys() == {"accepted", "duplicates", "rejected", "ids"}
    return answer


def test_a_search_tells_how_a_misspelt_word_was_read(api: httpx.Client, user: str) -> None:
    add(api, user, [say("The allotment is behind the mill.")], wait=True)
    found = api.post("/v1/search", json={"user_id": user, "query": "Where is the alotment?"}).json()
    assert found["searched"] == "Where is the allotment?"
    assert found["items"] == search(api, user, "Where is the allotment?")


def say(content: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **more}


def listed(api: httpx.Client, user: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = api.get("/v1/sessions/s/messages", params={"user_id": user}).json()["items"]
    return items


def test_messages_that_are_waited_for_can_be_found_at_once(api: httpx.Client, user: str) -> None:
    answer = add(api, user, [say("The heron nests by the mill."), say("Bread and butter.")], wait=True)
    assert (answer["accepted"], answer["duplicates"]) == (2, 0)
    assert search(api, user, "Where does the heron nest?")[0]["id"] == answer["ids"][0]


def test_messages_that_are_not_waited_for_can_be_found_soon(api: httpx.Client, user: str) -> None:
    ids = add(api, user, [say("The heron nests by the mill.")])["ids"]
    assert eventually(lambda: search(api, user, "Where does the heron nest?"))[0]["id"] == ids[0]


def test_names_roles_ids_and_times_are_kept_as_given(api: httpx.Client, user: str) -> None:
    messages = [
        say("Hello", id="m/1 ü", name="Caroline", timestamp="2023-05-08T13:56:00+02:00"),
        {"role": "assistant", "content": "Hi", "timestamp": "2023-05-08T11:57:00"},
        {"role": "tool", "content": "42", "timestamp": "2023-05-08"},
        {"role": "system", "content": "Be kind"},
    ]
    answer = add(api, user, messages)
    found = listed(api, user)
    assert [item["id"] for item in found] == answer["ids"]
    assert found[0]["id"] == "m/1 ü"
    assert [item["role"] for item in found] == ["user", "assistant", "tool", "system"]
    assert [item["name"] for item in found] == ["Caroline", None, None, None]
    times = ["2023-05-08T11:56:00Z", "2023-05-08T11:57:00Z", "2023-05-08T00:00:00Z"]
    assert [item["timestamp"] for item in found][:3] == times
    assert [item["message_index"] for item in found] == [0, 1, 2, 3]


def test_repeated_ids_are_no_ops(api: httpx.Client, user: str) -> None:
    first = add(api, user, [say("One", id=f"{user}-1"), say("Two", id=f"{user}-2"), say("Again", id=f"{user}-1")])
    assert (first["accepted"], first["duplicates"]) == (2, 1)
    assert first["ids"] == [f"{user}-1", f"{user}-2", f"{user}-1"]
    second = add(api, user, [say("Other words", id=f"{user}-1"), say("Three", id=f"{user}-3")])
    assert (second["accepted"], second["duplicates"]) == (1, 1)
    assert [item["content"] for item in listed(api, user)] == ["One", "Two", "Three"]


def test_a_thousand_messages_fit_in_a_call_and_one_more_does_not(api: httpx.Client, user: str) -> None:
    messages = [say(f"Message {number}") for number in range(1_001)]
    problem(api.post("/v1/messages", json={"user_id": user, "session_id": "s", "messages": messages}), 422)
    problem(api.get("/v1/sessions/s", params={"user_id": user}), 404)
    answer = add(api, user, messages[:1_000])
    assert answer["accepted"] == len(set(answer["ids"])) == 1_000
    assert api.get("/v1/sessions/s", params={"user_id": user}).json()["message_count"] == 1_000
    api.delete(f"/v1/users/{user}")


@pytest.mark.parametrize(
    "timestamp", ["1700000000", 1700000000, "yesterday", "1066-10-14T12:00:00Z", "9999-12-31", "2023-13-01", True, ""]
)
def test_a_time_that_is_none_is_refused(api: httpx.Client, user: str, timestamp: object) -> None:
    [refused] = add(api, user, [say("Hello", timestamp=timestamp)])["rejected"]
    assert (refused["index"], refused["id"]) == (0, None)
    assert refused["reason"].startswith("timestamp: ")


def test_a_search_tells_every_part_of_its_scores(api: httpx.Client, user: str) -> None:
    add(api, user, [say("The heron nests by the mill."), say("The mill burned down in 1911.")], wait=True)
    items = search(api, user, "Where is the mill?", recency_weight=0.2, mmr_lambda=0.7)
    assert len(items) == 2
    for item in items:
        assert item.keys() == {"id", "kind", "role", "content", "score", "session_id", "timestamp", "explain"}
        assert item["kind"] == "turn"
        parts = item["explain"]
        assert parts.keys() == {"dense", "bm25", "fused", "rerank", "recency", "mmr"}
        assert 0 <= item["score"] <= 1
        assert parts["recency"] == pytest.approx(1, abs=1e-3)
        assert parts["mmr"] is not None
        assert parts["dense"] is not None
        assert 0 < parts["bm25"] < 1 and 0 < parts["fused"] < 1
        assert item["score"] == pytest.approx(0.8 * parts["fused"] + 0.2 * parts["recency"], abs=1e-3)
        assert parts["rerank"] is None


def test_top_k_and_min_score_bound_what_is_found(api: httpx.Client, user: str) -> None:
    add(api, user, [say(f"The heron number {number} nests by the mill.") for number in range(10)], wait=True)
    add(api, user, [say("Bread and butter.")], wait=True)
    assert len(search(api, user, "Where do herons nest?")) == 8
    assert len(search(api, user, "Where do herons nest?", top_k=3)) == 3
    assert len(search(api, user, "Where do herons nest?", top_k=50)) == 11
    every = search(api, user, "Where do herons nest?", top_k=50, min_score=0.03)
    assert len(every) == 10
    assert search(api, user, "Where do herons nest?", min_score=1) == []


def test_a_search_may_be_kept_to_a_session_a_kind_and_a_time(api: httpx.Client, user: str) -> None:
    body = [say("The heron nests by the mill.", timestamp="2024-01-01T00:00:00Z")]
    add(api, user, body, wait=True)
    body = [say("The heron left the mill.", timestamp="2024-06-01T18:00:00Z")]
    add(api, user, body, session_id="t", wait=True)

    def sessions(**more: Any) -> list[str]:
        return sorted(item["session_id"] for item in search(api, user, "the heron at the mill", **more))

    assert sessions() == ["s", "t"]
    assert sessions(session_id="t") == ["t"]
    assert sessions(session_id="nowhere") == []
    assert sessions(kinds=["turn"]) == ["s", "t"]
    assert sessions(kinds=["fact", "lesson"]) == []
    assert sessions(since="2024-03-01T00:00:00Z") == ["t"]
    assert sessions(until="2024-03-01T00:00:00Z") == ["s"]
    assert sessions(since="2024-06-01", until="2024-06-01") == ["t"]  # a day to its end
    assert sessions(since="2024-06-01", until="2024-06-01T12:00:00Z") == []
    assert sessions(since="2024-02-01T00:00:00Z", until="2024-03-01T00:00:00Z") == []
    assert sessions(since="2024-01-01T00:00:00+00:00", until="2024-01-01T00:00:00Z") == ["s"]


def test_a_search_finds_nothing_of_another_user(api: httpx.Client, user: str, other: str) -> None:
    add(api, user, [say("My safe opens with 7391.")], wait=True)
    assert search(api, other, "My safe opens with 7391.") == []
    add(api, other, [say("My safe has no code.")], wait=True)
    assert [item["content"] for item in search(api, other, "What opens my safe?")] == ["My safe has no code."]


def test_what_is_deleted_is_not_found_any_more(api: httpx.Client, user: str) -> None:
    add(api, user, [say("The heron nests by the mill.")], wait=True)
    assert search(api, user, "heron")
    api.delete("/v1/sessions/s", params={"user_id": user})
    assert search(api, user, "heron") == []


MARK = "xyzzy-the-input"  # stands in every refused message, and must not come back


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        *((say(MARK + text), "content: a string has control characters") for text in "\0\x1b\x9b\x07"),
        (say(MARK + "\ud800"), "content: a string has lone surrogates"),
        (say("Hello", name="\udfff"), "name: a string has lone surrogates"),
        (say("Hello", name="Ada\nadmin"), "name: must be of one line, without tabs and control characters"),
        (say(" "), "content: must not be blank"),
        (say("x" * 1_000_001), "content: String should have at most 1000000 characters"),
        (say("Hello", id={"$gt": MARK}), "id: Input should be a valid string"),
        (say(MARK, id=""), "id: must not be empty"),
        (say("Hello", kind=MARK), "kind: unknown field"),
        ({"role": "User", "content": MARK}, "role: Input should be 'system', 'user', 'assistant' or 'tool'"),
        ({"role": "user", "content": float("nan")}, "content: Input should be a valid string"),
        ({"role": "user", "content": 10**400}, "An integer has more than 64 bits"),
        (MARK, "Input should be a valid dictionary or instance of MessageIn"),
        (None, "Input should be a valid dictionary or instance of MessageIn"),
    ],
)
def test_a_message_that_is_refused_refuses_no_other(api: httpx.Client, user: str, wrong: Any, reason: str) -> None:
    messages = [say("First"), wrong, say("Last", id=f"{user}-last")]
    body = json.dumps({"user_id": user, "session_id": "s", "messages": messages})
    found = api.post("/v1/messages", content=body, headers={"content-type": "application/json"})
    assert found.status_code == 200, found.text
    answer = found.json()
    assert (answer["accepted"], answer["duplicates"], answer["ids"][1:]) == (2, 0, [f"{user}-last"])
    assert answer["rejected"] == [{"index": 1, "id": None, "reason": reason}]
    assert MARK not in found.text
    assert [item["content"] for item in listed(api, user)] == ["First", "Last"]


def test_of_five_hundred_messages_odd_ones_refuse_no_other(api: httpx.Client, user: str) -> None:
    texts = [f"Item {at} is on shelf {at * 7}." for at in range(500)]
    odd = {7: "The heron\fnests.", 8: "The heron\x85nests.", 250: "word " * 49_999 + "words", 400: f"{MARK}\0"}
    answer = add(api, user, [say(odd.get(at, text)) for at, text in enumerate(texts)])
    assert (answer["accepted"], len(answer["ids"])) == (499, 499)
    assert [one["index"] for one in answer["rejected"]] == [400]
    kept = [item["content"] for item in every(api, "/v1/sessions/s/messages", 200, user_id=user)]
    blank = {7: "The heron nests.", 8: "The heron nests."}
    assert kept == [(odd | blank).get(at, text) for at, text in enumerate(texts) if at != 400]
    assert len(kept[250]) == 250_000


def test_thoughts_of_an_assistant_are_not_kept_nor_found(api: httpx.Client, user: str) -> None:
    thought = "<think>\nThey keep {a: falcon} in the belfry.\n</think>\n\n"
    add(api, user, [say("Hello."), {"role": "assistant", "content": f"{thought}A fine bird."}], wait=True)
    assert [item["content"] for item in listed(api, user)] == ["Hello.", "A fine bird."]
    found = search(api, user, "Who keeps a falcon in the belfry?")
    assert not any("falcon" in item["content"] for item in found)


def test_where_all_are_refused_nothing_is_made_and_their_ids_are_told(api: httpx.Client, user: str) -> None:
    answer = add(api, user, [say("a\0b", id="page-1"), say("")])
    assert (answer["accepted"], answer["ids"]) == (0, [])
    assert [(one["index"], one["id"]) for one in answer["rejected"]] == [(0, "page-1"), (1, None)]
    assert api.get("/v1/sessions", params={"user_id": user}).json()["items"] == []


def test_imports_of_one_message_at_once_leave_no_empty_session(api: httpx.Client, user: str) -> None:
    for attempt in range(10):
        message = say("Twice", id=f"{user}-{attempt}")
        with ThreadPoolExecutor(3) as threads:
            for session in "abc":
                body = {"user_id": user, "session_id": f"{session}{attempt}", "messages": [message]}
                threads.submit(api.post, "/v1/messages", json=body)
    sessions = api.get("/v1/sessions", params={"user_id": user}).json()["items"]
    assert [one["message_count"] for one in sessions] == [1] * 10


def test_the_longest_message_is_kept_whole_and_found(api: httpx.Client, user: str) -> None:
    said = f"The minutes follow.{' ' * 499_000}Ottilie plays the theremin."
    said += " " * (1_000_000 - len(said) - 1) + "."
    assert add(api, user, [say(said)], wait=True)["accepted"] == 1
    assert [one["content"] for one in listed(api, user)] == [said]
    assert "Ottilie plays the theremin." in ask(api, user, "What does Ottilie play?")["response"]


def test_a_long_message_is_kept_whole_and_found_by_each_of_its_parts(api: httpx.Client, user: str) -> None:
    filler = "The minutes of the gardening club go on about compost, hedges and the rota of the tea kitchen. "
    told = ("The lighthouse of Vardø was painted green.", "Ottilie plays the theremin.", "The beehives face south.")
    long = "".join(f"{filler * 160}{one} " for one in told)
    ids = add(api, user, [say("My cat is called Ada."), say(long), say("I like the sea.")], wait=True)["ids"]
    assert listed(api, user)[1]["content"] == long
    for asked in ("What colour is the lighthouse of Vardø?", "What does Ottilie play?", "Where do the beehives face?"):
        found = search(api, user, asked)
        assert [one["id"] for one in found].count(ids[1]) == 1
        assert found[0]["id"] == ids[1], asked
    api.delete("/v1/sessions/s", params={"user_id": user})
    assert search(api, user, "What does Ottilie play?") == []
