"""How fast others are with the same vectors. A script for an interpreter that has them installed.

    python -I peers.py PEER DATA.npz MESSAGES SECONDS

It imports nothing of Loci, and prints one line of JSON. PEER is a name in `PEERS`. DATA holds `texts` and their
`vectors`, `questions` and their `question_vectors`. A peer is given so many MESSAGES, the texts over and over, or as
many as it takes within SECONDS; it is asked every question, or as many as it answers within SECONDS. Nothing is
downloaded and nobody is told: connections to other machines are refused.
"""

import importlib
import importlib.metadata
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

TOP_K = 8
BATCH = 500
USER = "one"
QUIET = {
    "MEM0_TELEMETRY": "False",
    "ANONYMIZED_TELEMETRY": "False",  # of chromadb
    "LANGSMITH_TRACING": "false",
    "HF_HUB_OFFLINE": "1",
}
ALONE = ("127.0.0.1", "::1", "localhost", None)


class Peer(NamedTuple):
    """`add` takes places among the messages; `search` the place of a question, and gives what it found."""

    add: Callable[[Sequence[int]], object]
    search: Callable[[int], Sequence[object]]


class Data:
    """`lookup`: the vector of a text, as a new list, as an embedding model would give it."""

    def __init__(self, file: str) -> None:
        self.numpy: Any = importlib.import_module("numpy")
        with self.numpy.load(file) as stored:
            self.texts: list[str] = stored["texts"].tolist()
            self.questions: list[str] = stored["questions"].tolist()
            self.vectors, self.question_vectors = stored["vectors"], stored["question_vectors"]
        rows = (*self.vectors, *self.question_vectors)
        self._known = dict(zip((*self.texts, *self.questions), rows, strict=True))

    @property
    def dimensions(self) -> int:
        return int(self.vectors.shape[1])

    def text(self, place: int) -> str:
        return self.texts[place % len(self.texts)]

    def lookup(self, text: str) -> list[float]:
        vector: list[float] = self._known[text].tolist()
        return vector


def mem0(data: Data, folder: Path) -> Peer:
    """Memories as they are, in its local Qdrant on disk; without spaCy and fastembed it goes by vectors alone."""
    os.environ["MEM0_DIR"] = str(folder)
    package: Any = importlib.import_module("mem0")

    class Embedder:
        def embed(self, text: str, memory_action: str | None = None) -> list[float]:
            return data.lookup(text)

    store = {"path": str(folder / "qdrant"), "embedding_model_dims": data.dimensions, "on_disk": True}
    unused = {"provider": "openai", "config": {"api_key": "none"}}
    memory = package.Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": store},
            "llm": unused,
            "embedder": unused,
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model = Embedder()

    def add(places: Sequence[int]) -> object:
        messages = [{"role": "user", "content": data.text(place)} for place in places]
        return memory.add(messages, user_id=USER, infer=False)

    def search(place: int) -> Sequence[object]:
        found: list[object] = memory.search(data.questions[place], filters={"user_id": USER}, top_k=TOP_K)["results"]
        return found

    return Peer(add, search)


def chromadb(data: Data, folder: Path) -> Peer:
    """A persistent collection with its default HNSW index, by cosine."""
    package: Any = importlib.import_module("chromadb")
    settings = importlib.import_module("chromadb.config").Settings(anonymized_telemetry=False)
    client = package.PersistentClient(path=str(folder / "chroma"), settings=settings)
    messages = client.create_collection(
        "messages", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )

    def add(places: Sequence[int]) -> object:
        return messages.add(
            ids=[str(place) for place in places],
            documents=[data.text(place) for place in places],
            embeddings=data.vectors[[place % len(data.texts) for place in places]],
        )

    def search(place: int) -> Sequence[object]:
        vector = data.question_vectors[place : place + 1]
        found = messages.query(query_embeddings=vector, n_results=TOP_K)
        ids: list[object] = found["ids"][0]
        return ids

    return Peer(add, search)


def langgraph(data: Data, folder: Path) -> Peer:
    """Its store in memory, which nothing outlives."""
    package: Any = importlib.import_module("langgraph.store.memory")
    put: Any = importlib.import_module("langgraph.store.base").PutOp

    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [data.lookup(text) for text in texts]

    store = package.InMemoryStore(index={"dims": data.dimensions, "embed": embed, "fields": ["text"]})

    def add(places: Sequence[int]) -> object:
        return store.batch([put((USER,), str(place), {"text": data.text(place)}) for place in places])

    def search(place: int) -> Sequence[object]:
        found: list[object] = store.search((USER,), query=data.questions[place], limit=TOP_K)
        return found

    return Peer(add, search)


PEERS = {"mem0": ("mem0ai", mem0), "chromadb": ("chromadb", chromadb), "langgraph": ("langgraph", langgraph)}


def measure(name: str, file: str, messages: int, seconds: float) -> dict[str, object]:
    """What is printed. Raises `ImportError` where a package is missing."""
    package, open_peer = PEERS[name]
    data = Data(file)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        peer = open_peer(data, Path(folder))
        empty = resident()
        added, add_seconds = fill(peer, messages, seconds)
        taken = searches(peer, data, seconds)
        p50, p95 = data.numpy.percentile(taken, [50, 95]).tolist()
        return {
            "version": importlib.metadata.version(package),
            "messages": added,
            "add_ms": 1_000 * add_seconds / added,
            "searches": len(taken),
            "p50": p50,
            "p95": p95,
            "empty_mb": empty,
            "resident_mb": resident(),
        }


def fill(peer: Peer, messages: int, seconds: float) -> tuple[int, float]:
    """How many messages it took, and in which time."""
    added, began = 0, time.perf_counter()
    took = 0.0
    while added < messages and took < seconds:
        batch = range(added, min(added + BATCH, messages))
        peer.add(batch)
        added += len(batch)
        took = time.perf_counter() - began
    return added, took


def searches(peer: Peer, data: Data, seconds: float) -> list[float]:
    """Milliseconds of every question, or of as many as fit into the time."""
    peer.search(0)
    taken: list[float] = []
    while len(taken) < len(data.questions) and sum(taken) < 1_000 * seconds:
        began = time.perf_counter()
        found = peer.search(len(taken))
        taken.append(1_000 * (time.perf_counter() - began))
        if len(found) != TOP_K:
            raise ValueError(f"{len(found)} of {TOP_K} found: {data.questions[len(taken) - 1]}")
    return taken


def resident() -> float:
    """Of this process, in MB."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1_024 / 1_000_000
    return int(os.popen(f"ps -o rss= -p {os.getpid()}").read()) * 1_024 / 1_000_000


def stay_here(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: refuses names and addresses of other machines."""
    if event == "socket.getaddrinfo" and arguments[0] not in ALONE:
        raise PermissionError(f"nothing is asked of {arguments[0]}")
    if event == "socket.connect" and isinstance(arguments[1], tuple) and arguments[1][0] not in ALONE:
        raise PermissionError(f"nothing is sent to {arguments[1][0]}")


def main() -> None:
    name, file, messages, seconds = sys.argv[1:]
    os.environ.update(QUIET)
    sys.addaudithook(stay_here)
    try:
        said = measure(name, file, int(messages), float(seconds))
    except ImportError as error:
        said = {"missing": str(error)}
    print(json.dumps(said))


if __name__ == "__main__":
    main()
