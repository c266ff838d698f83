"""How often what a text does is told rightly, on conversations that nobody here wrote: `python -m bench.acts DATA…`.

DATA: files of conversations with questions, as `bench.recall` reads them. Nobody labelled them for this: a question of
the benchmark asks; of the messages, one sentence that begins and ends as a question does asks, and one that ends with a
full stop tells. Each is read as it stands, in small letters without a mark at the end, as hasty people type, and with a
slip of the hand in its longest word as well.

A column each: the share that is told rightly. What ends with a question mark is taken for asking at 0.6 at least, so
that "as it stands" tells little of questions; what tells is hardest to tell without its full stop.
"""

import argparse
import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.recall.corpus import Corpus, spread
from bench.recall.misspelling import with_slip
from bench.recall.reading import read_corpus
from bench.recall.table import table
from config.settings import Settings
from memory.language import LONGEST, doing
from utils.embeddings import LocalEmbedder, open_local_embedder
from utils.sentences import split_sentences
from utils.text import ends_with_full_stop, ends_with_question_mark

MOST = 2_000  # of each kind of each corpus
LEAST_WORDS = 3  # of a message: "Why?" asks by its mark alone
OPENS = re.compile(
    r"(?:what|which|who|whose|when|where|why|how|is|are|was|were|do|does|did|has|have|can|could|will|would|should)\b",
    re.IGNORECASE,
)
FORMS: dict[str, Callable[[str], str]] = {
    "as it stands": str,
    "small, no mark": lambda text: text.lower().rstrip(" .?"),
    "with a slip": lambda text: with_slip(text.lower().rstrip(" .?"), Random(text)),
}


class Labelled(NamedTuple):
    """`kind`: of what it is; `asks`: else it tells."""

    text: str
    kind: str
    asks: bool


def labelled(corpus: Corpus) -> Iterator[Labelled]:
    for conversation in corpus.conversations:
        for question in conversation.questions:
            if len(question.text) <= LONGEST:
                yield Labelled(question.text, "questions", asks=True)
        for message in conversation.messages:
            text = message.text.strip()
            if len(text) > LONGEST or len(text.split()) < LEAST_WORDS or len(split_sentences(text)) != 1:
                continue
            if ends_with_question_mark(text) and OPENS.match(text):
                yield Labelled(text, "asking messages", asks=True)
            elif ends_with_full_stop(text):
                yield Labelled(text, "telling messages", asks=False)


async def right(reader: LocalEmbedder, texts: Sequence[Labelled], form: Callable[[str], str]) -> int:
    """How many of some texts are told rightly in a form."""
    formed = [form(one.text) for one in texts]
    vectors = await reader.embed(formed)
    wants = [doing(vector, text).wants for text, vector in zip(formed, vectors, strict=True)]
    return sum(wanting == one.asks for wanting, one in zip(wants, texts, strict=True))


async def measure(reader: LocalEmbedder, corpora: Sequence[Corpus]) -> list[list[str]]:
    """A row for each kind of each corpus, and for all that asks and all that tells: how many texts, and the share that
    is told rightly, by form, in percent."""
    counts: dict[str, NDArray[np.int_]] = {}
    for corpus in corpora:
        every = list(labelled(corpus))
        for kind in dict.fromkeys(one.kind for one in every):
            chosen = spread([one for one in every if one.kind == kind], MOST)
            found = np.array([len(chosen), *[await right(reader, chosen, form) for form in FORMS.values()]])
            whole = "all that asks" if chosen[0].asks else "all that tells"
            counts[f"{corpus.name}, {kind}"] = found
            counts[whole] = counts.pop(whole, np.zeros_like(found)) + found
    return [[name, f"{size:,}", *(f"{100 * one / size:.1f}" for one in told)] for name, (size, *told) in counts.items()]


async def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.acts", description=__doc__)
    parser.add_argument("data", nargs="+", type=Path, metavar="DATA")
    files = parser.parse_args(arguments).data
    reader = await asyncio.to_thread(open_local_embedder, Settings())
    print(table(["told rightly, %", "texts", *FORMS], await measure(reader, list(map(read_corpus, files)))))


if __name__ == "__main__":
    asyncio.run(main())
