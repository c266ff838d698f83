"""Files of other products on the memory page: chosen or dropped, told of as they come, stopped, and come in once."""

import re
from collections.abc import Callable
from threading import Event as Signal
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from api import portable
from memory.portable.items import SourceConversation
from tests.sources import chatgpt, json_of, talk, zip_of
from tests.web.watched import Watched, assert_accessible

OTTERS = zip_of(conversations__json=json_of([chatgpt(), talk("rivers")]))
DROP = """([name, bytes]) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], name));
  const box = document.querySelector(".import");
  const more = { dataTransfer: data, bubbles: true, cancelable: true };
  for (const kind of ["dragover", "drop"]) box.dispatchEvent(new DragEvent(kind, more));
}"""


def drop(page: Page, name: str, content: bytes) -> None:
    page.evaluate(DROP, [name, list(content)])


def box(page: Page) -> Locator:
    return page.locator(".import")


def chats(address: str) -> int:
    return len(httpx.get(f"{address}/v1/sessions", params={"limit": 200}).json()["items"])


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Signal:
    """An import goes on behind its first conversation once this is set."""
    signal, made = Signal(), portable.records_of
    seen: list[object] = []

    def slow(*given: Any) -> Any:
        if isinstance(given[1], SourceConversation):
            seen.append(given)
        if len(seen) > 1:
            signal.wait(30)
        return made(*given)

    monkeypatch.setattr(portable, "records_of", slow)
    return signal


def test_a_file_that_is_dropped_comes_in_once(page: Page, watched: Watched, serve: Callable[..., str]) -> None:
    address = serve()
    page.goto(f"{address}/memory#data")
    expect(page.get_by_label("Choose a file")).to_be_enabled()
    drop(page, "export.zip", OTTERS)
    expect(box(page).get_by_role("status")).to_have_text(
        "Done: 2 chats, 8 messages imported, 0 things were already there."
    )
    expect(box(page).get_by_role("listitem")).to_have_text(
        [
            "2 · not shown in the conversation: instructions, context",
            "1 · thoughts of the model",
            "1 · attachments, of which the text keeps the name alone",
            "1 · without text",
            "1 · in a branch that was not shown",
        ]
    )
    assert chats(address) == 2
    drop(page, "export.zip", OTTERS)
    expect(box(page).get_by_role("status")).to_have_text("Done: 0 things imported, 10 things were already there.")
    drop(page, "diary.txt", b"Dear diary")
    expect(box(page).get_by_role("alert")).to_contain_text("The file cannot be read: it is neither JSON")
    assert chats(address) == 2
    assert [one for one in watched.complaints if "400" not in one] == []


def test_an_import_is_told_of_and_stopped_by_keyboard(page: Page, serve: Callable[..., str], held: Signal) -> None:
    address = serve()
    page.goto(f"{address}/memory#data")
    file = {"name": "many.json", "mimeType": "application/json", "buffer": json_of([talk(str(n)) for n in range(60)])}
    page.get_by_label("Choose a file").focus()
    page.get_by_label("Choose a file").set_input_files(file)
    expect(box(page).get_by_role("status")).to_have_text("Importing many.json …")
    expect(box(page).get_by_role("progressbar", name="many.json")).to_be_visible()
    expect(box(page)).to_contain_text("1 chat")
    page.goto(f"{address}/memory#facts")  # it goes on meanwhile
    page.goto(f"{address}/memory#data")
    expect(page.get_by_label("Choose a file")).to_be_enabled()
    box(page).get_by_role("button", name="Stop").press("Enter")
    expect(box(page).get_by_role("status")).to_have_text(re.compile("^Stopped. What was imported stays"))
    expect(page.get_by_label("Choose a file")).to_be_focused()
    held.set()
    page.get_by_label("Choose a file").set_input_files(file)
    expect(box(page).get_by_role("status")).to_have_text(re.compile("^Done: "))
    assert chats(address) == 60


def test_what_broke_off_says_that_the_whole_file_brings_in_the_rest(page: Page, serve: Callable[..., str]) -> None:
    address = serve()
    page.goto(f"{address}/memory#data")
    expect(page.get_by_label("Choose a file")).to_be_enabled()
    drop(page, "cut.json", json_of([talk(str(number)) for number in range(60)])[:-40])
    expect(box(page).get_by_role("alert")).to_contain_text("it is cut")
    expect(box(page).get_by_role("alert")).to_contain_text("in the middle. What was imported stays; import")
    assert chats(address) > 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_import_under_way_can_be_read_and_has_no_violations(
    browser: Browser, serve: Callable[..., str], held: Signal, scheme: Any
) -> None:
    page = browser.new_page(color_scheme=scheme)
    page.goto(f"{serve()}/memory#data")
    expect(page.get_by_label("Choose a file")).to_be_enabled()
    drop(page, "export.zip", OTTERS)
    expect(box(page)).to_contain_text("1 chat")
    for width in (360, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert_accessible(page)
    held.set()
    expect(box(page).get_by_role("status")).to_have_text(re.compile("^Done: "))
    assert_accessible(page)
    page.close()
