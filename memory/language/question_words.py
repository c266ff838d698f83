"""With which words do questions begin, as they are typed?"""

import re

from memory.language.languages import ENGLISH, language_of

LONGEST = 120  # characters of a question without its mark

_MEANT = {
    "where": ("wher", "whre", "wehre", "whare", "hwere", "wheer", "wherre"),
    "what": ("waht", "whta", "wht", "hwat", "whatt", "wjat"),
    "when": ("whne", "wehn", "hwen", "whenn", "whn"),
    "which": ("wich", "whcih", "whihc", "whitch", "wihch", "whch"),
    "who": ("whoo", "hwoo"),
    "why": ("hwy", "whyy"),
    "how": ("hwo", "howw"),
}
_RIGHT = {slip: word for word, slips in _MEANT.items() for slip in slips}
_SLIP = re.compile(
    rf"^(\W*(?:(?:so|and|but|hey|hi|ok|okay|well|please)\b\W*)*)({'|'.join(_RIGHT)})(?=['’]s\b|\s)", re.IGNORECASE
)


def with_question_word(text: str) -> str:
    """A text with the word that it begins with as it was meant, where that is a mistyped question word: "wher is"."""
    return _SLIP.sub(lambda found: f"{found[1]}{_RIGHT[found[2].lower()]}", text, count=1)


# In other languages what begins so asks, but for a clause that goes on with a pronoun: "wo ich wohne, …".
_ASKS = re.compile(
    r"^\W*(?:(?:und|y|et|e|en)\s+)?(?:"
    r"(?:wer|wen|wem|wo|woher|wohin|wann|warum|wieso|weshalb|welche[rsnm]?)\s+"
    r"(?!(?:ich|wir|du|er|sie|es|man|ihre?|(?:mein|dein|sein|unser|ein)(?:e[nmrs]?)?|der|die|das)\b)"
    r"|was\s+(?:ist|war|sind|hat|haben|mag|macht|heißt|heisst|kostet|habe)\s"
    r"|wie\s+(?:heißt|heisst|heißen|alt|viele?|lange|oft|ist|war|hoch|weit|groß|gross)\s+(?!(?:ich|wir|du|er|man)\b)"
    r"|(?:dónde|cuándo|cuánt[oa]s|quiénes|quién|cuáles|cuál|cómo)\s"
    r"|cuánt[oa]\s+(?:cuesta|vale|mide|pesa|es|tengo|gano|pago|tiempo|dinero)\b"
    r"|qué\s+(?:es|era|son|dij\w+|hace|hizo|tiene|tengo|hora|día|edad|color|talla|come|bebe|le gusta|me gusta)\b"
    r"|(?:donde|quien|cual|como)\s+(?:vive|esta|está|es|era|trabaja|se llama)\b"
    r"|quel(?:le)?s?\s+(?:est|sont|était|âge|jour|heure|taille|couleur)\b|où\s+(?!que\b)"
    r"|(?:qui|combien|pourquoi|comment|qu['’]est-ce|est-ce)\b"
    r"|quant[oa]\s+(?:costa|pesa|è|tempo|devo|ho|pago|guadagno|custa|pesa|tempo|tenho|ganho)\b"
    r"|(?:chi|dove|qual[ei]?|quant[ei]|perché|che cosa|cosa|come si)\s"
    r"|(?:quem(?!\s+me\s+dera)|onde|quais|qual|quant[oa]s|o que|como se)\s"
    r"|wie\s+(?:is|was|heeft|woont|gaat|zijn)\s"
    r"|(?:wat(?!\s+een\b)|waar|wanneer|waarom|welke?|hoeveel|hoe (?:heet|oud|lang|laat|vaak))\s+"
    r"(?!(?:ik|w[ei]j?|j[ei]j?|hij|z[ei]j?)\b)"
    r")[^.!:,\n]*$",
    re.IGNORECASE,
)


def asks_in_another_language(text: str) -> bool:
    """Whether a text in another language than English is one question that ends without a mark."""
    return len(text) <= LONGEST and _ASKS.match(text) is not None and language_of(text) is not ENGLISH
