"""The API, and beside it the bare route that it is measured against."""

import sys
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from pydantic import BaseModel

from api.app import create_app
from api.server import serve
from config.settings import Settings
from utils.loops import new_runner


class Bare(BaseModel):
    user_id: str
    session_id: str
    query: str


def add_bare_route(app: FastAPI) -> None:
    indexed: list[str] = []

    @app.post("/bare")
    async def bare(body: Bare, request: Request) -> list[dict[str, Any]]:
        """The least that a chat backend does: stores the message, and finds the newest twelve of its session."""
        messages = request.app.state.memory.engine.store.collections.vectors.database["bare"]
        if not indexed:
            indexed.append(
                await messages.create_index([("user_id", 1), ("session_id", 1), ("timestamp", 1)], name="own")
            )
        moment = datetime.now(UTC)
        message = {"user_id": body.user_id, "session_id": body.session_id, "role": "user", "content": body.query}
        await messages.insert_one({"_id": uuid.uuid4().hex, **message, "timestamp": moment})
        own = {"user_id": body.user_id, "session_id": body.session_id}
        found: list[dict[str, Any]] = await messages.find(own, {"_id": 0}).sort("timestamp", -1).limit(12).to_list(None)
        return found


def main() -> None:
    home, port = Path(sys.argv[1]), int(sys.argv[2])
    settings = Settings(loci_home=home, port=port)
    app = create_app(settings)
    add_bare_route(app)
    with new_runner() as runner:
        runner.run(serve(app, settings, lambda _: None))


if __name__ == "__main__":
    main()
