"""The chat page as a whole: languages, keys, keyboard, widths, themes."""

import os
from collections.abc import Callable
from threading import Event as Signal
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.scripted_model import Behaviour, ScriptedModel, answer
from tests.web.chatting import ANSWERS, SAID, say, wait
from tests.web.watched import Watched, assert_accessible


def test_the_page_speaks_the_language_of_the_browser(browser: Browser, serve: Callable[..., str]) -> None:
    page = browser.new_page(locale="de-AT")
    page.goto(serve())
    expect(page.get_by_role("heading", name="Loci merkt sich, was du sagst.")).to_be_visible()
    page.get_by_label("Sprache").select_option("Español")
    expect(page.get_by_role("heading", name="Loci recuerda lo que le cuentas.")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "es"
    page.close()


def test_what_rules_answer_is_shown_in_the_language_of_the_page(browser: Browser, serve: Callable[..., str]) -> None:
    address = serve()
    page = browser.new_page(locale="de-AT")
    page.goto(address)
    page.get_by_label("Nachricht", exact=True).fill("My dog is called Rex")
    page.keyboard.press("Enter")
    expect(page.locator(ANSWERS)).to_have_text("Notiert. Ich merke mir das.")
    expect(page.get_by_role("button", name="Senden")).to_be_visible()
    page.reload()
    expect(page.locator(ANSWERS)).to_have_text("Notiert. Ich merke mir das.")
    page.get_by_label("Sprache").select_option("English")
    expect(page.locator(ANSWERS)).to_have_text("Noted. I'll remember that.")
    page.close()


def test_a_key_is_asked_for_where_keys_are_on(page: Page, serve: Callable[..., str]) -> None:
    page.goto(serve(api_keys="ann:key-of-ann"))
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("alert")).to_have_count(0)
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(page.locator(".sessions .bad")).to_have_text("This server needs an API key.")
    page.get_by_role("button", name="Enter a key").click()
    for key in ("wrong", "schlüssel"):
        page.get_by_label("This server asks for an API key").fill(key)
        page.get_by_role("button", name="Use it").click()
        expect(dialog.get_by_role("alert")).to_have_text("The server does not know this key.")
    page.get_by_label("This server asks for an API key").fill("key-of-ann")
    page.get_by_role("button", name="Use it").click()
    expect(dialog).to_be_hidden()
    say(page, "hello")
    wait(page)
    page.reload()
    expect(page.locator(".message")).to_have_count(2)
    assert "key-of-ann" not in page.url
    page.get_by_role("button", name="Sign out").click()
    expect(dialog).to_be_visible()


def test_a_key_that_is_given_later_brings_all_that_was_missing(page: Page, serve: Callable[..., str]) -> None:
    address = serve(api_keys="ann:key-of-ann")
    own = {"headers": {"x-api-key": "key-of-ann"}}
    httpx.patch(f"{address}/v1/profile", json={"paused": True}, **own).raise_for_status()
    page.goto(address)
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Enter a key").click()
    page.get_by_label("This server asks for an API key").fill("key-of-ann")
    page.get_by_role("button", name="Use it").click()
    expect(page.get_by_text("Remembering is paused")).to_be_visible()
    refusal = {"detail": "The store is away.", "status": 503}
    page.route("**/v1/profile", lambda route: route.fulfill(status=503, json=refusal))
    page.get_by_role("button", name="Resume").click()
    expect(page.locator(".paused")).to_contain_text("The store is away.")
    page.unroute("**/v1/profile")
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text("Remembering is paused")).to_have_count(0)


