"""The `Pack`: validated, compiled and frozen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

import promptpack
from promptpack import hook
from promptpack.files import Folder
from promptpack.lazy import cached_property
from promptpack.pack.version import Version
from promptpack.problem import Location, Problem, UsageError
from promptpack.template.model import Limits
from promptpack.template.render_cache import PackCache

if TYPE_CHECKING:
    from promptpack import schema
    from promptpack.template.model import Expression, Template
    from promptpack.verdict import JudgeOptions

    RenderFunction = Callable[
        [promptpack.Pack, object, Mapping[str, Any], Mapping[type, Callable[[Any], object]] | None], promptpack.Prompt
    ]
    ChooseFunction = Callable[[bool, Collection[str], str | None, promptpack.Verdict | None], JudgeOptions]
    JudgeReply = Callable[
        [str | bytes, Mapping[str, Any] | None, promptpack.Prompt | None, JudgeOptions], promptpack.Verdict
    ]

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
    """A test of the pack, as it runs: one for each case."""

    name: str
    context: Mapping[str, Any] = field(repr=False)
    expect: Mapping[str, Any] = field(repr=False)
    locate: Callable[..., Location] = field(repr=False, compare=False)
    """Returns the location of the test, or of the value at a path in it."""
    reply: Any = field(default=None, repr=False)
    verdict: Any = None
    model: str = ""

    @property
    def location(self) -> Location:
        """Where it is written."""
        return self.locate()


@dataclass(frozen=True, eq=False)
class Pack:
    """A prompt with typed inputs, a reply contract and tests; immutable and safe to share between threads.

    Packs with the same digest are equal. A pickled pack is its source texts and its digest: the receiver builds it
    again, and refuses it if its digest is different there.

    `name`, `version`, `agent`, `description`, `locale` and `syntax` are those of the file at `path`, and `data` is its
    content. `inputs` are the declared inputs, by name. `messages` or `slots` are the templates, and `contract` is the
    contract of the replies. `budget` and `tests` are the sections with these names, `limits` are those of templates,
    and `json_indent` is how far printed JSON is indented. An `abstract` pack can only be extended. `models` has the
    overlays for models, and `overlay` is the one that `for_model` has applied. `requested_label` is the label that the
    pack was requested by, if any.
    """

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
    models: tuple[promptpack.ModelOverlay, ...] = ()
    overlay: promptpack.ModelOverlay | None = None
    contract: promptpack.Contract | None = None
    tests: tuple[PackTest, ...] = ()
    limits: Limits = field(default_factory=Limits, repr=False)
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)
    _hash: Callable[[], str] = field(default=str, repr=False, compare=False)
    _render_cache: PackCache = field(default_factory=PackCache, repr=False, compare=False)

    _store: Callable[[Pack], Any] | None = field(default=None, repr=False)
    _folder: Folder | None = field(default=None, repr=False, compare=False)
    _compiled: Any = field(default=None, repr=False, compare=False)
    """The `CompiledSections` that the pack was built from, with their locations."""
    _base: Pack | None = field(default=None, repr=False)
    """The pack without the overlay."""
    requested_label: str = ""

    def __repr__(self) -> str:
        return f"Pack({self.label})"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Pack) and self.digest != "" and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __deepcopy__(self, memo: object) -> Pack:
        return self

    def __reduce__(self) -> tuple[Callable[[Any], Pack], tuple[Any]]:
        if self._store is None:
            message = f"{self.label} cannot be pickled, because it does not come from a library"
            raise UsageError(Problem("PP741", message, None, "get the pack from a Library"))
        stored = self._store(self)
        return type(stored).restore, (stored,)

    @cached_property
    def digest(self) -> str:
        """The hash of everything that determines what the pack renders and how it checks replies."""
        return self._hash()

    @cached_property
    def _context_schema(self) -> schema.Schema:
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
    def _copied_inputs(self) -> frozenset[str]:
        """The inputs that a prompt contains as data: copied, so that the caller cannot change them later."""
        if self.slots:
            return frozenset(self.inputs)
        return frozenset(message.history for message in self.messages if message.history)

    @cached_property
    def _history_inputs(self) -> frozenset[str]:
        """The inputs that are chat histories; they are accepted in the forms of several SDKs."""
        return frozenset(message.history for message in self.messages if message.history) | {"HISTORY"}

    @cached_property
    def _expectations(self) -> dict[str, Expression]:
        """The compiled expressions of its tests, by their texts."""
        return {}

    @cached_property
    def _about(self) -> dict[str, str]:
        """The value of `pack` in templates."""
        return {"name": self.name, "version": str(self.version), "agent": self.agent, "locale": self.locale}

    @property
    def label(self) -> str:
        """The pack as `name@version`."""
        return f"{self.name}@{self.version}"

    def for_model(self, model: str) -> Pack:
        """Return the pack with its overlay for a model: the first one under `models` whose glob matches.

        `model` is the name of the model in requests. Without a matching overlay, the result is the pack itself.
        """
        from promptpack.pack.model_overlay import require_name

        require_name(model)
        base = self._without_overlay
        found = next((overlay for overlay in base.models if overlay.matches(model)), None)
        return base if found is None else base._with_overlay(found)

    @property
    def _without_overlay(self) -> Pack:
        """The pack without the overlay that `for_model` has applied."""
        return self._base or self

    def _find_overlay(self, glob: str) -> Pack | None:
        """Return the pack with the overlay of a glob; None if it has none."""
        found = next((overlay for overlay in self.models if overlay.glob == glob), None)
        return None if found is None else self._with_overlay(found)

    def _with_overlay(self, overlay: promptpack.ModelOverlay) -> Pack:
        glob = overlay.glob
        if glob not in self._overlaid:
            self._overlaid[glob] = replace(self, overlay=overlay, _base=self, _hash=partial(_hash_overlay, self, glob))
        return self._overlaid[glob]

    @cached_property
    def _overlaid(self) -> dict[str, Pack]:
        """The pack with each overlay, by its glob; they share what they cache."""
        return {}

    def _with_label(self, label: str) -> Pack:
        """Return this pack as requested by a label; both share everything that is compiled and cached so far."""
        pack = object.__new__(Pack)
        pack.__dict__.update(self.__dict__, requested_label=label)
        pack.__dict__.pop("_overlaid", None)  # those packs have another label
        return pack

    def render(
        self,
        context: promptpack.RenderContext | promptpack.TemplateContext | Mapping[str, Any] | None = None,
        /,
        *,
        encode: Mapping[type, Callable[[Any], object]] | None = None,
        **inputs: Any,
    ) -> promptpack.Prompt:
        """Render the messages with a context; raise a `ContextError` with all problems of the context.

        `context` has the inputs, and `inputs` replaces some of them. `encode` has a function for each class of values
        that are not plain data. Dates, decimals, UUIDs, enums, dataclasses, pydantic models and numpy scalars need
        none.
        """
        render = _import_render()
        if hook.listeners:
            from promptpack.prompt.observe_render import observe_render

            return observe_render(self, lambda: render(self, context, inputs, encode))
        return render(self, context, inputs, encode)

    def check(
        self,
        reply: object,
        context: object = None,
        /,
        *,
        strict: bool = False,
        refuse: Collection[str] = (),
        finish_reason: str | None = None,
        after: promptpack.Verdict | None = None,
        tools: Iterable[object] = (),
    ) -> promptpack.Verdict:
        """Check a model's `reply` without a prompt; the options are those of `Prompt.check`.

        `context` has the inputs that rules and tools read. Without it, rules that read inputs are skipped and listed as
        `unchecked`.
        """
        values = None
        if context is not None:
            from promptpack.prompt.context import check_context

            values = check_context(self, context, {}).values
        return self._check(reply, values, None, strict, refuse, finish_reason, after, tools)

    def _check(
        self,
        reply: object,
        values: Mapping[str, Any] | None,
        prompt: promptpack.Prompt | None,
        strict: bool,
        refuse: Collection[str],
        finish_reason: str | None,
        after: promptpack.Verdict | None,
        tools: Iterable[object],
    ) -> promptpack.Verdict:
        options = _import_choose()(strict, refuse, finish_reason, after)
        if hook.listeners:
            from promptpack.verdict.observe_check import observe_check

            return observe_check(self, values, reply, lambda: self._judge_any(reply, values, prompt, options, tools))
        return self._judge_any(reply, values, prompt, options, tools)

    def _judge_any(
        self,
        reply: object,
        values: Mapping[str, Any] | None,
        prompt: promptpack.Prompt | None,
        options: JudgeOptions,
        tools: Iterable[object],
    ) -> promptpack.Verdict:
        if issubclass(type(reply), str | bytes):  # `isinstance` would ask its `__class__`, which may lie
            return self._judge(cast("str | bytes", reply), values, prompt, options)
        from promptpack.adapters.responses import check_response

        return check_response(reply, self, values, prompt, options, tools)

    @cached_property
    def _judge(self) -> JudgeReply:
        """The function that checks texts; cached, as building it costs as much as a short check."""
        from promptpack.verdict.judge import Judge

        return Judge(self).judge

    def stream(
        self,
        *,
        strict: bool = False,
        refuse: Collection[str] = (),
        finish_reason: str | None = None,
        after: promptpack.Verdict | None = None,
    ) -> promptpack.VerdictStream:
        """Check a reply while it arrives, without a context; `Prompt.stream` checks one with a context.

        The options are those of `Prompt.check`.
        """
        from promptpack.verdict import VerdictStream
        from promptpack.verdict.judge_options import choose

        return VerdictStream(self, None, None, choose(strict, refuse, finish_reason, after))


# Looked up once: an import inside a function takes longer than several rules.
@cache
def _import_render() -> RenderFunction:
    from promptpack.prompt.rendering import render

    return render


@cache
def _import_choose() -> ChooseFunction:
    from promptpack.verdict.judge_options import choose

    return choose


def _hash_overlay(pack: Pack, glob: str) -> str:
    from promptpack.pack.digest import digest

    return digest({"pack": pack.digest, "overlay": glob})
