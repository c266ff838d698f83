"""The encoder in PyTorch, with an adapter that can be fitted: kernel + up · down in every linear layer."""

import math
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from utils.encoder_file import EncoderFile
from utils.encoder_graph import weights_of
from utils.vocabulary import BEGIN, END, Vocabulary, write_table

LINEAR = ("q", "k", "v", "ao", "fi", "fo")  # attention and its output, the two of the inner layer
PADDING = 1
TOGETHER = 48  # texts of about the same length that are run at a time


class Bert:
    """multilingual-e5-small. `adapter`: the parameters to fit, by layer: down (rank, columns), up (rows, rank).
    `bfloat16`: its products are computed in that."""

    def __init__(self, file: EncoderFile, *, rank: int, seed: int = 0, bfloat16: bool = False) -> None:
        self._weights = {name: torch.from_numpy(value) for name, value in weights_of(file).items()}
        self._words, self._shape = file.words, file.shape
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "table.npz"
            write_table(file.pieces, table)
            self._vocabulary = Vocabulary(file.pieces, table)
        self._bfloat16 = bfloat16
        chance = torch.Generator().manual_seed(seed)
        self.adapter: dict[str, tuple[torch.nn.Parameter, torch.nn.Parameter]] = {}
        for layer in range(self._shape.layers):
            for part in LINEAR:
                name = f"l{layer}.{part}"
                rows, columns = self._weights[f"{name}.w"].shape
                down = torch.randn(rank, columns, generator=chance) / math.sqrt(columns)
                self.adapter[name] = (torch.nn.Parameter(down), torch.nn.Parameter(torch.zeros(rows, rank)))

    @property
    def parameters(self) -> list[torch.nn.Parameter]:
        return [parameter for pair in self.adapter.values() for parameter in pair]

    def encode(self, texts: Sequence[str], most: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Vectors of the texts, (n, width), and of their tokens, (n, t, width), all of length 1; and which of the
        tokens are the text's own, (n, t) of 0 and 1. `most`: tokens of a text, the two special ones among them."""
        ids = [[BEGIN, *(token.number for token in self._vocabulary.tokens(text, most - 2)), END] for text in texts]
        order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
        longest = len(ids[order[-1]])
        parts = [
            self._encode([ids[at] for at in order[start : start + TOGETHER]], longest)
            for start in range(0, len(order), TOGETHER)
        ]
        back = torch.argsort(torch.tensor(order))
        vectors, tokens, own = (torch.cat(columns)[back] for columns in zip(*parts, strict=True))
        return vectors, tokens, own

    def load(self, adapter: Path) -> None:
        """Takes the parameters of an adapter of the same rank."""
        with np.load(adapter) as stored, torch.no_grad():
            for name, (down, up) in self.adapter.items():
                down.copy_(torch.from_numpy(stored[f"{name}.down"].astype(np.float32)))
                up.copy_(torch.from_numpy(stored[f"{name}.up"].astype(np.float32)))

    def arrays(self, scale: float = 1.0) -> Mapping[str, np.ndarray]:
        """The adapter as `utils.encoder_graph.weights_of` reads it, its effect multiplied."""
        found = {}
        for name, (down, up) in self.adapter.items():
            found[f"{name}.down"] = down.detach().numpy().astype(np.float16)
            found[f"{name}.up"] = (scale * up.detach().numpy()).astype(np.float16)
        return found

    def _encode(self, ids: Sequence[Sequence[int]], longest: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """As `encode`, of texts about as long as each other; tokens up to `longest` are filled up with zeros."""
        most = max(map(len, ids))
        padded = np.array([[*one, *[PADDING] * (most - len(one))] for one in ids])
        there = torch.tensor([[1.0] * len(one) + [0.0] * (most - len(one)) for one in ids])
        words = torch.from_numpy(self._words(padded.ravel().tolist())).view(*padded.shape, -1)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self._bfloat16):
            tokens = self._layers(words, there).float()
        mean = (tokens * there[..., None]).sum(1) / there.sum(1, keepdim=True)
        own = there.clone()
        own[:, 0] = 0
        own[torch.arange(len(ids)), torch.tensor([len(one) - 1 for one in ids])] = 0
        beyond = longest - most
        return (
            F.normalize(mean, dim=-1),
            F.pad(F.normalize(tokens, dim=-1), (0, 0, 0, beyond)),
            F.pad(own, (0, beyond)),
        )

    def _layers(self, words: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
        weights, shape = self._weights, self._shape
        x = self._norm(words + weights["emb.pos"][: words.shape[1]] + weights["emb.type"][0], "emb.ln")
        texts, tokens, width = x.shape
        seen = there[:, None, None, :].bool()
        for number in range(shape.layers):
            layer = f"l{number}"
            heads = [
                self._linear(x, f"{layer}.{part}").view(texts, tokens, shape.heads, -1).transpose(1, 2)
                for part in ("q", "k", "v")
            ]
            attended = F.scaled_dot_product_attention(*heads, attn_mask=seen).transpose(1, 2)
            x = self._norm(self._linear(attended.reshape(texts, tokens, width), f"{layer}.ao") + x, f"{layer}.aln")
            inner = F.gelu(self._linear(x, f"{layer}.fi"))
            x = self._norm(self._linear(inner, f"{layer}.fo") + x, f"{layer}.oln")
        return x

    def _linear(self, x: torch.Tensor, name: str) -> torch.Tensor:
        down, up = self.adapter[name]
        return F.linear(x, self._weights[f"{name}.w"], self._weights[f"{name}.b"]) + (x @ down.T) @ up.T

    def _norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self._weights[f"{name}.w"], self._weights[f"{name}.b"]
        return F.layer_norm(x, (x.shape[-1],), weight, bias, self._shape.epsilon)
