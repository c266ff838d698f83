"""The chat page as tests use it."""

from playwright.sync_api import Page, expect

SAID = ".message.user .said"
ANSWERS = ".message.assistant .markdown"


def say(page: Page, text: str) -> None:
    page.get_by_label("Message", exact=True).fill(text)
    page.get_by_role("button", name="Send").click()


def wait(page: Page) -> None:
    """Until no answer is under way."""
    expect(page.get_by_role("button", name="Send")).to_be_visible()
