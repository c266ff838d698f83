"""What rules note of outputs."""

import time

import pytest

from memory.observations.observation import Category
from memory.observations.outputs.observation_rules import Said, consolidate
from memory.observations.outputs.rules import observe_by_rules

OUTPUT = """\
## Result
I'll start by checking the deployment.
Auth uses OAuth2 with PKCE. PostgreSQL version is 15.2.
REST is simpler than GraphQL for this use case.
- Avoid library X - it lacks TypeScript support
What about the tests?
```
API_KEY=abc is 5
```
Done.
"""


def noted(output: str) -> dict[Category, list[str]]:
    notes: dict[Category, list[str]] = {"finding": [], "insight": [], "lesson": []}
    for one in observe_by_rules(output):
        notes[one.category].append(one.content)
    return notes


def test_each_sentence_is_noted_as_what_it_is() -> None:
    assert noted(OUTPUT) == {
        "finding": ["Auth uses OAuth2 with PKCE.", "PostgreSQL version is 15.2."],
        "insight": ["REST is simpler than GraphQL for this use case."],
        "lesson": ["Avoid library X - it lacks TypeScript support"],
    }


def test_labels_say_what_their_texts_are() -> None:
    output = (
        "Finding: it rains\n\n**Lessons learned:**\n- take an umbrella\n2. look up\nInsights:\n* wet is wet\nThe end."
    )
    assert noted(output) == {
        "finding": ["it rains"],
        "insight": ["wet is wet"],
        "lesson": ["take an umbrella", "look up"],
    }


def test_a_label_may_stand_in_the_middle_of_a_line() -> None:
    assert noted("I looked at the logs. Finding: the disk is full. Lesson: never log to it. Then I left.") == {
        "finding": ["the disk is full."],
        "insight": [],
        "lesson": ["never log to it."],
    }


def test_of_a_paragraph_that_names_an_error_each_sentence_is_noted_as_what_it_is() -> None:
    text = "Auth uses OAuth2. The gateway timed out twice. Lesson: never log to db-1. Avoid hot reloads."
    assert noted(text) == {
        "finding": ["The gateway timed out twice.", "Auth uses OAuth2."],
        "insight": [],
        "lesson": ["never log to db-1.", "Avoid hot reloads."],
    }


def test_two_words_are_enough_for_a_lesson() -> None:
    assert noted("I compared the plans. Do not buy Basic. Never mind. Avoid it.")["lesson"] == ["Do not buy Basic."]


def test_headings_say_what_the_items_under_them_are() -> None:
    review = (
        "# Review\n\n## Findings\n- auth.py:41 uses MD5\n- No rate limiting on /login\n\n**Recommendations**\n"
        "1. Use argon2id\n\nThat is all.\n### Key issues\n- slow\n\nNo issues\n\nFindings: none\nINSIGHT - caches win\n"
        "Key takeaway: measure first"
    )
    assert noted(review) == {
        "finding": ["auth.py:41 uses MD5", "No rate limiting on /login", "slow"],
        "insight": ["caches win", "measure first"],
        "lesson": ["Use argon2id"],
    }


def test_what_was_looked_for_and_is_not_so_is_a_finding() -> None:
    said = ["We did not find any memory leak.", "The leak was not caused by the cache.", "The service never crashed."]
    assert noted(" ".join(said))["finding"] == said
    assert noted("I don't know whether the server uses Redis. We could maybe use Kafka 3.") == noted("")


def test_the_same_is_noted_once_and_not_too_much() -> None:
    assert noted("The limit is 100 requests a minute. " * 5)["finding"] == ["The limit is 100 requests a minute."]
    assert len(noted(" ".join(f"Server {n} has {n} cores." for n in range(100)))["finding"]) == 10


def test_of_many_findings_errors_come_first_and_lines_of_one_shape_last() -> None:
    lines = [f"worker {at} processed {at * 7} batches" for at in range(50)]
    told = ["The queue is in eu-west-1.", "ERROR worker 7 failed: disk full"]
    assert noted("\n".join([*lines, *told]))["finding"] == [told[1], lines[0], told[0], *lines[1:8]]


@pytest.mark.parametrize(
    "output",
    [
        "",
        "\n\n",
        "?",
        "```\nopen",
        "OK. " * 100,
        "x" * 4_000,
        "日本" * 500,
        "- \n" * 50,
        '{"message": "The limit is 100 now", "is": 5}',
    ],
)
def test_what_says_nothing_gives_nothing(output: str) -> None:
    assert observe_by_rules(output) == ()


