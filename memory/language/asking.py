"""Does a text ask, be it without its mark, or does it only begin or end as a question does?"""

import re

from memory.language.doers import asks_for_doer
from memory.language.languages import may_not_be_english
from memory.language.question_words import asks_in_another_language, with_question_word
from utils.sentences import split_sentences
from utils.text import ends_with_full_stop, ends_with_question_mark

_FILLER = r"^\W*(?:(?:so|and|but|hey|hi|ok|okay|well|please)\b\W*)*"
_WH = r"(?:who|whom|whose|what|when|where|which|why|how)"
_BEFORE_WH = r"(?:(?:at|on|in|since|for|from|until|by|with|to|of|about)\s+)?"
_AUXILIARY = (
    r"(?:(?:is|are|am|was|were|do|does|did|has|have|had|will|would|can|could|should|shall|may|might|must)(?:n['’]t)?)"
)
_SUBJECT = r"(?:i|we|you|he|she|it|they|this|that|there|my|our|your|his|her|their|the|an?)"

# What tells, though a question mark ends it: ", can you believe it?", ", isn't it?", ", ok?", ", can you note that?"
_TAG = re.compile(
    r"(?:[,;.!…–—-]|\.\.\.) *(?:and |so |but )?(?:(?:can|could|would|do|will) you (?:believe|imagine) (?:it|that|this)|"
    r"(?:can|could|would|will) you (?:please )?(?:keep|remember|note|save|store|write|jot) (?:it|that|this|them)"
    r"(?: (?:in mind|down|for (?:me|us|later)))*|"
    r"imagine that|you know(?: what i mean)?|know what i mean|(?:you )?see|right|eh|huh|no|yes|ok(?:ay)?|all ?right|"
    r"deal|got (?:it|that)|understood|clear|(?:is|was)n['’]t "
    r"(?:that|it) (?:great|funny|nice|crazy|sweet|lovely|amazing|awful|cute)|how (?:\w+) is that|don['’]t you think|"
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|would|wo|ca)n['’]t (?:it|he|she|they|we|i|that|there))"
    r"[?？؟]+$",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    rf"{_FILLER}(?:who|whom|whose|what(?!\s+an?\b)|when|where|which|why|how|is|are|am|was|were|"
    r"(?:do|does|did|could|would|should|shall)(?!\s+not\b)|"
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|would|should|wo)n['’]t(?=\s+(?:i|you|he|she|it|we|they|my|our)\b)|"
    r"(?:at|on|in|since|for|from|until|by|with|to|of|about)\s+(?:what|which|when|how|whom|whose)|"
    r"(?:can|will|has|had)(?!['’]t\b)(?=\s+(?:i|you|he|she|it|we|they|the|my|our|your|this|that|there|anyone)\b)|"
    r"have\s+(?:i|you|we|they)|tell me|explain|show me|give me|(?:list|name)(?!\s+of\b))\b",
    re.IGNORECASE,
)
# "where is my van", "what's next", "which of the two do I take", "how old is Mia"
_STRAIGHT = re.compile(
    rf"{_FILLER}{_BEFORE_WH}{_WH}(?:['’]s|\s+(?:(?!{_SUBJECT}\b)[\w-]+\s+){{0,4}}?{_AUXILIARY})\b", re.IGNORECASE
)
# "Was in Rome in March.", "Am reading Dune", "Did my taxes on Monday.": of whoever writes.
_WITHOUT_SUBJECT = re.compile(
    rf"{_FILLER}{_AUXILIARY}\s+(?:(?:in|at|on|to|from|with|off|out|back|home|not|\w+ing)\b|.*\.\s*$)", re.IGNORECASE
)
_BEGINS_WITH_WH = re.compile(rf"{_FILLER}{_BEFORE_WH}{_WH}\b", re.IGNORECASE)
# What a clause with a question word is followed by where it is a part of what is told: "What I like most is jazz",
# "When I was ten I broke my arm".
_GOES_ON = re.compile(
    rf"{_FILLER}{_WH}\s+(?:i|we|you|he|she|it|they)\s+(?!(?:is|are|am|was|were)\b)[\w'’-]+\b.*\b(?:is|are|was|were)\s+\w"
    rf"|{_FILLER}(?:when|where|how|why)\s+\S+\s+\S+.*?"
    r"(?<!\bwhen)(?<!\bthat)(?<!\bif)(?<!\bbecause)(?<!\bwhile)(?<!\bwhere)(?<!\bwhat)(?<!\bhow)(?<!\bbefore)"
    r"(?<!\bafter)(?<!\bsince)(?<!\band)(?<!\bto)(?<!\bwhy)(?<!\bor)(?<!\bthan)(?<!\bas) "
    r"(?:i|we|he|she|they|it)\s+(?!am\b|is\b|are\b|was\b|were\b|do\b|did\b)\w+\s+\w",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^\W*(?:(?:please|now|ok|okay|hey|can you|could you|would you)\b\W*)*"
    r"(?:summari[sz]e|sum up|recap|tl;? ?dr|tell me|remind me|list(?! of\b[^.!?\n]*:)|show me|give me|repeat|recall|"
    r"look up|search for)\b"
    r"[^.!?\n]*[.!?]?\s*$",
    re.IGNORECASE,
)
# A question without its mark: "where did I park the scooter"
_NO_THING = "an?|the|i|you|he|she|it|we|they|my|our|this|that|about"  # "what a day it was" asks nothing
_UNMARKED = re.compile(
    rf"{_FILLER}(?:(?:where|when|who|whom|why)(?:'s|\s+{_AUXILIARY})"
    rf"|(?:what|which|whose|how)(?:'s|\s+(?:(?!(?:{_NO_THING})\b)[\w-]+\s+){{0,2}}?{_AUXILIARY})"
    r"|(?:is|are|will|would|can|could|should)\s+(?:i|you|we|he|she|it|they|my|our|the)"
    r"|(?:do|does|did|have)\s+(?:i|you|we|he|she|they)"
    r")\b[^.!?:,\d\n]{0,120}$"
    rf"|{_FILLER}{_WH}\s+{_AUXILIARY}\s+(?:i|you|we|he|she|they)\b[^.!?:,\n]{{0,120}}$",
    re.IGNORECASE,
)
# What begins so and tells all the same: "what matters is that …", "who has the key is Anton", "did I tell you I …".
_STATES = re.compile(
    r"\b(?:is|are|was|were) that\b|\b(?:is|are|was|were|has|have|had)\b.*\b(?:is|are|was|were)\b|\bbelieve\b|"
    r"\b(?:did|have) i (?:tell|told|mention(?:ed)?)\b",
    re.IGNORECASE,
)
# "What helps is tea": its verb is of no clause, as that of "what happened when he was ill".
_SUMS_UP = re.compile(
    rf"{_FILLER}what (?:really |actually |always |still )?(?:matters|counts|helps|helped|works|worked|bothers|bothered|"
    r"annoys|annoyed|hurts|surprised|scares|happened|broke|woke|got|came|makes|made)\b"
    r"(?:(?!\b(?:think|believe|know|sure|if|when|while|that|because|since|before|after|where|who|which|how)\b)"
    r"[^.!?\n])*?\b(?:is|was) \w",
    re.IGNORECASE,
)
# What is told with surprise, though it ends with several marks: "turns out im allergic to nuts??". It is of oneself,
_MARKS = "?!？！"
_OF_ONESELF = re.compile(r"\b(?:i|i['’]?m|i['’]?ve|we|we['’](?:re|ve)|weve)\b", re.IGNORECASE)
# and has nothing that may ask: no question word, verb before its subject, duty, choice, nor "any".
_MAY_ASK = re.compile(
    rf"\b(?:{_WH}|whether|if|or|any\w*|ever|yet|still|should|could|can|may|might|must|shall|will|would|gonna|gotta|need|"
    r"needs|have to|has to|supposed|allowed|ought|you|u|ur|your|you['’]\w+|right|correct|remember)\b|['’](?:ll|d)\b|"
    rf"\b{_AUXILIARY} {_SUBJECT}\b|^\W*(?:so|then|meaning|and)\b",
    re.IGNORECASE,
)
_LAST_SENTENCE = re.compile(r"(?:.*[.!?…]\s|.*\n)?(?P<last>.*)$", re.DOTALL)
# What names a matter and then tells of it: "what about the present for Ann, her birthday is on Friday".
_WHAT_ABOUT = re.compile(rf"{_FILLER}(?:what|how) about\b[^,;:?\n]*[,;:]\s+(?P<rest>.*)$", re.IGNORECASE | re.DOTALL)
_HAS_A_VERB = re.compile(
    r"\b(?:is|are|am|was|were|has|have|had|will|i['’]?m|(?:it|he|she|that)['’]s|(?:we|they)['’]re)\b|"
    r"^(?:and |so |but )?(?:i|we|he|she|they|it) \w",
    re.IGNORECASE,
)
# Where a sentence may stop telling and begin to ask: "Flight delayed by a strike, can we claim?"
_TURNS = re.compile(r"[,;]\s+|\s[-–—]+\s|\.{3}\s*|…\s*")
# What tells nothing by itself: a condition, a place, a greeting, thanks, or what asks.
_ONLY_LEADS = re.compile(
    r"^\W*(?:if|when(?:ever)?|as|since|because|although|though|unless|while|after|before|until|once|with|without|for|in|"
    r"on|at|by|from|to|about|regarding|apart|besides|speaking|given|considering|hey|hi|hello|good (?:morning|evening|"
    r"afternoon|night)|ok(?:ay)?|so|and|but|or|well|please|sorry|excuse|thank(?:s|ing)?|great|got it|quick|just|one|"
    r"another|i['’]m (?:wondering|curious|asking)|i (?:was|am) (?:wondering|curious)|i wonder(?:ed)?|tell me|"
    r"i (?:(?:keep|always) )?forg[eo]t\w*|i (?:can|do)(?:no|n['’])t (?:remember|recall)|"
    r"(?:can|could|would|will|do) you|i have a question|who|whom|whose|what|where|which|why|how)\b",
    re.IGNORECASE,
)
SEVERAL = 2  # marks by which a statement is told with surprise
LEAST_WORDS = 3  # words of what tells
MOST_TURNS = 8  # the last ones, that are looked at
LONGEST = 200  # characters of a request, or of a question without its mark, that tells nothing
LOOKED_AT = 1_000  # characters
LONG_QUESTION = 6  # words before a colon from which on they may ask: "In what order did I ask about these: …"


