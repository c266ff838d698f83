"""What the buttons of the admin page do, and where they leave the focus, in a real browser."""

from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect
from pymongo.database import Database

from tests.checks import eventually
from tests.web.admin import kill, row


def focused(page: Page) -> str:
    text: str = page.evaluate("document.activeElement.tagName + ' ' + document.activeElement.textContent")
    return text


def test_a_dead_job_is_retried_and_an_error_is_shown(
    page: Page, address: str, database: Database[dict[str, Any]]
) -> None:
    kill(database, "Hello")
    page.goto(f"{address}/admin")
    expect(row(page, "embed").locator("a")).to_have_text("1")
    row(page, "embed").locator("a").click()
    expect(row(page, "Hello")).to_contain_text("given up")
    page.get_by_role("button", name="Retry embed").click()
    expect(page.get_by_role("status")).to_have_text("1 job was put back.")
    expect(row(page, "Hello").locator(".state")).to_have_text("waiting")
    expect(row(page, "Hello")).not_to_contain_text("given up")
    eventually(lambda: database.vectors.find_one({"content": "Hello", "embed.state": "done"}))
    page.get_by_role("button", name="Refresh").click()
    expect(page.locator("main")).to_contain_text("No job is dead.")
    kill(database, "Hello")
    page.get_by_role("button", name="Refresh").click()
    expect(row(page, "Hello")).to_contain_text("given up")
    database.vectors.update_one({"content": "Hello"}, {"$set": {"embed.state": "done"}})  # somebody was faster
    page.get_by_role("button", name="Retry embed").click()
    expect(row(page, "Hello").locator(".error")).to_contain_text("Only a dead job")
    expect(row(page, "Hello").get_by_role("button")).to_have_count(0)
    expect(row(page, "Hello")).not_to_contain_text("given up")
    kill(database, "My dog is called Biscuit")
    page.get_by_role("button", name="Retry all dead jobs").click()
    expect(page.get_by_role("status")).to_have_text("1 job was put back.")
    expect(page.locator("main")).to_contain_text("No job is dead.")


@pytest.mark.parametrize(("comes_back", "told"), [(True, "once the model is back"), (False, "given up")])
def test_a_dead_job_is_due_only_where_it_is_taken_up_by_itself(
    page: Page, address: str, comes_back: bool, told: str
) -> None:
    item = dict.fromkeys(("session_id", "error", "due_at")) | {"state": "dead", "comes_back": comes_back, "attempts": 3}
    item |= dict.fromkeys(("id", "user_id", "about", "text"), "x") | {"kind": "embed"}
    page.route("**/v1/admin/jobs?*", lambda route: route.fulfill(json={"items": [item], "next_cursor": None}))
    page.goto(f"{address}/admin#/jobs")
    expect(page.locator("td[data-label=Due]")).to_have_text(told)


def test_a_retry_that_fails_for_another_reason_can_be_tried_again(
    page: Page, address: str, database: Database[dict[str, Any]]
) -> None:
    kill(database, "Hello")
    page.goto(f"{address}/admin#/jobs")
    page.route("**/retry", lambda route: route.fulfill(status=503, json={"detail": "The store is away"}))
    page.get_by_role("button", name="Retry embed").click()
    expect(row(page, "Hello").locator(".error")).to_have_text("The store is away")
    expect(row(page, "Hello")).to_contain_text("given up")
    page.unroute("**/retry")
    page.get_by_role("button", name="Retry embed").click()
    expect(row(page, "Hello").locator(".state")).to_have_text("waiting")
    expect(row(page, "Hello").locator(".error")).to_have_count(0)


def test_a_button_that_works_keeps_the_focus_or_passes_it_to_what_takes_its_place(
    page: Page, address: str, database: Database[dict[str, Any]]
) -> None:
    for text in ("Hello", "My dog is called Biscuit"):
        kill(database, text)
    page.goto(f"{address}/admin#/jobs")
    page.get_by_role("button", name="Retry embed").first.press("Enter")
    expect(page.get_by_role("status")).to_have_text("1 job was put back.")
    assert focused(page) == "SPAN waiting"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert focused(page) == "BUTTON Retry"  # of the next row, behind its links
    database.vectors.update_many({"embed.state": "dead"}, {"$set": {"embed.state": "done"}})
    page.keyboard.press("Enter")
    expect(page.locator(".error")).to_contain_text("Only a dead job")
    assert focused(page).startswith("P Only a dead job")
    page.get_by_role("button", name="Retry all dead jobs").press("Enter")
    expect(page.locator("main")).to_contain_text("No job is dead.")
    assert focused(page) == "BUTTON Retry all dead jobs"
    page.goto(f"{address}/admin#/users/bob")
    page.get_by_label("Search as this user").fill("hello")
    page.get_by_role("button", name="Search").press("Enter")
    expect(page.locator(".meta")).to_contain_text("found in")
    assert focused(page) == "BUTTON Search"


def test_a_long_list_goes_on_keeps_the_focus_and_passes_it_to_the_first_of_the_last(page: Page, address: str) -> None:
    messages = [{"role": "user", "content": f"Number {number}."} for number in range(230)]
    body = {"user_id": "bob", "session_id": "long", "messages": messages}
    assert httpx.post(f"{address}/v1/messages", json=body, timeout=60).status_code == 200
    page.goto(f"{address}/admin#/users/bob/sessions/long")
    expect(page.locator(".messages > li")).to_have_count(100)
    page.get_by_role("button", name="Show more").press("Enter")
    expect(page.locator(".messages > li")).to_have_count(200)
    assert focused(page) == "BUTTON Show more"
    page.keyboard.press("Enter")
    expect(page.locator(".messages > li")).to_have_count(230)
    expect(page.get_by_role("button", name="Show more")).to_have_count(0)
    expect(page.locator(".messages > li").last).to_contain_text("Number 229.")
    assert "Number 200." in focused(page)


def test_a_button_that_works_does_nothing_twice(page: Page, address: str) -> None:
    asked: list[Any] = []  # answered by nobody yet
    page.route("**/search", lambda route: asked.append(route))
    page.goto(f"{address}/admin#/users/bob")
    page.get_by_label("Search as this user").fill("hello")
    search = page.get_by_role("button", name="Search")
    for _ in range(3):
        search.press("Enter")
    expect(search).to_have_attribute("aria-disabled", "true")
    page.get_by_label("Search as this user").press("Enter")
    eventually(lambda: page.evaluate("1") and asked)
    asked[0].fulfill(json={"items": [], "took_ms": 1, "searched": None})
    expect(page.locator(".meta")).to_contain_text("0 found")
    expect(search).not_to_have_attribute("aria-disabled", "true")
    assert len(asked) == 1
