"""Which words of languages other than English carry no meaning, and which tell of a language?"""

from utils.text import STOPWORDS

# Words that say nothing in English, and other languages have, too: "was" is German, "once" Spanish.
_AMBIGUOUS = frozenset(
    """
    a also am an at but by can do for had has have he her his i in is let me mine most must no not of on once over so
    to under was we will
    """.split()  # noqa: SIM905
)
ENGLISH_ALONE = STOPWORDS - _AMBIGUOUS

FUNCTION_WORDS = {
    "german": """
        aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei
        beim bin bis bist da dabei dafür damit dann daran darauf darüber das dass davon dazu dein deine deinem deinen
        deiner dem den denn der deren des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch
        eben ein eine einem einen einer eines er es etwas euch euer eure für gegen gehabt genau gewesen gib gibt gab hab
        habe haben habt hast hat hatte hatten hattest hätte hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in
        ins ist ja jede jedem jeden jeder jedes jene jetzt kann kannst kein keine keinem keinen keiner konnte konnten
        können könnte mal man manche mein meine meinem meinen meiner meines mich mir mit möchte muss musst müssen musste
        nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich sie sind so
        sogar soll sollen sollte solche sondern sonst über um und uns unser unsere unserem unseren unserer unter vom von
        vor wann war waren warst warum was weil welche welchem welchen welcher welches wem wen wenn wer werde werden
        weshalb wessen wie wieder wieso will willst wir wird wirst wo wobei wofür woher wohin womit woran worauf worüber
        wovon wozu wurde wurden würde zu zum zur zwischen darf darfst dürfen viel viele vielen wieviel bitte eigentlich
        """,
    "spanish": """
        a al algo alguien algún alguna algunas alguno algunos ante antes aquel aquella aquello aún aunque bien cada como
        cómo con contra cosa cosas cual cuál cuáles cuales cualquier cuando cuándo cuanta cuánta cuántas cuantas cuanto
        cuánto cuantos cuántos de del desde donde dónde durante e él el ella ellas ellos en entre era eran eras eres es
        esa esas ese eso esos esta está estaba estaban estás están este esto estos estoy fue fueron fui fuimos ha había
        habían haber hace hacia han has hasta hay he hemos la las le les lo los me mi mí mía mías mío míos mis mucha
        muchas mucho muchos muy nada ni no nos nosotros nuestra nuestras nuestro nuestros nunca o os otra otras otro
        otros para pero poco por porque puede puedo pues que qué quién quien quiénes quienes se sea ser si sí sido sin
        sobre sois solo sólo somos son soy su sus tal también tampoco tan tanto te tengo ti tiene tienen tienes tenemos
        tenía todo todos toda todas tu tú tus un una unas uno unos usted ustedes va vamos voy y ya yo favor ahora
        """,
    "french": """
        à ai aie as au aucun aucune aussi autre autres aux avais avait avant avec avez aviez avions avoir avons c'est
        c'était ça car ce ceci cela celle celles celui ces cet cette ceux chaque chez comme comment d'un d'une dans de
        depuis des donc dont du elle elles en encore es est et étais était étaient été êtes être eu eux fut il ils j'ai
        j'avais j'étais je l'ai l'a la là laquelle le lequel les lesquels lesquelles leur leurs lui m'a m'as ma mais me
        même mes moi mon n'a n'ai n'est ne ni non nos notre nous on ont où ou oui par parce pas peu peut peux plus pour
        pourquoi qu'a qu'ai qu'as qu'avons qu'elle qu'est qu'il qu'ils qu'on quand que quel quelle quelles quelque
        quelques quels qui quoi s'est sa sans se sera ses si soit somme sommes son sont sous suis sur t'ai t'a ta te tes
        toi ton tous tout toute toutes très trop tu un une va vais vas vos votre vous y combien merci maintenant
        """,
    "italian": """
        a abbiamo abbia ad agli ai al alcuni alcune alla alle allo anche ancora avete aveva avevo avere avuto c'è c'era
        c'erano che chi ci ciò com'è come con contro cos'è cosa cui da dagli dai dal dalla dalle dallo degli dei del
        dell dell' della delle dello di dopo dov'è dov'era dove e è ed era erano eri ero essere fra già gli ha hai hanno
        ho i il in io l'ha l'ho la le lei li lo loro lui ma me mi mia mie miei mio molta molte molti molto ne né negli
        nei nel nella nelle nello noi non nostra nostre nostri nostro o ogni oppure ora per perché però poi posso può
        qual quale quali qualche quando quant'è quanta quante quanti quanto quel quella quelle quelli quello quest
        questa queste questi questo qui sarà se sei senza si sia siamo siete sono sta stato stata stati stava sto su sua
        sue sugli sui sul sulla sulle suo suoi te ti tra tu tua tue tuo tuoi tutta tutte tutti tutto un una uno va vi
        voi vostra vostro adesso
        """,
    "portuguese": """
        a à ainda algo alguém algum alguma alguns algumas ao aos aquela aquele aqueles aquilo as às até cada com como da
        das de dela dele deles depois do dos e é ela elas ele eles em entre era eram és essa essas esse esses esta está
        estão estava estavam estás este estes estou eu foi fomos foram fui há isso isto já la lhe lhes lo mais mas me
        mesmo meu meus mim minha minhas muita muitas muito muitos na nada não nas nem nenhum no nos nós nossa nossas
        nosso nossos num numa nunca o onde os ou outra outras outro outros para pela pelas pelo pelos por porque porquê
        pode posso qual quais quando quanta quantas quanto quantos que quê quem são se seja sem ser será seu seus si só
        sobre somos sou sua suas também tão te tem têm temos tenho tens teve tive tinha teu toda todas todo todos tu tua
        tudo um uma uns umas vai vou você vocês vos agora
        """,
    "dutch": """
        aan al alle alles als andere ben bent bij daar dan dat de deze die dit doch doen doet door dus een eens en er ga
        gaan gaat ge geen geweest haar had hadden heb hebben hebt heeft hem hen het hier hij hoe hoeveel hun iemand iets
        ik in is ja je jij jou jouw jullie kan kon kunnen kun maar me mee men met mij mijn mag moet moeten na naar niet
        niets nog nu of om omdat ons onze ook op over reeds te tegen toch toen tot u uit uw van veel voor waar waarom
        waarover waarmee waarin waaraan wanneer want waren was wat we wel welk welke werd wie wij wil word worden wordt
        zal ze zelf zich zij zijn zo zonder zou heel waarheen
        """,
}

