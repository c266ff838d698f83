"""What is heard of messages in other languages, and of English?"""

from memory.language.heard import LONGEST, hear
from utils.embeddings import LocalEmbedder


async def test_nothing_is_read_where_all_is_english(reader: LocalEmbedder) -> None:
    heard = await hear(reader, "Where do I live?", ["I live in Leeds.", "I moved to Bath."])
    assert not heard.vectors and not heard.doings


async def test_a_question_in_another_language_has_english_messages_heard_too(reader: LocalEmbedder) -> None:
    heard = await hear(reader, "Wo wohne ich?", ["I live in Leeds.", "I moved to Bath."])
    assert heard.changes("I moved to Bath.") and not heard.changes("I live in Leeds.")
    assert heard.matter("Wo wohne ich?") == heard.matter("I live in Leeds.") == "home"


async def test_what_only_asks_tells_nothing(reader: LocalEmbedder) -> None:
    asking = ["Vergiss meine Kontonummer", "Fasse unser Gespräch zusammen", "Sag mir, wo meine Schwester arbeitet"]
    telling = [
        "Ich habe die Schlüssel vergessen.",
        "Vergiss nicht, dass ich am Montag fliege.",
        "Meine Oma heißt Erna.",
    ]
    heard = await hear(reader, "Wo wohne ich?", [*asking, *telling])
    assert not any(heard.tells(text) for text in asking)
    assert all(heard.tells(text) for text in telling)


async def test_of_whom_a_text_is_about(reader: LocalEmbedder) -> None:
    mine, anothers = "Trabajo en un banco.", "Mi prima trabaja en un banco."
    heard = await hear(reader, "¿Dónde trabajo?", [mine, anothers])
    assert heard.of_others(anothers) and not heard.of_others(mine)
    assert heard.matter(anothers) == "work"


async def test_long_messages_are_not_heard(reader: LocalEmbedder) -> None:
    long = "Ich wohne in Bremen. " * (LONGEST // 20)
    assert long not in (await hear(reader, "Wo wohne ich?", [long])).vectors
