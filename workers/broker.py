"""Whether the broker answers."""

from config.settings import Settings


async def ping_broker(settings: Settings) -> str:
    """What the broker is. Raises `OSError` where Redis does not answer."""
    if settings.redis_url is None:
        return "in-process queue"
    from redis.asyncio import Redis  # a tenth of a second, which who has no Redis need not wait
    from redis.exceptions import RedisError

    try:
        client = Redis.from_url(settings.redis_url.get_secret_value(), socket_connect_timeout=2, socket_timeout=2)
    except ValueError:
        raise ConnectionError("REDIS_URL is not one that the client takes") from None
    try:
        await client.ping()
    except RedisError as error:
        raise ConnectionError("Redis does not answer") from error
    finally:
        await client.aclose()
    return "Redis"
