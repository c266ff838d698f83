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
├── TooManyRequests        429  try again later
├── StoreUnavailable       503  MongoDB or the built-in store does not answer
├── ServerStopping         503  the server was told to stop while it answered
├── AnswerStopped          409  somebody stopped the answer
├── DiskFull               507  the store has no room for what is to be kept
├── ConfigurationError     500  settings that contradict each other; refused at start
└── ModelError             502  the language or embedding model failed
    ├── ModelUnavailable   503  cannot be reached, overloaded, or out of time
    │   ├── CircuitOpen    503  it failed so often that it is not asked for a while
    │   └── ModelSilent    504  of what a client asked of it through the proxy, nothing came for too long
    ├── ModelRefused       502  the provider answered 4xx: it does not take this request, whoever waits
    │   ├── KeyRefused     502  nor any other with this key
    │   └── ModelUnknown   502  nor any other for this model, which it does not know
    ├── ModelGarbage       502  it answered something that is not an answer
    └── ProviderError      any  it answered with an error that is not in OpenAI's shape

`detail` is shown to clients: it never holds a secret, the caller's input or a provider's own text, but for the names of
models.
"""


class LociError(Exception):
    """Base of every error that Loci raises on purpose."""

    status, title = 500, "Internal error"

    def __init__(self, detail: str = "", *, retry_after: float | None = None) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.retry_after = retry_after  # seconds


class InvalidInput(LociError):
    status, title = 400, "Invalid input"


HAS_CONTROL_CHARACTERS = "{}: a string has control characters"
HAS_LONE_SURROGATES = "{}: a string has lone surrogates"


class Unauthorized(LociError):
    status, title = 401, "Unauthorized"


class Forbidden(LociError):
    status, title = 403, "Forbidden"


class NotFound(LociError):
    status, title = 404, "Not found"


class Conflict(LociError):
    status, title = 409, "Conflict"


class PreconditionFailed(LociError):
    status, title = 412, "Precondition failed"


class BodyTooLarge(LociError):
    status, title = 413, "Body too large"


class UnsupportedMediaType(LociError):
    status, title = 415, "Unsupported media type"


class IdempotencyMismatch(LociError):
    status, title = 422, "Idempotency key reused"


class TooManyRequests(LociError):
    status, title = 429, "Too many requests"


class StoreUnavailable(LociError):
    status, title = 503, "Store unavailable"


class ServerStopping(LociError):
    status, title = 503, "Server stopping"


class AnswerStopped(LociError):
    status, title = 409, "The answer was stopped; what came so far is kept"


class DiskFull(LociError):
    status, title = 507, "Disk full"


class ConfigurationError(LociError):
    title = "Configuration error"


class ModelError(LociError):
    status, title = 502, "Model error"


class ModelUnavailable(ModelError):
    status, title = 503, "Model unavailable"


class CircuitOpen(ModelUnavailable):
    title = "Model not asked for now"


class ModelSilent(ModelUnavailable):
    status, title = 504, "Model silent"


class ModelRefused(ModelError):
    title = "Model refused the request"


class KeyRefused(ModelRefused):
    title = "Model provider refused the key"


class ModelUnknown(ModelRefused):
    title = "Model unknown to the provider"


class ModelGarbage(ModelError):
    title = "Model answered nonsense"


class ProviderError(ModelError):
    title = "Model provider error"

    def __init__(self, status: int) -> None:
        super().__init__(f"The model provider answered with status {status}")
        self.status = status if status >= 400 else 502
