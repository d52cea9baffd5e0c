"""The `Contract`: one JSON Schema for the replies to a pack, its actions included, and rules beyond the schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

import promptpack
from promptpack.lazy import cached_property
from promptpack.problem import Problem, UsageError
from promptpack.schema.pointers import rebase
from promptpack.schema.strict import StrictProvider
from promptpack.schema.validation import Schema
from promptpack.schema.validation import compile as compile_schema
from promptpack.template.model import Expression, Template

AGENT_OUTPUT = "agent-output"
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
        """The names that the rule reads."""
        return self.require.names | self.message.names | (self.when.names if self.when else frozenset())


def _contract_of(pack: promptpack.Pack) -> Contract | None:
    return pack.contract


@dataclass(frozen=True, eq=False)
class Contract:
    """The requirements for a reply; immutable.

    `name` is the name of the contract and `base` its JSON Schema. `actions` are the actions of the pack; `tools_input`
    names the input whose tools are actions too. `rules` are checked after the schema. `example` is a valid reply,
    `refuse` lists the repairs that are not allowed, and `correction` is the template of the message to send back.
    """

    name: str
    base: Mapping[str, Any]
    actions: Mapping[str, Action] = field(default_factory=dict)
    tools_input: str = ""
    rules: tuple[Rule, ...] = ()
    example: Any = None
    refuse: frozenset[str] = frozenset()
    correction: Template | None = None
    output: Any = None
    """The output of a slot prompt if it is the contract; may contain templates."""
    pack: promptpack.Pack | None = field(default=None, repr=False, compare=False)
    """The pack of this contract: a verdict also needs its limits, language and name."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Contract) or self is other:
            return self is other
        if self.pack is not None or other.pack is not None:
            return self.pack == other.pack
        return self.json_schema() == other.json_schema() and self.rules == other.rules

    def __hash__(self) -> int:
        return hash((self.name, *self.actions, *(rule.name for rule in self.rules)))

    def __deepcopy__(self, memo: object) -> Contract:
        return self

    def __reduce__(self) -> tuple[Callable[..., Contract | None], tuple[Any, ...]]:
        if self.pack is not None:
            return _contract_of, (self.pack,)
        return Contract, tuple(getattr(self, one.name) for one in fields(self))

    @cached_property
    def has_actions(self) -> bool:
        """Whether replies are `AgentOutput`, with actions that the pack declares."""
        return self.name == AGENT_OUTPUT

    @cached_property
    def examples(self) -> tuple[Any, ...]:
        """The example of the reply, and those of its actions."""
        named = (self.example, *(action.example for action in self.actions.values()))
        return tuple(one for one in named if one is not None)

    @cached_property
    def _shown_example(self) -> str:
        """The JSON of the example in `reply_format`, the first of an action if there is one; empty without examples."""
        named = (action.example for action in self.actions.values() if action.example is not None)
        example = next(named, self.example)
        return "" if example is None else json.dumps(example, ensure_ascii=False, indent=2)

    @cached_property
    def _written_lines(self) -> dict[tuple[str, str], list[str]]:
        """The lines of `reply_format` that do not depend on tools, by locale and field."""
        return {}

    @cached_property
    def schema(self) -> Schema:
        """The schema of a reply without tools."""
        return compile_schema(self.json_schema())

    @cached_property
    def _fixed_schema(self) -> Schema:
        """The part of the schema that does not depend on the tools."""
        whole = self.json_schema()
        return compile_schema({**whole, "properties": {**whole["properties"], "action": True}})

    def _schemas(self) -> tuple[Schema, ...]:
        """Return the schemas that do not depend on the tools of a context."""
        return (self.schema, self._fixed_schema) if self.has_actions and self.tools_input else (self.schema,)

    def _schema_with(self, tools: Sequence[Action]) -> Schema:
        """Return the schema of a reply that may call tools; of the tools, it compiles only the one that is called."""
        if not self.has_actions:
            return self.schema
        make_source, fixed = partial(self.json_schema, tools), self._fixed_schema
        params = {tool.name: compile_schema(tool.params) for tool in tools if tool.params is not None}
        if any(f"params.{name}" in fixed.source["$defs"] or "$id" in one.source for name, one in params.items()):
            return compile_schema(make_source)
        names = frozenset((*self.actions, *(tool.name for tool in tools), *ERROR_ACTIONS))

        def accepts(reply: Any) -> bool:
            if not fixed.predicate(reply):
                return False
            action = reply["action"]
            if type(action) is not str or action not in names:
                return False
            return action not in params or params[action].accepts_part(reply["params"], 1)

        return compile_schema(make_source, accepts)

    def stream(
        self,
        *,
        strict: bool = False,
        refuse: Collection[str] = (),
        finish_reason: str | None = None,
        after: promptpack.Verdict | None = None,
    ) -> promptpack.VerdictStream:
        """Check a reply while it arrives, like `Pack.stream`; the options are those of `Prompt.check`."""
        from promptpack.pack.model import Pack
        from promptpack.pack.version import Version

        pack = self.pack or Pack(self.name, Version(0, 0, 0), "", contract=self)
        return pack.stream(strict=strict, refuse=refuse, finish_reason=finish_reason, after=after)

    def action_names(self, tools: Sequence[Action] | None = None) -> tuple[str, ...] | None:
        """Return the allowed actions, with `tools`; None if a reply may call tools and they are unknown."""
        if self.tools_input and tools is None:
            return None
        return (*self.actions, *(tool.name for tool in tools or ()), *ERROR_ACTIONS)

    def json_schema(self, tools: Sequence[Action] | None = None) -> dict[str, Any]:
        """Return one JSON Schema for the contract, the actions of the pack and the `tools`."""
        if not self.has_actions:
            return dict(self.base)
        definitions = dict(self.base.get("$defs", {}))
        branches = list(self.base.get("allOf", ()))
        for action in (*self.actions.values(), *(tools or ())):
            if action.params is not None:
                # JSON pointers escape "/" and "~", which tool names may contain.
                label = f"params.{action.name}".replace("~", "~0").replace("/", "~1")
                definitions[f"params.{action.name}"] = rebase(action.params, f"#/$defs/{label}")
                condition = {"properties": {"action": {"const": action.name}}, "required": ["action"]}
                params = {"properties": {"params": {"$ref": f"#/$defs/{label}"}}}
                branches.append({"if": condition, "then": params})
        properties = {**self.base["properties"], "action": self._action_schema(tools)}
        return {**self.base, "properties": properties, "allOf": branches, "$defs": definitions}

    def _shape_with(self, tools: Sequence[Action] | None) -> Mapping[str, Any]:
        """Return the JSON Schema for the contract and the names of the `tools`, without their params."""
        if not self.has_actions:
            return self.base
        fixed = self._fixed_schema.source
        return {**fixed, "properties": {**fixed["properties"], "action": self._action_schema(tools)}}

    def strict(self, provider: StrictProvider, tools: Sequence[Mapping[str, Any]] | None = None) -> dict[str, Any]:
        """Return the contract as the strict schema of a provider: closed objects, nullable optionals, `anyOf`.

        `provider` names the API that gets the schema. `tools` are the tools that a reply may call, in the format of
        OpenAI, Anthropic or MCP; each gets its own branch. Limits that the provider does not support become part of the
        descriptions. Raises `PackError` if an object of the contract or of a tool is open.
        """
        from promptpack.prompt.tool_actions import read_tool_actions

        what = f"the contract of {self.pack.label}" if self.pack is not None else f"the contract {self.name!r}"
        if self.tools_input and tools is None:
            message = f"{what}: '/params' depends on the tools of {self.tools_input!r}, which are not given"
            hint = "pass them: contract.strict(provider, tools), or use prompt.to(target, strict=True)"
            raise UsageError(Problem("PP641", message, None, hint))
        actions = None if tools is None else read_tool_actions(tools, "tools")
        from promptpack.schema.strict.writing import to_strict_schema

        return to_strict_schema(self.json_schema(actions), provider, what)

    def _action_schema(self, tools: Sequence[Action] | None) -> dict[str, Any]:
        own: Mapping[str, Any] = self.base["properties"]["action"]
        names = self.action_names(tools)
        if names is None:
            return dict(own)
        return {**{key: value for key, value in own.items() if key != "pattern"}, "enum": list(names)}
