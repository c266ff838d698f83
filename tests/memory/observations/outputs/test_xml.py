"""What rules note of the XML in which test runners and checkers report."""

import time

import pytest

from memory.observations.outputs.rules import observe_by_rules

JUNIT = """\
<?xml version="1.0" encoding="utf-8"?>
<testsuites>
<testsuite name="pytest" errors="0" failures="1" skipped="0" tests="3" time="0.412">
<testcase classname="tests.test_cart" name="test_adds" time="0.001" />
<testcase classname="tests.test_cart" name="test_total"><failure message="assert 11 &gt; 12">def test_total():
&gt;       assert total([5, 6]) &gt; 12
E       assert 11 &gt; 12

tests/test_cart.py:9: AssertionError</failure></testcase>
<testcase classname="tests.test_user" name="test_login" time="0.101"></testcase>
</testsuite>
<testsuite name="more" errors="1" failures="0" skipped="0" tests="1">
<testcase name="setup"><error type="IOError"><![CDATA[
disk full
  at x.java:3]]></error></testcase>
</testsuite>
</testsuites>
"""
CHECKSTYLE = """\
<checkstyle version="10.1"><file name="src/A.java"><error line="14" column="3" severity="warning" message="Unused
import"/></file><file name="src/B.java"></file></checkstyle>
"""


def findings(output: str) -> list[str]:
    return [one.content for one in observe_by_rules(output) if one.category == "finding"]


def test_of_tests_the_sum_is_told_and_what_failed_by_its_name() -> None:
    told = [
        "4 tests: 1 failures, 1 errors, 0 skipped, 2 passed",
        "tests.test_cart.test_total failed: assert 11 > 12",
        "setup failed: disk full",
    ]
    assert findings(JUNIT) == told
    assert findings(f"Wrote it:\n{JUNIT}\nThe run took 9 minutes.") == [*told, "The run took 9 minutes."]


def test_of_a_long_report_what_failed_is_told_wherever_it_stands() -> None:
    passing = "".join(f'<testcase classname="a" name="test_{at}" time="0.1"/>\n' for at in range(900))
    failing = '<testcase classname="a" name="test_x"><failure message="no"/></testcase>\n'
    suite = f'<testsuite name="a" tests="1801" failures="1">{passing}{failing}{passing}</testsuite>'
    assert findings(suite) == ["1801 tests: 1 failures, 1800 passed", "a.test_x failed: no"]


def test_of_a_checker_each_finding_has_its_place() -> None:
    assert findings(CHECKSTYLE) == ["src/A.java:14:3: warning: Unused import"]


def test_of_tests_that_pass_the_sum_alone_is_told() -> None:
    assert findings(
        '<testsuite name="a" tests="2" failures="0"><testcase name="x"/><testcase name="y"/></testsuite>'
    ) == ["2 tests: 0 failures, 2 passed"]


def test_of_suites_within_each_other_the_outermost_are_summed() -> None:
    inner = '<testsuite name="a" tests="2" failures="1">\n</testsuite><testsuite name="b" tests="3" failures="0"/>'
    said = "\nThe pool has 5 connections."
    told = ["5 tests: 1 failures, 4 passed", "The pool has 5 connections."]
    assert findings(f'<testsuite name="all" tests="5" failures="1">{inner}</testsuite>{said}') == told
    assert findings(f'<testsuite name="all">{inner}</testsuite>{said}') == told
    assert findings(f'<testsuites tests="5" failures="1">{inner}</testsuites>{said}') == told
    twice = f'<testsuite name="all" tests="5" failures="1">{inner}</testsuite>' * 2
    assert findings(f"<testsuites>{twice}</testsuites>{said}") == ["10 tests: 2 failures, 8 passed", told[1]]


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ('tests="1" failures="2" errors="1"', ["1 tests: 2 failures, 1 errors"]),
        ('tests="3" failures="3"', ["3 tests: 3 failures, 0 passed"]),
        ('tests="3"', ["3 tests: 3 passed"]),
        ('tests="3" failures="many" errors="-1"', ["3 tests: 0 failures, 0 errors, 3 passed"]),
        (f'tests="{"9" * 5_000}"', []),
        (f'tests="3" failures="{"9" * 5_000}"', ["3 tests: 0 failures, 3 passed"]),
    ],
)
def test_what_cannot_be_counted_is_not_told(counts: str, told: list[str]) -> None:
    assert findings(f'<testsuite name="a" {counts}></testsuite>') == told


