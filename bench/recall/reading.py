"""Reads a benchmark from a file, whose format is told by its content."""

from pathlib import Path

import orjson
from pydantic import ValidationError

from bench.recall.corpus import Corpus, UnreadableCorpus
from bench.recall.formats.locomo import read_locomo
from bench.recall.formats.longmemeval import read_longmemeval
from bench.recall.formats.prepared import read_prepared


def read_corpus(file: Path) -> Corpus:
    """The corpus in a file, named after it unless it has a name itself. Raises `UnreadableCorpus`."""
    try:
        return corpus_of(orjson.loads(file.read_bytes()), file.stem)
    except OSError as error:
        raise UnreadableCorpus(f"{file}: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise UnreadableCorpus(f"{file} is not JSON: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise UnreadableCorpus(f"{file}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    except UnreadableCorpus as error:
        raise UnreadableCorpus(f"{file}: {error}") from error


def corpus_of(data: object, name: str) -> Corpus:
    """The corpus in the JSON of a file. Raises `UnreadableCorpus`, or `pydantic.ValidationError`."""
    match data:
        case {"conversations": [*_]}:
            return read_prepared(data)
        case [{"conversation": {}, "qa": [*_]}, *_]:
            return read_locomo(data, name)
        case [{"haystack_sessions": [*_]}, *_]:
            return read_longmemeval(data, name)
        case _:
            raise UnreadableCorpus("neither the prepared format, nor LoCoMo's, nor LongMemEval's")
