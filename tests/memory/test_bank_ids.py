"""Has the same project always the same bank, and no two the same one?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from memory.bank_ids import BankId, bank_id, bank_key
from memory.file_names import file_name
from utils.errors import InvalidInput

VALID: TypeAdapter[str] = TypeAdapter(BankId)


def test_a_plain_name_is_the_id() -> None:
    assert bank_id("project", "loci", None) == "loci"
    assert bank_id("code", "My-App", None) == "my-app"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Loci", "/src/loci"), ("loci ", "/src/loci/")),
        ((None, "/src/loci"), ("loci", "/src//./loci")),
        ((None, "C:\\Src\\loci"), (None, "c:/Src/loci/")),
        (("Café", None), ("cafe\u0301", None)),
    ],
)
def test_the_same_project_has_the_same_id_however_it_is_written(
    one: tuple[str | None, str | None], other: tuple[str | None, str | None]
) -> None:
    assert bank_id("project", *one) == bank_id("project", *other)


def test_one_name_at_two_paths_names_two_banks() -> None:
    assert bank_id("project", "loci", "/a/loci") != bank_id("project", "loci", "/b/loci")
    assert bank_id("project", "loci", "/a/loci") != bank_id("project", "loci", None)
    assert bank_id("project", None, "/a/loci") != bank_id("project", None, "/a/Loci/x")


def test_two_names_at_one_path_name_two_banks() -> None:
    assert bank_id("code", "api", "/mono") != bank_id("code", "web", "/mono")


def test_names_that_slugs_cannot_tell_apart_have_other_ids() -> None:
    names = ["my app", "my-app", "my_app", "my.app", "Проект", "计划", "🦊", "my--app"]
    ids = [bank_id("project", name, None) for name in names]
    assert len(set(ids)) == len(names)
    assert len({bank_id("project", name, None) for name in (ids[0], "my app")}) == 2  # a name that looks like an id


def test_a_user_has_one_global_bank() -> None:
    assert bank_id("global", "loci", "/a") == bank_id("global", None, None) == "global"


@pytest.mark.parametrize("name", [None, "", "   "])
def test_a_project_without_a_name_or_a_path_is_refused(name: str | None) -> None:
    with pytest.raises(InvalidInput, match="project_name or a current_path"):
        bank_id("project", name, "  ")


@given(st.text(min_size=1), st.none() | st.text())
def test_an_id_can_stand_in_an_address_and_be_a_folder(name: str, path: str | None) -> None:
    try:
        identifier = bank_id("project", name, path)
    except InvalidInput:
        return
    assert VALID.validate_python(identifier) == identifier
    assert file_name(identifier)


def test_banks_of_two_users_have_two_keys() -> None:
    assert bank_key("ann", "project", "loci") != bank_key("bob", "project", "loci")
    assert bank_key("ann", "project", "loci") != bank_key("ann", "code", "loci")
