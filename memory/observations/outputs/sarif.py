"""What does SARIF tell, the JSON in which analysers of code report: how much they found, and each with its place?"""

from collections import Counter
from collections.abc import Iterator, Mapping

from utils.text import cut_at_word

MOST = 8  # results that are told, the worst first
LONGEST = 400  # characters of what is told of one
_LEVELS = ("error", "warning", "note", "none")


def is_sarif(value: object) -> bool:
    """Whether JSON is a report of that kind."""
    runs = value.get("runs") if isinstance(value, Mapping) else None
    return isinstance(runs, list) and any(
        isinstance(run, Mapping) and "results" in run and "tool" in run for run in runs
    )


def told_of_sarif(value: Mapping[str, object]) -> Iterator[str]:
    """How many results of each level there are, and the worst of them."""
    results = [result for run in _maps(value.get("runs")) for result in _maps(run.get("results"))]
    levels = [_level(result) for result in results]
    often = Counter(levels)
    yield f"results: {', '.join(f'{often[level]} {level}s' for level in _LEVELS[:3])}"
    for at in sorted(range(len(results)), key=lambda at: _LEVELS.index(levels[at]))[:MOST]:
        yield cut_at_word(_told(results[at], levels[at]), LONGEST)


def _told(result: Mapping[str, object], level: str) -> str:
    place = next(filter(None, map(_place, _maps(result.get("locations")))), "")
    rule = result.get("ruleId")
    parts = (level, place, str(_map(result.get("message")).get("text", "")).strip())
    return ": ".join(filter(None, parts)) + (f" ({rule})" if rule else "")


def _place(location: Mapping[str, object]) -> str:
    where = _map(location.get("physicalLocation"))
    file, line = _map(where.get("artifactLocation")).get("uri"), _map(where.get("region")).get("startLine")
    return ":".join(str(part) for part in (file, line) if part)


def _level(result: Mapping[str, object]) -> str:
    level = result.get("level")
    return level if isinstance(level, str) and level in _LEVELS else "warning"


def _maps(value: object) -> list[Mapping[str, object]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _map(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}
