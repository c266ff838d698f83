"""Ids: how things are named, and what an id becomes that another user has.

Ids that the server makes are random or derived from what they belong to; ids that clients choose may collide between
users, so the second user's document takes a `_id` of its own and keeps the client's id in a field under a unique index.
"""

import hashlib
import uuid

APART = "\x1f"  # between a user and a project whose memory is one of its own; no id that a client gives has it


def new_id() -> str:
    """A random id: 32 hexadecimal digits."""
    return uuid.uuid4().hex


def new_epoch() -> str:
    """A random mark of one life of something that may be deleted and made again under its name: 16 hexadecimal
    digits."""
    return new_id()[:16]


def derived_id(*parts: str) -> str:
    """The same 32 hexadecimal digits for the same parts, whatever they contain."""
    joined = "".join([f"{len(part)}:{part}" for part in parts])
    return hashlib.sha256(joined.encode()).hexdigest()[:32]


def fingerprint(text: str) -> str:
    """The same 16 hexadecimal digits for the same words, whatever blanks stand between them."""
    return derived_id(*text.split())[:16]


def scoped(identifier: str, owner: str) -> str:
    """The `_id` of a document whose own id is another user's `_id` already."""
    return f"{identifier}~{derived_id(owner, identifier)[:16]}"


def keys_of(identifier: str, owner: str) -> tuple[str, str]:
    """The `_id`s that the owner's document of this id may have."""
    return identifier, scoped(identifier, owner)


def unscoped(key: str, owner: str) -> str:
    """The id that a document has for its owner, from its `_id`."""
    identifier = key.rpartition("~")[0]
    return identifier if identifier and scoped(identifier, owner) == key else key


def owner_apart(user: str, project: str) -> str:
    """The owner of what an isolated project of a user's remembers: another memory, as another user's is."""
    return f"{user}{APART}{project}"


def user_of(owner: str) -> str:
    """The user whose memory it is, or is a part of."""
    return owner.partition(APART)[0]


def project_of(owner: str) -> str:
    """The isolated project whose memory it is."""
    return owner.partition(APART)[2]


def prompt_id(turn_id: str) -> str:
    """The id of the user's message of an exchange."""
    return f"{turn_id}.prompt"


def response_id(turn_id: str) -> str:
    """The id of the answer of an exchange."""
    return f"{turn_id}.response"
