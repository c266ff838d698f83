"""Versions of a message: they are looked at one by one, made by editing and by asking again."""

import httpx
from playwright.sync_api import Page, expect

from tests.scripted_model import ScriptedModel, answer, status
from tests.web.chatting import ANSWERS, SAID, say, wait


def test_versions_of_a_message_are_looked_at_one_by_one(page: Page, address: str, model: ScriptedModel) -> None:
    first = [{"role": "user", "content": "Name a tree"}]
    second = [*first, {"role": "assistant", "content": "An oak."}, {"role": "user", "content": "Another"}]
    third = [*second[:2], {"role": "user", "content": "Name a bush"}]
    for messages, text in ((first, "An oak."), (second, "A lime."), (second, "A birch."), (third, "A hazel.")):
        model.script(answer(text), about=str(messages[-1]["content"]))
        body = {"model": "m", "messages": messages, "memory_id": "trees"}
        httpx.post(f"{address}/v1/chat/completions", json=body, timeout=30).raise_for_status()
    page.goto(f"{address}/?session=trees")
    expect(page.locator(SAID)).to_have_text(["Name a tree", "Name a bush"])
    expect(page.locator(ANSWERS)).to_have_text(["An oak.", "A hazel."])
    size = page.get_by_role("button", name="Previous version").first.bounding_box()
    assert size and min(size["width"], size["height"]) >= 24  # WCAG 2.2, target size
    page.get_by_role("button", name="Previous version").click()
    expect(page.locator(SAID)).to_have_text(["Name a tree", "Another"])
    expect(page.locator(ANSWERS)).to_have_text(["An oak.", "A birch."])
    page.locator(".message.assistant").get_by_role("button", name="Previous version").click()
    expect(page.locator(ANSWERS)).to_have_text(["An oak.", "A lime."])
    page.reload()
    expect(page.locator(ANSWERS)).to_have_text(["An oak.", "A lime."])
    page.locator(".message.user").get_by_role("button", name="Next version").click()
    expect(page.locator(ANSWERS)).to_have_text(["An oak.", "A hazel."])


def test_a_message_is_edited_in_its_place_and_asked_again(page: Page, address: str, model: ScriptedModel) -> None:
    page.goto(address)
    for query, text in (("Name a tree", "An oak."), ("And a bird", "A wren.")):
        model.script(answer(text))
        say(page, query)
        wait(page)
    first = page.locator(".message.user").first
    first.hover()
    first.get_by_role("button", name="Edit").click()
    model.script(answer("A hazel."))
    box = page.get_by_role("textbox", name="Edit")
    expect(box).to_be_focused()
    expect(box).to_have_value("Name a tree")
    box.fill("Name a bush")
    box.press("Enter")
    expect(page.locator(ANSWERS)).to_have_text(["A hazel."])
    wait(page)
    model.script(answer("A blackthorn."))
    page.get_by_role("button", name="Retry").click()
    expect(page.locator(ANSWERS)).to_have_text(["A blackthorn."])
    wait(page)
    said = "\n".join(one["content"] for one in model.requests[-1].body["messages"])
    assert "oak" not in said
    assert "hazel" not in said
    page.reload()
    expect(page.locator(SAID)).to_have_text(["Name a bush"])
    page.locator(".message.assistant").get_by_role("button", name="Previous version").click()
    expect(page.locator(ANSWERS)).to_have_text(["A hazel."])
    page.locator(".message.user").get_by_role("button", name="Previous version").click()
    expect(page.locator(ANSWERS)).to_have_text(["An oak.", "A wren."])
    page.reload()
    expect(page.locator(ANSWERS)).to_have_text(["An oak.", "A wren."])
    model.script(answer("A trout."))
    say(page, "And a fish")
    expect(page.locator(ANSWERS)).to_have_text(["An oak.", "A wren.", "A trout."])
    wait(page)
    page.reload()
    expect(page.locator(SAID)).to_have_text(["Name a tree", "And a bird", "And a fish"])


def test_a_message_without_an_answer_is_asked_again(page: Page, address: str, model: ScriptedModel) -> None:
    page.goto(address)
    model.script(status(401))
    say(page, "Tell me")
    expect(page.locator(".message .bad").first).to_be_visible()
    page.reload()
    expect(page.locator(SAID)).to_have_text(["Tell me"])
    model.script(answer("A tale."))
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(ANSWERS)).to_have_text(["A tale."])
    wait(page)
    page.reload()
    expect(page.locator(SAID)).to_have_text(["Tell me"])
    expect(page.locator(ANSWERS)).to_have_text(["A tale."])


