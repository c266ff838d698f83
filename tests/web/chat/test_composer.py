"""What is written, and what holds for one chat: drafts, images, limits, options, a temporary chat."""

import base64
import re
from collections.abc import Callable
from typing import Any

import httpx
from playwright.sync_api import Locator, Page, Route, expect
from pymongo.database import Database

from tests.scripted_model import ScriptedModel, answer
from tests.web.chatting import ANSWERS, SAID, say, wait

DOT = b"GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x00;"


def test_nothing_of_a_temporary_chat_is_kept(page: Page, address: str, model: ScriptedModel) -> None:
    page.goto(address)
    page.get_by_role("button", name="Options").click()
    page.get_by_label("Temporary: nothing of this chat is kept").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".composer .state")).to_have_text("Temporary")
    model.script(answer("Hello, Kim."), answer("Kim."))
    say(page, "I am Kim")
    expect(page.locator(ANSWERS)).to_have_text(["Hello, Kim."])
    wait(page)
    say(page, "Who am I?")
    expect(page.locator(ANSWERS)).to_have_text(["Hello, Kim.", "Kim."])
    told = [one["content"] for one in model.requests[-1].body["messages"]]
    assert [text for text in told if text in ("I am Kim", "Hello, Kim.", "Who am I?")] == [
        "I am Kim",
        "Hello, Kim.",
        "Who am I?",
    ]
    assert httpx.get(f"{address}/v1/sessions").json()["items"] == []


def test_memory_model_and_instructions_are_set_for_a_chat(page: Page, address: str, model: ScriptedModel) -> None:
    page.goto(address)
    say(page, "Hello")
    wait(page)
    page.get_by_role("button", name="Options").click()
    page.get_by_label("Answer from memory").uncheck()
    page.get_by_label("Model", exact=True).fill("gpt-other")
    page.get_by_label("Instructions for this chat").fill("Answer in one word.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".composer .state")).to_have_text("Memory off · gpt-other")
    with page.expect_request("**/query") as asked:
        say(page, "What do you know?")
    wait(page)
    sent = asked.value.post_data_json
    assert (sent["use_memory"], sent["model"]) == (False, "gpt-other")
    [request] = [one for one in model.requests if one.kind == "chat" and one.body["model"] == "gpt-other"]
    assert "Answer in one word." in request.body["messages"][0]["content"]


def test_a_draft_is_kept_for_its_chat_and_images_are_sent(page: Page, address: str) -> None:
    page.goto(address)
    box = page.get_by_label("Message", exact=True)
    box.fill("Half a thought")
    page.reload()
    expect(box).to_have_value("Half a thought")
    page.locator("input[type=file]").set_input_files({"name": "dot.gif", "mimeType": "image/gif", "buffer": DOT})
    expect(page.locator(".composer img")).to_have_count(1)
    with page.expect_request("**/query") as asked:
        page.get_by_role("button", name="Send").click()
    assert asked.value.post_data_json["images"][0].startswith("data:image/gif;base64,")
    wait(page)
    expect(page.locator(".message.user img")).to_have_count(1)
    page.reload()
    expect(box).to_have_value("")


def test_text_beyond_the_limit_is_told_and_kept_whole(page: Page, serve: Callable[..., str]) -> None:
    page.goto(serve())
    box, told = page.get_by_label("Message", exact=True), page.locator("#too-long")
    pasted = "🦉" * 20_000 + "a" * 20_000
    box.fill(pasted)
    expect(told).to_contain_text("40,000 characters: a message may have 32,000")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".message")).to_have_count(0)
    expect(box).to_have_value(pasted)
    say(page, "🦉" * 32_000)
    expect(told).to_be_hidden()
    expect(page.locator(ANSWERS)).not_to_be_empty()


def options(page: Page) -> Locator:
    page.get_by_role("button", name="Options").click()
    return page.get_by_role("dialog", name="Options")


