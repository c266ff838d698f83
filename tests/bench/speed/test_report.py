"""The report says what was measured, and nothing of what was not."""

import pytest

from bench.speed.beside import Measured, PeerRun
from bench.speed.floors import Floor
from bench.speed.ingest import DURABLE, FOUND, IngestRun
from bench.speed.report import Results, figure, report
from bench.speed.search import SearchRun
from bench.speed.server import Resident
from bench.speed.times import Times
from bench.speed.users import UsersRun

NUMPY = Floor("NumPy", Times(200, 0.5, 1.0))
ABSENT = Floor("bm25s", None, "bm25s is not measured: it is not there")
BEFORE, AFTER = Resident(240.0, 30.0), Resident(300.0, 50.0)


def searched(messages: int) -> SearchRun:
    ten = Times(200, 10.0, 20.0)
    return SearchRun(messages, 123.4, ten, Times(200, 9.0, 19.0), Times(200, 0.2, 0.3), BEFORE, AFTER, (NUMPY, ABSENT))


def peer(messages: int, **changed: object) -> Measured:
    figures = {"version": "1.2", "messages": messages, "add_ms": 0.25, "searches": 200, "p50": 30.0, "p95": 40.0}
    return Measured.model_validate(figures | {"empty_mb": 50.0, "resident_mb": 80.0} | changed)


def cells(text: str, first: str) -> list[str]:
    """The row of a table that begins with a text."""
    row = next(line for line in text.splitlines() if line.startswith(f"| {first} "))
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_a_search_stands_beside_its_floors() -> None:
    assert report(Results("a machine.")) == "# Speed\n\na machine.\n"
    text = report(Results("a machine.", search=[searched(1_000)]))
    assert cells(text, "1,000") == ["1,000", "10.0", "20.0", "9.00", "123", "300", "60", "50"]
    assert cells(text, "NumPy, 1,000") == ["NumPy, 1,000", "0.500", "1.00", "20.0 x"]
    assert cells(text, "an empty answer over HTTP, 1,000")[-1] == "50.0 x"
    assert report(Results("m", search=[searched(10), searched(20)])).count("bm25s is not measured") == 1


def test_rounds_of_users_are_compared_with_numpy() -> None:
    run = UsersRun(50, Times(200, 5.0, 6.0), Times(50, 50.0, 60.0), Times(50, 40.0, 45.0), BEFORE, AFTER, NUMPY)
    text = report(Results("m", users=run))
    assert cells(text, "20, all kept in memory") == ["20, all kept in memory", "200", "5.00", "6.00", "10.0 x"]
    assert cells(text, "50, once more")[-1] == "80.0 x"
    assert "300 MB of the API (240 before the first user) and 50 of the store (30)" in text


def test_taking_in_is_compared_with_sqlite() -> None:
    run = IngestRun(DURABLE, 500, Times(20, 100.0, 150.0), 5_000.0)
    text = report(Results("m", ingest=([run], Floor("SQLite", Times(20, 10.0, 12.0)))))
    assert cells(text, DURABLE.name) == [DURABLE.name, "5,000", "100", "150", "10.0 x"]
    assert cells(text, "SQLite") == ["SQLite", "50,000", "10.0", "12.0", "1 x"]


def test_peers_stand_below_loci_size_by_size() -> None:
    runs = [PeerRun("some", 10, peer(10)), PeerRun("some", 20, peer(20, p50=5.0)), PeerRun("other", 10, "no module")]
    added = ([IngestRun(FOUND, 500, Times(20, 1.0, 1.0), 2_000.0)], NUMPY)
    text = report(Results("m", search=[searched(10), searched(20)], ingest=added, peers=runs))
    assert cells(text, "Loci over HTTP, 10") == ["Loci over HTTP, 10", "0.500", "10.0", "20.0", "1 x", "350", "80"]
    assert cells(text, "some 1.2, 10") == ["some 1.2, 10", "0.250", "30.0", "40.0", "3.00 x", "80", "30"]
    assert cells(text, "some 1.2, 20")[4] == "0.500 x"
    assert text.index("some 1.2, 10") < text.index("Loci over HTTP, 20")
    assert "other is not measured: no module." in text
    text = report(Results("m", search=[searched(1_000)], peers=[PeerRun("slow", 1_000, peer(500, searches=12))]))
    assert "slow took 500 of 1,000 messages in its time." in text
    assert "slow answered 12 of 200 questions about 500 messages." in text


@pytest.mark.parametrize(
    ("value", "said"),
    [(None, "–"), (0.0, "0.000"), (0.0364, "0.036"), (1.234, "1.23"), (12.34, "12.3"), (123.4, "123"), (4036, "4,036")],
)
def test_figures_have_the_digits_that_count(value: float | None, said: str) -> None:
    assert figure(value) == said
