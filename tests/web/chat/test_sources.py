"""Sources under an answer: what it cites leads to its message, and is forgotten in its place."""

import re
from collections.abc import Callable

import httpx
from playwright.sync_api import Page, Route, expect

from tests.scripted_model import ScriptedModel, answer
from tests.web.chatting import ANSWERS, SAID, say, wait


def test_a_chat_recalls_from_another_and_a_source_leads_there(page: Page, serve: Callable[..., str]) -> None:
    page.goto(serve())
    say(page, "My cat is called Ada")
    wait(page)
    page.get_by_role("button", name="New chat").first.click()
    expect(page.locator(".message")).to_have_count(0)
    say(page, "What is my cat called?")
    expect(page.locator(ANSWERS)).to_contain_text("Ada")
    wait(page)
    page.reload()  # sources stay with the answer
    page.get_by_role("button", name="1 source").click()
    expect(page.locator(".sources li").first).to_contain_text("Ada")
    expect(page.locator(".sources .parts dd").first).to_be_attached()
    chats = page.get_by_role("navigation", name="Chats")
    expect(chats.locator("li > a")).to_have_text(["What is my cat called?", "My cat is called Ada"])
    page.locator(".sources").get_by_role("link", name="Show in its chat").first.click()
    expect(page.locator(".message.marked .said")).to_have_text("My cat is called Ada")
    page.go_back()
    expect(page.locator(SAID)).to_have_text("What is my cat called?")


def test_a_source_is_forgotten_in_its_place(page: Page, serve: Callable[..., str]) -> None:
    address = serve()
    page.goto(address)
    say(page, "My boat is called Nixe")
    wait(page)
    say(page, "What is my boat called?")
    wait(page)
    page.get_by_role("button", name="1 source").click()
    page.locator(".sources").get_by_role("button", name="Forget").click()
    expect(page.get_by_role("dialog")).to_contain_text("Deletes the message from its chat for good")
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    expect(page.locator(".sources")).to_contain_text("Deleted or corrected since.")
    expect(page.locator(SAID)).to_have_text(["What is my boat called?"])
    assert httpx.post(f"{address}/v1/search", json={"query": "Nixe boat"}).json()["items"][:1] != []
    page.reload()
    expect(page.locator(SAID)).to_have_text(["What is my boat called?"])


def focused(page: Page) -> str:
    text: str = page.evaluate("document.activeElement.innerText")
    return text


def found(address: str, query: str) -> list[str]:
    items = httpx.post(f"{address}/v1/search", json={"query": query}).json()["items"]
    return [one["content"] for one in items if one["kind"] == "turn"]


def recalled(page: Page, address: str) -> None:
    """Shows an answer that recalls a message of another chat, and its sources, by the keyboard."""
    body = {"session_id": "boats", "messages": [{"id": "nixe", "role": "user", "content": "My boat is called Nixe"}]}
    httpx.post(f"{address}/v1/messages", json=body | {"wait": True}).raise_for_status()
    page.goto(address)
    say(page, "What is my boat called?")
    expect(page.locator(ANSWERS)).to_contain_text("Nixe")
    wait(page)
    page.get_by_role("button", name="1 source").press("Enter")


def test_what_is_not_relevant_is_recalled_no_more_and_again(page: Page, serve: Callable[..., str]) -> None:
    address = serve()
    recalled(page, address)
    sources = page.get_by_role("region", name="Sources")
    sources.get_by_role("button", name="Not relevant").press("Enter")
    expect(sources.get_by_role("status")).to_have_text("No other answer will recall this. It stays in its chat.")
    expect(sources.locator("li").first).to_contain_text("Not recalled")
    assert focused(page) == "Recall it again"
    assert "My boat is called Nixe" not in found(address, "What is my boat called?")
    page.keyboard.press("Enter")
    expect(sources.get_by_role("status")).to_have_text("It is recalled again.")
    assert "My boat is called Nixe" in found(address, "What is my boat called?")
    page.keyboard.press("Enter")
    expect(sources.locator("li").first).to_contain_text("Not recalled")
    sources.get_by_role("link", name="Show in its chat").press("Enter")
    message = page.locator(".message.marked")
    expect(message.get_by_role("status")).to_have_text("Not recalled")
    message.get_by_role("button", name="Recall it again").press("Enter")
    expect(message.get_by_role("status")).to_have_text("It is recalled again.")
    assert focused(page) == "Not relevant"
    assert "My boat is called Nixe" in found(address, "What is my boat called?")
    page.reload()
    expect(page.locator(SAID)).to_have_text(["My boat is called Nixe"])
    expect(page.locator(".message .note")).to_have_count(0)


def test_a_message_is_corrected_by_what_is_right(page: Page, serve: Callable[..., str]) -> None:
    address = serve()
    recalled(page, address)
    sources = page.get_by_role("region", name="Sources")
    sources.get_by_role("button", name="Correct").press("Enter")
    dialog = page.get_by_role("dialog", name="Correct")
    box = dialog.get_by_role("textbox")
    expect(box).to_be_focused()
    expect(box).to_have_value("My boat is called Nixe")
    expect(box).to_have_accessible_description(re.compile("keeps it as a fact. The message stays in its chat"))
    box.fill("Is it?")
    dialog.get_by_role("button", name="Save").press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("no statement")
    assert "My boat is called Nixe" in found(address, "What is my boat called?")
    box.fill("My boat is called Undine")
    dialog.get_by_role("button", name="Save").press("Enter")
    expect(dialog).to_have_count(0)
    expect(sources.get_by_role("status")).to_have_text("Corrected.")
    assert focused(page) == "Correct"
    expect(sources.locator("li").first).to_contain_text("Not recalled")
    facts = [one["text"] for one in httpx.get(f"{address}/v1/facts").json()["items"]]
    assert [text for text in facts if "boat" in text] == ["The user's boat is called Undine."]
    page.get_by_role("button", name="New chat").first.click()
    say(page, "What is my boat called?")
    expect(page.locator(ANSWERS)).to_contain_text("Undine")
    expect(page.locator(ANSWERS)).not_to_contain_text("Nixe")


