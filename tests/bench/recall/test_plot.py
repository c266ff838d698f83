"""The plot is an SVG, whose bars are as long as their values."""

from xml.etree import ElementTree

from bench.recall.plot import BARS, BEFORE, CEILING, LABELS, NOW, Bar, Panel, svg

NAMESPACE = "{http://www.w3.org/2000/svg}"


def drawn(*bars: Bar) -> ElementTree.Element:
    return ElementTree.fromstring(svg("recall & more", [Panel("<little>", bars)]))


def widths(plot: ElementTree.Element, colour: str) -> list[float]:
    """Of the bars of a colour, without the legend's key."""
    found = [one for one in plot.iter(f"{NAMESPACE}rect") if one.get("fill") == colour]
    return [float(one.get("width", "")) for one in found][1:]


def words(plot: ElementTree.Element) -> list[str]:
    return [one.text or "" for one in plot.iter(f"{NAMESPACE}text")]


def test_bars_are_as_long_as_their_values() -> None:
    plot = drawn(Bar("overall", 0.5, before=0.25), Bar("temporal", 1.0, before=0.0))
    assert widths(plot, NOW) == [BARS / 2, BARS]
    assert widths(plot, BEFORE) == [BARS / 4, 0]
    assert {"overall", "50.0 (+25.0)", "temporal", "100.0 (+100.0)", "<little>"} <= set(words(plot))


def test_a_run_alone_has_no_bars_beside_it() -> None:
    plot = drawn(Bar("overall", 0.5))
    assert "compared run" not in words(plot)
    assert not [one for one in plot.iter(f"{NAMESPACE}rect") if one.get("fill") == BEFORE]


def test_a_ceiling_below_all_is_drawn() -> None:
    plot = drawn(Bar("overall", 0.5, ceiling=0.75), Bar("temporal", 0.5, ceiling=1.0))
    (_, line) = [one for one in plot.iter(f"{NAMESPACE}rect") if one.get("fill") == CEILING]
    assert float(line.get("x", "")) == LABELS + 0.75 * BARS
    assert "best possible" in words(plot)


def test_everything_lies_inside_the_picture() -> None:
    plot = drawn(*(Bar(f"category {n}", 1.0, before=0.5) for n in range(7)))
    width, height = float(plot.get("width", "")), float(plot.get("height", ""))
    for one in plot.iter(f"{NAMESPACE}rect"):
        x, y, w, h = (float(one.get(name, "")) for name in ("x", "y", "width", "height"))
        assert 0 <= x <= x + w <= width and 0 <= y <= y + h <= height
