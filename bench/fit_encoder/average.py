"""The average of several adapters, as one adapter.

    python -m bench.fit_encoder.average ADAPTER ADAPTER… --data DATA…

The average of what adapters change (Wortsman et al., "Model soups", 2022) finds a little more than each of them. The
sum of their ranks is the rank that it needs. It is written into `utils/` with the projection of token vectors, which
is computed from DATA, as `bench.fit_encoder` does.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.fit_encoder.__main__ import offset, projection
from bench.fit_encoder.bert import Bert
from bench.recall.reading import read_corpus
from utils.encoder import ADAPTER, OFFSET, PROJECTION, model_file
from utils.encoder_file import EncoderFile


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("adapters", nargs="+", type=Path)
    parser.add_argument("--data", nargs="+", type=Path, required=True)
    arguments = parser.parse_args()
    found = averaged(arguments.adapters)
    np.savez_compressed(ADAPTER, **found)  # type: ignore[arg-type]
    rank = next(array.shape[0] for name, array in found.items() if name.endswith(".down"))
    bert = Bert(EncoderFile(model_file()), rank=rank)
    bert.load(ADAPTER)
    conversations = [one for file in arguments.data for one in read_corpus(file).conversations]
    np.save(PROJECTION, projection(bert, conversations))
    np.save(OFFSET, offset(bert, conversations))


def averaged(files: Sequence[Path]) -> dict[str, np.ndarray]:
    """The average of adapters: their factors side by side."""
    found: dict[str, np.ndarray] = {}
    adapters = [dict(np.load(file)) for file in files]
    for name in adapters[0]:
        parts = [one[name].astype(np.float32) for one in adapters]
        is_down = name.endswith(".down")
        whole = np.concatenate(parts, axis=0 if is_down else 1)
        found[name] = (whole if is_down else whole / len(files)).astype(np.float16)
    return found


if __name__ == "__main__":
    main()
