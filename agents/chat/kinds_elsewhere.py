"""Of which kin, animals and things that are easily taken for each other does a text in another language speak?

To an embedding "mein Hund" is nearly "meine Katze", and "my dog" is both.
"""

import re
from functools import lru_cache

from memory.language.languages import may_not_be_english
from utils.text import STOPWORDS, stem, words

# By the English word, how the words for it begin in German, Spanish, French, Italian, Portuguese, Dutch, Polish,
# Russian, Turkish, Chinese, Japanese, Korean, Arabic and Greek.
_WORDS = {
    "dog": (
        r"hund|perr[oa]|chien|can[ei]\b|cachorr|cão\b|cães\b|hond|pies\b|ps(?:a|em|u|y)\b|собак|п[её]с\b"
        r"|köpe[kğ]|狗|犬|강아지|كلب|σκύλ"
    ),
    "cat": (
        r"katze|kater\b|gat[oa]s?\b|chatte?s?\b|chats?\b|gatt[oaie]\b|kat(?:ten|je)?\b|poes"
        r"|kot(?:a|em|ek|ka|y)?\b|кот[аыуе]?\b|кошк|kedi|猫|고양이|قط|γάτ"
    ),
    "mother": (
        r"mutter\b|mama\b|mamá|madre|mère|maman\b|mãe\b|moeder|matk|матер|мать\b|мам[аыуе]\b|annem|妈|母"
        r"|엄마|어머니"
    ),
    "father": r"vater\b|papa\b|papá|padre|père|pai\b|vader|ojc|отец|отц|пап[аыуе]\b|babam|爸|父|아버지|아빠",
    "brother": (
        r"bruder|brüder|hermanos?\b|frères?\b|fratell[oi]|irmãos?\b|broer|brat(?:a|em|u)?\b|брат|erkek kardeş"
        r"|ağabey|哥|弟|兄|오빠|남동생"
    ),
    "sister": (
        r"schwester|hermanas?\b|sœur|soeur|sorell|irmãs?\b|zus(?:je|sen)?\b|siostr|сестр|kız kardeş|abla|姐|妹|姉"
        r"|언니|누나|여동생"
    ),
    "son": r"sohn|söhne|hijos?\b|fils\b|figlio|filhos?\b|zoon|syn(?:a|em|u)?\b|сын|oğl|儿子|息子|아들",
    "daughter": r"tochter|töchter|hijas?\b|filles?\b|figlia|filhas?\b|dochter|córk|доч|kızım|女儿|娘|딸",
    "wife": (
        r"(?:meine|deine|seine)r? frau\b|ehefrau|esposa|mi mujer\b|(?:ma|sa) femme\b|moglie|minha mulher\b"
        r"|mijn vrouw\b|żon|жен[аыуе]\b|karım\b|妻|老婆|太太|아내"
    ),
    "husband": (
        r"(?:mein|dein|ihr)e?[nm]? mann\b|ehemann|marido|esposo|(?:mon|son) mari\b|marito|mijn man\b|mąż|męż"
        r"|муж|kocam|丈夫|老公|남편"
    ),
    "uncle": r"onkel|tíos?\b|oncle|zio\b|tios?\b|oom\b|wuj|дяд|amca|dayı|叔|舅|삼촌",
    "aunt": r"tante|tías?\b|zia\b|tias?\b|ciot|т[её]т|teyze|阿姨|姑|이모|고모",
    "boss": r"chef(?:e|in)?\b|jef[ea]s?\b|patron(?:ne)?\b|capo\b|baas\b|szef|начальник|шеф|müdür|老板|上司|사장",
    "car": r"autos?\b|wagen\b|coches?\b|carros?\b|voiture|macchina|samoch|машин|araba|汽车|我的车|クルマ|자동차",
    "bike": r"fahrr[aä]d|bicicleta|bici\b|vélo|fiets|rower|велосипед|bisiklet|自行车|自転車|자전거",
}
LONGEST = 2_000  # characters of a text that are looked at


def kinds_in(text: str) -> set[str]:
    """The stems of their English words; none for a text in English, which has these itself."""
    text = text[:LONGEST]
    said = text.lower()
    if not may_not_be_english(text) and any(word in STOPWORDS for word in words(said)):
        return set()
    return {kind for kind, pattern in _patterns().items() if pattern.search(said)}


@lru_cache(maxsize=1)
def _patterns() -> dict[str, re.Pattern[str]]:
    """Words begin where one does, but for those of scripts without blanks."""
    return {stem(word): re.compile(rf"(?:\b|(?<=[\u3040-\u9fff]))(?:{pattern})") for word, pattern in _WORDS.items()}
