"""Days and months as tests write them."""

from datetime import UTC, datetime

from memory.language.times.periods import DAY, Span

NOW = datetime(2025, 3, 12, 15, 30, tzinfo=UTC).timestamp()  # a Wednesday


def at(year: int, month: int = 1, day: int = 1) -> float:
    return datetime(year, month, day, tzinfo=UTC).timestamp()


def days(*dates: tuple[int, int, int]) -> list[Span]:
    """The days that dates name."""
    return [Span(at(*one), at(*one) + DAY) for one in dates]


def month(year: int, number: int) -> Span:
    return Span(at(year, number), at(year + number // 12, number % 12 + 1))


def between(start: tuple[int, int, int], end: tuple[int, int, int]) -> Span:
    """From the first day to the second one, which is not within."""
    return Span(at(*start), at(*end))
