"""One of a chain is in force, and never two, whatever is replaced, undone and deleted."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.facts.chain import Ending, Link, around, chain_of, heir_of, undone, without
from tests.conversations import START


def at(hour: int) -> datetime:
    return START + timedelta(hours=hour)


class Chain:
    """Links as they stand when what is planned is written."""

    def __init__(self) -> None:
        self.links: dict[str, Link] = {"f0": Link("f0", at(0), None)}
        self.made = 1

    def update(self, old: str, hour: int) -> None:
        """Puts another fact in the place of one, as of an hour."""
        new, end = f"f{self.made}", max(at(hour), self.links[old].valid_from)
        self.made += 1
        self.links[new] = Link(new, end, None, supersedes=old)
        self.links[old] = replace(self.links[old], valid_to=end, superseded_by=new, undid=None)

    def put_before(self, old: str, hour: int) -> None:
        """Adds what was said at an hour before one in force."""
        former, following = around(chain_of(self.links.values(), old), at(hour))
        if at(hour) >= self.links[old].valid_from or following is None:
            return
        new = f"f{self.made}"
        self.made += 1
        self.links[new] = Link(new, at(hour), following.valid_from, following.supersedes, following.id)
        self.links[following.id] = replace(following, supersedes=new)
        if former is not None:
            self.links[former.id] = replace(former, valid_to=at(hour), superseded_by=new, undid=None)

    def write(self, endings: list[Ending]) -> None:
        for ending in endings:
            self.links[ending.id] = replace(
                self.links[ending.id], valid_to=ending.valid_to, superseded_by=ending.superseded_by, undid=ending.other
            )

    def undo(self, fact: str) -> None:
        self.write(undone(chain_of(self.links.values(), fact), fact))

    def delete(self, fact: str) -> None:
        chain = chain_of(self.links.values(), fact)
        self.write(without(chain, fact))
        heir = heir_of(chain, fact)
        del self.links[fact]
        for link in self.links.values():
            if link.supersedes == fact:
                self.links[link.id] = replace(link, supersedes=heir if heir != link.id else None)

    @property
    def in_force(self) -> list[str]:
        return [link.id for link in self.links.values() if link.valid_to is None]

    def as_of(self, moment: datetime) -> list[str]:
        return [
            link.id
            for link in self.links.values()
            if link.valid_from <= moment and (link.valid_to is None or link.valid_to > moment)
        ]


@pytest.fixture
def three() -> Chain:
    """A fact, what replaced it, and what replaced that."""
    chain = Chain()
    chain.update("f0", 1)
    chain.update("f1", 2)
    return chain


def test_the_first_of_a_chain_comes_back_alone(three: Chain) -> None:
    three.undo("f0")
    assert three.in_force == ["f0"]
    assert [three.as_of(at(hour)) for hour in range(4)] == [["f0"]] * 4
    assert three.links["f1"].valid_to == three.links["f1"].valid_from
    assert three.links["f2"].valid_to == three.links["f2"].valid_from


def test_what_an_undo_took_away_an_undo_brings_back(three: Chain) -> None:
    for fact in ("f0", "f2"):
        three.undo("f0")
        three.undo(fact)
        assert three.in_force == ["f2"] and three.links["f0"].superseded_by == "f2"


def test_the_last_is_withdrawn_and_put_back(three: Chain) -> None:
    three.undo("f2")
    assert three.in_force == ["f1"] and three.links["f2"].valid_to == at(2)
    three.undo("f2")
    assert three.in_force == ["f2"] and three.links["f1"].valid_to == at(2)


def test_a_fact_that_replaced_none_is_withdrawn_and_put_back() -> None:
    chain = Chain()
    chain.undo("f0")
    assert chain.in_force == [] and chain.as_of(at(1)) == []
    chain.undo("f0")
    assert chain.in_force == ["f0"]


@pytest.mark.parametrize(
    ("deleted", "in_force", "then"), [("f0", "f2", []), ("f1", "f2", ["f0"]), ("f2", "f1", ["f1"])]
)
def test_a_chain_closes_over_a_fact_that_is_deleted(three: Chain, deleted: str, in_force: str, then: list[str]) -> None:
    three.delete(deleted)
    assert three.in_force == [in_force]
    assert three.as_of(at(2) - timedelta(minutes=1)) == (then or ["f1"])
    ids = {None, *three.links}
    assert all(link.supersedes in ids and link.superseded_by in ids for link in three.links.values())


DEEDS = st.tuples(
    st.sampled_from(["update", "before", "undo", "undo", "delete"]), st.integers(0, 9), st.integers(-3, 9)
)


@given(st.lists(DEEDS))
def test_of_a_chain_one_is_in_force_and_never_two(deeds: list[tuple[str, int, int]]) -> None:
    chain = Chain()
    complete = True
    for deed, which, hour in deeds:
        facts = sorted(chain.links)
        fact = facts[which % len(facts)]
        if deed == "update" and chain.in_force:
            chain.update(chain.in_force[0], hour)
        elif deed == "before" and chain.in_force:
            chain.put_before(chain.in_force[0], hour)
        elif deed == "undo":
            had = fact in chain.in_force
            chain.undo(fact)
            assert (fact in chain.in_force) != had
            assert len(chain.in_force) == 1 or (had and (len(facts) == 1 or not complete))
        elif deed == "delete" and len(facts) > 1:
            chain.delete(fact)
            complete = False
        assert len(chain.in_force) <= 1
        for moment in range(-4, 12):
            assert len(chain.as_of(at(moment))) <= 1
        assert all(link.valid_to is None or link.valid_to >= link.valid_from for link in chain.links.values())
