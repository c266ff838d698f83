"""A cross-encoder, where a user has one: how well a text answers a query, read together with it.

It is any ONNX export of a sequence classifier with its `tokenizer.json`, on this machine; nothing is ever downloaded.
"""

import asyncio
import logging
import os
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as runtime_errors
from tokenizers import Encoding, Tokenizer

from utils.errors import ConfigurationError, ModelError, ModelGarbage
from utils.text import repair
from utils.vectors import Floats

BATCH = 16  # pairs that run together, and after which other callers have their turn
MAX_TOKENS = 512  # of a pair, its special tokens included: the length that most cross-encoders were trained for
MAX_QUERY_TOKENS = 128
MAX_CHARACTERS = 16_384  # of a text; far more than 512 tokens hold, and it keeps tokenizing a huge one cheap

PLACES = ("model.onnx", "onnx/model.onnx")  # in a folder, as model hubs lay them out
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
PADDING = ("[PAD]", "<pad>")

# onnxruntime's errors have no common base.
RUNTIME_ERRORS: tuple[type[Exception], ...] = (
    RuntimeError,
    *(found for found in vars(runtime_errors).values() if isinstance(found, type) and issubclass(found, Exception)),
)

log = logging.getLogger(__name__)


class Reranker:
    """A cross-encoder in memory, with the one thread that runs it; safe to share between threads and event loops."""

    def __init__(self, graph: Path, tokenizer: Path) -> None:
        self._tokenizer = _open_tokenizer(tokenizer)
        self._padding = _padding(self._tokenizer)
        self._session = _open_session(graph)
        self._inputs = _inputs(self._session, graph)
        names = [output.name for output in self._session.get_outputs()]
        self._output = names[0] if names and "logits" not in names else "logits"
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="reranker")
        self._try_out(graph, tokenizer)

    async def scores(self, query: str, texts: Sequence[str]) -> Floats:
        """How well each text answers the query, between 0 and 1, shape (n,), in the order of the texts.

        That is the sigmoid of the pair's logit; of two logits, the softmax of the second. Only a query's first 128
        tokens count, and of a text what then fits into 512.

        Raises:
            ModelGarbage: a logit is not a finite number.
            ModelError: the graph could not be run, for example over a token that it does not know.
        """
        loop = asyncio.get_running_loop()
        pairs: list[Encoding] = []
        for chunk in [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]:
            pairs += await loop.run_in_executor(self._thread, self._pairs, query, chunk)
        scores = np.empty(len(pairs), dtype=np.float32)
        order = sorted(range(len(pairs)), key=lambda place: len(pairs[place]))
        for places in [order[start : start + BATCH] for start in range(0, len(order), BATCH)]:
            batch = [pairs[place] for place in places]
            scores[places] = await loop.run_in_executor(self._thread, self._score, batch)
        return scores

    def _pairs(self, query: str, texts: Sequence[str]) -> list[Encoding]:
        """The query with each text, in tokens."""
        asked = repair(query[:MAX_CHARACTERS])
        tokens = self._tokenizer.encode(asked, add_special_tokens=False)
        asked = asked[: max((end for _, end in tokens.offsets[:MAX_QUERY_TOKENS]), default=0)]
        return [self._tokenizer.encode(asked, repair(text[:MAX_CHARACTERS])) for text in texts]

    def _score(self, pairs: Sequence[Encoding]) -> Floats:
        """The scores of one batch."""
        try:
            logits = self._run(pairs)
        except RUNTIME_ERRORS as error:
            log.warning("the reranker failed (%s)", type(error).__name__)
            raise ModelError("The reranker failed") from error
        if not _are_logits(logits, len(pairs)) or not np.isfinite(logits).all():
            raise ModelGarbage("The reranker gave something that is not a logit a pair")
        exact = logits.reshape(len(pairs), -1).astype(np.float64)
        odds = exact[:, 1] - exact[:, 0] if exact.shape[1] == 2 else exact[:, 0]
        return np.exp(-np.logaddexp(0, -odds)).astype(np.float32)  # the sigmoid, without overflow

    def _run(self, pairs: Sequence[Encoding]) -> NDArray[np.floating]:
        """What the graph makes of pairs, padded to the longest."""
        shape = len(pairs), max(map(len, pairs))
        ids = np.full(shape, self._padding, dtype=np.int64)
        mask, types = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        for row, pair in enumerate(pairs):
            ids[row, : len(pair)] = pair.ids
            mask[row, : len(pair)] = 1
            types[row, : len(pair)] = pair.type_ids
        given = {name: value for name, value in zip(INPUTS, (ids, mask, types), strict=True) if name in self._inputs}
        logits: NDArray[np.floating] = self._session.run([self._output], given)[0]
        return logits

    def _try_out(self, graph: Path, tokenizer: Path) -> None:
        """Run what a file cannot be read off: several pairs at once, and one of full length."""
        with _refusing(f"{tokenizer} cannot be used"):
            short, long = self._pairs("☃", ["b", "b " * MAX_TOKENS])
        for pairs in ([short] * 3, [long]):
            with _refusing(f"{graph} does not run on {len(pairs)} x {len(pairs[0])} tokens", RUNTIME_ERRORS):
                logits = self._run(pairs)
            if not _are_logits(logits, len(pairs)):
                raise ConfigurationError(
                    f"RERANK_MODEL: {graph} is not a cross-encoder: its output {self._output} is not one logit a pair, "
                    f"(n, 1) or (n,), or two, (n, 2), but {np.shape(logits)} for n = {len(pairs)}"
                )


