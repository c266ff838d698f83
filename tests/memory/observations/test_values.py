"""What JSON, the XML of reports and tables tell."""

import json
from typing import Any

import pytest

from memory.observations.notes import observe_by_rules
from memory.observations.values import MOST_LISTED, take_values


def told(output: Any) -> list[str]:
    notes = observe_by_rules(output if isinstance(output, str) else json.dumps(output))
    assert {note.category for note in notes} <= {"finding"}
    return [note.content for note in notes]


SHOP = {"service": "mailer", "p50_ms": 31, "zone": "eu-2"}


@pytest.mark.parametrize(
    ("output", "lines"),
    [
        (SHOP, ["service: mailer; p50_ms: 31; zone: eu-2"]),
        (SHOP | {"error": None, "items": [], "note": ""}, ["service: mailer; p50_ms: 31; zone: eu-2"]),
        ({"host": "db-3", "tags": ["a", "b"], "limits": {"cpu": 2}}, ["host: db-3; tags: a, b; limits: (cpu 2)"]),
        ([{"city": "Lima", "temp": 19}, {"city": "Bern", "temp": None}], ["city: Lima; temp: 19", "city: Bern"]),
        ({"error": {"code": 409, "message": "Version is old"}}, ["error: (code 409, message Version is old)"]),
        (
            {"nodes": [{"name": "n1", "up": True}, {"name": "n2", "state": "failed", "why": "no heartbeat"}]},
            ["nodes: name n2, state failed, why no heartbeat", "nodes: name n1, up true"],
        ),
        ({"tests": {"passed": 41, "failed": 1}, "took_s": 12}, ["tests: (passed 41, failed 1); took_s: 12"]),
        (f"It answered:\n```json\n{json.dumps(SHOP, indent=1)}\n```", ["service: mailer; p50_ms: 31; zone: eu-2"]),
        (
            '{"job": "a", "ms": 4}\n{"job": "b", "error": "disk is full"}',
            ["job: b; error: disk is full", "job: a; ms: 4"],
        ),
        ({"a": {"b": {"text": "x" * 90, "more": "y" * 90}}}, [f"a.b: text {'x' * 90}, more {'y' * 90}"]),
    ],
)
def test_each_object_is_a_line_and_what_fails_comes_first(output: Any, lines: list[str]) -> None:
    assert told(output) == lines


@pytest.mark.parametrize("output", ["[]", "{}", "[1, 2, 3]", '"text"', "[" * 900 + "]" * 900, '{"a": {"b": {}}}'])
def test_json_that_says_nothing_gives_nothing(output: str) -> None:
    assert told(output) == []


@pytest.mark.parametrize(
    "odd", [{"state": "failed: no disk"}, {"state": "degraded"}, {"error": "no heartbeat"}, {"ms": 90_000}]
)
@pytest.mark.parametrize("by_line", [False, True])
def test_of_a_long_list_what_fails_or_differs_is_told_first(odd: dict[str, Any], by_line: bool) -> None:
    rows = [{"id": number, "state": "ok", "ms": 3 + number % 5} for number in range(60)]
    rows[44] |= odd
    said = told("\n".join(map(json.dumps, rows)) if by_line else rows)
    assert said[0].startswith("id: 44; state: ")
    assert len(said) <= MOST_LISTED


@pytest.mark.parametrize("state", ["failed over to db-2", "error-free", "ok"])
def test_a_state_that_names_no_failure_is_none(state: str) -> None:
    [line], _ = take_values(json.dumps({"id": 1, "state": state}))
    assert line.rank > 1


@pytest.mark.parametrize(
    ("report", "lines"),
    [
        (
            '<?xml version="1.0"?>\n<testsuite name="cart" tests="4" failures="1" errors="0">\n'
            '<testcase name="adds"/>\n<testcase classname="shop.Cart" name="refunds">'
            '<failure message="502 is not 200">at x</failure></testcase>\n</testsuite>',
            [
                "name: cart; tests: 4; failures: 1; errors: 0",
                "classname: shop.Cart; name: refunds; failure: message: 502 is not 200; at x",
            ],
        ),
        (
            '<testsuites>\n<testsuite tests="2" failures="1">\n'
            '<testcase name="x"><failure message="no"/></testcase>\n<testca',
            ["tests: 2; failures: 1", "name: x; failure: message: no"],
        ),
        (
            '<checkstyle><file name="a.js">'
            '<error line="3" severity="error" message="No semicolon"/></file></checkstyle>',
            ["name: a.js; error: line: 3; severity: error; message: No semicolon"],
        ),
    ],
)
def test_a_report_tells_its_sums_and_failures_also_where_it_is_cut(report: str, lines: list[str]) -> None:
    said = told(f"{report}\nERROR: disk is full on node-3\n")
    assert all(any(part in one for one in said) for part in [*lines, "ERROR: disk is full on node-3"])
    assert not any("adds" in one for one in said)


def test_entities_of_a_report_are_refused() -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "boom"><!ENTITY c "&b;&b;">]>'
    bomb += '\n<testsuite tests="&c;" failed="1"/>'
    assert not any("boomboom" in one for one in told(f"{bomb}\nThe pool has 5 connections."))


def test_a_report_of_an_analyser_tells_each_result_with_its_place() -> None:
    place = {"physicalLocation": {"artifactLocation": {"uri": "src/pay.py"}, "region": {"startLine": 31}}}
    result = {"ruleId": "sqli", "level": "error", "message": {"text": "Query from input"}, "locations": [place]}
    said, *_ = told({"runs": [{"tool": {"driver": {"name": "scan"}}, "results": [result]}]})
    assert all(part in said for part in ("sqli", "error", "Query from input", "src/pay.py", "31"))


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (
            "| store | qps |\n|---|---|\n| reed | 1,240 |\n| moss | 3,110 |",
            ["store: reed; qps: 1,240", "store: moss; qps: 3,110"],
        ),
        (
            "NAME    READY   STATUS             AGE\nweb-1   1/1     Running            5m\n"
            "api-7   0/1     CrashLoopBackOff   5m\n",
            [
                "NAME: api-7; READY: 0/1; STATUS: CrashLoopBackOff; AGE: 5m",
                "NAME: web-1; READY: 1/1; STATUS: Running; AGE: 5m",
            ],
        ),
        (
            "Filesystem      Size  Used Avail Use% Mounted on\n/dev/sda1        50G   48G  2.0G  96% /\n",
            ["Filesystem: /dev/sda1; Size: 50G; Used: 48G; Avail: 2.0G; Use%: 96%; Mounted on: /"],
        ),
        (" id | name \n----+------\n  1 | Ann\n", ["id: 1; name: Ann"]),
    ],
)
def test_a_row_keeps_the_names_of_its_columns(table: str, rows: list[str]) -> None:
    assert told(f"Here it is:\n\n{table}\nThat was all of it")[: len(rows)] == rows
