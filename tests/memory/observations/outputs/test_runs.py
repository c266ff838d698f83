"""What rules note of what tests, builds and commands print."""

import time

import pytest

from memory.observations.outputs.rules import observe_by_rules
from memory.observations.outputs.runs import is_code, is_passing

PYTEST = """\
============================= test session starts ==============================
platform linux -- Python 3.11.4, pytest-7.4.0, pluggy-1.2.0
rootdir: /home/ann/shop
plugins: asyncio-0.21.1, cov-4.1.0
collected 142 items

tests/test_cart.py ..................                                    [ 12%]
tests/test_refund.py ..F.F...                                            [ 20%]

=================================== FAILURES ===================================
__________________________________ test_refund _________________________________

    def test_refund():
        order = make_order(total=100)
>       assert refund(order, 30).status == 200
E       assert 502 == 200
E        +  where 502 = <Response [502]>.status

tests/test_refund.py:14: AssertionError
_______________________________ test_refund_twice ______________________________

client = <shop.client.Client object at 0x7f2b1c>

>           raise AlreadyRefunded(order)
E           shop.errors.AlreadyRefunded: order 7

=========================== short test summary info ============================
FAILED tests/test_refund.py::test_refund - assert 502 == 200
================= 2 failed, 140 passed, 1 warning in 12.31s ====================
"""
NPM = """\
npm WARN deprecated request@2.88.2: request has been deprecated

added 312 packages, and audited 313 packages in 9s

41 packages are looking for funding
  run `npm fund` for details

8 vulnerabilities (2 low, 3 moderate, 3 high)

Run `npm audit` for details.
"""
JEST = """\
 PASS  src/cart.test.js
 FAIL  src/refund.test.js
  ● refund › refunds once

    expect(received).toBe(expected) // Object.is equality

      13 |   const res = refund(order);
    > 14 |   expect(res.status).toBe(200);
         |                      ^
      at Object.<anonymous> (src/refund.test.js:14:22)

Tests:       1 failed, 61 passed, 62 total
Snapshots:   0 total
Time:        4.812 s
"""
CARGO = """\
   Compiling shop v0.1.0 (/home/ann/shop)
    Finished test [unoptimized + debuginfo] target(s) in 3.21s
running 2 tests
test cart::adds ... ok
test refund::once ... FAILED

---- refund::once stdout ----
assertion `left == right` failed
  left: 502
 right: 200
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; finished in 0.02s
error: test failed, to rerun pass `--lib`
"""
RUSTC = """\
   Compiling serde v1.0.188
error[E0308]: mismatched types
  --> src/main.rs:9:18
   |
9  |     let y: i32 = "a";
   |            ---   ^^^ expected `i32`, found `&str`
   |            |
   |            expected due to this
"""
GO = """\
=== RUN   TestRefund
    refund_test.go:14: got 502, want 200
--- FAIL: TestRefund (0.01s)
ok  	example.com/shop/users	0.031s
"""
PLAN = """\
aws_vpc.main: Refreshing state... [id=vpc-0a1b]
Terraform used the selected providers to generate the following execution
plan. Resource actions are indicated with the following symbols:
  + create
  # aws_instance.web will be created
  + resource "aws_instance" "web" {
      + ami           = "ami-0c55b159cbfafe1f0"
    }
Plan: 2 to add, 1 to change, 1 to destroy.
"""
APPLY = """\
╷
│ Error: creating EC2 Instance: InstanceLimitExceeded: You have requested more instances than 20
│
│   with aws_instance.api,
╵
"""
BUILDKIT = """\
#1 [internal] load build definition from Dockerfile
#1 transferring dockerfile: 412B done
#1 DONE 0.0s
#8 2.114 Collecting fastapi==0.103.0
#8 3.902 ERROR: No matching distribution found for nosuchpkg==1.0
failed to solve: process "/bin/sh -c pip install" did not complete successfully: exit code: 1
"""
MAVEN = """\
[INFO] Scanning for projects...
[INFO] Building shop 1.4.0
[ERROR] com.shop.RefundTest.refundsOnce  Time elapsed: 0.05 s  <<< FAILURE!
java.lang.AssertionError: expected:<200> but was:<502>
	at com.shop.RefundTest.refundsOnce(RefundTest.java:14)
[INFO] Tests run: 15, Failures: 1, Errors: 0, Skipped: 0
[INFO] BUILD FAILURE
"""
ANSIBLE = """\
ok: [web-1]
fatal: [web-2]: FAILED! => {"changed": false, "msg": "No package nginx", "rc": 126}
web-1                      : ok=2    changed=1    unreachable=0    failed=0    skipped=0
web-2                      : ok=1    changed=0    unreachable=0    failed=1    skipped=0
"""
PING = """\
PING db-1 (10.0.0.7) 56(84) bytes of data.
4 packets transmitted, 2 received, 50% packet loss, time 3004ms
"""
SYSTEMD = """\
     Active: failed (Result: exit-code) since Sun 2026-11-22 10:00:01 UTC; 5min ago
Nov 22 10:00:01 web-1 nginx[4211]: nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)
"""
ESLINT = """\
/home/ann/shop/src/cart.js
   4:7   error    'total' is assigned a value but never used  no-unused-vars

✖ 2 problems (1 error, 1 warning)
"""
TSC = """\
src/cart.ts:20:9 - error TS2304: Cannot find name 'foo'.

20         foo.bar();
           ~~~

Found 2 errors in the same file, starting at: src/cart.ts:14
"""
RSPEC = """\
  1) Refund refunds once
     Failure/Error: expect(res.status).to eq(200)

       expected: 200
            got: 502

Finished in 0.41 seconds (files took 1.2 seconds to load)
4 examples, 1 failure
"""
UNITTEST = """\
.F.
FAIL: test_refund (tests.test_refund.RefundTest)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "tests/test_refund.py", line 14, in test_refund
    self.assertEqual(res.status, 200)
AssertionError: 502 != 200

FAILED (failures=1)
"""
PIP = """\
Collecting requests
Requirement already satisfied: idna in ./lib (3.4)
Successfully installed requests-2.31.0
"""