_rerankers: dict[Path, Reranker] = {}
_loading = threading.Lock()


def load_reranker(path: Path) -> Reranker:
    """The process's reranker for an ONNX file, or for a folder that holds `model.onnx` or `onnx/model.onnx`.

    Loaded and tried out on first use, which takes as long as one pair of 512 tokens and reading the file. Raises
    `ConfigurationError` for no such file; no `tokenizer.json` beside it or in the folder above; a graph that
    onnxruntime cannot load or run, or that is not a cross-encoder."""
    graph = _find_graph(path)
    tokenizer = _find_tokenizer(graph)
    with _loading:
        if graph not in _rerankers:
            _rerankers[graph] = Reranker(graph, tokenizer)
        return _rerankers[graph]


def _forget_rerankers() -> None:
    """A forked child has the rerankers but not their threads."""
    global _loading
    _loading = threading.Lock()
    _rerankers.clear()


os.register_at_fork(after_in_child=_forget_rerankers)


def _find_graph(path: Path) -> Path:
    # Links are not followed: in a hub's cache they lead to where no tokenizer.json is.
    path = path.absolute()
    try:
        graph = next((found for found in (path, *(path / place for place in PLACES)) if found.is_file()), None)
    except OSError as error:
        raise ConfigurationError(f"RERANK_MODEL: {path} cannot be read: {error.strerror}") from error
    if graph is None:
        raise ConfigurationError(
            f"RERANK_MODEL: there is no ONNX file {path}, nor a folder of that name with {' or '.join(PLACES)}"
        )
    return graph


def _find_tokenizer(graph: Path) -> Path:
    for folder in (graph.parent, graph.parent.parent):
        if (folder / "tokenizer.json").is_file():
            return folder / "tokenizer.json"
    raise ConfigurationError(f"RERANK_MODEL: there is no tokenizer.json beside {graph} or in the folder above")


def _open_tokenizer(file: Path) -> Tokenizer:
    with _refusing(f"{file} is not a tokenizer"):
        tokenizer = Tokenizer.from_file(str(file))
    tokenizer.enable_truncation(MAX_TOKENS)  # of what is longest, so never of a query, which is cut before
    return tokenizer


def _padding(tokenizer: Tokenizer) -> int:
    """The id of the padding token, which is then no longer added; graphs of RoBERTa's kind count positions by it."""
    declared = tokenizer.padding
    tokenizer.no_padding()
    if declared is not None:
        return int(declared["pad_id"])
    return next((found for name in PADDING if (found := tokenizer.token_to_id(name)) is not None), 0)


def _open_session(graph: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # a second thread on busy cores makes it slower
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    with _refusing(f"{graph} cannot be loaded", RUNTIME_ERRORS):
        return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _inputs(session: onnxruntime.InferenceSession, graph: Path) -> set[str]:
    """The names of the graph's inputs."""
    names = {given.name for given in session.get_inputs()}
    if not {"input_ids", "attention_mask"} <= names <= set(INPUTS):
        raise ConfigurationError(
            f"RERANK_MODEL: {graph} is not a cross-encoder: it takes {', '.join(sorted(names)) or 'nothing'}, "
            f"instead of {', '.join(INPUTS)}, the last of them or not"
        )
    return names


def _are_logits(output: object, count: int) -> bool:
    """Whether it is one number a pair, or two."""
    shapes = ((count,), (count, 1), (count, 2))
    return isinstance(output, np.ndarray) and np.issubdtype(output.dtype, np.floating) and output.shape in shapes


@contextmanager
def _refusing(what: str, errors: tuple[type[Exception], ...] = (Exception,)) -> Generator[None, None, None]:
    """Says what is wrong with a file where a library fails over it; tokenizers raises nothing narrower."""
    try:
        yield
    except errors as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ConfigurationError(f"RERANK_MODEL: {what}: {reason}") from error
