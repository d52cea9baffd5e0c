"""What compiled templates use while they render, in place of `jinja2.runtime`: contexts, loops and undefined names.

A render finds partials first in the template, then in its includers, up to a depth limit.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import CodeType, MappingProxyType
from typing import Any, Final, NamedTuple

from jinja2 import Environment, StrictUndefined, UndefinedError
from jinja2 import Template as JinjaTemplate
from jinja2.environment import TemplateModule
from jinja2.exceptions import TemplateRuntimeError
from jinja2.nodes import EvalContext
from jinja2.runtime import Context, LoopContext, Undefined
from jinja2.utils import missing

from promptpack.problem import did_you_mean
from promptpack.template.meter import STEPS_OF_A_CALL, collect_import, meter
from promptpack.template.model import UNPLACED, Fingerprint, Scope, Source
from promptpack.template.render_cache import PackCache

MAX_INCLUDE_DEPTH: Final = 16
PartialFinder = Callable[[str], "Partial | None"]


@dataclass(frozen=True)
class CompiledTree:
    """The code of all templates with the same text, and the partials in it, whose lines follow their own."""

    code: CodeType
    inlined: tuple[Source, ...] = ()


class PackTemplate(JinjaTemplate):
    """A compiled template with its source, so that errors inside it can be located."""

    source: Source
    compiled: CompiledTree | None = None

    @classmethod
    def of_constant(cls, text: str, environment: Environment, source: Source) -> "PackTemplate":
        """Return a template without tags, which needs no code of its own."""

        def root(_: Context) -> Iterator[str]:
            used: Any = meter()
            used.step(STEPS_OF_A_CALL)
            yield used.write(text)

        names: dict[str, Any] = {"name": None, "blocks": {}, "root": root, "debug_info": "", "__file__": UNPLACED}
        template: Any = cls.from_module_dict(environment, names, environment.globals)
        template.source = source
        return template  # type: ignore[no-any-return]

    def start_context(self, values: Mapping[str, Any], include_stack: "IncludeStack") -> Context:
        """Return the context that a render starts with."""
        names = {**self.globals, **values}
        context = PackContext(self.environment, names, self.name, self.blocks, self.globals)
        context.include_stack = include_stack
        if type(values) is Scope:
            context.snapshot, context.fingerprints, context.cache = values.snapshot, values.fingerprints, values.cache
        return context

    def include_context(self, include_stack: "IncludeStack", *arguments: Any) -> Context:
        """Return the context of an included template; `arguments` are those of Jinja's `new_context`."""
        context: Any = self.new_context(*arguments)
        context.include_stack = include_stack
        return context  # type: ignore[no-any-return]


class Partial(NamedTuple):
    """A template that others include, with the functions that find its own partials and the shared ones."""

    code: PackTemplate
    find_own: PartialFinder | None = None
    find_shared: PartialFinder | None = None


class IncludeStack(NamedTuple):
    """The templates that a render is inside: how to find their partials, the innermost first, and the depth."""

    own_finders: tuple[PartialFinder, ...] = ()
    shared_finder: PartialFinder | None = None
    depth: int = 0
    sites: tuple[tuple[int, str], ...] = ()
    """The numbers of the includes and the names of their partials, outermost first; only when the render is traced."""

    @classmethod
    def start(cls, partial: Partial) -> "IncludeStack":
        """Return the stack of a template that is rendered directly."""
        return cls((partial.find_own,) if partial.find_own else (), partial.find_shared)

    def enter(self, partial: Partial) -> "IncludeStack":
        """Return the stack one include deeper."""
        if self.depth == MAX_INCLUDE_DEPTH:
            message = f"includes are nested more than {MAX_INCLUDE_DEPTH} levels deep"
            raise IncludeDepthError(f"{message}\nlook for a partial that includes itself")
        own = (partial.find_own, *self.own_finders) if partial.find_own else self.own_finders
        return IncludeStack(own, partial.find_shared or self.shared_finder, self.depth + 1)

    def find(self, names: Iterable[str]) -> Partial | None:
        """Return the first of the named partials that exists; the innermost template's own partials come first."""
        finders = (*self.own_finders, self.shared_finder) if self.shared_finder else self.own_finders
        found = (find(name) for name in names for find in finders)
        return next((partial for partial in found if partial is not None), None)


class IncludeDepthError(TemplateRuntimeError):
    """Includes are nested deeper than the limit."""


class PackContext(Context):
    """Jinja's context with its include stack; at the start of a render also with what caching needs."""

    include_stack: IncludeStack = IncludeStack()
    snapshot: Mapping[str, Any] = MappingProxyType({})
    fingerprints: Mapping[str, Fingerprint] | None = None
    cache: PackCache | None = None

    def __init__(
        self,
        environment: Environment,
        parent: dict[str, Any],
        name: str | None,
        blocks: Mapping[str, Callable[[Context], Iterator[str]]],
        globals: Any = None,  # noqa: A002, ARG002 -- Jinja's signature
    ) -> None:
        # As in Jinja; what is the same in every context is made once.
        self.environment = environment
        self.eval_ctx: EvalContext = environment.eval_context  # type: ignore[attr-defined]  # a `PackEnvironment`
        self.globals_keys: set[str] = environment.globals.keys()  # type: ignore[assignment]
        self.parent: dict[str, Any] = parent
        self.name: str | None = name
        self.vars: dict[str, Any] = {}
        self.exported_vars: set[str] = set()
        self.blocks: dict[str, list[Callable[[Context], Iterator[str]]]] = {
            key: [block] for key, block in blocks.items()
        }

    def derived(self, locals: dict[str, Any] | None = None) -> "PackContext":  # noqa: A002 -- Jinja's own name
        """Return the context of a block."""
        context: Any = super().derived(locals)
        context.include_stack = self.include_stack
        return context  # type: ignore[no-any-return]

    def restore(self, names: Iterable[str]) -> None:
        """Use the snapshots of values, so that no other thread can change them before their text is cached."""
        self.parent.update((name, self.snapshot[name]) for name in names if name in self.snapshot)


