"""What kind of thing does a value name: somebody, a place, an organisation, an amount, a day? A value of the wrong kind
says something else ("my boss is late"), and must not take the place of one that is right."""

import re

MOST_NAMES = 5  # words of one person's name

_PEOPLES = frozenset(
    """afghan african albanian algerian american arab arabic argentinian armenian asian australian austrian
    bangladeshi basque belgian bolivian brazilian british bulgarian canadian catalan chilean chinese colombian
    croatian cuban czech danish dutch egyptian english estonian ethiopian european filipino finnish flemish french
    georgian german ghanaian greek hungarian icelandic indian indonesian iranian iraqi irish israeli italian
    jamaican japanese jordanian kenyan korean kurdish latvian lebanese lithuanian malaysian mexican mongolian
    moroccan nepali nigerian norwegian pakistani palestinian persian peruvian polish portuguese romanian russian
    saudi scottish serbian singaporean slovak slovenian somali spanish sudanese swedish swiss syrian taiwanese
    tanzanian thai tunisian turkish ugandan ukrainian uruguayan venezuelan vietnamese welsh yemeni zimbabwean
    jewish christian catholic muslim buddhist hindu sikh protestant orthodox lutheran anglican atheist agnostic
    vegan vegetarian pescatarian republican democrat dominican""".split()  # noqa: SIM905
)
_STATES = frozenset(
    """able afraid alive alone angry asleep available awake aware away back bad better bored busy called closed cold
    cool confused curious dead deaf disabled divorced done down drunk early employed engaged excited exhausted fine
    fired free fun gay gone good great grateful happy here home hot hungry ill important in interested late lesbian
    lonely long lost lucky mad married missing nervous new next nice not off ok okay old on online offline open out
    over overweight ready pregnant proud queer retired right sad safe scared short shy sick single sorry straight
    stressed stuck sure surprised terrible there thirsty tired trans unemployed unsure unwell up upset wrong well
    worried yes no widowed diabetic autistic dyslexic weird rare common hard difficult unusual misspelled
    pronounced spelled always often never usually sometimes a an the my your his her their our this that it at to
    from of with for what who when where how why being really very too so just also still now currently only more
    less most least some any all none nobody nothing everyone everything anything something somebody someone i you
    he she we they""".split()  # noqa: SIM905
)
_TIMES = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday christmas easter ramadan hanukkah thanksgiving
    halloween diwali january february march july september october november december today tomorrow""".split()  # noqa: SIM905
)
# People move to these, too, and join them, but do not live there.
_NO_PLACE = frozenset(
    """agile scrum kanban slack teams zoom discord linux windows mac macos android ios python rust java typescript
    kubernetes docker github gitlab jira notion aws azure postgres vim emacs chrome firefox reddit facebook
    instagram twitter telegram whatsapp linkedin tinder mensa marketing sales finance hr management engineering
    product support remote part full another different bed work school fear peace harmony poverty luxury denial sin
    hope exile style misery shame secret secrecy silence isolation hotels dorms student shared constant""".split()  # noqa: SIM905
)
_IN_LOWER_CASE = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*$")
_NO_NAME = frozenset(
    """irrelevant unimportant private confidential secret unknown unique taken known mine above
    below""".split()  # noqa: SIM905
)
_CONDITIONS = frozenset(  # that people live in without being anywhere
    """fear peace harmony poverty luxury denial sin hope exile style misery shame secret secrecy silence isolation
    constant comfort pain terror dread doubt debt squalor chaos bliss ignorance abundance solitude safety
    uncertainty interesting""".split()  # noqa: SIM905
)
_GIVEN_NAMES = frozenset(
    """sebastian ian adrian brian bryan vivian julian fabian damian damien lillian jillian gillian killian florian
    dorian marian kristian cristian bastian tristian octavian cyprian therese reese trish ashish girish harish
    satish manish hamish jean sean dean""".split()  # noqa: SIM905
)
_PARTICLES = frozenset("de da di du del della van von der den la le el al bin ibn ben dos y".split())  # noqa: SIM905
_BEFORE_A_PLACE = frozenset("the central downtown upstate greater northern southern eastern western inner".split())  # noqa: SIM905
_FIRST_OF_TWO = frozenset(
    """new san santa saint st los las el la le hong tel cape buenos rio sao kuala abu south north west east united
    costa sri great den puerto mexico cape central downtown upstate northern southern fort port mount""".split()  # noqa: SIM905
)
_MONTHS = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b"
)
_NUMBERS = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred)\b"
_SPELLED = r"[^\W\d_](?:[\w’'.-]*\w)?\.?"
_WORD_OF_A_NAME = re.compile(rf"{_SPELLED}$")
_WORD_OF_A_COMPANY = re.compile(r"(?:[\w’'.&+-]+|&)$")
_AMOUNT = re.compile(
    rf"(?:(?:about|around|roughly|only|at|currently|number|no\.?|up to) )*[$€£#+(]*(?:\d|{_NUMBERS})", re.I
)
_DAY = re.compile(
    rf"(?:(?:on|in|the|about|around|this|next|early|late|mid|end of|beginning of) )*(?:\d|{_MONTHS}|tomorrow\b|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|(?:week|month|year)\b)",
    re.IGNORECASE,
)
_BIRTHDAY = re.compile(rf"(?:(?:on|in|the) )*(?:\d|{_MONTHS})", re.I)
_DATE = re.compile(
    rf"(?:on )?(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTHS}|{_MONTHS}|(?:mon|tues|wednes|thurs|fri|satur|"
    rf"sun)day\b)",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?:at )?\d{1,2}(?:[:.]\d\d\b| ?[ap]m\b)|at \d{1,2}(?=$|,| (?:on|in the|o['’]clock|sharp|today|tomorrow|every)\b)",
    re.I,
)
_NUMBERED = re.compile(
    r"(?:(?:in|at|on) )?(?:number|no\.?|gate|room|seat|platform|locker|row|desk|building|floor) \w*\d", re.IGNORECASE
)
_COLOUR = re.compile(
    r"(?:(?:light|dark|bright|pale|deep|navy|sky|royal|forest|emerald|burnt|hot|baby|midnight) ?)*(?:red|orange|yellow|"
    r"green|blue|purple|violet|indigo|pink|brown|black|white|gr[ae]y|beige|turquoise|teal|cyan|magenta|maroon|gold|"
    r"silver|navy|lavender|lilac|crimson|scarlet|olive|mint|coral|burgundy|aqua|mauve|ochre|amber|peach|cream)\b",
    re.IGNORECASE,
)
_DIET = re.compile(
    r"(?:an? )?(?:strict(?:ly)? |mostly )?"
    r"(?:vegan|vegetarian|pescatarian|omnivor(?:e|ous)|carnivore|keto|halal|kosher)\b",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"(?:(?:an?|the) )?(?:[a-z-]+ ){0,3}(?:nurse|doctor|teacher|engineer|manager|lawyer|judge|pilot|chef|cook|"
    r"professor|"
    r"lecturer|developer|programmer|designer|director|architect|accountant|analyst|consultant|scientist|researcher|"
    r"dentist|surgeon|vet|pharmacist|electrician|plumber|carpenter|mechanic|driver|waiter|waitress|barista|bartender|"
    r"baker|butcher|farmer|gardener|journalist|editor|writer|author|translator|librarian|photographer|musician|actor|"
    r"actress|artist|dancer|singer|paramedic|firefighter|policeman|policewoman|officer|soldier|secretary|assistant|"
    r"receptionist|cashier|salesperson|therapist|psychologist|psychiatrist|midwife|principal|headteacher|foreman|"
    r"supervisor|partner|ceo|cto|cfo|coo|vp|head of [a-z]+|team lead(?:er)?|tutor|trainer|coach|technician|welder|"
    r"builder|painter|tailor|hairdresser|clerk|florist|roofer|bricklayer|mason|locksmith|optician|nanny|postman|courier)\b(?!['’-])",
    re.IGNORECASE,
)
_PASSES = frozenset(
    """closed broken dirty gone lost sold out off on in at too very so really always never not closing ending coming
    going missing changing boring amazing awesome hard difficult impossible unknown unavailable expensive cheap
    torn full empty ruined stolen finished cancelled canceled playing back here there being getting now still""".split()  # noqa: SIM905
)


def is_capitalised(word: str) -> bool:
    """Whether a word starts as a name does; in scripts without capitals, every word does."""
    return word[:1].isalpha() and not word[0].islower()


def is_somebody(value: str) -> bool:
    """Whether a value is the name of a person or an animal, in any alphabet, and not how or of which people one is."""
    parts = value.split()
    if not 1 <= len(parts) <= MOST_NAMES or not is_capitalised(parts[-1]):
        return False
    return all(_is_part_of_a_name(part) or part.casefold() in _PARTICLES for part in parts)


def is_adjective(word: str) -> bool:
    """Whether a word says how or of which people somebody is: "Italian", "tired"."""
    plain = word.casefold()
    if plain in _PEOPLES | _STATES:
        return True
    return plain.endswith(("ish", "ese", "ian", "ean")) and plain not in _GIVEN_NAMES


def is_of_a_people(word: str) -> bool:
    """Whether a word says of which people, faith or persuasion somebody is."""
    return is_capitalised(word) and is_adjective(word) and word.casefold() not in _STATES


def is_place(value: str) -> bool:
    """Whether a value starts with the name of a place: "Rome", "the Netherlands", "central London since May"."""
    parts = value.replace(",", " ").split()
    while len(parts) > 1 and parts[0].casefold() in _BEFORE_A_PLACE:
        parts = parts[1:]
    return bool(parts) and is_capitalised(parts[0]) and parts[0].casefold() not in _NO_PLACE | _TIMES | _PEOPLES


def is_place_in_lower_case(value: str) -> bool:
    """Whether a value, of somebody who writes no capitals, can be the name of a place and nothing else."""
    parts = re.split(r",| (?:with|since|for|and|in|near)\b", value.strip(), maxsplit=1)[0].split()
    if len(parts) == 2 and parts[0] in _FIRST_OF_TWO:
        parts = parts[1:]
    if len(parts) != 1 or not (parts[0].isalpha() and parts[0].islower()):
        return False
    return parts[0] not in _NO_PLACE | _TIMES | _PEOPLES | _STATES


def is_name_in_lower_case(value: str) -> bool:
    """Whether a value, of somebody who writes no capitals, can be the name of a person and nothing else."""
    parts = re.split(r"[,;(]| (?:from|and|but|in|at|by)\b", value, maxsplit=1)[0].split()
    return 1 <= len(parts) <= MOST_NAMES and all(
        _IN_LOWER_CASE.match(part) and part.islower() and not is_adjective(part) and part not in _NO_NAME
        for part in parts
    )


def is_condition(value: str) -> bool:
    """Whether a value says how one lives, and not where: "fear of wasps"."""
    return (
        value.split(" ", 1)[0] in _CONDITIONS
        or re.match(r"the (?:moment|past|future|present|now)\b", value) is not None
    )


def is_organisation(value: str) -> bool:
    """Whether a value starts with the name of an organisation: "Apple", "the Louvre", "3M in Berlin"."""
    parts = value.replace(",", " ").split()
    if parts and parts[0] == "the":
        parts = parts[1:]
    if not parts or not _WORD_OF_A_COMPANY.match(parts[0]) or not re.search(r"[^\W\d_]", parts[0]):
        return False
    if parts[0].casefold() in _PEOPLES:
        return len(parts) > 1 and is_capitalised(parts[1])  # "British Airways"
    return (is_capitalised(parts[0]) or parts[0][0].isdigit()) and parts[0].casefold() not in _TIMES


def is_employer(value: str) -> bool:
    """Whether a value is an organisation that is joined to work there, and not to write to friends."""
    return is_organisation(value) and value.split()[0].casefold() not in _NO_PLACE


def is_anything(value: str) -> bool:
    return bool(value)


def is_home(value: str) -> bool:
    return is_place(value) or is_place_in_lower_case(value)


def is_amount(value: str) -> bool:
    return _AMOUNT.match(value) is not None


def is_age(value: str) -> bool:
    return re.match(r"1?\d{1,2}(?: years old)?(?: now)?$", value) is not None


def is_number(value: str) -> bool:
    """Whether a value is what numbers something: digits, or a code with digits in it."""
    return _AMOUNT.match(value) is not None or (len(value.split()) == 1 and any(one.isdigit() for one in value))


def is_email(value: str) -> bool:
    return re.match(r"\S+@\S+$", value) is not None


def is_address(value: str) -> bool:
    return any(one.isdigit() for one in value) and not re.match(r"(?:on|in|at) [a-z]", value)


def is_day(value: str) -> bool:
    return _DAY.match(value) is not None


def is_birthday(value: str) -> bool:
    return _BIRTHDAY.match(value) is not None


def is_diet(value: str) -> bool:
    return _DIET.match(value) is not None


def is_occupation(value: str) -> bool:
    return _WORK.match(value) is not None


def is_car(value: str) -> bool:
    """Whether a value is of a make: "a red Toyota"."""
    return any(is_capitalised(part) and not is_adjective(part) for part in value.split())


def is_colour(value: str) -> bool:
    return _COLOUR.match(value) is not None


def is_favourite(value: str) -> bool:
    """Whether a value is a plain noun or a name: "fried rice", not "closed on Mondays"."""
    parts = re.split(r"[,(]| (?:by|with|from|because|and)\b", value, maxsplit=1)[0].casefold().split()
    if not 1 <= len(parts) <= 6 or parts[-1].endswith("ed"):
        return False
    return not _PASSES & set(parts) or value.istitle()


def is_word_in_capitals(value: str) -> bool:
    return is_capitalised(value)


def is_blood_type(value: str) -> bool:
    return re.match(r"(?:a|b|ab|o|0) ?(?:[+-]|positive\b|negative\b|rh)", value, re.I) is not None


def kind_of(value: str) -> str | None:
    """What kind of value it is, where another of the kind would contradict it: a time, a number, a date, a name."""
    value = value.strip(" .")
    if _TIME.match(value):
        return "time"
    if _NUMBERED.match(value):
        return "number"
    if _DATE.match(value):
        return "date"
    if re.match(r"(?:on |about |around )?\d", value):
        unit = re.sub(r"[\d.,:\s]+", "", value.split(" ")[-1] if " " in value else "")
        return f"number {unit}".strip()
    return "proper name" if is_somebody(value) else None


def _is_part_of_a_name(word: str) -> bool:
    letters = [one for one in word if one.isalpha()]
    shouted = len(letters) > 1 and word.isupper()
    if shouted or not is_capitalised(word) or not _WORD_OF_A_NAME.match(word):
        return False
    return not is_adjective(word) and word.casefold() not in _TIMES
