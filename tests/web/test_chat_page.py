"""The chat page, in a real browser."""

import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event as Signal
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from config.settings import Settings
from memory.turns.drafts import ABANDONED
from tests.checks import eventually
from tests.conftest import Served
from tests.processes import free_port, serving, stored
from tests.scripted_model import Behaviour, ScriptedModel, answer, cut, garbage, status
from tests.web.watched import Watched, assert_accessible
from utils.clock import now

DOT = b"GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x00;"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as model:
        yield model


@pytest.fixture
def address(serve: Callable[..., str], model: ScriptedModel) -> str:
    return serve(openai_base_url=model.url, embedding_model="local", model_deadline=5)


SAID = ".message.user .said"
ANSWERS = ".message.assistant .markdown"


def say(page: Page, text: str) -> None:
    page.get_by_label("Message", exact=True).fill(text)
    page.get_by_role("button", name="Send").click()


def wait(page: Page) -> None:
    """Until no answer is under way."""
    expect(page.get_by_role("button", name="Send")).to_be_visible()


@pytest.fixture
def held(model: ScriptedModel) -> Iterator[Signal]:
    """The model says two words, and the rest of its answer once this is set."""
    signal = Signal()
    words = ("One ", "two ", "three ", "four")
    model.script(Behaviour(text="".join(words), pieces=words, hang_after=3, go_on=signal), about="Count for me")
    yield signal
    signal.set()


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


def test_a_killed_server_leaves_what_came(page: Page, model: ScriptedModel, held: Signal, tmp_path: Path) -> None:
    port = free_port()
    with serving(tmp_path / "home", model.url, port) as process:
        page.goto(f"http://127.0.0.1:{port}")
        say(page, "Count for me")
        expect(page.locator(ANSWERS)).to_have_text("One two")
        with httpx.Client(base_url=f"http://127.0.0.1:{port}") as api:
            eventually(lambda: "loci_drafts_total 0.0" not in api.get("/metrics").text)
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


def test_a_chat_recalls_from_another_and_a_source_leads_there(page: Page, serve: Callable[..., str]) -> None:
    page.goto(serve())
    say(page, "My cat is called Ada")
    wait(page)
    page.get_by_role("button", name="New chat").first.click()
    expect(page.locator(".message")).to_have_count(0)
    say(page, "What is my cat called?")
    expect(page.locator(ANSWERS)).to_contain_text("Ada")
    wait(page)
    page.reload()  # sources stay with the answer
    page.get_by_role("button", name="1 source").click()
    expect(page.locator(".sources li").first).to_contain_text("Ada")
    expect(page.locator(".sources .parts dd").first).to_be_attached()
    chats = page.get_by_role("navigation", name="Chats")
    expect(chats.locator("li > a")).to_have_text(["What is my cat called?", "My cat is called Ada"])
    page.locator(".sources").get_by_role("link", name="Show in its chat").first.click()
    expect(page.locator(".message.marked .said")).to_have_text("My cat is called Ada")
    page.go_back()
    expect(page.locator(SAID)).to_have_text("What is my cat called?")


def test_a_source_is_forgotten_in_its_place(page: Page, serve: Callable[..., str]) -> None:
    address = serve()
    page.goto(address)
    say(page, "My boat is called Nixe")
    wait(page)
    say(page, "What is my boat called?")
    wait(page)
    page.get_by_role("button", name="1 source").click()
    page.locator(".sources").get_by_role("button", name="Forget").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    expect(page.locator(".sources")).to_contain_text("This was deleted since.")
    assert httpx.post(f"{address}/v1/search", json={"query": "Nixe boat"}).json()["items"][:1] != []
    page.reload()
    expect(page.locator(SAID)).to_have_text(["What is my boat called?"])