@pytest.mark.parametrize("named_by", ["ROOT_PATH", "X-Forwarded-Prefix"])
def test_the_page_works_under_a_prefix(page: Page, watched: Watched, serve: Callable[..., str], named_by: str) -> None:
    if named_by == "ROOT_PATH":
        address = f"{serve(root_path='/memory/loci')}/memory/loci"
    else:
        page.set_extra_http_headers({"X-Forwarded-Prefix": "/memory/loci"})
        address = f"{serve()}/memory/loci"
    page.goto(f"{address}/")
    say(page, "Remember that my cat is called Ada")
    expect(page.locator(ANSWERS)).to_contain_text("Ada")
    wait(page)
    page.reload()
    expect(page.locator(".message")).to_have_count(2)
    page.get_by_role("link", name="Memory").click()
    expect(page.get_by_text("cat: Ada")).to_be_visible()
    page.goto(f"{address}/admin#/users")
    expect(page.get_by_role("link", name="default")).to_be_visible()
    assert [url for url in watched.requests if not url.startswith(f"{address}/")] == []
    assert watched.complaints == []


def test_an_answer_under_way_is_announced_and_nothing_moves_where_that_is_not_wanted(
    browser: Browser, address: str, model: ScriptedModel
) -> None:
    silence = Signal()
    model.script(Behaviour(hang_after=1, go_on=silence), about="Count for me")
    page = browser.new_page(reduced_motion="reduce")
    page.goto(address)
    say(page, "Count for me")
    expect(page.locator("[aria-live=polite]").last).to_have_text("Loci is answering.")
    expect(page.locator(".thinking i")).to_have_count(3)
    assert page.evaluate("document.getAnimations().length") == 0
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate("document.getAnimations().length") == 3
    silence.set()
    wait(page)
    page.close()


