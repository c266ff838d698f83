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
    (["My friend Julia works at Bosch.", "My cousin Julia works at Siemens."], ["Bosch", "Siemens"], []),
    (["My son Leo is 5.", "My nephew Leo is 9."], ["5", "9"], []),
    (["My neighbour Peter moved to Bonn.", "My uncle Peter lives in Kiel."], ["Bonn", "Kiel"], []),
    (
        ["My uncle Peter lives in Kiel.", "My neighbour Peter lives in Bonn.", "Peter lives in Ulm now."],
        ["Kiel", "Bonn", "Ulm"],
        [],
    ),
    (["My boss Maria drives a Volvo.", "My aunt Maria drives a Fiat."], ["Volvo", "Fiat"], []),
    (["My friend Sam is single.", "My brother Sam got married."], ["single", "married"], []),
    (["Lisa is my cousin.", "Lisa works at IBM.", "My friend Lisa works at Apple."], ["IBM", "Apple"], []),
    (["My friend Sam likes tea.", "My brother Sam hates tea."], ["likes", "hates"], []),
    (["My colleague Ben from Leeds lives in York.", "My colleague Ben from Bath lives in Hull."], ["York", "Hull"], []),
    (["My sister Anna lives in Rome.", "My sister Anna lives in Bari now."], ["Bari"], ["Rome"]),
    (["My dad Karl works at BASF.", "My father Karl retired."], ["BASF", "retired"], []),
    (["My husband Tom is 40.", "Tom turned 41."], ["41"], ["40"]),
    (["My landlord Mr. Klein lives in Ulm.", "My teacher Mr. Klein moved to Bonn."], ["Ulm", "Bonn"], []),
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
    (["I really love jazz but hate techno."], ["loves jazz.", "The user hates techno."], []),
    (["I like hiking, but I hate camping.", "I like camping now."], ["likes hiking", "likes camping"], ["hates"]),
    (["I love dogs and cats but dislike birds."], ["loves dogs and cats.", "dislikes birds."], []),
    (["I can't stand onions but love garlic."], ["cannot stand onions.", "loves garlic."], []),
    (["I enjoy reading and don't enjoy TV."], ["enjoys reading.", "does not enjoy TV."], []),
    (["I hate Mondays and love Fridays."], ["hates Mondays.", "loves Fridays."], []),
    (["I'm a fan of jazz and hate techno."], ["hates techno"], [" hate "]),
    (["My wife likes wine but hates beer.", "My wife likes beer."], ["likes wine", "likes beer"], ["hates"]),
    (["I love making and eating bread."], ["loves making and eating bread."], []),
    (["I like rock and metal."], ["rock and metal"], []),
    (["I love that my kids like and enjoy school."], [], [" I "]),
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
    (["The exam is on 3 June.", "The exam was postponed to 10 June."], ["10 June"], ["3 June."]),
    (["The launch is on Friday.", "The launch slipped to Monday."], ["Monday"], ["Friday"]),
    (["My dentist appointment is on 5 May.", "My dentist appointment got moved to 12 May."], ["12 May"], ["on 5 May"]),
    (
        ["The project deadline is 30 September.", "The project deadline has been changed to 15 October."],
        ["15 October"],
        ["September"],
    ),
    (["The deadline is 30 September.", "They moved the deadline to 15 November."], ["15 November"], ["30 September"]),
    (
        ["The deadline is 30 September.", "Our deadline got extended until 15 November."],
        ["15 November"],
        ["30 September"],
    ),
    (["The concert is on 3 June.", "The dinner was moved to 10 June."], ["3 June", "10 June"], []),
    (["The kick-off meeting is on Monday.", "The review meeting moved to Tuesday."], ["Monday", "Tuesday"], []),
    (["The deadline for the thesis is 1 May.", "The deadline for the grant is 9 May."], ["1 May", "9 May"], []),
    (["The deadline is 30 September.", "The deadline is a joke."], ["30 September"], []),
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
    (["I'm planning a party for Ana.", "The party for Ana is cancelled."], ["cancelled"], ["planning"]),
    (["We have a dentist appointment on Monday.", "The dentist appointment was cancelled."], ["cancelled"], ["has a"]),
    (["I booked a cruise to Norway.", "I had to cancel the cruise to Norway."], ["cancel"], ["booked"]),
    (
        ["We're going to Crete in July.", "We're not going to Crete any more."],
        ["not going"],
        ["is going to Crete in July"],
    ),
    (["I'm planning a trip to Japan in spring.", "The Japan trip is off."], ["off"], ["planning"]),
    (["I'm flying to Rome on Friday.", "My trip to Rome got cancelled."], ["cancelled"], ["flying"]),
    (["I plan to visit Porto in May.", "The visit to Porto has been called off."], ["called off"], ["plans"]),
    (["I have a Netflix subscription.", "I cancelled my Netflix subscription."], ["cancelled"], ["has a"]),
    (["I have a Spotify subscription.", "I cancelled my Netflix subscription."], ["Spotify", "Netflix"], []),
    (
        ["I'm planning a trip to Rome.", "I'm planning a trip to Oslo.", "My trip to Rome is cancelled."],
        ["Oslo", "cancelled"],
        ["planning a trip to Rome"],
    ),
    (["My mother is planning a party.", "The wedding is cancelled."], ["party", "wedding"], []),
    (["I work in Rome.", "My trip to Rome was cancelled."], ["works", "cancelled"], []),
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
    (["I drink a glass of wine every evening.", "I quit wine."], ["quit"], ["glass"]),
    (["I eat meat every day.", "I gave up meat."], ["gave up"], ["every day"]),
    (["I smoke ten cigarettes a day.", "I gave up smoking."], ["gave up"], ["ten"]),
    (["I go running every morning.", "I stopped running."], ["stopped"], ["every morning"]),
    (["I drink coffee.", "I no longer drink coffee."], ["no longer"], ["user drinks"]),
    (["I drink two cups of coffee every day.", "I don't drink coffee any more."], ["not drink"], ["two cups"]),
    (["I drink two cups of coffee every day.", "I no longer drink coffee."], ["no longer"], ["two cups"]),
    (["I play the guitar in a band.", "I gave up the guitar."], ["gave up"], ["plays"]),
    (["I take sugar in my tea.", "I cut out sugar."], ["cut out"], ["takes"]),
    (["I drink two beers every Friday.", "I gave up smoking."], ["beers", "smoking"], []),
    (["I drink two cups of coffee every day.", "I stopped drinking coffee after 3 pm."], ["two cups", "3 pm"], []),
    (["I drink two cups of tea every day.", "I gave up coffee."], ["tea", "coffee"], []),
    (["I play tennis on Sundays.", "I gave up tennis balls."], ["Sundays"], []),
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
    (["We have three cats.", "We only have two cats now."], ["two cats"], ["three"]),
    (["I have two kids.", "I now have three kids."], ["three"], ["two"]),
    (["I own two cars.", "I own one car now."], ["one car"], ["two"]),
    (["I have two cats.", "I've got one cat left."], ["one cat"], ["two cats"]),
    (["I have two dogs.", "One of my dogs ran away."], ["One of the user's dogs ran away"], ["my"]),
    (["I have two brothers.", "I have one sister."], ["two brothers", "one sister"], []),
    (["I have two cats.", "I have one cat tree."], ["two cats", "tree"], []),
    (["I have two cats.", "My neighbour has one cat."], ["two cats", "one cat"], []),
    (["Both of my sisters live in Ulm."], ["Both of the user's sisters live in Ulm."], ["my"]),
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
    (["I am a vegan.", "I started eating fish again."], ["fish"], ["vegan"]),
    (["I'm vegetarian.", "I'm no longer vegetarian."], ["no longer"], ["is vegetarian."]),
    (["I'm vegetarian.", "I eat chicken and fish now."], ["chicken"], ["vegetarian"]),
    (["I'm vegetarian.", "I've started eating meat again."], ["meat"], ["vegetarian"]),
    (["I don't eat meat.", "I eat meat again."], ["again"], ["not"]),
    (["I'm vegan.", "I gave up meat."], ["vegan"], []),
    (["I'm vegan.", "I eat tofu now."], ["vegan", "tofu"], []),
    (["I'm vegetarian.", "My cat eats meat."], ["vegetarian"], []),
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
    (["I work as a nurse at Charité.", "I'm now a teacher at Lessing School."], ["Lessing"], ["Charité"]),
    (["I work at Acme.", "I left Acme for Bosch."], ["left"], ["works at Acme"]),
    (["I'm a welder at Acme.", "I'm now a baker at Brotkorb."], ["baker"], ["welder"]),
    (["I work at Acme as a welder.", "I got a new job as a baker at Brotkorb."], ["Brotkorb"], ["Acme"]),
    (["I work at Acme as a welder.", "I started working at Brotkorb as a baker."], ["Brotkorb"], ["Acme"]),
    (["I work at Acme.", "I am a volunteer at Caritas now."], ["Acme", "Caritas"], []),
    (["I work at Acme.", "My wife switched jobs: she's now a baker at Brotkorb."], ["Acme"], []),
    (["I work at Acme as a welder.", "I'm now a grandfather."], ["Acme", "grandfather"], []),
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
