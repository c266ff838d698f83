"""What rules note of outputs."""

import pytest

from memory.observations.consolidation import SessionMessage, consolidate
from memory.observations.notes import observe_by_rules
from memory.observations.observation import Category


def noted(output: str) -> dict[Category, list[str]]:
    notes: dict[Category, list[str]] = {"finding": [], "insight": [], "lesson": []}
    for one in observe_by_rules(output):
        notes[one.category].append(one.content)
    return notes


def test_each_sentence_is_noted_as_what_it_is() -> None:
    output = (
        "# Report\nI'll begin with the queue.\nThe queue runs RabbitMQ 3.12. We chose quorum queues because "
        "mirrored ones lose messages.\n"
        "- Never purge orders-v1 by hand\nWhat about the tests?\n```\nlimit = 3 of 4\n```\nDone."
    )
    assert noted(output) == {
        "finding": ["The queue runs RabbitMQ 3.12."],
        "insight": ["We chose quorum queues because mirrored ones lose messages."],
        "lesson": ["Never purge orders-v1 by hand"],
    }


@pytest.mark.parametrize(
    ("output", "category", "notes"),
    [
        ("We looked around. Finding: the index is stale. Then I left.", "finding", ["the index is stale."]),
        ("## Lessons learned\n- warm the cache\n2. ask twice\n\nThe end", "lesson", ["warm the cache", "ask twice"]),
        ("**Decision:** keep Redis", "insight", ["keep Redis"]),
        ("Recommendations\n* use argon2id", "lesson", ["use argon2id"]),
        ("### Key issues\n- slow\n- auth.py:41 uses MD5\n", "finding", ["slow", "auth.py:41 uses MD5"]),
        ("Findings: none\nNo issues", "finding", []),
    ],
)
def test_a_label_says_what_a_note_is(output: str, category: Category, notes: list[str]) -> None:
    assert noted(output)[category] == notes


@pytest.mark.parametrize(
    ("output", "findings"),
    [
        (
            "Zone: eu-central-1\nStatus: degraded\nOwner: Maria Lopez\nNext: run it",
            ["Zone: eu-central-1", "Status: degraded", "Owner: Maria Lopez"],
        ),
        ("We asked around. Moss reached 910 QPS. Ask ops about RAM limits.", ["Moss reached 910 QPS."]),
        (
            "El límite es de 90 solicitudes por minuto. Vamos a empezar ahora.",
            ["El límite es de 90 solicitudes por minuto."],
        ),
        (
            "速率限制为每分钟90个请求。我现在开始检查。错误：连接被拒绝。",
            ["错误：连接被拒绝。", "速率限制为每分钟90个请求。"],
        ),
        (
            "<html><body><h1>Plans</h1><li>Team <b>costs</b> &euro;9 per seat</li></body></html>",
            ["Team costs €9 per seat"],
        ),
        ("Compiling the site...\nmoved the pages over\nwrote the map of the site", ["wrote the map of the site"]),
    ],
)
def test_what_is_stated_is_a_finding_in_any_form_and_language(output: str, findings: list[str]) -> None:
    assert noted(output)["finding"] == findings


@pytest.mark.parametrize(
    "output",
    [
        "",
        "```\nopen",
        "OK. " * 100,
        "日本" * 500,
        "=" * 4_000,
        "-rw-r--r-- 1 root root 1024 Nov 22 a.txt\ndrwxr-xr-x 2 root root 4096 Nov 22 src",
        "diff --git a/x.py b/x.py\n-    return now\n+    return now + ttl",
        "Downloading 12 files...\nInstalling 3 packages\n███████░░░ 70% 12 MB/s of 3 files",
        "Ask ops about RAM limits. Run the 3 tests again. Check whether Redis is up.",
        "If the API used OAuth2, we would need a client id. Suppose the API uses OAuth2. Maybe we will use Kafka 3.",
    ],
)
def test_listings_progress_and_what_is_only_supposed_are_no_findings(output: str) -> None:
    assert observe_by_rules(output) == ()


def test_totals_come_first_then_errors_then_the_rest_and_what_is_alike_last() -> None:
    alike = [f"worker {number} processed {number * 7} batches" for number in range(40)]
    output = "\n".join([*alike, "The queue is in eu-west-1.", "ERROR disk full on db-1", "Total: 39 batches"])
    assert noted(output)["finding"][:2] == ["Total: 39 batches", "ERROR disk full on db-1"]
    plain = noted("\n".join([*alike, "The queue is in eu-west-1."]))["finding"]
    assert plain[:2] == [alike[0], "The queue is in eu-west-1."] and len(plain) == 10


def test_errors_that_are_alike_leave_room_for_others() -> None:
    output = "\n".join([*(f"ERROR timeout on shard {number}" for number in range(30)), "KeyError: 'tenant'"])
    assert noted(output)["finding"][:3] == [
        "ERROR timeout on shard 0",
        "ERROR timeout on shard 1",
        "KeyError: 'tenant'",
    ]


@pytest.mark.parametrize(
    ("said", "insights"),
    [
        ("We have not decided yet whether Kafka is needed for this project.", []),
        ("The team has not agreed on the retention of the logs in eu-1.", []),
        (
            "We have not decided yet whether Kafka is needed; it was agreed that Postgres keeps the sessions.",
            ["it was agreed that Postgres keeps the sessions."],
        ),
        ("We decided to use Kafka for this project.", ["We decided to use Kafka for this project."]),
    ],
)
def test_what_is_left_open_is_none_in_an_output_nor_in_a_session(said: str, insights: list[str]) -> None:
    assert noted(said) == {"finding": [], "insight": insights, "lesson": []}
    assert [one.content for one in consolidate([SessionMessage("user", said)])] == insights
