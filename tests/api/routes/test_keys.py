"""An admin's view of API keys: made, listed, rotated, revoked."""

from collections.abc import Callable

import httpx
import pytest

from tests.checks import bearer, problem

ADMIN = "key-of-the-admin-1"


@pytest.fixture
def admin(serve: Callable[..., str]) -> httpx.Client:
    return httpx.Client(
        base_url=serve(api_keys="alice:key-of-alice", admin_key=ADMIN), headers=bearer(ADMIN), timeout=30
    )


def made(admin: httpx.Client, **asked: object) -> str:
    """A new key."""
    answer = admin.post("/v1/admin/keys", json=asked)
    assert answer.status_code == 201, answer.text
    key: str = answer.json()["key"]
    return key


def status(admin: httpx.Client, key: str, **headers: str) -> int:
    """What a request of users is answered with by a key."""
    return httpx.get(f"{admin.base_url}/v1/sessions", headers=bearer(key) | headers).status_code


def test_a_key_is_made_shown_by_its_beginning_alone_rotated_and_revoked(admin: httpx.Client) -> None:
    key = made(admin, user_id="ann", name="phone")
    assert status(admin, key) == 200
    listed = admin.get("/v1/admin/keys")
    assert key not in listed.text
    configured, own = listed.json()["items"][0], listed.json()["items"][-1]
    assert (configured["user_id"], configured["configured"]) == ("alice", True)
    assert key.startswith(own["id"]) and own["used_at"] is not None
    assert (own["user_id"], own["name"], own["acts_for_users"], own["configured"]) == ("ann", "phone", False, False)

    other = admin.post(f"/v1/admin/keys/{own['id']}/rotate").raise_for_status().json()["key"]
    assert (status(admin, key), status(admin, other)) == (401, 200)
    assert admin.delete(f"/v1/admin/keys/{other[:13]}").json() == {"deleted": {"api_keys": 1}}
    assert status(admin, other) == 401
    problem(admin.delete(f"/v1/admin/keys/{other[:13]}"), 404)
    problem(admin.post(f"/v1/admin/keys/{configured['id']}/rotate"), 404)
    assert status(admin, "key-of-alice") == 200


def test_a_key_that_acts_for_users_needs_one_named(admin: httpx.Client) -> None:
    key = made(admin, acts_for_users=True)
    assert (status(admin, key), status(admin, key, **{"X-Loci-User": "bob"})) == (400, 200)


@pytest.mark.parametrize(
    "body", [{}, {"user_id": "ann", "acts_for_users": True}, {"user_id": ""}, {"user_id": "ann", "name": "a\nb"}]
)
def test_a_key_is_of_a_user_or_acts_for_users(admin: httpx.Client, body: dict[str, object]) -> None:
    before = admin.get("/v1/admin/keys").json()
    problem(admin.post("/v1/admin/keys", json=body), 422)
    assert admin.get("/v1/admin/keys").json() == before


def test_what_is_done_to_keys_stands_in_the_audit_log_and_no_key_does(admin: httpx.Client) -> None:
    key = made(admin, user_id="carol")
    admin.delete(f"/v1/admin/keys/{key[:13]}").raise_for_status()
    log = admin.get("/v1/admin/audit")
    actions = [(one["action"], one["detail"]) for one in log.json()["items"]]
    assert ("DELETE /v1/admin/keys/{key_id}", f"key_id {key[:13]}") in actions
    assert ("POST /v1/admin/keys", None) in actions
    assert key not in log.text


def test_without_an_admin_key_the_first_key_is_not_made_here(serve: Callable[..., str]) -> None:
    with httpx.Client(base_url=serve(), timeout=30) as anybody:
        problem(anybody.post("/v1/admin/keys", json={"user_id": "ann"}), 409)
        assert anybody.get("/v1/admin/keys").json() == {"items": []}
        assert anybody.get("/v1/sessions").status_code == 200
