"""Makes the list of English words by which a misspelt one is known: `python -m bench.fit_lexicon FILE…`.

A file has a word at the beginning of each line. What ships was made on 2026-11-24 of 77,347 words in symspellpy 6.10's
frequency_dictionary_en_82_765.txt, 122,618 that are keys of en.json in pyspellchecker 0.9, 247,614 of web2 and gcide in
english-words 2.0, 18,346 in the encoder's vocabulary, and 9,062 that stand three times in `bench/data`.
"""

import re
import sys
from pathlib import Path

import numpy as np

from memory.language.languages import LEXICON, LONGEST_WORD, SHORTEST_WORD, hashes_of

_WORD = re.compile(rf"\ufeff?([a-z]{{{SHORTEST_WORD},{LONGEST_WORD}}})(?![^\W\d_]|['’-])")


def main(paths: list[str]) -> None:
    """Raises `OSError` where a file cannot be read."""
    lines = (line for path in paths for line in Path(path).read_text("utf-8").lower().splitlines())
    words = {found[1] for line in lines if (found := _WORD.match(line))}
    np.save(LEXICON, np.unique(hashes_of(sorted(words))))
    print(f"{len(words):,} words in {LEXICON}")


if __name__ == "__main__":
    main(sys.argv[1:] or sys.exit(__doc__))
