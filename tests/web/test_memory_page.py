"""The memory page, in a real browser: what is remembered is read, changed and forgotten there."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.checks import eventually
from tests.web.watched import Watched, assert_accessible

SAID = ["I live in Oslo.", "I am allergic to peanuts.", "Remember that my locker is number 12"]


@pytest.fixture
def address(serve: Callable[..., str]) -> str:
    """Of an API that knows three things of its user."""
    address = serve()
    for text in SAID:
        httpx.post(f"{address}/query", json={"query": text, "session_id": "said"}, timeout=30).raise_for_status()
    eventually(lambda: len(facts(address)) >= 2)
    return address


def facts(address: str, **parameters: str) -> list[str]:
    return [one["text"] for one in httpx.get(f"{address}/v1/facts", params=parameters).json()["items"]]


def act(page: Page, thing: str, action: str) -> None:
    page.get_by_role("button", name=f"Actions for “{thing}”").click()
    page.get_by_role("menuitem", name=action, exact=True).click()


def test_items_of_the_profile_are_pinned_hidden_and_reworded(page: Page, watched: Watched, address: str) -> None:
    page.goto(f"{address}/memory")
    items = page.locator(".items > li")
    expect(items.first).to_contain_text("allergic to peanuts")
    act(page, "The user lives in Oslo.", "Pin")
    expect(items.first).to_contain_text("The user lives in Oslo.")
    expect(items.first).to_contain_text("Pinned")
    act(page, "The user is allergic to peanuts.", "Hide")
    expect(items.filter(has_text="peanuts")).to_contain_text("Hidden")
    act(page, "The user lives in Oslo.", "Change")
    page.get_by_role("dialog").get_by_role("textbox").fill("The user lives in Bergen.")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(items.first).to_contain_text("The user lives in Bergen.")
    shown = httpx.get(f"{address}/v1/profile").json()["items"]
    assert [one["text"] for one in shown if "peanuts" in one["text"]] == []
    assert watched.complaints == []


def test_standing_instructions_and_the_time_zone_are_set(page: Page, address: str) -> None:
    page.goto(f"{address}/memory")
    page.get_by_label("Instructions for all chats").fill("Answer briefly.")
    page.get_by_label("Time zone").fill("Moon/Crater")
    page.locator(".standing").get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("time zone")
    page.get_by_label("Time zone").fill("Europe/Oslo")
    page.locator(".standing").get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").filter(has_text="Saved.")).to_be_in_viewport()
    kept = httpx.get(f"{address}/v1/profile").json()
    assert (kept["instructions"], kept["timezone"]) == ("Answer briefly.", "Europe/Oslo")


def test_remembering_is_paused_and_resumed(page: Page, address: str) -> None:
    page.goto(f"{address}/memory")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    page.goto(address)
    expect(page.get_by_text("Remembering is paused")).to_be_visible()
    for text in ("My gate is number 12.", "What is my gate?"):
        page.get_by_label("Message", exact=True).fill(text)
        page.get_by_role("button", name="Send").click()
        expect(page.locator(".message.user .said").last).to_have_text(text)
        expect(page.get_by_role("button", name="Send")).to_be_visible()
    assert "gate" not in httpx.get(f"{address}/v1/users/default/export").text
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text("Remembering is paused")).to_have_count(0)
    page.get_by_label("Message", exact=True).fill("My gate is number 13.")
    page.get_by_role("button", name="Send").click()
    expect(page).to_have_url(re.compile("session="))


def test_facts_are_told_forgotten_in_bulk_and_brought_back(page: Page, address: str) -> None:
    page.goto(f"{address}/memory#facts")
    page.get_by_label("Tell Loci something about you").fill("I have a car.")
    page.get_by_role("button", name="Add").click()
    items = page.locator(".items > li")
    expect(items.filter(has_text="The user has a car.")).to_be_visible()
    page.get_by_role("checkbox", name="The user has a car.").check()
    page.get_by_role("checkbox", name="The user lives in Oslo.").check()
    page.get_by_role("button", name="Forget 2").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    expect(items.filter(has_text="The user has a car.")).to_have_count(0)
    expect(items.filter(has_text="peanuts")).to_be_visible()
    page.get_by_role("button", name="Past").click()
    expect(items).to_have_count(2)
    act(page, "The user lives in Oslo.", "Undo")
    page.get_by_role("button", name="In force").click()
    expect(items.filter(has_text="The user lives in Oslo.")).to_be_visible()
    act(page, "The user lives in Oslo.", "History")
    expect(page.get_by_role("dialog")).to_contain_text("Ended, by you")
    page.keyboard.press("Escape")
    items.filter(has_text="The user lives in Oslo.").get_by_role("link", name="Message").click()
    expect(page.locator(".message.marked .said")).to_have_text("I live in Oslo.")


def test_past_facts_stand_alone_with_a_history_that_goes_on(page: Page, address: str) -> None:
    towns = ["Rome", "Bergen", "Graz", "Turin", "Lyon", "Ghent", "York", "Kiel"]
    body = {"text": " ".join(f"My friend {name}son lives in {name}." for name in towns)}
    httpx.post(f"{address}/v1/facts", json=body, timeout=30).raise_for_status()
    [first] = httpx.post(f"{address}/v1/facts", json={"text": "My bike is blue."}, timeout=30).json()["decisions"]
    last = first["id"]
    for colour in ("red", "green", "black", "white", "grey", "pink", "gold"):
        text = {"text": f"The user's bike is {colour}."}
        last = httpx.patch(f"{address}/v1/facts/{last}", json=text).raise_for_status().json()["id"]
    page.goto(f"{address}/memory#facts")
    items = page.locator(".items > li")
    expect(items.filter(has_text="gold")).to_be_visible()
    page.get_by_role("button", name="Past").click()
    expect(items).to_have_count(7)
    page.get_by_role("button", name="In force").click()
    act(page, "The user's bike is gold.", "History")
    history = page.get_by_role("dialog")
    expect(history.locator("ol > li")).to_have_count(6)
    expect(history).to_contain_text("Replaced by a newer one, by you")
    assert_accessible(page)
    history.get_by_role("button", name="Show more").click()
    expect(history.locator("ol > li")).to_have_count(8)
    expect(history.locator("ol > li").last).to_contain_text("blue")
    expect(history.locator("ol > li").last).to_contain_text("Noted, by rules")


def test_what_cannot_be_read_has_a_way_back(page: Page, address: str) -> None:
    refusal = {"detail": "The disk is full.", "status": 507}
    page.route(re.compile("/v1/(?!search)"), lambda route: route.fulfill(status=507, json=refusal))
    for view in ("profile", "facts", "values", "summaries", "projects", "data"):
        page.goto(f"{address}/memory#{view}")
        expect(page.get_by_role("alert").filter(visible=True)).to_have_text("The disk is full.")
        expect(page.get_by_text("Loading")).to_have_count(0)
    page.unroute(re.compile("/v1/(?!search)"))
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("button", name="Download")).to_be_enabled()
    expect(page.get_by_role("alert").filter(visible=True)).to_have_count(0)


def test_a_key_is_given_after_it_was_refused(page: Page, serve: Callable[..., str]) -> None:
    page.goto(f"{serve(api_keys='ann:key-of-ann')}/memory#facts")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("alert").filter(visible=True)).to_have_text("This server needs an API key.")
    expect(page.get_by_text("Loading")).to_have_count(0)
    page.get_by_role("button", name="Enter a key").click()
    page.get_by_label("This server asks for an API key").fill("key-of-ann")
    page.get_by_role("button", name="Use it").click()
    expect(page.get_by_text("Nothing yet.")).to_be_visible()


def test_values_are_kept_changed_and_forgotten(page: Page, address: str) -> None:
    page.goto(f"{address}/memory#values")
    page.get_by_label("Name", exact=True).fill("gate")
    page.get_by_label("Value", exact=True).fill("4711")
    page.get_by_role("button", name="Add").click()
    items = page.locator(".items > li")
    expect(items.filter(has_text="gate")).to_contain_text("4711")
    act(page, "gate", "Change")
    page.get_by_role("dialog").get_by_role("textbox").fill("0815")
    page.get_by_role("button", name="Save").click()
    expect(items.filter(has_text="gate")).to_contain_text("0815")
    act(page, "gate", "History")
    expect(page.get_by_role("dialog")).to_contain_text("4711")
    page.keyboard.press("Escape")
    act(page, "locker", "Forget")
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    expect(items).to_have_count(1)
    assert [one["key"] for one in httpx.get(f"{address}/v1/memories").json()["items"]] == ["gate"]


def test_what_is_remembered_is_searched_and_leads_to_its_chat(page: Page, address: str) -> None:
    page.goto(f"{address}/memory")
    page.get_by_label("Search your memory").fill("Where do I live?")
    page.get_by_role("button", name="Search").click()
    found = page.locator("ol.items > li")
    expect(found.filter(has_text="I live in Oslo.")).to_be_visible()
    page.get_by_role("link", name="Facts").click()
    expect(found).to_have_count(0)
    page.get_by_label("Search your memory").fill("Where do I live?")
    page.get_by_role("button", name="Search").click()
    found.filter(has_text="I live in Oslo.").get_by_role("link", name="Show in its chat").click()
    expect(page.locator(".message.marked .said")).to_have_text("I live in Oslo.")


def test_a_project_is_made_and_deleted_with_its_chats(page: Page, address: str) -> None:
    page.goto(f"{address}/memory#projects")
    page.get_by_label("Name", exact=True).fill("novel")
    page.get_by_label("Isolated").check()
    page.get_by_role("button", name="Make a project").click()
    expect(page.locator(".items > li")).to_contain_text("isolated")
    body = {"query": "The hero is called Ulf.", "project": "novel", "session_id": "draft"}
    httpx.post(f"{address}/query", json=body, timeout=30).raise_for_status()
    act(page, "novel", "Delete")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Nothing yet.")).to_be_visible()
    assert httpx.get(f"{address}/v1/sessions/draft").status_code == 404


def test_all_goes_out_is_forgotten_and_comes_back(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(f"{address}/memory#data")
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download").click()
    downloading.value.save_as(tmp_path / "export.jsonl")
    page.get_by_role("button", name="Forget everything").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Forget everything")).to_be_disabled()
    dialog.get_by_role("textbox").fill("forget everything")
    dialog.get_by_role("button", name="Forget everything").click()
    expect(page.get_by_role("status").filter(has_text="documents were deleted.")).to_be_visible()
    assert facts(address) == []
    page.get_by_label("Choose a file").set_input_files(tmp_path / "export.jsonl")
    expect(page.get_by_role("status").filter(has_text="Done: 1 chat, 6 messages, ")).to_be_visible()
    assert len(facts(address)) >= 2
    page.get_by_label("Choose a file").set_input_files({"name": "x.jsonl", "mimeType": "text/plain", "buffer": b"no\n"})
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("it is neither JSON nor a zip file")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_view_fits_can_be_read_and_has_no_violations(browser: Browser, address: str, scheme: Any) -> None:
    page = browser.new_page(color_scheme=scheme)
    for view in ("profile", "facts", "values", "summaries", "projects", "data"):
        page.goto(f"{address}/memory#{view}")
        expect(page.locator("nav.views [aria-current]")).to_have_count(1)
        expect(page.get_by_text("Loading …").filter(visible=True)).to_have_count(0)
        for width in (360, 768, 1440):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
            if shots := os.environ.get("SHOTS"):
                page.screenshot(path=f"{shots}/memory-{view}-{width}-{scheme}.png")
        assert_accessible(page)
    page.close()


def test_the_view_that_is_shown_is_named_in_sight_on_a_small_screen(page: Page, serve: Callable[..., str]) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(f"{serve()}/memory#data")
    views = page.get_by_role("navigation", name="Memory")
    expect(views.get_by_role("link", name="Your data")).to_be_in_viewport(ratio=1)
    views.get_by_role("link", name="Profile").click()
    expect(page.get_by_role("heading", name="Profile")).to_be_visible()
    expect(views.get_by_role("link", name="Profile")).to_be_in_viewport(ratio=1)
