"""What the headers of an answer say, at every door that answers, whole or streamed."""

from typing import Any
from urllib.parse import unquote

import httpx
import pytest

from tests.openai_chat import PARROT, QUESTION, said

DOORS: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"messages": said(QUESTION)},
    "/v1/completions": {"prompt": QUESTION},
    "/v1/responses": {"input": QUESTION},
    "/anthropic/v1/messages": {"messages": said(QUESTION), "max_tokens": 50},
}


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("by", ["a provider", "rules"])
@pytest.mark.parametrize("door", DOORS)
def test_an_answer_names_its_turn_and_the_memories_that_were_given(
    api: httpx.Client, chat: httpx.Client, user: str, door: str, by: str, *, streamed: bool
) -> None:
    client = chat if by == "a provider" else api
    told = {"role": "user", "content": PARROT}
    client.post("/v1/messages", json={"session_id": "birds", "messages": [told], "wait": True}).raise_for_status()
    [parrot] = client.get("/v1/sessions/birds/messages").json()["items"]
    headers = {"X-Loci-User": user, "X-Loci-Session": "door"}
    body = {"model": "m", "stream": streamed, **DOORS[door]}
    found = client.post(door, json=body, headers=headers).raise_for_status()
    assert ("text/event-stream" in found.headers["content-type"]) == streamed
    memories = [unquote(one) for one in found.headers["x-loci-memories"].split(",")]
    assert parrot["id"] in memories and found.headers["x-loci-session"] == "door"
    receipt = client.get(f"/v1/receipts/{found.headers['x-loci-turn']}").json()
    assert (receipt["query"], receipt["session_id"]) == (QUESTION, "door")
