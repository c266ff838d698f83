"""Files that make a reranker, once a process, and what is said of those that make none."""

import threading
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto
from tokenizers import Tokenizer, models

from tests.utils.toy_reranker import Make, sigmoid
from utils import reranker
from utils.errors import ConfigurationError
from utils.reranker import INPUTS, Reranker, load_reranker


@pytest.mark.parametrize("named", ["", "model.onnx"])
@pytest.mark.parametrize(
    ("graph", "tokenizer"),
    [
        ("model.onnx", "tokenizer.json"),
        ("onnx/model.onnx", "tokenizer.json"),
        ("onnx/model.onnx", "onnx/tokenizer.json"),
    ],
)
async def test_a_file_or_its_folder_can_be_named(
    make_toy: Make, tmp_path: Path, graph: str, tokenizer: str, named: str
) -> None:
    made, folder = make_toy(), tmp_path / "cross-encoder"
    (folder / "onnx").mkdir(parents=True)
    (made / "model.onnx").rename(folder / graph)
    (made / "tokenizer.json").rename(folder / tokenizer)
    toy = load_reranker(folder / graph if named else folder)
    assert await toy.scores("p1", ["n1"]) == pytest.approx([sigmoid(-9)], rel=1e-5)


async def test_links_of_a_hubs_cache_are_not_followed_to_find_the_tokenizer(make_toy: Make, tmp_path: Path) -> None:
    made = make_toy()
    (tmp_path / "blobs").mkdir()
    (tmp_path / "snapshot" / "onnx").mkdir(parents=True)
    (made / "model.onnx").rename(tmp_path / "blobs" / "6c1f")
    (made / "tokenizer.json").rename(tmp_path / "blobs" / "92ab")
    (tmp_path / "snapshot" / "onnx" / "model.onnx").symlink_to(tmp_path / "blobs" / "6c1f")
    (tmp_path / "snapshot" / "tokenizer.json").symlink_to(tmp_path / "blobs" / "92ab")
    assert (await load_reranker(tmp_path / "snapshot").scores("p1", ["n1"])).shape == (1,)


def test_one_process_loads_once_even_from_many_threads(make_toy: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_toy()
    loaded: list[Reranker] = []
    paths = [folder, folder / "model.onnx"] * 2
    threads = [threading.Thread(target=lambda path=path: loaded.append(load_reranker(path))) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert loaded == [loaded[0]] * 4
    monkeypatch.chdir(folder)
    assert load_reranker(Path("model.onnx")) is loaded[0]


def test_a_forked_child_loads_its_own(make_toy: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reranker, "_rerankers", {})
    monkeypatch.setattr(reranker, "_loading", threading.Lock())
    folder = make_toy()
    toy = load_reranker(folder)
    reranker._forget_rerankers()
    assert load_reranker(folder) is not toy


def refused(path: Path) -> str:
    with pytest.raises(ConfigurationError) as refusal:
        load_reranker(path)
    assert refusal.value.detail.startswith("RERANK_MODEL: ") and "\n" not in refusal.value.detail
    return refusal.value.detail


def test_a_path_without_a_graph_says_what_is_looked_for(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing", tmp_path / "missing.onnx", Path("a\x00b")):
        assert "there is no ONNX file" in refused(path) and "model.onnx" in refused(path)
    assert "cannot be read" in refused(tmp_path / ("x" * 300))


def test_a_graph_without_a_tokenizer_says_where_it_belongs(make_toy: Make) -> None:
    folder = make_toy()
    (folder / "tokenizer.json").unlink()
    assert f"no tokenizer.json beside {folder / 'model.onnx'} or in the folder above" in refused(folder)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("tokenizer.json", text, "is not a tokenizer")
        for text in ("", "{}", '{"version": "1.0", "model": {"type": "X"}}')
    ]
    + [("model.onnx", text, "cannot be loaded") for text in ("", "no graph", "\x08\x0a" * 100)],
)
def test_a_file_that_is_none_of_its_kind_is_refused(make_toy: Make, name: str, content: str, complaint: str) -> None:
    folder = make_toy()
    (folder / name).write_text(content)
    assert f"{name} {complaint}" in refused(folder)


def test_a_tokenizer_that_knows_no_words_is_refused(make_toy: Make) -> None:
    assert "tokenizer.json cannot be used" in refused(
        make_toy(Tokenizer(models.WordLevel({"a": 0}, unk_token="[UNK]")))
    )


@pytest.mark.parametrize(
    ("traits", "complaint"),
    [
        ({"inputs": [*INPUTS, "position_ids"]}, "position_ids, token_type_ids, instead of"),
        ({"inputs": ["ids", "attention_mask"]}, "it takes attention_mask, ids, instead of"),
        ({"inputs": ["input_ids"]}, "it takes input_ids, instead of"),
        ({"kinds": {"attention_mask": TensorProto.FLOAT}}, "does not run on 3 x 5 tokens"),
        ({"output": "(n, 3)"}, "(3, 3) for n = 3"),
        ({"output": "(n, tokens)"}, "not one logit a pair"),
        ({"floating": TensorProto.INT64}, "not one logit a pair"),
        ({"shape": [1, "tokens"]}, "does not run on 3 x 5 tokens"),
        ({"shape": ["pairs", 128]}, "does not run on 3 x 5 tokens"),
    ],
)
def test_a_graph_that_is_no_cross_encoder_is_refused(make_toy: Make, traits: dict[str, Any], complaint: str) -> None:
    assert complaint in refused(make_toy(**traits))


def test_a_graph_without_an_output_is_refused(make_toy: Make) -> None:
    folder = make_toy()
    model = onnx.load_model(folder / "model.onnx")
    del model.graph.output[:]
    onnx.save_model(model, folder / "model.onnx")
    assert "does not run" in refused(folder) and "logits" in refused(folder)
