"""In which one way is a place written, be it a path or an address?"""

import posixpath
import re

from memory.views.identifiers import LONGEST_PLACE, names_place

_KEY = re.compile(r"(?:^|_)(?:paths?|files?|filename|dir|directory|folder)$|[a-z](?:Path|File|Dir)$|^fileName$")


def canonical(place: str) -> str:
    """A path without what leads nowhere, `./src//f.py`; of an address no more than the mark at its end goes."""
    if "://" in place:
        return place.rstrip("/")
    return posixpath.normpath(place) if "/" in place else place


def without_query(address: str) -> str:
    """An address without what it asks of the place, `?page=2`; a path is all that it is."""
    return canonical(re.split("[?#]", address, maxsplit=1)[0]) if "://" in address else address


def is_place(key: str, text: str) -> bool:
    """Whether what stands under a key is a path, the name of a file or an address."""
    return names_place(text) or (0 < len(text) <= LONGEST_PLACE and "\n" not in text and _KEY.search(key) is not None)
