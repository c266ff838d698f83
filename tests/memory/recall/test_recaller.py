"""What was said is found, as it was asked for, and nothing else."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from agents.memory import Memory
from agents.open import open_memory
from config.recipes import QUERY, QUERY_COSINE, QUERY_NEWEST_200, SEARCH, Recipe
from config.settings import Settings
from memory.domain import RULE_BASED, Candidate, Gist, Hit, Parts, Recall
from memory.gists.reader import GistReader
from memory.recall import Scope
from memory.recall import recaller as recall_module
from memory.recall.recaller import merged, with_overrides
from memory.recall.scored import EXTRA, SPARE
from memory.store.changes import Standing
from tests.conversations import START, USER, Silent, found, pairs, settle, turn
from tests.scripted_model import ScriptedModel
from utils import circuit
from utils.errors import ModelRefused, ModelUnavailable
from utils.remote_embedder import RemoteEmbedder
from utils.vectors import Floats

# At a provider.


async def test_a_search_is_one_call_of_a_provider(with_model: Memory, scripted_model: ScriptedModel) -> None:
    await with_model.add(USER, "s1", [turn(f"m{n}", f"I have item {n}.", name="Caroline") for n in range(6)], wait=True)
    await with_model.search(USER, "hello")
    asked = "What does Caroline say of item 4?"
    await with_model.search(USER, asked)
    [*_, body] = scripted_model.asked("embeddings")
    assert body["input"] == [asked, "What does say of item 4?"]


async def test_a_search_after_an_outage_finds_the_provider_well_again(
    with_model: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await with_model.add(USER, "s1", [turn("m0", "I have a cat.")], wait=True)
    await with_model.search(USER, "hello")
    await with_model.add(USER, "s1", [turn("m1", "I have a dog.")])
    embedder, send = with_model.engine.gists.embedder, RemoteEmbedder._send
    assert isinstance(embedder, RemoteEmbedder)
    monkeypatch.setattr(circuit, "THRESHOLD", 1)
    monkeypatch.setattr(circuit, "COOL_DOWN", 0.0)
    with pytest.raises(ModelUnavailable), embedder._breaker.watch():
        raise ModelUnavailable("the provider is away")

    async def as_slow_as_a_provider(self: RemoteEmbedder, texts: list[str]) -> object:
        await asyncio.sleep(0.05)
        return await send(self, texts)

    monkeypatch.setattr(RemoteEmbedder, "_send", as_slow_as_a_provider)
    assert len((await with_model.search(USER, "Which pets do I have?")).hits) == 2
    assert embedder.healthy


# In this process.


async def test_a_query_is_read_ahead_as_the_index_understands_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await memory.add(USER, "s1", [turn("m0", "I have a boat.", name="Caroline")], wait=True)
    ahead: list[str] = []
    monkeypatch.setattr(memory.engine.gists.encoder, "read_ahead", ahead.append)
    asked = "What does Caroline say of boats?"
    memory.engine.search.recaller.read_ahead(USER, asked)
    await memory.search(USER, "hello")
    memory.engine.search.recaller.read_ahead(USER, asked)
    assert ahead[:1] == [asked]
    assert ahead[-2:] == [asked, "What does say of boats?"]


# The platform document: the numbers.


async def test_a_chat_recalls_the_8_best_messages(with_model: Memory) -> None:
    await with_model.add(USER, "s1", [turn(f"m{n}", f"bees honey {n}") for n in range(20)], wait=True)
    recall = await with_model.search(USER, "bees honey", QUERY_COSINE)
    assert len(recall.hits) == 8
    assert len(recall.considered) > 8
    assert {one.dropped for one in recall.considered[8:]} == {"top_k"}


async def test_a_message_below_the_similarity_of_0_45_is_not_recalled(with_model: Memory) -> None:
    texts = {"near": "alpha beta gamma one", "half": "alpha beta two three", "far": "alpha four five six"}
    await with_model.add(USER, "s1", [turn(name, text) for name, text in texts.items()], wait=True)
    recall = await with_model.search(USER, "alpha beta gamma delta", QUERY_COSINE)
    assert [hit.gist.id for hit in recall.hits] == ["near", "half"]
    assert all(hit.parts.dense >= 0.45 for hit in recall.hits)
    assert [(one.key, one.dropped) for one in recall.considered[2:]] == [("far", "below_floor")]
    assert recall.considered[2].parts.dense < 0.45


async def test_only_the_newest_200_vectors_are_compared_under_the_seeds_recipe(with_model: Memory) -> None:
    await with_model.add(USER, "s1", [turn("m0", "the very first words")], wait=True)
    await with_model.add(USER, "s1", [turn(f"m{n}", f"filler {n}") for n in range(1, 200)], wait=True)
    assert await found(with_model, "the very first words", QUERY_NEWEST_200) == ["m0"]
    await with_model.add(USER, "s1", [turn("m200", "one more")], wait=True)
    assert await found(with_model, "the very first words", QUERY_NEWEST_200) == []
    assert await found(with_model, "the very first words", QUERY_COSINE) == ["m0"]


@pytest.mark.parametrize(("vectors", "expected"), [(49, ["elsewhere"]), (50, [])])
async def test_other_sessions_are_searched_while_the_session_has_fewer_than_50_vectors(
    with_model: Memory, vectors: int, expected: list[str]
) -> None:
    await with_model.add(USER, "s2", [turn("elsewhere", "my cello is a Mirecourt")], wait=True)
    await with_model.add(USER, "s1", [turn(f"m{n}", f"filler {n}") for n in range(vectors)], wait=True)
    assert await found(with_model, "my cello is a", QUERY_COSINE, session_id="s1") == expected


# What a search may be told.


async def test_a_search_stays_within_a_session_a_time_and_kinds(with_model: Memory) -> None:
    await with_model.add(USER, "s1", [turn(f"m{n}", f"bees {n}") for n in range(10)], wait=True)
    await with_model.add(USER, "s2", [turn("n99", "bees elsewhere")], wait=True)
    assert await found(with_model, "bees", session_id="s2", only_session=True) == ["n99"]
    since, until = (START + timedelta(minutes=n) for n in (3, 5))
    limits = {"since": since.timestamp(), "until": until.timestamp()}
    assert sorted(await found(with_model, "bees", **limits)) == ["m3", "m4", "m5"]
    assert await found(with_model, "bees", kinds=("insight",)) == []
    assert len(await found(with_model, "bees", kinds=("insight", "turn"))) == 8
    assert await found(with_model, "bees", session_id="s3", only_session=True) == []


async def test_what_was_said_before_in_the_same_words_is_told_once_and_makes_room_for_others(
    with_model: Memory,
) -> None:
    same = [turn(f"m{n}", "Bees  make honey" if n % 2 else "bees make honey") for n in range(60)]
    others = [turn(f"o{n}", f"bees make honey in hive {n}") for n in range(10)]
    await with_model.add(USER, "s1", [*same, *others], wait=True)
    recall = await with_model.search(USER, "bees make honey", QUERY_COSINE)
    assert len(recall.hits) == 8
    assert sum(hit.gist.id.startswith("m") for hit in recall.hits) == 1
    assert "duplicate" in {one.dropped for one in recall.considered}
    assert sum(one.dropped is not None for one in recall.considered) <= 8 + SPARE + EXTRA


@pytest.mark.parametrize(
    ("told", "asked", "others"),
    [
        (
            "I moved to Berlin.",
            "Where do I live?",
            ["Where do I live?", "Do you know where I live?"],
        ),
        ("My dog is called Biscuit.", "what is my dog called", ["what is my dog called", "What's my dog called?"]),
    ],
)
async def test_what_was_asked_before_is_no_answer_and_hides_none(
    quiet: Memory, told: str, asked: str, others: list[str]
) -> None:
    await quiet.add(USER, "s1", [turn("told", told), turn("other", "I like green tea.")], wait=True)
    [first, *_] = (await quiet.search(USER, asked, SEARCH)).hits
    for number in range(3):
        more = [turn(f"q{number}-{at}", text) for at, text in enumerate(others)]
        await quiet.add(USER, f"again-{number}", more, wait=True)
    recall = await quiet.search(USER, asked, SEARCH)
    assert recall.hits[0].gist.id == first.gist.id == "told"
    assert recall.hits[0].score == pytest.approx(first.score, abs=0.05)
    assert not any(hit.gist.id.startswith("q") for hit in recall.hits)


async def test_other_questions_that_were_asked_stand_behind_what_was_told(quiet: Memory) -> None:
    told = ["Imke has two cats, Pixel and Byte.", "Mara's tabby is Ottilie.", "I like green tea."]
    await quiet.add(USER, "s1", [turn(f"told-{n}", text) for n, text in enumerate(told)], wait=True)
    before = ["What is the name of Mara's cat?", "Does Imke have a cat?", "Whose cats are called so?"]
    await quiet.add(USER, "s2", [turn(f"asked-{n}", text) for n, text in enumerate(before)], wait=True)
    assert (await found(quiet, "What are Imke's cats called?", SEARCH))[0] == "told-0"
    [sought, *_] = (await quiet.search(USER, "What did I ask about a cat?", SEARCH)).hits
    assert sought.gist.id == "asked-1"


async def test_where_only_the_question_was_said_nothing_is_found(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("q", "Where do I live?")], wait=True)
    recall = await quiet.search(USER, "Where do I live?", SEARCH)
    assert recall.hits == () == recall.considered


async def test_a_statement_is_found_by_its_own_words_and_so_is_a_question_that_tells(quiet: Memory) -> None:
    told = "My bees are in the hive by the old oak behind the barn, did you know that they are?"
    await quiet.add(USER, "s1", [turn("m1", "bees make honey"), turn("m2", told)], wait=True)
    assert (await found(quiet, "bees make honey", SEARCH))[0] == "m1"
    assert "m2" in await found(quiet, "Where are my bees?", SEARCH)


async def test_answers_made_by_rules_are_not_recalled(with_model: Memory) -> None:
    told = turn("m1", "bees make honey")
    echo = turn("m2", "You told me: bees make honey", "assistant", model=RULE_BASED)
    written = turn("m3", "Yes, bees make honey", "assistant", model="gpt-4o-mini")
    await with_model.add(USER, "s1", [told, echo, written], wait=True)
    assert await found(with_model, "bees make honey") == ["m1", "m3"]


async def test_a_user_of_whom_nothing_is_known_has_no_hits(quiet: Memory) -> None:
    recall = await quiet.search("nobody", "anything")
    assert (recall.hits, recall.considered) == ((), ())


async def test_a_message_deleted_between_ranking_and_reading_is_not_told(
    two: tuple[Memory, Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two
    await one.add(USER, "s1", [turn("m1", "bees make honey")], wait=True)
    await one.add(USER, "s2", [turn("m2", "bees like lavender")], wait=True)
    assert len(await found(one, "bees")) == 2  # the index has both
    reader = one.engine.search.recaller._gists
    reader.forget(USER)  # but their texts are not in memory
    read = reader.by_keys

    async def meanwhile(*args: Any) -> Any:
        await other.engine.oversight.forgetter.session(USER, "s1")
        return await read(*args)

    monkeypatch.setattr(reader, "by_keys", meanwhile)
    recall = await one.search(USER, "bees make honey")
    assert [hit.gist.id for hit in recall.hits] == ["m2"]
    assert [one.dropped for one in recall.considered] == ["deleted", None]


async def test_a_text_in_memory_is_told_until_its_message_is_deleted(two: tuple[Memory, Memory]) -> None:
    one, other = two
    await one.add(USER, "s1", [turn("m1", "bees make honey")], wait=True)
    assert await found(one, "bees") == ["m1"]
    reads = one.engine.search.recaller._gists._reads
    seen = reads.get
    asked: list[Any] = []

    async def noted(key: Any) -> Any:
        asked.append(key)
        return await seen(key)

    reads.get = noted  # type: ignore[method-assign]
    assert await found(one, "bees") == ["m1"] and not asked
    await other.engine.oversight.forgetter.session(USER, "s1")
    await one.add(USER, "s2", [turn("m1", "bees make wax")], wait=True)
    [hit] = (await one.search(USER, "bees")).hits
    assert hit.gist.content == "bees make wax" and len(asked) == 1


async def test_searches_of_one_user_at_once_agree(quiet: Memory) -> None:
    await quiet.add(USER, "s1", pairs(30))
    await settle(quiet)
    answers = await asyncio.gather(*(found(quiet, "user says something of item number 7") for _ in range(10)))
    assert all(answer == answers[0] for answer in answers)
    assert answers[0][0] == "user7"


async def test_an_index_takes_out_its_holes_when_they_are_most_of_it(quiet: Memory) -> None:
    for round in range(4):
        await quiet.add(USER, f"s{round}", [turn(f"m{round}-{n}", f"bees {n}") for n in range(100)], wait=True)
        await quiet.search(USER, "bees")
        await quiet.engine.oversight.forgetter.session(USER, f"s{round}")
        await quiet.search(USER, "bees")
    assert len(quiet.engine.search.recaller._indexes._kept[USER].index) < 200


async def test_what_was_just_said_is_found_before_a_worker_has_embedded_it(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "My dog is called Biscuit.")])
    recall = await quiet.search(USER, "What is my dog's name?", QUERY)
    assert [hit.gist.id for hit in recall.hits] == ["m1"]
    await quiet.engine.oversight.forgetter.session(USER, "s1")
    assert (await quiet.search(USER, "What is my dog's name?", QUERY)).hits == ()
    await quiet.add("bob", "s1", [turn("m2", "My cat is called Luna.")])
    assert (await quiet.search(USER, "What is my cat's name?", QUERY)).hits == ()


async def test_what_was_said_before_a_kill_is_found_as_soon_as_there_is_a_memory_again(
    quiet: Memory, make_settings: Callable[..., Settings]
) -> None:
    await quiet.add(USER, "s1", [turn("m1", "My tractor is called Olaf.")])
    async with open_memory(make_settings(), nudge=Silent()) as another:
        recall = await another.search(USER, "What is my tractor called?", QUERY)
        assert [hit.gist.id for hit in recall.hits] == ["m1"]


async def test_what_a_provider_refuses_hides_nothing_else_that_was_just_said(
    with_model: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed, asked = RemoteEmbedder.embed, list[list[str]]()

    async def picky(self: RemoteEmbedder, texts: Sequence[str]) -> Floats:
        asked.append(list(texts))
        if any("poison" in text for text in texts):
            raise ModelRefused("against the rules")
        return await embed(self, texts)

    monkeypatch.setattr(RemoteEmbedder, "embed", picky)
    said = ["My dog is called Biscuit.", "How do I poison rats?", "My cat is called Luna.", "The dog has a sister."]
    await with_model.add(USER, "s1", [turn(f"m{n}", text) for n, text in enumerate(said)])
    for _ in range(2):
        assert set(await found(with_model, "What is my dog called?")) == {"m0", "m2", "m3"}
    refused = [texts for texts in asked if any("poison" in text for text in texts)]
    assert len(refused) == 3  # all, its half, and it alone; the second search does not try again


async def test_who_has_just_begun_to_speak_is_known_by_name(quiet: Memory) -> None:
    said = [turn("m1", "I adore pottery.", name="Bob"), turn("m2", "I adore pottery.", name="Caroline")]
    await quiet.add(USER, "s1", said)
    [first, *_] = (await quiet.search(USER, "What does Caroline adore?")).hits
    assert first.gist.name == "Caroline"
    [first, *_] = (await quiet.search(USER, "What does Bob adore?")).hits
    assert first.gist.name == "Bob"


async def test_what_rules_have_just_answered_is_not_searched(quiet: Memory) -> None:
    echo = turn("m2", "You told me: My dog is called Biscuit.", "assistant", model=RULE_BASED)
    await quiet.add(USER, "s1", [turn("m1", "My dog is called Biscuit."), echo])
    recall = await quiet.search(USER, "What is my dog called?")
    assert [one.key for one in recall.considered] == ["m1"]


async def test_what_was_just_said_and_deleted_leaves_no_trace_in_later_searches(two: tuple[Memory, Memory]) -> None:
    for deleting in two:
        one, _ = two
        await one.add(USER, "s1", [turn("m1", "My dog is called Biscuit.")])
        await one.add(USER, "s2", [turn("m2", "We went to the lake.")], wait=True)
        assert sorted(await found(one, "What is my dog's name?")) == ["m1", "m2"]
        await deleting.engine.oversight.forgetter.session(USER, "s1")
        for _ in range(3):
            recall = await one.search(USER, "What is my dog's name?")
            assert "m1" not in {candidate.key for candidate in recall.considered}
        await deleting.engine.oversight.forgetter.user(USER)


async def test_what_is_said_again_after_its_deletion_is_found_at_once(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "My dog is called Biscuit.")], wait=True)
    assert await found(quiet, "What is my dog's name?") == ["m1"]
    await quiet.engine.oversight.forgetter.session(USER, "s1")
    await quiet.add(USER, "s2", [turn("m1", "My dog is called Rex.")])
    for _ in range(2):
        [hit] = (await quiet.search(USER, "What is my dog's name?")).hits
        assert hit.gist.content == "My dog is called Rex."


async def test_nothing_of_a_deleted_user_stays_in_memory(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "My dog is called Biscuit.")], wait=True)
    await quiet.add(USER, "s1", [turn("m2", "My cat is called Luna.")])
    assert len(await found(quiet, "Which pets do I have?")) == 2
    await quiet.engine.oversight.forgetter.user(USER)
    assert quiet.engine.gists.just_said.of(USER) == []
    assert quiet.engine.search.recaller._indexes.known(USER) is None
    assert await found(quiet, "Which pets do I have?") == []


async def test_what_was_just_said_is_found_every_time_until_it_is_embedded(quiet: Memory) -> None:
    await quiet.add(USER, "s1", [turn("m1", "My cat is called Tiger.")])
    for _ in range(4):
        assert await found(quiet, "What is my cat called?") == ["m1"]
    number = await quiet.engine.store.changes.take(USER)  # a worker begins
    for _ in range(3):
        assert await found(quiet, "What is my cat called?") == ["m1"]
    await quiet.engine.store.changes.close(USER, number)
    assert await found(quiet, "What is my cat called?") == ["m1"]
    await settle(quiet)
    assert await found(quiet, "What is my cat called?") == ["m1"]


async def test_small_talk_finds_nothing_where_a_question_finds_its_answer(quiet: Memory) -> None:
    told = [
        "My dog is called Biscuit.",
        "We went to the lake on Sunday.",
        "I work as a nurse in Lisbon.",
        "Ana bakes bread.",
    ]
    await quiet.add(USER, "s1", [turn(f"m{n}", text) for n, text in enumerate(told)], wait=True)
    for recipe in (QUERY, SEARCH):
        assert (await quiet.search(USER, "Where do I work?", recipe)).hits[0].gist.id == "m2"
        silent = await quiet.search(USER, "thanks, sounds good to me!", recipe)
        assert silent.hits == ()
        assert {one.dropped for one in silent.considered} == {"silent"}
    everything = await quiet.search(USER, "thanks, sounds good to me!", with_overrides(SEARCH, floor=0.0))
    assert len(everything.hits) == len(told)


async def test_what_another_user_has_an_id_of_is_recalled_at_once_too(quiet: Memory) -> None:
    await quiet.add("other", "s1", [turn("m1", "My dog is called Rex.")], wait=True)
    await quiet.add(USER, "s1", [turn("m1", "My dog is called Biscuit.")])
    [hit] = (await quiet.search(USER, "What is my dog's name?")).hits
    assert hit.gist.content == "My dog is called Biscuit."


async def test_an_accent_makes_no_difference(quiet: Memory) -> None:
    told = ["Jürgen bakes bread.", "We had a crème brûlée.", "Ana swims.", "The lake was cold."]
    await quiet.add(USER, "s1", [turn(f"m{n}", text) for n, text in enumerate(told)], wait=True)
    for query, key in (("Jurgen", "m0"), ("JÜRGEN", "m0"), ("creme brulee", "m1")):
        best = (await quiet.search(USER, query)).hits[0]
        assert best.gist.id == key and best.parts.bm25


async def test_what_stands_late_in_a_long_message_is_found(quiet: Memory) -> None:
    filler = "We went through the agenda point by point and everybody had something to say about it. " * 25
    await quiet.add(USER, "s1", [turn(f"m{n}", f"Subject n{n}x was on the table.") for n in range(12)])
    late = f"{filler}The final budget for marketing was 83,250 euros, signed by Henrietta Vos. {filler}"
    await quiet.add(USER, "s2", [turn("long", late)])
    await settle(quiet)
    for query in ("Henrietta Vos", "Who signed the marketing budget?"):
        assert (await found(quiet, query))[0] == "long"


@pytest.mark.parametrize("recipe", [QUERY, QUERY_COSINE])
async def test_a_text_that_stands_there_often_leaves_room_for_others(quiet: Memory, recipe: Recipe) -> None:
    said = ["bees make honey"] * 60 + ["bees make honey and wax"] * 30 + ["my bees like lavender honey"]
    said += [f"subject n{n}x is on the table" for n in range(20)]
    await quiet.add(USER, "s1", [turn(f"m{n}", text) for n, text in enumerate(said)], wait=True)
    recall = await quiet.search(
        USER, "What do bees make honey of?", with_overrides(recipe, top_k=3, floor=recipe.floor)
    )
    told = [hit.gist.content for hit in recall.hits]
    assert len(told) == len(set(told)) == 3


async def test_a_question_that_is_asked_often_does_not_make_its_answer_less_likely(quiet: Memory) -> None:
    question, answer = "What is my locker's number?", "My locker is number 77."
    scores = []
    for owner, times in (("ann", 5), ("bob", 200)):
        await quiet.add(owner, "s1", [turn("m0", answer), turn("m1", "Noted.", "assistant")])
        await quiet.add(owner, "s2", [turn(f"q{n}", question) for n in range(times)], wait=True)
        hits = (await quiet.search(owner, question, QUERY)).hits
        scores += [hit.score for hit in hits if hit.gist.content == answer]
    assert min(scores) > 0.35
    assert scores[1] > 0.9 * scores[0]


async def test_a_text_that_was_said_very_often_is_not_all_read(quiet: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall_module, "MOST_FILLED", 20)
    await quiet.add(USER, "s1", [turn(f"m{n}", "bees make honey") for n in range(60)], wait=True)
    read = list[int]()
    by_keys = GistReader.by_keys

    async def counted(self: GistReader, owner: str, keys: Sequence[str], standing: Standing | None) -> dict[str, Gist]:
        read.append(len(keys))
        return await by_keys(self, owner, keys, standing)

    monkeypatch.setattr(GistReader, "by_keys", counted)
    recall = await quiet.search(USER, "bees make honey", QUERY_COSINE)
    assert len(recall.hits) == 1
    assert max(read) < 60


async def test_a_search_of_messages_and_banks_keeps_the_order_of_each() -> None:
    def recall(*scored: tuple[str, float]) -> Recall:
        hits = [Hit(Gist(text, text, "turn", "s", "user", text, START), Parts(score, score)) for text, score in scored]
        return Recall(tuple(hits), tuple(Candidate(hit.gist.key, hit.parts) for hit in hits))

    diverse = with_overrides(SEARCH, top_k=3, mmr_lambda=0.5)
    both = merged([recall(("a", 0.9), ("b", 0.4), ("c", 0.39)), recall(("x", 0.5), ("A", 0.3))], diverse)
    assert [hit.gist.id for hit in both.hits] == ["a", "x", "b"]
    assert [(one.key, one.dropped) for one in both.considered] == [
        ("a", None),
        ("x", None),
        ("b", None),
        ("c", "top_k"),
        ("A", "duplicate"),
    ]
    assert len(merged([recall(("a", 0.9)), recall(("A", 0.3))], SEARCH).hits) == 2


async def test_searches_on_threads_go_on_while_messages_come_and_go(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recall_module, "THREAD_ROWS", 0)
    await quiet.add(USER, "s0", [turn(f"keep{n}", f"bees make honey in hive {n}") for n in range(40)], wait=True)

    async def come_and_go(session: str) -> None:
        for round in range(4):
            told = [turn(f"{session}-{round}-{n}", f"bees like flower {n}") for n in range(20)]
            await quiet.add(USER, session, told, wait=True)
            await quiet.engine.oversight.forgetter.session(USER, session)

    async def search() -> None:
        for n in range(30):
            recall = await quiet.search(USER, f"Which bees make honey in hive {n}?", with_overrides(SEARCH, floor=0.0))
            assert f"keep{n}" in [hit.gist.id for hit in recall.hits]

    await asyncio.gather(come_and_go("s1"), come_and_go("s2"), *(search() for _ in range(4)))
    assert len(await found(quiet, "bees", with_overrides(SEARCH, top_k=50, floor=0.0))) == 40


# What stands beside hits.


@pytest.mark.parametrize("reach", [0, 2])
async def test_messages_beside_hits_are_read_with_them(
    quiet: Memory, monkeypatch: pytest.MonkeyPatch, reach: int
) -> None:
    said = [turn(f"m{n}", f"Nothing but number {n}.") for n in range(9)]
    said[4] = turn("m4", "The mill stands by the brook.")
    await quiet.add(USER, "s1", said, wait=True)
    [hit] = (
        await quiet.engine.search.recall(USER, "Where is the mill?", replace(QUERY, top_k=1), Scope(reach=reach))
    ).hits
    reader, read = quiet.engine.chats.turns._reader, list[object]()
    find = reader._vectors.find

    def finding(*parts: Any) -> Any:
        read.append(parts)
        return find(*parts)

    monkeypatch.setattr(reader, "_vectors", SimpleNamespace(find=finding))
    near = await quiet.engine.chats.turns.near(USER, [hit.gist], 2)
    assert sorted(gist.id for gist in near) == ["m2", "m3", "m5", "m6"]
    assert len(read) == (0 if reach else 1)
