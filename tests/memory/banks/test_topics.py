"""What a text is about: do its words decide, and neither code nor questions beside them?"""

import pytest

from memory.banks.topics import category_of


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("The times were off by one; fixed by converting.\n\n```python\n# decided: always store UTC\n```", "done"),
        ("The importer handles leap seconds.\n\n~~~\n# TODO: we decided to use pytz\n~~~", "note"),
        ("```\nx\n```\n\nWe decided to use pytz.", "decision"),
        ("```\nnpm install left-pad\n```", "dependency"),
        ("- [ ] Write this:\n  ```\n  # decided\n  ```", "next"),
    ],
)
def test_code_beside_words_says_nothing(text: str, category: str) -> None:
    assert category_of(text) == category


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("We will keep the monolith. Do we need sharding?", "decision"),
        ("Do we need sharding? We will keep the monolith.", "decision"),
        ("Wir haben entschieden, NATS zu verwenden. Brauchen wir Retention?", "note"),
        ("The sky was blue. Was it decided, and is it done?", "note"),
        ("Why does the importer crash? It reads the wrong file.", "issue"),
        ("The login page was shipped. Who owns the budget?", "done"),
        ("We keep it. Has it been decided whether we shard?", "note"),
        ("It is unclear who owns the key. Kim?", "question"),
        ("Do we need sharding? Who pays?", "question"),
        ("Brauchen wir Retention?", "question"),
    ],
)
def test_a_question_behind_a_statement_does_not_say_what_that_is(text: str, category: str) -> None:
    assert category_of(text) == category


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("The payment module is finished.", "done"),
        ("The API service was deployed.", "done"),
        ("The cache component is slow and crashes.", "issue"),
        ("The payment module has three layers: API, agents, core.", "architecture"),
        ("The module handles errors of the schema.", "architecture"),
        ("Only the tests are left.", "next"),
        ("The docs are still missing.", "next"),
        ("The button is left of the image.", "note"),
        ("Kim left the team.", "note"),
        ("Remind me to call the dentist.", "next"),
        ("Remember to water the plants.", "next"),
        ("I remember the old dentist.", "note"),
    ],
)
def test_what_is_said_of_a_thing_outweighs_what_it_is(text: str, category: str) -> None:
    assert category_of(text) == category
