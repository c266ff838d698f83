"""Tables in outputs: each row with the names of its columns."""

import pytest

from memory.observations.outputs.rules import observe_by_rules
from memory.observations.outputs.tables import tables_in

DF = """\
Filesystem      Size  Used Avail Use% Mounted on
udev            7.8G     0  7.8G   0% /dev
/dev/nvme0n1p2  468G  431G   14G  97% /
"""
KUBECTL = """\
NAME                     READY   STATUS             RESTARTS       AGE
web-6f7d8c9b5-fghij      1/1     Running            0              3d
api-7c9d5b8f6-abcde      0/1     CrashLoopBackOff   12 (3m ago)    45m
"""
PSQL = """\
 id | name  | orders |  revenue
----+-------+--------+-----------
  1 | Ann   |     12 |   1204.50
  2 | Boris |      3 |
(2 rows)
"""
MYSQL = """\
+----+-------+-------+
| id | name  | stock |
+----+-------+-------+
|  1 | lamp  |    12 |
|  2 | chair |     0 |
+----+-------+-------+
"""
FREE = """\
               total        used        free      shared  buff/cache   available
Mem:            15Gi       9.1Gi       1.2Gi       412Mi       5.0Gi       5.5Gi
Swap:          2.0Gi       1.9Gi       100Mi
"""
PS = """\
USER         PID %CPU %MEM    VSZ   RSS COMMAND
root           1  0.0  0.1 167744 11532 /sbin/init
ann         4211 97.3 12.4 812345678 2012344 python train.py --epochs 30
"""
COVERAGE = """\
Name             Stmts   Miss  Cover
------------------------------------
shop/cart.py        82      3    96%
------------------------------------
TOTAL              122     25    80%
"""
JEST = """\
----------|---------|----------|
File      | % Stmts | % Branch |
----------|---------|----------|
 cart.js  |   96.34 |       80 |
----------|---------|----------|
"""
RECORDS = """\
-[ RECORD 1 ]----
id   | 1
name | Ann
-[ RECORD 2 ]----
id   | 2
name | Bo
"""


def findings(output: str) -> list[str]:
    return [one.content for one in observe_by_rules(output)]


