"""The list of chats: renamed, found, deleted."""

from collections.abc import Callable

import httpx
from playwright.sync_api import Page, expect

from tests.web.chatting import SAID


def test_chats_are_renamed_found_and_deleted(page: Page, serve: Callable[..., str]) -> None:
    address = serve()
    for session, text in (("a", "The roof of the shed leaks"), ("b", "Strawberries want shade")):
        body = {"session_id": session, "messages": [{"role": "user", "content": text}], "wait": True}
        httpx.post(f"{address}/v1/messages", json=body).raise_for_status()
    page.goto(address)
    chats = page.get_by_role("navigation", name="Chats")
    expect(chats.locator(".sessions li > a")).to_have_text(["Strawberries want shade", "The roof of the shed leaks"])
    page.get_by_role("button", name="Actions for “The roof of the shed leaks”").click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_label("Title", exact=True).fill("Repairs")
    page.get_by_role("button", name="Save").click()
    expect(chats.get_by_role("link", name="Repairs")).to_be_visible()
    page.get_by_label("Search chats").fill("leaks")
    expect(chats.locator(".found a")).to_contain_text(["The roof of the shed leaks"])
    chats.locator(".found a").first.click()
    expect(page.locator(SAID)).to_have_text("The roof of the shed leaks")
    page.get_by_label("Search chats").fill("")
    chats.get_by_role("link", name="Strawberries want shade").hover()
    page.get_by_role("button", name="Actions for “Strawberries want shade”").click()
    page.get_by_role("menuitem", name="Delete").click()
    expect(page.get_by_role("dialog")).to_contain_text("goes with its message, its summaries")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(chats.locator(".sessions li > a")).to_have_text(["Repairs"])
    assert [one["title"] for one in httpx.get(f"{address}/v1/sessions").json()["items"]] == ["Repairs"]
