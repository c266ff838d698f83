"""What tests of the admin page share: who is there, and work that was given up."""

from datetime import timedelta
from typing import Any

from playwright.sync_api import Locator, Page
from pymongo.database import Database

from tests.checks import eventually
from utils.clock import now

EVIL = '<img src=x onerror="document.title=1"><script>document.title=1</script><b>bold</b>'
USER = "ann <b>o'hara&?#é"


def kill(database: Database[dict[str, Any]], content: str) -> None:
    """Lets the embedding of a message have failed for good."""
    dead = {"state": "dead", "attempts": 3, "error": "ValueError", "lease_until": now() - timedelta(hours=2)}
    done = {"content": content, "embed.state": "done"}
    eventually(lambda: database.vectors.update_one(done, {"$set": {"embed": dead}}).matched_count)


def row(page: Page, text: str) -> Locator:
    return page.locator("tbody tr").filter(has_text=text)
