"""Answers on the chat page: they go on, are stopped, break off, and are told where they do not come."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event as Signal

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from agents import detached
from config.settings import Settings
from memory.turns.drafts import ABANDONED
from tests.checks import eventually
from tests.conftest import Served
from tests.processes import free_port, serving, stored
from tests.scripted_model import ScriptedModel, answer, cut, garbage, status
from tests.web.cable import Cable
from tests.web.chatting import ANSWERS, SAID, say, wait
from tests.web.watched import Watched
from utils.clock import now


def test_an_answer_goes_on_while_the_page_is_reloaded(page: Page, watched: Watched, address: str, held: Signal) -> None:
    page.goto(address)
    expect(page).to_have_title("Loci")
    say(page, "Count for me")
    expect(page.locator(ANSWERS)).to_have_text("One two")
    expect(page).to_have_url(re.compile("session="))
    page.reload()
    expect(page.locator(ANSWERS)).to_have_text("One two")
    held.set()
    expect(page.locator(ANSWERS)).to_have_text("One two three four")
    wait(page)
    page.reload()
    expect(page.locator(SAID)).to_have_text(["Count for me"])
    expect(page.locator(ANSWERS)).to_have_text(["One two three four"])
    expect(page).to_have_title(re.compile("Loci$"))
    assert {url.split("/")[2] for url in watched.requests} == {address.split("/")[2]}
    assert watched.complaints == []


def test_an_answer_goes_on_while_another_chat_is_looked_at(
    page: Page, address: str, model: ScriptedModel, held: Signal
) -> None:
    page.goto(address)
    say(page, "Count for me")
    expect(page.locator(ANSWERS)).to_have_text("One two")
    model.script(answer("Something new"))
    page.get_by_role("button", name="New chat").first.click()
    expect(page.locator(".message")).to_have_count(0)
    say(page, "Something else")
    expect(page.locator(ANSWERS)).to_have_text(["Something new"])
    held.set()
    page.go_back()
    expect(page.locator(ANSWERS)).to_have_text(["One two three four"])
    page.go_forward()
    expect(page.locator(ANSWERS)).to_have_text(["Something new"])


def test_what_came_until_it_was_stopped_is_kept(page: Page, address: str, held: Signal) -> None:
    page.goto(address)
    say(page, "Count for me")
    expect(page.locator(ANSWERS)).to_have_text("One two")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Interrupted")).to_be_visible()
    wait(page)
    page.reload()
    expect(page.locator(ANSWERS)).to_have_text("One two")
    expect(page.get_by_text("Interrupted")).to_be_visible()
    assert page.locator(".bad:visible").count() == 0


def let_time_pass(home: Path) -> None:
    """Until nobody writes the drafts any more."""
    with stored(home) as store:
        store.drafts.update_many({}, {"$set": {"at": now() - 2 * ABANDONED}})


def drafted(api: httpx.Client) -> float:
    """How often drafts were written."""
    found = re.search(r"^loci_drafts_total (\S+)$", api.get("/metrics").text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def test_a_killed_server_leaves_what_came(page: Page, model: ScriptedModel, held: Signal, tmp_path: Path) -> None:
    port = free_port()
    with serving(tmp_path / "home", model.url, port) as process:
        page.goto(f"http://127.0.0.1:{port}")
        say(page, "Count for me")
        expect(page.locator(ANSWERS)).to_have_text("One two")
        with httpx.Client(base_url=f"http://127.0.0.1:{port}") as api:
            eventually(lambda: drafted(api) > 1)  # the first says nothing yet
        process.kill()
        expect(page.locator(".message p.bad")).to_be_visible()
        expect(page.locator(ANSWERS)).to_have_text("One two")
    with ThreadPoolExecutor() as threads:  # a thread has no event loop yet, which the store needs and this one has
        threads.submit(let_time_pass, tmp_path / "home").result()
    with serving(tmp_path / "home", model.url, port) as process:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}") as api:
            eventually(lambda: api.get("/v1/sessions").json()["items"][0]["message_count"] == 2)
        page.reload()
        expect(page.locator(ANSWERS)).to_have_text("One two")


def test_an_answer_is_gone_on_with_once_the_connection_is_back(page: Page, address: str, held: Signal) -> None:
    cable = Cable(address)
    page.goto(cable.address)
    say(page, "Count for me")
    expect(page.locator(ANSWERS)).to_have_text("One two")
    for is_over in (False, True):
        cable.cut()
        expect(page.locator(".message .bad")).to_contain_text("The connection was lost. Reconnecting")
        expect(page.get_by_text("Interrupted")).to_have_count(0)
        if is_over:
            held.set()
            eventually(lambda: httpx.get(f"{address}/v1/sessions").json()["items"][0]["message_count"] == 2)
        cable.mend()
        expect(page.locator(".message .bad")).to_have_count(0)
    expect(page.locator(ANSWERS)).to_have_text(["One two three four"])
    wait(page)
    expect(page.locator(SAID)).to_have_text(["Count for me"])
    cable.close()


@pytest.mark.parametrize("is_stopped", [True, False])
def test_an_answer_that_is_lost_ends(
    page: Page, address: str, held: Signal, is_stopped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detached, "SECONDS_KEPT", 0)
    cable = Cable(address)
    page.goto(cable.address)
    say(page, "Count for me")
    expect(page.locator(ANSWERS)).to_have_text("One two")
    cable.cut()
    expect(page.locator(".message .bad")).to_contain_text("The connection was lost. Reconnecting")
    if is_stopped:
        page.get_by_role("button", name="Stop").click()
    else:
        [session] = httpx.get(f"{address}/v1/sessions").json()["items"]
        of_session = f"{address}/v1/sessions/{session['id']}"
        [turn] = httpx.get(of_session).json()["answering"]
        httpx.delete(of_session).raise_for_status()
        held.set()
        eventually(lambda: httpx.get(f"{address}/v1/answers/{turn}").status_code == 404)
        cable.mend()
        expect(page.locator(".message .bad")).to_have_text("The connection was lost before the answer was complete.")
    wait(page)
    expect(page.get_by_text("Interrupted")).to_be_visible()
    cable.close()


def test_a_model_that_breaks_off_is_told_and_its_part_stands(page: Page, address: str, model: ScriptedModel) -> None:
    page.goto(address)
    model.script(cut(3))
    say(page, "Tell me")
    expect(page.locator(".message .bad")).to_be_visible()
    expect(page.locator(ANSWERS)).to_have_text("You said:")
    wait(page)


def test_a_provider_that_refuses_or_is_stood_in_for_is_told(page: Page, address: str, model: ScriptedModel) -> None:
    page.goto(address)
    model.script(status(401), garbage())
    say(page, "Tell me")
    expect(page.locator(".message .bad")).to_have_text("The model provider refused the key (401): check OPENAI_API_KEY")
    wait(page)
    say(page, "Hello")
    expect(page.locator(".message .note")).to_contain_text("Answered without the model. The model")
    expect(page.locator(SAID)).to_have_text(["Tell me", "Hello"])
    page.reload()
    expect(page.locator(".message .note")).to_have_text("Answered without the model.")


def test_a_server_that_is_away_is_told(page: Page, make_settings: Callable[..., Settings]) -> None:
    served = Served(make_settings())
    page.goto(served.start())
    say(page, "hello")
    wait(page)
    served.stop()
    say(page, "Are you there?")
    expect(page.locator(".message p.bad")).to_have_text("The server cannot be reached. Is it running?")
    page.locator(".message").get_by_role("button", name="Try again").click()
    expect(page.locator(SAID)).to_have_text(["hello", "Are you there?"])
    expect(page.locator(".message p.bad")).to_have_text("The server cannot be reached. Is it running?")


def test_days_are_those_of_the_browser(browser: Browser, serve: Callable[..., str]) -> None:
    page = browser.new_page(timezone_id="Pacific/Auckland")
    page.goto(serve())
    with page.expect_request("**/query") as asked:
        say(page, "What did I say yesterday?")
    assert asked.value.post_data_json["timezone"] == "Pacific/Auckland"
    expect(page.locator(ANSWERS)).not_to_be_empty()
    page.close()
