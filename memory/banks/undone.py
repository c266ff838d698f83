"""What do sentences say of work that is not done, though the words for what is done stand in them?"""

import re

_MENDED = r"fixed|resolved|solved|closed"
_WORK = (
    rf"(?:{_MENDED}|done|completed?|finished|implemented|shipped|merged|released|deployed|added|refactored|migrated|"
    r"created|removed|upgraded|tested|ready|written(?! in\b))\b"
)
_TO_WORK = r"(?:finish|complete|implement|ship|merge|release|deploy|migrate|fix|resolve|solve)\b"
_S = r"(?:[ \t]{1,9}|[ \t]?\n(?-i:(?=[a-z])))"  # a line may be broken, but where the next begins small
_GAP = (  # a word with which nothing new begins
    r"(?:(?!(?:but|and|so|or|since|because|as|after|before|until|when|once|if|that|which|who|while|whether|be)\b)"
    rf"\w[\w'’-]{{0,40}}{_S})"
)
_DENIED = (
    r"(?:(?<!must )(?<!may )(?<!shall )(?<!should )(?<!do )\bnot|\b(?:nothing|nobody|none|no|hardly|barely|neither)|"
    r"\b(?:is|are|was|were|has|have|had|been|got) never|\bcan(?:not|['’]t) be|"
    r"\b(?:is|are|was|were|has|have|had|did|could|would|does|ca)n(?:['’]t|t\b))"
)
# "Tests are not done", "has never been merged", "half finished", "80 % done", "could not finish".
_NOT = re.compile(
    rf"{_DENIED}{_S}(?!only\b|just\b|longer\b){_GAP}{{0,5}}?{_WORK}|\bnever {_WORK}|"
    rf"\b(?:almost|nearly|half|partly|partially|mostly)[ \t-]{_WORK}|(?<![\d.])\d{{1,2}} ?% {_WORK}|"
    rf"\b(?:did(?: not|n['’]t)|could(?: not|n['’]t)|failed to|unable to|yet to) (?:be )?(?:{_WORK}|{_TO_WORK})|"
    r"\b(?:unfinished|incomplete|unmerged|unreleased|undeployed|unimplemented|undone|untested|unresolved|unsolved|unfixed)\b",
    re.IGNORECASE,
)
_NOT_MENDED = re.compile(rf"(?:{_MENDED}|un(?:fixed|resolved|solved)|fix|resolve|solve)$", re.IGNORECASE)
# "Will be merged", "is to be done", "until the tests are done", "no longer deployed".
_NOT_NOW = re.compile(
    rf"\b(?:will|shall|should|must|can|may|might|could|would){_S}(?:\w{{1,40}}{_S}){{0,2}}?(?:be|get){_S}"
    rf"(?:\w{{1,40}}ly{_S})?{_WORK}|"
    rf"(?<!seems )(?<!seem )(?<!seemed )(?<!appears )(?<!appear )(?<!appeared )"
    rf"\bto (?:be|get) (?:\w{{1,40}}ly )?{_WORK}|"
    rf"\bno longer {_WORK}|"
    rf"\b(?:until|unless|if|whether|once|when|as soon as|before|after){_S}"
    rf"(?:{_GAP}{{1,5}}?(?:is|are|has been|have been|gets?){_S}(?:all |fully |finally )?)?{_WORK}",
    re.IGNORECASE,
)
# A row of a table, a cell of which says so and nothing else.
_ROW = re.compile(
    r"\|[ \t]*(?:open|to[ -]?do|pending|planned|not (?:yet )?(?:started|begun)|in progress|wip|blocked|missing|"
    r"outstanding|❌|☐|\[ \])[ \t]*(?:\||$)",
    re.IGNORECASE | re.MULTILINE,
)


# "Fixed the bug where files were not closed" says how it was.
_FORMER = re.compile(rf"\b{_WORK}[^.;!?\n]*\b(?:where|that|which|who|when|because)\b[^.;!?\n]*$", re.IGNORECASE)
_BEFORE = 200  # characters of a sentence that are looked at for that


def without_undone(text: str) -> tuple[str, int, int]:
    """A text without what it says of work that is not done, or not said to be; and how often it says that work, and how
    often that a fault, waits to be done."""
    found = _undone(text)
    mended = sum(_NOT_MENDED.search(one) is not None for one in found)
    return _NOT_NOW.sub(" ", _NOT.sub(" ", text)), len(found) - mended, mended


def is_undone(text: str) -> bool:
    """Whether a text says of work that it is not done yet."""
    return bool(_undone(text))


def has_open_row(text: str) -> bool:
    """Whether a row of a table says that something is open."""
    return _ROW.search(text) is not None


def _undone(text: str) -> list[str]:
    places = _NOT.finditer(text)
    return [one[0] for one in places if not _FORMER.search(text[max(0, one.start() - _BEFORE) : one.start()])]
