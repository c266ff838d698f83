"""How tests talk with Loci as with OpenAI, and what they look at."""

import json
from collections.abc import Callable
from typing import Any

import httpx
from openai import OpenAI

from tests.scripted_model import Behaviour, Body, Request, ScriptedModel

QUESTION = "What is the name of my parrot?"


PARROT = "My parrot is called Archimedes."


def said(text: str) -> list[Any]:
    return [{"role": "user", "content": text}]


def ask(client: OpenAI, memory: str, text: str, **more: Any) -> Any:
    return client.chat.completions.create(
        model="gpt-test", messages=said(text), extra_body={"memory_id": memory, **more.pop("fields", {})}, **more
    )


def last_chat(model: ScriptedModel) -> Request:
    """The last request that was passed on, among what Loci asks in the background."""
    return [request for request in model.requests if request.kind == "chat"][-1]


def stored(api: httpx.Client, memory: str) -> list[tuple[str, str]]:
    found = api.get(f"/v1/sessions/{memory}/messages")
    if found.status_code == 404:
        return []
    return [(item["role"], item["content"]) for item in found.json()["items"]]


def events(chat: httpx.Client, memory: str, text: str, **more: Any) -> list[Any]:
    body = {"model": "gpt-test", "messages": said(text), "stream": True, "memory_id": memory, **more}
    found: list[Any] = []
    with chat.stream("POST", "/v1/chat/completions", json=body) as answered:
        assert answered.headers["content-type"].startswith("text/event-stream")
        for line in answered.iter_lines():
            if line:
                assert line.startswith("data: ")
                data = line.removeprefix("data: ")
                found.append(data if data == "[DONE]" else json.loads(data))
    return found


def chunk(text: str | None = None, reason: str | None = None, *, number: int = 0, **more: Any) -> str:
    """A chunk of a stream, as an event."""
    delta = {} if text is None else {"content": text}
    choices = [{"index": number, "delta": delta, "finish_reason": reason}]
    return f"data: {json.dumps({'id': 'x', 'model': 'odd', 'choices': choices} | more)}\n\n"


def sent(model: ScriptedModel, *pieces: str, done: str = "data: [DONE]\n\n") -> None:
    """The next answer is this stream, word for word."""
    headers = (("content-type", "text/event-stream"),)
    model.script(Behaviour(raw="".join((*pieces, done)).encode(), headers=headers))


def streamed(client: OpenAI, memory: str, **more: Any) -> list[Any]:
    return list(ask(client, memory, "Go on.", stream=True, **more))


def text_of(chunks: list[Any], number: int = 0) -> str:
    choices = [choice for one in chunks for choice in one.choices if choice.index == number]
    return "".join(choice.delta.content or "" for choice in choices)


def facts_of(api: httpx.Client, memory: str) -> list[str]:
    items = api.get("/v1/facts", params={"memory_id": memory}).json()["items"]
    return sorted(item["text"] for item in items)


def finding(facts: Callable[[str], list[str]], *, updating: bool = True) -> Callable[[Body], str]:
    """A provider that finds these facts in a message, and has the first of them replace the first in force, or adds
    them."""

    def find(body: Body) -> str:
        asked = json.loads(body["messages"][1]["content"])
        if "message" in asked:
            return json.dumps({"facts": facts(asked["message"])})
        if updating:
            update = {"event": "UPDATE", "fact": 0, "id": 0, "text": asked["new"][0]["text"]}
            return json.dumps({"decisions": [update]})
        return json.dumps({"decisions": [{"event": "ADD", "fact": n} for n in range(len(asked["new"]))]})

    return find


def passed_on(client: OpenAI, model: ScriptedModel, user: str, transcript: list[Any], text: str, **more: Any) -> str:
    """Goes on with a transcript; the user's message as the provider got it."""
    transcript.extend(said(text))
    given = client.chat.completions.create(
        model="gpt-test", messages=transcript, extra_body={"memory_id": user}, **more
    )
    transcript.append({"role": "assistant", "content": given.choices[0].message.content})
    return str(model.asked("chat")[-1]["messages"][-1]["content"])
