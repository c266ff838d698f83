"""A user's key/value facts."""

from urllib.parse import quote, unquote

import httpx
import pytest

from tests.api.queries import ask, messages_of
from tests.api.said import every, search
from tests.checks import at_once, problem


def put(api: httpx.Client, user: str, key: str, value: str, if_match: str | None = None) -> httpx.Response:
    headers = {} if if_match is None else {"If-Match": if_match.encode("latin-1")}
    return api.put(f"/v1/memories/{key}", params={"user_id": user}, json={"value": value}, headers=headers)


def test_a_new_key_is_201_and_a_changed_one_200(api: httpx.Client, user: str) -> None:
    first = put(api, user, "dog", "Biscuit")
    assert first.status_code == 201
    assert first.json().keys() == {"key", "value", "updated_at", "tokenCount"}
    second = put(api, user, "dog", "Rex")
    assert second.status_code == 200
    assert first.headers["etag"] != second.headers["etag"]
    found = api.get("/v1/memories/dog", params={"user_id": user})
    assert (found.json()["value"], found.json()["tokenCount"]) == ("Rex", 1)
    assert found.headers["etag"] == second.headers["etag"]


def test_the_same_value_again_changes_nothing(api: httpx.Client, user: str) -> None:
    first = put(api, user, "dog", "Biscuit")
    again = put(api, user, "dog", "Biscuit")
    assert (again.status_code, again.headers["etag"]) == (200, first.headers["etag"])
    assert again.json() == first.json()


def test_if_match_guards_against_a_lost_update(api: httpx.Client, user: str) -> None:
    etag = put(api, user, "dog", "Biscuit").headers["etag"]
    assert put(api, user, "dog", "Rex", etag).status_code == 200
    problem(put(api, user, "dog", "Lassie", etag), 412)
    assert api.get("/v1/memories/dog", params={"user_id": user}).json()["value"] == "Rex"
    problem(api.delete("/v1/memories/dog", params={"user_id": user}, headers={"If-Match": etag}), 412)
    assert put(api, user, "dog", "Lassie", "*").status_code == 200


def test_if_match_never_makes_a_key(api: httpx.Client, user: str) -> None:
    problem(put(api, user, "dog", "Biscuit", '"1-0"'), 412)
    problem(put(api, user, "dog", "Biscuit", "*"), 412)
    problem(api.get("/v1/memories/dog", params={"user_id": user}), 404)


@pytest.mark.parametrize("if_match", ["1-a", "", ",", "-1", '"', '"one', 'one"', "W/one", '"a" "b"', '*, "a"', 'w/"a"'])
def test_what_is_no_etag_is_refused(api: httpx.Client, user: str, if_match: str) -> None:
    put(api, user, "dog", "Biscuit")
    problem(put(api, user, "dog", "Rex", if_match), 400)
    problem(api.delete("/v1/memories/dog", params={"user_id": user}, headers={"If-Match": if_match}), 400)
    assert api.get("/v1/memories/dog", params={"user_id": user}).json()["value"] == "Biscuit"


@pytest.mark.parametrize(
    "if_match", ['"0000"', '"abc"', '""', '"1"', 'W/"1-a"', '"1-a", "2-a"', '"a,b" , ,"c"', '"9999999999999-a"', '"é"']
)
def test_an_etag_that_no_response_gave_is_not_in_force(api: httpx.Client, user: str, if_match: str) -> None:
    problem(put(api, user, "cat", "Tom", if_match), 412)
    put(api, user, "dog", "Biscuit")
    problem(put(api, user, "dog", "Rex", if_match), 412)
    headers = {"If-Match": if_match.encode("latin-1")}
    problem(api.delete("/v1/memories/dog", params={"user_id": user}, headers=headers), 412)
    problem(api.delete("/v1/memories/cat", params={"user_id": user}, headers=headers), 404)
    assert api.get("/v1/memories/dog", params={"user_id": user}).json()["value"] == "Biscuit"


def test_one_of_several_etags_is_enough(api: httpx.Client, user: str) -> None:
    first = put(api, user, "dog", "Biscuit").headers["etag"]
    second = put(api, user, "dog", "Rex").headers["etag"]
    third = put(api, user, "dog", "Lassie", f'"abc", {first},{second}').headers["etag"]
    problem(put(api, user, "dog", "Tom", f"{first}, {second}"), 412)
    problem(put(api, user, "dog", "Tom", f"W/{third}"), 412)
    headers = {"If-Match": f"{first}, {third}"}
    assert api.delete("/v1/memories/dog", params={"user_id": user}, headers=headers).status_code == 200


def test_an_etag_of_before_a_deletion_is_not_in_force_again(api: httpx.Client, user: str) -> None:
    etag = put(api, user, "dog", "Biscuit").headers["etag"]
    assert api.delete("/v1/memories/dog", params={"user_id": user}, headers={"If-Match": etag}).status_code == 200
    assert put(api, user, "dog", "Rex").headers["etag"] != etag
    problem(put(api, user, "dog", "Lassie", etag), 412)


def test_if_none_match_makes_a_key_and_changes_none(api: httpx.Client, user: str) -> None:
    def make(value: str, **headers: str) -> httpx.Response:
        at = {"params": {"user_id": user}, "json": {"value": value}}
        return api.put("/v1/memories/dog", headers={name.replace("_", "-"): v for name, v in headers.items()}, **at)

    assert make("Biscuit", If_None_Match="*").status_code == 201
    problem(make("Rex", If_None_Match="*"), 412)
    problem(make("Rex", If_None_Match='"1-a"'), 400)
    problem(make("Rex", If_None_Match="*", If_Match="*"), 400)
    assert api.get("/v1/memories/dog", params={"user_id": user}).json()["value"] == "Biscuit"


