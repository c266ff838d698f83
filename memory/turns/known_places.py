"""Places that this process knows, of sessions that it answered last."""

from collections import OrderedDict
from dataclasses import replace
from time import monotonic

from memory.domain import Turn
from memory.ids import prompt_id
from memory.turns.place import Place

NEWEST = 16  # messages that a place names: the twelve that a bundle shows, and some to spare
KNOWN = 1_000  # sessions, the one answered longest ago going first
ASKED = 30.0  # seconds for which a summary that was asked for is trusted to come


class KnownPlaces:
    """The last places of sessions, each with its answer counted. What is known may be out of date, and is no more than
    a guess at the session's counters. `window`: messages that one summary covers."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._known: OrderedDict[tuple[str, str], Place] = OrderedDict()

    def take(self, owner: str, session_id: str) -> Place | None:
        """What is known of a session. It is taken out, so that of requests at once only one goes by it."""
        known = self._known.pop((owner, session_id), None)
        if known is None or (known.asked_to > known.summarised_to and monotonic() - known.asked_at > ASKED):
            return None
        return known

    def keep(self, place: Place, answer: Turn, *, asked: bool) -> None:
        """Keeps the place of an exchange whose answer was just counted. `asked`: with it a summary was asked for."""
        session = (place.owner, place.session_id)
        other = self._known.get(session)
        if other is not None and other.next_index > place.next_index:
            return  # a later exchange was answered before
        if asked:
            windows = (place.next_index - 1 - place.covered_to) // self._window
            place = replace(place, asked_to=place.covered_to + windows * self._window, asked_at=monotonic())
        prompt = prompt_id(answer.turn_id or "")
        self._known[session] = replace(
            place, message_count=place.message_count + 1, newest=(*place.newest, prompt, answer.id)[-NEWEST:]
        )
        self._known.move_to_end(session)
        if len(self._known) > KNOWN:
            self._known.popitem(last=False)
