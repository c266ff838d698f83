"""Courtesies: texts such as "Thanks, that's great!", which ask and tell nothing by which something could be found."""

import re

from utils.text import STOPWORDS, words

LONGEST = 200  # characters; who writes more says something

_COURTESIES = frozenset(
    """
    absolutely agreed alright amazing appreciate appreciated aw awesome aww bye certainly cheers cool definitely exactly
    excellent fantastic fine glad good goodbye goodnight gotcha great ha haha hahaha hello hey hi hiya hmm hurray lol
    lovely nice nope noted oh ok okay omg oops ouch pardon perfect please right sorry sure sweet thank thanks thx
    totally true understood welcome wonderful wow yay yea yeah yep yes yo yup no
    """.split()  # noqa: SIM905  a list would be four times as long
)
_ELSEWHERE = frozenset(  # the same in other languages, but for what may mean something else in English
    """
    arigato bonjour bonsoir bonne buenas buenos buongiorno buonasera ciao danke dankeschön dziękuję dzięki gracias
    grazie guten hallo merci obrigada obrigado olá prego salut takk tack teşekkür teşekkürler tschüss
    dobranoc günaydın धन्यवाद
    спасибо привет пока здравствуйте пожалуйста доброе добрый ладно хорошо
    谢谢 谢谢你 多谢 你好 您好 再见 好的 早安 晚安 早上好 晚上好 没关系 ありがとう ありがとうございます こんにちは
    おはよう こんばんは さようなら 감사합니다 고마워요 안녕하세요 شكرا مرحبا أهلا ευχαριστώ
    """.split()  # noqa: SIM905
)
_BESIDE_ELSEWHERE = frozenset(
    """
    abend aide alles arkadaşım ayuda beaucoup bien dank dir día dias días euch ihnen infiniment journée klar mille
    molte morgen muchas muito nacht lieben hilfe aiuto ajuda hjälpen bardzo çok ederim geceler super pomoc помощь за
    ночи спокойной mañana hasta luego demain später bis noche noches nuit schön sehr soirée tag tarde tardes tausend
    vielen день вечер большое утро
    """.split()  # noqa: SIM905
)
_BESIDE = frozenset(  # say nothing beside a courtesy; alone, somebody may look for them
    """
    agree away bet bro buddy dude enjoy fair funny get go going gonna got guess happy haven't hear help helpful hope
    interesting laugh let's make makes mate maybe mean pal pretty ready safe see sense soon sounds start started think
    tomorrow tonight try u understand wait worries
    """.split()  # noqa: SIM905
)
_COURTEOUS = _COURTESIES | _ELSEWHERE
_EMPTY = _COURTEOUS | _BESIDE | _BESIDE_ELSEWHERE
_PHRASES = re.compile(
    r"\bgood (?:morning|afternoon|evening|night|day|luck|one|point|idea)\b"
    r"|\b(?:one|a|just a|give me a) (?:sec|second|moment|minute|bit|lot)\b"
    r"|\b(?:nice|good|great|lovely|wonderful) (?:day|evening|night|weekend|week|one|time)\b"
    r"|\b(?:no (?:problem|way)|never mind|take care|of course|my (?:pleasure|bad)|come on|go ahead|be right back)\b"
    r"|\blet me (?:think|see|check)(?: about (?:it|that))?\b|\bso (?:glad|happy|proud|sorry) for (?:you|u)\b"
    r"|\b(?:(?:was|be) away|so much|much love|that's (?:all|it|fair)|talk later)\b"
    r"|\b(?:talk to|see) (?:you|u)(?: later| then| around)?\b|\b(?:hi|hello|hey) (?:everyone|all|guys|there)\b"
    r"|\bhow(?:'s| is| are| was| were| have)? (?:it|you|u|things?|everything|everyone"
    r"|your (?:day|morning|evening|night|weekend|week)|life)(?: (?:all|been|doing|going|today|so far))*\b"
    r"|\bwhat(?:'s| is) up\b|\band (?:you|u)\b"
    r"|\b(?:happy (?:birthday|new year|easter)|merry christmas|nice to meet you|you're the best|got it)\b"
    r"|\b(?:vielen|besten|herzlichen)(?: lieben)? dank\b|\bdas ist (?:super|toll|prima|lieb|nett)\b"
    r"|\bun (?:beso|abrazo)\b"
    r"|\b(?:guten (?:morgen|tag|abend)|gute nacht|wie geht(?:'s| es dir| es ihnen)|bis bald|ça va|de rien"
    r"|s'il (?:vous|te) plaît|qué tal|de nada|cómo estás|comment ça va|как дела|nasılsın|come stai"
    r"|hoe gaat het|tudo bem"
    r"|hasta (?:mañana|luego)|à demain|dzień dobry|iyi geceler|спокойной ночи|до свидания|por tu ayuda|pour ton aide"
    r"|für deine hilfe|за помощь|per l'aiuto|pela ajuda|för hjälpen)\b|你好吗|お元気ですか|おやすみなさい|谢谢你的帮助",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?<=[^\W\d_][ ,])(?!I\b)[A-Z][a-z]{2}")  # a capital inside a sentence: what has a name
_ASKING = frozenset(
    """
    what what's when where which who who's whom whose why how did does remember remind reminded remembered said say says
    tell told mention mentioned know knew last ago before ever we i've my our
    """.split()  # noqa: SIM905
)


def is_courtesy(text: str) -> bool:
    """Whether all of a text is courteous phrases and words, and others that say nothing beside them, none of which ask
    for what was said or done. A text without words is one too."""
    if len(text) > LONGEST:
        return False
    left, phrases = _PHRASES.subn(" ", text.replace("’", "'"))
    said = words(left)
    if _TITLE.search(left):
        return False
    empty = all(word in _EMPTY or word in STOPWORDS for word in said)
    courteous = bool(phrases) or not said or not _COURTEOUS.isdisjoint(said)
    return empty and courteous and _ASKING.isdisjoint(said)
