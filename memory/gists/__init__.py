"""What can be recalled: one document in `vectors` for each message, fact, observation, insight and bank section.

A gist is written once, embedded by a queue that no crash loses, read in order of its place, and erased with a mark
that every index sees. Caches of a process let go of what was erased.
"""

from memory.gists.caches import Cache, Caches, GistEraser
from memory.gists.embedding_queue import UNAVAILABLE, Waiting, has_embedded, outdated_by
from memory.gists.gists import (
    AT_ONCE,
    EMPTY,
    TEXT,
    Imprint,
    Terms,
    document_of,
    embedded_fields,
    from_bytes,
    from_document,
    gist_of,
    hashed,
    hashes,
    imprints,
    is_of_the_user,
    new_gist,
    piece_in,
    spoken,
    text_to_embed,
    to_bytes,
    turn_of,
)
from memory.gists.reader import GistReader, JustSaid
from memory.gists.room import Gists, open_gists

__all__ = [
    "AT_ONCE",
    "EMPTY",
    "TEXT",
    "UNAVAILABLE",
    "Cache",
    "Caches",
    "GistEraser",
    "GistReader",
    "Gists",
    "Imprint",
    "JustSaid",
    "Terms",
    "Waiting",
    "document_of",
    "embedded_fields",
    "from_bytes",
    "from_document",
    "gist_of",
    "has_embedded",
    "hashed",
    "hashes",
    "imprints",
    "is_of_the_user",
    "new_gist",
    "open_gists",
    "outdated_by",
    "piece_in",
    "spoken",
    "text_to_embed",
    "to_bytes",
    "turn_of",
]
