"""Tables in Markdown are aligned and keep what is in their cells."""

from bench.recall.table import table


def test_columns_are_as_wide_as_what_stands_in_them() -> None:
    assert table(["name", "n"], [["overall", "7"], ["a|b", "1234"]]).splitlines() == [
        "| name    |    n |",
        "| :------ | ---: |",
        "| overall |    7 |",
        r"| a\|b    | 1234 |",
    ]


def test_a_table_without_rows_has_its_head() -> None:
    assert table(["a", "b"], []).splitlines() == ["| a   |   b |", "| :-- | --: |"]
