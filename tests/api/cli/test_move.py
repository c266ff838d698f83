"""`loci move`: what one user has becomes another's, whole or not at all."""

from functools import partial
from pathlib import Path

import pytest

from tests.conftest import RunHere


@pytest.fixture
def here(tmp_path: Path, run_here: RunHere) -> RunHere:
    return partial(run_here, tmp_path)


def test_what_was_said_without_a_key_becomes_a_users(here: RunHere) -> None:
    for told in ("My sister Ella lives in Ghent.", "remember that my locker is 12"):
        assert here("ask", told).returncode == 0
    made = here("keys", "create", "--user", "ann")
    assert "loci move default USER" in made.stderr
    moved = here("move", "default", "ann")
    assert moved.returncode == 0 and moved.stdout.startswith("2 sessions, 4 messages, 1 memory"), moved
    assert "Ghent" in here("ask", "Where does my sister live?", "--user", "ann").stdout
    assert "12" in here("ask", "What is my locker?", "--user", "ann").stdout
    assert "12" not in here("ask", "What is my locker?").stdout


def test_where_the_other_has_something_else_in_its_place_nothing_is_deleted(here: RunHere) -> None:
    for user, number in (("ann", 12), ("bob", 99)):
        assert here("ask", f"remember that my locker is {number}", "--user", user).returncode == 0
    refused = here("move", "bob", "ann")
    assert refused.returncode == 1 and "1 memory" in refused.stderr
    for user, number in (("ann", 12), ("bob", 99)):
        assert str(number) in here("ask", "What is my locker?", "--user", user).stdout
    assert "same user" in here("move", "ann", "ann").stderr
