"""Which words are forms of one that no stemmer brings together? "What did I buy?" is answered by "I bought a kite"."""

from functools import cache

from utils.text import stem

# Words and their forms. Left out are those that are rather other words: "wound", "rose", "bore", "leaves", "lives". Of
# verbs the past stands second, but where it is the word itself.
_VERBS = """
awake awoke awoken|beat beaten|become became|begin began begun|bend bent|bet betting|bite bit bitten|bleed bled
blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt|buy bought|catch caught
choose chose chosen|cling clung|come came|creep crept|cut cutting|deal dealt|dig dug|draw drew drawn|dream dreamt
drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found
fit fitted|flee fled|fly flew flown flies|forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven
freeze froze frozen|get got gotten getting|give gave given|go went gone|grow grew grown|hang hung|hear heard
hide hid hidden|hit hitting|hold held|keep kept|kneel knelt|know knew known|lead led|lean leant|leap leapt
learn learnt|leave left|lend lent|light lit|lose lost|make made|mean meant|meet met|mistake mistook mistaken
overcome overcame|pay paid|quit quitting|ride rode ridden|ring rang rung|run ran|say said
seek sought|sell sold|send sent|sew sewn|shake shook shaken|shoot shot|show shown|shrink shrank shrunk|sing sang sung
sink sank sunk|sit sat|sleep slept|slide slid|speak spoke spoken|speed sped|spell spelt|spend spent|spill spilt
spin spun|spit spat|split splitting|spoil spoilt|spread spreading|spring sprang sprung|stand stood|steal stole stolen
stick stuck|sting stung|strike struck stricken|strive strove|swear swore sworn|sweep swept|swell swollen
swim swam swum|swing swung|take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown
tread trod|understand understood|undertake undertook|wake woke woken|wear wore worn|weave wove woven|weep wept
win won|withdraw withdrew withdrawn|write wrote written|see saw seen
"""
_OTHERS = """
prove proven|rise risen|choose choice|lie lain
child children|man men|woman women|person people|foot feet|tooth teeth|mouse mice|goose geese|wife wives|knife knives
half halves|shelf shelves|loaf loaves|wolf wolves|thief thieves
"""
_UNCHANGED = frozenset(("burst", "cost", "hurt", "let", "put", "read", "set", "shut", "upset"))  # in the past, too


def is_past(word: str) -> bool:
    """Whether a word, in small letters, is the past of an irregular verb: "broke", "cut"."""
    return word in _past()


def base_of(word: str) -> str:
    """The stem of the word of which a stem is a form; itself where it is none."""
    return _bases().get(word, word)


@cache
def _bases() -> dict[str, str]:
    return {one: stems[0] for stems in reversed(_lines()) for one in stems[1:]}


@cache
def _past() -> frozenset[str]:
    forms = (line[:2] for line in _words(_VERBS))
    return _UNCHANGED.union(base if form.endswith("ing") else form for base, form in forms)


@cache
def _lines() -> list[list[str]]:
    """The stems of each word and its forms, each once."""
    return [list(dict.fromkeys(map(stem, line))) for line in (*_words(_VERBS), *_words(_OTHERS))]


def _words(table: str) -> list[list[str]]:
    return [line.split() for line in table.replace("\n", "|").strip("|").split("|")]
