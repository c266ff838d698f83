"""The encoder in PyTorch, with an adapter that can be fitted: kernel + up · down in every linear layer."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from utils.encoder_graph import read_safetensors, read_shape

LINEAR = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)


class Bert:
    """all-MiniLM-L6-v2. `adapter`: the parameters to fit, by layer: down (rank, columns), up (rows, rank). `bfloat16`:
    its products are computed in that."""

    def __init__(self, folder: Path, *, rank: int, seed: int = 0, bfloat16: bool = False) -> None:
        weights = read_safetensors(folder / "model.safetensors")
        self._weights = {name: torch.from_numpy(np.array(value)) for name, value in weights.items()}
        self._shape = read_shape(folder / "config.json")
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._bfloat16 = bfloat16
        chance = torch.Generator().manual_seed(seed)
        self.adapter: dict[str, tuple[torch.nn.Parameter, torch.nn.Parameter]] = {}
        for layer in range(self._shape.layers):
            for part in LINEAR:
                name = f"encoder.layer.{layer}.{part}"
                rows, columns = self._weights[f"{name}.weight"].shape
                down = torch.randn(rank, columns, generator=chance) / math.sqrt(columns)
                self.adapter[name] = (torch.nn.Parameter(down), torch.nn.Parameter(torch.zeros(rows, rank)))

    @property
    def parameters(self) -> list[torch.nn.Parameter]:
        return [parameter for pair in self.adapter.values() for parameter in pair]

    def encode(self, texts: Sequence[str], most: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Vectors of the texts, (n, width), and of their tokens, (n, t, width), all of length 1; and which of the
        tokens are the text's own, (n, t) of 0 and 1. `most`: tokens of a text."""
        self._tokenizer.enable_truncation(most)
        ids = [self._tokenizer.encode(text).ids for text in texts]
        longest = max(map(len, ids))
        padded = torch.tensor([one + [0] * (longest - len(one)) for one in ids])
        there = torch.tensor([[1.0] * len(one) + [0.0] * (longest - len(one)) for one in ids])
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self._bfloat16):
            tokens = self._layers(padded, there).float()
        mean = (tokens * there[..., None]).sum(1) / there.sum(1, keepdim=True)
        own = there.clone()
        own[:, 0] = 0
        own[torch.arange(len(ids)), torch.tensor([len(one) - 1 for one in ids])] = 0
        return F.normalize(mean, dim=-1), F.normalize(tokens, dim=-1), own

    def load(self, adapter: Path) -> None:
        """Takes the parameters of an adapter of the same rank."""
        with np.load(adapter) as stored, torch.no_grad():
            for name, (down, up) in self.adapter.items():
                down.copy_(torch.from_numpy(stored[f"{name}.down"].astype(np.float32)))
                up.copy_(torch.from_numpy(stored[f"{name}.up"].astype(np.float32)))

    def arrays(self, scale: float = 1.0) -> Mapping[str, np.ndarray]:
        """The adapter as `utils.encoder_graph.adapted` reads it, its effect multiplied."""
        found = {}
        for name, (down, up) in self.adapter.items():
            found[f"{name}.down"] = down.detach().numpy().astype(np.float16)
            found[f"{name}.up"] = (scale * up.detach().numpy()).astype(np.float16)
        return found

    def _layers(self, ids: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
        weights, shape = self._weights, self._shape
        x = weights["embeddings.word_embeddings.weight"][ids]
        x = x + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = self._norm(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        texts, tokens, width = x.shape
        seen = there[:, None, None, :].bool()
        for number in range(shape.layers):
            layer = f"encoder.layer.{number}"
            heads = [
                self._linear(x, f"{layer}.attention.self.{part}").view(texts, tokens, shape.heads, -1).transpose(1, 2)
                for part in ("query", "key", "value")
            ]
            attended = F.scaled_dot_product_attention(*heads, attn_mask=seen).transpose(1, 2)
            attended = self._linear(attended.reshape(texts, tokens, width), f"{layer}.attention.output.dense")
            x = self._norm(attended + x, f"{layer}.attention.output.LayerNorm")
            inner = F.gelu(self._linear(x, f"{layer}.intermediate.dense"))
            x = self._norm(self._linear(inner, f"{layer}.output.dense") + x, f"{layer}.output.LayerNorm")
        return x

    def _linear(self, x: torch.Tensor, name: str) -> torch.Tensor:
        down, up = self.adapter[name]
        return F.linear(x, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]) + (x @ down.T) @ up.T

    def _norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return F.layer_norm(x, (x.shape[-1],), weight, bias, self._shape.epsilon)
