"""What rules note of outputs that are JSON."""

import json
import time
from typing import Any

import pytest

from memory.observations.outputs.rules import observe_by_rules

CHECKOUT = {"service": "checkout", "p99_ms": 812, "error_rate": 0.074, "region": "eu-west-1"}
SAID_OF_CHECKOUT = "service: checkout; p99_ms: 812; error_rate: 0.074; region: eu-west-1"


def findings(output: Any) -> list[str]:
    notes = observe_by_rules(output if isinstance(output, str) else json.dumps(output))
    assert {one.category for one in notes} <= {"finding"}
    return [one.content for one in notes]


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ('{"error": {"code": 429, "message": "Too many requests"}}', ["error: 429, Too many requests"]),
        ('{"type": "about:blank", "title": "Conflict", "status": 409}', ["error: 409, Conflict"]),
        ('{"ok": false, "error": "channel_not_found"}', ["error: channel_not_found"]),
        (
            '{"data": null, "errors": [{"message": "No field x"}, {"message": "No y"}]}',
            ["error: No field x", "error: No y"],
        ),
        ('Got this:\n{"success": false, "reason": "card declined"}', ["error: card declined"]),
        (
            '{"level": "error", "msg": "no such host"}\n{"level": "info", "msg": "started 3 jobs"}',
            ["error: no such host"],
        ),
        ('{"error": {"message": "No \\"x\\" there", "stack": ["a.js:3", "b.js', ['error: No "x" there']),
        ('{"error": null, "status": 200, "items": [{"id": 4}]}', []),
        ("[" * 2_000, []),
    ],
)
def test_errors_are_findings(output: str, told: list[str]) -> None:
    assert findings(output) == told


@pytest.mark.parametrize(
    "nothing",
    [{}, {"errors": []}, {"error": None}, {"note": ""}, {"items": [None, {}, ""]}, {"error": False}, {"error": "none"}],
)
def test_of_an_object_what_it_has_is_one_finding_and_what_is_empty_is_none(nothing: dict[str, Any]) -> None:
    assert findings(CHECKOUT | nothing) == [SAID_OF_CHECKOUT]
    assert findings(nothing | CHECKOUT) == [SAID_OF_CHECKOUT]
    assert findings(nothing) == []


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ({"host": "db1", "port": 5432, "p99_ms": 480}, ["host: db1; port: 5432; p99_ms: 480"]),
        (CHECKOUT | {"tags": ["a", "b"]}, [SAID_OF_CHECKOUT + "; tags: a, b"]),
        (
            {"status": "ok", "error": None, "disk_used_pct": 91, "host": "db-1"},
            ["status: ok; disk_used_pct: 91; host: db-1"],
        ),
        (
            {"host": "db-1", "primary": True, "limits": {"cpu": 2, "memory": {"soft": "1Gi", "hard": "2Gi"}}},
            ["host: db-1; primary: true; limits: cpu 2, memory (soft 1Gi, hard 2Gi)"],
        ),
        (
            {
                "region": "eu",
                "pods": [{"name": "api", "restarts": 12}, {"name": "web", "restarts": 0}],
                "nodes": 3,
                "ok": True,
            },
            ["region: eu; nodes: 3; ok: true", "pods: name api, restarts 12", "pods: name web, restarts 0"],
        ),
        (
            [{"city": "Rome", "temp": 21.5, "wind": "N"}, {"city": "Oslo", "temp": -3, "wind": None}],
            ["city: Rome; temp: 21.5; wind: N", "city: Oslo; temp: -3"],
        ),
        (
            {"owner": "Ann", "open": 4, "teams": [{"name": "auth"}, {"name": "web"}]},
            ["owner: Ann; open: 4; teams: auth, web"],
        ),
        ({"data": {"build": 7, "branch": "main", "passed": True}}, ["data: build 7, branch main, passed true"]),
    ],
)
def test_objects_and_lists_within_are_read(output: Any, told: list[str]) -> None:
    assert findings(output) == told


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (CHECKOUT | {"error": "pool exhausted"}, ["error: pool exhausted", SAID_OF_CHECKOUT]),
        (CHECKOUT | {"errors": [{"code": 7, "message": "No x"}]}, ["error: 7, No x", SAID_OF_CHECKOUT]),
        ({"service": "checkout", "p99_ms": 812, "error": "slow"}, ["error: slow", "service: checkout; p99_ms: 812"]),
        (
            {
                "tests": {"passed": 41, "failed": 1},
                "duration_s": 12,
                "failures": [{"name": "test_refund", "message": "expected 200 got 502"}],
            },
            ["tests: passed 41, failed 1; duration_s: 12", "error: test_refund, expected 200 got 502"],
        ),
        ({"status": "error", "message": "quota exceeded"}, ["error: error, quota exceeded"]),
        ({"failures": ["test_refund", "test_login"]}, ["error: test_refund, test_login"]),
        ({"failures": [{"test": "a", "want": 200, "got": 502}]}, ["error: test a, want 200, got 502"]),
        ({"suite": "api", "failures": 2, "errors": 0}, ["suite: api; failures: 2; errors: 0"]),
        ({"services": [{"name": "auth"}, {"name": "orders", "error": "OOMKilled"}]}, ["error: orders, OOMKilled"]),
        ({"error": {"why": {"deep": [1, 2]}}}, ["error: why (deep (1, 2))"]),
    ],
)
def test_errors_are_named_beside_what_else_is_told(output: Any, told: list[str]) -> None:
    assert findings(output) == told