# What tells of a language, and carries meaning: times, and words for what was said and done.
SIGNS = {
    "german": """
        gestern heute vorgestern übermorgen letzte letzten letzter letztes nächste nächsten nächster nächstes
        vergangene vergangenen woche wochen monat jahr januar februar märz juni juli oktober dezember montag
        dienstag mittwoch donnerstag freitag samstag sonntag passiert erzählt gesagt gesprochen heißt zusammen
        """,
    "spanish": """
        ayer anteayer hoy mañana pasado pasada próximo próxima semana año enero febrero marzo mayo junio julio
        agosto septiembre octubre noviembre diciembre lunes martes miércoles jueves viernes sábado domingo pasó
        hablamos dije conté llama
        """,
    "french": """
        hier aujourd'hui demain dernier dernière prochain prochaine semaine mois année passé janvier février
        juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi
        dimanche raconté parlé s'appelle m'appelle t'appelles
        """,
    "italian": """
        ieri oggi domani scorso scorsa prossimo prossima settimana mese anno gennaio febbraio aprile maggio
        giugno luglio settembre ottobre dicembre lunedì martedì mercoledì giovedì venerdì sabato domenica
        successo parlato detto chiama
        """,
    "portuguese": """
        ontem anteontem hoje amanhã passado passada próximo próxima semana mês ano dias atrás janeiro fevereiro
        março abril maio junho julho setembro outubro novembro dezembro terça sábado domingo aconteceu falamos
        fizemos disse
        """,
    "dutch": """
        gisteren eergisteren vandaag morgen vorige volgende afgelopen maand jaar januari februari maart mei juni
        juli augustus oktober maandag dinsdag woensdag donderdag vrijdag zaterdag zondag gebeurd gebeurde
        verteld gezegd
        """,
}

# English texts have them too, as words or in names.
ENGLISH_TOO = STOPWORDS | frozenset(
    """
    abril ad agosto ai aint al alle allen als also am an ander anno ano ante aprile as ate au aux avant bad ben bent
    bien bin bis bitte but ca can car ce ces cet chez chi ci cio com come comment con conte contra cosa da dal dan
    dance das dat de dei del della dem den der des detto di dias die dies dir dis dit do doch domingo dont door dos
    dove du due dus e eben ed een eh ein el ela ele ella elle em en enero er era eras ere es esa est este et eu euro
    favor fin fine fra fui fur ga gaan gab ge gia gib gut ha hab had hai han has hast hasta hat hay he heel hem hen
    her hi hier hin hoe hun i il im in ins io is ja jaar je juan juli julio kan kon la las le lei les li llama lo
    los lui ma maar mag mai mais mal man mano marco martes marzo mas mayo me mee meer mei mein men merci mes met mi
    mia mie mil min mine mio mis mit mon morgen mucho muy my na nada nah nao ne nee nel ni no noe noel non nos notre
    nous nu num nun nur o ob of oh ok om on onde ons op or ora os ou over pa par para pas paso passe pasta pela pelo
    per pero peu plus poi pour pues quest qui ran sa salut san sans sao sara se sea sei sein sem semana ser sera ses
    si sia sin sir sis so sogar sol sold solo somewhat somme son sono sous sow soy sta sto su sua sub sue sui sur
    sus ta tal tan tao te tempo tens tes ti toda todo todos toe toi ton tot tous tout toute tu tua tue tut u uber
    uit um uma un una uno uns up us use uw va van vi via vom von vos vous want war ware waren was wat we wel welk
    wen were wie wil will wo word worden y ya yo yos you ze zo zum zur
    """.split()  # noqa: SIM905
)

# Of these, the ones that English has in names alone, and words with which a question begins in other languages.
IN_NAMES = frozenset(
    """
    das de del dem den der des di du een ein el est het il im la las le les los mein mi mon un una war
    """.split()  # noqa: SIM905
)
ASKING = frozenset({"che", "chi", "hoe", "que", "qui", "wann", "was", "wat", "wer", "wie", "wo"})
