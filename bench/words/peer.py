"""How bm25s ranks the same texts. A script for an interpreter that has bm25s and PyStemmer.

    python -I peer.py DATA.json

It imports nothing of Loci. DATA holds `k1`, `b`, `top_k`, `stopwords`, and `corpora`: `texts` and `questions` about
them, and the same as lists of terms, `text_terms` and `question_terms`. It prints one line of JSON: `version`, and
`rankings` by variant, for each corpus and question the places of the best texts. Variants: the given terms; terms of
its own but for the stop words; all of it as it comes.
"""

import importlib
import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    asked = json.loads(Path(sys.argv[1]).read_text())
    bm25s: Any = importlib.import_module("bm25s")
    stemmer: Any = importlib.import_module("Stemmer").Stemmer("english")

    def tokens(texts: list[str], stopwords: Any) -> Any:
        return bm25s.tokenize(texts, stopwords=stopwords, stemmer=stemmer, show_progress=False)

    def ranked(corpus: Any, texts: Any, questions: Any, **numbers: float) -> list[list[int]]:
        index = bm25s.BM25(method="lucene", **numbers)
        index.index(texts, show_progress=False)
        most = min(asked["top_k"], len(corpus["texts"]))
        found, scores = index.retrieve(questions, k=most, show_progress=False)
        return [
            [place for place, score in zip(places, each, strict=True) if score > 0]
            for places, each in zip(found.tolist(), scores.tolist(), strict=True)
        ]

    rankings: dict[str, list[list[list[int]]]] = {"terms": [], "stopwords": [], "own": []}
    numbers = {"k1": asked["k1"], "b": asked["b"]}
    for one in asked["corpora"]:
        rankings["terms"].append(ranked(one, one["text_terms"], one["question_terms"], **numbers))
        for variant, stopwords in (("stopwords", asked["stopwords"]), ("own", "en")):
            texts, questions = tokens(one["texts"], stopwords), tokens(one["questions"], stopwords)
            rankings[variant].append(ranked(one, texts, questions, **(numbers if variant == "stopwords" else {})))
    print(json.dumps({"version": importlib.metadata.version("bm25s"), "rankings": rankings}))


if __name__ == "__main__":
    main()
