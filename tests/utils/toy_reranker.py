"""A cross-encoder that adds up.

The toy graph sums over a pair's tokens: the word `n2` weighs -2, `p3` weighs 3, and a word of the text counts 10 times.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from utils.reranker import INPUTS

WEIGHTS = {
    "[PAD]": 1000.0,  # which shows wherever padding is not masked
    "[UNK]": 0.0,
    "[CLS]": 0.0,
    "[SEP]": 0.0,
    **{f"p{number}": float(number) for number in range(1, 6)},
    **{f"n{number}": -float(number) for number in range(1, 6)},
    "tiny": 1 / 4096,
    "nan": math.nan,
    "huge": math.inf,
}
PAD, UNKNOWN, CLS, SEP = range(4)
OUTSIDE = len(WEIGHTS)  # the id of a word that the tokenizer knows and the graph does not
BATCH_OF_TOKENS: list[str | int | None] = ["pairs", "tokens"]


def sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def logit(query: str, text: str) -> float:
    """What the toy graph makes of a pair, by hand."""
    return sum(WEIGHTS.get(word, 0) for word in query.split()) + 10 * sum(WEIGHTS.get(w, 0) for w in text.split())


def toy_tokenizer() -> Tokenizer:
    vocabulary = {word: number for number, word in enumerate(WEIGHTS)} | {"outside": OUTSIDE}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()  # drops NUL, as those of real models do
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)]
    )
    return tokenizer


def toy_graph(
    *,
    inputs: Sequence[str] = INPUTS,
    kinds: Mapping[str, int] = MappingProxyType({}),
    shape: Sequence[str | int | None] = BATCH_OF_TOKENS,
    output: str = "(n, 1)",
    floating: int = TensorProto.FLOAT,
    named: str = "logits",
) -> onnx.ModelProto:
    """The sum of the weights of a pair's tokens that are not masked, those of the text ten times.

    `inputs`: the first holds the ids. `kinds`: their types, where not int64. `named`: the output; before
    `logits` there is another.
    """
    constants: dict[str, NDArray[Any]] = {
        "weights": np.array(list(WEIGHTS.values()), dtype=np.float32),
        "nine": np.array(9, dtype=np.float32),
        "one": np.array(1, dtype=np.float32),
        "axis": np.array([1], dtype=np.int64),
    }
    nodes = [helper.make_node("Gather", ["weights", inputs[0]], ["found"])]
    weighed = "found"
    if "token_type_ids" in inputs:
        nodes += [
            helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.FLOAT),
            helper.make_node("Mul", ["types", "nine"], ["nines"]),
            helper.make_node("Add", ["nines", "one"], ["factor"]),
            helper.make_node("Mul", [weighed, "factor"], ["typed"]),
        ]
        weighed = "typed"
    if "attention_mask" in inputs:
        nodes += [
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Mul", [weighed, "mask"], ["masked"]),
        ]
        weighed = "masked"
    nodes.append(helper.make_node("ReduceSum", [weighed, "axis"], ["sum"], keepdims=1))
    match output:
        case "(n, 1)":
            nodes.append(helper.make_node("Identity", ["sum"], ["raw"]))
        case "(n,)":
            nodes.append(helper.make_node("Squeeze", ["sum", "axis"], ["raw"]))
        case "(n, 2)":  # the second stands above the first by the sum
            nodes += [
                helper.make_node("Mul", ["sum", "nine"], ["first"]),
                helper.make_node("Add", ["first", "sum"], ["second"]),
                helper.make_node("Concat", ["first", "second"], ["raw"], axis=1),
            ]
        case "(n, 3)":
            nodes.append(helper.make_node("Concat", ["sum", "sum", "sum"], ["raw"], axis=1))
        case "(n, tokens)":
            nodes.append(helper.make_node("Identity", [weighed], ["raw"]))
    nodes.append(helper.make_node("Cast", ["raw"], [named], to=floating))
    rank = 1 if output == "(n,)" else 2
    outputs = [helper.make_tensor_value_info(named, floating, [None] * rank)]
    if named == "logits":
        outputs.insert(0, helper.make_tensor_value_info("found", TensorProto.FLOAT, shape))  # a hidden state
    graph = helper.make_graph(
        nodes,
        "toy",
        [helper.make_tensor_value_info(name, kinds.get(name, TensorProto.INT64), shape) for name in inputs],
        outputs,
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


Make = Callable[..., Path]