def ends_as_question(text: str) -> bool:
    """Whether a text ends with a question mark, and asks with it: "Shall we go, ok?", but not "It is at nine, ok?"."""
    if not ends_with_question_mark(text) or _is_told_loudly(text):
        return False
    tag = _TAG.search(text.rstrip())
    if tag is None:
        return True
    head = text.rstrip()[: tag.start()]
    return asks_in_another_language(head) if may_not_be_english(text) else begins_as_question(head)


def begins_as_question(text: str) -> bool:
    """Whether an English text that does not end with a question mark asks by how it begins. "Who we hired: Ann and Bo",
    "Which reminds me: the key is under the pot" and "Do not call before nine" tell."""
    bare = with_question_word(text.strip()[:LOOKED_AT])
    if not _QUESTION.match(bare) or _SUMS_UP.match(bare) or _tells_about(bare):
        return False
    head, colon, _ = bare.partition(":")
    if colon and len(head.split()) < LONG_QUESTION:
        return False
    if _STRAIGHT.match(bare):
        return True
    if not _BEGINS_WITH_WH.match(bare):
        return _WITHOUT_SUBJECT.match(bare) is None
    return not ends_with_full_stop(text) and _GOES_ON.match(bare) is None


def _is_told_loudly(text: str) -> bool:
    """Whether a text ends with several marks, and its last sentence, which is the user's of themselves, asks nothing by
    its words: "im allergic to nuts??", but not "I should take two??"."""
    bare = text.rstrip()
    head = bare.rstrip(_MARKS)
    if len(bare) - len(head) < SEVERAL or may_not_be_english(text):
        return False
    found = _LAST_SENTENCE.match(head[-LOOKED_AT:])
    last = found["last"] if found else ""
    return len(last.split()) >= LEAST_WORDS and _OF_ONESELF.search(last) is not None and _MAY_ASK.search(last) is None