@pytest.mark.parametrize(
    "mention",
    [
        "Put a <testsuite> element into junit.xml.",
        "It begins with <testsuites>",
        'The first tag is <testsuite name="a" tests="x">\n',
        "Put a <checkstyle> element and its </checkstyle> there.",
        "<testsuite has no end",
    ],
)
def test_what_only_mentions_a_report_takes_nothing_away(mention: str) -> None:
    said = "ERROR: disk is full on node-3\nThe pool has 5 connections."
    assert findings(f"{mention}\n{said}") == said.splitlines()


def test_a_mention_is_not_where_the_report_behind_it_begins() -> None:
    told = ["2 tests: 0 failures, 2 passed", "ERROR: disk is full on node-3"]
    suite = '<testsuite name="a" tests="2" failures="0"></testsuite>'
    assert findings(f"Put a <testsuite> element into it.\nERROR: disk is full on node-3\n{suite}") == told


@pytest.mark.parametrize(
    "end",
    [
        "",
        '\n<testcase name="y" classn',
        '\n<testcase name="y"><failure message="no"><![CDATA[',
        "\n[300 lines left out]\n<testcase name='y'/>",
    ],
)
def test_a_report_that_is_cut_ends_at_its_last_tag(end: str) -> None:
    case = '<testcase name="x"><failure message="no"/></testcase>'
    cut = f'<testsuites>\n<testsuite name="a" tests="2" failures="1">\n{case}{end}'
    told = findings(f"{cut}\nERROR: disk is full on node-3\nThe pool has 5 connections.")
    assert told[:2] == ["2 tests: 1 failures, 1 passed", "x failed: no"]
    assert told[-2:] == ["ERROR: disk is full on node-3", "The pool has 5 connections."]


def test_xml_in_what_a_test_said_is_no_report() -> None:
    said = '<![CDATA[<?xml version="1.0"?><testsuite tests="7"></testsuites>]]>'
    case = f'<testcase name="x"><failure message="no">{said}</failure></testcase>'
    suite = f'<testsuite tests="2" failures="2">{case}<testcase name="y"><error message="bad"/></testcase></testsuite>'
    assert findings(f"<testsuites>{suite}</testsuites>") == [
        "2 tests: 2 failures, 0 passed",
        "x failed: no",
        "y failed: bad",
    ]


def test_of_two_reports_of_which_the_first_is_cut_both_are_told() -> None:
    whole = '<?xml version="1.0"?>\n<testsuites><testsuite tests="3"></testsuite></testsuites>'
    cut = '<testsuites><testsuite tests="2" failures="1">'
    assert findings(f"{cut}\n{whole}") == ["2 tests: 1 failures, 1 passed", "3 tests: 3 passed"]


@pytest.mark.parametrize(
    "piece",
    [
        "<testsuite>",
        "<testcase>",
        '<testcase a="',
        "<testcase a='\"",
        "<testcase><failure>",
        "<testcase><failure a='",
        "<file><error ",
        "<?xml ",
        "<![CDATA[",
        "<testsuite a",
    ],
)
def test_a_megabyte_of_marks_without_ends_is_read_in_a_moment(piece: str) -> None:
    began = time.process_time()
    findings(("<testsuite><checkstyle>" + piece * 1_000_000)[:1_000_000])
    findings(("<checkstyle>" + piece * 1_000_000)[:1_000_000])
    findings(("<testsuite tests='2'>" + piece * 1_000_000)[:1_000_000])
    assert time.process_time() - began < 10


@pytest.mark.parametrize("piece", ["a", "a.", "a ", "a= ", "a ='\"", "a='"])
def test_a_megabyte_of_values_is_read_in_a_moment(piece: str) -> None:
    values = (piece * 1_000_000)[:1_000_000]
    began = time.process_time()
    findings(f"<testsuite {values}>")
    findings(f"<testsuite tests='2'><testcase {values}><failure {values}/></testcase></testsuite>")
    assert time.process_time() - began < 10
