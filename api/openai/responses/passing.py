"""Requests that go to a provider which has the Responses API itself, and its responses as clients get them.

The provider is asked to store nothing: what came before is kept here, belongs to a user, and can be forgotten. So it
gets all items each time, and the ids of responses are Loci's. All else goes through as it came.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from agents.openai_responses import kind_of
from api.openai.responses.request import ResponseRequest
from api.openai.wire import Json

ENCRYPTED = "reasoning.encrypted_content"  # by which a provider that stores nothing takes up what it thought


def passed_body(
    request: ResponseRequest,
    earlier: Sequence[Mapping[str, Any]],
    given: Sequence[Mapping[str, Any]],
    model: str | None,
) -> Json:
    """The body that goes on. `earlier`: the items from before it; `given`: its own."""
    body = {name: value for name, value in request.body.items() if name not in ("conversation", "previous_response_id")}
    body |= {"store": False} | ({} if model is None else {"model": model})
    if not isinstance(request.fields.input, str) or earlier:
        body["input"] = [*map(_anew, filter(_stands_alone, earlier)), *filter(_stands_alone, given)]
    if body.get("reasoning") is not None and ENCRYPTED not in (include := body.get("include") or []):
        body["include"] = [*include, ENCRYPTED]
    return body


def _stands_alone(item: Mapping[str, Any]) -> bool:
    """Whether an item says all by itself, and not only to a provider that has stored it."""
    return kind_of(item) != "reasoning" or bool(item.get("encrypted_content") or item.get("content"))


def _anew(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """An item without what ties it to a provider that has stored it."""
    if kind_of(item) not in ("message", "function_call", "function_call_output"):
        return item
    return {name: value for name, value in item.items() if name not in ("id", "status")}


def returned_response(response: Mapping[str, Any], identifier: str, request: ResponseRequest) -> Json:
    """A provider's response under its id here."""
    named = request.conversation
    return {
        **response,
        "id": f"resp_{identifier}",
        "previous_response_id": request.fields.previous_response_id,
        "conversation": None if named is None else {"id": named},
        "store": request.stored,
    }
