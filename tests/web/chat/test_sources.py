"""Sources under an answer: what it cites leads to its message, and is forgotten in its place."""

from collections.abc import Callable

import httpx
from playwright.sync_api import Page, expect

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
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    expect(page.locator(".sources")).to_contain_text("This was deleted since.")
    assert httpx.post(f"{address}/v1/search", json={"query": "Nixe boat"}).json()["items"][:1] != []
    page.reload()
    expect(page.locator(SAID)).to_have_text(["What is my boat called?"])
