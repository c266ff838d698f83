"""The messages of a chat: where a reader stands, and how they are drawn."""

from collections.abc import Callable
from threading import Event as Signal

import httpx
from playwright.sync_api import Page, expect

from tests.checks import eventually
from tests.scripted_model import ScriptedModel, answer
from tests.web.chatting import ANSWERS, SAID, say, wait
from tests.web.watched import Watched


def test_a_reader_who_scrolled_up_stays_there(page: Page, address: str, model: ScriptedModel, held: Signal) -> None:
    messages = [{"role": "user", "content": f"Line {number}. " + "word " * 60} for number in range(40)]
    httpx.post(f"{address}/v1/messages", json={"session_id": "long", "messages": messages}).raise_for_status()
    page.goto(f"{address}/?session=long")
    expect(page.locator(SAID).last).to_contain_text("Line 39.")
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

    def first() -> int:
        return int(page.locator(SAID).first.inner_text().split()[1])

    for _ in range(3):
        before = first()
        page.locator(".thread").evaluate("box => { box.scrollTop = 0; }")
        eventually(lambda before=before: first() < before, 30)
    numbers = [int(text.split()[1]) for text in page.locator(SAID).all_inner_texts()]
    assert numbers == list(range(numbers[0], 2000))


def test_an_answer_under_way_stands_behind_its_message_however_the_chat_is_opened(
    page: Page, address: str, held: Signal
) -> None:
    messages = [{"id": f"row-{number}", "role": "user", "content": f"Row {number}"} for number in range(100)]
    httpx.post(f"{address}/v1/messages", json={"session_id": "rows", "messages": messages}).raise_for_status()
    page.goto(f"{address}/?session=rows")
    expect(page.locator(SAID).last).to_have_text("Row 99")
    say(page, "Count for me")
    expect(page.locator(ANSWERS)).to_have_text("One two")
    page.goto(f"{address}/?session=rows&message=row-4")
    expect(page.locator(".message.marked .said")).to_have_text("Row 4")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.locator(ANSWERS)).to_have_count(0)
    held.set()
    wait(page)

    def read_on() -> bool:
        page.locator(".thread").evaluate("box => { box.scrollTop = box.scrollHeight; }")
        return page.locator(SAID).last.inner_text() == "Count for me"

    eventually(read_on, 30)
    expect(page.locator(ANSWERS)).to_have_text(["One two three four"])
    with page.expect_request("**/query") as asked:
        page.get_by_role("button", name="Retry").click()
    sent = asked.value.post_data_json
    assert (sent["query"], sent["instead_of"].endswith(".prompt")) == ("Count for me", True)
    wait(page)
    assert httpx.get(f"{address}/v1/sessions/rows").json()["message_count"] == 103
    expect(page.locator(SAID).last).to_have_text("Count for me")


MATHS = r"""The sum is
$$
a
- b
+ c
$$
and

\[
- x
\]

- In a list:
  $$
  d
  + e
  $$

It costs $5 and $6; $f$, `$$`, and $$g$$."""


def test_formulas_of_several_lines_are_no_lists(page: Page, address: str, model: ScriptedModel) -> None:
    page.goto(address)
    model.script(answer(MATHS))
    say(page, "Show me")
    wait(page)
    shown = page.locator(ANSWERS)
    expect(shown.locator("math")).to_have_count(5)
    expect(shown.locator("math[display=block]")).to_have_count(4)
    expect(shown.locator("li")).to_have_count(1)
    expect(shown).to_contain_text("It costs $5 and $6;")
    assert "$$" not in shown.inner_text().replace("$$,", "", 1)


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


def test_an_answer_is_never_seen_as_it_was_written(page: Page, address: str, model: ScriptedModel) -> None:
    page.route("**/vendor/marked.js", lambda route: route.abort())
    page.goto(address)
    model.script(answer("It is **blue**."))
    say(page, "Which colour?")
    for _ in range(2):
        expect(page.locator(".thread")).to_have_text("Loading …")
        expect(page.get_by_role("button", name="Send")).to_be_visible()
        page.reload()
    page.unroute("**/vendor/marked.js")
    page.reload()
    expect(page.locator(ANSWERS)).to_have_text("It is blue.")
    expect(page.locator(f"{ANSWERS} strong")).to_have_text("blue")
