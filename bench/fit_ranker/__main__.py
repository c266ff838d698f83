"""The weights of `fitted/ranker.json`.

    python -m bench.fit_ranker DATA… [--write [--keep-calibration]] [--folds 5]

DATA are files of `bench.recall`'s formats. Prints recall@8 of every corpus by weights fitted on the other corpora, by
those fitted on other conversations, and by those fitted on everything; `--write` writes the last, with the data's names
and the date. `--keep-calibration` leaves the calibration as the file has it: floors and answers rest on it, and where a
query has a single message to find, it alone makes the score.
"""

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.fit_ranker.calibration import calibrate
from bench.fit_ranker.examples import SHORT, Example, by_corpus, examples, folds
from bench.fit_ranker.network import Plan, Question, Weights, fit
from bench.recall.reading import read_corpus
from memory.recall.ranking import WEIGHTS, Ranker, load_ranker, scaled

K = 8
DIGITS = 5
CONSIDERED = 80  # candidates of a question on which the network is fitted, best by `FIRST`; and all that answer
FIRST = ("bm25", "dense", "tokens_window")
# What corpora count beside the root of their questions. Of some a little is enough: who is told of by others, who asked
# the same before, what the assistant said, and who asks in another language. Those count more that are few and most
# like what users say: what people really wrote to each other, and long work with an assistant.
SHARES = {
    "told": 0.1, "asking": 0.4, "answered": 0.4, "languages": 0.4,
    "realtalk-dev": 4.0, "beam-100k-dev": 3.5, "working": 2.5,
}  # fmt: skip

Floats = NDArray[np.float32]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--keep-calibration", action="store_true")
    arguments = parser.parse_args()
    corpora = [read_corpus(file) for file in arguments.data]
    with tempfile.TemporaryDirectory() as home:
        found = examples(corpora, Path(home))
    names = tuple(found[0].pool.columns)
    features = [scaled(example.pool, names) for example in found]
    print(f"{len(found)} questions, {len(names)} features")
    plan = Plan()
    for title, parts in (("other corpora", by_corpus(found)), ("other talks", folds(found, arguments.folds))):
        if len(parts) > 1:
            _show(title, found, _cross_validated(found, features, names, plan, parts))
    weights = _fitted(found, features, plan)
    ranker = _ranker(names, weights)
    raw = [ranker.raw(one) for one in features]
    _show("fitted on", found, raw)
    calibration = load_ranker().calibration if arguments.keep_calibration else calibrate(found, raw)
    if arguments.write:
        _write(names, weights, calibration, [corpus.name for corpus in corpora])


def _fitted(found: Sequence[Example], features: Sequence[Floats], plan: Plan) -> Weights:
    """Corpora count by the root of their questions, but for `SHARES`."""
    sizes: dict[str, int] = defaultdict(int)
    for example in found:
        sizes[example.corpus] += bool(example.answers.any())
    questions = []
    for example, one in zip(found, features, strict=True):
        if example.answers.any():
            part = _considered(example)
            weight = SHARES.get(example.corpus, 1.0) * sizes[example.corpus] ** -0.5
            questions.append(Question(one[part], example.answers[part], weight))
    return fit(questions, plan)


def _considered(example: Example) -> NDArray[np.intp]:
    """Places of the candidates on which the network is fitted."""
    best = np.argsort(-scaled(example.pool, FIRST).sum(1), kind="stable")[:CONSIDERED]
    return np.union1d(best, np.flatnonzero(example.answers))


def _cross_validated(
    found: Sequence[Example],
    features: Sequence[Floats],
    names: tuple[str, ...],
    plan: Plan,
    parts: Sequence[set[str]],
) -> list[Floats]:
    scores: dict[int, Floats] = {}
    for part in parts:
        left_out = [one.conversation in part for one in found]
        seen = [at for at, out in enumerate(left_out) if not out]
        ranker = _ranker(names, _fitted([found[at] for at in seen], [features[at] for at in seen], plan))
        scores |= {at: ranker.raw(features[at]) for at, out in enumerate(left_out) if out}
    return [scores[at] for at in range(len(found))]


def _ranker(names: tuple[str, ...], weights: Mapping[str, Floats]) -> Ranker:
    return Ranker(
        names, weights["hidden"], weights["bias"], weights["out"], weights["straight"], np.zeros(0, np.float32)
    )


def _show(title: str, found: Sequence[Example], raw: Sequence[Floats]) -> None:
    recalls: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for example, scores in zip(found, raw, strict=True):
        if example.evidence and example.category != SHORT:
            best = np.argsort(-scores, kind="stable")[:K]
            recall = float(example.answers[best].sum()) / example.evidence
            recalls[example.corpus]["all"].append(recall)
            recalls[example.corpus][example.category].append(recall)
    for corpus, categories in recalls.items():
        parts = ", ".join(f"{name} {100 * float(np.mean(values)):.1f}" for name, values in categories.items())
        print(f"{title:13} {corpus}: recall@{K} {parts}")


def _write(names: tuple[str, ...], weights: Weights, calibration: NDArray[Any], data: list[str]) -> None:
    stored = {
        "fitted_by": "python -m bench.fit_ranker",
        "fitted_on": data,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "features": list(names),
        "calibration": [round(float(weight), DIGITS) for weight in calibration],
    }
    stored |= {name: np.round(value.astype(np.float64), DIGITS).tolist() for name, value in weights.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in stored.items()]
    WEIGHTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
