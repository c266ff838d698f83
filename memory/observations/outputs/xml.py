"""What does the XML tell in which test runners and checkers report: what it came to, what failed, and where?"""

import re
from collections.abc import Iterator, Mapping
from html import unescape

from utils.text import GAP, cut_at_word

MOST_FAILURES = 20  # that are read of a report
LONGEST = 400  # characters of what is told of one

# Each of these ends where the next of its kind begins, so that what has no end takes no time.
_VALUES = r"(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+"
# Of JUnit and of Checkstyle; behind its first tag no prose goes on, as it does behind one that is only mentioned.
_BEGIN = re.compile(
    rf"(?:<\?xml[^<>]*+>\s*+)?(?P<tag><(?P<root>testsuites?|checkstyle)\b{_VALUES}>)(?=[^\S\n]*+(?:[<\n]|\Z))"
)
# A tag of a report, which may be cut at the end, and no text that looks like one.
_TAG = re.compile(
    r"(?P<mark><!\[CDATA\[|<\?(?P<new>xml)\b|<(?P<close>/?)(?P<name>testsuites?|testcase|failure|error|skipped|"
    rf"system-out|system-err|propert(?:y|ies)|checkstyle|file)\b(?:(?P<values>{_VALUES})>|[^<>\n]*+\Z))"
    r"(?:(?<=<!\[CDATA\[)(?:(?!\]\]>|<!\[CDATA\[).)*+)?",
    re.DOTALL,
)
_ALONE = ("testsuites", "checkstyle")  # stand in no other tag
_CASE = re.compile(rf"<testcase\b(?P<values>{_VALUES})(?<!/)>(?P<body>(?:(?!</?testcase\b).)*+)", re.DOTALL)
_FAULT = re.compile(
    rf"<(?:failure|error)\b(?P<values>{_VALUES})(?:(?<=/)>|>(?P<said>(?:(?!</?(?:failure|error)\b).){{0,2000}}))",
    re.DOTALL,
)
_FILE = re.compile(rf"<file\b(?P<values>{_VALUES})>(?P<body>(?:(?!</?file\b).)*+)", re.DOTALL)
_FOUND = re.compile(rf"<error\b(?P<values>{_VALUES})>")
_VALUE = re.compile(r"(?<![\w.:-])([\w.:-]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_COUNT = re.compile(r"[0-9]{1,9}")
_MARKS = re.compile(r"<!\[CDATA\[|\]\]>")
_COUNTED = ("tests", "failures", "errors", "skipped")


def take_reports(text: str) -> tuple[list[str], list[str], str]:
    """What reports in a text come to, what failed of it, each on a line, and the text without those that tell any."""
    if "<testsuite" not in text and "<checkstyle" not in text:
        return [], [], text
    sums: list[str] = []
    failures: list[str] = []
    parts: list[str] = []
    at = 0
    for begin, end, root in _reports_in(text):
        report = text[begin:end]
        summed = list(_sums_of(report))
        told = list(_found_in(report) if root == "checkstyle" else _tests_in(report))
        if summed or told:
            sums += summed
            failures += told
            parts += [text[at:begin], GAP]
            at = end
    return sums, list(dict.fromkeys(failures))[:MOST_FAILURES], "".join([*parts, text[at:]])


def _reports_in(text: str) -> Iterator[tuple[int, int, str]]:
    """Where reports begin and end, and the names of their first tags."""
    at = 0
    while (begin := _BEGIN.search(text, at)) is not None:
        at = _end_of(text, begin)
        yield begin.start(), at, begin["root"]


def _end_of(text: str, begin: re.Match[str]) -> int:
    """Where a report ends: where its first tag is closed; of one that is cut, behind its last tag."""
    end = begin.end()
    depth = 0
    for tag in _TAG.finditer(text, begin.start("tag")):
        is_new = tag["new"] or (tag["name"] in _ALONE and not tag["close"])
        if depth and is_new:
            break
        end = tag.end("mark")
        if tag["name"] == begin["root"]:
            depth += -1 if tag["close"] else not tag["mark"].endswith("/>")
            if depth == 0:
                break
    return end


def _sums_of(report: str) -> Iterator[str]:
    suites = list(_outermost(report))
    counts = {name: sum(_count(suite, name) for suite in suites) for name in _COUNTED if any(name in s for s in suites)}
    if tests := counts.pop("tests", 0):
        if (passed := tests - sum(counts.values())) >= 0:
            counts["passed"] = passed
        told = ", ".join(f"{count} {name}" for name, count in counts.items())
        yield f"{tests} tests: {told}" if told else f"{tests} tests"


def _outermost(report: str) -> Iterator[Mapping[str, str]]:
    """The values of suites, but of those within one that counts their tests, too."""
    counted: list[bool] = []  # of each suite that is open, whether it or one around it counts
    for tag in _TAG.finditer(report):
        if tag["name"] != "testsuite":
            continue
        if tag["close"]:
            del counted[-1:]
            continue
        values = _values(tag["values"] or "")
        is_counted = any(counted[-1:])
        if not is_counted:
            yield values
        if not tag["mark"].endswith("/>"):
            counted.append(is_counted or _count(values, "tests") > 0)


def _count(suite: Mapping[str, str], name: str) -> int:
    """How many a suite counts; 0 for what is no number, or has more digits than tests have."""
    return int(suite[name]) if _COUNT.fullmatch(suite.get(name, "")) else 0


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
