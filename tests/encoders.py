"""The encoder's files, and what it made of texts, kept from test to test, worker to worker and run to run.

A text that the same encoder read before is not read again. Whatever changes the encoder, its code, weights, libraries
or processor, begins anew. `tests/utils/test_encoder.py` goes without.
"""

import os
import pickle
import shutil
import sqlite3
import threading
from hashlib import blake2b
from importlib import metadata
from pathlib import Path

import pytest

from utils import encoder
from utils.encoder import PACKAGE, Encoder, Reading, load_encoder

PREFIX = "encoder-"
SOURCES = ("utils/encoder*.py", "utils/vocabulary.py", "utils/text.py", "utils/vectors.py", "fitted/*.np?")

_read = Encoder._read


def kept_in(cache: pytest.Cache) -> Path:
    """The folder of this encoder; those of others go."""
    folder = cache.mkdir(f"{PREFIX}{_fingerprint()}")
    for other in folder.parent.glob(f"{PREFIX}*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    return folder


def furnish(home: Path, kept: Path) -> None:
    """Puts the built encoder's files into a home that has none, as links, for what writes them writes new ones. A home
    on another disk, small perhaps, has the folder for a link."""
    if not any(kept.glob("encoder/*.digest")):  # which is written last
        load_encoder(kept)
    if home.is_dir() and not (home / "encoder").exists():
        if home.stat().st_dev != kept.stat().st_dev:
            (home / "encoder").symlink_to(kept / "encoder")
            return
        (home / "encoder").mkdir()
        for path in (kept / "encoder").glob("loci-*"):
            if path.suffix != ".lock":
                os.link(path, home / "encoder" / path.name)


class Readings:
    """What the encoder made of texts, by the text."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.execute("CREATE TABLE IF NOT EXISTS readings (text BLOB PRIMARY KEY, reading BLOB)")

    def read(self, local: Encoder, text: str) -> Reading:
        """In place of the encoder's own."""
        key = blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
        with self._lock:
            row = self._database.execute("SELECT reading FROM readings WHERE text = ?", (key,)).fetchone()
        if row is not None:
            kept: Reading = pickle.loads(row[0])
            return kept
        reading = _read(local, text)
        with self._lock:
            self._database.execute("INSERT OR IGNORE INTO readings VALUES (?, ?)", (key, pickle.dumps(reading)))
        return reading

    def close(self) -> None:
        with self._lock:
            self._database.close()


def _fingerprint() -> str:
    folder = Path(encoder.__file__).parent.parent
    digest = blake2b(digest_size=8)
    for name in (PACKAGE, "onnxruntime", "numpy"):
        digest.update(metadata.version(name).encode())
    digest.update(b"int8" if encoder.multiplies_int8() else b"float32")
    for path in sorted({path for pattern in SOURCES for path in folder.glob(pattern) if path.is_file()}):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()
