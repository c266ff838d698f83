"""How much of what was said recall finds.

    python -m bench.recall [DATA …] [--url http://127.0.0.1:8000]
                           [--limit N] [--conversations N] [--save RUN.json] [--against RUN.json]
                           [--report REPORT.md] [--misspelt]

DATA: files of conversations with questions, in LoCoMo's format, in LongMemEval's, or in that of bench/data/small.json,
which is what the command runs on when none is named. Without --url, recall is measured in this process, over a store
of its own and the built-in encoder. With it, a running server is asked that has no API keys; what it is told is
deleted afterwards. It prints tables by category: the share of the answering messages among the first 5, 8, 10 and 20,
what is returned where nothing should be, and times. --against adds the difference to a run that was saved. --misspelt
has a slip in a word of each question that has a long one in small letters, and says of how many.
"""

import argparse
import logging
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import httpx

from bench.recall.corpus import Corpus, UnreadableCorpus
from bench.recall.in_process import in_process, passing_settings
from bench.recall.misspelling import misspelt
from bench.recall.over_http import ServerRefused, over_http
from bench.recall.reading import read_corpus
from bench.recall.report import drawing, report
from bench.recall.results import Run, UnreadableRun, load, save
from bench.recall.running import TOP_K, run_corpus
from bench.recall.system import System
from utils.loops import new_runner

SMALL = Path(__file__).parent.parent / "data" / "small.json"


@dataclass(frozen=True)
class Options:
    data: tuple[Path, ...]
    url: str | None
    limit: int | None
    conversations: int | None
    save: Path | None
    against: Path | None
    report: Path | None
    misspelt: bool


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    try:
        against = load(options.against) if options.against else None
        corpora = [read_corpus(file) for file in options.data or (SMALL,)]
        if options.misspelt:
            corpora = [misspelt(corpus) for corpus in corpora]
    except (UnreadableCorpus, UnreadableRun) as error:
        sys.exit(f"bench.recall: {error}")
    names = [corpus.name for corpus in corpora]
    if len(set(names)) < len(names):
        sys.exit(f"bench.recall: two corpora have the same name: {', '.join(sorted(names))}")
    try:
        with new_runner() as runner:
            run = runner.run(_run(corpora, options))
    except (httpx.HTTPError, ServerRefused) as error:
        sys.exit(f"bench.recall: {options.url}: {error}")
    if options.save:
        save(run, options.save)
    plot = options.report.with_suffix(".svg") if options.report else None
    text = report(run, against, plot.name if plot else None)
    print(text)
    if options.report and plot:
        options.report.write_text(text, encoding="utf-8")
        plot.write_text(drawing(run, against), encoding="utf-8")


def _options(arguments: Sequence[str] | None) -> Options:
    parser = argparse.ArgumentParser(
        prog="python -m bench.recall", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="*", type=Path, metavar="DATA", help="files of conversations with questions")
    parser.add_argument("--url", help="address of a running server; without it, in this process")
    parser.add_argument("--limit", type=_count, metavar="N", help="questions a conversation, spread over it")
    parser.add_argument("--conversations", type=_count, metavar="N", help="conversations a corpus, spread over it")
    parser.add_argument("--save", type=_writable, metavar="FILE", help="keep the run as JSON, without its texts")
    parser.add_argument("--against", type=Path, metavar="FILE", help="a kept run to compare with")
    parser.add_argument("--report", type=_markdown, metavar="FILE.md", help="write the tables, and a plot beside them")
    parser.add_argument("--misspelt", action="store_true", help="with a slip in a word of each question")
    chosen = parser.parse_args(arguments)
    return Options(
        tuple(chosen.data),
        chosen.url,
        chosen.limit,
        chosen.conversations,
        chosen.save,
        chosen.against,
        chosen.report,
        chosen.misspelt,
    )


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError("must be a number from 1 on")
    return int(text)


def _writable(text: str) -> Path:
    """Told before the run, which may take an hour."""
    file = Path(text)
    if not file.parent.is_dir():
        raise argparse.ArgumentTypeError("its directory is not there")
    return file


def _markdown(text: str) -> Path:
    if not text.endswith(".md"):
        raise argparse.ArgumentTypeError("must end in .md")
    return _writable(text)


async def _run(corpora: Sequence[Corpus], options: Options) -> Run:
    made = datetime.now(UTC).isoformat(timespec="seconds")
    async with _system(options.url) as system:
        found = [
            await run_corpus(
                system,
                corpus,
                questions=options.limit,
                conversations=options.conversations,
                progress=partial(_tell, corpus.name),
            )
            for corpus in corpora
        ]
        return Run(made, system.description, TOP_K, options.limit, options.conversations, tuple(found))


@asynccontextmanager
async def _system(url: str | None) -> AsyncIterator[System]:
    if url is not None:
        async with over_http(url) as server:
            yield server
    else:
        with passing_settings() as settings:
            async with in_process(settings) as memory:
                yield memory


def _tell(corpus: str, done: int, of: int) -> None:
    print(f"{corpus}: {done} of {of} conversations", file=sys.stderr, flush=True)


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    main()
