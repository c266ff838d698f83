"""How fast recall searches and takes messages in, and what memory it needs.

    python -m bench.speed [--only search,users,ingest,one,peers] [--sizes 1000,10000,100000] [--users 1000]
                          [--peers PYTHON] [--peer-seconds 600] [--report REPORT.md]

A server is started over a temporary directory, at free ports of 127.0.0.1. It embeds a thousand messages; users have
copies of these, put into its store as it would have. Measured are

    search   the searches of a user of so many messages, with the memory that it takes, beside NumPy's exact cosine and,
             where that package is installed, bm25s
    users    searches that go round so many users of 1,000 messages each: what it costs to drop and load their indexes
    ingest   messages taken in, 500 a call
    one      messages taken in, one a call
    peers    others with the same vectors, and the searches of `search` beside them; only with --peers

--peers names the interpreter of a virtual environment of their own. What is not installed in it is left out:

    python3 -m venv peers
    peers/bin/pip install mem0ai chromadb langgraph

--peer-seconds bounds how long a peer may add messages, and then how long it may search.
"""

import argparse
import logging
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bench.speed.beside import NAMES, measure_peer, written
from bench.speed.conversation import conversation
from bench.speed.ingest import measure_bulk, measure_one
from bench.speed.material import Material, prepare
from bench.speed.report import Results, report
from bench.speed.search import measure_search
from bench.speed.server import Server, served
from bench.speed.users import measure_users
from utils.loops import new_runner

SECTIONS = ("search", "users", "ingest", "one", "peers")
MESSAGES, QUESTIONS, WARM = 1_000, 200, 30
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")  # the server takes them over too


@dataclass(frozen=True)
class Options:
    only: frozenset[str]
    sizes: tuple[int, ...]
    users: int
    peers: Path | None
    peer_seconds: float
    report: Path | None


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    results = Results(_machine())
    with new_runner() as runner:
        material = runner.run(_measure(options, results))
    if material is not None and options.peers and "peers" in options.only:
        _measure_peers(options, options.peers, results, material)
    text = report(results)
    print(text)
    if options.report:
        options.report.write_text(text, encoding="utf-8")


async def _measure(options: Options, results: Results) -> Material | None:
    """What Loci does. Returns what it was searched with, where it was."""
    said = conversation(MESSAGES, QUESTIONS)
    texts = [message.text for message in said.messages]
    material = None
    if options.only & {"search", "users", "peers"}:
        with served() as server:
            _tell("embedding messages and questions")
            material = await prepare(server, said, WARM)
            await _searches(options, results, server, material)
    if "ingest" in options.only:
        _tell("taking messages in, many a call")
        results.ingest = await measure_bulk(texts)
    if "one" in options.only:
        _tell("taking messages in, one a call")
        results.one = await measure_one(texts)
    return material


async def _searches(options: Options, results: Results, server: Server, material: Material) -> None:
    for size in options.sizes if options.only & {"search", "peers"} else ():
        _tell(f"searching {size:,} messages of one user")
        results.search.append(await measure_search(server, material, size))
    if "users" in options.only:
        _tell(f"searching {options.users:,} users")
        results.users = await measure_users(server, material, options.users)


def _measure_peers(options: Options, python: Path, results: Results, material: Material) -> None:
    with written(material) as data:
        for size in options.sizes:
            for name in NAMES:
                _tell(f"searching {size:,} messages in {name}")
                results.peers.append(measure_peer(python, name, data, size, options.peer_seconds))


def _options(arguments: Sequence[str] | None) -> Options:
    parser = argparse.ArgumentParser(
        prog="python -m bench.speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", type=_sections, metavar="SECTION,…", help="what to measure; else all that can be")
    parser.add_argument("--sizes", type=_numbers, default=(1_000, 10_000, 100_000), metavar="N,…")
    parser.add_argument("--users", type=_number, default=1_000, metavar="N")
    parser.add_argument("--peers", type=_interpreter, metavar="PYTHON", help="interpreter that has others installed")
    parser.add_argument("--peer-seconds", type=_number, default=600, metavar="N")
    parser.add_argument("--report", type=_markdown, metavar="FILE.md", help="write the tables")
    chosen = parser.parse_args(arguments)
    if chosen.only and "peers" in chosen.only and not chosen.peers:
        parser.error("peers needs --peers PYTHON")
    every = frozenset(SECTIONS) if chosen.peers else frozenset(SECTIONS) - {"peers"}
    return Options(
        chosen.only or every, chosen.sizes, chosen.users, chosen.peers, float(chosen.peer_seconds), chosen.report
    )


def _sections(text: str) -> frozenset[str]:
    named = frozenset(text.split(","))
    if unknown := named - set(SECTIONS):
        raise argparse.ArgumentTypeError(f"no such section: {', '.join(sorted(unknown))}; there are {SECTIONS}")
    return named


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(_number(one) for one in text.split(",")))


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 10:
        raise argparse.ArgumentTypeError("must be a number from 10 on")
    return int(text)


def _interpreter(text: str) -> Path:
    if not os.access(text, os.X_OK) or Path(text).is_dir():
        raise argparse.ArgumentTypeError("is not a program")
    return Path(text).absolute()  # not resolved: a virtual environment is known by the path of its interpreter


def _markdown(text: str) -> Path:
    """Told before the run, which may take an hour."""
    if not text.endswith(".md") or not Path(text).parent.is_dir():
        raise argparse.ArgumentTypeError("must end in .md, in a directory that is there")
    return Path(text)


def _machine() -> str:
    """What the figures depend on, the work of others among it."""
    load = f", load average {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    made = datetime.now(UTC).isoformat(timespec="seconds")
    threads = "".join(f", {name}={os.environ[name]}" for name in THREADS if name in os.environ)
    kind = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores{load}"
    return f"{made}; {kind}; Python {platform.python_version()}, NumPy {np.__version__}{threads}."


def _tell(step: str) -> None:
    print(f"{step} …", file=sys.stderr, flush=True)


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    main()