def test_options_are_those_of_the_chat_that_they_were_opened_in(page: Page, serve: Callable[..., str]) -> None:
    address = serve()
    for chat in ("one", "two"):
        body = {"session_id": chat, "messages": [{"role": "user", "content": f"This is {chat}"}]}
        httpx.post(f"{address}/v1/messages", json=body).raise_for_status()
        httpx.patch(f"{address}/v1/sessions/{chat}", json={"instructions": f"Be {chat}."}).raise_for_status()

    def instructions() -> list[str]:
        return [httpx.get(f"{address}/v1/sessions/{chat}").json()["instructions"] for chat in ("one", "two")]

    page.goto(f"{address}/?session=one")
    page.get_by_role("link", name="This is two").click()
    expect(page.locator(SAID)).to_have_text("This is two")
    expect(options(page).get_by_label("Instructions for this chat")).to_have_value("Be two.")
    page.go_back()
    expect(page.locator(SAID)).to_have_text("This is one")
    expect(page.get_by_role("dialog")).to_have_count(0)
    held: list[Route] = []
    page.route("**/v1/sessions/one", lambda route: held.append(route))
    with page.expect_request("**/v1/sessions/one"):
        page.reload()
    dialog = options(page)
    expect(dialog.get_by_label("Instructions for this chat")).to_be_disabled()
    dialog.get_by_label("Model", exact=True).fill("gpt-other")
    held[0].continue_()
    expect(dialog.get_by_label("Instructions for this chat")).to_have_value("Be one.")
    dialog.get_by_role("button", name="Save").click()
    expect(page.locator(".composer .state")).to_have_text("gpt-other")
    assert instructions() == ["Be one.", "Be two."]


def test_instructions_hold_from_the_first_message_on(page: Page, address: str, model: ScriptedModel) -> None:
    page.goto(address)
    dialog = options(page)
    dialog.get_by_label("Instructions for this chat").fill("Answer in one word.")
    dialog.get_by_role("button", name="Save").click()
    for text in ("Hello", "And now?"):
        say(page, text)
        wait(page)
        request = [one for one in model.requests if one.kind == "chat"][-1]
        assert str(request.body["messages"]).count("Answer in one word.") == 1
    page.reload()
    expect(page.locator(SAID)).to_have_count(2)
    expect(options(page).get_by_label("Instructions for this chat")).to_have_value("Answer in one word.")


GIVE = """([kind, files, text]) => {
  const data = new DataTransfer();
  for (const [name, type, size] of files) data.items.add(new File([new Uint8Array(size)], name, { type }));
  if (text) data.setData("text/plain", text);
  const made = kind === "paste" ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
    : new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true });
  document.querySelector(kind === "paste" ? "#text" : ".thread").dispatchEvent(made);
  return made.defaultPrevented;
}"""


def test_images_are_pasted_dropped_and_refused(page: Page, address: str) -> None:
    page.goto(address)
    pictures, told = page.locator(".composer .pictures img"), page.locator("#too-long")
    image = ["dot.gif", "image/gif", 10]
    assert page.evaluate(GIVE, ["paste", [image], "dot.gif"])
    expect(pictures).to_have_count(1)
    assert not page.evaluate(GIVE, ["paste", [image], "A\tB"])  # a table: the browser inserts its text
    assert page.evaluate(GIVE, ["dragover", [image], ""])
    assert page.evaluate(GIVE, ["drop", [image], ""])
    expect(pictures).to_have_count(2)
    expect(told).to_be_hidden()
    assert page.evaluate(GIVE, ["drop", [["terms.pdf", "application/pdf", 10]], ""])
    expect(told).to_have_text("Only images can be added.")
    assert page.evaluate(GIVE, ["drop", [["big.gif", "image/gif", 4_600_000]] * 3, ""])
    expect(told).to_have_text("Up to 16 images of 5 MB each, 11 MB in all.")
    expect(pictures).to_have_count(4)
    say(page, "What are these?")
    wait(page)
    expect(page.locator(".message .bad")).to_have_count(0)
    expect(page.locator(".message.user img")).to_have_count(4)


def test_a_message_that_was_refused_is_edited_and_loses_an_image(page: Page, address: str) -> None:
    page.goto(address)
    for name in ("one.gif", "two.gif"):
        page.locator("input[type=file]").set_input_files({"name": name, "mimeType": "image/gif", "buffer": DOT})
    refusal = {"detail": "A request body may have 16 MB", "status": 413}
    page.route("**/query", lambda route: route.fulfill(status=413, json=refusal))
    say(page, "What is this?")
    expect(page.locator(".message p.bad")).to_have_text("A request body may have 16 MB")
    page.unroute("**/query")
    message = page.locator(".message.user")
    message.get_by_role("button", name="Edit").click()
    message.get_by_role("button", name="Remove the image").first.click()
    with page.expect_request("**/query") as asked:
        message.get_by_role("button", name="Send").click()
    assert len(asked.value.post_data_json["images"]) == 1
    wait(page)
    expect(page.locator(SAID)).to_have_text(["What is this?"])
    expect(message.locator("img")).to_have_count(1)


