"""Text measured, cut and taken apart."""

import re
import threading
from functools import lru_cache
from unicodedata import category, normalize

import snowballstemmer

# Sequences of ESC, or of CSI as one character; a character that is erased; the bell, and shifts between alphabets.
_TERMINAL = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+(?:[@-~]|\Z)|\x1b[\]PX^_][^\x07\x1b\n]*+(?:\x07|\x1b\\|\Z)"
    r"|\x1b[ -/]*+(?:[0-Z\\`-~]|\Z)|[^\n\x07\x08\x0e\x0f\x1b\x9b]\x08|[\x07\x08\x0e\x0f]"
)
_FOR_TERMINALS = re.compile(r"[\x07\x08\x0e\x0f\x1b\x9b]")
CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SEPARATORS = str.maketrans(dict.fromkeys("\x0b\x0c\x1c\x1d\x1e\x1f\x85", " "))  # of pages, lines, fields, records
_UNSHOWN = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
LATIN_ACCENTS = re.compile(r"(?<=[a-z])[\u0300-\u036f]+")
# Vowels and other marks that are part of a word in Hebrew, Arabic and the scripts of India, and no letters to `\w`.
_MARKS = "".join(chr(code) for code in range(0x0591, 0x0E00) if category(chr(code)).startswith("M"))
WORD = re.compile(rf"[^\W_]+(?:[{_MARKS}]+[^\W_]*)*(?:['’][^\W_]+)*")
SYMBOLS = "#$%&*+~-"  # that make another word of the one that they stand at: "C++", "A-", "R&D", "#1", "$HOME", "50%"
_MARKED = re.compile(
    rf"(?:(?<![\w{SYMBOLS}])[{SYMBOLS}]{{1,3}}(?=[^\W_]))?{WORD.pattern}(?:&[^\W_]+)*(?:[#$%*+~]+|-(?!\w))?"
)
_EMPHASIS = re.compile(r"(?<![\w*])\*+(\w[^*\n]*)\*+")  # of Markdown
# Kana, and Chinese characters.
_UNSPACED = re.compile(
    r"[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
_RUN = re.compile(rf"{_UNSPACED.pattern}+|(?:(?!{_UNSPACED.pattern}).)+")
_GRAMMAR = re.compile(r"[\u3040-\u309f]+")  # hiragana alone
UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})  # as who has no such keys writes them
# Latin letters that no accent makes, as who has no key for them writes them.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe", "ß": "ss", "þ": "th"})
DOTTED_I = "i\u0307"  # what "İ" is in lower case
_RECALLED = re.compile(r'(?:^## [^\n]*\n)?<memory kind="\w+">', re.MULTILINE)
_RECALLED_END = re.compile("(</memory>)")
_CITED = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
_FENCED = re.compile(r"```\w*\s(.*?)```", re.DOTALL)

_LETTER = re.compile(r"[^\W\d_]")
_GREEK = re.compile(r"[\u0370-\u03ff]")  # a script in which a semicolon asks

GAP = "…"  # stands where something is left out

# Words that carry no meaning of their own in a question or an answer.
STOPWORDS = frozenset(
    """
    a about above after again all also am an and any anything are aren't as at be because been before being
    but by can can't could did didn't do does doesn't doing don't for from had has have having he he's her
    here hers him his how i i'd i'll i'm i've if in into is isn't it it's its just know let like many me might
    mine more most much must my no nor not now of off on once only or other our ours out over own please
    really remember remind said say says she she's should so some something such tell than that that's the
    their theirs them then there these they they're thing things this those through to told too under until up
    us very was wasn't we we're well were weren't what what's when where which while who who's whom whose why
    will with won't would you you're your yours
    """.split()  # noqa: SIM905  a list would be four times as long
)


IMAGE = "[image]"  # what stands for a part of a message that is no text


class _Stemmers(threading.local):
    """A stemmer holds the word that it is at, so each thread has its own."""

    def __init__(self) -> None:
        self.english = snowballstemmer.stemmer("english")
        self.russian = snowballstemmer.stemmer("russian")


_stemmers = _Stemmers()