def test_findings_are_few_and_short() -> None:
    rows = [{"id": n, "name": f"row {n}", "text": "word " * 200} for n in range(50)]
    assert len(findings(rows)) == 5
    assert all(len(one) <= 400 for one in findings(rows))
    [wide] = findings({f"field_{n}": n for n in range(40)})
    assert wide.startswith("field_0: 0; field_1: 1;") and wide.endswith("; … 28 more")
    [listed] = findings({"host": "db-1", "port": 5432, "ids": list(range(30))})
    assert listed == "host: db-1; port: 5432; ids: 0, 1, 2, 3, 4, 5, 6, 7, … 22 more"
    failed = findings({"passed": 9, "total": 40, "took_s": 3, "failures": [{"name": f"test_{n}"} for n in range(31)]})
    assert failed == ["passed: 9; total: 40; took_s: 3", *(f"error: test_{n}" for n in range(8))]


def test_what_failed_in_a_list_says_what_it_is() -> None:
    jobs = [{"job": f"j{at}", "state": "ok", "reason": None} for at in range(30)]
    jobs[22] = {"job": "j22", "state": "failed", "reason": "disk full"}
    assert findings(jobs)[0] == "error: job j22, failed, disk full"
    builds = [{"id": at, "conclusion": "failure" if at == 1 else "success"} for at in range(9)]
    assert findings({"builds": builds})[0] == "error: id 1, failure"
    copied = {"id": 7, "description": "copies a table " * 60, "status": "failed", "message": "disk full"}
    assert findings(copied)[0].startswith("error: id 7, failed, disk full, copies")


def test_entries_of_a_log_tell_their_errors_alone() -> None:
    entries = [
        {"level": "info", "msg": "up", "pid": 4, "port": 80},
        {"level": "error", "msg": "no host", "pid": 4, "ms": 3},
    ]
    assert findings(entries) == ["error: no host"]


@pytest.mark.parametrize(
    "output", ["[]", "{}", "[1, 2, 3, 4]", '"text"', "[[[[]]]]", '{"a": {"b": {"c": {}}}}', "[" * 900 + "]" * 900]
)
def test_json_that_says_nothing_gives_nothing(output: str) -> None:
    assert findings(output) == []


DEGRADED = '{"service": "checkout", "status": "degraded", "p99_ms": 812}'
SAID_OF_DEGRADED = "service: checkout; status: degraded; p99_ms: 812"


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (f"I called the endpoint and it answered {DEGRADED} after a while.", [SAID_OF_DEGRADED]),
        (f"Response: {DEGRADED}", [SAID_OF_DEGRADED]),
        (
            f"It answered:\n\n```json\n{json.dumps(json.loads(DEGRADED), indent=2)}\n```\n\nLet me look.",
            [SAID_OF_DEGRADED],
        ),
        (
            f"HTTP/1.1 503 Service Unavailable\nserver: nginx\n\n{DEGRADED}\n",
            ["HTTP/1.1 503 Service Unavailable", SAID_OF_DEGRADED],
        ),
        (
            '{"city": "Rome", "temp": 21}\n{"city": "Oslo", "temp": -3}\n',
            ["city: Rome; temp: 21", "city: Oslo; temp: -3"],
        ),
        (
            '10:00:07 api | {"level": "info", "msg": "up"}\n10:00:09 api | {"level": "error", "msg": "card declined"}',
            ["error: card declined"],
        ),
        (f'The set {{a, b}} is [1] or {{"x" and then {DEGRADED}', [SAID_OF_DEGRADED]),
        (
            '2026-11-22T10:00:05Z ERROR api connection refused {"attempt": 3, "host": "db-1", "ms": 12}',
            ['ERROR api connection refused {"attempt": 3, "host": "db-1", "ms": 12}'],
        ),
    ],
)
def test_json_is_read_wherever_it_stands(output: str, told: list[str]) -> None:
    assert findings(output) == told