ADDRESS = f"data:image/gif;base64,{base64.b64encode(DOT).decode()}"


def attach(page: Page) -> None:
    page.locator("input[type=file]").set_input_files({"name": "dot.gif", "mimeType": "image/gif", "buffer": DOT})


def test_images_are_there_after_a_reload_and_go_along_with_what_is_asked_again(page: Page, address: str) -> None:
    page.goto(address)
    attach(page)
    say(page, "What is this?")
    wait(page)
    page.reload()
    message = page.locator(".message.user").last
    expect(message.locator("img")).to_have_attribute("src", ADDRESS)

    def asked(press: Callable[[], None]) -> list[str] | None:
        """The images of the request that comes of it."""
        with page.expect_request("**/query") as sent:
            press()
        wait(page)
        images: list[str] | None = sent.value.post_data_json["images"]
        return images

    assert asked(page.get_by_role("button", name="Retry").click) is None
    message.get_by_role("button", name="Edit").click()
    message.get_by_role("textbox").fill("And this?")
    assert asked(message.get_by_role("button", name="Send").click) == [ADDRESS]
    expect(message.locator("img")).to_have_count(1)
    message.get_by_role("button", name="Edit").click()
    message.get_by_role("button", name="Remove the image").click()
    assert asked(message.get_by_role("button", name="Send").click) == []
    page.reload()
    expect(message).to_contain_text("And this?")
    expect(message.locator("img, .note")).to_have_count(0)


def test_a_message_whose_images_cannot_be_loaded_says_so_and_is_not_edited_without_them(
    page: Page, address: str
) -> None:
    page.goto(address)
    attach(page)
    say(page, "What is this?")
    wait(page)
    page.route("**/images/**", lambda route: route.fulfill(status=503, json={"detail": "The store is away"}))
    page.reload()
    message = page.locator(".message.user")
    expect(message.get_by_role("alert")).to_contain_text("The images could not be loaded. The store is away")
    message.get_by_role("button", name="Edit").click()
    expect(message.get_by_role("textbox")).to_have_count(0)
    page.unroute("**/images/**")
    message.get_by_role("button", name="Try again").click()
    expect(message.locator("img")).to_have_count(1)
    expect(message.get_by_role("alert")).to_have_count(0)


def test_a_message_from_before_images_were_kept_says_so(
    page: Page, address: str, database: Database[dict[str, Any]]
) -> None:
    page.goto(address)
    attach(page)
    say(page, "What is this?")
    wait(page)
    database.images.delete_many({})
    page.reload()
    expect(page.locator(".message .note").first).to_contain_text("With an image that was not kept")
    expect(page.get_by_role("button", name="Retry")).to_have_count(0)


def test_a_temporary_chat_sends_its_images_along(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Options").click()
    page.get_by_label("Temporary: nothing of this chat is kept").check()
    page.get_by_role("button", name="Save").click()
    attach(page)
    say(page, "What is this?")
    wait(page)
    with page.expect_request("**/query") as asked:
        say(page, "What colour is it?")
    first, answer = asked.value.post_data_json["history"]
    assert first["images"] == [ADDRESS] and "images" not in answer


def test_what_is_written_before_a_new_chat_has_its_id_is_its_draft(page: Page, address: str) -> None:
    held: list[Route] = []
    page.route("**/query", lambda route: held.append(route))
    page.goto(address)
    with page.expect_request("**/query"):
        say(page, "Hello")
    box = page.get_by_label("Message", exact=True)
    box.press_sequentially("ne")
    held[0].continue_()
    expect(page).to_have_url(re.compile("session="))
    box.press_sequentially("xt")
    wait(page)
    page.reload()
    expect(box).to_have_value("next")
    page.get_by_role("button", name="New chat").first.click()
    expect(box).to_have_value("")
