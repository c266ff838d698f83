"""Who asks, and in which conversation, as clients of other products say it: in headers and fields of protocols."""

import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from agents.openai_chat import parsed
from memory.ids import derived_id
from utils.fields import Identifier
from utils.text import repair

# Of these the first that is there counts. Open WebUI sends its headers where ENABLE_FORWARD_USER_INFO_HEADERS is set.
USER_HEADERS = ("X-OpenWebUI-User-Id",)
SIGNED_USER = "X-OpenWebUI-User-Jwt"  # instead, where Open WebUI has FORWARD_USER_INFO_HEADER_JWT_SECRET
OPENWEBUI_CHAT = "X-OpenWebUI-Chat-Id"
SESSION_HEADERS = (OPENWEBUI_CHAT, "X-Claude-Code-Session-Id")
TEMPORARY = ("temporary:", "local:")  # how Open WebUI names chats of which it keeps nothing itself
USER_FIELDS = ("user", "safety_identifier")
USER_METADATA = ("user_id",)
SESSION_METADATA = ("session_id", "conversation_id", "chat_id", "thread_id")

# What Claude Code has as the user: a machine, an account and the session, in one; earlier versions without JSON.
_OF_AGENT = re.compile(r"user_[0-9a-f]+_account_[\w-]*_session_(?P<session>[\w-]+)")

_IDENTIFIER: TypeAdapter[str] = TypeAdapter(Identifier)


@dataclass(frozen=True)
class Identity:
    """What a request says; None where it says nothing. `temporary`: nothing of it is to be kept."""

    user: str | None = None
    session: str | None = None
    temporary: bool = False


def identity_of(headers: Mapping[str, str], body: Mapping[str, Any]) -> Identity:
    """What others' headers and the protocol's own fields say. An id that could be none of Loci's is told by one that is
    derived from it."""
    metadata = body.get("metadata")
    noted = _unpacked(metadata) if isinstance(metadata, dict) else {}
    return Identity(
        _first(headers, USER_HEADERS)
        or _first(_claimed(headers.get(SIGNED_USER, "")), ("sub",))
        or _first(body, USER_FIELDS)
        or _first(noted, USER_METADATA),
        _first(headers, SESSION_HEADERS) or _first(noted, SESSION_METADATA),
        temporary=headers.get(OPENWEBUI_CHAT, "").startswith(TEMPORARY),
    )


def _unpacked(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Metadata in which a machine is no user: who works on two has one memory."""
    named = metadata.get("user_id")
    if not isinstance(named, str):
        return metadata
    if (known := _OF_AGENT.fullmatch(named)) is not None:
        return {"session_id": known["session"]}
    packed = parsed(named.encode("utf-8", "replace")) if named.startswith("{") else None
    return packed if isinstance(packed, dict) and "session_id" in packed else metadata


def _claimed(token: str) -> Mapping[str, Any]:
    """What a signed token claims; nothing where it is none. Its signature is not asked for: it is believed as other
    headers are, where no key says who the user is."""
    try:
        claims = parsed(urlsafe_b64decode(f"{token.split('.')[1]}=="))
    except (IndexError, ValueError):
        return {}
    return claims if isinstance(claims, dict) else {}


def cached_as(body: Mapping[str, Any]) -> str | None:
    """The conversation by the key under which a client has it cached at its provider."""
    return _first(body, ("prompt_cache_key",))


def _first(said: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next(_ids(said, names), None)


def _ids(said: Mapping[str, Any], names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        value = said.get(name)
        if isinstance(value, str) and value.strip():
            yield _fitting(value.strip())


def _fitting(value: str) -> str:
    try:
        return _IDENTIFIER.validate_python(value)
    except ValidationError:
        return derived_id(repair(value))