@pytest.mark.parametrize(
    ("output", "findings"),
    [
        (
            'Migrating…\nTraceback (most recent call last):\n  File "a.py", line 31, in run\n    raise ValueError(text)'
            "\nValueError: port must be an int\n",
            ["ValueError: port must be an int"],
        ),
        (
            'Exception in thread "main" java.lang.IllegalStateException: pool exhausted\n\tat x.Pool.get(P.java:31)\n'
            "Caused by: java.sql.SQLException: no connection",
            [
                'Exception in thread "main" java.lang.IllegalStateException: pool exhausted',
                "Caused by: java.sql.SQLException: no connection",
            ],
        ),
        (
            "```\n$ cargo build\nerror[E0308]: mismatched types\n let x = 3 apples\n```",
            ["error[E0308]: mismatched types"],
        ),
        (
            "2026-11-22 11:00:01,123 ERROR payment: card declined\n2026-11-22 11:00:02,000 DEBUG poll\n"
            "2026-11-22T11:00:07Z \x1b[33mWARN\x1b[0m disk at 91%",
            ["ERROR payment: card declined", "WARN disk at 91%"],
        ),
        (
            "bash: foo: command not found\nmake: *** No rule to make target 'x'. Stop.\nnpm ERR! missing script: build",
            [
                "bash: foo: command not found",
                "make: *** No rule to make target 'x'. Stop.",
                "npm ERR! missing script: build",
            ],
        ),
        (
            "===== test session starts =====\ntests/test_a.py ....F\nE   AssertionError: 200 != 503\n"
            "========= 1 failed, 210 passed in 12.3s =========",
            ["1 failed, 210 passed in 12.3s", "AssertionError: 200 != 503"],
        ),
    ],
)
def test_of_logs_and_traces_the_errors_and_verdicts_are_findings(output: str, findings: list[str]) -> None:
    assert noted(output)["finding"] == findings


@pytest.mark.parametrize(
    ("output", "findings"),
    [
        (
            "We looked at three stores. pgvector reached 1,240 QPS. Milvus needed 62 GB. Milvus crashed twice. Ask ops "
            "about RAM limits.",
            ["pgvector reached 1,240 QPS.", "Milvus needed 62 GB.", "Milvus crashed twice."],
        ),
        (
            "| store | QPS |\n|---|---|\n| pgvector | 1,240 |\n| Qdrant | 3,110 |",
            ["store: pgvector; QPS: 1,240", "store: Qdrant; QPS: 3,110"],
        ),
        (
            "<html><head><title>x</title></head><h1>Plans</h1><li>Pro <b>costs</b> &euro;12 per seat</li>"
            "<script>var y = 12 seats;</script></html>",
            ["Pro costs €12 per seat"],
        ),
        (
            "Region: eu-central-1\nStatus: degraded\nOwner: Maria Lopez\nNext: run the tests\nThoughts: none so far",
            ["Region: eu-central-1", "Status: degraded", "Owner: Maria Lopez"],
        ),
        (
            "- auth/token.py:42 - every token is expired at birth. Must be `now + ttl`.\n- blocker: the lock leaks"
            "\nLGTM otherwise",
            [
                "auth/token.py:42 - every token is expired at birth. Must be `now + ttl`.",
                "blocker: the lock leaks",
            ],
        ),
        (
            "Every token is expired at birth. Must be `now + ttl`.",
            ["Every token is expired at birth. Must be `now + ttl`."],
        ),
        (
            "It is not true that the API uses OAuth2; it uses mTLS. The user asked whether the server is in Frankfurt.",
            ["It is not true that the API uses OAuth2; it uses mTLS."],
        ),
        (
            "NAME       READY  STATUS            RESTARTS  AGE\napi-7c9d   0/1    CrashLoopBackOff  12        5m\n"
            "web-1      1/1    Running           0         5m",
            [
                "NAME: api-7c9d; READY: 0/1; STATUS: CrashLoopBackOff; RESTARTS: 12; AGE: 5m",
                "NAME: web-1; READY: 1/1; STATUS: Running; RESTARTS: 0; AGE: 5m",
            ],
        ),
        ("ssl: off\nenabled: true\nport: 5432", ["ssl: off", "enabled: true", "port: 5432"]),
        ("There are 3 replicas in eu-west-1. It is nice here.", ["There are 3 replicas in eu-west-1."]),
        (
            "El límite es de 100 solicitudes por minuto. Vamos a empezar ahora.",
            ["El límite es de 100 solicitudes por minuto."],
        ),
        (
            "Die Grenze liegt bei 100 Anfragen. Fehler: Verbindung abgelehnt. Ich fange jetzt an.",
            ["Fehler: Verbindung abgelehnt.", "Die Grenze liegt bei 100 Anfragen."],
        ),
        (
            "速率限制为每分钟100个请求。我现在开始检查。错误：连接被拒绝。",
            ["错误：连接被拒绝。", "速率限制为每分钟100个请求。"],
        ),
        ("レート制限は毎分100リクエストです。これから確認します。", ["レート制限は毎分100リクエストです。"]),
    ],
)
def test_what_is_stated_is_a_finding_in_any_form_and_language(output: str, findings: list[str]) -> None:
    assert noted(output) == {"finding": findings, "insight": [], "lesson": []}


