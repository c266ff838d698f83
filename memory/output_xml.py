"""What does the XML tell in which test runners and checkers report: what it came to, what failed, and where?"""

import re
from collections.abc import Iterator, Mapping
from html import unescape

from utils.text import GAP, cut_at_word

MOST_FAILURES = 20  # that are read of a report
LONGEST = 400  # characters of what is told of one

# Each of these ends where the next of its kind begins, so that what has no end takes no time.
_VALUES = r"(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+"
_REPORT = re.compile(
    r"(?:<\?xml[^<>]*>\s*)?<(?P<root>testsuites?|checkstyle)\b.*?(?:</(?P=root)>|\Z)", re.DOTALL
)  # of JUnit; of Checkstyle
_SUITE = re.compile(rf"<testsuite\b({_VALUES})>")
_CASE = re.compile(rf"<testcase\b(?P<values>{_VALUES})(?<!/)>(?P<body>(?:(?!</?testcase\b).)*+)", re.DOTALL)
_FAULT = re.compile(
    rf"<(?:failure|error)\b(?P<values>{_VALUES})(?:(?<=/)>|>(?P<said>(?:(?!</?(?:failure|error)\b).){{0,2000}}))",
    re.DOTALL,
)
_FILE = re.compile(rf"<file\b(?P<values>{_VALUES})>(?P<body>(?:(?!</?file\b).)*+)", re.DOTALL)
_FOUND = re.compile(rf"<error\b(?P<values>{_VALUES})>")
_VALUE = re.compile(r"([\w.:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_MARKS = re.compile(r"<!\[CDATA\[|\]\]>")
_COUNTED = ("tests", "failures", "errors", "skipped")


def take_reports(text: str) -> tuple[list[str], list[str], str]:
    """What reports in a text come to, what failed of it, each on a line, and the text without them."""
    if "<testsuite" not in text and "<checkstyle" not in text:
        return [], [], text
    sums: list[str] = []
    failures: list[str] = []
    for report in _REPORT.finditer(text):
        told = list(_tests_in(report[0]) if report["root"] != "checkstyle" else _found_in(report[0]))
        sums += _sums_of(report[0])
        failures += told
    return sums, list(dict.fromkeys(failures))[:MOST_FAILURES], _REPORT.sub(GAP, text)


def _sums_of(report: str) -> Iterator[str]:
    suites = [_values(suite[1]) for suite in _SUITE.finditer(report)]
    counts = {
        name: sum(int(suite[name]) for suite in suites if suite.get(name, "").isdecimal())
        for name in _COUNTED
        if any(name in suite for suite in suites)
    }
    if tests := counts.pop("tests", 0):
        counts["passed"] = tests - sum(counts.values())
        yield f"{tests} tests: {', '.join(f'{count} {name}' for name, count in counts.items())}"


def _tests_in(report: str) -> Iterator[str]:
    for case in _CASE.finditer(report):
        for fault in _FAULT.finditer(case["body"]):
            test, why = _values(case["values"]), _values(fault["values"])
            name = ".".join(filter(None, (test.get("classname"), test.get("name"))))
            text = unescape(_MARKS.sub("", fault["said"] or ""))
            first = next((line for line in text.splitlines() if line.strip()), "")
            yield cut_at_word(f"{name} failed: {why.get('message') or first or why.get('type', '')}", LONGEST)


def _found_in(report: str) -> Iterator[str]:
    for file in _FILE.finditer(report):
        for found in map(_values, (one["values"] for one in _FOUND.finditer(file["body"]))):
            place = ":".join(
                filter(None, (_values(file["values"]).get("name"), found.get("line"), found.get("column")))
            )
            yield cut_at_word(f"{place}: {found.get('severity', 'error')}: {found.get('message', '')}", LONGEST)


def _values(text: str) -> Mapping[str, str]:
    return {name: unescape(one or other).strip() for name, one, other in _VALUE.findall(text)}
