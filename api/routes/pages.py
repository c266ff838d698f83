"""The pages that a browser opens."""

import gzip
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from mimetypes import guess_type
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

WEB = Path(__file__).parents[2] / "web"
SWAGGER = Path(str(files("fastapi_swagger"))) / "resources"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",  # asked for anew, so that scripts of two versions never meet
    "Vary": "Accept-Encoding",
}


class Assets(StaticFiles):
    """The files of a directory, each under the policy of the pages. One is read and compressed once, until it changes:
    a page asks for many at a time."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory=directory)
        self._paths = {str(path.relative_to(directory)): path for path in directory.rglob("*") if path.is_file()}

    async def get_response(self, path: str, scope: Scope) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        return self.file(path, Headers(scope=scope))

    def file(self, name: str, asked: Headers) -> Response:
        """A file by its path here, without its content where the client has that. Raises `HTTPException` where there is
        none."""
        if (path := self._paths.get(name)) is None:
            raise HTTPException(404)
        body, packed, tag = _read(path, path.stat().st_mtime_ns)
        headers = HEADERS | {"ETag": tag}
        if tag in asked.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if "gzip" in asked.get("accept-encoding", ""):
            body, headers = packed, headers | {"Content-Encoding": "gzip"}
        return Response(body, headers=headers, media_type=guess_type(name)[0])


@lru_cache(maxsize=128)
def _read(path: Path, changed: int) -> tuple[bytes, bytes, str]:
    """A file's content, the same compressed, and its tag. `changed`: when it was last written, in nanoseconds."""
    body = path.read_bytes()
    return body, gzip.compress(body, mtime=0), f'W/"{sha256(body).hexdigest()[:32]}"'


PAGES = Assets(WEB)

router = APIRouter(include_in_schema=False)


@router.get("/")
async def chat_page(request: Request) -> Response:
    """The chat page; it loads nothing from elsewhere."""
    return PAGES.file("index.html", request.headers)


@router.get("/memory")
async def memory_page(request: Request) -> Response:
    """What is remembered of a user, to be read, changed and forgotten; the page itself holds no data."""
    return PAGES.file("memory.html", request.headers)


@router.get("/admin")
async def admin_page(request: Request) -> Response:
    """The admin page; it holds no data, and asks for the admin key where its routes do."""
    return PAGES.file("admin.html", request.headers)


@router.get("/docs")
async def docs_page(request: Request) -> Response:
    """Every route, with an example that can be tried."""
    return PAGES.file("docs.html", request.headers)
