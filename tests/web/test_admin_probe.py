"""What an admin tries for a user on the admin page, in a real browser: probe, prompt, map, export and deletion."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.checks import eventually
from tests.web.admin import EVIL, USER
from tests.web.chat.test_hostile import HOSTILE
from tests.web.watched import Watched, assert_accessible


@pytest.fixture
def guarded(serve: Callable[..., str]) -> str:
    """An API with an admin key."""
    return serve(admin_key="key-of-the-admin-1")


def test_two_recipes_stand_side_by_side_with_scores_and_reasons(page: Page, watched: Watched, address: str) -> None:
    page.goto(f"{address}/admin#/users/{quote(USER)}")
    page.get_by_role("link", name="Probe").click()
    page.get_by_label("Question").fill("What is my dog called?")
    page.get_by_label("And beside it").select_option("query-cosine")
    page.get_by_label("And beside it").press("Tab")
    page.keyboard.press("Enter")
    both = page.locator(".beside section")
    expect(both.locator("h3")).to_have_text(["query", "query-cosine"])
    first = both.first.locator("li").filter(has_text="My dog is called Biscuit").first
    expect(first.locator(".state")).to_have_text("used")
    expect(first.locator(".parts th").first).to_have_text("score")
    expect(both.last.locator("li").filter(has_text="left out: ").first).to_be_visible()
    assert page.locator("main img, main script").count() == 0
    page.reload()
    expect(both.locator("h3")).to_have_text(["query", "query-cosine"])
    page.get_by_role("button", name="Preview the prompt").click()
    expect(page.locator(".beside")).to_contain_text("My dog is called Biscuit")
    expect(page.locator(".beside")).to_contain_text("system")
    assert watched.complaints == []
    assert {url.split("/")[2] for url in watched.requests} == {address.split("/")[2]}


def test_the_probe_tells_what_holds_no_longer_and_what_does_instead(page: Page, address: str) -> None:
    for query in ("I live in Lisbon.", "I moved to Porto."):
        httpx.post(f"{address}/query", json={"query": query, "user_id": "bob"}, timeout=30).raise_for_status()
    body = {"query": "Where do I live?"}
    asked = f"{address}/v1/admin/users/bob/probe"
    eventually(lambda: any(one["replaced_by"] for one in httpx.post(asked, json=body).json()["candidates"]))
    page.goto(f"{address}/admin#/users/bob/probe?query=Where%20do%20I%20live%3F")
    former = page.locator(".messages > li").filter(has=page.get_by_role("link", name="I live in Lisbon."))
    expect(former.locator(".head")).to_contain_text("holds no longer")
    expect(former.locator(".instead")).to_contain_text("Porto")
    expect(page.locator(".messages > li").filter(has_text="I moved to Porto.").locator(".bad")).to_have_count(0)


def test_the_map_is_read_by_pointer_and_keys(page: Page, watched: Watched, address: str) -> None:
    # The second session's messages are embedded behind the answer.
    eventually(lambda: len(httpx.get(f"{address}/v1/admin/users/{quote(USER)}/map").json()["spots"]) > 2)
    page.goto(f"{address}/admin#/users/{quote(USER)}/map")
    expect(page.locator(".map circle")).not_to_have_count(0)
    page.locator(".map").focus()
    read = []
    for _ in range(page.locator(".map circle").count()):
        page.keyboard.press("ArrowRight")
        read.append(page.locator(".read p").text_content())
    assert EVIL in read
    assert len(set(read)) >= 3
    page.locator(".map circle").first.hover(force=True)
    expect(page.locator(".map circle").first).to_have_class("c0 chosen")
    page.get_by_label("Colour by").select_option("session")
    expect(page.locator(".legend")).to_contain_text("first one")
    assert watched.complaints == []


def test_a_user_is_exported_and_deleted_once_the_id_is_typed(page: Page, address: str) -> None:
    page.goto(f"{address}/admin#/users/bob")
    with page.expect_download() as begun:
        page.get_by_role("button", name="Export").click()
    assert "Hello" in Path(begun.value.path()).read_text()
    page.get_by_role("button", name="Delete …").click()
    expect(page.locator("main")).to_contain_text("Nothing is deleted yet")
    go = page.get_by_role("button", name="Delete for good")
    expect(go).to_be_disabled()
    assert httpx.get(f"{address}/v1/admin/users/bob").json()["messages"] == 1
    page.get_by_label("Type “bob” to go on").fill("bob")
    page.keyboard.press("Enter")
    expect(page.locator("h2")).to_have_text("Users")
    expect(page.get_by_role("link", name="bob")).to_have_count(0)
    assert httpx.get(f"{address}/v1/admin/users/bob").status_code == 404


@pytest.mark.parametrize(("locale", "overview"), [("de-DE", "Überblick"), ("es-ES", "Resumen")])
def test_the_page_speaks_the_language_of_the_browser(
    browser: Browser, address: str, locale: str, overview: str
) -> None:
    page = browser.new_page(locale=locale)
    page.goto(f"{address}/admin")
    expect(page.locator("h2")).to_have_text(overview)
    page.close()


def test_a_key_leaves_with_whoever_signs_out(page: Page, guarded: str) -> None:
    page.goto(f"{guarded}/admin")
    page.get_by_role("textbox", name="Admin key").fill("key-of-the-admin-1")
    page.get_by_role("button", name="Use it").click()
    expect(page.locator(".card")).to_have_count(3)
    expect(page.locator(".notice")).to_have_count(0)
    assert "key-of" not in page.url
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert_accessible(page)
    assert page.evaluate("sessionStorage.length") == 0
    page.keyboard.press("Escape")
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_what_is_hostile_in_a_memory_does_nothing(page: Page, watched: Watched, address: str) -> None:
    messages = [{"role": "user", "content": text} for text in HOSTILE]
    body = {"user_id": "mallory", "session_id": HOSTILE[1].replace("/", ""), "messages": messages, "wait": True}
    assert httpx.post(f"{address}/v1/messages", json=body, timeout=60).status_code == 200
    documents = httpx.get(f"{address}/v1/admin/collections/vectors", params={"user_id": "mallory"}).json()["items"]
    views = ["probe?query=press", "map", "search/press", f"sessions/{quote(body['session_id'])}"]
    paths = [f"users/mallory/{view}" for view in views] + ["collections/vectors?user_id=mallory"]
    for path in [*paths, *(f"collections/vectors/{one['id']}" for one in documents), "audit"]:
        page.goto(f"{address}/admin#/{path}")
        expect(page.locator("main:not([aria-busy]) h2")).to_have_count(1)
        if path.endswith("press"):
            expect(page.locator("main").get_by_text("press").first).to_be_visible()
        made = page.locator("main :is(img, script, iframe, style, object, animate, [onclick], [onerror], [style])")
        assert made.count() == 0, made.first.evaluate("one => one.outerHTML")
        for link in page.locator("main a").all():
            assert (link.get_attribute("href") or "#/").startswith("#/")
    assert page.evaluate("window.ran") is None
    assert {url.split("/")[2] for url in watched.requests} == {address.split("/")[2]}
    assert watched.complaints == []
