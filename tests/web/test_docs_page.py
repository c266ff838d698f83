"""The page of all routes, in a real browser."""

import re
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.web.watched import Watched

# What Swagger UI's own markup violates of axe-core's rules.
VENDORED = {"heading-order", "label", "nested-interactive", "scrollable-region-focusable"}


@pytest.mark.parametrize(("prefix", "forwarded"), [("", False), ("/memory/loci", False), ("/memory/loci", True)])
def test_a_route_is_tried_with_its_example(
    page: Page, watched: Watched, serve: Callable[..., str], prefix: str, forwarded: bool
) -> None:
    page.set_default_timeout(60_000)  # it has a megabyte of script to read
    if forwarded:
        page.set_extra_http_headers({"X-Forwarded-Prefix": prefix})
    address = serve() if forwarded else serve(root_path=prefix)
    page.goto(f"{address}{prefix}/docs")
    route = page.locator("#operations-chat-query_query_post")
    route.locator(".opblock-summary-control").click()
    expect(route.locator("textarea")).to_have_value(re.compile("What does my daughter play"))
    if not prefix:
        refused = {one["id"] for one in Axe().run(page).response["violations"]}
        assert refused <= VENDORED
    route.get_by_role("button", name="Execute").click()
    expect(route.locator(".live-responses-table")).to_contain_text('"turn_id"', timeout=60_000)
    assert {url.split("/")[2] for url in watched.requests if not url.startswith("data:")} == {address.split("/")[2]}
    assert watched.complaints == []
