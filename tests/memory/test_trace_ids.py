"""Which call is which, told without a store."""

from memory.trace_ids import id_of, key_of
from memory.traced import Task
from tests.tool_calls import called

TASK = Task("ann", "t", "e", 1)


def test_a_key_has_an_id_of_its_own_at_each_attempt() -> None:
    keys = [key_of(TASK, called(number)) for number in range(50)]
    ids = [id_of(key, attempt) for key in keys for attempt in range(4)]
    assert len(set(ids)) == 200 and ids == [id_of(key, attempt) for key in keys for attempt in range(4)]
    assert all(len(one) == 8 and one.isalnum() and one.islower() for one in ids)


def test_a_step_later_a_call_has_the_same_key() -> None:
    assert key_of(TASK, called(1)) == key_of(Task("ann", "t", "e", 2), called(1, query="asked again"))
    others = [Task("bob", "t", "e", 1), Task("ann", "u", "e", 1), Task("ann", "t", "f", 1)]
    assert key_of(TASK, called(1)) not in {key_of(other, called(1)) for other in others}
