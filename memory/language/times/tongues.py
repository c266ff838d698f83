"""How are times named in other languages than English?"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Tongue:
    """How times are named in a language: regular expressions, lists of which are parted by blanks, a dot in them being
    a blank. `months`, `weekdays`, `units`, `seasons` and `numbers` (from 1 on) are in the order of the English ones.
    `days` and `leads`: by what they mean. `which`: what stands before or behind a time, by what it means. `ago`: with
    `{time}` for the number and its unit. `of`: what may stand between day, month and year. `up_to`: between two days of
    a month. `nth`: behind a day's number. `told`: words that ask for whatever was said or done."""

    months: str
    weekdays: str
    units: str
    seasons: str
    numbers: str
    days: Mapping[str, str]
    which: Mapping[str, str]
    leads: Mapping[str, str]
    ago: str
    articles: str
    told: str
    of: str = ""
    up_to: str = "-"
    nth: str = r"\.?"


TONGUES = {
    "german": Tongue(
        months="januar|jänner februar märz april mai juni juli august september oktober november dezember",
        weekdays="montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag",
        units="tag(?:en?)? wochen? monat(?:en?|s)? jahr(?:en?|es)? wochenenden?",
        seasons="frühling|frühjahr sommer herbst winter",
        numbers="eine[mnr]?|ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        days={
            "yesterday": "gestern(?:.morgen)?",
            "the day before yesterday": "vorgestern",
            "this morning": "heute.(?:morgen|früh)",
            "today": "heute",
            "tomorrow": r"(?<!am\s)(?<!guten\s)(?<!jeden\s)morgen",
            "the day after tomorrow": "übermorgen",
            "the week before last": "vorletzte[nr]?.woche",
            "a few days ago": "vor.(?:ein.paar|einigen|wenigen).tagen",
            "at Christmas": "(?:zu|an|über).weihnachten",
        },
        which={
            "last": "(?:letzt|vergangen|vorig)e[nmrs]?",
            "this": "diese[nmrs]?",
            "next": "(?:nächst|kommend)e[nmrs]?",
        },
        leads={
            "in": "im|in",
            "on": "am|an",
            "since": "seit",
            "until": "bis(?:.zum)?",
            "before": "vor",
            "between": "zwischen",
            "from": "von|vom|ab",
            "and": "und",
            "every": "jede[nrs]?",
            "the beginning of": "anfang",
            "the middle of": "mitte",
            "the end of": "ende",
        },
        ago="vor.{time}",
        articles="der|die|das|den|dem|des",
        told="erzähle? fasse? zusammen erzählt(?:e|est|en)? gesagt sagte[nst]* erwähnt(?:e|est|en)? besprochen"
        " gesprochen geredet berichtet passiert passierte geschehen geschah los gemacht mache machen"
        " machte[nst]* getan tat unternommen erlebt vorgefallen ereignet neues ging lief abends? nachmittags?"
        " vormittags? nachts? früh",
        up_to="bis(?:.zum)?|-",
    ),
    "spanish": Tongue(
        months="enero febrero marzo abril mayo junio julio agosto sep?tiembre octubre noviembre diciembre",
        weekdays="lunes martes miércoles jueves viernes sábado domingo",
        units="días? semanas? mes(?:es)? años? fin(?:es)?.de.semana",
        seasons="primavera verano otoño invierno",
        numbers="un[oa]? dos tres cuatro cinco seis siete ocho nueve diez once doce",
        days={
            "yesterday": "ayer",
            "the day before yesterday": "anteayer|antier|antes.de.ayer",
            "last night": "anoche",
            "today": "hoy",
            "tonight": "esta.noche",
            "this morning": "esta.mañana",
            "tomorrow": r"(?<!la\s)mañana",
            "the day after tomorrow": "pasado.mañana",
            "the week before last": "la.semana.antepasada",
            "a few days ago": "hace.(?:unos|algunos|pocos).días",
            "at Christmas": "(?:en|por).navidad(?:es)?",
        },
        which={
            "last": "pasad[oa]s?|últim[oa]s?|anterior(?:es)?",
            "this": "est[ea]s?|estos",
            "next": "próxim[oa]s?|que.viene|siguientes?",
        },
        leads={
            "in": "en",
            "on": "el.día",
            "since": "desde",
            "until": "hasta|al?",
            "before": "antes.del?",
            "between": "entre",
            "from": "del?",
            "and": "y",
            "every": "cada|todos.los",
            "the beginning of": "(?:a.)?(?:principios|comienzos).de",
            "the middle of": "(?:a.)?mediados.de",
            "the end of": "(?:a.)?(?:finales|fines).de",
        },
        ago="hace.{time}",
        articles="el|la|los|las",
        told="cuéntame resume pasó pasaron pasado sucedió sucedido ocurrió ocurrido conté contaste contamos"
        " contado dije dijiste dijimos dicho hablé hablamos hablaste hablado mencioné mencionado hice hago"
        " hiciste hicimos hecho novedades tarde noche mañana",
        of="del?",
        up_to="al?|-",
        nth="[º°ª]?",
    ),
    "french": Tongue(
        months="janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        weekdays="lundi mardi mercredi jeudi vendredi samedi dimanche",
        units="jours? semaines? mois ans?|années? week-?ends?|fins?.de.semaine",
        seasons="printemps (?<=l')été|(?<=cet\\s)été|(?<=en\\s)été automne hiver",
        numbers="une? deux trois quatre cinq six sept huit neuf dix onze douze",
        days={
            "yesterday": "hier",
            "the day before yesterday": "avant-hier",
            "today": "aujourd'hui",
            "this morning": "ce.matin",
            "tonight": "ce.soir",
            "tomorrow": "demain",
            "the day after tomorrow": "après-demain",
            "a few days ago": "il.y.a.quelques.jours",
            "at Christmas": "(?:à|pour).noël",
        },
        which={"last": "derni(?:er|ère)s?|passée?s?", "this": "ce(?:s|t|tte)?", "next": "prochaine?s?"},
        leads={
            "in": "en|au.mois.d[e']|courant",
            "on": "le",
            "since": "depuis",
            "until": "jusqu'(?:en|au|à)|à|au",
            "before": "avant",
            "between": "entre",
            "from": "d[eu']",
            "and": "et",
            "every": "chaque|tous.les",
            "the beginning of": "(?:au.)?début(?:.d[e'])?",
            "the middle of": "à.la.mi-|mi-",
            "the end of": "(?:à.la.)?fin(?:.d[e'])?",
        },
        ago="il.y.a.{time}",
        articles="l[ea']|les",
        told="raconte résume passée? arrivée? raconté dite? parlé faite? fais faisons mentionné discuté évoqué"
        " soir matin après-midi nuit",
        of="d[e']",
        up_to="au|-",
        nth="(?:er)?",
    ),
    "italian": Tongue(
        months="gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        weekdays="lunedì martedì mercoledì giovedì venerdì sabato domenica",
        units="giorn[oi] settiman[ae] mes[ei] ann[oi] fine.settimana|week-?end",
        seasons="primavera estate autunno inverno",
        numbers="un[oa']? due tre quattro cinque sei sette otto nove dieci undici dodici",
        days={
            "yesterday": "ieri",
            "the day before yesterday": "l'altro.ieri|altro.ieri|l'altroieri|avantieri",
            "today": "oggi",
            "this morning": "stamattina",
            "tonight": "stasera",
            "tomorrow": "domani",
            "the day after tomorrow": "dopodomani",
            "a few days ago": "(?:qualche.giorno|alcuni.giorni|pochi.giorni).fa",
            "at Christmas": "a.natale",
        },
        which={"last": "scors[oaie]|passat[oaie]|ultim[oaie]", "this": "quest[oaie]|quest'", "next": "prossim[oaie]"},
        leads={
            "in": "in|nel(?:l[ao'])?|a|ad",
            "since": "da(?:l(?:la|l')?)?",
            "until": "fino.(?:a|al)|al",
            "before": "prima.d(?:i|el|ella)",
            "between": "tra|fra",
            "from": "d(?:i|el|ella|ell')",
            "and": "e|ed",
            "every": "ogni",
            "the beginning of": "(?:all')?inizio(?:.di)?",
            "the middle of": "(?:a.)?metà(?:.di)?",
            "the end of": "(?:a.)?fine(?:.di)?",
        },
        ago="{time}.fa",
        articles="il|lo|la|l'|gli|le|i",
        told="raccontami riassumi successo successa accaduto raccontato detto parlato fatto faccio menzionato"
        " discusso novità sera mattina notte pomeriggio",
        of="d(?:i|el)",
        up_to="al?|-",
        nth="[º°]?",
    ),
    "portuguese": Tongue(
        months="janeiro fevereiro (?-i:março) abril maio junho julho agosto setembro outubro novembro dezembro",
        weekdays="segunda[-.]feira terça(?:[-.]feira)? quarta(?:[-.]feira)? quinta(?:[-.]feira)? sexta(?:[-.]feira)?"
        " sábado domingo",
        units="dias? semanas? mês|meses anos? fi(?:m|ns).de.semana",
        seasons="primavera verão outono inverno",
        numbers="uma? dois|duas três quatro cinco seis sete oito nove dez onze doze",
        days={
            "yesterday": "ontem",
            "the day before yesterday": "anteontem",
            "today": "hoje",
            "tomorrow": "amanhã",
            "the day after tomorrow": "depois.de.amanhã",
            "a few days ago": "há.(?:alguns|uns|poucos).dias",
            "at Christmas": "no.natal",
        },
        which={
            "last": "passad[oa]s?|últim[oa]s?",
            "this": "(?:n?est|n?ess)[ea]s?",
            "next": "próxim[oa]s?|que.vem|seguinte",
        },
        leads={
            "in": "em",
            "on": "n[oa]s?|em",
            "since": "desde",
            "until": "até|a",
            "before": "antes.d[eoa]",
            "between": "entre",
            "from": "d[eoa]",
            "and": "e",
            "every": "cada|tod[oa]s.[oa]s",
            "the beginning of": "(?:no.)?(?:início|começo).de",
            "the middle of": "(?:em.)?meados.de",
            "the end of": "(?:no.)?fim.de|(?:no.)?final.de",
        },
        ago="há.{time}(?:.atrás)?|{time}.atrás",
        articles="[oa]s?",
        told="conta resume aconteceu aconteceram passou contei contou contamos disse disseste dissemos dito falei"
        " falamos falou falado fiz faço fez fizemos feito mencionei novidades noite tarde manhã",
        of="d[eo]",
        up_to="a|ao|-",
        nth="[º°]?",
    ),
    "dutch": Tongue(
        months="januari februari maart april mei juni juli augustus september oktober november december",
        weekdays="maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        units="dag(?:en)? we(?:ek|ken) maand(?:en)? ja(?:ar|ren) weekend(?:en)?",
        seasons="lente|voorjaar zomer herfst|najaar winter",
        numbers="een|één twee drie vier vijf zes zeven acht negen tien elf twaalf",
        days={
            "yesterday": "gisteren",
            "the day before yesterday": "eergisteren",
            "last night": "gisteravond|vannacht",
            "today": "vandaag",
            "this morning": "vanmorgen|vanochtend",
            "tonight": "vanavond",
            "tomorrow": "morgen",
            "the day after tomorrow": "overmorgen",
            "a few days ago": "(?:een.paar|enkele).dagen.geleden",
            "at Christmas": "met.kerst(?:mis)?",
        },
        which={
            "last": "vorige?|afgelopen|verleden|laatste",
            "this": "deze|dit",
            "next": "volgende?|komende?|aanstaande",
        },
        leads={
            "in": "in",
            "on": "op",
            "since": "sinds",
            "until": "tot(?:.en.met)?",
            "before": "voor",
            "between": "tussen",
            "from": "van|vanaf",
            "and": "en",
            "every": "elke|iedere|ieder|elk",
            "the beginning of": "begin",
            "the middle of": "half|midden",
            "the end of": "eind",
        },
        ago="{time}.geleden",
        articles="de|het",
        told="vertel samen gehad gebeurd gebeurde verteld vertelde gezegd zei vermeld besproken gesproken gepraat"
        " gedaan doe deed deden nieuws avond ochtend middag nacht",
        up_to="tot|t/m|-",
        nth="e?",
    ),
}
