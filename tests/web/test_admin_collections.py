"""The collections on the admin page, in a real browser: browsing, a document whole, the audit log; all views."""

import os
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web.admin import EVIL, USER, row
from tests.web.watched import Watched, assert_accessible


def test_from_the_collections_to_a_document_with_its_vector(page: Page, watched: Watched, address: str) -> None:
    page.goto(f"{address}/admin#/collections")
    expect(row(page, "vectors").first).to_contain_text("gists")
    page.get_by_role("link", name="vectors", exact=True).click()
    expect(page.locator("h2")).to_have_text("vectors")
    expect(row(page, "My dog is called Biscuit").first).to_be_visible()
    page.get_by_label("Text", exact=True).fill("biscuit")
    page.get_by_label("User", exact=True).fill(USER)
    page.get_by_label("Kind", exact=True).fill("turn")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("tbody tr")).to_have_count(2)
    page.get_by_role("link", name="first one").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_role("link", name="My dog is called Biscuit").click()
    expect(page.locator(".fields")).to_contain_text("384 dimensions, norm 1.0000")
    expect(page.get_by_role("img", name="The 384 values of the vector")).to_be_visible()
    expect(page.locator(".fields li").filter(has_text="timestamp").first).to_contain_text("date")
    page.go_back()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.get_by_label("Text", exact=True)).to_have_value("biscuit")
    page.get_by_role("link", name="Audit log").click()
    expect(page.locator("tbody tr").first).to_contain_text("GET /v1/admin/collections/{collection}")
    expect(row(page, USER).first).to_contain_text("no key")
    assert watched.complaints == []
    assert {url.split("/")[2] for url in watched.requests} == {address.split("/")[2]}


def test_a_long_collection_is_read_page_by_page(page: Page, address: str) -> None:
    messages = [{"role": "user", "content": f"Number {number}."} for number in range(120)]
    body = {"user_id": "bob", "session_id": "long", "messages": messages}
    assert httpx.post(f"{address}/v1/messages", json=body, timeout=60).status_code == 200
    page.goto(f"{address}/admin#/collections/vectors?session_id=long")
    expect(page.locator("tbody tr")).to_have_count(50)
    page.get_by_role("button", name="Show more").press("Enter")
    expect(page.locator("tbody tr")).to_have_count(100)
    page.get_by_role("button", name="Show more").press("Enter")
    expect(page.locator("tbody tr")).to_have_count(120)


def test_what_users_say_is_text_in_every_view(page: Page, watched: Watched, address: str) -> None:
    page.goto(f"{address}/admin#/collections/vectors")
    page.get_by_role("link", name=EVIL).click()
    expect(page.locator(".fields .value").filter(has_text=EVIL)).to_have_count(1)
    assert page.locator("main img, main script, main b b").count() == 0
    expect(page).to_have_title("Loci admin")
    assert watched.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_view_fits_and_has_no_violations(browser: Browser, address: str, scheme: Any) -> None:
    documents = httpx.get(f"{address}/v1/admin/collections/vectors").json()["items"]
    own = {"user_id": USER}
    turn = httpx.get(f"{address}/v1/sessions/second one/messages", params=own).json()["items"][0]["turn_id"]
    page = browser.new_page(color_scheme=scheme)
    views = {
        "overview": "",
        "collections": "collections",
        "browse": "collections/vectors",
        "document": f"collections/vectors/{documents[0]['id']}",
        "users": "users",
        "user": "users/bob",
        "session": f"users/{quote(USER)}/sessions/second%20one",
        "receipt": f"users/{quote(USER)}/receipts/{turn}",
        "jobs": "jobs",
        "audit": "audit",
        "probe": "users/bob/probe?query=hello&beside=query-cosine",
        "map": f"users/{quote(USER)}/map",
    }
    for name, view in views.items():
        page.goto(f"{address}/admin#/{view}")
        expect(page.locator("main:not([aria-busy]) h2")).to_have_count(1)
        if name == "probe":
            expect(page.locator(".beside section")).to_have_count(2)
        for width in (360, 768, 1440):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (view, width)
            if shots := os.environ.get("SHOTS"):
                page.screenshot(path=f"{shots}/{name}-{width}-{scheme}.png", full_page=True)
        assert_accessible(page)
        if name == "probe":
            page.get_by_role("button", name="Preview the prompt").click()
            expect(page.locator(".beside")).to_contain_text("system")
            assert_accessible(page)
        if name == "user":
            page.get_by_role("button", name="Delete …").click()
            expect(page.get_by_label("Type “bob” to go on")).to_be_visible()
            assert_accessible(page)
    page.close()