@pytest.mark.parametrize(
    "code",
    [
        "```python\nconfig = {DATA}\n```",
        "    return {DATA}",
        "client.post(url, json={DATA})",
        '{"cfg": Config(), "inner": {DATA}, "more": [{DATA}]}',
    ],
)
def test_values_in_source_code_are_not_told(code: str) -> None:
    assert findings(code.replace("{DATA}", '{"host": "a", "port": 1, "tls": 2}')) == []


def test_json_that_is_longer_than_what_is_read_of_a_text_is_read_whole() -> None:
    tests = [{"name": f"test_{at}", "state": "passed", "ms": at} for at in range(400)]
    tests[390] = {"name": "test_refund", "state": "failed", "message": "expected 200 got 502"}
    run = {"build": 7, "tests": tests, "summary": {"passed": 399, "failed": 1, "duration_s": 41}}
    for output in (json.dumps(run), json.dumps(run, indent=2), f"The report:\n{json.dumps(run)}\nDone."):
        assert findings(output)[:3] == [
            "build: 7; summary: passed 399, failed 1, duration_s 41",
            "error: test_refund, failed, expected 200 got 502",
            "tests: name test_0, state passed, ms 0",
        ]


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (
            {"data": {"checkout": {"p99": 812, "pool": {"size": 5, "url": "x" * 99}, "n": 2}, "up": True, "n": 1}},
            [
                "data: up true, n 1",
                "data.checkout: p99 812, n 2",
                "data.checkout.pool: size 5, url " + "x" * 99,
            ],
        ),
        (
            [{"name": "api", "cfg": {"a": "x" * 60, "b": "y" * 60}, "n": 1}],
            ["name: api; n: 1", "api.cfg: a " + "x" * 60 + ", b " + "y" * 60],
        ),
        (
            {"pods": [{"id": 7, "cfg": {"a": "x" * 60, "b": "y" * 60}, "n": 1}]},
            ["pods: id 7, n 1", "pods[id 7].cfg: a " + "x" * 60 + ", b " + "y" * 60],
        ),
        ({"services": {"search": {"p99": 95, "error": "no index"}}}, ["error: search: no index"]),
        ({"jobs": [{"job": "nightly", "error": "disk full"}]}, ["error: job nightly: disk full"]),
        ({"jobs": [{"id": 7, "error": {"message": "disk full"}}]}, ["error: id 7: disk full"]),
        ({"data": {"error": "no index"}}, ["error: no index"]),
    ],
)
def test_what_an_object_is_called_stays_with_its_values(output: Any, told: list[str]) -> None:
    assert findings(output) == told


@pytest.mark.parametrize(
    "text", ['{"', '["', '{"a":', '{"a": {"b": 1}, ', "{} ", "[[", '{"a": 1}\n', '{"a": x}', 'is {"a": [1]} or ']
)
def test_a_megabyte_of_what_looks_as_json_is_read_in_a_moment(text: str) -> None:
    began = time.process_time()
    findings((text * 1_000_000)[:1_000_000])
    assert time.process_time() - began < 10


@pytest.mark.parametrize("depth", [10, 30, 600])
def test_errors_within_errors_are_read_in_a_moment(depth: int) -> None:
    began = time.process_time()
    assert findings('{"error": ' * depth + '{"a": null}' + "}" * depth) == []
    assert time.process_time() - began < 2


