"""What a run found, as it is saved: ids and scores alone, no word of a message or a question."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from bench.recall.corpus import UNANSWERABLE


class UnreadableRun(Exception):
    """A file that is not a saved run."""


@dataclass(frozen=True)
class Row:
    """One question of one conversation. `found`: ids of messages, best first; `scores`: theirs."""

    conversation: str
    question: str
    category: str
    evidence: tuple[str, ...]
    found: tuple[str, ...]
    scores: tuple[float, ...]

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from the other questions of its corpus."""
        return self.conversation, self.question

    @property
    def answerable(self) -> bool:
        """Whether it counts for the overall figures."""
        return bool(self.evidence) and self.category not in UNANSWERABLE


@dataclass(frozen=True)
class Times:
    """Milliseconds: `index` a message, until it can be found; `p50` and `p95` a search."""

    index: float
    p50: float
    p95: float


@dataclass(frozen=True)
class CorpusRun:
    """What a run found in one corpus. `times`: None where no question was asked."""

    corpus: str
    conversations: int
    messages: int
    times: Times | None
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Run:
    """A run over some corpora. `system`: what was asked. `questions`, `conversations`: at most so many of each
    conversation and corpus, None for all. `top_k`: items asked for."""

    made: str
    system: str
    top_k: int
    questions: int | None
    conversations: int | None
    corpora: tuple[CorpusRun, ...]

    def of(self, corpus: str) -> CorpusRun | None:
        return next((one for one in self.corpora if one.corpus == corpus), None)


RUN = TypeAdapter(Run)


def save(run: Run, file: Path) -> None:
    file.write_bytes(RUN.dump_json(run))


def load(file: Path) -> Run:
    """Raises `UnreadableRun`."""
    try:
        return RUN.validate_json(file.read_bytes())
    except OSError as error:
        raise UnreadableRun(f"{file}: {error.strerror}") from error
    except ValidationError as error:
        raise UnreadableRun(f"{file} is not a run that was saved by --save") from error
