"""What is written, and what holds for one chat: drafts, images, limits, options, a temporary chat."""

from collections.abc import Callable

import httpx
from playwright.sync_api import Page, expect

from tests.scripted_model import ScriptedModel, answer
from tests.web.chatting import ANSWERS, say, wait

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
