"""The pages that a browser opens."""

import httpx
import pytest

from api.routes.pages import WEB

FILES = sorted(str(path.relative_to(WEB)) for path in WEB.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", ["/", "/memory", "/admin", *(f"/web/{name}" for name in FILES)])
def test_everything_that_a_browser_opens_stands_under_the_policy(api: httpx.Client, path: str) -> None:
    answer = api.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert answer.headers["referrer-policy"] == "no-referrer"
    again = api.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert again.headers["content-security-policy"] == answer.headers["content-security-policy"]
