"""Images are described by a model, and never fetched."""

import http.server
import threading
from collections.abc import Iterator

import pytest

from agents.memory import Memory
from tests.conversations import messages, request
from tests.scripted_model import ScriptedModel, answer, status

DATA = "data:image/png;base64,iVBORw0KGgo="


@pytest.fixture
def picture() -> Iterator[tuple[str, list[str]]]:
    """The address of an image on a server, and what was asked of that server."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/cat.png", asked
    server.shutdown()
    thread.join()
    server.server_close()


async def test_images_are_passed_on_as_they_are_and_never_fetched(
    with_model: Memory, scripted_model: ScriptedModel, picture: tuple[str, list[str]]
) -> None:
    url, fetched = picture
    scripted_model.script(answer("A cat on a mat."), answer("It is a cat."))
    finished = await with_model.chat(request("What is this?", images=(DATA, url)))
    looked, written = scripted_model.asked("chat")
    text, *images = looked["messages"][1]["content"]
    assert [part["image_url"]["url"] for part in images] == [DATA, url]
    assert "What is this?" in text["text"]
    assert "## The images attached to my message, as described\nA cat on a mat.\n" in written["messages"][1]["content"]
    shown = written["messages"][-1]["content"]
    assert [part.get("image_url", {}).get("url") or part["text"] for part in shown] == ["What is this?", DATA, url]
    assert finished.answer.text == "It is a cat."
    assert "vision_agent" in finished.context.ran
    assert fetched == []


async def test_an_image_is_looked_at_whatever_the_words_say(with_model: Memory, scripted_model: ScriptedModel) -> None:
    finished = await with_model.chat(request("remember that my dog is Rex", images=(DATA,)))
    assert finished.context.ran == ("keeper_agent", "vision_agent", "writer_agent")


async def test_without_a_model_the_answer_says_that_nothing_can_be_seen(quiet: Memory) -> None:
    finished = await quiet.chat(request("What is this?", images=(DATA, DATA)))
    assert finished.answer.text.startswith(
        "2 images are attached, but no model is configured that could describe them."
    )


async def test_a_model_that_fails_on_images_does_not_fail_the_request(
    with_model: Memory, scripted_model: ScriptedModel
) -> None:
    scripted_model.script(status(400), answer("I cannot see it."))
    finished = await with_model.chat(request("What is this?", images=(DATA,)))
    assert finished.context.images == "An image is attached, but the model could not describe it."
    assert scripted_model.asked("chat")[-1]["messages"][-1]["content"] == "What is this?"
    assert finished.answer.text == "I cannot see it."


async def test_a_question_about_a_picture_that_is_not_there_says_so(quiet: Memory) -> None:
    assert (await quiet.chat(request("What is in this picture?"))).answer.text == "No image is attached."


async def test_images_do_not_stand_in_messages(quiet: Memory) -> None:
    await quiet.chat(request("What is this?", images=(DATA,)))
    assert not any(DATA in str(one) for one in await messages(quiet))
