"""What rules note of the XML in which test runners and checkers report."""

import time

import pytest

from memory.output_rules import observe_by_rules

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
    ],
)
def test_a_megabyte_of_marks_without_ends_is_read_in_a_moment(piece: str) -> None:
    began = time.process_time()
    findings(("<testsuite><checkstyle>" + piece * 1_000_000)[:1_000_000])
    findings(("<checkstyle>" + piece * 1_000_000)[:1_000_000])
    assert time.process_time() - began < 10