def test_versions_of_a_message_are_looked_at_one_by_one(page: Page, address: str, model: ScriptedModel) -> None:
    first = [{"role": "user", "content": "Name a tree"}]
    second = [*first, {"role": "assistant", "content": "An oak."}, {"role": "user", "content": "Another"}]
    third = [*second[:2], {"role": "user", "content": "Name a bush"}]
    for messages, text in ((first, "An oak."), (second, "A lime."), (second, "A birch."), (third, "A hazel.")):
        model.script(answer(text), about=str(messages[-1]["content"]))
        body = {"model": "m", "messages": messages, "memory_id": "trees"}
        httpx.post(f"{address}/v1/chat/completions", json=body, timeout=30).raise_for_status()
    page.goto(f"{address}/?session=trees")
    expect(page.locator(SAID)).to_have_text(["Name a tree", "Name a bush"])
    expect(page.locator(ANSWERS)).to_have_text(["An oak.", "A hazel."])
    page.get_by_role("button", name="Previous version").click()
    expect(page.locator(SAID)).to_have_text(["Name a tree", "Another"])
    expect(page.locator(ANSWERS)).to_have_text(["An oak.", "A birch."])
    page.locator(".message.assistant").get_by_role("button", name="Previous version").click()
    expect(page.locator(ANSWERS)).to_have_text(["An oak.", "A lime."])
    page.locator(".message.user").get_by_role("button", name="Next version").click()
    expect(page.locator(ANSWERS)).to_have_text(["An oak.", "A hazel."])


def test_chats_are_renamed_found_and_deleted(page: Page, serve: Callable[..., str]) -> None:
    address = serve()
    for session, text in (("a", "The roof of the shed leaks"), ("b", "Strawberries want shade")):
        body = {"session_id": session, "messages": [{"role": "user", "content": text}], "wait": True}
        httpx.post(f"{address}/v1/messages", json=body).raise_for_status()
    page.goto(address)
    chats = page.get_by_role("navigation", name="Chats")
    expect(chats.locator(".sessions li > a")).to_have_text(["Strawberries want shade", "The roof of the shed leaks"])
    page.get_by_role("button", name="Actions for “The roof of the shed leaks”").click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_label("Title", exact=True).fill("Repairs")
    page.get_by_role("button", name="Save").click()
    expect(chats.get_by_role("link", name="Repairs")).to_be_visible()
    page.get_by_label("Search chats").fill("leaks")
    expect(chats.locator(".found a")).to_contain_text(["The roof of the shed leaks"])
    chats.locator(".found a").first.click()
    expect(page.locator(SAID)).to_have_text("The roof of the shed leaks")
    page.get_by_label("Search chats").fill("")
    chats.get_by_role("link", name="Strawberries want shade").hover()
    page.get_by_role("button", name="Actions for “Strawberries want shade”").click()
    page.get_by_role("menuitem", name="Delete").click()
    expect(page.get_by_role("dialog")).to_contain_text("goes with its 1 messages")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(chats.locator(".sessions li > a")).to_have_text(["Repairs"])
    assert [one["title"] for one in httpx.get(f"{address}/v1/sessions").json()["items"]] == ["Repairs"]


def test_nothing_of_a_temporary_chat_is_kept(page: Page, address: str, model: ScriptedModel) -> None:
    page.goto(address)
    page.get_by_role("button", name="Options").click()
    page.get_by_label("Temporary: nothing of this chat is kept").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".composer .state")).to_have_text("Temporary")
    model.script(answer("Hello, Kim."), answer("Kim."))
    say(page, "I am Kim")
    expect(page.locator(ANSWERS)).to_have_text(["Hello, Kim."])
    wait(page)
    say(page, "Who am I?")
    expect(page.locator(ANSWERS)).to_have_text(["Hello, Kim.", "Kim."])
    told = [one["content"] for one in model.requests[-1].body["messages"]]
    assert [text for text in told if text in ("I am Kim", "Hello, Kim.", "Who am I?")] == [
        "I am Kim",
        "Hello, Kim.",
        "Who am I?",
    ]
    assert httpx.get(f"{address}/v1/sessions").json()["items"] == []


