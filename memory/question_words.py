"""How are the words typed with which questions begin?"""

import re

_MEANT = {
    "where": ("wher", "whre", "wehre", "whare", "hwere", "wheer", "wherre"),
    "what": ("waht", "whta", "wath", "wht", "hwat", "whatt", "wjat", "whar"),
    "when": ("whne", "wehn", "hwen", "whenn", "wen", "whn"),
    "which": ("wich", "whcih", "whihc", "whitch", "wihch", "whch"),
    "who": ("whoo", "hwoo"),
    "why": ("hwy", "whyy"),
    "how": ("hwo", "hou", "howw"),
}
_RIGHT = {slip: word for word, slips in _MEANT.items() for slip in slips}
_SLIP = re.compile(
    rf"^(\W*(?:(?:so|and|but|hey|hi|ok|okay|well|please)\b\W*)*)({'|'.join(_RIGHT)})(?=['’]s\b|\s)", re.IGNORECASE
)


def with_question_word(text: str) -> str:
    """A text with the word that it begins with as it was meant, where that is a mistyped question word: "wher is"."""
    return _SLIP.sub(lambda found: f"{found[1]}{_RIGHT[found[2].lower()]}", text, count=1)
