"""`loci keys`: what is made opens, what is rotated or revoked opens nothing."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import RunHere

MADE = re.compile(r"loci_[\w-]{43}")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys")


@pytest.fixture
def keys(place: Path, run_here: RunHere) -> Callable[..., str]:
    """Runs `loci keys`; what it prints, or says of what is wrong."""
    run = partial(run_here, place, "keys")

    def said(*arguments: str, fails: bool = False) -> str:
        done = run(*arguments)
        assert (done.returncode != 0) == fails, done.stderr
        return done.stderr if fails else done.stdout

    return said


def test_keys_are_made_listed_rotated_and_revoked(keys: Callable[..., str]) -> None:
    assert "no API keys" in keys("list")
    [anns] = MADE.findall(keys("create", "--user", "ann", "--name", "phone"))
    [service] = MADE.findall(keys("create", "--acts-for-users"))
    listed = keys("list")
    assert anns[:13] in listed and "ann" in listed and "phone" in listed and "acts for users" in listed
    assert anns not in listed and service not in listed
    [rotated] = MADE.findall(keys("rotate", anns))  # whole, which the audit log does not get
    assert rotated[:13] in keys("list") and anns[:13] not in keys("list")
    assert keys("revoke", rotated[:13]).strip() == "revoked"
    assert rotated[:13] not in keys("list") and service[:13] in keys("list")


def test_what_cannot_be_done_is_said_in_a_line(keys: Callable[..., str]) -> None:
    assert "either --user or --acts-for-users" in keys("create", fails=True)
    assert "either --user or --acts-for-users" in keys("create", "--user", "ann", "--acts-for-users", fails=True)
    assert "--user" in keys("create", "--user", "a/b", fails=True)
    for command in ("rotate", "revoke"):
        assert "No such API key" in keys(command, "loci_nobodys", fails=True)
