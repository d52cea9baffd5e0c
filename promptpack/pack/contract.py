"""The `Contract`: the shape of a reply with the actions of one pack, as one JSON Schema, and the rules beyond it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from promptpack.lazy import cached_property
from promptpack.schema import compile as compile_schema
from promptpack.schema import rebase

if TYPE_CHECKING:
    from promptpack.pack.model import Pack
    from promptpack.schema import Schema
    from promptpack.template import Expression, Template
    from promptpack.verdict import VerdictStream


AGENT_OUTPUT = "agent-output"
_MOST_KEPT = 16
ERROR_ACTIONS = ("ERROR", "CLARIFICATION_REQUIRED", "ESCALATE")


@dataclass(frozen=True)
class Action:
    """One action, with the schema of its params."""

    name: str
    description: str = ""
    params: Mapping[str, Any] | None = None
    example: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Rule:
    """A condition on an accepted reply that a schema cannot express."""

    name: str
    require: Expression
    message: Template
    when: Expression | None = None
    path: str = ""

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that the rule looks at."""
        return self.require.names | self.message.names | (self.when.names if self.when else frozenset())


@dataclass(frozen=True)
class Contract:
    """What a reply must be; immutable."""

    name: str
    base: Mapping[str, Any]
    actions: Mapping[str, Action] = field(default_factory=dict)
    tools_input: str = ""
    rules: tuple[Rule, ...] = ()
    example: Any = None
    refuse: frozenset[str] = frozenset()
    correction: Template | None = None
    output: Any = None
    """The output of a slot prompt, when that is what a reply must meet; it may hold templates."""
    pack: Pack | None = field(default=None, repr=False, compare=False)
    """The pack whose contract this is: a verdict also needs its limits, its language and its name."""

    @cached_property
    def has_actions(self) -> bool:
        """Whether this is AgentOutput, whose actions the pack names."""
        return self.name == AGENT_OUTPUT

    @cached_property
    def schema(self) -> Schema:
        """The schema of a reply when no tools are known."""
        return compile_schema(self.shape())

    def stream(self, **options: Any) -> VerdictStream:
        """Judge a reply while it arrives; the same as `stream` of the pack."""
        from promptpack.pack.model import Pack
        from promptpack.pack.version import Version

        pack = self.pack or Pack(self.name, Version(0, 0, 0), "", contract=self)
        return pack.stream(**options)

    def schema_with(self, tools: Sequence[Action] | None) -> Schema:
        """The schema of a reply that may also call one of these tools."""
        return self.schema if tools is None else compile_schema(self.shape(tools))

    def schema_for_tools(self, name: str, read_tools: Callable[[], Sequence[Action]]) -> Schema:
        """The schema with tools that go by a name of their own, read and compiled once; the last few are kept."""
        schema = self._kept.get(name)
        if schema is None:
            schema = self._kept[name] = self.schema_with(read_tools())
            for oldest in list(self._kept)[:-_MOST_KEPT]:
                self._kept.pop(oldest, None)
        return schema

    @cached_property
    def _kept(self) -> dict[str, Schema]:
        return {}

    def action_names(self, tools: Sequence[Action] | None = None) -> tuple[str, ...] | None:
        """Every allowed action, or None when a reply may name a tool and the tools are not known."""
        if self.tools_input and tools is None:
            return None
        return (*self.actions, *(tool.name for tool in tools or ()), *ERROR_ACTIONS)

    def shape(self, tools: Sequence[Action] | None = None) -> dict[str, Any]:
        """Put the contract, the pack's actions and the tools together into one JSON Schema."""
        if not self.has_actions:
            return dict(self.base)
        taken = [*self.actions.values(), *(tools or ())]
        definitions = dict(self.base.get("$defs", {}))
        branches = list(self.base.get("allOf", ()))
        for action in taken:
            if action.params is not None:
                # JSON pointers escape "/" and "~", which the names of tools may hold.
                label = f"params.{action.name}".replace("~", "~0").replace("/", "~1")
                definitions[f"params.{action.name}"] = rebase(action.params, f"#/$defs/{label}")
                branches.append(_params_of(action.name, f"#/$defs/{label}"))
        properties = {**self.base["properties"], "action": self._action_schema(tools)}
        return {**self.base, "properties": properties, "allOf": branches, "$defs": definitions}

    def _action_schema(self, tools: Sequence[Action] | None) -> dict[str, Any]:
        own: Mapping[str, Any] = self.base["properties"]["action"]
        names = self.action_names(tools)
        if names is None:
            return dict(own)
        return {**{key: value for key, value in own.items() if key != "pattern"}, "enum": list(names)}


def _params_of(action: str, reference: str) -> dict[str, Any]:
    return {
        "if": {"properties": {"action": {"const": action}}, "required": ["action"]},
        "then": {"properties": {"params": {"$ref": reference}}},
    }
