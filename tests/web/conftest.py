"""What do the tests of pages share? A real browser."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.web.watched import Watched

CHROMIUM = "/usr/bin/chromium"
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = shutil.which(CHROMIUM) or shutil.which("chromium")
    if found is None and os.environ.get("CI") != "true":
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found or CHROMIUM, args=OPTIONS)
        yield started
        started.close()


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(10_000)
    yield Watched(context.new_page())
    context.close()


@pytest.fixture
def page(watched: Watched) -> Page:
    return watched.page