class Included(NamedTuple):
    """The partial that Jinja's code includes or imports; its context is one level deeper."""

    code: PackTemplate
    include_stack: IncludeStack
    imported: bool = False

    @property
    def root_render_func(self) -> Callable[[Context], Iterable[str]]:
        """The code, under Jinja's name."""
        return self.code.root_render_func

    def new_context(self, values: dict[str, Any], shared: bool, local: Mapping[str, Any]) -> Context:
        """Return the context of the partial."""
        return self.code.include_context(self.include_stack, values, shared, local)

    def make_module(self, values: dict[str, Any], shared: bool, local: Mapping[str, Any]) -> TemplateModule:
        """Return the module for `{% import %} with context`."""
        return self._make_module(self.new_context(values, shared, local))

    def _get_default_module(self, _: Context | None = None) -> TemplateModule:
        # Jinja would cache one module for all renders, but the partials may change between renders.
        return self._make_module(self.code.include_context(self.include_stack))

    def _make_module(self, context: Context) -> TemplateModule:
        pieces = self.code.root_render_func(context)
        return TemplateModule(self.code, context, collect_import(pieces) if self.imported else pieces)


class ListLoop(LoopContext):
    """The `loop` of a list, whose items are all known; `iterate` advances `index0`."""

    def __init__(self, items: list[Any], undefined: type[Undefined]) -> None:
        super().__init__(items, undefined)
        self._items = items

    @property
    def length(self) -> int:
        """The number of items."""
        return len(self._items)

    @property
    def last(self) -> bool:
        """Whether this is the last item."""
        return self.index0 == len(self._items) - 1

    @property
    def previtem(self) -> Any:
        """The item before this one."""
        return self._items[self.index0 - 1] if self.index0 else self._undefined("there is no previous item")

    @property
    def nextitem(self) -> Any:
        """The item after this one."""
        return self._undefined("there is no next item") if self.last else self._items[self.index0 + 1]


def iterate(values: Iterable[Any], undefined: type[Undefined]) -> Iterable[tuple[Any, LoopContext]]:
    """Iterate over items, each with `loop`; values other than lists may be lazy, and use Jinja's loop."""
    return _iterate(values, undefined) if type(values) is list else LoopContext(values, undefined)


def _iterate(items: list[Any], undefined: type[Undefined]) -> Iterator[tuple[Any, ListLoop]]:
    loop = ListLoop(items, undefined)
    for loop.index0, item in enumerate(items):
        yield item, loop


class MissingVariableError(UndefinedError):
    """A variable is not in the context; the second line of the message is the hint."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class PackUndefined(StrictUndefined):
    """Raises on every use, without quoting the value, which may be secret; the second line is the hint."""

    __slots__ = ()

    def __init__(
        self,
        hint: str | None = None,
        obj: Any = missing,
        name: str | None = None,
        exc: type[TemplateRuntimeError] = UndefinedError,
    ) -> None:
        super().__init__(hint, obj, name, exc)
        if hint is None and obj is missing and name is not None:
            # Jinja passes only the message, so the name is bound here.
            self._undefined_exception = partial(MissingVariableError, name)  # type: ignore[assignment]

    @property
    def _undefined_message(self) -> str:
        if self._undefined_hint:
            return self._undefined_hint
        if self._undefined_obj is missing:
            return f"{self._undefined_name!r} is undefined"
        owner = self._undefined_obj
        noun = "key" if isinstance(owner, dict) or isinstance(self._undefined_name, str) else "item"
        message = f"{describe_kind(owner)} has no {noun} {self._undefined_name!r}"
        if not isinstance(owner, dict) or not isinstance(self._undefined_name, str):
            return message
        hint = did_you_mean(self._undefined_name, (key for key in owner if isinstance(key, str)))
        return f"{message}\n{hint}" if hint else message


class FailError(TemplateRuntimeError):
    """The template called `fail`."""


class NotAListError(TemplateRuntimeError):
    """`{{#each}}` got a value that is not a list; the second line of the message is the hint."""

    def __init__(self, name: str, value: Any) -> None:
        super().__init__(f"'{{{{#each}}}}' needs a list, but {name!r} is {describe_kind(value)}\npass a list")
        self.name = name


KINDS: Final[Mapping[type[Any], str]] = MappingProxyType(
    {
        dict: "a mapping",
        list: "a list",
        tuple: "a list",
        str: "text",
        int: "a number",
        float: "a number",
        bool: "a true/false value",
        type(None): "null",
    }
)
"""The kinds of values in plain words."""
KINDS_BY_NAME: Final[Mapping[str, str]] = MappingProxyType({kind.__name__: words for kind, words in KINDS.items()})


def describe_kind(value: Any) -> str:
    """Describe the kind of a value in plain words, never the value itself."""
    return KINDS.get(type(value)) or f"a {type(value).__name__}"
