"""A bar chart as an SVG, without a library, for what is drawn is some rectangles and words."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

LABELS, BARS, MARGIN = 190, 420, 100  # widths
TITLE, ROW, BAR, LEGEND = 34, 30, 11, 30  # heights
NOW, BEFORE, GRID, INK, CEILING = "#2f6f9f", "#c3ccd4", "#e3e6e8", "#22272b", "#b3541e"


@dataclass(frozen=True)
class Bar:
    """A value in 0..1. `before`: what it was in another run. `ceiling`: what it can be at most."""

    label: str
    value: float
    before: float | None = None
    ceiling: float | None = None


@dataclass(frozen=True)
class Panel:
    title: str
    bars: tuple[Bar, ...]


def svg(title: str, panels: Sequence[Panel]) -> str:
    """One panel below the other; a bar's former value lies under it, its ceiling is a line across."""
    bars = [bar for panel in panels for bar in panel.bars]
    parts = [_text(12, 20, title, weight="bold"), *_legend(bars)]
    top = TITLE + LEGEND
    for panel in panels:
        parts += _panel(panel, top)
        top += _height(panel)
    width = LABELS + BARS + MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" width="{width}" height="{top}" '
        f'font-family="system-ui, sans-serif" font-size="12">\n<title>{escape(title)}</title>\n'
        + "\n".join([_rectangle(0, 0, width, top, "#ffffff"), *parts])
        + "\n</svg>\n"
    )


def _legend(bars: Sequence[Bar]) -> list[str]:
    """What the colours mean, as far as they are used."""
    keys = [(NOW, "this run", True)]
    keys.append((BEFORE, "compared run", any(bar.before is not None for bar in bars)))
    keys.append((CEILING, "best possible", any(bar.ceiling is not None and bar.ceiling < 1 for bar in bars)))
    parts: list[str] = []
    for place, (colour, meaning) in enumerate((colour, meaning) for colour, meaning, used in keys if used):
        left = LABELS + 130 * place
        parts += [_rectangle(left, TITLE, 12, BAR, colour), _text(left + 18, TITLE + 10, meaning)]
    return parts


def _height(panel: Panel) -> int:
    return TITLE + ROW * len(panel.bars)


def _panel(panel: Panel, top: int) -> list[str]:
    bottom = top + _height(panel)
    parts = [_text(12, top + 20, panel.title, weight="bold")]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(_rectangle(LABELS + BARS * share, top + TITLE - 8, 1, bottom - top - TITLE, GRID))
        parts.append(_text(LABELS + BARS * share, top + 20, f"{share:.0%}", anchor="middle"))
    for place, bar in enumerate(panel.bars):
        parts += _bar(bar, top + TITLE + ROW * place)
    return parts


def _bar(bar: Bar, top: float) -> list[str]:
    shown = f"{100 * bar.value:.1f}"
    parts = [_text(LABELS - 8, top + 10, bar.label, anchor="end")]
    if bar.before is not None:
        parts.append(_rectangle(LABELS, top + BAR, BARS * bar.before, BAR, BEFORE))
        shown += f" ({100 * (bar.value - bar.before):+.1f})"
    parts.append(_rectangle(LABELS, top, BARS * bar.value, BAR, NOW))
    if bar.ceiling is not None and bar.ceiling < 1:
        parts.append(_rectangle(LABELS + BARS * bar.ceiling, top - 2, 2, BAR + 4, CEILING))
    parts.append(_text(LABELS + BARS * bar.value + 5, top + 10, shown))
    return parts


def _rectangle(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'


def _text(x: float, y: float, text: str, *, anchor: str = "start", weight: str = "normal") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{INK}" text-anchor="{anchor}" font-weight="{weight}">'
        f"{escape(text)}</text>"
    )
