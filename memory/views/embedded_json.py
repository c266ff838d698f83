"""The JSON that stands in a text: alone, in prose, in a fence of Markdown, or an object a line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from json import JSONDecodeError, JSONDecoder

# An object with a field, or a list of objects, lists or texts.
_BEGIN = re.compile(r'\{\s*(?=")|\[\s*(?=[\[{"])')
_IN_CODE = re.compile(r'(?:[=(,\[{+]|"\s*:|\b(?:return|yield))\s*$')  # what stands before a value of source code
BEFORE = 24  # characters that are looked at for that
MOST, MOST_FAULTS = 20_000, 1_000  # values of a text, and what only begins as one, that are looked at
_decoder = JSONDecoder()


@dataclass(frozen=True)
class JsonInText:
    """A value, and where it stands. `whole`: its end is there, too; the value is None where it is not."""

    begin: int
    end: int
    value: object
    whole: bool = True


def json_in(text: str) -> Iterator[JsonInText]:
    """The objects and lists of JSON in a text, in order; last, one that the text cuts short. Where something only
    begins as JSON does, what comes after its first fault is looked at."""
    at = values = faults = 0
    while values < MOST and faults < MOST_FAULTS and (opened := _BEGIN.search(text, at)) is not None:
        begin = opened.start()
        if _IN_CODE.search(text[max(0, begin - BEFORE) : begin]):
            at = begin + 1
            continue
        try:
            value, end = _decoder.raw_decode(text, begin)
        except JSONDecodeError as error:
            if error.msg.startswith("Unterminated") or not text[error.pos :].strip():
                yield JsonInText(begin, len(text), None, whole=False)
                return
            at = max(begin + 1, error.pos)
            faults += 1
        except ValueError:  # a number of more digits than Python reads
            at = begin + 1
            faults += 1
        except RecursionError:
            return
        else:
            yield JsonInText(begin, end, value)
            at = end
            values += 1
