"""The graph that onnxruntime runs, made of the packaged weights of multilingual-e5-small.

BERT (Devlin et al., 2019) with 12 layers, 384 wide, 12 heads, GELU with erf; then the mean over all tokens, scaled to
length 1, as the model's authors have it (Wang et al., "Multilingual E5 Text Embeddings", 2024).

The graph takes the embeddings of words, which are looked up in the package's file: of a quarter of a million a text
needs a few. It takes texts of one length, so it needs no mask: on one thread a text alone is about as fast as in a
batch, and padding would cost more than batches gain. So a text's vector is the same bit for bit in any company.

Quantised, the kernels of the linear layers are int8 in blocks of 64 inputs, each with its scale; onnxruntime quantises
the activations block by block as they come.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from utils.encoder_file import WORDS, EncoderFile, Shape
from utils.vectors import Floats

OPSET = 20  # the first with Gelu
BLOCK = 64  # inputs that share a scale
IR_VERSION = 10  # what onnxruntime has read since 1.18
MICROSOFT = "com.microsoft"  # onnxruntime's own operators

Weights = dict[str, Floats]


def weights_of(file: EncoderFile, adapter: Path | None = None) -> Weights:
    """What the graph needs of a file, by name, with a low-rank adapter merged into it (Hu et al., "LoRA", 2021):
    kernel + up · down.

    `adapter`: an .npz of `<layer>.down`, (rank, columns), and `<layer>.up`, (rows, rank), for each layer it changes.
    """
    weights = {name: file.tensor(name) for name in file.names if name != WORDS}
    if adapter is not None:
        with np.load(adapter) as stored:
            for name in stored.files:
                layer, _, part = name.rpartition(".")
                if part == "down":
                    change = stored[f"{layer}.up"].astype(np.float32) @ stored[name].astype(np.float32)
                    weights[f"{layer}.w"] = weights[f"{layer}.w"] + change
    return weights


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


def quantise(kernel: Floats) -> tuple[NDArray[np.uint8], Floats]:
    """A kernel of shape (rows, columns) as MatMulNBits takes it: bytes around 128 and a scale for each block.

    Shapes (rows, columns / 64, 64) and (rows, columns / 64); columns must be a multiple of 64.
    """
    blocks = kernel.reshape(len(kernel), -1, BLOCK)
    scales = np.abs(blocks).max(axis=-1, keepdims=True) / np.float32(127)
    values = np.rint(blocks / np.maximum(scales, np.finfo(np.float32).tiny)) + 128
    return values.astype(np.uint8), scales[..., 0]


def build_graph(weights: Weights, shape: Shape, *, quantised: bool) -> onnx.ModelProto:
    """The model, with its linear layers in int8 or all of it in float32.

    Input: `words`, float32, shape (texts, tokens, width), without padding: the embeddings of pieces, the two special
    ones among them. Outputs: `sentence`, float32, shape (texts, width), rows of length 1; `tokens`, float32, shape
    (texts, tokens, width), the last layer.
    """
    graph = _Graph()

    def weight(name: str) -> str:
        return graph.constant(name, weights[name])

    def dense(x: str, name: str) -> str:
        if quantised:
            return dense_int8(x, name)
        kernel = graph.constant(f"{name}.w", weights[f"{name}.w"].T)
        return graph.op("Add", graph.op("MatMul", x, kernel), weight(f"{name}.b"))

    def dense_int8(x: str, name: str) -> str:
        rows, columns = weights[f"{name}.w"].shape
        values, scales = quantise(weights[f"{name}.w"])
        kernel = (graph.constant(f"{name}.int8", values), graph.constant(f"{name}.scales", scales))
        sizes = {"K": columns, "N": rows, "bits": 8, "block_size": BLOCK, "accuracy_level": 4}  # 4: int8 activations
        return graph.op("MatMulNBits", x, *kernel, "", "", weight(f"{name}.b"), domain=MICROSOFT, **sizes)

    def layer_norm(x: str, name: str, output: str = "") -> str:
        scale, bias = weight(f"{name}.w"), weight(f"{name}.b")
        return graph.op("LayerNormalization", x, scale, bias, output=output, axis=-1, epsilon=shape.epsilon)

    def layer(x: str, number: int, output: str) -> str:
        name = f"l{number}"
        query, key, value = (dense(x, f"{name}.{part}") for part in ("q", "k", "v"))
        attention = graph.op("MultiHeadAttention", query, key, value, domain=MICROSOFT, num_heads=shape.heads)
        x = layer_norm(graph.op("Add", dense(attention, f"{name}.ao"), x), f"{name}.aln")
        inner = graph.op("Gelu", dense(x, f"{name}.fi"), approximate="none")
        return layer_norm(graph.op("Add", dense(inner, f"{name}.fo"), x), f"{name}.oln", output)

    zero, one, two = (graph.constant(f"int_{n}", np.array([n], dtype=np.int64)) for n in range(3))
    width = graph.op("Slice", graph.op("Shape", "words"), one, two)
    positions = graph.op("Slice", weight("emb.pos"), zero, width)
    kind = graph.constant("token_type", weights["emb.type"][0])
    x = layer_norm(graph.op("Add", graph.op("Add", "words", positions), kind), "emb.ln")

    for number in range(shape.layers):
        x = layer(x, number, output="tokens" if number == shape.layers - 1 else "")
    mean = graph.op("ReduceMean", x, one, keepdims=0)
    graph.op("LpNormalization", mean, output="sentence", axis=-1, p=2)

    inputs = [helper.make_tensor_value_info("words", TensorProto.FLOAT, ["texts", "tokens", shape.width])]
    outputs = [
        helper.make_tensor_value_info("sentence", TensorProto.FLOAT, ["texts", shape.width]),
        helper.make_tensor_value_info("tokens", TensorProto.FLOAT, ["texts", "tokens", shape.width]),
    ]
    body = helper.make_graph(graph.nodes, "encoder", inputs, outputs, list(graph.constants.values()))
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=IR_VERSION)