@pytest.mark.parametrize(
    ("output", "rows"),
    [
        (
            DF,
            [
                "Filesystem: udev; Size: 7.8G; Used: 0; Avail: 7.8G; Use%: 0%; Mounted on: /dev",
                "Filesystem: /dev/nvme0n1p2; Size: 468G; Used: 431G; Avail: 14G; Use%: 97%; Mounted on: /",
            ],
        ),
        (
            KUBECTL,
            [
                "NAME: api-7c9d5b8f6-abcde; READY: 0/1; STATUS: CrashLoopBackOff; RESTARTS: 12 (3m ago); AGE: 45m",
                "NAME: web-6f7d8c9b5-fghij; READY: 1/1; STATUS: Running; RESTARTS: 0; AGE: 3d",
            ],
        ),
        (PSQL, ["id: 1; name: Ann; orders: 12; revenue: 1204.50", "id: 2; name: Boris; orders: 3"]),
        (MYSQL, ["id: 1; name: lamp; stock: 12", "id: 2; name: chair; stock: 0"]),
        (
            FREE,
            [
                "Mem: total 15Gi, used 9.1Gi, free 1.2Gi, shared 412Mi, buff/cache 5.0Gi, available 5.5Gi",
                "Swap: total 2.0Gi, used 1.9Gi, free 100Mi",
            ],
        ),
        (
            PS,
            [
                "USER: root; PID: 1; %CPU: 0.0; %MEM: 0.1; VSZ: 167744; RSS: 11532; COMMAND: /sbin/init",
                "USER: ann; PID: 4211; %CPU: 97.3; %MEM: 12.4; VSZ: 812345678; RSS: 2012344; "
                "COMMAND: python train.py --epochs 30",
            ],
        ),
        (
            COVERAGE,
            [
                "Name: TOTAL; Stmts: 122; Miss: 25; Cover: 80%",
                "Name: shop/cart.py; Stmts: 82; Miss: 3; Cover: 96%",
            ],
        ),
        (JEST, ["File: cart.js; % Stmts: 96.34; % Branch: 80"]),
        (RECORDS, ["id: 1; name: Ann", "id: 2; name: Bo"]),
        (
            "service,region,p99\ncheckout,eu,812\nsearch,eu,95\nlogin,us,120",
            [
                "service: checkout; region: eu; p99: 812",
                "service: search; region: eu; p99: 95",
                "service: login; region: us; p99: 120",
            ],
        ),
        (
            "I compared them:\n\n| store | QPS |\n|:---|---:|\n| Qdrant | 3,110 |\n\nQdrant 1.9 is in use.",
            ["store: Qdrant; QPS: 3,110", "Qdrant 1.9 is in use."],
        ),
        ("Package  Version\n-------- -------\nfastapi  0.103.0\n", ["Package: fastapi; Version: 0.103.0"]),
        (
            "Package    Version Latest  Type\n---------- ------- ------- -----\nfastapi    0.103.0 0.115.0 wheel\n",
            ["Package: fastapi; Version: 0.103.0; Latest: 0.115.0; Type: wheel"],
        ),
        (
            " ------ ----------------------------\n  Line   src/Cart.php\n ------ ----------------------------\n"
            "  14     Undefined variable: $totl\n ------ ----------------------------\n",
            ["Line: 14; src/Cart.php: Undefined variable: $totl"],
        ),
        (
            "  UNIT              LOAD   ACTIVE SUB     DESCRIPTION\n"
            "● nginx.service     loaded failed failed  A daemon\n"
            "  ssh.service       loaded active running OpenBSD server\n",
            [
                "UNIT: nginx.service; LOAD: loaded; ACTIVE: failed; SUB: failed; DESCRIPTION: A daemon",
                "UNIT: ssh.service; LOAD: loaded; ACTIVE: active; SUB: running; DESCRIPTION: OpenBSD server",
            ],
        ),
        (
            "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency   635.91ms    0.89s   12.92s    93.69%\n",
            ["Thread Stats: Latency; Avg: 635.91ms; Stdev: 0.89s; Max: 12.92s; +/- Stdev: 93.69%"],
        ),
        (
            "| GPU  Name        | Bus-Id        |  GPU-Util |\n| Fan  Temp        | Memory-Usage  |           |\n"
            "|==================+===============+===========|\n|   0  NVIDIA A100 | 00:04.0       |       99% |\n"
            "| N/A   71C        | 39870MiB      |           |\n+------------------+---------------+-----------+\n"
            "|   1  NVIDIA A100 | 00:05.0       |        0% |\n| N/A   33C        | 3MiB          |           |\n",
            [
                "GPU Name Fan Temp: 0 NVIDIA A100 N/A 71C; Bus-Id Memory-Usage: 00:04.0 39870MiB; GPU-Util: 99%",
                "GPU Name Fan Temp: 1 NVIDIA A100 N/A 33C; Bus-Id Memory-Usage: 00:05.0 3MiB; GPU-Util: 0%",
            ],
        ),
        (f"```\n$ df -h\n{DF}```", findings(DF)),
    ],
)
def test_a_row_keeps_the_names_of_its_columns(output: str, rows: list[str]) -> None:
    assert findings(output) == rows


@pytest.mark.parametrize(
    "output",
    [
        DF.partition("\n")[2],
        PSQL.partition("\n")[2].partition("\n")[2],
        FREE.partition("\n")[2],
        "   12 a.txt\n  140 b.txt\n  152 c.txt\n",
        "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
        "                                 Dload  Upload   Total   Spent    Left  Speed\n"
        "100   312  100   312    0     0   1204      0 --:--:-- --:--:-- --:--:--  1204\n",
    ],
)
def test_rows_whose_columns_have_no_names_are_left_out(output: str) -> None:
    assert findings(output) == []


def test_of_a_long_table_rows_keep_their_names() -> None:
    rows = "".join(f"pod-{at:<10} Running            {at % 7}          3d\n" for at in range(300))
    failed = "pod-broken     CrashLoopBackOff   12         45m\n"
    read = findings(f"NAME           STATUS             RESTARTS   AGE\n{rows}{failed}{rows}")
    assert read[0] == "NAME: pod-broken; STATUS: CrashLoopBackOff; RESTARTS: 12; AGE: 45m"
    assert all(row.startswith("NAME: ") for row in read)


@pytest.mark.parametrize(
    "text",
    [
        "The service has two parts.  It is written in Go.  It listens on 8080.\nEach part is deployed.  Both run.",
        "First, we looked, then, we left\nOne, two, three, four\nA, b, c, d\nE, f, g, h",
        "a | b",
        "2026-11-22  INFO  started  now\n2026-11-22  INFO  stopped  now",
        "",
    ],
)
def test_prose_and_logs_are_no_tables(text: str) -> None:
    lines = text.splitlines()
    assert [table for table in tables_in(lines) if table.rows] == []
