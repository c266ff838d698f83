"""When a failing model is left alone, and when it is asked again."""

import asyncio
import contextlib

import pytest

from utils.circuit import CircuitBreaker
from utils.errors import CircuitOpen, ModelError, ModelGarbage, ModelRefused, ModelUnavailable


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> CircuitBreaker:
    return CircuitBreaker("chat", clock=clock)


def end_with(breaker: CircuitBreaker, error: BaseException | None, times: int = 1) -> None:
    for _ in range(times):
        with contextlib.suppress(ModelError, KeyError, asyncio.CancelledError), breaker.watch():
            if error is not None:
                raise error


def is_open(breaker: CircuitBreaker) -> bool:
    try:
        with breaker.watch():
            raise KeyError("what counts neither way")
    except CircuitOpen:
        return True
    except KeyError:
        return False


def test_five_failures_in_a_row_open_the_circuit_for_thirty_seconds(breaker: CircuitBreaker, clock: Clock) -> None:
    end_with(breaker, ModelUnavailable(), times=4)
    assert not is_open(breaker)
    end_with(breaker, ModelGarbage())
    clock.now += 12
    with pytest.raises(CircuitOpen) as refused, breaker.watch():
        pytest.fail("let through")
    assert refused.value.retry_after == pytest.approx(18)
    clock.now += 18
    assert not is_open(breaker)


@pytest.mark.parametrize("end", [None, ModelRefused()], ids=["success", "refusal"])
def test_a_call_that_shows_that_the_model_is_up_starts_the_count_again(
    breaker: CircuitBreaker, end: ModelError | None
) -> None:
    end_with(breaker, ModelUnavailable(), times=4)
    end_with(breaker, end)
    end_with(breaker, ModelUnavailable(), times=4)
    assert not is_open(breaker)


@pytest.mark.parametrize("error", [asyncio.CancelledError(), KeyError("a bug")])
def test_a_cancelled_call_or_a_bug_counts_neither_way(breaker: CircuitBreaker, error: BaseException) -> None:
    end_with(breaker, ModelUnavailable(), times=4)
    end_with(breaker, error, times=9)
    assert not is_open(breaker)
    end_with(breaker, ModelUnavailable())
    assert is_open(breaker)


def test_half_open_lets_one_probe_through_and_its_success_closes(breaker: CircuitBreaker, clock: Clock) -> None:
    end_with(breaker, ModelUnavailable(), times=5)
    clock.now += 30
    with breaker.watch(), pytest.raises(CircuitOpen), breaker.watch():
        pytest.fail("a second probe")
    end_with(breaker, ModelUnavailable(), times=4)
    assert not is_open(breaker)


def test_a_failed_probe_opens_the_circuit_again_and_a_cancelled_one_makes_room_for_the_next(
    breaker: CircuitBreaker, clock: Clock
) -> None:
    end_with(breaker, ModelUnavailable(), times=5)
    clock.now += 30
    end_with(breaker, asyncio.CancelledError())
    end_with(breaker, ModelUnavailable())
    assert is_open(breaker)
    clock.now += 30
    end_with(breaker, None)
    assert not is_open(breaker)


def test_a_call_from_before_the_opening_does_not_close_it(breaker: CircuitBreaker) -> None:
    with breaker.watch():
        end_with(breaker, ModelUnavailable(), times=5)
    assert is_open(breaker)
