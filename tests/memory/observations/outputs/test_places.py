"""Are errors told with the file, the task or the test that they belong to?"""

import time

import pytest

from memory.observations.outputs.places import places_below
from memory.observations.outputs.rules import observe_by_rules


def findings(output: str) -> list[str]:
    return [one.content for one in observe_by_rules(output) if one.category == "finding"]


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (
            "/app/src/index.ts\n  12:5   error    'x' is never used  no-unused-vars\n\n/app/src/b.ts\n"
            "  3:1   error    Unexpected var  no-var\n",
            [
                "/app/src/index.ts:12:5 error 'x' is never used no-unused-vars",
                "/app/src/b.ts:3:1 error Unexpected var no-var",
            ],
        ),
        (
            './ci.yml\n  3:1       warning  missing document start "---"  (document-start)\n'
            "  12:81     error    line too long (132 > 80 characters)  (line-length)\n",
            [
                "./ci.yml:12:81 error line too long (132 > 80 characters) (line-length)",
                './ci.yml:3:1 warning missing document start "---" (document-start)',
            ],
        ),
        (
            'app.css\n  3:5   ✖  Unexpected unknown property "colr"  property-no-unknown\n',
            ['app.css:3:5 ✖ Unexpected unknown property "colr" property-no-unknown'],
        ),
        (
            "docs/readme.md\n  3:5-3:9  warning  Found reference to undefined definition  no-undefined\n",
            ["docs/readme.md:3:5-3:9 warning Found reference to undefined definition no-undefined"],
        ),
        (
            'TASK [nginx : Install nginx] ***\nok: [web-1]\nfatal: [web-2]: FAILED! => {"msg": "No package"}\n\n'
            'TASK [app : Migrate] ***\nfailed: [db-1] (item=orders) => {"msg": "relation exists"}\n',
            [
                'nginx : Install nginx: fatal: [web-2]: FAILED! => {"msg": "No package"}',
                'app : Migrate: failed: [db-1] (item=orders) => {"msg": "relation exists"}',
            ],
        ),
        (
            "In deploy.sh line 3:\nrm -rf $DIR/*\n       ^--^ SC2086 (info): Double quote to prevent globbing.\n",
            ["deploy.sh:3: SC2086 (info): Double quote to prevent globbing."],
        ),
        (
            "FILE: /app/Cart.php\n-----------------\nFOUND 2 ERRORS\n-----------------\n"
            " 14 | ERROR   | [x] Expected 1 space; 0 found\n"
            " 31 | WARNING | [ ] No comment for total()\n-----------------\n",
            [
                "FOUND 2 ERRORS",
                "/app/Cart.php: 14 | ERROR | [x] Expected 1 space; 0 found",
                "/app/Cart.php: 31 | WARNING | [ ] No comment for total()",
            ],
        ),
        (
            "  1 passing (8ms)\n  1 failing\n\n  1) Cart\n       totals:\n\n"
            "      AssertionError [ERR_ASSERTION]: 11 == 12\n",
            ["1 passing (8ms)", "1 failing", "Cart totals: AssertionError [ERR_ASSERTION]: 11 == 12"],
        ),
        (
            "1) Tests\\CartTest::testTotal\nFailed asserting that 11 matches expected 12.\n\n"
            "Tests: 4, Assertions: 5, Failures: 1.\n",
            [
                "Tests: 4, Assertions: 5, Failures: 1.",
                "Tests\\CartTest::testTotal: Failed asserting that 11 matches expected 12.",
            ],
        ),
        (
            "  1) cart.spec.ts:9:1 › totals ──────\n\n    Error: expect(received).toBe(expected)\n",
            ["cart.spec.ts:9:1 › totals: Error: expect(received).toBe(expected)"],
        ),
        (
            "error[E0382]: borrow of moved value: `order`\n  --> src/refund.rs:31:20\n   |\n"
            "30 |     send(order);\n   |          ----- value moved here\n   = note: because of this\n",
            ["error[E0382]: borrow of moved value: `order` (src/refund.rs:31:20)"],
        ),
        (
            '╷\n│ Error: Unsupported argument\n│\n│   on main.tf line 12, in resource "aws_instance" "web":\n╵\n',
            ["Error: Unsupported argument (main.tf:12)"],
        ),
        (
            "                    QUERY PLAN\n-------------------------------------------------\n"
            " Hash Join  (cost=230.47..713.98 rows=101 width=488)\n   Hash Cond: (a.id = b.id)\n"
            "   ->  Seq Scan on orders a  (cost=0.00..445.00 rows=10000 width=244)\n"
            "         Rows Removed by Filter: 912312\n         Buckets: 1024  Batches: 1  Memory Usage: 28kB\n"
            " Execution Time: 8.008 ms\n",
            [
                "Execution Time: 8.008 ms",
                "Hash Join (cost=230.47..713.98 rows=101 width=488)",
                "Hash Join: Hash Cond: (a.id = b.id)",
                "Seq Scan on orders a (cost=0.00..445.00 rows=10000 width=244)",
                "Seq Scan on orders a: Rows Removed by Filter: 912312",
                "Seq Scan on orders a: Buckets: 1024 Batches: 1 Memory Usage: 28kB",
            ],
        ),
    ],
)
def test_what_is_wrong_is_told_with_what_it_belongs_to(output: str, told: list[str]) -> None:
    assert findings(output) == told


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("Agenda\n  12:30  lunch with 3 guests\n", "12:30 lunch with 3 guests"),
        ("src/a.ts\n\n  12:30  error: disk full\n", "12:30 error: disk full"),
        ("1) Look at the logs\n2) Restart db-1\n" + "\n" * 9 + "error: disk full\n", "error: disk full"),
        ("api/cart.py\n  12:30 the deploy of v3.2 began\n", "12:30 the deploy of v3.2 began"),
        ("1) The cache\n2) The queue\n\nError: disk full\n", "Error: disk full"),
        ("1) The index is missing.\nThe migration failed; we rolled back.\n", "The migration failed; we rolled back."),
        ("It depends on db-1.\n  --> the cache has 3 nodes\n", "It depends on db-1."),
    ],
)
def test_what_stands_below_something_else_is_told_alone(output: str, told: str) -> None:
    assert told in findings(output)


