"""The errors of a call: a provider that could not be used, a run that was stopped, a tool that says no.

Who must act on a `ProviderError` is in its code:

| code | what happened | retryable | who must act |
|---|---|---|---|
| PP602 | the key or the account is refused | no | whoever holds the account |
| PP603 | the request is refused | no | the caller: model name, parameters, length |
| PP604 | too many requests | yes, unless the quota is used up | nobody at first; then the account's holder |
| PP605 | the server failed | yes | nobody at first; then the server's operator |
| PP606 | no connection, or it was lost | yes | nobody at first; then whoever runs the network |
| PP607 | no answer in time | yes | the caller: a longer `timeout`, or `stream` |
| PP608 | an answer that is none | no | whoever set the address: it is not this kind of API |
"""

from typing import Any

from promptpack.problem import Problem, PromptpackError


class ProviderError(PromptpackError):
    """The model's server could not be used; the code says who must act, `retryable` whether waiting may help."""

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
        # Pickled by its first problem, with the flags restored from the state.
        return type(self), (self.problems[0],), self.__dict__


class RunStoppedError(PromptpackError):
    """The caller stopped the run: it was cancelled (PP610), or its time is over (PP611)."""


class ToolError(Exception):
    """Raised by a tool to tell the model what went wrong; any other exception is a bug and ends the run."""
