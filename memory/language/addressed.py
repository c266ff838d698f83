"""Questions about what the assistant said, which is answered by a reply that may share no word with them."""

import re

_SAY = (
    "suggest|recommend|propose|advi[sc]e|tell|say|mention|explain|list|offer|describe|write|share|critici[sz]e|answer"
    "|reply|translate|calculate|come up with|draft|warn|outline|summari[sz]e|quote|phrase|point out|give|name"
)
_SAID = (
    "suggested|recommended|proposed|advised|told|said|mentioned|explained|listed|offered|described|wrote|written|shared"
    "|critici[sz]ed|answered|replied|translated|calculated|came up with|drafted|warned|outlined|summari[sz]ed|quoted"
    "|phrased|pointed out|gave|given|named"
)
# What an assistant does in words, and others do otherwise, too.
_DO = (
    "call|teach|show|find|pick|choose|rate|rank|work out|put|make|plan|think|prefer|compare|estimate|spell|correct"
    "|change|fix|reckon|use|want|favou?r|lean|begin|design|draw up|sketch|include|have in mind"
)
_DID = (
    "called|taught|showed|shown|found|picked|chose|chosen|rated|ranked|worked out|put|made|planned|thought|preferred"
    "|compared|estimated|spelled|corrected|changed|fixed|reckoned|used|wanted|favou?red|leaned|began|designed|drew up"
    "|drawn up|sketched|included|had in mind"
)
_WORDS_OF_YOURS = (
    r"your (?:\w+ )?(?:advice|suggestions?|recommendations?|answers?|explanation|repl(?:y|ies)|responses?|proposals?"
    r"|tips?|drafts?|translation|lists?|estimate|version|wording|verdict|opinion|choice|picks?|instructions?|steps|ideas?"
    r"|trick|methods?|solution|recipe|favou?rite|layout|outline|schedule|plan|menu|reason(?:s|ing)?|guess|examples?|take|view"
    r"|remedy|comparison)"
)
_OFTEN = r"(?:(?:\w+ly|just|also|ever|once|first|last|already|even) )*"
_SUBORDINATE = r"(?<!\bif )(?<!\bas )(?<!\bonce )(?<!\bwhen )(?<!\bbefore )(?<!\bafter )(?<!did )(?<!thank )"
_IN_OTHER_LANGUAGES = (
    # German, Spanish, French, Italian, Portuguese, Dutch
    r"|\bhast du\b.{0,80} (?:vorgeschlagen|empfohlen|geraten|gesagt|genannt|gegeben|geschrieben|erklärt|erwähnt)\b"
    r"|\bdeine?[rnm]? (?:vorschl[aä]ge?|rat|empfehlung(?:en)?|antwort(?:en)?|tipps?)\b"
    r"|\b(?:recomendaste|sugeriste|propusiste|aconsejaste|dijiste|mencionaste|diste|explicaste|escribiste)\b"
    r"|\btu (?:m'as|as) (?:recommandé|suggéré|proposé|conseillé|dit|donné|expliqué|écrit)\b"
    r"|\bhai (?:consigliato|suggerito|proposto|detto|dato|spiegato|scritto)\b"
    r"|\b(?:você|tu) (?:me )?(?:recomendou|sugeriu|propôs|aconselhou|disse|deu|explicou|escreveu)\b"
    r"|\b(?:heb|had) je\b.{0,80} (?:aangeraden|voorgesteld|aanbevolen|gezegd|genoemd|gegeven|uitgelegd|geschreven)\b"
)
_ADDRESSED = re.compile(
    rf"\b(?:did|didn't) you {_OFTEN}(?:{_SAY}|{_DO})\b"
    rf"|{_SUBORDINATE}\byou(?:'d|'ve| had| have)? {_OFTEN}(?:{_SAID}|{_DID})\b"
    rf"|\b{_WORDS_OF_YOURS}\b|\baccording to you\b" + _IN_OTHER_LANGUAGES,
    re.IGNORECASE,
)
# "What did I say you called it?": what somebody else said.
_OF_ANOTHER = re.compile(
    r"\b(?:did|do|does|has|have|had) (?!you\b)(?:\w+ )?\w+ (?:say|said|tell|told|think|thought|write|written)\b",
    re.IGNORECASE,
)


def asks_of_assistant(text: str) -> bool:
    """Whether a question may be about what the one who is asked said, as "Can you tell me …?" and "Did I tell you …?"
    are not. It takes some for that which are about something else ("What is your plan?"); ranking weighs it."""
    text = text.replace("’", "'")
    return _ADDRESSED.search(text) is not None and not _OF_ANOTHER.search(text)