@pytest.mark.parametrize(
    ("output", "findings"),
    [
        (
            PYTEST,
            [
                "2 failed, 140 passed, 1 warning in 12.31s",
                "assert 502 == 200",
                "shop.errors.AlreadyRefunded: order 7",
                "FAILED tests/test_refund.py::test_refund - assert 502 == 200",
            ],
        ),
        (NPM, ["8 vulnerabilities (2 low, 3 moderate, 3 high)"]),
        (JEST, ["Tests: 1 failed, 61 passed, 62 total", "● refund › refunds once"]),
        (
            CARGO,
            [
                "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; finished in 0.02s",
                "test refund::once ... FAILED",
                "assertion `left == right` failed",
                "error: test failed, to rerun pass `--lib`",
            ],
        ),
        (RUSTC, ["error[E0308]: mismatched types (src/main.rs:9:18)"]),
        (GO, ["FAIL: TestRefund (0.01s)", "refund_test.go:14: got 502, want 200"]),
        (PLAN, ["Plan: 2 to add, 1 to change, 1 to destroy.", "aws_instance.web will be created"]),
        (
            APPLY,
            [
                "Error: creating EC2 Instance: InstanceLimitExceeded: You have requested more instances than 20 "
                "(aws_instance.api)"
            ],
        ),
        (
            BUILDKIT,
            [
                "ERROR: No matching distribution found for nosuchpkg==1.0",
                'failed to solve: process "/bin/sh -c pip install" did not complete successfully: exit code: 1',
            ],
        ),
        (
            MAVEN,
            [
                "Tests run: 15, Failures: 1, Errors: 0, Skipped: 0",
                "BUILD FAILURE",
                "[ERROR] com.shop.RefundTest.refundsOnce Time elapsed: 0.05 s <<< FAILURE!",
                "java.lang.AssertionError: expected:<200> but was:<502>",
            ],
        ),
        (
            ANSIBLE,
            [
                "web-1 : ok=2 changed=1 unreachable=0 failed=0 skipped=0",
                "web-2 : ok=1 changed=0 unreachable=0 failed=1 skipped=0",
                'fatal: [web-2]: FAILED! => {"changed": false, "msg": "No package nginx", "rc": 126}',
            ],
        ),
        (PING, ["4 packets transmitted, 2 received, 50% packet loss, time 3004ms"]),
        (
            SYSTEMD,
            [
                "Active: failed (Result: exit-code) since Sun 2026-11-22 10:00:01 UTC; 5min ago",
                "Nov 22 10:00:01 web-1 nginx[4211]: nginx: [emerg] bind() to 0.0.0.0:80 failed "
                "(98: Address already in use)",
            ],
        ),
        (
            ESLINT,
            [
                "✖ 2 problems (1 error, 1 warning)",
                "/home/ann/shop/src/cart.js:4:7 error 'total' is assigned a value but never used no-unused-vars",
            ],
        ),
        (
            TSC,
            [
                "Found 2 errors in the same file, starting at: src/cart.ts:14",
                "src/cart.ts:20:9 - error TS2304: Cannot find name 'foo'.",
            ],
        ),
        (
            'psql:migrate.sql:12: ERROR:  column "total" does not exist\nLINE 1: SELECT total FROM orders;',
            ['psql:migrate.sql:12: ERROR: column "total" does not exist'],
        ),
        (
            RSPEC,
            [
                "4 examples, 1 failure",
                "Refund refunds once: Failure/Error: expect(res.status).to eq(200)",
                "expected: 200",
                "got: 502",
            ],
        ),
        (
            UNITTEST,
            [
                "FAILED (failures=1)",
                "FAIL: test_refund (tests.test_refund.RefundTest)",
                "AssertionError: 502 != 200",
            ],
        ),
        (
            "Inspecting 2 files\n.C\n\napp/cart.rb:3:5: C: Style/StringLiterals: Prefer single-quoted strings\n"
            '    x = "a"\n        ^^^\n\n2 files inspected, 1 offense detected\n',
            [
                "2 files inspected, 1 offense detected",
                "app/cart.rb:3:5: C: Style/StringLiterals: Prefer single-quoted strings",
            ],
        ),
        (PIP, ["Successfully installed requests-2.31.0"]),
        ("TAP version 13\nok 1 - adds\nnot ok 2 - refunds once", ["not ok 2 - refunds once"]),
        ("HTTP/1.1 503 Service Unavailable\nserver: nginx", ["HTTP/1.1 503 Service Unavailable"]),
    ],
)
def test_of_a_run_what_it_came_to_is_noted_first_then_its_errors_and_nothing_else(
    output: str, findings: list[str]
) -> None:
    assert [one.content for one in observe_by_rules(output)] == findings