@pytest.mark.parametrize(
    "output",
    [
        "total 12\n-rw-r--r-- 1 root root 1024 Nov 22 a.txt\ndrwxr-xr-x 2 root root 4096 Nov 22 src",
        "id,name,price\n1,foo,20\n2,bar,30",
        "/dev/sda1 50G 48G 2G 96% /\ntmpfs 2G 0 2G 0% /run",
        "diff --git a/x.py b/x.py\n-    return now\n+    return now + ttl",
        "Step 3/10 : RUN pip install\n[4/10] Building the wheel of 3 parts\nDownloading 12 files...",
        "Checked DNS for shop.example.com. Deployed the API.",
        "Ask ops about RAM limits. Run the 3 tests again. Check whether Redis is up.",
        "███████░░░ 70% 12 MB/s of 3 files",
    ],
)
def test_listings_progress_and_things_to_do_are_no_findings(output: str) -> None:
    assert noted(output)["finding"] == []


@pytest.mark.parametrize(
    "text", ["=" * 4_000, " = " * 1_300, "<script" * 570, "a." * 2_000, "x: " * 1_300, "|" * 4_000]
)
def test_odd_outputs_say_nothing(text: str) -> None:
    assert observe_by_rules(text) == ()


@pytest.mark.parametrize(
    "piece", ["x", "a b ", "a  b", "| ", "1 failed ", "error: ", ". ", "~ -", "a = ", "a.b(", "a,b,c\n"]
)
def test_a_megabyte_of_one_line_is_read_in_a_moment(piece: str) -> None:
    began = time.process_time()
    observe_by_rules((piece * 1_000_000)[:1_000_000])
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    "sentence",
    [
        "If the API used OAuth2, we would need a client id.",
        "We would need a client id if the API used OAuth2.",
        "If the API had used OAuth2, the gateway could have cached 3 tokens.",
        "Had the API used OAuth2, we would have needed a client id.",
        "Were the API on OAuth2, it would need a client id.",
        "Suppose the API uses OAuth2.",
        "Assuming the API uses OAuth2, the client needs an id.",
        "What if the API used OAuth2, which has 4 flows.",
        "Hypothesis: the API uses OAuth2.",
        "Assumption: OAuth2",
    ],
)
def test_what_is_only_supposed_is_no_finding(sentence: str) -> None:
    assert noted(sentence)["finding"] == []


@pytest.mark.parametrize(
    "sentence",
    [
        "If the key is missing, the server returns 401.",
        "The server returns 401 if the key is missing.",
        "The vendor said that Basic would cost $12 per seat.",
        "PostgreSQL would not start on port 5432.",
        "The team assumed 3 replicas.",
    ],
)
def test_what_holds_under_a_condition_is_one(sentence: str) -> None:
    assert noted(sentence)["finding"] == [sentence]


def test_of_a_long_report_what_is_labelled_is_read_wherever_it_stands() -> None:
    prose = [f"Then we looked at host-{at}.example.com and at what it runs, which is nothing odd." for at in range(90)]
    report = [*prose, "## Lessons", "- never log to db-1", "- rotate keys", "Finding: the disk of db-1 is full", *prose]
    read = noted("\n".join([*report, "Insight: caches win."]))
    assert set(read["lesson"]) == {"never log to db-1", "rotate keys"}
    assert "the disk of db-1 is full" in read["finding"] and read["insight"] == ["caches win."]


@pytest.mark.parametrize(
    ("said", "insights"),
    [
        ("We have not decided yet whether Kafka is needed for this project.", []),
        ("The team has not agreed on the retention of the logs in eu-1.", []),
        ("It is undecided whether Redis or Postgres keeps the 40 queues.", []),
        (
            "We have not decided yet whether Kafka is needed; it was agreed that Postgres keeps the sessions.",
            ["it was agreed that Postgres keeps the sessions."],
        ),
        ("We decided to use Kafka for this project.", ["We decided to use Kafka for this project."]),
    ],
)
def test_what_is_left_open_is_none_in_an_output_nor_in_a_session(said: str, insights: list[str]) -> None:
    assert noted(said) == {"finding": [], "insight": insights, "lesson": []}
    assert [one.content for one in consolidate([Said("user", said)])] == insights
