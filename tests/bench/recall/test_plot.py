"""The plot is an SVG, whose bars are as long as their values."""

from xml.etree import ElementTree

from bench.recall.plot import BARS, BEFORE, NOW, Bar, Panel, svg

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