def _tells_about(text: str) -> bool:
    """Whether a text without a question mark names a matter as a question does, and then tells of it alone."""
    found = _WHAT_ABOUT.match(text)
    if found is None:
        return False
    clauses = re.split(r"[,;]\s+", found["rest"])
    asking = any(begins_as_question(clause) for clause in clauses)
    return not asking and any(_HAS_A_VERB.search(clause) and _tells(clause) for clause in clauses)


def asks(text: str) -> bool:
    """Whether a text asks, by its mark or by how it begins."""
    if ends_with_question_mark(text):
        return ends_as_question(text)
    if may_not_be_english(text):  # of German, "am" and "was" begin statements, too
        return asks_in_another_language(text)
    return begins_as_question(text)


def told_before_asking(sentence: str) -> str:
    """What a sentence tells before it asks: "Knee hurts after running" of "Knee hurts after running, what could it
    be?"; nothing where it only asks."""
    for turn in reversed(list(_TURNS.finditer(sentence[:LOOKED_AT]))[-MOST_TURNS:]):
        head, tail = sentence[: turn.start()].strip(), sentence[turn.end() :]
        if begins_as_question(tail) and _tells(head):
            return head
    return ""


def tells_too(text: str) -> bool:
    """Whether a text that ends with a question tells something, too: "The plumber takes 85 an hour. Is that a lot?"."""
    return any(_tells(sentence) or told_before_asking(sentence) for sentence in split_sentences(text[:LOOKED_AT]))


def _tells(text: str) -> bool:
    return (
        len(text.split()) >= LEAST_WORDS and not asks(text) and not is_request(text) and _ONLY_LEADS.match(text) is None
    )


def is_request(text: str) -> bool:
    """Whether a text asks for something that was said, and tells nothing, as one of more than 200 characters would."""
    return len(text) <= LONGEST and _REQUEST.match(text) is not None


def is_unmarked_question(text: str) -> bool:
    """Whether a text is one question that ends without a mark, as people type them."""
    if len(text) > LONGEST:
        return False
    text = with_question_word(text)
    if _SUMS_UP.match(text):
        return False
    if _UNMARKED.match(text) is not None and not _STATES.search(text):
        return True
    return asks_for_doer(text) or asks_in_another_language(text)