def test_memory_model_and_instructions_are_set_for_a_chat(page: Page, address: str, model: ScriptedModel) -> None:
    page.goto(address)
    say(page, "Hello")
    wait(page)
    page.get_by_role("button", name="Options").click()
    page.get_by_label("Answer from memory").uncheck()
    page.get_by_label("Model", exact=True).fill("gpt-other")
    page.get_by_label("Instructions for this chat").fill("Answer in one word.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".composer .state")).to_have_text("Memory off · gpt-other")
    with page.expect_request("**/query") as asked:
        say(page, "What do you know?")
    wait(page)
    sent = asked.value.post_data_json
    assert (sent["use_memory"], sent["model"]) == (False, "gpt-other")
    [request] = [one for one in model.requests if one.kind == "chat" and one.body["model"] == "gpt-other"]
    assert "Answer in one word." in request.body["messages"][0]["content"]


def test_a_draft_is_kept_for_its_chat_and_images_are_sent(page: Page, address: str) -> None:
    page.goto(address)
    box = page.get_by_label("Message", exact=True)
    box.fill("Half a thought")
    page.reload()
    expect(box).to_have_value("Half a thought")
    page.locator("input[type=file]").set_input_files({"name": "dot.gif", "mimeType": "image/gif", "buffer": DOT})
    expect(page.locator(".composer img")).to_have_count(1)
    with page.expect_request("**/query") as asked:
        page.get_by_role("button", name="Send").click()
    assert asked.value.post_data_json["images"][0].startswith("data:image/gif;base64,")
    wait(page)
    expect(page.locator(".message.user img")).to_have_count(1)
    page.reload()
    expect(box).to_have_value("")


def test_a_reader_who_scrolled_up_stays_there(page: Page, address: str, model: ScriptedModel, held: Signal) -> None:
    messages = [{"role": "user", "content": f"Line {number}. " + "word " * 60} for number in range(40)]
    httpx.post(f"{address}/v1/messages", json={"session_id": "long", "messages": messages}).raise_for_status()
    page.goto(f"{address}/?session=long")
    expect(page.locator(SAID)).to_have_count(40)
    expect(page.locator(SAID).last).to_be_in_viewport()
    say(page, "Count for me")
    expect(page.locator(ANSWERS)).to_have_text("One two")
    page.locator(".thread").evaluate("box => { box.scrollTop = box.scrollHeight / 2; }")
    before = page.locator(".thread").evaluate("box => box.scrollTop")
    held.set()
    expect(page.locator(ANSWERS)).to_have_text("One two three four")
    wait(page)
    assert abs(page.locator(".thread").evaluate("box => box.scrollTop") - before) < 2
    page.get_by_role("button", name="To the newest message").click()
    expect(page.locator(ANSWERS)).to_be_in_viewport()


def test_a_long_chat_opens_at_its_end_and_gives_the_rest_as_it_is_scrolled(
    page: Page, serve: Callable[..., str]
) -> None:
    address = serve()
    for start in (0, 1000):
        messages = [{"role": "user", "content": f"Message {number}"} for number in range(start, start + 1000)]
        httpx.post(
            f"{address}/v1/messages", json={"session_id": "long", "messages": messages}, timeout=60
        ).raise_for_status()
    page.goto(f"{address}/?session=long")
    expect(page.locator(SAID).last).to_have_text("Message 1999")
    assert page.locator(".message").count() < 200
    for first in (1900, 1850):
        page.locator(".thread").evaluate("box => { box.scrollTop = 0; }")
        eventually(lambda first=first: int(page.locator(SAID).first.inner_text().split()[1]) < first, 30)
    numbers = [int(text.split()[1]) for text in page.locator(SAID).all_inner_texts()]
    assert numbers == list(range(numbers[0], 2000))


def test_days_are_those_of_the_browser(browser: Browser, serve: Callable[..., str]) -> None:
    page = browser.new_page(timezone_id="Pacific/Auckland")
    page.goto(serve())
    with page.expect_request("**/query") as asked:
        say(page, "What did I say yesterday?")
    assert asked.value.post_data_json["timezone"] == "Pacific/Auckland"
    expect(page.locator(ANSWERS)).not_to_be_empty()
    page.close()


def test_the_page_speaks_the_language_of_the_browser(browser: Browser, serve: Callable[..., str]) -> None:
    page = browser.new_page(locale="de-AT")
    page.goto(serve())
    expect(page.get_by_role("heading", name="Loci merkt sich, was du sagst.")).to_be_visible()
    page.get_by_label("Sprache").select_option("Español")
    expect(page.get_by_role("heading", name="Loci recuerda lo que le cuentas.")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "es"
    page.close()


HOSTILE = [
    "<script>window.ran = 1</script>",
    '<img src=x onerror="window.ran = 1">',
    "<svg><animate onbegin=window.ran=1 attributeName=x dur=1s>",
    "[press](javascript:window.ran=1)",
    "[press](data:text/html,<script>window.ran=1</script>)",
    "![picture](https://example.org/pixel.png)",
    '<form action="https://example.org"><button>press</button></form>',
    "<style>body { background: url(https://example.org/a.png) }</style>",
    '<iframe src="https://example.org"></iframe>',
    '<a href="x" style="position: fixed; inset: 0" onclick="window.ran = 1">press</a>',
    "**[bold <b onmouseover=window.ran=1>![x](javascript:window.ran=1)</b>](vbscript:window.ran=1)**",
    "```html\n<img src=x onerror=window.ran=1>\n```\n$\\href{javascript:window.ran=1}{x}$",
]


def test_what_is_hostile_in_an_answer_does_nothing(
    page: Page, watched: Watched, address: str, model: ScriptedModel
) -> None:
    page.goto(address)
    for text in HOSTILE:
        model.script(answer(text))
        say(page, f"Say {text}")
        wait(page)
    expect(page.locator(ANSWERS)).to_have_count(len(HOSTILE))
    page.reload()
    expect(page.locator(ANSWERS)).to_have_count(len(HOSTILE))
    for link in page.locator(f"{ANSWERS} a").all():
        assert (link.get_attribute("href") or "https://").startswith("https://")
    made = page.locator(
        f"{ANSWERS} :is(img, script, svg, iframe, form, style, object, [onclick], [onerror], [onmouseover])"
    )
    assert made.count() == 0, made.first.evaluate("one => one.outerHTML")
    assert page.locator(f"{ANSWERS} [style]:not(.tex *)").count() == 0
    assert page.evaluate("window.ran") is None
    assert {url.split("/")[2] for url in watched.requests} == {address.split("/")[2]}
    assert watched.complaints == []


def test_markdown_is_shown_with_code_tables_and_formulas(
    page: Page, watched: Watched, address: str, model: ScriptedModel
) -> None:
    text = (
        "# Plan\n\n- [x] done\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n"
        "```python\ndef f(): return 1\n```\n\nIt costs $5 or $6; $e^{i\\pi} = -1$."
    )
    page.goto(address)
    model.script(answer(text))
    say(page, "Show me")
    wait(page)
    shown = page.locator(ANSWERS)
    expect(shown.locator("h1")).to_have_text("Plan")
    expect(shown.locator("td")).to_have_text(["1", "2"])
    expect(shown.locator("pre .hljs-keyword").first).to_have_text("def")
    expect(shown.locator("math")).to_have_count(1)
    expect(shown).to_contain_text("It costs $5 or $6;")
    expect(shown.locator(".code-head button")).to_have_text("Copy")
    assert watched.complaints == []


def test_what_a_user_writes_stays_as_it_is(page: Page, watched: Watched, address: str) -> None:
    page.goto(address)
    typed = '<b>bold</b>\n  **not bold** <img src=x onerror="window.ran = 1">'
    say(page, typed)
    wait(page)
    assert page.locator(SAID).text_content() == typed
    assert page.evaluate("window.ran") is None
    assert watched.complaints == []


def test_separators_that_end_a_line_in_scripts_end_no_event(page: Page, address: str, model: ScriptedModel) -> None:
    page.goto(address)
    model.script(answer("One\u2028two\u2029three"))
    say(page, "Count\u2028for me")
    wait(page)
    assert (page.locator(ANSWERS).text_content() or "").strip() == "One\u2028two\u2029three"
    assert page.locator(".bad:visible").count() == 0


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


def test_a_server_that_is_away_is_told(page: Page, make_settings: Callable[..., Settings]) -> None:
    served = Served(make_settings())
    page.goto(served.start())
    say(page, "hello")
    wait(page)
    served.stop()
    say(page, "Are you there?")
    expect(page.locator(".message p.bad")).to_have_text("The server cannot be reached. Is it running?")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(SAID)).to_have_text(["hello", "Are you there?"])
    expect(page.locator(".message p.bad")).to_have_text("The server cannot be reached. Is it running?")


def test_a_key_is_asked_for_where_keys_are_on(page: Page, serve: Callable[..., str]) -> None:
    page.goto(serve(api_keys="ann:key-of-ann"))
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("alert")).to_have_count(0)
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
    expect(page.locator(ANSWERS)).not_to_be_empty()


def test_the_page_works_under_a_prefix(page: Page, watched: Watched, serve: Callable[..., str]) -> None:
    address = f"{serve(root_path='/memory/loci')}/memory/loci"
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
    page.locator(".thread").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("New line")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_can_be_read_and_has_no_violations(
    browser: Browser, serve: Callable[..., str], scheme: Any
) -> None:
    address = serve()
    page = browser.new_page(color_scheme=scheme)
    page.goto(address)
    assert_accessible(page)
    say(page, "Remember that my cat is called Ada")
    wait(page)
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
    page.get_by_role("button", name="Options").click()
    assert_accessible(page)
    page.close()