def test_of_a_long_run_the_end_is_read() -> None:
    passing = "".join(f"tests/test_cart.py::test_case_{at} PASSED [{at:3}%]\n" for at in range(140))
    passing += "tests/test_refund.py::test_refund FAILED [ 99%]\n" + passing
    assert [one.content for one in observe_by_rules(passing + "==== 1 failed, 280 passed in 12.31s ====")] == [
        "1 failed, 280 passed in 12.31s",
        "tests/test_refund.py::test_refund FAILED [ 99%]",
    ]
    log = "".join(f"2026-11-22 11:{at // 60:02}:{at % 60:02} INFO batch {at} took 3 ms\n" for at in range(900))
    log += "Total: 900 batches, 899 succeeded, 1 failed\n" + log + "The queue db-1 is empty.\n"
    assert [one.content for one in observe_by_rules(log)] == [
        "Total: 900 batches, 899 succeeded, 1 failed",
        "The queue db-1 is empty.",
    ]


def test_of_an_agents_own_summary_all_that_it_states_is_noted() -> None:
    lines = [
        "Tests: 2 failed, 140 passed",
        "Region: eu-central-1",
        "Status: degraded",
        "Caching reduces p99 latency by 40%",
        "The build took 9 minutes",
        "Endpoint: https://api.example.com/v2",
    ]
    assert [one.content for one in observe_by_rules("\n".join(lines))] == lines


@pytest.mark.parametrize(
    "line",
    [
        "def connect(host, port):",
        "src/app.py:88:def connect(host, port):",
        "src/app.py:14:    timeout = settings.timeout",
        "response = self.session.get(url, timeout=30)",
        "return response.content",
        'raise RuntimeError("gave up after 5 attempts")',
        "> assert refund(order, 30).status == 200",
        "> 14 |   expect(res.status).toBe(200);",
        "from pathlib import Path",
        "import { refund } from './refund'",
        "export function refund(order) {",
        "const res = await refund(order)",
        "for attempt in range(MAX_RETRIES):",
        "@pytest.fixture",
        "     ^^^^^ expected `i32`",
        "let y: i32 = 5",
    ],
)
def test_source_code_is_told_from_prose(line: str) -> None:
    assert is_code(line) and observe_by_rules(f"{line}\nMAX = 5.5\n{line}") == ()


@pytest.mark.parametrize(
    "line",
    [
        "Return codes above 5 are errors",
        "The function refund(order) returns 90% of the total.",
        "If the key is missing, the server returns 401.",
        "port = 5432",
        "Class A addresses have 8 bits",
        "For 3 of 4 users the login fails",
        "refund.py:14: the total is rounded twice",
        "Building the image takes 9 minutes",
        "The health check of db-1 is ok",
        "The migration of db-1 is done",
        "import of orders.csv failed after 312 rows because the disk was full.",
        "for example, we do this:",
        "with love:",
    ],
)
def test_prose_is_no_source_code_and_no_progress(line: str) -> None:
    assert not is_code(line) and not is_passing(line)


def test_a_long_line_of_dots_is_read_in_a_moment() -> None:
    began = time.process_time()
    assert not is_passing("." * 200_000)
    assert is_passing("trim trailing whitespace" + "." * 200_000 + " Passed")
    assert time.process_time() - began < 10
