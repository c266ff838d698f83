"""The mirror of a served API: what stands in files is what is answered."""

from collections.abc import Callable
from pathlib import Path

import httpx

from tests.checks import eventually
from tests.mirrors import body, edit


def test_what_is_edited_in_a_file_is_answered(serve: Callable[..., str], tmp_path: Path) -> None:
    with httpx.Client(base_url=serve(mirror_path=tmp_path), timeout=30) as api:

        def file(part: str, text: str) -> Path:
            folder = tmp_path / "default/entries/s" / part
            return eventually(lambda: {body(path): path for path in folder.glob("*.md")}.get(text))

        def facts() -> list[str]:
            return [item["text"] for item in api.get("/v1/facts").json()["items"]]

        def ask(question: str) -> str:
            return str(api.post("/query", json={"session_id": "other", "query": question}).json()["response"])

        def found(query: str) -> list[str]:
            return [hit["content"] for hit in api.post("/v1/search", json={"query": query}).json()["items"]]

        said, learnt = "My locker is number 12.", "The user's dog is called Biscuit."
        api.post("/query", json={"session_id": "s", "query": said})
        api.post("/v1/facts", json={"text": "My dog is called Biscuit.", "memory_id": "s"})
        eventually(lambda: "12" in ask("What is my locker's number?"))
        eventually(lambda: learnt in found("What is my dog called?"))
        edit(file("facts", learnt), "The user's dog is called Rex.")
        edit(file("turns/user", said), "My locker is number 77.")
        eventually(lambda: facts() == ["The user's dog is called Rex."])
        eventually(lambda: "77" in ask("What is my locker's number?"))
        eventually(lambda: "The user's dog is called Rex." in found("What is my dog called?"))
        assert learnt not in found("What is my dog called?")
        api.delete("/v1/users/default")
        eventually(lambda: not (tmp_path / "default").exists())