def test_a_whole_conversation_is_had_by_keyboard(page: Page, address: str, model: ScriptedModel, held: Signal) -> None:
    page.goto(address)
    expect(page.get_by_label("Message", exact=True)).to_be_focused()
    page.keyboard.type("Count for me")
    page.keyboard.press("Enter")
    expect(page.locator(ANSWERS)).to_have_text("One two")
    page.keyboard.press("Escape")
    expect(page.get_by_text("Interrupted")).to_be_visible()
    wait(page)
    page.keyboard.type("Once more")
    page.keyboard.press("Enter")
    expect(page.locator(SAID)).to_have_text(["Count for me", "Once more"])
    wait(page)
    page.keyboard.press("Control+Alt+n")
    expect(page.locator(".message")).to_have_count(0)
    page.keyboard.press("Control+k")
    expect(page.get_by_label("Search chats")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(SAID)).to_have_text(["Count for me", "Once more"])
    for ask in (lambda: page.keyboard.press("?"), page.get_by_role("button", name="Shortcuts").click):
        page.locator(".thread").focus()
        ask()
        expect(page.get_by_role("dialog")).to_contain_text("New line")
        assert_accessible(page)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_can_be_read_and_has_no_violations(
    browser: Browser, serve: Callable[..., str], scheme: Any
) -> None:
    address = serve()
    page = browser.new_page(color_scheme=scheme)
    page.goto(address)
    expect(page.locator(".hint")).to_contain_text("OPENAI_API_KEY=… make run")
    assert_accessible(page)
    page.get_by_role("button", name="Remember that my passport is in the blue folder").click()
    box = page.get_by_label("Message", exact=True)
    expect(box).to_have_value("Remember that my passport is in the blue folder")
    low = box.bounding_box()
    box.fill("a\nb\nc\nd")
    high = box.bounding_box()
    assert low and high and high["height"] > low["height"] + 40
    say(page, "Remember that my cat is called Ada")
    wait(page)
    expect(page.locator("[aria-live=polite]").last).to_have_text("I'll remember: cat: Ada.")
    actions = page.get_by_role("button", name="Actions for “Remember that my cat is called Ada”")
    actions.click()
    assert_accessible(page)
    page.get_by_role("menuitem", name="Delete").click()
    assert_accessible(page)
    page.keyboard.press("Escape")
    say(page, "A very long word is " + "x" * 200)
    wait(page)
    say(page, "What is my cat called?")
    wait(page)
    page.get_by_role("button", name="1 source").click()
    expect(page.locator(".sources li").first).to_be_visible()
    for width in (360, 768, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        page.reload()
        expect(page.locator(".message")).to_have_count(6)
        page.get_by_role("button", name="1 source").last.click()
        expect(page.locator(".sources li").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert_accessible(page)
        if shots := os.environ.get("SHOTS"):
            page.screenshot(path=f"{shots}/chat-{width}-{scheme}.png")
    sources = page.locator(".sources").last
    sources.get_by_role("button", name="Correct").click()
    assert_accessible(page)
    page.keyboard.press("Escape")
    page.locator(".message.user").first.hover()
    page.locator(".message.user").first.get_by_role("button", name="Edit").click()
    assert_accessible(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Options").click()
    assert_accessible(page)
    page.close()


ARABIC = """أهلا بك. هذه خطوات العمل:

1. افتح الملف.
2. شغّل `loci serve` ثم انتظر.

```python
print("مرحبا")
```

> قال صديقي ذلك.

This paragraph is in English.

| الاسم | العمر |
|---|---|
| ليلى | ٣ |
"""


def test_text_from_right_to_left_is_shown_so_in_a_page_from_left_to_right(
    page: Page, address: str, model: ScriptedModel
) -> None:
    page.goto(address)
    model.script(answer(ARABIC))
    say(page, "كيف أبدأ؟ Loci")
    wait(page)

    def way(selector: str) -> str:
        found: str = page.locator(selector).first.evaluate("element => getComputedStyle(element).direction")
        return found

    shown = {selector: way(f"{ANSWERS} {selector}") for selector in ("p", "ol", "li", "blockquote", ".table", "td")}
    assert set(shown.values()) == {"rtl"}, shown
    assert way(SAID) == "rtl"
    assert {way(f"{ANSWERS} {selector}") for selector in ("pre", "pre code", "li code")} == {"ltr"}
    assert way(f"{ANSWERS} p:has-text('in English')") == "ltr"
    assert {way(selector) for selector in ("html", "body", ".thread", ".composer", ".actions")} == {"ltr"}
    assert way(".sessions li a") == "rtl"
    right, list_right = (
        page.locator(f"{ANSWERS} {selector}").first.evaluate("element => element.getBoundingClientRect().right")
        for selector in ("ol", "li")
    )
    assert right - list_right > 10  # where its numbers stand
    page.get_by_label("Message", exact=True).fill("شكرا")
    assert way("#text") == "rtl"


TABLE = """| City | People | Note |
|:-----|-------:|:----:|
| Madrid | 3,300,000 | a long note that goes on and on so that the table is wider than a phone |

$$\\sum_{k=1}^{n} k^2 = \\frac{1}{2}$$

3. The third
"""


@pytest.mark.parametrize("width", [360, 1440])
def test_tables_keep_words_whole_and_columns_aligned(
    page: Page, address: str, model: ScriptedModel, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(address)
    model.script(answer(TABLE))
    say(page, "Which cities?")
    wait(page)
    cells = page.locator(f"{ANSWERS} td")
    aligned = [cell.evaluate("cell => getComputedStyle(cell).textAlign") for cell in cells.all()]
    assert aligned == ["left", "right", "center"]
    lines = """cell => {
      const words = document.createRange();
      words.selectNodeContents(cell);
      return words.getClientRects().length;
    }"""
    assert [cells.nth(place).evaluate(lines) for place in (0, 1)] == [1, 1]
    formula = page.locator(f"{ANSWERS} .tex[data-block]")
    expect(formula.locator("math")).to_be_visible()
    assert formula.evaluate("one => one.scrollHeight - one.clientHeight") == 0
    assert formula.evaluate("one => getComputedStyle(one).overflowY") == "hidden"
    expect(page.locator(f"{ANSWERS} ol")).to_have_attribute("start", "3")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