def test_a_list_of_what_each_host_came_to_leaves_room_for_what_failed() -> None:
    hosts = ["alpha", "beta", "gamma", "delta", "eps", "zeta", "eta", "theta", "iota", "kappa", "lam", "db-c", "nu"]
    recap = [f"{host:<26} : ok=3    changed=1    unreachable=0    failed={int(host == 'db-c')}" for host in hosts]
    told = findings("\n".join(['fatal: [db-c]: FAILED! => {"msg": "relation exists"}', "", "PLAY RECAP ***", *recap]))
    assert told[4:6] == [
        'fatal: [db-c]: FAILED! => {"msg": "relation exists"}',
        "db-c : ok=3 changed=1 unreachable=0 failed=1",
    ]


def test_of_errors_that_are_alike_a_few_come_before_others() -> None:
    lines = ["/app/a.ts", *(f"  {at}:1  error  Unexpected var  no-var" for at in range(1, 40)), "error: disk full"]
    assert findings("\n".join(lines))[:3] == [
        "/app/a.ts:1:1 error Unexpected var no-var",
        "/app/a.ts:2:1 error Unexpected var no-var",
        "error: disk full",
    ]


def test_a_long_line_of_a_frame_is_read_in_a_moment() -> None:
    frame = "─" * 200_000
    began = time.process_time()
    assert places_below(["Unexpected token", f"╭{frame}", f"╭{frame}[x"]) == {}
    assert places_below(["Unexpected token", f"╭{frame}[src/a.js:1:2]"]) == {0: "src/a.js:1:2"}
    assert time.process_time() - began < 10
