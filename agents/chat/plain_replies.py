"""What is answered without a look into memory? Greetings, thanks, what Loci is, and what it cannot do."""

import re

from agents.chat.context import IntentName
from agents.chat.intent import is_assent, is_small_talk
from memory.language.courtesy import is_courtesy
from utils.clock import now

DELETING = (
    "I delete no conversations from here: DELETE /v1/sessions/{id} does, with all that was derived of it. "
    "“Forget my phone number” deletes one thing."
)
HELPING = (
    "Tell me things, and ask me about them later, here or in another conversation. “Remember that …” keeps a fact, "
    "“forget …” deletes one, “summarise our talk” sums up. Without a language model, I tell you what you told me."
)

_ABOUT_LOCI = re.compile(
    r"^\W*((hi|hello|hey|so|and)\b\W*)?((who|what) are you|what(['’]s| is) your name|what can you do( for me)?)\W*$",
    re.IGNORECASE,
)
_KEEPS_NOT = re.compile(
    r"\b(don['’]?t|do not|never)\s+(remember|save|store|keep|memori[sz]e|record)\b|\boff the record\b", re.IGNORECASE
)
_DELETES = re.compile(
    r"^\W*(please\s+|can you\s+)*(delete|erase|remove|clear|wipe)\s+((this|the|our|all|my|whole|entire|of)\s+)*"
    r"(conversation|chat|session|history|messages?)\W*$",
    re.IGNORECASE,
)
_HELP = re.compile(r"^\W*(help( me)?|how (do|can) i use (you|this|it))\W*$", re.IGNORECASE)
_WRONG = re.compile(
    r"^\W*(no\b\W*)?(that|this|it|you)(['’]?s| is| was|['’]?re| are) (\w+ )?"
    r"(wrong|incorrect|false|not (right|true|correct|what i (asked|meant|said|wanted|told you)))\W*$",
    re.IGNORECASE,
)
_TODAY = re.compile(
    r"^\W*(what|which) (day|date|time)( of the week)? (is it|is today|do we have)( today| now| right now)?\W*$"
    r"|^\W*what(['’]?s| is) (the|today['’]?s) (day|date|time)( today| now| right now)?\W*$",
    re.IGNORECASE,
)
_TASK = re.compile(  # "Book club is on Thursdays." and "Call sheet: …" are none
    r"^\W*(?!(?:book|order|call|play|search|set|draft|open)\b"
    r"(?:(?: \w+){0,4}? (?:is|are|was|were|has|had|moved|starts?|begins?|ends?)\b(?! there)|(?: \w+){0,3}:))"
    r"(please\s+)?(write|draft|compose|translate|tell|generate|create|make|calculate|compute|draw|suggest|recommend|"
    r"rewrite|rephrase|fix|correct|improve|repeat|find(?! (?:attached|enclosed|below))|search|book|order|send|call|"
    r"open|play|set)\b",
    re.IGNORECASE,
)
_GREETINGS = (
    (re.compile(r"\b(thank|thanks|thx)", re.IGNORECASE), "You're welcome."),
    (re.compile(r"\b(bye|goodbye|see you|good night)", re.IGNORECASE), "Goodbye. I'll remember what we talked about."),
    (re.compile(r"\bhow are you|what['’]s up|how['’]s it", re.IGNORECASE), "I'm well, thank you. How can I help?"),
    (re.compile(r"\b(hi|hello|hey|hiya|yo|good (morning|afternoon|evening))", re.IGNORECASE), "Hello! How can I help?"),
)


def plain_reply(query: str, intent: IntentName, *, temporary: bool) -> str | None:
    """What rules answer whatever is remembered; None where that matters."""
    if _DELETES.match(query):
        return DELETING
    if _HELP.match(query):
        return HELPING
    if _TODAY.match(query):
        return f"It is {now():%A, %Y-%m-%d, %H:%M} UTC."
    if _ABOUT_LOCI.match(query):
        return "I'm Loci, and I remember. Without a language model, I tell you what you told me."
    return _to_what_is_said(query, temporary=temporary) if intent == "chat" else None


def _to_what_is_said(query: str, *, temporary: bool) -> str | None:
    if _WRONG.match(query):
        return "I'm sorry. Tell me what is right, and I'll remember that."
    if is_small_talk(query) or is_assent(query) or is_courtesy(query):
        return next((reply for pattern, reply in _GREETINGS if pattern.search(query)), "All right.")
    if _KEEPS_NOT.search(query) and not temporary:
        return "What is said here is kept. Use a temporary chat for what is not to be, or delete this one."
    if _TASK.match(query):
        return "I can't do that without a language model. I can tell you what you told me."
    return None
