"""The admin page, in a real browser."""

import os
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect
from pymongo.database import Database

from config.settings import Settings
from tests.checks import eventually
from tests.conftest import Served
from tests.web.admin import EVIL, USER, kill, row
from tests.web.watched import Watched, contrast
from utils.clock import now

ADMIN = "key-of-the-admin-1"


def test_from_the_users_to_a_session_and_why_it_was_answered_so(page: Page, watched: Watched, address: str) -> None:
    page.goto(f"{address}/admin")
    expect(page).to_have_title("Loci admin")
    expect(page.locator(".card")).to_have_count(3)
    expect(page.locator(".numbers li").filter(has_text="turn")).to_have_text("turn5")
    page.get_by_role("link", name="Users").click()
    expect(page.locator("tbody tr")).to_have_count(2)
    page.get_by_label("Filter users").fill("BOB")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_label("Filter users").fill("<B>")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_role("link", name=USER).click()
    expect(page.locator("h2")).to_have_text(USER)
    page.get_by_label("Search as this user").fill("What is my dog called?")
    page.get_by_label("Search as this user").press("Enter")
    hit = page.locator(".messages > li").filter(has_text="My dog is called Biscuit")
    expect(hit.locator(".parts th")).to_have_text(["score", "dense", "bm25", "fused"])
    assert all(re.fullmatch(r"\d\.\d{3}", text) for text in hit.locator(".parts td").all_text_contents())
    page.get_by_role("link", name="second one").last.click()
    expect(page.locator(".messages > li")).to_have_count(2)
    expect(page.locator(".state").first).to_have_text("embedding done")
    page.get_by_role("link", name="Why?").click()
    expect(page.locator(".quoted").first).to_have_text("What is my dog called?")
    used = page.locator(".messages > li").filter(has_text="My dog is called Biscuit")
    expect(used.locator(".state")).to_have_text("used")
    page.go_back()
    expect(page.locator("h2")).to_have_text("What is my dog called?")
    page.reload()
    expect(page.locator("h2")).to_have_text("What is my dog called?")
    assert {url.split("/")[2] for url in watched.requests} == {address.split("/")[2]}
    assert watched.complaints == []


def test_a_message_that_a_search_finds_leads_to_its_session_and_a_fact_to_none(page: Page, address: str) -> None:
    body = {"user_id": "bob", "memory_id": "travels", "text": "My flight to Oslo is on Friday."}
    assert httpx.post(f"{address}/v1/facts", json=body, timeout=30).status_code == 200
    messages = [{"role": "user", "content": "How dear was my flight to Oslo?"}]
    body = {"user_id": "bob", "session_id": "talks", "messages": messages, "wait": True}
    assert httpx.post(f"{address}/v1/messages", json=body).status_code == 200
    search = {"user_id": "bob", "query": "flight to Oslo", "kinds": ["fact"]}
    eventually(lambda: httpx.post(f"{address}/v1/search", json=search).json()["items"])
    page.goto(f"{address}/admin#/users/bob/search/flight%20to%20Oslo")
    heads = page.locator(".messages > li .head")
    fact, message = heads.filter(has_text="fact, fact"), heads.filter(has_text="turn, user").filter(has_text="talks")
    expect(fact).to_contain_text("travels")
    expect(fact.locator("a")).to_have_count(0)
    message.get_by_role("link", name="talks").click()
    expect(page.locator(".messages > li")).to_have_count(1)
    expect(page.locator(".messages > li")).to_contain_text("How dear was my flight to Oslo?")


def test_markup_of_users_is_shown_as_the_text_that_it_is(
    page: Page, watched: Watched, address: str, database: Database[dict[str, Any]]
) -> None:
    kill(database, EVIL)
    page.goto(f"{address}/admin#/users")
    page.get_by_role("link", name=USER).click()
    page.get_by_role("link", name="first one").click()
    expect(page.locator(".messages p")).to_have_text(["My dog is called Biscuit", EVIL])
    page.get_by_role("link", name="Jobs").click()
    expect(row(page, "ValueError")).to_contain_text(EVIL)
    assert page.locator("main img, main script, main b").count() == 0
    expect(page).to_have_title("Loci admin")
    assert watched.complaints == []


def test_the_key_is_asked_for_and_stays_in_the_tab(page: Page, serve: Callable[..., str]) -> None:
    page.goto(f"{serve(api_keys='ann:key-of-ann', admin_key=ADMIN)}/admin")
    dialog = page.get_by_role("dialog")
    for key, told in (("wrong", "not this one"), ("key-of-ann", "a user's key"), (ADMIN, None)):
        expect(dialog).to_be_visible()
        page.get_by_role("textbox", name="Admin key").fill(key)
        page.get_by_role("button", name="Use it").click()
        if told:
            expect(page.locator("#reason")).to_contain_text(told)
    expect(dialog).to_be_hidden()
    expect(page.locator(".card")).to_have_count(3)
    page.reload()
    expect(page.locator(".card")).to_have_count(3)
    assert page.evaluate("[localStorage.length, document.cookie]") == [0, ""]
    assert page.evaluate("Object.values(sessionStorage)") == [ADMIN]


