"""A cross-encoder that has an opinion: some words of a pair are worth something, all others nothing."""

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
BIAS = -4.0  # the logit of a pair without any such word
GARBAGE = "unspeakable"  # a word of which the graph makes a logit that is not a number
UNKNOWN = "outlandish"  # one that the tokenizer knows and the graph does not


def opinion(likes: Mapping[str, float], text: str) -> float:
    """What the cross-encoder says of a text whose question has none of the words, 0..1."""
    words = text.lower().replace(".", " ").replace("!", " ").split()
    return 1 / (1 + math.exp(-BIAS - sum(likes.get(word, 0.0) for word in words)))


def write_cross_encoder(folder: Path, likes: Mapping[str, float]) -> Path:
    """Writes the graph and its tokenizer. `likes`: words, lower case, and what each adds to the logit."""
    weights = {**dict.fromkeys(SPECIAL, 0.0), **likes, GARBAGE: math.nan}
    vocabulary = {word: number for number, word in enumerate([*weights, UNKNOWN])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")],
    )
    constants = {
        "weights": np.array(list(weights.values()), np.float32),
        "axis": np.array([1], np.int64),
        "bias": np.array(BIAS, np.float32),
    }
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["weights", "input_ids"], ["found"]),
            helper.make_node("ReduceSum", ["found", "axis"], ["sum"], keepdims=1),
            helper.make_node("Add", ["sum", "bias"], ["logits"]),
        ],
        "opinion",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "tokens"])
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", 1])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    folder.mkdir(parents=True, exist_ok=True)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    onnx.save_model(model, folder / "model.onnx")
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder
