"""What messages change, and what they leave: each row is what is said, what is in force after it, and what is not.

What is in force is told by a part of its sentence, so that the rows stand whatever the wording."""

from memory.fact_decisions import Add, Delete, Known, Update, decide_by_rules, reconciled
from memory.fact_statement import stated_by_rules

Row = tuple[list[str], list[str], list[str]]

NAMESAKES: list[Row] = [
    (
        ["My sister Anna lives in Gothenburg.", "My colleague Anna lives in Oslo."],
        ["Gothenburg", "colleague Anna lives in Oslo"],
        [],
    ),
    (
        ["My sister Anna lives in Gothenburg.", "My colleague Anna lives in Oslo.", "Anna moved to Malmö."],
        ["Gothenburg", "Oslo", "Malmö"],
        [],
    ),
    (["Anna is my sister.", "Anna lives in Gothenburg.", "My boss Anna lives in Oslo."], ["Gothenburg", "Oslo"], []),
    (["My friend Tom works at IBM.", "My brother Tom works at Bosch."], ["IBM", "Bosch"], []),
    (["My dog Max is 3.", "My son Max is 7."], ["3", "7"], []),
    (["My cousin Eva is pregnant.", "My aunt Eva is not pregnant."], ["Eva is pregnant", "not pregnant"], []),
    (
        ["My sister Anna works at IBM.", "My colleague Anna no longer works at IBM."],
        ["sister Anna works", "no longer"],
        [],
    ),
    (
        ["My sister Anna lives in Gothenburg.", "My colleague Anna is great fun. She lives in Oslo."],
        ["Gothenburg", "Oslo"],
        [],
    ),
    (
        ["My sister Anna lives in Gothenburg.", "Anna moved to Malmö.", "My colleague Anna lives in Oslo."],
        ["Malmö", "Oslo"],
        ["Gothenburg"],
    ),
    (["My sister is called Anna.", "Anna lives in Rome.", "My neighbour Anna moved to Kiel."], ["Rome", "Kiel"], []),
    (["My sister's friend Anna lives in Rome.", "My friend Anna lives in Kiel."], ["Rome", "Kiel"], []),
    (["My sister Anna lives in Gothenburg.", "My sister Anna moved to Malmö."], ["Malmö"], ["Gothenburg"]),
    (["My sister Anna lives in Gothenburg.", "My older sister Anna moved to Malmö."], ["Malmö"], ["Gothenburg"]),
    (["My mum Eva lives in Rome.", "My mother Eva moved to Kiel."], ["Kiel"], ["Rome"]),
    (["My girlfriend Eva lives in Rome.", "My wife Eva lives in Kiel."], ["Kiel"], ["Rome"]),
    (["My sister Anna lives in Gothenburg.", "Anna moved to Malmö."], ["Anna moved to Malmö"], ["Gothenburg"]),
    (["Anna lives in Rome.", "My sister Anna moved to Kiel."], ["Kiel"], ["Rome"]),
    (
        [
            "My sister Anna lives in Gothenburg.",
            "My colleague Anna lives in Oslo.",
            "My colleague Anna moved to Malmö.",
        ],
        ["Gothenburg", "Malmö"],
        ["Oslo"],
    ),
]
TASTES: list[Row] = [
    (
        ["I love sushi and hate olives.", "I don't hate olives any more."],
        ["loves sushi.", "does not hate olives any more"],
        ["The user hates olives"],
    ),
    (["I love sushi and hate olives."], ["The user loves sushi.", "The user hates olives."], []),
    (["I hate olives but love sushi."], ["The user hates olives.", "The user loves sushi."], []),
    (["I like tea and can't stand coffee."], ["The user likes tea.", "The user cannot stand coffee."], []),
    (["I adore cats, dislike dogs and hate wasps."], ["adores cats.", "dislikes dogs.", "hates wasps."], []),
    (["I enjoy hiking and really hate running.", "I love running now."], ["enjoys hiking.", "loves running"], ["hate"]),
    (["I love sushi but don't like olives."], ["loves sushi.", "does not like olives."], []),
    (["My sister loves sushi and hates olives."], ["sister loves sushi.", "The user's sister hates olives."], []),
    (["Ana likes tea but hates coffee.", "Ana likes coffee."], ["likes tea.", "likes coffee"], ["hates"]),
    (["I love peace and quiet."], ["The user loves peace and quiet."], []),
    (["I love work and play."], ["The user loves work and play."], []),
    (["I hate love songs and hate mail."], ["love songs"], []),
    (["I love sushi and olives."], ["The user loves sushi and olives."], []),
]
DEADLINES: list[Row] = [
    (["The deadline is 30 September.", "The deadline moved to 15 November."], ["15 November"], ["30 September"]),
    (["The deadline is 30 September.", "The deadline is now 15 November."], ["15 November"], ["30 September"]),
    (["The deadline is 30 September.", "The deadline was extended to 15 November."], ["15 November"], ["30 September"]),
    (["The deadline is on Friday.", "The deadline has been pushed to Monday."], ["Monday"], ["Friday"]),
    (["The deadline is on 3 May.", "The new deadline is 9 May."], ["9 May"], ["3 May"]),
    (["My deadline is 30 September.", "The deadline moved to 15 November."], ["15 November"], ["30 September"]),
    (
        ["The deadline for the report is 30 September.", "The deadline for the report slipped to 15 November."],
        ["15 November"],
        ["30 September"],
    ),
    (["The meeting is at 10 on Monday.", "The meeting was moved to Tuesday at 15."], ["Tuesday"], ["Monday"]),
    (["The Alpha deadline is 30 September.", "The Alpha deadline moved to 15 November."], ["15 N"], ["30 S"]),
    (
        ["The deadline for Alpha is 30 September.", "The deadline for Beta moved to 15 November."],
        ["30 September", "15 November"],
        [],
    ),
    (["The Alpha deadline is 30 September.", "The Beta deadline moved to 15 November."], ["30 S", "15 N"], []),
    (["The deadline is 30 September.", "The party moved to 15 November."], ["30 September", "15 November"], []),
    (["The deadline is 30 September.", "The deadline is tight."], ["30 September", "tight"], []),
    (["My meeting is at 10 on Monday.", "My meeting is at 15 on Tuesday."], ["Monday", "Tuesday"], []),
    (["My sister's deadline is 30 September.", "My deadline moved to 15 November."], ["30 S", "15 N"], []),
    (["The report is due on 3 May.", "The deadline moved to 9 May."], ["3 May", "9 May"], []),
]
CANCELLED: list[Row] = [
    (["I'm planning a trip to Lisbon.", "The trip to Lisbon is cancelled."], ["cancelled"], ["planning"]),
    (["I'm planning a trip to Lisbon.", "My trip to Lisbon was called off."], ["called off"], ["planning"]),
    (["I'm planning a trip to Lisbon.", "I cancelled my trip to Lisbon."], ["cancelled"], ["planning"]),
    (["I'm going to Lisbon in June.", "The trip to Lisbon has been cancelled."], ["cancelled"], ["June"]),
    (["We're planning a holiday in Crete.", "Our holiday in Crete fell through."], ["fell through"], ["planning"]),
    (["I'm planning a wedding in May.", "The wedding is off."], ["off"], ["planning"]),
    (["My flight to Oslo is on Friday.", "The flight to Oslo got cancelled."], ["cancelled"], ["Friday"]),
    (["I'm planning a trip to Lisbon.", "The trip is cancelled."], ["cancelled"], ["planning"]),
    (["I'm planning a trip to Lisbon.", "The trip to Porto is cancelled."], ["Lisbon", "Porto"], []),
    (
        ["I'm planning a trip to Lisbon.", "I'm planning a trip to Porto.", "The trip to Porto is cancelled."],
        ["planning a trip to Lisbon", "Porto is cancelled"],
        ["planning a trip to Porto"],
    ),
    (
        ["I'm planning a trip to Lisbon.", "I'm planning a trip to Porto.", "The trip is cancelled."],
        ["Lisbon", "Porto", "cancelled"],
        [],
    ),
    (["My sister is planning a trip to Lisbon.", "My trip to Lisbon is cancelled."], ["sister", "cancelled"], []),
    (["I'm planning a trip to Lisbon.", "The flight to Lisbon is cancelled."], ["trip", "flight"], []),
    (["I'm planning a trip to Lisbon.", "The trip to Lisbon is not cancelled."], ["planning"], []),
    (["I live in Lisbon.", "The trip to Lisbon is cancelled."], ["lives in Lisbon", "cancelled"], []),
    (["I love Lisbon.", "I cancelled my trip to Lisbon."], ["loves Lisbon", "cancelled"], []),
]
HABITS: list[Row] = [
    (["I drink two cups of coffee every day.", "I gave up coffee."], ["gave up"], ["cups"]),
    (["I drink two cups of coffee every day.", "I've given up coffee."], ["given up"], ["cups"]),
    (["I drink a lot of coffee in the morning.", "I stopped drinking coffee."], ["stopped"], ["a lot"]),
    (["I drink three beers every evening.", "I quit drinking beer."], ["quit"], ["three"]),
    (["I smoke a pack of cigarettes a day.", "I quit smoking."], ["quit"], ["a pack"]),
    (["I eat chocolate every night.", "I gave up chocolate for good."], ["gave up"], ["every night"]),
    (["I play tennis on Sundays.", "I gave up tennis."], ["gave up"], ["Sundays"]),
    (["I drink two cups of coffee every day.", "I gave up tea."], ["coffee", "tea"], []),
    (["I drink two cups of coffee every day.", "My sister gave up coffee."], ["cups", "sister"], []),
    (["I drink two cups of tea and coffee every day.", "I gave up coffee."], ["tea", "gave up"], []),
    (["I eat chocolate cake every Sunday.", "I gave up cake decorating."], ["Sunday", "decorating"], []),
    (["I drink two cups of coffee every day.", "I gave up my coffee shop."], ["cups", "shop"], []),
    (["I play tennis on Sundays.", "I quit the tennis club."], ["Sundays", "club"], []),
]
COUNTED: list[Row] = [
    (["I have two cats.", "I now have one cat."], ["one cat"], ["two cats"]),
    (["I have two cats.", "I only have one cat left."], ["one cat"], ["two cats"]),
    (["I have two cats.", "I have just one cat now."], ["one cat"], ["two cats"]),
    (["We have three dogs.", "We're down to one dog."], ["one dog"], ["three"]),
    (["I have one cat.", "I have two cats now."], ["two cats"], ["one cat"]),
    (["I have two cats called Tom and Miso.", "I now have three cats."], ["three"], ["two cats"]),
    (["My sister has two cats.", "I now have one cat."], ["two cats", "one cat"], []),
    (["I have two cats.", "I now have one dog."], ["two cats", "one dog"], []),
    (["I have two cats.", "My sister now has one cat."], ["two cats", "one cat"], []),
    (["I have two cats.", "I have one cat that is black."], ["two cats", "black"], []),
    (["I have two cats.", "I have one cat bed."], ["two cats", "bed"], []),
    (["One of my cats died."], ["One of the user's cats died."], ["my"]),
    (["Two of my kids study in Graz."], ["Two of the user's kids study in Graz."], ["my"]),
    (["The key to my flat is under the mat."], ["The key to the user's flat is under the mat."], ["my"]),
]
DIETS: list[Row] = [
    (["I'm vegetarian.", "I eat meat again."], ["eats meat"], ["vegetarian"]),
    (["I'm a vegetarian.", "I started eating meat again."], ["meat"], ["vegetarian"]),
    (["I'm vegan.", "I eat cheese and eggs now."], ["cheese"], ["vegan"]),
    (["I've been vegan since 2019.", "I went back to eating fish."], ["fish"], ["vegan"]),
    (["I'm pescatarian.", "I eat chicken again."], ["chicken"], ["pescatarian"]),
    (["I eat meat.", "I'm vegetarian now."], ["vegetarian"], ["meat"]),
    (["I'm pescatarian.", "I eat fish twice a week."], ["pescatarian", "fish"], []),
    (["I'm vegetarian.", "I eat eggs again."], ["vegetarian", "eggs"], []),
    (["I'm vegetarian.", "My sister eats meat again."], ["vegetarian", "meat"], []),
    (["My sister is vegetarian.", "I eat meat again."], ["vegetarian", "meat"], []),
    (["I'm vegetarian.", "I eat meat substitutes now."], ["vegetarian", "substitutes"], []),
    (["I'm vegetarian.", "I eat meat at Christmas."], ["vegetarian", "Christmas"], []),
]
JOBS: list[Row] = [
    (
        ["I work at Acme as a welder.", "I switched jobs: I'm now a baker at Brotkorb."],
        ["baker at Brotkorb"],
        ["Acme", "I'm"],
    ),
    (["I work at Acme as a welder.", "I'm now a baker at Brotkorb."], ["Brotkorb"], ["Acme"]),
    (["I work at Acme.", "I'm a baker at Brotkorb now."], ["Brotkorb"], ["Acme"]),
    (["I work as a welder.", "I'm now a baker at Brotkorb."], ["Brotkorb"], ["welder"]),
    (["I work at Acme as a welder.", "I changed jobs and am now a baker at Brotkorb."], ["is now"], ["Acme", " am "]),
    (["I work at Acme as a welder.", "I changed careers: I'm a baker now."], ["baker"], ["welder"]),
    (["I work at Acme.", "I left Acme and started as a baker at Brotkorb."], ["Brotkorb"], ["works at Acme"]),
    (["I work at Acme.", "I switched jobs, I now work at Brotkorb."], ["now works at Brotkorb"], ["Acme"]),
    (["My sister works at Acme.", "I'm now a baker at Brotkorb."], ["Acme", "Brotkorb"], []),
    (["I work at Acme as a welder.", "I'm now a volunteer at the shelter."], ["Acme", "volunteer"], []),
    (["I work at Acme as a welder.", "My sister is now a baker at Brotkorb."], ["Acme", "Brotkorb"], []),
    (["I work at Acme as a welder.", "I'm now a member at Brotkorb."], ["Acme", "Brotkorb"], []),
    (["I work at Acme as a welder.", "My brother switched jobs: he's now a baker at Brotkorb."], ["Acme"], []),
    (["I work at Acme.", "I switched phones: I'm now on Android."], ["Acme"], []),
]
ALL = {
    "namesakes": NAMESAKES,
    "tastes": TASTES,
    "deadlines": DEADLINES,
    "cancelled": CANCELLED,
    "habits": HABITS,
    "counted": COUNTED,
    "diets": DIETS,
    "jobs": JOBS,
}


def after(*messages: str) -> list[str]:
    """The facts in force after texts are learned, one by one."""
    force: dict[str, str] = {}
    for number, message in enumerate(messages):
        facts = [Known(key, text) for key, text in force.items()]
        for place, decision in enumerate(decide_by_rules(reconciled(stated_by_rules(message)), facts)):
            if isinstance(decision, Update | Delete):
                force.pop(decision.id)
            if isinstance(decision, Add | Update):
                force[f"{number}.{place}"] = decision.text
    return list(force.values())


def faults(row: Row) -> str:
    """What is wrong after a row's messages; nothing where all is right."""
    messages, there, gone = row
    found = after(*messages)
    missing = [one for one in there if not any(one in fact for fact in found)]
    left = [one for one in gone if any(one in fact for fact in found)]
    return f"{messages} -> {found}: missing {missing}, left {left}" if missing or left else ""
