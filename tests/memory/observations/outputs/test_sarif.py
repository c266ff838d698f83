"""What rules note of reports in SARIF."""

import json
from typing import Any

import pytest

from memory.observations.outputs.rules import observe_by_rules


def findings(output: Any) -> list[str]:
    return [one.content for one in observe_by_rules(json.dumps(output)) if one.category == "finding"]


def result(rule: str, level: str | None, text: str, file: str, line: int) -> dict[str, Any]:
    where = {"physicalLocation": {"artifactLocation": {"uri": file}, "region": {"startLine": line}}}
    return {"ruleId": rule, "message": {"text": text}, "locations": [where]} | ({"level": level} if level else {})


def report(*results: dict[str, Any]) -> dict[str, Any]:
    tool = {"driver": {"name": "Semgrep", "version": "1.70.0", "rules": [{"id": "sqli"}]}}
    return {"version": "2.1.0", "runs": [{"tool": tool, "results": list(results)}]}


def test_each_result_is_told_with_its_place_the_worst_first() -> None:
    notes = [result("md5", None, "MD5 is insecure", f"src/a{at}.py", at) for at in range(1, 30)]
    assert findings(report(*notes, result("sqli", "error", "SQL injection", "src/orders.py", 41)))[:3] == [
        "results: 1 errors, 29 warnings, 0 notes",
        "error: src/orders.py:41: SQL injection (sqli)",
        "warning: src/a1.py:1: MD5 is insecure (md5)",
    ]


def test_that_nothing_was_found_is_told() -> None:
    assert findings(report()) == ["results: 0 errors, 0 warnings, 0 notes"]


@pytest.mark.parametrize(
    "runs", [[], {}, None, [None], [{"results": 3}], [{"tool": {}, "results": [None, {"locations": [3], "level": []}]}]]
)
def test_odd_reports_are_read(runs: Any) -> None:
    findings({"version": "2.1.0", "runs": runs})


def test_other_runs_are_told_as_json() -> None:
    assert findings({"runs": [{"id": 7, "state": "done", "ms": 3}], "total": 1})[0] == "runs: id 7, state done, ms 3"
