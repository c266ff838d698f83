"""What does a command read, and what does it change?

Of programs that are not known nothing is said but what they name.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from memory.views.names import singular
from memory.views.places import canonical
from memory.views.requests import options_of, request_of
from memory.views.sql import Rows, is_sql, statements_of

READ = 2_000  # characters of a command in which things are looked for

_SHELLS = frozenset({"sh", "bash", "zsh", "dash"})
_BEFORE = frozenset({"sudo", "env", "time", "nohup", "exec", "command", "npx"})
_READING = frozenset(
    {"cat", "ls", "head", "tail", "less", "more", "grep", "egrep", "fgrep", "rg", "ag", "find", "fd", "wc", "diff",
     "cmp", "stat", "file", "tree", "du", "df", "pwd", "uniq", "cut", "awk", "sed", "jq", "yq", "hexdump",
     "xxd", "strings", "md5sum", "sha1sum", "sha256sum", "readlink", "realpath", "nl", "tac", "bat", "which", "pytest",
     "mypy", "flake8", "pylint", "sleep", "true", "test", "basename", "dirname", "date", "whoami", "uname", "id",
     "env", "ps"}
)  # fmt: skip
_TALKING = frozenset({"echo", "printf", "true", "sleep", "export", "set", "source", "pwd", "date"})  # of no place
_CHANGING = frozenset({"rm", "rmdir", "mv", "tee", "touch", "truncate", "ln", "unlink", "shred", "mkdir"})
# So are the folders of what they change.
_LISTED_ANEW = frozenset({"rm", "rmdir", "mv", "touch", "ln", "unlink", "mkdir", "cp"})
_FOLDERS = frozenset({"ls", "tree", "find", "du"})  # of the one that it is in, where it names none
_COPYING = frozenset({"cp", "rsync", "install", "scp"})
_IN_PLACE = re.compile(r"--in-place|-(?!-)[a-zA-Z]*i[a-zA-Z]?(?:\.\S*)?|-w|--write|--fix")
_EDITORS = frozenset({"sed", "perl", "yq", "ruby", "prettier", "ruff", "eslint", "gofmt"})
# Programs that are told what to do by a word.
MANAGERS = frozenset(
    {"kubectl", "oc", "docker", "podman", "docker-compose", "helm", "systemctl", "service", "gh", "glab", "git", "aws",
     "gcloud", "az", "terraform", "npm", "pip"}
)  # fmt: skip
_SHOWING = frozenset(
    {"get", "describe", "logs", "log", "top", "list", "ls", "ps", "show", "status", "inspect", "view", "diff", "plan",
     "info", "blame", "grep", "outdated", "history", "test"}
)  # fmt: skip
_STATES = frozenset({"status", "ps", "ls", "list", "diff", "plan", "outdated"})  # what shows all of a kind
_DOING = frozenset(
    {"apply", "create", "delete", "patch", "edit", "scale", "set", "restart", "start", "stop", "kill", "rm", "remove",
     "annotate", "label", "expose", "drain", "cordon", "uncordon", "taint", "install", "uninstall", "upgrade",
     "rollback", "undo", "enable", "disable", "reload", "close", "reopen", "merge", "comment", "update", "add",
     "commit", "checkout", "switch", "reset", "restore", "rebase", "revert", "mv", "destroy", "up", "down",
     "terminate", "rename", "resize"}
)  # fmt: skip
_OF_FILES = frozenset({"checkout", "restore", "rm", "mv", "apply", "reset", "revert"})  # what git does to them
_FORMED = frozenset({"-o", "--output", "--format", "--tail", "--since", "-f", "--filename", "-m", "--message"})
_SHORT = {"deploy": "deployment", "po": "pod", "svc": "service", "sts": "statefulset", "ds": "daemonset",
          "cm": "configmap", "ing": "ingress", "ns": "namespace", "no": "node"}  # fmt: skip
_OF_SORT = frozenset({"-k", "-t", "-S", "-T", "-o", "--key", "--field-separator", "--output"})

_HEREDOC = re.compile(r"<<-?\s*[\"']?(\w++)[\"']?([^\n]*+)\n.*?(?:\n[^\S\n]*+\1\b|$)", re.DOTALL)
_TOKEN = re.compile(
    r"""\d?>{1,2}&?|<{1,3}|&&|\|\||[;|&\n()]|(?:[^\s;|&<>()"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+|\S""", re.DOTALL
)
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|\\(.)", re.DOTALL)
_ASSIGNED = re.compile(r"\w+=")


@dataclass(frozen=True)
class Part:
    """What one command of several does. `changes`: None where that is not known. `words`: all that it says. `places`:
    what it reads or changes. `of`: whose things it is for, a program's or a database's, `about` which, and which `rows`
    of them: what it shows is older than what is done where all of its words are said, be it with more."""

    changes: bool | None
    words: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    of: str = ""
    about: frozenset[str] = frozenset()
    rows: Rows = field(default_factory=dict)


def parts_of(command: str, program: str = "") -> tuple[Part, ...]:
    """What a command does. `program`: that its words are for, if they do not begin with it."""
    return _parts_of(command[:READ], program)


@lru_cache(maxsize=4096)
def _parts_of(text: str, program: str) -> tuple[Part, ...]:
    if is_sql(text):
        return tuple(_of_sql(text))
    if program in MANAGERS and not re.match(rf"\s*{re.escape(program)}\s", text):
        text = f"{program} {text}"
    return tuple(_of_shell(text))


def _of_sql(text: str) -> Iterator[Part]:
    for one in statements_of(text):
        for table in one.read - {one.changed}:
            yield Part(changes=False, of="sql", about=frozenset({table}), rows=one.rows)
        if one.changed:
            yield Part(changes=True, of="sql", about=frozenset({one.changed}), rows=one.rows)
        elif not one.read:
            yield Part(changes=None)


def _of_shell(text: str) -> Iterator[Part]:
    text = _HEREDOC.sub(r"\2\n", text.replace("\\\n", " "))
    folder = ""
    for words, targets in _commands(_TOKEN.findall(text)):
        yield from (Part(changes=True, places=_places([one], folder)) for one in targets if one != "/dev/null")
        while words and (words[0] in _BEFORE or _ASSIGNED.match(words[0])):
            words = words[1:]
        if words[:1] == ["cd"]:
            folder = posixpath.join(folder, *words[1:2])
        elif words:
            if words[0].startswith("python") and words[1:2] == ["-m"]:
                words = words[2:] or words
            yield from _of_program(posixpath.basename(words[0]), words[1:], folder)


def _commands(tokens: Iterable[str]) -> Iterator[tuple[list[str], list[str]]]:
    """The words of each command of several, and the files that it writes what it says into."""
    words: list[str] = []
    targets: list[str] = []
    into: list[str] | None = None
    for token in [*tokens, ";"]:
        if token[0] in ";|&\n()":
            yield words, targets
            words, targets, into = [], [], None
        elif token[0] in "<>" or (token[0].isdigit() and token[1:2] == ">"):
            into = [] if token[0] == "<" or token.endswith("&") else targets
        elif into is not None:
            into.append(_unquoted(token))
            into = None
        else:
            words.append(_unquoted(token))


def _unquoted(token: str) -> str:
    return _QUOTED.sub(lambda found: found[1] or found[2] or found[3] or "", token)


def _of_program(program: str, words: Sequence[str], folder: str) -> Iterator[Part]:
    inner = next((one for one in words if is_sql(one)), None)
    if inner is not None:
        yield from _of_sql(inner)
    elif program in _SHELLS and len(words) > 1 and words[0].startswith("-") and words[0].endswith("c"):
        yield from _of_shell(words[1])
    elif program in MANAGERS:
        yield _of_manager(program, words, folder)
    elif program in {"curl", "wget"}:
        yield from _of_request(program, words, folder)
    elif program == "sort":
        yield from _of_sort(words, folder)
    else:
        yield from _of_files(program, words, folder)


def _of_files(program: str, words: Sequence[str], folder: str) -> Iterator[Part]:
    named = [one for one in words if not one.startswith("-")]
    places = _places(named, folder)
    if program in _LISTED_ANEW:
        places += tuple(posixpath.dirname(one) or "." for one in places)
    if program in _COPYING:
        yield Part(changes=False, places=_places(named[:-1], folder))
        yield Part(changes=True, places=_places(named[-1:], folder))
    elif program in _CHANGING or (program in _EDITORS and any(map(_IN_PLACE.fullmatch, words))):
        yield Part(changes=True, places=places)
    elif program in _TALKING:
        yield Part(changes=False)
    elif (program in _READING or words[:1] == ["test"]) and not {"-delete", "-exec"} & set(words):
        here = (canonical(folder or "."),) if program in _FOLDERS else ()
        yield Part(changes=False, places=places or here)
    else:
        yield Part(changes=None, words=(program, *words))


def _of_request(program: str, words: Sequence[str], folder: str) -> Iterator[Part]:
    """What is asked for over HTTP, and where what comes back is written."""
    asked = request_of(program, words)
    yield Part(asked.changes, places=tuple(map(canonical, asked.addresses)))
    if asked.files:
        yield Part(changes=True, places=_places(asked.files, folder))


def _of_sort(words: Sequence[str], folder: str) -> Iterator[Part]:
    options = list(options_of(words, _OF_SORT))
    yield Part(changes=False, places=_places((value for name, value in options if not name), folder))
    if written := [value for name, value in options if name in {"-o", "--output"}]:
        yield Part(changes=True, places=_places(written, folder))


def _of_manager(program: str, words: Sequence[str], folder: str) -> Part:
    """What a program does that is told what to do by its first or second word; what it shows of all its things may be
    older than anything that it does."""
    said = list(_without_options(words))
    at = next((at for at, word in enumerate(said[:3]) if _verb(program, word) in _SHOWING | _DOING), None)
    if at is None:
        return Part(changes=None, words=(program, *words))
    verb = _verb(program, said[at])
    rest = [*said[:at], said[at].removeprefix(verb), *said[at + 1 :]]
    about = frozenset(_one_form(part) for word in rest for part in re.split(r"[/,=]", word.strip("-")) if part)
    changes = verb in _DOING
    shown = program if about or verb in _STATES else ""
    places: tuple[str, ...] = ()
    if program == "git":  # what it tells of commits stays so
        shown = program if verb in _STATES and not about else ""
        places = _places(rest, folder) if not changes or verb in _OF_FILES else ()
    return Part(changes, (program, *words), places, program if changes else shown, about)


def _verb(program: str, word: str) -> str:
    return word.partition("-")[0] if program == "aws" else word


def _without_options(words: Sequence[str]) -> Iterator[str]:
    """The words of a command, and the values of options, but for those that only say how it answers."""
    skips = False
    for word in words:
        name, _, value = word.partition("=")
        if skips or not word.startswith("-"):
            if not skips:
                yield word
            skips = False
        elif name in _FORMED:
            skips = not value
        elif value:
            yield value


def _one_form(word: str) -> str:
    word = singular(word.casefold())
    return _SHORT.get(word, word)


def _places(words: Iterable[str], folder: str) -> tuple[str, ...]:
    return tuple(canonical(posixpath.join(folder, one)) for one in words if one)
