"""A place: where a message stands."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Place:
    """Where new messages of a session go. `key`: the session's `_id`. `epoch`: tells it from one that was deleted and
    came back under its id. `index`: place of the first of them. `summarised_to`: place of the last message that a
    summary covers, -1 for none. `next_index`, `message_count`: the counters, the new messages counted but for answers.
    `newest`: ids of the messages logged last but for the new ones, oldest first. `asked_to`: as `summarised_to`, for
    summaries that this process asked for and may not have seen come, last at `asked_at` (monotonic seconds)."""

    owner: str
    session_id: str
    key: str
    epoch: str
    index: int
    summarised_to: int
    next_index: int
    message_count: int
    newest: tuple[str, ...] = ()
    asked_to: int = -1
    asked_at: float = 0.0

    @property
    def session(self) -> dict[str, Any]:
        """The filter of the session as it was when the place was given."""
        return {"_id": self.key, "user_id": self.owner, "epoch": self.epoch}

    @property
    def unchanged(self) -> dict[str, Any]:
        """The filter of the session where nothing was logged or placed since."""
        return {**self.session, "next_index": self.next_index, "message_count": self.message_count}

    @property
    def covered_to(self) -> int:
        """Place of the last message that a summary covers or was asked for."""
        return max(self.summarised_to, self.asked_to)
