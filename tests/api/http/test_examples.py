"""The examples that `/openapi.json` has, and `/docs` offers to try."""

import json
from collections.abc import Callable
from typing import Any

import httpx

from tests.checks import bearer

ADMIN = "an-admin-key-of-the-test"
WITHOUT_BODY = (
    "/v1/answers/{turn_id}/stop",  # which needs one that is under way
    "/v1/admin/jobs/retry",
    "/v1/admin/jobs/{kind}/{job_id}/retry",
    "/v1/admin/keys/{key_id}/rotate",
    "/v1/responses/{response_id}/cancel",  # which is refused, for no response goes on in the background
)
PLACES = {
    "session_id": "monday",
    "key": "gate",
    "project": "orchard",
    "user_id": "default",
    "type": "project",
    "id": "orchard",
}


def test_each_route_that_takes_a_body_takes_its_example(serve: Callable[..., str]) -> None:
    with httpx.Client(base_url=serve(admin_key=ADMIN), timeout=30) as api:
        paths: dict[str, dict[str, Any]] = api.get("/openapi.json").json()["paths"]
        made: dict[str, str] = {}
        for path, operations in sorted(paths.items(), key=lambda one: "/keys" in one[0]):  # the first key is needed on
            if path in WITHOUT_BODY:
                continue
            for method in sorted(operations.keys() & {"post", "put", "patch"}, reverse=True):
                [(kind, content)] = operations[method]["requestBody"]["content"].items()
                example = content["example"]
                body = example if isinstance(example, str) else json.dumps(example)
                places = PLACES | made
                if "{message_id}" in path:
                    said = api.get(f"/v1/sessions/{PLACES['session_id']}/messages").json()["items"]
                    places["message_id"] = said[0]["id"]
                if "{fact_id}" in path + body:
                    places["fact_id"] = api.get("/v1/facts").json()["items"][0]["id"]
                for name, value in places.items():
                    path, body = path.replace(f"{{{name}}}", value), body.replace(f"{{{name}}}", value)
                headers = {"content-type": kind} | (bearer(ADMIN) if "/admin/" in path else {})
                answer = api.request(method, path, content=body, headers=headers)
                assert answer.is_success, (method, path, answer.text)
                if path == "/v1/conversations":
                    made["conversation_id"] = answer.json()["id"]
