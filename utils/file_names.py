"""Names as names of files and folders, and back."""

import re
from hashlib import sha256
from urllib.parse import unquote_to_bytes

LONGEST = 120  # bytes of a file name's part; file systems take 255 for the whole
DIGEST = 32  # hexadecimal digits

_PLAIN = re.compile(rb"[a-z0-9._-]")  # no capitals: to some file systems "Ann" and "ann" are one
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)")


def file_name(name: str) -> str:
    """A name that every file system takes, another one for every name, whatever it contains: percent-encoded, and
    where that is long, cut, with a digest of the name."""
    encoded = re.sub(rb".", _plain_or_encoded, name.encode(), flags=re.DOTALL).decode()
    if encoded.startswith(".") or _RESERVED.match(encoded):
        encoded = f"%{ord(encoded[0]):02x}{encoded[1:]}"
    if encoded.endswith("."):
        encoded = f"{encoded[:-1]}%2e"
    if len(encoded) <= LONGEST:
        return encoded
    return f"{encoded[: LONGEST - DIGEST - 1]}~{sha256(name.encode()).hexdigest()[:DIGEST]}"


def name_of(file: str) -> str | None:
    """The name that `file_name` gave this file name; None where it gives no such, or cut it."""
    try:
        name = unquote_to_bytes(file).decode()
    except ValueError:
        return None
    return name if file_name(name) == file else None


def _plain_or_encoded(byte: re.Match[bytes]) -> bytes:
    return byte[0] if _PLAIN.match(byte[0]) else b"%%%02x" % ord(byte[0])