def ends_with_question_mark(text: str) -> bool:
    """Whether a text ends with the mark of a question, in whatever script it is, whatever images stand behind it."""
    bare = text.rstrip()
    if bare.endswith(IMAGE):
        bare = text[: _end_before_images(bare)]
    return bare.endswith(("?", "？", "؟", "\u037e", "\u055e")) or (
        bare.endswith(";") and 2 * len(_GREEK.findall(bare)) > len(_LETTER.findall(bare))
    )


def _end_before_images(text: str) -> int:
    end = len(text)
    while end and (text[end - 1].isspace() or text.endswith(IMAGE, 0, end)):
        end -= 1 if text[end - 1].isspace() else len(IMAGE)
    return end


def ends_with_full_stop(text: str) -> bool:
    """Whether a text ends with the mark of a statement's end, or an exclamation's, in whatever script it is."""
    return text.rstrip().endswith((".", "!", "。", "！", "।"))


def is_unspaced(word: str) -> bool:
    """Whether a word is, at least in part, of a script that has no blanks between words: Chinese, Japanese."""
    return _UNSPACED.search(word) is not None


def count_tokens(text: str) -> int:
    """Estimated tokens of `text`: a quarter of its UTF-8 bytes, rounded up.

    English text averages about four bytes a token under the tokenizers of current models; where a provider reports
    usage, its figure is used instead.
    """
    return -(-len(text.encode("utf-8", "replace")) // 4)


def without_recalled(text: str) -> str:
    """A text without the elements in which memories are quoted to models, where one comes back."""
    if "<memory" not in text:
        return text
    return without_elements(text, _RECALLED, _RECALLED_END)[0].strip()


def without_elements(text: str, begin: re.Pattern[str], end: re.Pattern[str]) -> tuple[str, list[re.Match[str]]]:
    """A text without what stands between a `begin` and the next `end`, both included, in one pass whatever the text;
    and where each of these begins. `end`: all of it is one group."""
    parts, begun = end.split(text), []
    for place in range(0, len(parts) - 1, 2):
        if (found := begin.search(parts[place])) is not None:
            begun.append(found)
            parts[place : place + 2] = parts[place][: found.start()], ""
    return "".join(parts), begun


def on_one_line(text: str) -> str:
    return " ".join(text.split())


def cut_at_word(text: str, characters: int | None) -> str:
    """`text` on one line, at most `characters` long, cut at the end of a word and marked with an ellipsis."""
    flat = on_one_line(text)
    if characters is None or len(flat) <= characters:
        return flat
    head = flat[: characters - 1]
    space = head.rfind(" ")
    if space > characters // 2 and flat[characters - 1] != " ":
        head = head[:space]
    return head.rstrip(" ,;:-") + "…"


def pieces_of(text: str, characters: int) -> list[str]:
    """A text in pieces of at most so many characters, in order and without a gap: each ends where a paragraph, a line,
    a sentence or a word does, if that is in its second half."""
    pieces, start = [], 0
    while len(text) - start > characters:
        half, most = start + characters // 2, start + characters
        ends = (text.rfind(mark, half, most) + len(mark) for mark in ("\n\n", "\n", ". ", " "))
        end = next((end for end in ends if end > half), most)
        pieces.append(text[start:end])
        start = end
    return [*pieces, text[start:]]


def off_a_terminal(text: str) -> str:
    """What a terminal shows of a text: without the codes by which programs colour it, move about, ring and erase
    (ECMA-48), also where the last is cut off. Other control characters are left."""
    return _TERMINAL.sub("", text) if _FOR_TERMINALS.search(text) else text


def with_blanks(text: str) -> str:
    """A text with blanks for the control characters that part it, as form feeds, vertical tabs and NEL do."""
    return text if text.isascii() and text.isprintable() else text.translate(_SEPARATORS)


def lower_in_place(text: str) -> str:
    """Lower case, where each character keeps its place: of all, only İ would become two."""
    return text.replace("İ", "i").lower()


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The Snowball (English) stem of a lower-case word, without a possessive ending and without accents."""
    bare = re.sub(r"['’]s$", "", word)
    return str(_stemmers.english.stemWord(bare if bare.isascii() else without_accents(bare)))


@lru_cache(maxsize=8_192)
def russian_stem(word: str) -> str:
    """The Snowball (Russian) stem of a lower-case word."""
    return str(_stemmers.russian.stemWord(word.replace("ё", "е")))


def without_accents(word: str) -> str:
    """Those on Latin letters; in other scripts, such marks are letters of their own."""
    return normalize("NFC", LATIN_ACCENTS.sub("", normalize("NFD", word))).translate(_PLAIN)


def folded(text: str) -> str:
    """What texts have in common that differ in case, in width or in how letters are styled alone: "STRASSE" and
    "Straße", "İstanbul" and "istanbul", "ａｂｃ", "𝐚𝐛𝐜" and "abc"."""
    return normalize("NFKC", normalize("NFKC", text).casefold()).replace(DOTTED_I, "i")


def shown(text: str) -> str:
    """A text in one line, without characters that cannot be seen or turn the others around."""
    return " ".join(_UNSHOWN.sub(" ", text).split())


def unfenced(text: str) -> str:
    """A model's JSON without the fence of Markdown, or the words, that some put around it."""
    fenced = None if text.lstrip().startswith("{") else _FENCED.search(text)
    inner = fenced[1] if fenced else text
    begin, end = inner.find("{"), inner.rfind("}")
    return inner[begin : end + 1] if 0 <= begin < end else inner.strip()


def words(text: str) -> list[str]:
    """The words of `text`, lower case, in order."""
    return [word.replace("’", "'") for word in WORD.findall(text.lower())]


def searched_words(text: str) -> list[str]:
    """The words by which `text` is found, lower case, in order: of writing without spaces, pairs of neighbouring
    characters, as search engines have it."""
    said = words(text)
    return said if text.isascii() else [part for word in said for part in _pairs(word)]


def _pairs(word: str) -> list[str]:
    """A word that is written with spaces around it as it is; of others the pairs, without those that are grammar."""
    if not _UNSPACED.search(word):
        return [word]
    found: list[str] = []
    for run in _RUN.findall(word):
        if len(run) == 1 or not _UNSPACED.match(run):
            found.append(run)
            continue
        pairs = [run[at : at + 2] for at in range(len(run) - 1)]
        found += [pair for pair in pairs if not _GRAMMAR.fullmatch(pair)] or pairs
    return found


def content_stems(text: str) -> list[str]:
    """The stems of the words of `text` that carry meaning, in order."""
    return [stem(word) for word in searched_words(text) if word not in STOPWORDS]


def is_text(text: str) -> bool:
    """Whether UTF-8 can carry it: it has no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def marked_words(text: str) -> list[str]:
    """The words of `text` with the symbols that tell them from others, lower case, in order."""
    return [word.replace("’", "'") for word in _MARKED.findall(_EMPHASIS.sub(r"\1", text.lower()))]


def slug(text: str, most: int = 60, *, symbols: bool = True) -> str:
    """A short lower-case key made of the words of `text`, joined by spaces. `symbols`: "C++" and "C#" are two."""
    return cut_at_word(" ".join(marked_words(text) if symbols else words(text)), most).rstrip("…")


def masked(secret: str) -> str:
    """A secret as it may be shown: its length's worth of nothing but the last characters of a long one."""
    return f"…{secret[-4:]}" if len(secret) >= 16 else "…"


def repair(text: str) -> str:
    """The text with surrogate pairs joined and lone surrogates replaced by U+FFFD, so that it encodes as UTF-8."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def join_surrogates(held: str, delta: str) -> tuple[str, str]:
    """The text to pass on and what to hold back: a pair that two chunks of a stream share must not be torn."""
    text = held + delta
    if text and "\ud800" <= text[-1] <= "\udbff":
        return repair(text[:-1]), text[-1]
    return repair(text), ""


def numbers_cited(text: str) -> set[int]:
    """The numbers in brackets, such as [2] or [1, 3]."""
    return {int(number) for found in _CITED.findall(text) for number in re.findall(r"\d+", found)}
