"""Does a sentence say what stays true, or what passes: a request, a guess, a mood, the state of a server?"""

import re

from memory.facts.rules.kinds import is_capitalised, is_condition, is_name_in_lower_case

_ASKS = re.compile(
    r"^(?:i['’]d like (?:you|to (?:know|ask|see|hear|understand|talk))|i (?:want|need) (?:you\b|your\b|help\b|advice\b|"
    r"to (?:know|ask|see|understand|talk|find out|figure))|i have (?:a|an|another|one|some|two) (?:more )?(?:quick )?"
    r"(?:questions?|requests?|problems?|issues?|errors?|bugs?)\b|i(?:['’]m| was| am) (?:just )?(?:wondering|asking|"
    r"looking for|trying|curious|not sure|unsure|sorry|afraid (?:i|that|so)|ready|done|back|here|fine|ok|okay|good|"
    r"great|"
    r"glad|talking|testing|sure|joking|kidding|confused|lost|stuck)\b|i (?:think|guess|suppose|wonder|wish|hope|mean|"
    r"see|understand|know|don['’]?t know|agree|disagree|appreciate|forgot|said|asked|meant|believe|assume|doubt|bet|"
    r"swear|thought|heard|told|feel like|can['’]?t (?:find|figure|see|tell)|get it|got it|could|would|might|should|"
    r"may)\b)",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(r"^(?:if|when|whenever|unless|suppose|imagine|maybe|perhaps|let['’]?s|what|how|why)\b", re.I)
_WOULD = r"(?-i:\b(?:will|would|might|could|may|shall)|['’](?:ll|d))\b"  # neither May nor Will
_CONDITIONAL = re.compile(
    r"^\W*(?:(?:and|but|so|well|anyway|maybe)\b\W*)*(?:if|unless|in case|provided|assuming|suppose|imagine)\b"
    rf"(?:[^,]*,.*{_WOULD}|\W+(?:\w+\W+){{2}}[^,]*{_WOULD}[^,]*$)"
    rf"|^(?:i|we|my|our)\b(?:(?!\band\b)[^,;]){{0,20}}?{_WOULD}[^,;]*\b(?:if|unless|in case|provided)\b",
    re.IGNORECASE | re.DOTALL,
)
_EVENT = re.compile(
    r"\d|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|"
    r"wednesday|thursday|friday|saturday|sunday|week|month|year|yesterday|tomorrow|tonight|birthday)\b|"
    r"(?<=[a-z,] )[A-Z][a-z]"
)
_OF_THE_USERS = re.compile(r"\b(?:their|user's)\b")
_ADVERBS = (
    r"(?: (?:also|really|just|now|still|never|always|usually|often|recently|finally|absolutely|only|even|actually|"
    r"mostly|already|no longer|currently|so|very|too|a bit|a little|pretty|quite|not))*"
)
_GOT = (
    r"got (?:married|engaged|divorced|pregnant|promoted|hired|fired|laid off|diagnosed|accepted|into|rid|(?:an?|my|"
    r"their|"
    r"two|three|our) (?:[\w-]+ ){0,2}?(?:job|dog|cat|puppy|kitten|horse|rabbit|hamster|parrot|pet|car|bike|bicycle|"
    r"motorbike|boat|house|flat|apartment|tattoo|degree|phd|mba|diploma|licen[cs]e|scholarship|promotion|raise|visa|"
    r"passport|divorce|baby|place|roommate|allergy|piano|guitar)s?\b)"
)
_LASTING = re.compile(
    rf"^The user(?:'s\b|{_ADVERBS}"
    r" (?:is|was (?:born|promoted|hired|fired|raised|diagnosed|adopted)|has|does not|likes|loves|hates|prefers|"
    r"enjoys|adores|dislikes|lives|works|studies|plays|"
    r"speaks|owns|drives|wants|needs|plans|goes|eats|drinks|uses|teaches|runs|collects|cannot|can|will|moved|"
    rf"relocated|joined|quit|stopped|gave up|cut out|swore off|"
    rf"went off|started|sold|bought|adopted|{_GOT}|became|graduated|married|grew up|"
    r"retired|takes|keeps|writes|reads|supports|believes|belongs|suffers|wears|walks|cooks|travels|commutes|"
    r"volunteers|sings|swims|dances|practises|practices|trains|named|called|lost|broke|switched|changed|weighs|earns|"
    r"smokes|used to (?:be|live|work|play|smoke|vape|drink|own|have|study|drive|teach|eat|speak|run)|"
    r"(?:went|got) back to [a-z]+ing|(?:never )?(?:lived|worked|studied|owned)|manages|leads|reports to)\b)"
)
_INTENDS = re.compile(rf"^The user{_ADVERBS} (?:will|is going to|is about to|is gonna)\b")
_OF_A_LIFE = re.compile(
    r"\b(?:move|marry|retire|quit|graduate|stud(?:y|ies)|become|adopt|emigrate|divorce|give birth)\b"
)
_STATE = (
    r"(?:tired|busy|hungry|thirsty|late|early|sleepy|exhausted|bored|sad|happy|angry|upset|annoyed|frustrated|excited|"
    r"nervous|stressed|worried|sick|cold|hot|drunk|asleep|awake|away|outside|upstairs|ready|done|back|here|there|home|"
    r"down|up|offline|online|broken|slow|stuck|crashing|failing|hanging|frozen|unreachable|unavailable|not working|"
    r"empty|fine|ok|okay|good|great|bad|wrong|right|amazing|awesome|terrible|horrible|on fire|acting up|lost|confused|"
    r"at (?:work|home|the (?:office|gym|shop|airport|station|moment))|in bed|in a (?:meeting|hurry|rush)|"
    r"on (?:the phone|"
    r"my way|their way)|about to leave|joking|kidding|serious|off)"
)
_MORE = (
    r"(?=[.!]*$|,| (?:today|tonight|now|right|again|because|since|and|but|so|this|that|as|of|with|about|for|at|from|"
    r"after|all)\b)"
)
_MOODS = re.compile(rf"^.{{1,60}}? (?:is|are|was|were|keeps being|feels?|gets?|got){_ADVERBS} {_STATE}{_MORE}")
_GOING = re.compile(
    r"^.{1,60}? (?:is|was)(?: just| now)* (?:going|off|heading|about|headed|gonna)(?: to| out| back| home)* ?(?:bed|"
    r"sleep|"
    r"lunch|dinner|breakfast|work|eat|leave|go|shower|try|check|see|be|use|do|ask|make|get|take|have|need|say|start|"
    r"the (?:shop|store|gym|toilet|bathroom|office|doctor)s?)\b(?![^.]*(?:\d|[a-z] [A-Z]))"
)
_OF_IT = re.compile(
    rf"^(?:The user(?:'s [\w-]+)?|[^\W\d_][\w.’-]*(?: [\w.’-]+)?){_ADVERBS} "
    rf"(?:loves?|likes?|hates?|enjoys?|adores?|needs?|wants?|has|got|does not (?:like|love|want|"
    rf"need))"
    r" (?:it|this|that|you|them|these|those|him|her|one|your \w+)(?: (?:so|very|too|a|all|much|lot|already|when|if|"
    r"here|"
    r"there|how|as|now|more)\b.*)?$",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"\b(?:is|gets?|got|has|had|sees?|saw|received?s?|throws|threw|keeps|getting)\b.*(?:[eE]rrors?|[a-z]Exception|"
    r"\bexceptions?|\btraceback|[wW]arning|segfault|stack ?trace|\bstatus code|\bcrash(?:es|ed)?)\b"
)
_OF_THE_TALK = re.compile(
    r"^The user's (?:[\w-]+ ){0,3}?(?:questions?|problem|issue|point|concern|guess|bad|mistake|apologies|answer|prompt|"
    r"request|query|error|understanding|thought|expectation) (?:is|are|was|were|keeps|does|do|has|have|will)\b"
)
_LIVES_IN = re.compile(r"^.{1,60}? (?:lives?|is living|are living) in (?P<value>.+)$")
_MOVED_ON = re.compile(
    r"^.{1,60}? (?:moved|moves|is moving|will move)(?: on| over| back| ahead)? to (?:the |an? |another )?"
    r"(?:(?:next|last|other|previous|following|first|second|third|final|new|another|different) )*"
    r"(?P<value>[a-z-]+)\b(?! [A-Z])"
)
_IN_A_TEXT = frozenset(  # what one moves to without leaving the room
    """question questions point topic subject page step steps section chapter issue task item part level slide line
    paragraph exercise problem lesson example idea thing file row column cell branch end start top bottom front back
    left right side seat tears""".split()  # noqa: SIM905
)
_NAME_IS = re.compile(
    r"^The user's (?:[a-z -]+'s )?(?:(?:first|last|full|middle) )?name is(?: now)? (?P<no>not )?(?P<value>.+)$"
)
# What takes no third word to say that it is so of somebody's life.
_OF_ONE_WORD = re.compile(
    r"^(?:i['’]m|im|i am) (?:an? )?(?:vegan|vegetarian|pescatarian|married|single|divorced|widowed|engaged|pregnant|"
    r"diabetic|retired|unemployed|freelance|self-employed|autistic|dyslexic|deaf|blind|colou?r-?blind|left-handed|"
    r"coeliac|celiac|epileptic|asthmatic|gay|lesbian|bisexual|trans|nonbinary|non-binary|transgender|adopted|bilingual|"
    r"disabled|anaemic|anemic|lactose-intolerant)$|^i (?:retired|graduated|smoke|vape|emigrated|remarried|divorced)$",
    re.IGNORECASE,
)


def is_conditional(sentence: str) -> bool:
    """Whether a sentence of the user's says what would be: "If I win the lottery, I'll move to Rome." """
    return _CONDITIONAL.search(sentence) is not None


def asks_or_supposes(clause: str) -> bool:
    """Whether a clause of the user's asks for something, or says what may be."""
    return _ASKS.match(clause) is not None or _SUPPOSES.match(clause) is not None


def is_lasting_in_a_word(clause: str) -> bool:
    """Whether a clause of two words says what lasts."""
    return _OF_ONE_WORD.match(clause) is not None


def passes(text: str) -> bool:
    """Whether a sentence in the third person is a mood, an errand, or a remark on what is being talked about."""
    patterns = (_MOODS, _GOING, _OF_IT, _OF_THE_TALK)
    if any(pattern.match(text) for pattern in patterns) or _FAULT.search(text):
        return True
    if _is_of_no_place(text) or _is_of_no_name(text):
        return True
    return _INTENDS.match(text) is not None and not (_EVENT.search(text) or _OF_A_LIFE.search(text))


def _is_of_no_place(text: str) -> bool:
    """Whether a sentence says of no place that somebody lives in it or moved to it: "lives in fear"."""
    if lives := _LIVES_IN.match(text):
        return is_condition(lives["value"])
    moved = _MOVED_ON.match(text)
    return moved is not None and moved["value"] in _IN_A_TEXT


def _is_of_no_name(text: str) -> bool:
    """Whether a sentence on a name does not say which it is: "my name is on the list"."""
    named = _NAME_IS.match(text)
    if named is None:
        return False
    if is_capitalised(named["value"]):
        return False
    return named["no"] is not None or not is_name_in_lower_case(named["value"])


def lasts(text: str) -> bool:
    """Whether a sentence on the user says what stays true of them, or what happened when and with whom."""
    return any(found is not None for found in (_LASTING.match(text), _EVENT.search(text), _OF_THE_USERS.search(text)))
