"""Is what failed told first, and no progress, whatever tool prints it?"""

import pytest

from memory.observations.outputs.rules import observe_by_rules
from memory.observations.outputs.runs import is_error

BUILDX = """\
[+] Building 41.2s (9/12)                                        docker:default
 => [internal] load build definition from Dockerfile                       0.0s
 => => transferring dockerfile: 612B                                       0.0s
 => CACHED [1/8] FROM docker.io/library/node:20@sha256:abc                 0.0s
 => ERROR [3/8] RUN npm ci                                                38.1s
------
 > [3/8] RUN npm ci:
12.31 npm error code EUSAGE
12.31 npm error
12.31 npm error Missing: left-pad@1.3.0 from lock file
------
ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1
"""
CURL = """\
*   Trying 10.0.0.7:443...
* Connected to api.acme.io (10.0.0.7) port 443 (#0)
* ALPN: offers h2,http/1.1
*  expire date: Nov 30 23:59:59 2026 GMT
> GET /v1/orders HTTP/1.1
> Host: api.acme.io
>
< HTTP/1.1 503 Service Unavailable
< Retry-After: 30
<
* Connection #0 to host api.acme.io left intact
"""
MERGE = """\
Auto-merging src/app.py
CONFLICT (content): Merge conflict in src/app.py
Automatic merge failed; fix conflicts and then commit the result.
"""
CTEST = """\
    Start 1: cart
1/2 Test #1: cart .............................   Passed    0.01 sec
    Start 2: refund
2/2 Test #2: refund ...........................***Failed    0.02 sec

50% tests passed, 1 tests failed out of 2

Total Test time (real) =   0.05 sec
"""
CHECKS = """\
build	pass	2m1s	https://ci.example/1
lint	fail	31s	https://ci.example/2
"""
CLUSTER = """\
LAST SEEN   TYPE      REASON             OBJECT      MESSAGE
2m          Normal    Scheduled          pod/api-1   Assigned api-1 to node-3
1m          Warning   FailedScheduling   pod/api-2   No memory.
"""


@pytest.mark.parametrize(
    ("output", "findings"),
    [
        (
            BUILDX,
            [
                "ERROR [3/8] RUN npm ci 38.1s",
                "npm error code EUSAGE",
                "npm error Missing: left-pad@1.3.0 from lock file",
                'ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1',
            ],
        ),
        (
            CURL,
            [
                "HTTP/1.1 503 Service Unavailable",
                "expire date: Nov 30 23:59:59 2026 GMT",
                "Retry-After: 30",
            ],
        ),
        (MERGE, [*MERGE.splitlines()[1:]]),
        (
            CTEST,
            [
                "50% tests passed, 1 tests failed out of 2",
                "2/2 Test #2: refund ...........................***Failed 0.02 sec",
            ],
        ),
        (CHECKS, ["lint fail 31s https://ci.example/2"]),
        (
            CLUSTER,
            [
                "LAST SEEN: 1m; TYPE: Warning; REASON: FailedScheduling; OBJECT: pod/api-2; MESSAGE: No memory.",
                "LAST SEEN: 2m; TYPE: Normal; REASON: Scheduled; OBJECT: pod/api-1; MESSAGE: Assigned api-1 to node-3",
            ],
        ),
        (
            "CONTAINER ID   IMAGE      STATUS                   NAMES\n3f1a           pg:16      Up 2 hours"
            "               db\n9a8b           api:2.4    Exited (137) 3 min ago   api\n",
            [
                "CONTAINER ID: 9a8b; IMAGE: api:2.4; STATUS: Exited (137) 3 min ago; NAMES: api",
                "CONTAINER ID: 3f1a; IMAGE: pg:16; STATUS: Up 2 hours; NAMES: db",
            ],
        ),
        (
            "Reading package lists... Done\nE: Could not get lock /var/lib/lock. It is held by process 4211 (apt)\n",
            ["E: Could not get lock /var/lib/lock. It is held by process 4211 (apt)"],
        ),
        (
            "py311: OK (12.31=setup[4.1]+cmd[8.2] seconds)\npy312: FAIL code 1 (9.12=setup[4.0]+cmd[5.1] seconds)\n",
            [
                "py312: FAIL code 1 (9.12=setup[4.0]+cmd[5.1] seconds)",
                "py311: OK (12.31=setup[4.1]+cmd[8.2] seconds)",
            ],
        ),
        (
            "check yaml...............................................................Passed\n"
            "ruff.....................................................................Failed\n- hook id: ruff\n\n"
            "src/app.py:3:8: F401 [*] `os` imported but unused\nFound 1 error.\n\n"
            "mypy.....................................................................Passed\n",
            [
                "Found 1 error.",
                "ruff.....................................................................Failed",
                "src/app.py:3:8: F401 [*] `os` imported but unused",
            ],
        ),
        (
            "[warn] src/cart.ts\n[warn] Code style issues found in 2 files.\n",
            ["[warn] Code style issues found in 2 files."],
        ),
        (
            " WARN  2 deprecated subdependencies found: glob@7.2.3\n"
            " ERR_PNPM_PEER_DEP_ISSUES  Unmet peer dependencies\n",
            [
                "ERR_PNPM_PEER_DEP_ISSUES Unmet peer dependencies",
                "WARN 2 deprecated subdependencies found: glob@7.2.3",
            ],
        ),
        (
            'Started GET "/orders" for 127.0.0.1\nCompleted 500 Internal Server Error in 12ms\n',
            ["Completed 500 Internal Server Error in 12ms", 'Started GET "/orders" for 127.0.0.1'],
        ),
    ],
)
def test_of_a_run_what_failed_is_told_and_no_progress(output: str, findings: list[str]) -> None:
    assert [one.content for one in observe_by_rules(output)] == findings


@pytest.mark.parametrize(
    "said", ["The backup job never failed", "None of the 12 jobs failed", "No job failed;", "Nothing failed"]
)
def test_that_nothing_failed_is_no_error(said: str) -> None:
    assert not is_error(said)


@pytest.mark.parametrize("said", ["Compilation failed; see above", "The deploy of api-2 failed", "Build failed with 3"])
def test_that_something_failed_is_one(said: str) -> None:
    assert is_error(said)
