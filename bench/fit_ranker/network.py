"""The fit of the ranking network: listwise softmax, by Adam, in numpy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Question:
    """`features`: (n, d), scaled. `answers`: (n,) of 0 and 1, at least one of them 1. `weight`: what it counts."""

    features: Floats
    answers: Floats
    weight: float


@dataclass(frozen=True)
class Plan:
    """`hidden`: units of one network. `networks`: fitted from different beginnings, and averaged. `decay`: of weights,
    a step. `dropout`: share of the features that a step does not see. `batch`: questions a step."""

    hidden: int = 24
    networks: int = 2
    epochs: int = 12
    rate: float = 4e-3
    decay: float = 0.2
    dropout: float = 0.1
    batch: int = 64


Weights = dict[str, Floats]


def fit(questions: Sequence[Question], plan: Plan) -> Weights:
    """One network that gives the average of `plan.networks`: hidden (d, h), bias (h,), out (h,), straight (d,)."""
    fitted = [_fit_one(questions, plan, seed) for seed in range(plan.networks)]
    return {
        "hidden": np.concatenate([one["hidden"] for one in fitted], axis=1),
        "bias": np.concatenate([one["bias"] for one in fitted]),
        "out": np.divide(np.concatenate([one["out"] for one in fitted]), plan.networks, dtype=np.float32),
        "straight": np.mean([one["straight"] for one in fitted], axis=0, dtype=np.float32),
    }


def _fit_one(questions: Sequence[Question], plan: Plan, seed: int) -> Weights:
    chance = np.random.default_rng(seed)
    width = questions[0].features.shape[1]
    hidden: Floats = chance.normal(0, width**-0.5, (width, plan.hidden)).astype(np.float32)
    out: Floats = chance.normal(0, 0.1, plan.hidden).astype(np.float32)
    weights: Weights = {
        "hidden": hidden,
        "bias": np.zeros((plan.hidden,), np.float32),
        "out": out,
        "straight": np.zeros(width, np.float32),
    }
    first = {name: np.zeros_like(value) for name, value in weights.items()}
    second = {name: np.zeros_like(value) for name, value in weights.items()}
    starts = range(0, len(questions), plan.batch)
    step, steps = 0, plan.epochs * len(starts)
    for _ in range(plan.epochs):
        order = chance.permutation(len(questions))
        for start in starts:
            batch = [questions[at] for at in order[start : start + plan.batch]]
            seen = np.where(chance.random(width) > plan.dropout, 1 / (1 - plan.dropout), 0).astype(np.float32)
            gradients = _gradients(weights, batch, seen)
            rate = plan.rate * 0.5 * (1 + np.cos(np.pi * step / steps))
            step += 1
            for name, gradient in gradients.items():
                first[name] = 0.9 * first[name] + 0.1 * gradient
                second[name] = 0.999 * second[name] + 0.001 * gradient**2
                move = first[name] / (1 - 0.9**step) / (np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8)
                weights[name] -= (rate * (move + plan.decay * weights[name])).astype(np.float32)
    return weights


def _gradients(weights: Mapping[str, Floats], batch: Sequence[Question], seen: Floats) -> Weights:
    """Of the cross entropy between the softmax of a question's scores and its answers."""
    x = np.concatenate([question.features for question in batch]) * seen
    bounds = np.cumsum([0, *(len(question.features) for question in batch)])
    owner = np.repeat(np.arange(len(batch)), np.diff(bounds))
    worth = np.array([question.weight for question in batch], np.float32)
    wanted = np.concatenate([question.answers / question.answers.sum() for question in batch])
    inner = np.tanh(x @ weights["hidden"] + weights["bias"])
    scores = inner @ weights["out"] + x @ weights["straight"]
    powers = np.exp(scores - np.maximum.reduceat(scores, bounds[:-1])[owner])
    shares = powers / np.add.reduceat(powers, bounds[:-1])[owner]
    error = ((shares - wanted) * (worth / worth.sum())[owner]).astype(np.float32)
    back = np.outer(error, weights["out"]) * (1 - inner**2)
    return {"hidden": x.T @ back, "bias": back.sum(0), "out": inner.T @ error, "straight": x.T @ error}
