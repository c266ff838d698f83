"""The report of a run, as Markdown, for the terminal and for a file, with a plot beside it."""

from collections.abc import Sequence

from bench.recall.comparing import Difference, compare, in_common
from bench.recall.means import PRECISION_K, Means, means
from bench.recall.metrics import KS
from bench.recall.plot import Bar, Panel, svg
from bench.recall.results import CorpusRun, Run
from bench.recall.silence import Silence, silences
from bench.recall.table import table

PLOTTED, CEILING = "recall@8", "ceiling@8"
NONE = "–"


def report(run: Run, against: Run | None = None, plot: str | None = None) -> str:
    """The whole report. `against`: the run to compare with. `plot`: where the SVG lies, seen from the report."""
    parts = ["# Recall", _introduction(run)]
    if plot is not None:
        parts.append(f"![{PLOTTED} by category]({plot})")
    for corpus in run.corpora:
        parts += _corpus(corpus, against.of(corpus.corpus) if against else None)
    parts += ["## Times", _times(run, against)]
    if against is not None:
        parts += ["## The compared run", _introduction(against)]
    return "\n\n".join(parts) + "\n"


def drawing(run: Run, against: Run | None = None) -> str:
    """The plot of the report: an SVG."""
    panels = [_panel(one, against.of(one.corpus) if against else None) for one in run.corpora]
    return svg(f"{PLOTTED} by category", panels)


def _introduction(run: Run) -> str:
    limits = [f"at most {run.questions} questions a conversation"] if run.questions else []
    limits += [f"at most {run.conversations} conversations a corpus"] if run.conversations else []
    return f"{run.made}; {run.system}; {'; '.join([f'{run.top_k} items asked for', *limits])}."


def _corpus(run: CorpusRun, before: CorpusRun | None) -> list[str]:
    summaries = means(run.rows)
    parts = [f"## {run.corpus}", f"Conversations: {run.conversations}, messages: {run.messages}. Shares in percent."]
    parts += [_found(summaries), _ranked(summaries)] if summaries else ["No question had evidence."]
    parts += ["### When there is nothing to find", _silences(silences(run.rows))]
    if before is not None:
        parts += ["### Compared", *_compared(compare(run.rows, before.rows))]
        parts += ["In the compared run, what was returned:", _silences(silences(before.rows))]
    return parts


def _found(summaries: Sequence[Means]) -> str:
    """How much of the evidence is found."""
    names = [f"{name}@{k}" for name in ("recall", "ceiling") for k in KS]
    head = ["category", "questions", *names, f"precision@{PRECISION_K}"]
    return table(head, [[*_cells(one, names), _percent(one.precision)] for one in summaries])


def _ranked(summaries: Sequence[Means]) -> str:
    """Whether any or all of it is found, and how high it stands."""
    names = [f"{name}@{k}" for name in ("hit", "full", "nDCG") for k in KS]
    return table(["category", "questions", *names], [_cells(one, names) for one in summaries])


def _cells(one: Means, names: Sequence[str]) -> list[str]:
    return [one.category, str(one.questions), *(_percent(one.values[name]) for name in names)]


def _silences(groups: Sequence[Silence]) -> str:
    head = ["asked", "times", "items returned", "nothing returned", "best score, median", "best score, p90"]
    rows = [
        [one.group, str(one.questions), f"{one.items:.1f}", _percent(one.nothing), _score(one.median), _score(one.p90)]
        for one in groups
    ]
    return table(head, rows)


def _compared(differences: Sequence[Difference]) -> list[str]:
    if not differences:
        return ["The runs have no question in common."]
    head = ["category", "metric", "questions", "before", "now", "difference", "95 % interval", "clear"]
    rows = [
        [
            one.category,
            one.metric,
            str(one.questions),
            _percent(one.before),
            _percent(one.now),
            f"{100 * (one.now - one.before):+.1f}",
            f"{100 * one.low:+.1f} … {100 * one.high:+.1f}",
            "yes" if one.clear else "no",
        ]
        for one in differences
    ]
    return [table(head, rows)]


def _times(run: Run, against: Run | None) -> str:
    head = ["corpus", "messages", "index, ms a message", "search p50, ms", "search p95, ms"]
    rows = [_time(corpus, corpus.corpus) for corpus in run.corpora]
    if against is not None:
        earlier = (against.of(corpus.corpus) for corpus in run.corpora)
        rows += [_time(one, f"{one.corpus}, compared run") for one in earlier if one is not None]
    return table(head, rows)


def _time(run: CorpusRun, name: str) -> list[str]:
    times = run.times
    figures = [f"{one:.2f}" for one in (times.index, times.p50, times.p95)] if times else [NONE] * 3
    return [name, str(run.messages), *figures]


def _panel(run: CorpusRun, before: CorpusRun | None) -> Panel:
    """Beside a run that asked other questions, those are drawn that both asked."""
    common = in_common(run.rows, before.rows) if before else []
    if before is None or not common:
        return Panel(run.corpus, tuple(_bar(one, None) for one in means(run.rows)))
    earlier = {one.category: one.values[PLOTTED] for one in means(in_common(before.rows, run.rows))}
    whole = len(common) == len(run.rows)
    title = run.corpus if whole else f"{run.corpus}, questions of both"
    return Panel(title, tuple(_bar(one, earlier.get(one.category)) for one in means(common)))


def _bar(one: Means, before: float | None) -> Bar:
    return Bar(one.category, one.values[PLOTTED], before, one.values[CEILING])


def _percent(share: float | None) -> str:
    return NONE if share is None else f"{100 * share:.1f}"


def _score(score: float | None) -> str:
    return NONE if score is None else f"{score:.3f}"
