"""API keys on the admin page, in a real browser: made, shown once, rotated, revoked."""

from collections.abc import Callable

import httpx
from playwright.sync_api import Page, expect

from tests.web.admin import row
from tests.web.watched import Watched, assert_accessible

ADMIN = "key-of-the-admin-1"


def opens(address: str, key: str | None, user: str | None = None) -> int:
    headers = {"x-api-key": key or "", **({"x-loci-user": user} if user else {})}
    return httpx.get(f"{address}/v1/sessions", headers=headers).status_code


def test_a_key_is_made_shown_once_rotated_and_revoked(page: Page, watched: Watched, serve: Callable[..., str]) -> None:
    address = serve(api_keys="ann:key-of-ann", admin_key=ADMIN)
    page.goto(f"{address}/admin#/keys")
    page.get_by_role("textbox", name="Admin key").fill(ADMIN)
    page.keyboard.press("Enter")
    expect(row(page, "ann").locator("td").last).to_have_text("API_KEYS")
    expect(row(page, "ann").get_by_role("button")).to_have_count(0)
    watched.complaints.clear()  # of the page's first request, which had no key
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    shown = page.get_by_role("status").locator("code")
    page.get_by_label("User id").fill("bob")
    page.get_by_label("Purpose").fill("<b>phone</b>")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("It is shown this once")
    expect(page.get_by_role("button", name="Copy")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    first = shown.text_content()
    assert page.evaluate("navigator.clipboard.readText()") == first
    assert opens(address, first) == 200
    expect(row(page, "<b>phone</b>")).to_contain_text("bob")
    assert_accessible(page)
    page.get_by_role("button", name="Rotate").click()
    page.get_by_role("button", name="Cancel").click()
    assert opens(address, first) == 200
    page.get_by_role("button", name="Rotate").click()
    page.get_by_role("dialog").get_by_role("button", name="Rotate").click()
    expect(shown).not_to_have_text(first or "")
    second = shown.text_content()
    assert (opens(address, first), opens(address, second)) == (401, 200)
    page.get_by_role("button", name="Revoke").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").press("Enter")
    expect(page.get_by_role("status")).to_have_text(f"{(second or '')[:13]}… is revoked.")
    expect(page.locator("tbody tr")).to_have_count(1)
    assert opens(address, second) == 401
    page.get_by_label("Key for").select_option("Acts for users")
    expect(page.get_by_label("User id")).to_be_disabled()
    page.get_by_role("button", name="Make a key").click()
    expect(row(page, "Acts for users")).to_have_count(1)
    assert opens(address, shown.text_content(), "carla") == 200
    page.reload()
    expect(row(page, "Acts for users")).to_have_count(1)
    expect(page.get_by_role("status")).to_have_text("")
    assert watched.complaints == []


def test_without_an_admin_key_it_is_told_why_no_key_is_made(page: Page, address: str) -> None:
    page.goto(f"{address}/admin")
    page.get_by_role("link", name="API keys").click()
    page.get_by_label("User id").fill("bob")
    page.get_by_role("button", name="Make a key").click()
    expect(page.get_by_role("alert")).to_contain_text("no ADMIN_KEY is set")
    assert opens(address, None) == 200
