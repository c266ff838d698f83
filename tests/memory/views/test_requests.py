"""What does a command that speaks HTTP ask for, and which files does it write?"""

import shlex

import pytest

from memory.views.requests import Request, options_of, request_of

URL = "https://x.org/a/f.tgz"


@pytest.mark.parametrize(
    ("command", "changes", "files"),
    [
        ("curl", False, ()),
        (f"curl -fsSL {URL}", False, ()),
        (f"curl -H 'Accept: a/b' -b a/b -u a:b {URL}", False, ()),
        (f"curl -sX PATCH {URL}", True, ()),
        (f"curl -XPOST -XGET {URL}", False, ()),
        (f"curl {URL} --data-urlencode a=b", True, ()),
        (f"curl -G {URL} -d a=b", False, ()),
        (f"curl -sSLOd a=b {URL}?v=1", True, ("f.tgz",)),
        (f"curl --output-dir out -o b.tgz {URL}", False, ("out/b.tgz",)),
        (f"curl -so- {URL}", False, ()),
        (f"wget -nv {URL}", False, ("f.tgz",)),
        (f"wget -qP out {URL}", False, ("out/f.tgz",)),
        (f"wget --body-file=b --method PUT -qO- {URL}", True, ()),
    ],
)
def test_a_request_changes_by_its_method_or_by_what_it_sends(
    command: str, changes: bool, files: tuple[str, ...]
) -> None:
    program, *words = shlex.split(command)
    found = request_of(program, words)
    assert (found.changes, found.files) == (changes, files)
    assert [one.startswith(URL) for one in found.addresses] == ([True] if words else [])


def test_options_may_stand_in_one_word_and_with_their_values() -> None:
    words = ["-sXPUT", "-d", "-x", "a", "--data=1=2", "--json", "b", "--silent", "-", "-X"]
    assert list(options_of(words, frozenset({"-X", "-d", "--json"}))) == [
        ("-s", ""), ("-X", "PUT"), ("-d", "-x"), ("", "a"), ("--data", "1=2"), ("--json", "b"), ("--silent", ""),
        ("", "-"), ("-X", ""),
    ]  # fmt: skip
    assert request_of("curl", ["{/}", "--url", URL]) == Request(False, (URL,), ())
