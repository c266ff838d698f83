"""What the tests of pages share: a real browser, and what the admin page has to show."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from pymongo import MongoClient
from pymongo.database import Database

from config.settings import Settings
from tests.web.admin import EVIL, USER
from tests.web.watched import Watched

CHROMIUM = "/usr/bin/chromium"
WAIT = 30_000  # milliseconds; cores may be busy
expect.set_options(timeout=WAIT)
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP loci.lan 127.0.0.1",  # a name that is not this machine's, so that HTTP is not secure
]


@pytest.fixture(scope="module")
def browser(store_uri: str) -> Iterator[Browser]:
    """After the store, which is started in an event loop: in this thread the browser's runs from now on."""
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
    context.set_default_timeout(WAIT)
    yield Watched(context.new_page())
    context.close()


@pytest.fixture
def page(watched: Watched) -> Page:
    return watched.page


@pytest.fixture
def address(serve: Callable[..., str]) -> str:
    """Of an API that knows two users, one of whom says markup."""
    address = serve()
    for user, texts in ((USER, ["My dog is called Biscuit", EVIL]), ("bob", ["Hello"])):
        messages = [{"role": "user", "content": text} for text in texts]
        body = {"user_id": user, "session_id": "first one", "messages": messages, "wait": True}
        assert httpx.post(f"{address}/v1/messages", json=body).status_code == 200
    body = {"query": "What is my dog called?", "user_id": USER, "session_id": "second one"}
    assert httpx.post(f"{address}/query", json=body, timeout=30).status_code == 200
    return address


@pytest.fixture
def database(make_settings: Callable[..., Settings], store_uri: str) -> Database[dict[str, Any]]:
    return MongoClient[dict[str, Any]](store_uri, tz_aware=True)[make_settings().mongodb_db]
