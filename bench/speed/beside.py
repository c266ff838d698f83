"""Peers on the same machine: `peers.py` is run once a peer and size, so that each has its memory alone."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ValidationError

from bench.speed.material import Material
from bench.speed.peers import PEERS

SCRIPT = Path(__file__).with_name("peers.py")
NAMES = tuple(PEERS)


class Measured(BaseModel):
    """Milliseconds and MB. `messages`: that it took in its time; `add_ms`: of one of them. `searches`: that it answered
    in its time. `empty_mb`: before the first message."""

    version: str
    messages: int
    add_ms: float
    searches: int
    p50: float
    p95: float
    empty_mb: float
    resident_mb: float


class Missing(BaseModel):
    missing: str


@dataclass(frozen=True)
class PeerRun:
    """`messages`: that it was to take. `found`: or else why there is nothing."""

    name: str
    messages: int
    found: Measured | str


@contextmanager
def written(material: Material) -> Iterator[Path]:
    """The texts and vectors in a file, for as long as peers read it."""
    with tempfile.TemporaryDirectory(prefix="loci-speed-") as folder:
        file = Path(folder) / "data.npz"
        np.savez(
            file,
            texts=np.array(material.texts),
            vectors=material.vectors,
            questions=np.array(material.questions),
            question_vectors=material.question_vectors,
        )
        yield file


def measure_peer(python: Path, name: str, data: Path, messages: int, seconds: float) -> PeerRun:
    """`python`: an interpreter that has the peer's packages. Isolated, it sees nothing of this project."""
    command = [str(python), "-I", str(SCRIPT), name, str(data), str(messages), str(seconds)]
    done = subprocess.run(command, cwd=data.parent, capture_output=True, text=True, check=False)
    return PeerRun(name, messages, read(done.stdout) or f"it failed: {_last_line(done.stderr)}")


def read(output: str) -> Measured | str | None:
    """What a peer's run printed in its last line; None where it is not what it should be."""
    line = _last_line(output)
    try:
        return Measured.model_validate_json(line)
    except ValidationError:
        pass
    try:
        return Missing.model_validate_json(line).missing
    except ValidationError:
        return None


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]
