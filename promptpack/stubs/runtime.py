"""The classes and functions that generated modules use: their packs, and prompts and verdicts with types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from os.path import normpath
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Generic, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.alias_generators import to_camel

from promptpack.lazy import cached_property
from promptpack.library import Library
from promptpack.pack.contract import ERROR_ACTIONS
from promptpack.pack.model import Pack
from promptpack.problem import PackError, Problem, ReplyError
from promptpack.prompt.message import Message
from promptpack.prompt.prompt import Prompt
from promptpack.source_names import is_source
from promptpack.verdict import Verdict
from promptpack.verdict.model import Violation
from promptpack.verdict.output import Risk

T = TypeVar("T")
E = TypeVar("E")


class NotGiven:
    """The type of `NOT_GIVEN`."""

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN: Final = NotGiven()
"""Stands for an optional input that the caller does not pass."""


class Model(BaseModel):
    """An object of a reply or an input; keys that the pack does not declare are kept."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        extra="allow", frozen=True, validate_by_name=True, validate_by_alias=True, protected_namespaces=()
    )

    def __repr_args__(self) -> list[tuple[str, Any]]:
        return []  # a reply may repeat secrets of its prompt, and a repr may be logged


class AgentReply(BaseModel):
    """The fields that the replies of all actions share.

    `thought` is the reasoning of the agent, `expected_outcome` what it should achieve, and `risk` how dangerous it is.
    `confidence` is a number from 0 to 100. `alternative_actions` are other possible actions. If
    `requires_user_confirmation` is true, the user must agree first; `user_message` is the text for the user.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(
        alias_generator=to_camel, extra="allow", frozen=True, validate_by_name=True, validate_by_alias=True
    )

    thought: str
    expected_outcome: str
    risk: Risk
    confidence: Annotated[float, Field(ge=0, le=100)]
    alternative_actions: list[str] | None = None
    requires_user_confirmation: bool | None = None
    user_message: str | None = None

    def __repr_args__(self) -> list[tuple[str, Any]]:
        return [("confidence", self.confidence)]  # without the texts, like `Model`


@dataclass(frozen=True)
class TypedVerdict(Generic[T, E]):
    """A verdict whose output has a type.

    `kind` is the type of the output, and `errors` that of the standard error actions.
    """

    verdict: Verdict
    """The verdict with all details."""
    kind: object = field(repr=False)
    errors: object = field(default=None, repr=False)

    def __bool__(self) -> bool:
        return self.verdict.ok

    @property
    def ok(self) -> bool:
        """Whether the reply meets the contract."""
        return self.verdict.ok

    @property
    def violations(self) -> tuple[Violation, ...]:
        """The violations of the reply."""
        return self.verdict.violations

    @property
    def correction(self) -> str:
        """The message to send back to the model; empty if the reply is accepted."""
        return self.verdict.correction

    @cached_property
    def error(self) -> E | None:
        """The accepted reply, if its action is a standard error action: ERROR, ESCALATE or CLARIFICATION_REQUIRED."""
        data = self.verdict.data
        if self.errors is None or not self.verdict.ok or not data or data.get("action") not in ERROR_ACTIONS:
            return None
        error: E = _adapter(self.errors).validate_python(data)
        return error

    @cached_property
    def output(self) -> T:
        """The accepted reply; raises a `ReplyError` if the reply is refused, calls tools, or has an `error`."""
        self.verdict.raise_for_failure()
        if self.error is not None or self.verdict.tool_calls:
            what = "calls tools" if self.verdict.tool_calls else f"is {self.verdict.data['action']}"
            hint = "read 'verdict.verdict.tool_calls'" if self.verdict.tool_calls else "check 'verdict.error' first"
            raise ReplyError(Problem("PP535", f"the reply {what}, so it has no output", None, hint))
        output: T = _adapter(self.kind).validate_python(self.verdict.data)
        return output


@dataclass(frozen=True)
class TypedPrompt(Generic[T, E]):
    """A prompt whose replies have a type.

    `kind` is the type of the replies, and `errors` that of the standard error actions.
    """

    prompt: Prompt
    """The prompt with all details."""
    kind: object = field(repr=False)
    errors: object = field(default=None, repr=False)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages to send to a model."""
        return self.prompt.messages

    def check(
        self, reply: Any, *, after: TypedVerdict[T, E] | None = None, finish_reason: str | None = None
    ) -> TypedVerdict[T, E]:
        """Judge a model's `reply` to this prompt.

        `after` is the verdict whose correction the reply answers, and `finish_reason` what the provider reports as the
        reason for the end of the reply.
        """
        before = None if after is None else after.verdict
        return self._typed(self.prompt.check(reply, after=before, finish_reason=finish_reason))

    def correct(self, ask: Callable[[tuple[Message, ...]], object], *, rounds: int = 3) -> TypedVerdict[T, E]:
        """Ask until a reply meets the contract; `ask` and `rounds` are those of `Prompt.correct`."""
        return self._typed(self.prompt.correct(ask, rounds=rounds))

    async def acorrect(
        self, ask: Callable[[tuple[Message, ...]], Awaitable[object]], *, rounds: int = 3
    ) -> TypedVerdict[T, E]:
        """Ask asynchronously until a reply meets the contract; `ask` and `rounds` are those of `Prompt.acorrect`."""
        return self._typed(await self.prompt.acorrect(ask, rounds=rounds))

    def _typed(self, verdict: Verdict) -> TypedVerdict[T, E]:
        return TypedVerdict(verdict, self.kind, self.errors)


@dataclass(frozen=True)
class PackSource:
    """The folders of packs that generated modules read, relative to the file of a module; opened on first use.

    `module` is the file of the generated module, `folders` are the folders of the packs, and `command` generates the
    module again.
    """

    module: str
    folders: tuple[str, ...] = ()
    command: str = "promptpack stubs"

    @cached_property
    def library(self) -> Library:
        """The library of the folders, or of the shipped packs."""
        here = Path(self.module).parent
        return Library.open(*(name if is_source(name) else normpath(here / name) for name in self.folders))

    def load(self, label: str, digests: Mapping[str, str], locale: str | None) -> Pack:
        """Return a pack; raise `PackError` if it is not the one that the module was generated from.

        `label` is the pack as `name@version`, `digests` has the digest for each locale, and `locale` chooses one of
        them; None is the default locale of the pack.
        """
        pack = self.library.get(label, locale)
        if pack.digest != digests.get(pack.locale):
            message = f"{label} ({pack.locale or 'default'}) is not the pack that {self.module} was generated from"
            raise PackError(Problem("PP646", message, None, f"run: {self.command}"))
        return pack

    def render(self, pack: Pack, kind: object, errors: object, inputs: Mapping[str, Any]) -> TypedPrompt[Any, Any]:
        """Render a `pack` with the inputs that are given; models become plain data.

        `kind` is the type of the replies, `errors` that of the standard error actions, and `inputs` has the values by
        the names that the pack declares.
        """
        given = {name: _to_plain(value) for name, value in inputs.items() if not isinstance(value, NotGiven)}
        return TypedPrompt(pack.render(given), kind, errors)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _to_plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, Mapping):
        return {name: _to_plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_plain(item) for item in cast("list[Any]", value)]
    return value
