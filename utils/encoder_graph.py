"""How do the packaged weights of all-MiniLM-L6-v2 become a graph that onnxruntime runs?

BERT as in the model's config.json (6 layers, 384 wide, 12 heads, GELU with erf, LayerNorm eps 1e-12), then, as
sentence-transformers does for this model, the mean over all tokens, scaled to length 1.

The graph takes texts of one length, so it needs no mask: on one thread a text alone is about as fast as in a batch, and
padding would cost more than batches gain. So a text's vector is the same bit for bit in any company.

Quantised, the embeddings of words are int8 with a scale a row, which saves 35 MB, and the kernels of the linear layers
int8 in blocks of 64 inputs, each with its scale; onnxruntime quantises the activations block by block as they come.
Against float32, measured on 201 messages: cosine 0.9994 on average and 0.998 at worst, 97 % of the ten nearest
neighbours, at 63 % of the time. `quantize_dynamic`, which has one scale for all activations, takes 40 % but keeps
0.993, 0.974 for short texts, and 92 % of the neighbours.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from utils.errors import ConfigurationError

OPSET = 20  # the first with Gelu
BLOCK = 64  # inputs that share a scale
IR_VERSION = 10  # what onnxruntime has read since 1.18
MICROSOFT = "com.microsoft"  # onnxruntime's own operators
DTYPES = {"F32": "<f4", "I64": "<i8"}  # safetensors' names

Weights = dict[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Shape:
    """What the graph needs from config.json."""

    layers: int
    width: int
    heads: int
    epsilon: float


def read_shape(config: Path) -> Shape:
    """The model's shape.

    Raises:
        ConfigurationError: it is not a BERT with erf GELU and absolute positions, which is all that is built here.
    """
    values = json.loads(config.read_text(encoding="utf-8"))
    kind = (values["model_type"], values["hidden_act"], values.get("position_embedding_type", "absolute"))
    if kind != ("bert", "gelu", "absolute"):
        raise ConfigurationError("The encoder package does not carry the model it should")
    return Shape(
        values["num_hidden_layers"],
        values["hidden_size"],
        values["num_attention_heads"],
        values["layer_norm_eps"],
    )


def read_safetensors(path: Path) -> Weights:
    """Every tensor of the file, by name; read-only, mapped from disk.

    The format (https://huggingface.co/docs/safetensors): 8 bytes of little-endian header length, a JSON header with
    each tensor's dtype, shape and offsets, then the raw little-endian data.
    """
    raw = np.memmap(path, dtype=np.uint8, mode="r")
    start = 8 + int.from_bytes(raw[:8].tobytes(), "little")
    header = json.loads(raw[8:start].tobytes())
    header.pop("__metadata__", None)
    return {
        name: raw[slice(*(start + offset for offset in entry["data_offsets"]))]
        .view(DTYPES[entry["dtype"]])
        .reshape(entry["shape"])
        for name, entry in header.items()
    }


def adapted(weights: Weights, adapter: Path) -> Weights:
    """The weights with a low-rank adapter merged into them (Hu et al., "LoRA", 2021): kernel + up · down.

    `adapter`: an .npz of `<layer>.down`, (rank, columns), and `<layer>.up`, (rows, rank), for each layer it changes.
    """
    merged = dict(weights)
    with np.load(adapter) as stored:
        for name in stored.files:
            layer, _, part = name.rpartition(".")
            if part == "down":
                change = stored[f"{layer}.up"].astype(np.float32) @ stored[name].astype(np.float32)
                merged[f"{layer}.weight"] = weights[f"{layer}.weight"] + change
    return merged


@dataclass
class _Graph:
    """Nodes and constants so far; every operation returns its output's name."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, onnx.TensorProto] = field(default_factory=dict)

    def op(self, kind: str, *inputs: str, output: str = "", domain: str = "", **attributes: Any) -> str:
        output = output or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], output, domain=domain, **attributes))
        return output

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        self.constants.setdefault(name, numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name


def quantise(kernel: NDArray[np.float32]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """A kernel of shape (rows, columns) as MatMulNBits takes it: bytes around 128 and a scale for each block.

    Shapes (rows, columns / 64, 64) and (rows, columns / 64); columns must be a multiple of 64.
    """
    blocks = kernel.reshape(len(kernel), -1, BLOCK)
    scales = np.abs(blocks).max(axis=-1, keepdims=True) / np.float32(127)
    values = np.rint(blocks / np.maximum(scales, np.finfo(np.float32).tiny)) + 128
    return values.astype(np.uint8), scales[..., 0]


def quantise_rows(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A table of rows as bytes and a scale for each row, (rows, columns) and (rows, 1)."""
    scales = np.abs(table).max(axis=1, keepdims=True) / np.float32(127)
    values = np.rint(table / np.maximum(scales, np.finfo(np.float32).tiny))
    return values.astype(np.int8), scales


def build_graph(weights: Weights, shape: Shape, *, quantised: bool) -> onnx.ModelProto:
    """The model, with its linear layers in int8 or all of it in float32.

    Input: `ids`, int64, shape (texts, tokens), without padding. Outputs: `sentence`, float32, shape (texts, width),
    rows of length 1; `tokens`, float32, shape (texts, tokens, width), the last layer.
    """
    graph = _Graph()

    def weight(name: str) -> str:
        return graph.constant(name, weights[name])

    def dense(x: str, name: str) -> str:
        if quantised:
            return dense_int8(x, name)
        kernel = graph.constant(f"{name}.weight", weights[f"{name}.weight"].T)
        return graph.op("Add", graph.op("MatMul", x, kernel), weight(f"{name}.bias"))

    def dense_int8(x: str, name: str) -> str:
        rows, columns = weights[f"{name}.weight"].shape
        values, scales = quantise(weights[f"{name}.weight"])
        kernel = (graph.constant(f"{name}.int8", values), graph.constant(f"{name}.scales", scales))
        sizes = {"K": columns, "N": rows, "bits": 8, "block_size": BLOCK, "accuracy_level": 4}  # 4: int8 activations
        return graph.op("MatMulNBits", x, *kernel, "", "", weight(f"{name}.bias"), domain=MICROSOFT, **sizes)

    def rows(name: str, numbers: str) -> str:
        if not quantised:
            return graph.op("Gather", weight(f"{name}.weight"), numbers)
        values, scales = quantise_rows(weights[f"{name}.weight"])
        found = graph.op("Gather", graph.constant(f"{name}.int8", values), numbers)
        scale = graph.op("Gather", graph.constant(f"{name}.scales", scales), numbers)
        return graph.op("Mul", graph.op("Cast", found, to=TensorProto.FLOAT), scale)

    def layer_norm(x: str, name: str, output: str = "") -> str:
        scale, bias = weight(f"{name}.weight"), weight(f"{name}.bias")
        return graph.op("LayerNormalization", x, scale, bias, output=output, axis=-1, epsilon=shape.epsilon)

    def layer(x: str, number: int, output: str) -> str:
        name = f"encoder.layer.{number}"
        query, key, value = (dense(x, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        attention = graph.op("MultiHeadAttention", query, key, value, domain=MICROSOFT, num_heads=shape.heads)
        attended = dense(attention, f"{name}.attention.output.dense")
        x = layer_norm(graph.op("Add", attended, x), f"{name}.attention.output.LayerNorm")
        inner = graph.op("Gelu", dense(x, f"{name}.intermediate.dense"), approximate="none")
        outer = graph.op("Add", dense(inner, f"{name}.output.dense"), x)
        return layer_norm(outer, f"{name}.output.LayerNorm", output)

    zero, one, two = (graph.constant(f"int_{n}", np.array([n], dtype=np.int64)) for n in range(3))
    width = graph.op("Slice", graph.op("Shape", "ids"), one, two)
    positions = graph.op("Slice", weight("embeddings.position_embeddings.weight"), zero, width)
    kind = graph.constant("token_type", weights["embeddings.token_type_embeddings.weight"][0])
    words = rows("embeddings.word_embeddings", "ids")
    x = layer_norm(graph.op("Add", graph.op("Add", words, positions), kind), "embeddings.LayerNorm")

    for number in range(shape.layers):
        x = layer(x, number, output="tokens" if number == shape.layers - 1 else "")
    mean = graph.op("ReduceMean", x, one, keepdims=0)
    graph.op("LpNormalization", mean, output="sentence", axis=-1, p=2)

    inputs = [helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "tokens"])]
    outputs = [
        helper.make_tensor_value_info("sentence", TensorProto.FLOAT, ["texts", shape.width]),
        helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["texts", "tokens", shape.width]),
    ]
    body = helper.make_graph(graph.nodes, "encoder", inputs, outputs, list(graph.constants.values()))
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=IR_VERSION)
