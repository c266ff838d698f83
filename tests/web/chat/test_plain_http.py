"""The chat page over plain HTTP under a host's name, where browsers withhold what they deem worth protecting."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.scripted_model import ScriptedModel, answer
from tests.web.chatting import ANSWERS, say, wait
from tests.web.watched import Watched

CODE = "Try this:\n\n```python\nprint(1)\n```"


@pytest.mark.parametrize("host", ["127.0.0.1", "loci.lan"])
def test_a_chat_is_had_and_copied(
    page: Page, watched: Watched, serve: Callable[..., str], model: ScriptedModel, host: str
) -> None:
    address = serve(openai_base_url=model.url, embedding_model="local", api_keys="ann:key-of-ann")
    page.add_init_script("localStorage.setItem('key', 'key-of-ann')")
    page.goto(address.replace("127.0.0.1", host))
    assert page.evaluate("isSecureContext") == (host != "loci.lan")
    model.script(answer(CODE))
    say(page, "Show me")
    expect(page.locator(f"{ANSWERS} pre")).to_be_visible()
    wait(page)
    box = page.get_by_label("Message", exact=True)
    for button, text in ((".message.assistant .actions", CODE), (".code-head", "print(1)")):
        page.locator(button).get_by_role("button", name="Copy").click()
        expect(page.locator(button).get_by_role("button", name="Copied")).to_be_visible()
        expect(page.locator(button).get_by_role("button", name="Copy")).to_be_visible()
        box.fill("")
        box.press("Control+v")
        expect(box).to_have_value(text)
    assert watched.complaints == []


def test_copying_that_is_refused_says_so(page: Page, address: str) -> None:
    page.add_init_script("delete Navigator.prototype.clipboard; Document.prototype.execCommand = () => false")
    page.goto(address)
    say(page, "Hello")
    wait(page)
    copy = page.locator(".message.assistant .actions").get_by_role("button", name="Copy", exact=True)
    copy.click()
    expect(page.get_by_role("button", name="Copying failed")).to_be_visible()
    expect(copy).to_be_visible()
