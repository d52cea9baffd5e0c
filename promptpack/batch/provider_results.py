"""Lines of result files as providers deliver them -> `BatchReply`: a completion, or why there is none."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from promptpack.adapters.responses import read_response
from promptpack.batch.rows import read_id, row_error
from promptpack.cycle import Completion
from promptpack.problem import UsageError

REPLY: Final = "reply"
FINISH_REASON: Final = "finish_reason"
AFTER: Final = "after"
KEYS: Final = (REPLY, FINISH_REASON, AFTER)
_CUSTOM_ID: Final = "custom_id"
_AS_DELIVERED: Final = "pass the file as the provider delivered it"
# Data that is passed on unchanged: the arguments of a tool call.
_OPAQUE: Final = ("input", "args")


_ENDED: Final = {"expired": "the provider did not process it in time", "canceled": "the batch was cancelled"}


class RequestFailure(NamedTuple):
    """Why a request has no answer: `errored`, `expired` or `canceled`, and the message of the provider."""

    kind: str
    message: str

    def to_dict(self) -> dict[str, str]:
        """Return the failure as plain data."""
        return self._asdict()


class BatchReply(NamedTuple):
    """The answer to one request; `failure` says why there is none."""

    completion: Completion | None
    failure: RequestFailure | None = None


def find_id(row: Mapping[str, Any]) -> str | None:
    """Return the id of the request that a line answers."""
    return read_id({"id": row[_CUSTOM_ID]} if _CUSTOM_ID in row else row)


def read_result(row: Mapping[str, Any]) -> BatchReply:
    """Read a line of OpenAI, vLLM or Anthropic, or a plain one with `id` and `reply`."""
    if _CUSTOM_ID in row and isinstance(row.get("result"), dict):
        return _read_anthropic(row["result"])
    if _CUSTOM_ID in row and ("response" in row or "error" in row):
        return _read_openai(row.get("response"), row.get("error"))
    if REPLY not in row:
        raise row_error("the line has no reply", f'write {{"id": ..., "reply": ...}}, or {_AS_DELIVERED}')
    reply = row[REPLY]
    if reply is not None and not isinstance(reply, str | dict):
        raise row_error("'reply' is neither text nor an object")
    if not isinstance(row.get(FINISH_REASON), str | None):
        raise row_error("'finish_reason' is not text")
    reason = row.get(FINISH_REASON)
    completion = _read_body(reply) if _is_response(reply) else read_response(reply)
    return BatchReply(completion if reason is None else completion.__class__(completion.text, finish_reason=reason))


def _is_response(reply: object) -> bool:
    """Return whether a reply is the body of a response rather than the answer itself."""
    return isinstance(reply, dict) and any(
        first in reply and second in reply for first, second in (("choices", "model"), ("content", "stop_reason"))
    )


def _read_openai(response: Any, error: Any) -> BatchReply:
    body = response.get("body") if isinstance(response, dict) else None
    if error or not isinstance(response, dict) or response.get("status_code") != 200:
        found = error or (body.get("error") if isinstance(body, dict) else None) or body or "no response"
        return BatchReply(None, _failure(found))
    return BatchReply(_read_body(body))


def _read_anthropic(result: Mapping[str, Any]) -> BatchReply:
    kind = result.get("type")
    if kind == "succeeded":
        return BatchReply(_read_body(result.get("message")))
    if isinstance(kind, str) and kind in _ENDED:
        return BatchReply(None, RequestFailure(kind, _ENDED[kind]))
    found = result.get("error") or kind or "no reason"
    return BatchReply(None, _failure(found.get("error", found) if isinstance(found, dict) else found))


def _read_body(body: Any) -> Completion:
    """Read the body of a response in plain data."""
    try:
        return read_response(_as_object(body))
    except (UsageError, RecursionError) as error:
        raise row_error("the response does not have the form of its provider", _AS_DELIVERED) from error


def _failure(error: Any) -> RequestFailure:
    code = str(error.get("code") or error.get("type") or "") if isinstance(error, dict) else ""
    message = str(error.get("message") or code) if isinstance(error, dict) else str(error)
    kind = next((word for word in ("expired", "canceled", "cancelled") if word in code), "errored")
    return RequestFailure(
        kind.replace("cancelled", "canceled"),
        " ".join((code if code != message else "", *message.split())).strip()[:500],
    )


def _as_object(value: Any) -> Any:
    """Return plain data with attributes, as the objects of SDKs have them."""
    if isinstance(value, dict):
        return SimpleNamespace(
            **{str(key): item if key in _OPAQUE else _as_object(item) for key, item in value.items()}
        )
    return [_as_object(item) for item in value] if isinstance(value, list) else value
