"""The pages that a browser opens."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

WEB = Path(__file__).parent.parent / "web"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

router = APIRouter(include_in_schema=False)


@router.get("/")
async def chat_page() -> FileResponse:
    """The chat page; it loads nothing from elsewhere."""
    return FileResponse(
        WEB / "index.html", headers={"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}
    )
