"""What an answer rested on, as it is by now: a receipt names its sources alone, so that what is deleted is gone."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.gists import Gists
from memory.turns import Conversations, Used


@dataclass(frozen=True)
class Source:
    """A memory that an answer was given. `role`: of a message; `session_id`: where it was said. `recalled`: whether
    other answers may be given it."""

    content: str
    timestamp: datetime
    role: str | None = None
    session_id: str | None = None
    recalled: bool = True


class Sources:
    def __init__(self, gists: Gists, chats: Conversations) -> None:
        self._reader = gists.reader
        self._chats = chats

    async def of(self, owner: str, used: Sequence[Used]) -> list[Source | None]:
        """What stands behind each memory of a receipt; None where it is gone."""
        keys = [one.id for one in used if one.kind == "memory"]
        gists, kept, summaries = await asyncio.gather(
            self._reader.by_ids(owner, [one.id for one in used if one.kind not in ("memory", "summary")]),
            self._chats.keyvalues.under(owner, keys),
            asyncio.gather(*(self._summary(owner, one.id) for one in used if one.kind == "summary")),
        )
        found = {one.id: Source(one.content, one.timestamp, one.role, one.session_id, one.recalled) for one in gists}
        found |= {key: Source(f"{key}: {one.value}", one.updated_at) for key, one in kept.items()}
        found |= dict(source for source in summaries if source is not None)
        return [found.get(one.id) for one in used]

    async def _summary(self, owner: str, identifier: str) -> tuple[str, Source] | None:
        session, _, _ = identifier.rpartition("#")
        for one in await self._chats.summaries.of_session(owner, session):
            if one.id == identifier:
                return identifier, Source(one.text, one.timestamp, None, session)
        return None
