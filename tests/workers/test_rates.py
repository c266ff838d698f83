"""Limits that several API processes share."""

from collections.abc import Callable

import httpx

from tests.workers.conftest import Broker


def test_api_processes_on_one_redis_count_together(serve: Callable[..., str], broker: Broker) -> None:
    addresses = [serve(redis_url=broker.url, rate_limit="4/minute") for _ in range(2)]
    statuses = [httpx.get(f"{address}/v1/sessions", timeout=30).status_code for address in addresses * 3]
    assert statuses == [200, 200, 200, 200, 429, 429]


def test_requests_are_answered_while_redis_is_away(serve: Callable[..., str], broker: Broker) -> None:
    address = serve(redis_url=broker.url, rate_limit="1/minute")
    assert [httpx.get(f"{address}/v1/sessions", timeout=30).status_code for _ in range(2)] == [200, 429]
    broker.stop()
    assert httpx.get(f"{address}/v1/sessions", timeout=30).status_code == 200
