"""What does a command that speaks HTTP ask for, and which files does it write?"""

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.views.places import without_query

# Options of curl and of wget behind which a value stands.
_OF_CURL = frozenset({f"-{letter}" for letter in "AbcCdDeEFHKmoPQrtTuUwxXyYz"}) | {
    "--request", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json", "--form",
    "--form-string", "--upload-file", "--output", "--output-dir", "--header", "--url", "--user", "--user-agent",
    "--referer", "--cookie", "--cookie-jar", "--dump-header", "--write-out", "--cacert", "--cert", "--key", "--proxy",
    "--max-time", "--connect-timeout", "--retry", "--config",
}  # fmt: skip
_OF_WGET = frozenset({f"-{letter}" for letter in "aABDeiIlLoOPQRtTUwX"}) | {
    "--method", "--post-data", "--post-file", "--body-data", "--body-file", "--output-document", "--output-file",
    "--directory-prefix", "--header", "--user", "--password", "--user-agent", "--input-file", "--timeout", "--tries",
}  # fmt: skip
_METHODS = {"curl": {"-X", "--request"}, "wget": {"--method"}}
_SENDING = {
    "curl": {"-d", "-F", "-T", "--json", "--upload-file", "--form", "--form-string"},
    "wget": {"--post-data", "--post-file", "--body-data", "--body-file"},
}
_ASKING = frozenset({"-G", "--get", "-I", "--head"})  # of curl: what is sent stands in the address then
_WRITING = {"curl": {"-o", "--output"}, "wget": {"-O", "--output-document"}}
_BY_ITS_NAME = frozenset({"-O", "--remote-name", "--remote-name-all"})
_INTO = {"curl": {"--output-dir"}, "wget": {"-P", "--directory-prefix"}}
_ASKS = frozenset({"GET", "HEAD", "OPTIONS"})
_NO_FILE = frozenset({"-", "/dev/null", "/dev/stdout", "/dev/stderr"})


@dataclass(frozen=True)
class Request:
    """`changes`: whether more is asked for than what there is. `files`: what comes back is written into."""

    changes: bool
    addresses: tuple[str, ...]
    files: tuple[str, ...]


def request_of(program: str, words: Sequence[str]) -> Request:
    """What the words behind `curl` or `wget` ask for."""
    options = list(options_of(words, _OF_CURL if program == "curl" else _OF_WGET))
    names = {name for name, _ in options}
    methods = [value.upper() for name, value in options if name in _METHODS[program]]
    sends = any(name in _SENDING[program] or (program == "curl" and name.startswith("--data")) for name in names)
    asks = methods[-1] in _ASKS if methods else not sends or (program == "curl" and not _ASKING.isdisjoint(names))
    addresses = tuple(value for name, value in options if name in {"", "--url"} and "/" in value and value[0] != "{")
    files = [value for name, value in options if name in _WRITING[program]]
    if (program == "curl" and not _BY_ITS_NAME.isdisjoint(names)) or (
        program == "wget" and not files and "--spider" not in names
    ):
        files += [posixpath.basename(without_query(one)) for one in addresses]
    folder = next((value for name, value in options if name in _INTO[program]), "")
    written = tuple(posixpath.join(folder, one) for one in files if one and one not in _NO_FILE)
    return Request(not asks, addresses, written)


def options_of(words: Sequence[str], valued: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The options among words with their values, each of those in one word by itself (`-sXPUT`: "-s" and "-X"), and
    the words that are none by an empty name. `valued`: options behind which a value stands."""
    left = iter(words)
    for word in left:
        if word.startswith("--") and len(word) > 2:
            name, is_said, value = word.partition("=")
            yield name, value if is_said or name not in valued else next(left, "")
        elif word.startswith("-") and len(word) > 1:
            yield from _in_one_word(word, left, valued)
        else:
            yield "", word


def _in_one_word(word: str, left: Iterator[str], valued: frozenset[str]) -> Iterator[tuple[str, str]]:
    for at, letter in enumerate(word[1:], 2):
        if f"-{letter}" in valued:
            yield f"-{letter}", word[at:] or next(left, "")
            return
        yield f"-{letter}", ""
