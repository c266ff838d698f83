"""What is hostile in an answer or a message executes and requests nothing."""

from playwright.sync_api import Page, expect

from tests.scripted_model import ScriptedModel, answer
from tests.web.chatting import ANSWERS, SAID, say, wait
from tests.web.watched import Watched

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
