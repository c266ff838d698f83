"""The list of chats: renamed, found, deleted."""

from collections.abc import Callable

import httpx
from playwright.sync_api import Page, expect

from tests.web.chatting import SAID, say, wait


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
    expect(page.get_by_role("dialog")).to_contain_text("with its message, its summaries")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(chats.locator(".sessions li > a")).to_have_text(["Repairs"])
    assert [one["title"] for one in httpx.get(f"{address}/v1/sessions").json()["items"]] == ["Repairs"]


def options(page: Page, label: str, value: str) -> None:
    page.get_by_role("button", name="Options").click()
    page.get_by_role("dialog").get_by_label(label, exact=True).fill(value)
    page.get_by_role("button", name="Save").click()


def test_a_chat_that_is_renamed_has_its_new_name_above_it(page: Page, serve: Callable[..., str]) -> None:
    page.goto(serve())
    say(page, "Hello")
    wait(page)
    page.reload()
    expect(page.locator(".message")).to_have_count(2)
    page.locator(".sessions li").get_by_role("button").click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_label("Title").fill("A greeting")
    page.keyboard.press("Enter")
    expect(page.locator(".top h1")).to_have_text("A greeting")
    expect(page).to_have_title("A greeting · Loci")


def test_a_new_chat_is_of_the_project_that_is_chosen(page: Page, serve: Callable[..., str]) -> None:
    address = serve()
    page.goto(address)
    options(page, "Project", "Garden")
    say(page, "I planted beans")
    wait(page)
    projects = page.get_by_role("combobox", name="Project")
    expect(projects.locator("option")).to_have_text(["All projects", "Garden"])
    page.get_by_role("button", name="New chat").first.click()
    projects.select_option("Garden")
    expect(page.locator(".composer .state")).to_have_text("Garden")
    say(page, "And peas")
    wait(page)
    expect(page.locator(".sessions li")).to_have_count(2)
    page.get_by_role("button", name="New chat").first.click()
    expect(page.locator(".composer .state")).to_have_text("Garden")
    projects.select_option("All projects")
    expect(page.locator(".composer .state")).to_have_text("")
    assert {one["project"] for one in httpx.get(f"{address}/v1/sessions").json()["items"]} == {"Garden"}


def test_a_chat_that_is_not_there_is_told_and_nothing_else(page: Page, serve: Callable[..., str]) -> None:
    page.goto(f"{serve()}/?session=gone")
    expect(page.locator(".thread .bad")).to_have_text("No such session")
    expect(page.locator(".beginning")).to_have_count(0)


def test_on_a_phone_the_chats_lie_over_the_chat_until_they_are_closed(page: Page, serve: Callable[..., str]) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(serve())
    page.get_by_role("button", name="Show chats").click()
    expect(page.locator(".sidebar").get_by_role("button", name="New chat")).to_be_focused()
    expect(page.locator("main")).to_have_attribute("inert", "")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Show chats")).to_be_focused()
    expect(page.locator("main")).not_to_have_attribute("inert", "")
    expect(page.get_by_label("Search chats")).to_have_count(0)


def test_a_name_that_is_refused_is_told(page: Page, serve: Callable[..., str]) -> None:
    page.goto(serve())
    say(page, "Hello")
    wait(page)
    refusal = {"detail": "The store is away.", "status": 503}
    page.route("**/v1/sessions/*", lambda route: route.fulfill(status=503, json=refusal))
    page.get_by_role("button", name="Actions for “Hello”").click()
    page.get_by_role("menuitem", name="Rename").click()
    dialog = page.get_by_role("dialog", name="Rename")
    dialog.get_by_label("Title").fill("A greeting")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_have_text("The store is away.")
    page.unroute("**/v1/sessions/*")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="A greeting")).to_be_visible()


def test_the_list_is_read_again_where_it_could_not_be(page: Page, serve: Callable[..., str]) -> None:
    address = serve()
    page.route("**/v1/sessions?*", lambda route: route.fulfill(status=503, json={"detail": "The store is away."}))
    page.goto(address)
    chats = page.get_by_role("navigation", name="Chats")
    expect(chats.get_by_role("alert")).to_have_text("The store is away.")
    page.unroute("**/v1/sessions?*")
    chats.get_by_role("button", name="Try again").click()
    expect(chats.get_by_role("alert")).to_have_count(0)
