"""What is read of HTML."""

import pytest

from memory.observations.pages import is_page, read_page

PAGE = """<!DOCTYPE html><html><head><title>Fares</title></head><body><nav>Home</nav>
<p>From <b>12</b>&nbsp;EUR<br>one way<!-- old: 15 --></p>
<table><tr><th>To</th><th>Price</th></tr><tr><td>Rome</td><td>90</td></tr></table>
<script>let a = "<p>";</script><STYLE>p {}</STYLE>Call us</body></html>"""


def test_a_page_is_a_line_for_each_block_and_each_row() -> None:
    lines = [" ".join(line.split()) for line in read_page(PAGE).splitlines()]
    assert lines == ["From 12 EUR", "one way", "To Price", "Rome 90", "Call us"]


def test_what_has_no_tags_is_itself() -> None:
    text = "a &lt; b\n\n  List<String> x = f(<module>)\n"
    assert read_page(text) == text


def test_tags_in_other_text_are_taken_out_and_its_lines_stay() -> None:
    assert read_page("ok\n\n  <b>3</b> of List<String>") == "ok\n\n  3 of List<String>"


@pytest.mark.parametrize("opened", ["<script>", "<head>", "<!--"])
def test_outside_of_pages_a_missing_end_hides_nothing(opened: str) -> None:
    assert read_page(f"blocked {opened} in the form\nERROR 403").endswith("in the form\nERROR 403")


def test_a_page_that_is_cut_in_a_script_ends_there() -> None:
    assert read_page("<html><p>Open</p><script>let x = 1") == "Open"


def test_a_page_that_is_cut_in_its_navigation_loses_nothing() -> None:
    assert read_page("<html><nav>Home<p>Open") == "Home\nOpen"


@pytest.mark.parametrize(
    "text", ["<script>" * 60_000, "<!--" * 100_000, "<" * 400_000, "<nav><head>" * 30_000, "<p " * 130_000]
)
@pytest.mark.parametrize("start", ["", "<p>"])
def test_a_hostile_text_is_read_in_one_pass(text: str, start: str) -> None:
    read_page(start + text)


def test_a_page_is_known_by_its_beginning() -> None:
    assert is_page("\n <DIV class=x>")
    assert not is_page("<module>")


def test_what_is_not_shown_ends_where_it_ends_whatever_letters_stand_before_it() -> None:
    page = f"<html><body>{'İ' * 20}<p>before</p><script>x</script><p>Important: 12345 after</p></body></html>"
    assert read_page(page).splitlines()[-1] == "Important: 12345 after"