@pytest.mark.parametrize("depth", [6, 8])
def test_many_errors_within_errors_are_read_in_a_moment(depth: int) -> None:
    error = '{"a": null}'
    for _ in range(depth):
        error = f'{{"errors": [{", ".join([error] * 4)}]}}'
    began = time.process_time()
    assert findings(f"{error}\nThe pool has 5 connections.") == ["The pool has 5 connections."]
    assert time.process_time() - began < 6


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ({"place": {"line": 3, "column": 7}}, ["error: place (line 3, column 7)"]),
        ({"errors": [{"place": "a.py", "line": 3}]}, ["error: place a.py, line 3"]),
        ({"errors": [{"errors": [{}]}], "place": "a.py"}, ["error: place a.py"]),
    ],
)
def test_of_an_error_that_nothing_names_all_is_told(error: Any, told: list[str]) -> None:
    assert findings({"error": error}) == told


def test_what_python_does_not_read_of_json_takes_nothing_else_away() -> None:
    assert findings('{"n": ' + "9" * 5_000 + '}\n{"error": "disk full"}') == ["error: disk full"]
    assert findings('{"error": "no \\ud800 index"}') == ["error: no \N{REPLACEMENT CHARACTER} index"]


JOBS = [{"id": number, "status": "ok", "ms": 3 * number} for number in range(60)]


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        ({"status": "failed: disk full"}, "error: id 37, ms 111, failed: disk full"),
        ({"status": "timed out after 30 s"}, "error: id 37, ms 111, timed out after 30 s"),
        ({"status": "degraded"}, "id: 37; status: degraded; ms: 111"),
        (
            {"note": "writing was refused by the disk"},
            "id: 37; status: ok; ms: 111; note: writing was refused by the disk",
        ),
    ],
)
@pytest.mark.parametrize("by_line", [False, True])
def test_of_a_long_list_what_differs_from_the_rest_is_told_first(odd: dict[str, str], told: str, by_line: bool) -> None:
    jobs = [*JOBS[:37], JOBS[37] | odd, *JOBS[38:]]
    found = findings("\n".join(map(json.dumps, jobs)) if by_line else jobs)
    assert found[0] == told
    assert len(found) <= 6


@pytest.mark.parametrize("state", ["failed over to db-2", "error-free", "failure rate 0 %"])
def test_a_state_that_names_no_failure_is_no_error(state: str) -> None:
    assert findings({"id": 1, "status": state, "ms": 3}) == [f"id: 1; status: {state}; ms: 3"]


def test_a_list_in_which_nothing_differs_is_told_from_its_beginning() -> None:
    assert findings(JOBS) == [f"id: {number}; status: ok; ms: {3 * number}" for number in range(5)]


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        (
            [
                {"level": "info", "msg": "started", "port": 8080},
                {"level": "warn", "msg": "pool exhausted", "size": 20},
                {"level": "ERROR", "msg": "dial failed"},
            ],
            ["error: dial failed", "level: warn; msg: pool exhausted; size: 20"],
        ),
        (
            [{"level": 30, "time": 1, "msg": "started"}, {"level": 50, "time": 2, "msg": "dial failed"}],
            ["error: dial failed"],
        ),
        (
            [{"levelname": "INFO", "message": "a"}, {"levelname": "CRITICAL", "message": "disk full"}],
            ["error: disk full"],
        ),
        (
            [{"level": 3, "message": "a wooden door", "points": 7}, {"level": 60, "message": "a lake", "points": 1}],
            ["level: 3; message: a wooden door; points: 7", "level: 60; message: a lake; points: 1"],
        ),
    ],
)
def test_of_entries_of_a_log_errors_and_warnings_are_told(entries: list[dict[str, Any]], told: list[str]) -> None:
    assert findings("\n".join(map(json.dumps, entries))) == told


def test_what_was_found_in_a_file_is_told_with_it() -> None:
    found = {"rule": "no-var", "severity": 2, "text": "Unexpected var", "line": 3}
    assert findings([{"filePath": "/app/a.js", "messages": [found], "count": 1}]) == [
        "filePath: /app/a.js; count: 1",
        "filePath /app/a.js.messages: rule no-var, severity 2, text Unexpected var, line 3",
    ]


def test_what_happened_to_a_part_of_a_thing_is_told_with_the_thing() -> None:
    ended = {"name": "api", "restartCount": 12, "lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}}
    pod = {"metadata": {"name": "api-1", "namespace": "prod"}, "status": {"containerStatuses": [ended]}}
    assert findings({"kind": "List", "items": [pod]}) == [
        "items[api-1].status.containerStatuses: name api, restartCount 12, lastState (terminated (reason OOMKilled, "
        "exitCode 137))",
        "items: metadata (name api-1, namespace prod)",
    ]
