"""Rows and runs as tests of the recall benchmark make them."""

from collections.abc import Sequence

from bench.recall.results import CorpusRun, Row, Run, Times


def row(question: str, found: Sequence[str], evidence: Sequence[str], category: str = "single_hop") -> Row:
    """A question of the conversation "c"; its scores fall from 0.9 on."""
    scores = tuple(round(0.9 - 0.1 * place, 4) for place in range(len(found)))
    return Row("c", question, category, tuple(evidence), tuple(found), scores)


def run(*rows: Row, corpus: str = "little") -> Run:
    return Run(
        made="2025-03-01T12:00:00+00:00",
        system="a system",
        top_k=20,
        questions=None,
        conversations=None,
        corpora=(CorpusRun(corpus, 1, 9, Times(5.0, 2.5, 7.25), rows),),
    )
