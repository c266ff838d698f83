"""The chat page, in a real browser."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from config.settings import Settings
from tests.checks import eventually
from tests.conftest import Served
from tests.scripted_model import Behaviour, ScriptedModel, answer, cut, garbage, status
from tests.web.watched import Watched, contrast


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as model:
        yield model


@pytest.fixture
def address(serve: Callable[..., str], model: ScriptedModel) -> str:
    return serve(openai_base_url=model.url, embedding_model="local", model_deadline=5)


def say(page: Page, text: str) -> None:
    page.get_by_label("Message", exact=True).fill(text)
    page.get_by_role("button", name="Send").click()


def test_a_conversation_streams_and_survives_a_reload(
    page: Page, watched: Watched, address: str, model: ScriptedModel
) -> None:
    page.goto(address)
    expect(page).to_have_title("Loci")
    model.script(Behaviour(text="One two three four", hang_after=3))
    say(page, "Count for me")
    expect(page.locator(".assistant")).to_have_text("One two ")
    page.reload()  # what came is kept a moment after its reader left
    eventually(lambda: httpx.get(f"{address}/v1/sessions").json()["items"][0]["message_count"] == 2)
    page.reload()
    expect(page.locator(".assistant")).to_have_text("One two ")
    model.script(answer("Five six"))
    page.get_by_label("Message", exact=True).fill("Go on")
    page.get_by_label("Message", exact=True).press("Enter")
    expect(page.locator(".message")).to_have_text(["Count for me", "One two ", "Go on", "Five six"])
    expect(page.get_by_role("button", name="Send")).to_be_enabled()  # the answer is told before it is kept
    page.reload()
    expect(page.locator(".message")).to_have_text(["Count for me", "One two ", "Go on", "Five six"])
    assert {url.split("/")[2] for url in watched.requests} == {address.split("/")[2]}
    assert watched.complaints == []


def test_a_new_conversation_recalls_from_the_other_and_both_can_be_opened(
    page: Page, serve: Callable[..., str]
) -> None:
    page.goto(serve())
    say(page, "Remember that my cat is called Ada")
    expect(page.locator(".assistant")).to_contain_text("Ada")
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".message")).to_have_count(0)
    say(page, "What is my cat called?")
    expect(page.locator(".assistant")).to_contain_text("Ada")
    page.get_by_text("1 memory").click()
    expect(page.locator(".sources li")).to_contain_text("Ada")
    picker = page.get_by_label("Conversation", exact=True)
    expect(picker.locator("option")).to_have_text(
        ["New conversation", "What is my cat called?", "Remember that my cat is called Ada"]
    )
    picker.select_option("Remember that my cat is called Ada")
    expect(page.locator(".user")).to_have_text("Remember that my cat is called Ada")


def test_days_are_those_of_the_browser(browser: Browser, serve: Callable[..., str]) -> None:
    page = browser.new_page(timezone_id="Pacific/Auckland")
    page.goto(serve())
    with page.expect_request("**/query") as asked:
        say(page, "What did I say yesterday?")
    assert asked.value.post_data_json["timezone"] == "Pacific/Auckland"
    expect(page.locator(".assistant")).not_to_be_empty()
    page.close()


def test_markup_is_shown_as_the_text_that_it_is(
    page: Page, watched: Watched, address: str, model: ScriptedModel
) -> None:
    evil = '<img src=x onerror="document.title=1"><script>document.title=1</script><b>bold</b>'
    page.goto(address)
    model.script(answer(f"You said {evil}"))
    say(page, evil)
    expect(page.locator(".message")).to_have_text([evil, f"You said {evil}"])
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    page.reload()
    expect(page.locator(".message")).to_have_text([evil, f"You said {evil}"])
    assert page.locator("#log img, #log script, #log b").count() == 0
    expect(page).to_have_title("Loci")
    assert watched.complaints == []


def test_separators_that_end_a_line_in_scripts_end_no_event(page: Page, address: str, model: ScriptedModel) -> None:
    page.goto(address)
    model.script(answer("One\u2028two\u2029three"))
    say(page, "Count\u2028for me")
    expect(page.locator(".assistant:not(.waiting)")).to_have_count(1)
    assert page.locator(".assistant").text_content() == "One\u2028two\u2029three"
    assert page.locator(".error").count() == 0


def test_the_policy_keeps_scripts_and_other_origins_out(page: Page, watched: Watched, address: str) -> None:
    page.goto(address)
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'}))"
    )
    assert page.evaluate("window.ran") is None
    assert page.evaluate("fetch('https://example.org').then(() => 'sent', () => 'refused')") == "refused"
    assert any("Content Security Policy" in complaint for complaint in watched.complaints)
    assert not [url for url in watched.requests if "example.org" in url and not url.startswith(address)]


def test_a_model_that_breaks_off_is_told_and_its_part_stands(page: Page, address: str, model: ScriptedModel) -> None:
    page.goto(address)
    model.script(cut(3))
    say(page, "Tell me")
    expect(page.locator(".error")).to_be_visible()
    expect(page.locator(".assistant")).to_have_text("You said: ")
    expect(page.get_by_role("button", name="Send")).to_be_enabled()


def test_a_provider_that_refuses_or_is_stood_in_for_is_told(page: Page, address: str, model: ScriptedModel) -> None:
    page.goto(address)
    model.script(status(401), garbage())
    say(page, "Tell me")
    expect(page.locator(".error")).to_have_text("The model provider refused the key (401): check OPENAI_API_KEY")
    say(page, "Hello")
    expect(page.locator(".fallback")).to_contain_text("Answered without the model. The model")
    expect(page.locator(".user")).to_have_text(["Tell me", "Hello"])


def test_a_server_that_is_away_is_told(page: Page, make_settings: Callable[..., Settings]) -> None:
    served = Served(make_settings())
    page.goto(served.start())
    say(page, "hello")
    expect(page.locator(".assistant")).not_to_be_empty()
    served.stop()
    say(page, "Are you there?")
    expect(page.locator(".error")).to_have_text("The server cannot be reached. Is it running?")
    expect(page.get_by_label("Message", exact=True)).to_have_value("Are you there?")


def test_a_key_is_asked_for_where_keys_are_on(page: Page, serve: Callable[..., str]) -> None:
    page.goto(serve(api_keys="ann:key-of-ann"))
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("alert")).to_have_count(0)
    for key in ("wrong", "schlüssel"):
        page.get_by_label("This server asks for an API key").fill(key)
        page.get_by_role("button", name="Use it").click()
        expect(dialog.get_by_role("alert")).to_have_text("The server does not know this key.")
    page.get_by_label("This server asks for an API key").fill("key-of-ann")
    page.get_by_role("button", name="Use it").click()
    expect(dialog).to_be_hidden()
    say(page, "hello")
    expect(page.locator(".assistant")).not_to_be_empty()
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    page.reload()
    expect(page.locator(".message")).to_have_count(2)
    expect(dialog).to_be_hidden()


def test_text_beyond_the_limit_is_told_and_kept_whole(page: Page, serve: Callable[..., str]) -> None:
    page.goto(serve())
    box, told = page.get_by_label("Message", exact=True), page.locator("#too-long")
    pasted = "🦉" * 20_000 + "a" * 20_000
    box.fill(pasted)
    expect(told).to_contain_text("40,000 characters: a message may have 32,000")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".message")).to_have_count(0)
    expect(box).to_have_value(pasted)
    say(page, "🦉" * 32_000)
    expect(told).to_be_hidden()
    expect(page.locator(".assistant")).not_to_be_empty()


def test_the_page_works_under_a_prefix(page: Page, watched: Watched, serve: Callable[..., str]) -> None:
    address = f"{serve(root_path='/memory/loci')}/memory/loci"
    page.goto(f"{address}/")
    say(page, "Remember that my cat is called Ada")
    expect(page.locator(".assistant")).to_contain_text("Ada")
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    page.reload()
    expect(page.locator(".message")).to_have_count(2)
    page.goto(f"{address}/admin#/users")
    expect(page.get_by_role("link", name="default")).to_be_visible()
    assert [url for url in watched.requests if not url.startswith(f"{address}/")] == []
    assert watched.complaints == []


def test_the_key_dialog_can_be_left(page: Page, serve: Callable[..., str]) -> None:
    page.goto(serve(api_keys="ann:key-of-ann"))
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator(".error")).to_have_text("This server needs an API key.")


def test_switching_conversations_does_not_mix_them(page: Page, address: str, model: ScriptedModel) -> None:
    page.goto(address)
    model.script(Behaviour(text="One two three four", hang_after=3), answer("Something new"))
    say(page, "Count for me")
    expect(page.locator(".assistant")).to_have_text("One two ")
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".message")).to_have_count(0)
    say(page, "Something else")
    expect(page.locator(".message")).to_have_text(["Something else", "Something new"])


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_and_can_be_read(browser: Browser, serve: Callable[..., str], width: int, scheme: Any) -> None:
    context = browser.new_context(viewport={"width": width, "height": 740}, color_scheme=scheme)
    page = context.new_page()
    page.goto(serve())
    say(page, "Remember that my cat is called Ada")
    expect(page.locator(".assistant")).to_have_count(1)
    say(page, "A very long word is " + "x" * 200)
    expect(page.locator(".assistant")).to_have_count(2)
    say(page, "What is my cat called?")
    expect(page.locator(".sources")).to_be_visible()
    page.locator(".sources summary").click()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    for selector in ("#text", "#send", "#new", "#session"):
        box = page.locator(selector).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    for selector in (".user", ".assistant", ".sources", "#send"):
        assert contrast(page, selector) >= 4.5, selector
    if shots := os.environ.get("SHOTS"):
        page.screenshot(path=f"{shots}/chat-{width}-{scheme}.png")
    context.close()
