"""The errors of Loci, and which HTTP status says so.

LociError
├── InvalidInput           400  the request cannot be understood
├── Unauthorized           401  no key, or one that is not known
├── Forbidden              403  a key that belongs to another user
├── NotFound               404
├── Conflict               409  the thing has changed, or is being changed
├── PreconditionFailed     412  If-Match does not match
├── BodyTooLarge           413
├── UnsupportedMediaType   415
├── IdempotencyMismatch    422  the idempotency key was used with another body
├── StoreUnavailable       503  MongoDB or the built-in store does not answer
├── DiskFull               507  the store has no room for what is to be kept
├── ConfigurationError     500  settings that contradict each other; refused at start
└── ModelError             502  the language or embedding model failed
    ├── ModelUnavailable   503  cannot be reached, overloaded, or out of time
    │   ├── CircuitOpen    503  it failed so often that it is not asked for a while
    │   └── ModelSilent    504  of what a client asked of it through the proxy, nothing came for too long
    ├── ModelRefused       502  the provider answered 4xx: key, model name or request
    ├── ModelGarbage       502  it answered something that is not an answer
    └── ProviderError      any  it answered with an error that is not in OpenAI's shape

`detail` is shown to clients: it never holds a secret, the caller's input or a provider's own text.
"""


class LociError(Exception):
    """Base of every error that Loci raises on purpose."""

    status = 500
    title = "Internal error"

    def __init__(self, detail: str = "", *, retry_after: float | None = None) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.retry_after = retry_after  # seconds


class InvalidInput(LociError):
    status = 400
    title = "Invalid input"


HAS_CONTROL_CHARACTERS = "{}: a string has control characters"


class Unauthorized(LociError):
    status = 401
    title = "Unauthorized"


class Forbidden(LociError):
    status = 403
    title = "Forbidden"


class NotFound(LociError):
    status = 404
    title = "Not found"


class Conflict(LociError):
    status = 409
    title = "Conflict"


class PreconditionFailed(LociError):
    status = 412
    title = "Precondition failed"


class BodyTooLarge(LociError):
    status = 413
    title = "Body too large"


class UnsupportedMediaType(LociError):
    status = 415
    title = "Unsupported media type"


class IdempotencyMismatch(LociError):
    status = 422
    title = "Idempotency key reused"


class StoreUnavailable(LociError):
    status = 503
    title = "Store unavailable"


class DiskFull(LociError):
    status = 507
    title = "Disk full"


class ConfigurationError(LociError):
    title = "Configuration error"


class ModelError(LociError):
    status = 502
    title = "Model error"


class ModelUnavailable(ModelError):
    status = 503
    title = "Model unavailable"


class CircuitOpen(ModelUnavailable):
    title = "Model not asked for now"


class ModelSilent(ModelUnavailable):
    status = 504
    title = "Model silent"


class ModelRefused(ModelError):
    title = "Model refused the request"


class ModelGarbage(ModelError):
    title = "Model answered nonsense"


class ProviderError(ModelError):
    title = "Model provider error"

    def __init__(self, status: int) -> None:
        super().__init__(f"The model provider answered with status {status}")
        self.status = status if status >= 400 else 502
