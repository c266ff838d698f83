"""What `/query` costs besides a model; the encoder counts.

    python -m bench.query [--seconds 8]

Prints p50 and p95 at one client, and at 32 clients the requests a second as a share of a bare FastAPI route on the same
store that does one insert and one find: it stores a message and finds the newest twelve of its session. Both are
measured in turns in the same run.
"""

import argparse
import asyncio
import contextlib
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from urllib.request import urlopen

from bench.load import Load, run

CLIENTS = 32
ROUNDS = 3


def question(client: int, n: int) -> dict[str, object]:
    """Alternates statements and questions, in a session of fifty exchanges per user and then a new one."""
    text = f"my item number {n} is in drawer {n % 7}" if n % 2 else f"where is my item number {max(0, n - 9)}?"
    return {"query": text, "user_id": f"user-{client}", "session_id": f"session-{client}-{n // 50}"}


def question_of_others(offset: int) -> Callable[[int, int], dict[str, object]]:
    """`question`, of users with numbers from `offset` on."""
    return lambda client, n: question(client + offset, n)


def bare(client: int, n: int) -> dict[str, object]:
    return {
        "query": f"where is my item number {n}?",
        "user_id": f"user-{client}",
        "session_id": f"session-{client}-{n // 50}",
    }


@contextlib.contextmanager
def served() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen([sys.executable, "-m", "bench.query_app", home, str(port)])
        url = f"http://127.0.0.1:{port}"
        try:
            for _ in range(200):
                with contextlib.suppress(OSError), urlopen(f"{url}/livez", timeout=1):
                    break
                time.sleep(0.1)
            yield url
        finally:
            process.terminate()
            process.wait(30)


async def measure(url: str, seconds: float) -> None:
    await run(url, "/query", question, clients=4, seconds=1)
    alone = await run(url, "/query", question_of_others(1_000), clients=1, seconds=seconds)
    print(f"1 client:   /query p50 {alone.p50:.1f} ms, p95 {alone.p95:.1f} ms, {alone.rate:.0f} a second")
    shares = []
    for turn in range(ROUNDS):
        offset = 10_000 * (turn + 1)
        plain: Load = await run(url, "/bare", bare, clients=CLIENTS, seconds=seconds / 2)
        full = await run(url, "/query", question_of_others(offset), clients=CLIENTS, seconds=seconds / 2)
        shares.append(full.rate / plain.rate)
        print(
            f"{CLIENTS} clients: bare {plain.rate:.0f} a second (p50 {plain.p50:.1f} ms), "
            f"/query {full.rate:.0f} a second (p50 {full.p50:.1f} ms, p95 {full.p95:.1f} ms), share {shares[-1]:.0%}"
        )
    print(f"median share at {CLIENTS} clients: {sorted(shares)[len(shares) // 2]:.0%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=8.0)
    arguments = parser.parse_args()
    with served() as url:
        asyncio.run(measure(url, arguments.seconds))


if __name__ == "__main__":
    main()
