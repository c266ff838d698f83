"""The pages that a browser opens."""

from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.types import Scope

WEB = Path(__file__).parents[2] / "web"
SWAGGER = Path(str(files("fastapi_swagger"))) / "resources"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}

router = APIRouter(include_in_schema=False)


@router.get("/")
async def chat_page() -> FileResponse:
    """The chat page; it loads nothing from elsewhere."""
    return FileResponse(WEB / "index.html", headers=HEADERS)


@router.get("/memory")
async def memory_page() -> FileResponse:
    """What is remembered of a user, to be read, changed and forgotten; the page itself holds no data."""
    return FileResponse(WEB / "memory.html", headers=HEADERS)


@router.get("/admin")
async def admin_page() -> FileResponse:
    """The admin page; it holds no data, and asks for the admin key where its routes do."""
    return FileResponse(WEB / "admin.html", headers=HEADERS)


@router.get("/docs")
async def docs_page() -> FileResponse:
    """Every route, with an example that can be tried."""
    return FileResponse(WEB / "docs.html", headers=HEADERS)


class Assets(StaticFiles):
    """The files that the pages consist of, each under the policy of the page."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(HEADERS)
        return response
