"""Whether a file may be what it says it is: the user's folder and its place there decide; front matter is checked."""

import re

from memory.ids import keys_of
from memory.mirror.files import FACT, Entry, Where
from utils.file_names import file_name

LONGEST_FACT = 600  # characters, as over HTTP
LONGEST_MESSAGE = 200_000

NOTHING = "it says nothing: delete it, if that is what you mean"

_FRONT_MATTER = re.compile(r"^id: .+\n(?:.*\n)*?---\s*$", re.MULTILINE)
ADDED = (FACT, "user", "assistant")  # roles of which a file can add something


def unfit(owner: str, said: Entry, place: Where, key: str | None) -> str | None:
    """Why a file cannot be what it says it is; None where it can."""
    if said.conversation_id is not None and file_name(said.conversation_id) != canonical(place):
        return "it names another conversation than its folder"
    if place.conversation is None and said.conversation_id is None and key is None:
        return "its folder's name is cut, and it does not name its conversation"
    if said.role is not None and said.role != place.role:
        return "it names another role than its folder"
    if key is not None and said.id is not None and key not in keys_of(said.id, owner):
        return "it names another id than it was written with"
    if key is not None and not said.text:
        return NOTHING
    if key is not None and said.id is None and _FRONT_MATTER.search(said.text):
        return "its front matter has no beginning"
    if len(said.text) > (LONGEST_FACT if place.role == FACT else LONGEST_MESSAGE):
        return "its text is too long"
    if key is None and place.role not in ADDED:
        return "only facts, and messages of the user and the assistant, can be added"
    return None


def canonical(place: Where) -> str:
    """The folder's name that the conversation of a place has."""
    return file_name(place.conversation) if place.conversation is not None else place.folder