def test_where_no_key_can_help_none_is_asked_for(page: Page, serve: Callable[..., str]) -> None:
    page.goto(f"{serve(api_keys='ann:key-of-ann')}/admin")
    expect(page.get_by_text("there is no key for admins: set ADMIN_KEY")).to_be_visible()
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.evaluate("sessionStorage.setItem('admin-key', 'key-of-ann')")
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_text("there is no key for admins: set ADMIN_KEY")).to_be_visible()
    expect(page.get_by_role("dialog")).to_be_hidden()


@pytest.mark.parametrize("key", ["ключ", "a…b", "Schlüssel", "🔑"])
def test_a_key_that_no_header_carries_is_not_the_one_and_another_is_asked_for(
    page: Page, serve: Callable[..., str], key: str
) -> None:
    page.goto(f"{serve(admin_key=ADMIN)}/admin#/users/nobody")  # a view that asks for two things at once
    dialog, field = page.get_by_role("dialog"), page.get_by_role("textbox", name="Admin key")
    for _ in range(2):
        field.fill(key)
        page.get_by_role("button", name="Use it").click()
        expect(page.locator("#reason")).to_have_text("This is not the admin key")
        expect(dialog).to_be_visible()
        expect(field).to_have_value("")
    page.reload()
    expect(dialog).to_be_visible()
    field.fill(ADMIN)
    page.get_by_role("button", name="Use it").click()
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("alert")).to_have_text("No such user")


def test_a_server_that_is_away_and_a_view_that_is_not_there_are_told(
    page: Page, make_settings: Callable[..., Settings]
) -> None:
    served = Served(make_settings())
    page.goto(f"{served.start()}/admin#/users/nobody")
    expect(page.get_by_role("alert")).to_have_text("No such user")
    page.goto(f"{page.url.split('#')[0]}#/%")
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("link", name="Overview").click()
    expect(page.locator(".card")).to_have_count(3)
    served.stop()
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_role("alert")).to_have_text("The server cannot be reached. Is it running?")


def test_all_of_it_is_reached_with_the_keyboard(page: Page, address: str) -> None:
    page.goto(f"{address}/admin#/users")
    expect(page.locator("tbody tr")).to_have_count(2)
    page.locator("h1").click()
    expected = [
        "Chat",
        "Memory",
        "Refresh",
        "Overview",
        "Collections",
        "Users",
        "API keys",
        "Jobs",
        "Audit log",
        "search",
        USER,
        "bob",
    ]
    reached: list[str] = []
    for _ in range(len(expected)):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent || document.activeElement.type"))
    assert reached == expected
    page.keyboard.press("Enter")
    expect(page.locator("h2")).to_have_text("bob")
    assert page.evaluate("document.activeElement.id") == "main"


def under_load(route: Route) -> None:
    """The overview of a server that has much to do."""
    answer = route.fetch()
    seen = answer.json()
    for jobs in seen["jobs"]:
        jobs |= {"waiting": 99_999, "running": 128, "oldest_waiting": (now() - timedelta(minutes=59)).isoformat()}
    route.fulfill(response=answer, json=seen)


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_and_can_be_read(
    browser: Browser, address: str, database: Database[dict[str, Any]], width: int, scheme: Any
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 740}, color_scheme=scheme)
    page = context.new_page()
    long = [{"role": "user", "content": "A very long word is " + "x" * 300}]
    body = {"user_id": "bob", "session_id": "y" * 150, "messages": long, "wait": True}
    assert httpx.post(f"{address}/v1/messages", json=body).status_code == 200
    kill(database, long[0]["content"])
    page.route("**/v1/admin/overview", under_load)
    views = {"": ("Overview", ".card dt"), "users": ("Users", "tbody a"), "users/bob": ("bob", ".trail a")}
    views |= {f"users/bob/sessions/{'y' * 150}": ("A very long", ".messages .head"), "jobs": ("Jobs", ".bad")}
    views |= {"audit": ("Audit log", "td"), "keys": ("API keys", ".about")}
    for view, (title, looked_at) in views.items():
        page.goto(f"{address}/admin#/{view}")
        expect(page.locator("h2")).to_contain_text(title)
        expect(page.locator(looked_at).first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), view
        tab = page.locator("nav a[aria-current]").bounding_box()
        assert tab and tab["x"] >= 0 and tab["x"] + tab["width"] <= width, view
        for selector in (looked_at, "h2", "nav a[aria-current]", "h1 span"):
            assert contrast(page, selector) >= 4.5, (view, selector)
        if shots := os.environ.get("SHOTS"):
            page.screenshot(path=f"{shots}/admin-{title}-{width}-{scheme}.png", full_page=True)
    context.close()