def test_of_two_writers_with_the_same_etag_one_wins(api: httpx.Client, user: str) -> None:
    etag = put(api, user, "dog", "Biscuit").headers["etag"]
    answers = at_once(lambda number: put(api, user, "dog", f"Rex {number}", etag).status_code, 8)
    assert sorted(answers) == [200] + [412] * 7


def test_the_history_has_every_value_the_present_one_first(api: httpx.Client, user: str) -> None:
    for value in ("Biscuit", "Rex", "Lassie"):
        put(api, user, "dog", value)
    items = api.get("/v1/memories/dog/history", params={"user_id": user}).json()["items"]
    assert [item["value"] for item in items] == ["Lassie", "Rex", "Biscuit"]
    assert [item["updated_at"] for item in items] == sorted((item["updated_at"] for item in items), reverse=True)


def test_a_deleted_key_is_gone_with_its_history(api: httpx.Client, user: str) -> None:
    put(api, user, "dog", "Biscuit")
    assert api.delete("/v1/memories/dog", params={"user_id": user}).json() == {"deleted": {"memories": 1}}
    problem(api.delete("/v1/memories/dog", params={"user_id": user}), 404)
    problem(api.get("/v1/memories/dog/history", params={"user_id": user}), 404)
    assert put(api, user, "dog", "Rex").status_code == 201
    assert len(api.get("/v1/memories/dog/history", params={"user_id": user}).json()["items"]) == 1


def test_keys_are_paged_the_newest_first(api: httpx.Client, user: str) -> None:
    for number in range(7):
        put(api, user, f"key {number}", "value")
    found = every(api, "/v1/memories", 3, user_id=user)
    assert [item["key"] for item in found] == [f"key {number}" for number in reversed(range(7))]


@pytest.mark.parametrize("key", ["home/address", "/", "a//b/", "24/7 hotline", "history", "a/history/b", "100%25"])
def test_a_key_may_hold_slashes(api: httpx.Client, user: str, key: str) -> None:
    assert put(api, user, key, "here").status_code == 201
    assert put(api, user, key, "there").status_code == 200
    kept = api.get(f"/v1/memories/{key}", params={"user_id": user}).json()
    assert (kept["key"], kept["value"]) == (unquote(key), "there")
    history = api.get(f"/v1/memories/{quote(unquote(key), safe='')}/history", params={"user_id": user}).json()
    assert [item["value"] for item in history["items"]] == ["there", "here"]
    assert api.delete(f"/v1/memories/{key}", params={"user_id": user}).status_code == 200
    assert api.get("/v1/memories", params={"user_id": user}).json()["items"] == []


@pytest.mark.parametrize("key", ["a/history", "%2E%2E", "a/%2E%2E/b", "a%0Ab", "%20", "x" * 201])
def test_a_key_that_could_not_be_asked_for_is_refused(api: httpx.Client, user: str, key: str) -> None:
    problem(put(api, user, key, "here"), 422)
    assert api.get("/v1/memories", params={"user_id": user}).json()["items"] == []


def test_a_key_is_its_owners_alone(api: httpx.Client, user: str, other: str) -> None:
    put(api, user, "dog", "Biscuit")
    problem(api.get("/v1/memories/dog", params={"user_id": other}), 404)
    problem(api.delete("/v1/memories/dog", params={"user_id": other}), 404)
    assert put(api, other, "dog", "Rex").status_code == 201
    assert api.get("/v1/memories/dog", params={"user_id": user}).json()["value"] == "Biscuit"
    assert api.get("/v1/memories", params={"user_id": other}).json()["items"][0]["value"] == "Rex"


def test_what_the_user_asks_to_remember_stands_under_a_key(api: httpx.Client, user: str) -> None:
    api.post("/query", json={"query": "Remember that my dog is called Biscuit", "user_id": user})
    assert api.get("/v1/memories/dog", params={"user_id": user}).json()["value"] == "Biscuit"


@pytest.mark.parametrize("body", [{}, {"value": ""}, {"value": " "}, {"value": 5}, {"value": "x" * 20_001}, [], None])
def test_a_value_that_is_none_is_refused(api: httpx.Client, user: str, body: object) -> None:
    problem(api.put("/v1/memories/dog", params={"user_id": user}, json=body), 422)
    problem(api.get("/v1/memories/dog", params={"user_id": user}), 404)


def test_a_key_that_had_many_long_values_is_forgotten_whole(api: httpx.Client, user: str) -> None:
    values = [f"Version {at}: {f'the hedge and the heron {at} ' * 76}".strip() for at in range(12)]
    assert all(1_900 < len(value) < 2_200 for value in values)
    for at, value in enumerate(values):
        said = ask(api, user, f"remember that my essay is {value}", session_id=f"s{at % 3}")
        assert said["response"].startswith("I'll remember: essay: Version")
    ask(api, user, "My dog is called Rex.", session_id="s0")
    assert len(api.get("/v1/memories/essay/history", params={"user_id": user}).json()["items"]) == 12
    answer = ask(api, user, "forget my essay", session_id="last")["response"]
    assert answer == "I have forgotten “essay” and the messages in which you told me."
    assert api.get("/v1/memories", params={"user_id": user}).json()["items"] == []
    left = {session: messages_of(api, user, session) for session in ("s0", "s1", "s2", "last")}
    assert [one["content"] for one in left["s0"]][:1] == ["My dog is called Rex."]
    assert "heron" not in str(left) and left["s1"] == left["s2"] == []
    assert not any("heron" in one["content"] for one in search(api, user, values[3]))