def test_a_link_to_a_message_that_was_left_behind_shows_it(page: Page, address: str, model: ScriptedModel) -> None:
    filler = [{"role": role, "content": f"{role} {n}"} for n in range(25) for role in ("user", "assistant")]
    httpx.post(f"{address}/v1/messages", json={"session_id": "birds", "messages": filler}).raise_for_status()

    def ask(query: str, text: str, **more: str) -> str:
        model.script(answer(text), about=query)
        body = {"query": query, "session_id": "birds", **more}
        turn: str = httpx.post(f"{address}/query", json=body, timeout=30).raise_for_status().json()["turn_id"]
        return f"{turn}.prompt"

    wren = ask("Tell me of the wren", "It is small.")
    seeds = ask("What does it eat?", "It eats insects.")
    owl = ask("Tell me of the owl", "It is large.", instead_of=wren)
    for n in range(20):
        ask(f"And {n}?", f"Yes, {n}.")
    page.goto(f"{address}/?session=birds&message={seeds}")
    expect(page.locator(".message.marked .said")).to_have_text("What does it eat?")
    expect(page.locator(ANSWERS).last).to_have_text("It eats insects.")
    page.goto(f"{address}/?session=birds&message={owl}")
    expect(page.locator(".message.marked .said")).to_have_text("Tell me of the owl")
    expect(page.get_by_text("Tell me of the wren")).to_have_count(0)
    page.goto(f"{address}/?session=birds&message=gone")
    expect(page.get_by_role("alert")).to_have_text("This message is no longer in the chat.")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(ANSWERS).last).to_have_text("Yes, 19.")


def test_an_answer_that_does_not_arrive_is_asked_for_again_by_its_message(page: Page, address: str) -> None:
    page.goto(address)
    say(page, "Name a tree")
    wait(page)
    page.route("**/query", lambda route: route.abort())
    page.get_by_role("button", name="Retry").click()
    expect(page.locator(".message .bad")).to_have_text("The server cannot be reached. Is it running?")
    page.unroute("**/query")
    with page.expect_request("**/query") as asked:
        page.get_by_role("button", name="Retry").click()
    assert asked.value.post_data_json["query"] == "Name a tree"
    wait(page)
    expect(page.locator(SAID)).to_have_text(["Name a tree"])


def reach(page: Page, name: str, key: str = "Shift+Tab") -> None:
    """Goes to a button by the keyboard."""
    for _ in range(40):
        page.keyboard.press(key)
        if page.evaluate("document.activeElement.ariaLabel || document.activeElement.innerText") == name:
            return
    raise AssertionError(f"{name} is not reached")


def test_editing_retrying_and_versions_are_had_by_keyboard_alone(
    page: Page, address: str, model: ScriptedModel
) -> None:
    composer = page.get_by_label("Message", exact=True)
    page.goto(address)
    model.script(answer("An oak."))
    expect(composer).to_be_focused()
    page.keyboard.type("Name a tree")
    page.keyboard.press("Enter")
    expect(page.locator(ANSWERS)).to_have_text("An oak.")
    wait(page)
    reach(page, "Edit")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Edit")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Edit")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Edit")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("Name a bush")
    model.script(answer("A hazel."))
    page.keyboard.press("Enter")
    expect(page.locator(ANSWERS)).to_have_text("A hazel.")
    expect(composer).to_be_focused()
    wait(page)
    model.script(answer("A blackthorn."))
    reach(page, "Retry")
    page.keyboard.press("Enter")
    expect(page.locator(ANSWERS)).to_have_text("A blackthorn.")
    expect(composer).to_be_focused()
    wait(page)
    for text, left in (("A hazel.", "Next version"), ("A blackthorn.", "Previous version")):
        if left == "Next version":
            reach(page, "Previous version")
        page.keyboard.press("Enter")
        expect(page.locator(ANSWERS)).to_have_text(text)
        expect(page.locator(".message.assistant").get_by_role("button", name=left)).to_be_focused()
    reach(page, "Previous version")
    page.keyboard.press("Enter")
    expect(page.locator(SAID)).to_have_text(["Name a tree"])
    expect(page.locator(".message.user").get_by_role("button", name="Next version")).to_be_focused()
    expect(page.get_by_role("group", name="Versions of this message: 1 / 2")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(SAID)).to_have_text(["Name a bush"])
    expect(page.locator(".message.user").get_by_role("button", name="Previous version")).to_be_focused()
