"""Are a log's errors told, and its progress not?"""

import pytest

from memory.observations.outputs.logs import log_in
from memory.observations.outputs.rules import observe_by_rules

MANY = range(20)
LOST = "lost connection to broker"

LOGS = {
    "time and level": ("2026-01-01T00:00:{0:02}Z INFO worker {0} processed batch {0}", "2026-01-01T00:09:00Z ERROR {}"),
    "small level": ("2026-01-01T00:00:{0:02}.5+00:00 info worker {0} is done", "2026-01-01T00:09:00.5+00:00 error {}"),
    "no level": ("2026-01-01T00:00:{0:02}Z worker {0} processed batch {0}", "2026-01-01T00:09:00Z ERROR {}"),
    "java": (
        "2026-01-01 00:00:{0:02},123 INFO [http-{0}] c.a.Svc - Handled request {0}",
        "2026-01-01 00:10:00,001 ERROR [main] c.a.Svc - {}",
    ),
    "python": ("INFO:worker:processed batch {0} of 20", "ERROR:worker:{}"),
    "python with times": (
        "2026-01-01 00:00:{0:02},123 - worker - INFO - processed batch {0}",
        "2026-01-01 00:00:59,123 - worker - ERROR - {}",
    ),
    "logfmt": (
        'time=2026-01-01T00:00:{0:02}Z level=info msg="processed batch {0}" dur=12ms',
        'time=2026-01-01T00:00:00Z level=error msg="{}"',
    ),
    "syslog": (
        "Jan  1 00:00:{0:02} host1 worker[77]: processed batch {0} in 12 ms",
        "Jan  1 00:01:02 host1 worker[77]: error: {}",
    ),
    "go": ("2026/01/01 00:00:{0:02} processed batch {0} in 12 ms", "2026/01/01 00:00:10 error: {}"),
    "kubernetes": (
        "I0101 00:00:{0:02}.000000 1 worker.go:12] processed batch {0} in 12 ms",
        "E0101 00:00:10.000000 1 worker.go:12] {}",
    ),
    "brackets": ("[2026-01-01 00:00:{0:02}] [INFO] processed batch {0} in 12 ms", "[2026-01-01 00:00:01] [ERROR] {}"),
    "level alone": ("INFO  processed batch {0} in 12 ms", "ERROR {}"),
    "compose without times": ("worker-1  | INFO:     batch {0} is done", "worker-1  | ERROR:    {}"),
    "logrus": ("INFO[00{0:02}] processed batch {0} of 20", "ERRO[0031] {}"),
    "compose": (
        "worker-1  | 2026-01-01T00:00:{0:02}Z INFO batch {0} is done",
        "worker-1  | 2026-01-01T00:00:59Z ERROR {}",
    ),
}


def findings(output: str) -> list[str]:
    return [one.content for one in observe_by_rules(output) if one.category == "finding"]


@pytest.mark.parametrize(("progress", "error"), LOGS.values(), ids=LOGS.keys())
def test_of_a_log_the_errors_are_told_and_no_progress(progress: str, error: str) -> None:
    lines = [progress.format(number) for number in MANY]
    assert findings("\n".join(lines)) == []
    [told] = findings("\n".join([*lines[:15], error.format(LOST), *lines[15:]]))
    assert LOST in told


def test_of_a_long_log_the_errors_are_told_and_no_progress() -> None:
    lines = [
        f"2026-01-01T00:00:{number % 60:02}Z INFO worker {number} processed batch {number}" for number in range(900)
    ]
    lines += [
        "2026-01-01T00:09:00Z ERROR worker 13 lost connection to mq-2",
        "2026-01-01T00:09:01Z FATAL killed pid 4471",
    ]
    assert findings("\n".join(lines)) == ["ERROR worker 13 lost connection to mq-2", "FATAL killed pid 4471"]


def test_a_warning_of_a_log_and_what_it_came_to_are_told() -> None:
    lines = [f"12:00:{number:02} INFO processed batch {number}" for number in MANY]
    said = findings(
        "\n".join([*lines, "12:01:00 WARN disk /dev/sda is 91% full", "12:01:01 INFO 2 failed, 140 passed"])
    )
    assert said == ["2 failed, 140 passed", "WARN disk /dev/sda is 91% full"]


def test_what_was_said_at_a_time_is_told() -> None:
    said = [
        "10:00:01 The gateway runs on port 8080.",
        "10:00:09 The cache holds 500 entries.",
        "10:01:30 Ann uses PostgreSQL 16.",
    ]
    assert findings("\n".join(said)) == [line[9:] for line in said]


def test_a_few_lines_are_no_log() -> None:
    assert log_in(["INFO The gateway runs on port 8080.", "INFO The cache holds 500 entries."]) == {}


ACCESS = {
    "bare": ("GET /page/{0} 200 in {0} ms", "POST /orders 503 in 9 ms"),
    "morgan": ("GET /page/{0} 304 {0}.412 ms - 812", "POST /orders 500 12.1 ms - 31"),
    "combined": (
        '10.0.0.1 - - [25/Nov/2026:10:00:{0:02} +0000] "GET /health HTTP/1.1" 200 2 "-" "probe/1.29"',
        '10.0.0.2 - - [25/Nov/2026:10:00:03 +0000] "POST /orders HTTP/1.1" 502 112 "-" "okhttp/4.9"',
    ),
    "uvicorn": (
        'INFO:     127.0.0.1:512{0:02} - "GET /page/{0} HTTP/1.1" 200 OK',
        'INFO:     127.0.0.1:51236 - "POST /orders HTTP/1.1" 500 Internal Server Error',
    ),
    "gin": (
        '[GIN] 2026/11/25 - 10:00:{0:02} | 200 |  12.1ms | 127.0.0.1 | GET      "/page/{0}"',
        '[GIN] 2026/11/25 - 10:00:01 | 500 |  12.1ms | 127.0.0.1 | POST     "/orders"',
    ),
}


@pytest.mark.parametrize(("served", "failed"), ACCESS.values(), ids=ACCESS.keys())
def test_of_requests_that_a_server_logs_those_are_told_that_it_could_not_answer(served: str, failed: str) -> None:
    lines = [served.format(number) for number in MANY]
    assert findings("\n".join(lines)) == []
    assert findings("\n".join([*lines, failed, "The sitemap lists 4,112 URLs."])) == [
        " ".join(failed.split()),
        "The sitemap lists 4,112 URLs.",
    ]


@pytest.mark.parametrize(
    "said",
    ["GET /orders takes 200 ms on db-1", "GET /orders returned 200 in the test of 12:00", "POST /v1 needs 3 keys"],
)
def test_what_is_said_of_a_request_is_no_entry_of_a_log(said: str) -> None:
    assert findings("\n".join([said, f"{said} and v2", f"{said} and v3"])) != []


def test_of_logfmt_without_times_what_has_a_small_level_is_not_told() -> None:
    lines = [
        'level=info msg="started" port=8080',
        'level=error msg="dial tcp 10.0.0.7:5432: connection refused"',
        'caller=main.go:7 level=info msg="retrying in 5s"',
        'msg="said \\"listening\\" on 3 ports" level=debug',
        'level=warn msg="pool exhausted" size=20',
    ]
    assert findings("\n".join(lines)) == [lines[1], lines[4]]
    assert findings("level=high speed=3\nlevel=low speed=1\nlevel=info speed=2 km") != []
