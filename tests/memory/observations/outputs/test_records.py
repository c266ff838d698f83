"""Are values under names told with what they are of?"""

import time

import pytest

from memory.observations.outputs.rules import observe_by_rules


def findings(output: str) -> list[str]:
    return [one.content for one in observe_by_rules(output) if one.category == "finding"]


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (
            "found 3 vulnerabilities (1 moderate, 2 high)\nlodash  <4.17.21\nSeverity: high\n"
            "Prototype Pollution in lodash - https://npm.example/advisories/1523\nfix available via `npm audit fix`\n",
            [
                "found 3 vulnerabilities (1 moderate, 2 high)",
                "lodash <4.17.21; Severity: high",
                "Prototype Pollution in lodash - https://npm.example/advisories/1523",
            ],
        ),
        (
            "@babel/traverse  <7.23.2\nSeverity: critical\nRuns what it reads - https://npm.example/a/1\n"
            "A second way to do so - https://npm.example/a/2\n\nminimist  <1.2.6\nSeverity: low\n",
            [
                "@babel/traverse <7.23.2; Severity: critical",
                "Runs what it reads - https://npm.example/a/1",
                "A second way to do so - https://npm.example/a/2",
                "minimist <1.2.6; Severity: low",
            ],
        ),
        (
            "Crate:     time\nVersion:   0.1.44\nTitle:     Potential segfault\nSeverity:  6.2 (medium)\n",
            ["Crate: time; Version: 0.1.44; Title: Potential segfault; Severity: 6.2 (medium)"],
        ),
        (
            ">> Issue: [B105] Possible hardcoded password\n   Severity: Low   Confidence: Medium\n",
            ["Issue: [B105] Possible hardcoded password; Severity: Low Confidence: Medium"],
        ),
        ("The outage began at 10:05 in the morning.\nSeverity: high\n", ["Severity: high"]),
    ],
)
def test_how_bad_something_is_comes_with_what_it_is(output: str, told: list[str]) -> None:
    assert [one for one in findings(output) if one in told] == told
    assert sum("everity" in one for one in findings(output)) == output.count("everity")


@pytest.mark.parametrize(
    "line", ["Region eu: down", "Region us: up", "api-gateway: degraded", "Cache: unreachable", "Backup: not ready"]
)
def test_how_something_is_is_told(line: str) -> None:
    assert line in findings(f"<html><body><p>Everything as of now.</p><ul><li>{line}</li></ul></body></html>")


def test_what_somebody_only_considers_is_no_lesson() -> None:
    said = "Should we use Redis or Memcached? Maybe we should avoid both. Perhaps never deploy on Fridays. "
    assert observe_by_rules(said) == ()
    assert [one.category for one in observe_by_rules("Avoid both of them. Never deploy on Fridays.")] == ["lesson"] * 2


def test_a_long_output_of_lines_that_rate_is_read_once() -> None:
    output = "name: x\n" * 20_000 + "Severity: high\n" * 20_000
    assert findings(output)


def test_of_commits_the_subjects_are_told_with_who_made_them_and_when() -> None:
    log = """\
commit 9fceb02d0ae598e95dc970b74767f19372d61af8 (HEAD -> main, origin/main)
Author: Ann <ann@x.org>
Date:   Mon Nov 23 10:12:00 2026 +0100

    Fix the race in the session store

    The lock was released before the write to db-1.

commit 77e0912c0ae598e95dc970b74767f19372d61a00
Merge: 1a2b3c4 5d6e7f8
Author: Bob <bob@x.org>
Date:   Sun Nov 22 18:01:44 2026 +0100

    Merge branch 'refunds'
"""
    assert findings(log) == [
        "9fceb02d0a (Ann, Mon Nov 23 10:12:00 2026 +0100): Fix the race in the session store",
        "77e0912c0a (Bob, Sun Nov 22 18:01:44 2026 +0100): Merge branch 'refunds'",
        "The lock was released before the write to db-1.",
    ]
    many = log.replace("The lock", "The lock of shop-1 " + "and of others " * 9) * 40
    assert findings(many)[:2] == findings(log)[:2]
    assert findings("commit 9fceb02d0a\n\n    The lock has 3 owners.\n")[-1] == "The lock has 3 owners."


@pytest.mark.parametrize("author", ["a{}b", "a{}<", "<{}b", "a <{}", "a{}<b> c"])
def test_who_made_a_commit_is_read_in_a_moment(author: str) -> None:
    began = time.process_time()
    told = findings(f"commit abcdef0\nAuthor: {author.format(' ' * 1_000_000)}\n\n    Fix it")
    assert time.process_time() - began < 10
    assert told[0].startswith("abcdef0 (")
    assert findings("commit abcdef0\nAuthor: Ann   <ann@x.org>\n\n    Fix it") == ["abcdef0 (Ann): Fix it"]
