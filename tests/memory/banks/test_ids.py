"""The same project always has the same bank, and no two share one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from memory.banks.ids import BankId, NamedBank, bank_id, bank_key, choose
from utils.clock import now
from utils.errors import InvalidInput
from utils.files import file_name

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


@pytest.mark.parametrize(
    "path",
    [".", "..", "./", "~", "~/src/loci", "~ann/loci", "src/loci", "loci", "C:", "C:loci", "\\loci", "file:///src"],
)
@pytest.mark.parametrize("name", [None, "loci"])
def test_a_path_that_is_not_absolute_is_refused(name: str | None, path: str) -> None:
    with pytest.raises(InvalidInput, match=r"current_path must be absolute.* such as /home/ann/loci"):
        bank_id("project", name, path)
    assert bank_id("global", name, path) == "global"


@pytest.mark.parametrize("path", ["/", "/src/loci", " /src/loci ", "C:\\src", "c:/src", "\\\\host\\share"])
def test_a_path_of_any_system_is_taken(path: str) -> None:
    assert bank_id("project", None, path)


@given(st.text(min_size=1), st.none() | st.text().map("/{}".format))
def test_an_id_can_stand_in_an_address_and_be_a_folder(name: str, path: str | None) -> None:
    try:
        identifier = bank_id("project", name, path)
    except InvalidInput:
        return
    assert VALID.validate_python(identifier) == identifier
    assert file_name(identifier)


@pytest.mark.parametrize(
    ("asked", "there", "chosen", "others"),
    [
        (("webapp", None), ["webapp", "/srv/webapp"], 0, []),
        (("Web  App", None), ["web app", None], 0, []),
        ((None, "/srv/webapp/"), ["Renamed", "/srv/webapp"], 0, []),
        (("renamed", "/srv/webapp"), ["webapp", "/srv/webapp"], 0, []),
        (("webapp", "/srv/webapp"), ["webapp", None], 0, []),
        ((None, "/srv/webapp"), ["webapp", None], None, [0]),
        ((None, "C:\\work\\App"), ["app", None, "app", "/a/app", "app", "/b/app"], None, [0, 1, 2]),
        (("app", "C:\\work\\App"), ["app", None, "app", "/a/app", "app", "/b/app"], None, [0, 1, 2]),
        (("webapp", "/b/webapp"), ["webapp", "/a/webapp"], None, [0]),
        (("other", "/b/webapp"), ["webapp", "/a/webapp"], None, []),
        (("webapp", None), ["webapp", "/a/webapp", "webapp", "/b/webapp"], None, [0, 1]),
        (("webapp", "/a"), ["webapp", None, "renamed", "/a"], None, [0, 1]),
        (("renamed", "/a"), ["webapp", "/a", "docs", "/a"], None, [0, 1]),
    ],
)
def test_a_project_has_its_bank_again_where_one_alone_can_be_meant(
    asked: tuple[str | None, str | None], there: list[str | None], chosen: int | None, others: list[int]
) -> None:
    pairs = zip(there[::2], there[1::2], strict=True)
    banks = [NamedBank("project", str(number), name or "", path, now()) for number, (name, path) in enumerate(pairs)]
    found, beside = choose(bank_id("project", *asked), *asked, banks)
    assert found == (None if chosen is None else banks[chosen])
    assert list(beside) == [banks[number] for number in others]


def test_a_bank_of_this_id_is_meant_whatever_others_there_are() -> None:
    banks = [NamedBank("project", one, "webapp", path, now()) for one, path in (("x", "/a"), ("webapp", None))]
    assert choose("webapp", "webapp", None, banks) == (banks[1], (banks[0],))


def test_a_type_that_there_is_not_is_refused() -> None:
    kind: Any = "nope"
    with pytest.raises(InvalidInput, match="project, code or global"):
        bank_id(kind, "x", None)


def test_banks_of_two_users_have_two_keys() -> None:
    assert bank_key("ann", "project", "loci") != bank_key("bob", "project", "loci")
    assert bank_key("ann", "project", "loci") != bank_key("ann", "code", "loci")
