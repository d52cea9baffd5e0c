"""The `Pack`: validated, compiled and frozen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from promptpack import hook
from promptpack.lazy import cached_property
from promptpack.problem import Location
from promptpack.template.limits import Limits
from promptpack.template.render_cache import PackCache

if TYPE_CHECKING:
    from promptpack import schema
    from promptpack.pack.contract import Contract
    from promptpack.pack.version import Version
    from promptpack.prompt.prompt import Prompt
    from promptpack.template.model import Expression, Template
    from promptpack.verdict import Verdict, VerdictStream

Role = Literal["system", "developer", "user", "assistant", "tool"]
ROLES: Final = ("system", "developer", "user", "assistant", "tool")
HISTORY_ROLES: Final = ("user", "assistant", "tool")
"""The roles of the caller's messages, unless the pack names others; a system message would give instructions."""
# The inputs that the six agents share; a pack uses those that it declares.
STANDARD_CONTEXT: Final = (
    "SYSTEM_STATE", "TASK_CONTEXT", "RESOURCE_POOL", "HISTORY", "AVAILABLE_TOOLS", "INTENT_ANALYSIS", "USER_GOAL",
    "USER_INPUT",
)  # fmt: skip
Locate = Callable[[], Location]
"""Returns a location; lazy, because most packs have no problems to locate."""


@dataclass(frozen=True)
class Input:
    """One value that the caller passes."""

    name: str
    schema: Mapping[str, Any]
    locate: Locate = field(repr=False, compare=False)
    description: str = ""
    trusted: bool = True
    secret: bool = False

    @property
    def location(self) -> Location:
        """Where it is declared."""
        return self.locate()

    @property
    def required(self) -> bool:
        """Whether the caller must pass it."""
        return "default" not in self.schema


@dataclass(frozen=True)
class PartTemplate:
    """A piece of a message whose values are templates."""

    kind: Literal["text", "image", "audio", "file"]
    value: Template
    extra: Mapping[str, Template] = field(default_factory=dict)
    when: Expression | None = None


@dataclass(frozen=True)
class CallTemplate:
    """A tool call in a worked example."""

    id: Template
    name: Template
    arguments: Template | Mapping[str, Any]


class MessageTemplate(NamedTuple):
    """One message to render; with `history`, the place where the caller's messages are inserted."""

    role: Role = "user"
    content: Template | tuple[PartTemplate, ...] | None = None
    id: str = ""
    when: Expression | None = None
    name: Template | None = None
    history: str = ""
    history_roles: tuple[Role, ...] = HISTORY_ROLES
    tool_call_id: Template | None = None
    tool_calls: tuple[CallTemplate, ...] = ()
    priority: int | None = None


@dataclass(frozen=True)
class InputValue:
    """A place in a slot that holds the value of an input, not its text."""

    name: str


@dataclass(frozen=True)
class PackTest:
    """A test of the pack, as written in the file."""

    name: str
    context: Mapping[str, Any] = field(repr=False)
    expect: Mapping[str, Any] = field(repr=False)
    locate: Locate = field(repr=False, compare=False)
    reply: Any = field(default=None, repr=False)
    verdict: Any = None

    @property
    def location(self) -> Location:
        """Where it is written."""
        return self.locate()


@dataclass(frozen=True)
class Pack:
    """A prompt with typed inputs, a reply contract and tests; immutable and safe to share between threads."""

    name: str
    version: Version
    path: str
    agent: str = ""
    description: str = ""
    locale: str = ""
    syntax: str = "jinja"
    json_indent: int | None = 2
    abstract: bool = False
    inputs: Mapping[str, Input] = field(default_factory=dict)
    messages: tuple[MessageTemplate, ...] = ()
    slots: Mapping[str, Any] = field(default_factory=dict)
    budget: Mapping[str, Any] = field(default_factory=dict)
    contract: Contract | None = None
    tests: tuple[PackTest, ...] = ()
    limits: Limits = field(default_factory=Limits, repr=False)
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)
    _hash: Callable[[], str] = field(default=str, repr=False, compare=False)
    _render_cache: PackCache = field(default_factory=PackCache, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"Pack({self.label})"

    @cached_property
    def digest(self) -> str:
        """The hash of everything that determines what the pack renders and how it checks replies."""
        return self._hash()

    @cached_property
    def context_schema(self) -> schema.Schema:
        """The schema of the whole context."""
        from promptpack import schema

        return schema.compile(
            {
                "type": "object",
                "properties": {name: {"$ref": f"#/$defs/{name}"} for name in self.inputs},
                "required": [name for name, declared in self.inputs.items() if declared.required],
                "$defs": {
                    name: schema.rebase(declared.schema, f"#/$defs/{name}") for name, declared in self.inputs.items()
                },
            }
        )

    @cached_property
    def copied_inputs(self) -> frozenset[str]:
        """The inputs that a prompt contains as data: copied, so that the caller cannot change them later."""
        if self.slots:
            return frozenset(self.inputs)
        return frozenset(message.history for message in self.messages if message.history)

    @cached_property
    def about(self) -> dict[str, str]:
        """The value of `pack` in templates."""
        return {"name": self.name, "version": str(self.version), "agent": self.agent, "locale": self.locale}

    @property
    def label(self) -> str:
        """The pack as `name@version`."""
        return f"{self.name}@{self.version}"

    def render(self, context: Any = None, /, **inputs: Any) -> Prompt:
        """Render the messages with a context; raise a `ContextError` with all problems of the context."""
        from promptpack.prompt.rendering import render

        if hook.listeners:
            from promptpack.prompt.observe_render import observe_render

            return observe_render(self, lambda: render(self, context, inputs))
        return render(self, context, inputs)

    def check(self, reply: str | bytes, context: Any = None, /, **options: Any) -> Verdict:
        """Judge a model's reply; rules and tools read the context."""
        values = None
        if context is not None:
            from promptpack.prompt.context import check_context

            values = check_context(self, context, {}).values
        if hook.listeners:
            from promptpack.verdict.observe_check import observe_check

            return observe_check(self, values, reply, lambda: self.judge(reply, values, **options))
        return self.judge(reply, values, **options)

    @cached_property
    def judge(self) -> Callable[..., Verdict]:
        """A function that judges a reply with checked values; cached, as building it costs as much as a short check."""
        from promptpack.verdict.judge import Judge

        return Judge(self).judge

    def stream(self, **options: Any) -> VerdictStream:
        """Judge a reply while it arrives, without a context; see `Prompt.stream` for one with a context."""
        from promptpack.verdict import VerdictStream

        return VerdictStream(self, None, **options)
