"""A completion of OpenAI's oldest API, as the scripted provider gives it."""

import re
from typing import Any

Body = dict[str, Any]


def completion_and_chunks(asked: Body, text: str) -> tuple[Body, list[Body]]:
    """A completion with as many choices as are asked for, and the chunks that stream it; the last word comes with the
    end."""
    text = f"{asked['prompt']}{text}" if asked.get("echo") else text
    head = {"id": "cmpl-scripted", "object": "text_completion", "created": 1, "model": asked["model"], "odd": True}
    logprobs = {"tokens": [text]} if asked.get("logprobs") is not None else None

    def choice(index: int, said: str, reason: str | None) -> Body:
        return {"index": index, "text": said, "logprobs": logprobs, "finish_reason": reason}

    numbers = range(asked.get("n") or 1)
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    whole = head | {"choices": [choice(index, text, "stop") for index in numbers], "usage": usage}
    words = re.findall(r"\S+\s*|\s+", text)
    chunks = [
        head | {"choices": [choice(index, word, "stop" if at == len(words) - 1 else None)]}
        for at, word in enumerate(words)
        for index in numbers
    ]
    if (asked.get("stream_options") or {}).get("include_usage"):
        chunks.append(head | {"choices": [], "usage": usage})
    return whole, chunks
