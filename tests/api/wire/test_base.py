"""What is shown of a thing of the core, and pages of such."""

from dataclasses import dataclass

import pytest
from pydantic import Field, ValidationError

from api.wire.base import Page, Shown


@dataclass
class Cat:
    name: str
    lives: tuple[int, ...]


class CatOut(Shown):
    called: str = Field(validation_alias="name")
    lives: list[int]


class FedCat(CatOut):
    meals: int


def test_a_thing_is_shown_by_its_attributes_and_those_that_are_given() -> None:
    cat = Cat("Mia", (1, 2))
    assert CatOut.of(cat).model_dump() == {"called": "Mia", "lives": [1, 2]}
    assert FedCat.of(cat, meals=3, lives=[9]).model_dump() == {"called": "Mia", "lives": [9], "meals": 3}
    with pytest.raises(ValidationError):
        FedCat.of(cat)


def test_a_page_has_no_more_than_was_asked_for_and_names_its_last_where_there_is_more() -> None:
    cats = [Cat("Mia", ()), Cat("Tom", ())]
    page = Page[CatOut].of(cats, 1, lambda cat: cat.name)
    assert [cat.called for cat in page.items] == ["Mia"] and page.next_cursor == "Mia"
    assert Page[CatOut].of(cats, 2, lambda cat: cat.name).next_cursor is None
