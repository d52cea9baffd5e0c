"""The official SDKs: found when asked for, and their errors in our words (both are generated alike)."""

from collections.abc import Mapping
from importlib import import_module
from types import TracebackType
from typing import Any

from promptpack.cycle.failure import ProviderError
from promptpack.problem import MissingExtraError, Problem

_TRANSPORT = frozenset(("httpx", "httpx2", "httpcore", "httpcore2"))
_QUOTA = frozenset(("insufficient_quota", "billing_hard_limit_reached", "enforced_spend_limit_reached"))
_LIMITED = frozenset(("rate_limit_error", "rate_limit_exceeded"))
_LONGEST = 500
_HINTS: Mapping[str, str] = {
    "PP602": "check the API key and what the account may use",
    "PP603": "check the model's name, the parameters and the length of the messages",
    "PP604": "send fewer requests, or raise the account's limits",
    "PP605": "try again later; the fault is the server's",
    "PP606": "check the address, the network and the proxy",
    "PP607": "raise 'timeout' in the settings, or set 'stream'",
    "PP608": "check that the address is that of this kind of API",
}
_WHAT: Mapping[str, str] = {
    "PP602": "refused the key or the account",
    "PP603": "refused the request",
    "PP604": "takes no more requests for now",
    "PP605": "failed",
    "PP606": "cannot be reached, or the connection was lost",
    "PP607": "did not answer in time",
    "PP608": "gave an answer that cannot be read",
}


def load(package: str) -> Any:
    """Import an SDK, or say how to install it."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        message = f"the package {package!r} is not installed"
        raise MissingExtraError(Problem("PP601", message, None, f"run: python -m pip install {package}")) from error


def failure(code: str, provider: str, detail: str = "", **flags: Any) -> ProviderError:
    """Make a provider's error from its code."""
    told = f": {detail}" if detail else ""
    return ProviderError(Problem(code, f"{provider} {_WHAT[code]}{told}", None, _HINTS[code]), **flags)


class Translated:
    """Within this block, what an SDK raises becomes a `ProviderError`; a secret in its words is hidden."""

    def __init__(self, sdk: Any, secret: str | None = None) -> None:
        self._sdk = sdk
        self._secret = secret

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        translated = None if error is None else self._translate(error)
        if translated is not None:
            raise translated from error

    def _translate(self, error: BaseException) -> ProviderError | None:
        sdk, name = self._sdk, self._sdk.__name__
        if isinstance(error, sdk.APITimeoutError):
            return failure("PP607", name, retryable=True)
        if isinstance(error, sdk.APIConnectionError):
            return failure("PP606", name, self._words(error.__cause__ or error), retryable=True)
        if isinstance(error, sdk.APIStatusError):
            return _status(name, error, self._words(error))
        if isinstance(error, sdk.APIResponseValidationError) or type(error).__name__ == "JSONDecodeError":
            return failure("PP608", name, self._words(error))
        if isinstance(error, sdk.APIError):
            return _mid_stream(name, error, self._words(error))
        if type(error).__module__.partition(".")[0] in _TRANSPORT:
            late = "Timeout" in type(error).__name__
            return failure("PP607" if late else "PP606", name, self._words(error), retryable=True)
        if _is_about_the_key(sdk, error):
            return failure("PP602", name, self._words(error))
        return None

    def _words(self, error: BaseException) -> str:
        body = getattr(error, "body", None)
        inner = body.get("error", body) if isinstance(body, Mapping) else None
        said = inner.get("message") if isinstance(inner, Mapping) else body
        words = " ".join(str(said or error).split())
        if self._secret:
            words = words.replace(self._secret, "(hidden)")
        return words if len(words) <= _LONGEST else words[:_LONGEST] + "..."


def _status(name: str, error: Any, words: str) -> ProviderError:
    status: int = error.status_code
    if status < 400:  # an error event within a stream that had begun well
        return _mid_stream(name, error, words)
    detail = f"{words} (HTTP {status})"
    if status in (401, 402, 403):
        return failure("PP602", name, detail, status=status)
    if status == 429:
        retryable = not _kinds(error) & _QUOTA and _may_retry(error)
        return failure("PP604", name, detail, status=status, retryable=retryable, retry_after=_retry_after(error))
    if status in (408, 409) or status >= 500:
        retry_after = _retry_after(error)
        return failure("PP605", name, detail, status=status, retryable=_may_retry(error), retry_after=retry_after)
    return failure("PP603", name, detail, status=status)


def _mid_stream(name: str, error: Any, words: str) -> ProviderError:
    return failure("PP604" if _kinds(error) & _LIMITED else "PP605", name, words, retryable=True)


def _kinds(error: Any) -> set[str]:
    body = error.body if isinstance(error.body, Mapping) else {}
    inner = body.get("error", body)
    return {str(inner.get(key)) for key in ("type", "code")} if isinstance(inner, Mapping) else set()


def _may_retry(error: Any) -> bool:
    return bool(error.response.headers.get("x-should-retry") != "false")


def _retry_after(error: Any) -> float | None:
    headers = error.response.headers
    for header, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers.get(header, "")) / unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    return None


def _is_about_the_key(sdk: Any, error: BaseException) -> bool:
    """Both SDKs complain about a missing key before anything is sent; one of them with a `TypeError`."""
    general = getattr(sdk, "OpenAIError", None) or getattr(sdk, "AnthropicError", None)
    if general is not None and isinstance(error, general):
        return True
    return isinstance(error, TypeError) and "authentication method" in str(error)
