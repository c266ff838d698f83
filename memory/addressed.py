"""Does a question ask what the assistant said? "Which names did you propose?" is answered by a reply, which may share
no word with it."""

import re

_SAY = (
    "suggest|recommend|propose|advi[sc]e|give|tell|say|mention|explain|list|offer|describe|write|share|critici[sz]e"
    "|answer|reply|name|call|teach|show|find|pick|choose|rate|rank|translate|calculate|come up with|work out|put|draft"
    "|make|plan|think|prefer|warn|compare|outline|summari[sz]e|estimate|quote|spell|phrase|correct|change|fix"
    "|point out|reckon|use|want|favou?r|lean|begin|design|draw up|sketch|include|have in mind"
)
_SAID = (
    "suggested|recommended|proposed|advised|gave|given|told|said|mentioned|explained|listed|offered|described|wrote"
    "|written|shared|critici[sz]ed|answered|replied|named|called|taught|showed|shown|found|picked|chose|chosen|rated"
    "|ranked|translated|calculated|came up with|worked out|put|drafted|made|planned|thought|preferred|warned|compared"
    "|outlined|summari[sz]ed|estimated|quoted|spelled|phrased|corrected|changed|fixed|pointed out|reckoned|used|wanted"
    "|favou?red|leaned|began|designed|drew up|drawn up|sketched|included|had in mind"
)
_OFTEN = r"(?:(?:\w+ly|just|also|ever|once|first|last|already|even) )*"
_ADDRESSED = re.compile(
    rf"\b(?:did|didn't) you {_OFTEN}(?:{_SAY})\b"
    rf"|(?<!did )(?<!thank )\byou(?:'d|'ve| had| have)? {_OFTEN}(?:{_SAID})\b"
    r"|\byour (?:\w+ )?(?:advice|suggestions?|recommendations?|answers?|explanation|repl(?:y|ies)|responses?|proposals?"
    r"|tips?|drafts?|translation|lists?|estimate|version|wording|verdict|opinion|choice|picks?|instructions?|steps|ideas?"
    r"|trick|methods?|solution|recipe|favou?rite|layout|outline|schedule|plan|menu|reason(?:s|ing)?|guess|examples?|take"
    r"|view|remedy|comparison)\b|\baccording to you\b"
    # German, Spanish, French, Italian, Portuguese, Dutch
    r"|\bhast du\b.{0,80} (?:vorgeschlagen|empfohlen|geraten|gesagt|genannt|gegeben|geschrieben|erklärt|erwähnt)\b"
    r"|\bdeine?[rnm]? (?:vorschl[aä]ge?|rat|empfehlung(?:en)?|antwort(?:en)?|tipps?)\b"
    r"|\b(?:recomendaste|sugeriste|propusiste|aconsejaste|dijiste|mencionaste|diste|explicaste|escribiste)\b"
    r"|\btu (?:m'as|as) (?:recommandé|suggéré|proposé|conseillé|dit|donné|expliqué|écrit)\b"
    r"|\bhai (?:consigliato|suggerito|proposto|detto|dato|spiegato|scritto)\b"
    r"|\b(?:você|tu) (?:me )?(?:recomendou|sugeriu|propôs|aconselhou|disse|deu|explicou|escreveu)\b"
    r"|\b(?:heb|had) je\b.{0,80} (?:aangeraden|voorgesteld|aanbevolen|gezegd|genoemd|gegeven|uitgelegd|geschreven)\b",
    re.IGNORECASE,
)


def asks_of_assistant(text: str) -> bool:
    """Whether a question is about what the one who is asked said, as "Can you tell me …?" and "Did I tell you …?" are
    not."""
    return _ADDRESSED.search(text.replace("’", "'")) is not None
