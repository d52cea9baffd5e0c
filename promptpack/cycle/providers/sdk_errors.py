"""The official SDKs: import them on demand and translate their errors (both SDKs have the same structure)."""

import json
from collections.abc import Mapping
from importlib import import_module
from types import TracebackType
from typing import Any

from promptpack.cycle.cycle_errors import ProviderError
from promptpack.problem import MissingExtraError, Problem

_TRANSPORT = frozenset(("httpx", "httpx2", "httpcore", "httpcore2"))
_QUOTA = frozenset(("insufficient_quota", "billing_hard_limit_reached", "enforced_spend_limit_reached"))
_RATE_LIMIT = frozenset(("rate_limit_error", "rate_limit_exceeded"))
_MAX_LENGTH = 500
# The message after the name of the provider, and the hint.
_TEXTS: Mapping[str, tuple[str, str]] = {
    "PP602": ("rejected the key or the account", "check the API key and the permissions of the account"),
    "PP603": ("rejected the request", "check the model's name, the parameters and the length of the messages"),
    "PP604": ("accepts no more requests for now", "send fewer requests, or raise the limits of the account"),
    "PP605": ("failed", "try again later; this is an error of the server"),
    "PP606": ("cannot be reached, or the connection was lost", "check the address, the network and the proxy"),
    "PP607": ("did not answer in time", "set a longer 'timeout', or set 'stream'"),
    "PP608": ("returned an invalid answer", "check that the address belongs to this kind of API"),
}


def import_sdk(module: str, package: str = "") -> Any:
    """Import an SDK; raise an error with the install command of its package if it is missing."""
    package = package or module
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if not f"{module}.".startswith(f"{error.name}."):
            raise
        message = f"the package {package!r} is not installed"
        raise MissingExtraError(Problem("PP601", message, None, f"run: python -m pip install {package}")) from error


def provider_error(code: str, provider: str, detail: str = "", **flags: Any) -> ProviderError:
    """Return the error of a provider with this code."""
    suffix = f": {detail}" if detail else ""
    message, hint = _TEXTS[code]
    return ProviderError(Problem(code, f"{provider} {message}{suffix}", None, hint), **flags)


class SdkErrorTranslator:
    """Context manager that translates SDK errors to `ProviderError` and hides a secret in their messages."""

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
            return provider_error("PP607", name, retryable=True)
        if isinstance(error, sdk.APIConnectionError):
            return provider_error("PP606", name, self._message(error.__cause__ or error), retryable=True)
        if isinstance(error, sdk.APIStatusError):
            return _status_error(name, error, self._message(error))
        if isinstance(error, sdk.APIResponseValidationError | json.JSONDecodeError | RecursionError):
            return provider_error("PP608", name, self._message(error))
        if isinstance(error, sdk.APIError):
            return _stream_error(name, error, self._message(error))
        if type(error).__module__.partition(".")[0] in _TRANSPORT:
            is_timeout = "Timeout" in type(error).__name__
            return provider_error("PP607" if is_timeout else "PP606", name, self._message(error), retryable=True)
        if _is_missing_key(sdk, error):
            return provider_error("PP602", name, self._message(error))
        return None

    def _message(self, error: BaseException) -> str:
        body = getattr(error, "body", None)
        inner = body.get("error", body) if isinstance(body, Mapping) else None
        text = inner.get("message") if isinstance(inner, Mapping) else body
        message = " ".join(str(text or error).split())
        if self._secret:
            message = message.replace(self._secret, "(hidden)")
        return message if len(message) <= _MAX_LENGTH else message[:_MAX_LENGTH] + "..."


def _status_error(name: str, error: Any, message: str) -> ProviderError:
    status: int = error.status_code
    if status < 400:  # an error event in a stream that started without an error
        return _stream_error(name, error, message)
    detail = f"{message} (HTTP {status})"
    if status in (401, 402, 403):
        return provider_error("PP602", name, detail, status=status)
    flags = {"status": status, "retry_after": _retry_after(error)}
    if status == 429:
        retryable = not _kinds(error) & _QUOTA and _may_retry(error)
        return provider_error("PP604", name, detail, retryable=retryable, **flags)
    if status in (408, 409) or status >= 500:
        return provider_error("PP605", name, detail, retryable=_may_retry(error), **flags)
    return provider_error("PP603", name, detail, status=status)


def _stream_error(name: str, error: Any, message: str) -> ProviderError:
    return provider_error("PP604" if _kinds(error) & _RATE_LIMIT else "PP605", name, message, retryable=True)


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


def _is_missing_key(sdk: Any, error: BaseException) -> bool:
    """Return whether the API key is missing; one SDK raises a `TypeError` for it before sending anything."""
    general = getattr(sdk, "OpenAIError", None) or getattr(sdk, "AnthropicError", None)
    if general is not None and isinstance(error, general):
        return True
    return isinstance(error, TypeError) and "authentication method" in str(error)