def test_facts_and_values_are_corrected_in_their_place(
    page: Page, serve: Callable[..., str], model: ScriptedModel
) -> None:
    address = serve()
    httpx.put(f"{address}/v1/memories/locker", json={"value": "number 12"}).raise_for_status()
    [told] = httpx.post(f"{address}/v1/facts", json={"text": "I live in Oslo."}, timeout=30).json()["decisions"]
    address = serve(openai_base_url=model.url, embedding_model="local", model_deadline=5)
    page.goto(address)
    model.script(answer("Oslo [1], locker 12 [2], and a third [3]."), about="Where do I live, and what is my locker?")
    say(page, "Where do I live, and what is my locker?")
    wait(page)
    page.get_by_role("button", name="2 sources").click()
    sources = page.get_by_role("region", name="Sources")
    dialog = page.get_by_role("dialog", name="Correct")
    fact, value = (sources.get_by_role("listitem").filter(has_text=text) for text in (told["text"], "number 12"))
    for source, view in ((fact, "facts"), (value, "values")):
        expect(source.get_by_role("link", name="Show in memory")).to_have_attribute("href", f"memory#{view}")
        expect(source.get_by_role("button", name="Not relevant")).to_have_count(0)
    value.get_by_role("button", name="Correct").click()
    expect(dialog.get_by_role("textbox")).to_have_value("number 12")
    dialog.get_by_role("textbox").fill("number 13")
    dialog.get_by_role("button", name="Save").click()
    expect(sources).to_contain_text("locker: number 13")
    fact.get_by_role("button", name="Correct").click()
    dialog.get_by_role("textbox").fill("The user lives in Bergen.")
    dialog.get_by_role("button", name="Save").click()
    expect(sources).to_contain_text("Deleted or corrected since.")
    expect(sources).to_be_focused()
    assert [one["text"] for one in httpx.get(f"{address}/v1/facts").json()["items"]] == ["The user lives in Bergen."]


def test_an_answer_as_a_source_is_not_corrected_and_a_refusal_is_shown(page: Page, serve: Callable[..., str]) -> None:
    address = serve()
    recalled(page, address)
    sources = page.get_by_role("region", name="Sources")
    refusal = {"detail": "The disk is full.", "status": 507}
    page.route("**/v1/sessions/**", lambda route: route.fulfill(status=507, json=refusal))
    sources.get_by_role("button", name="Not relevant").click()
    expect(sources.get_by_role("alert")).to_have_text("The disk is full.")
    expect(sources.get_by_role("button", name="Not relevant")).to_be_focused()
    sources.get_by_role("button", name="Correct").click()
    dialog = page.get_by_role("dialog", name="Correct")
    dialog.get_by_role("textbox").fill("My boat is called Undine")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_have_text("The disk is full.")
    page.keyboard.press("Escape")
    page.unroute("**/v1/sessions/**")

    def of_loci(route: Route) -> None:
        receipt = route.fetch().json()
        route.fulfill(json=receipt | {"used": [one | {"role": "assistant"} for one in receipt["used"]]})

    page.route("**/v1/receipts/**", of_loci)
    page.reload()
    page.get_by_role("button", name="1 source").click()
    expect(sources).to_contain_text("Loci said")
    expect(sources.get_by_role("button", name="Not relevant")).to_be_visible()
    expect(sources.get_by_role("button", name="Correct")).to_have_count(0)


CITING = """Oslo [1][2]. According to [1]: yes, and x[7] is no source, nor is `y[2]` code that cites.

[2]: so it was said.

""" + "\n\n".join(f"Paragraph {number}." for number in range(60))


def test_numbers_lead_to_their_sources(page: Page, serve: Callable[..., str], model: ScriptedModel) -> None:
    address = serve(openai_base_url=model.url, embedding_model="local", model_deadline=5)
    for key, value in (("home", "Oslo"), ("locker", "number 12")):
        httpx.put(f"{address}/v1/memories/{key}", json={"value": value}).raise_for_status()
    page.goto(address)
    model.script(answer(CITING), about="Where is my home, and what is my locker?")
    say(page, "Where is my home, and what is my locker?")
    wait(page)
    for _ in range(2):
        cites = page.locator(".cite")
        expect(cites).to_have_text(["1", "2", "1", "2"])
        expect(page.locator(ANSWERS)).to_contain_text("According to 1: yes, and x[7] is no source, nor is y[2]")
        expect(page.get_by_role("button", name="2 sources")).to_have_count(1)
        page.locator(".thread").evaluate("box => { box.scrollTop = 0; }")
        for place, key in ((1, "Space"), (0, "Enter")):
            cites.nth(place).press(key)
            source = page.locator(".sources li.marked")
            expect(source).to_be_focused()
            expect(source).to_be_in_viewport()
            expect(source).to_have_js_property("value", place + 1)
        page.reload()
