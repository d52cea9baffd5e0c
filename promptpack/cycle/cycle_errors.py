"""The errors of a call: the provider failed, the run was stopped, or a tool failed.

The code of a `ProviderError` says who must act:

| code | what happened | retryable | who must act |
|---|---|---|---|
| PP602 | the server rejected the key or the account | no | the account owner |
| PP603 | the server rejected the request | no | the caller: model name, parameters, length |
| PP604 | too many requests | yes, unless the quota is used up | the account owner, if retries do not help |
| PP605 | the server failed | yes | the server operator, if retries do not help |
| PP606 | no connection, or it was lost | yes | the network operator, if retries do not help |
| PP607 | no answer in time | yes | the caller: a longer `timeout`, or `stream` |
| PP608 | an invalid answer | no | the caller: the address belongs to another kind of API |
"""

from typing import Any

from promptpack.problem import Problem, PromptpackError


class ProviderError(PromptpackError):
    """The model's server failed; the code says who must act, `retryable` whether a retry may help.

    `problem` is what happened, `status` the HTTP status, and `retry_after` the seconds that the server asks to wait.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        retryable: bool = False,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(problem)
        self.retryable = retryable
        self.status = status
        self.retry_after = retry_after

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        # The state restores the flags, which the inherited `__reduce__` would lose.
        return type(self), (self.problems[0],), self.__dict__


class RunStoppedError(PromptpackError):
    """The caller stopped the run: it was cancelled (PP610), or its deadline has passed (PP611)."""


class ToolError(Exception):
    """Raised by a tool to report an error to the model; any other exception is a bug and ends the run."""
