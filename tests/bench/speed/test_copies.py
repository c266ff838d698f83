"""Copies are what the service itself would have written."""

from bench.speed.conversation import PER_SESSION
from bench.speed.copies import copies, owner_of
from memory.gists.embedding_queue import BATCH
from utils.mongo import Document


def original(n: int) -> Document:
    return {
        "_id": f"said-{n}",
        "id": f"said-{n}",
        "user_id": "says",
        "session_id": "said-in-0",
        "message_index": n,
        "content": f"message {n}",
        "change": 1,
        "embed": {"state": "done"},
        "embedding": bytes([n]),
        "recall": {"terms": bytes([n])},
    }


ORIGINALS = [original(n) for n in range(7)]
MADE = list(copies(ORIGINALS, "ada", 300))


def test_a_copy_has_what_its_original_was_given() -> None:
    for name in ("content", "embed", "embedding", "recall"):
        assert [one[name] for one in MADE[:15]] == [original(n % 7)[name] for n in range(15)]
    assert original(2) == ORIGINALS[2]


def test_no_two_copies_have_the_same_id_or_place() -> None:
    others = list(copies(ORIGINALS, "bruno", 300))
    every = [*MADE, *others]
    assert len({one["_id"] for one in every}) == 600
    assert len({(one["user_id"], one["session_id"], one["message_index"]) for one in every}) == 600
    assert all(one["_id"] == one["id"] for one in every)


def test_a_session_is_filled_before_the_next() -> None:
    assert [one["message_index"] for one in MADE[:PER_SESSION]] == list(range(PER_SESSION))
    assert {one["session_id"] for one in MADE[:PER_SESSION]} == {"ada-in-0"}
    assert (MADE[PER_SESSION]["session_id"], MADE[PER_SESSION]["message_index"]) == ("ada-in-1", 0)


def test_the_owner_has_heard_of_every_change() -> None:
    for count in (1, BATCH, BATCH + 1, 300):
        changes = [one["change"] for one in copies(ORIGINALS, "ada", count)]
        assert owner_of("ada", count)["gists"] == {"change": max(changes), "deleted": 0, "open": []}
        assert min(changes) == 1
        assert owner_of("ada", count)["notes"] == {"change": 0, "deleted": 0, "open": []}
