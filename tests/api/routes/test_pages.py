"""The pages that a browser opens."""

import os
from pathlib import Path

import httpx
import pytest
from starlette.datastructures import Headers

from api.routes.pages import WEB, Assets

FILES = sorted(str(path.relative_to(WEB)) for path in WEB.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", ["/", "/memory", "/admin", *(f"/web/{name}" for name in FILES)])
def test_everything_that_a_browser_opens_stands_under_the_policy(api: httpx.Client, path: str) -> None:
    answer = api.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert answer.headers["referrer-policy"] == "no-referrer"
    again = api.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert again.headers["content-security-policy"] == answer.headers["content-security-policy"]


def test_a_file_comes_packed_to_who_takes_it_so_and_once(api: httpx.Client) -> None:
    packed = api.get("/web/chat/main.js", headers={"Accept-Encoding": "gzip"})
    plain = api.get("/web/chat/main.js", headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content == (WEB / "chat/main.js").read_bytes()
    assert int(packed.headers["content-length"]) < len(plain.content) / 2
    again = api.get("/web/chat/main.js", headers={"If-None-Match": packed.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert api.get("/web/chat/main.js", headers={"If-None-Match": 'W/"another"'}).status_code == 200


def test_a_file_that_is_changed_is_read_anew(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("1")
    assets = Assets(tmp_path)
    before = assets.file("a.js", Headers())
    (tmp_path / "a.js").write_text("2")
    os.utime(tmp_path / "a.js", (1, 1))
    after = assets.file("a.js", Headers())
    assert (before.body, after.body) == (b"1", b"2")
    assert before.headers["etag"] != after.headers["etag"]
