"""Makes the list of English words by which a misspelt one is known: `python -m bench.fit_lexicon FILE… --short FILE…`.

A file has a word at the beginning of each line; of those behind `--short` words of three and four letters count, too,
for large dictionaries have most that a slip makes of such. What ships was made on 2026-11-24 of 77,347 words in
symspellpy 6.10's frequency_dictionary_en_82_765.txt, 122,618 that are keys of en.json in pyspellchecker 0.9, 247,614 of
web2 and gcide in english-words 2.0, 18,346 in the encoder's vocabulary, and 9,062 that stand three times in
`bench/data`; on 2026-11-29 it got the 5,859 short ones of the first two and of what stands there in English.
"""

import argparse
import re
from pathlib import Path

import numpy as np

from memory.language.languages import LEXICON, LONG_WORD, LONGEST_WORD, SHORTEST_WORD, hashes_of

_WORD = re.compile(rf"\ufeff?([a-z]{{{SHORTEST_WORD},{LONGEST_WORD}}})(?![^\W\d_]|['’-])")


def main(paths: list[str], short: list[str]) -> None:
    """Raises `OSError` where a file cannot be read."""
    words = {word for word in _words_in(paths) if len(word) >= LONG_WORD} | _words_in(short)
    np.save(LEXICON, np.unique(hashes_of(sorted(words))))
    print(f"{len(words):,} words in {LEXICON}")


def _words_in(paths: list[str]) -> set[str]:
    lines = (line for path in paths for line in Path(path).read_text("utf-8").lower().splitlines())
    return {found[1] for line in lines if (found := _WORD.match(line))}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--short", nargs="+", default=[])
    arguments = parser.parse_args()
    main(arguments.files, arguments.short)
