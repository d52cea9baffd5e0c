"""Jinja's environment, restricted to plain data and to the allow-lists of `language`."""

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from types import BuiltinMethodType, MethodType
from typing import Any, ClassVar, cast

from jinja2 import BaseLoader
from jinja2 import Template as JinjaTemplate
from jinja2.environment import TemplateModule
from jinja2.exceptions import SecurityError
from jinja2.filters import _GroupTuple
from jinja2.lexer import TokenStream
from jinja2.nodes import EvalContext
from jinja2.runtime import BlockReference, Context, LoopContext, Macro, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from promptpack.problem import ContextError
from promptpack.template.codegen import PackGenerator
from promptpack.template.failure import RENDER_ERRORS, explain
from promptpack.template.formatting import TextFormat
from promptpack.template.guards import check_method
from promptpack.template.language import (
    FILTERS,
    FUNCTIONS,
    GROUP_ATTRIBUTES,
    LOOP_ATTRIBUTES,
    LOOP_METHODS,
    METHODS,
    RANGE_ATTRIBUTES,
    TESTS,
    Function,
)
from promptpack.template.meter import Meter, meter, step
from promptpack.template.model import Fingerprint
from promptpack.template.operators import OPERATORS, check_size, compare, concatenate, slice_value
from promptpack.template.positions import locate_tokens
from promptpack.template.render_cache import CacheKey, cache_key
from promptpack.template.runtime import (
    Included,
    ListLoop,
    PackContext,
    PackTemplate,
    PackUndefined,
    Partial,
    describe_kind,
    iterate,
)
from promptpack.template.values import to_text

_LOOPS = (ListLoop, LoopContext)


class PackEnvironment(ImmutableSandboxedEnvironment):
    """Jinja's environment: strict, without extensions, for plain data only."""

    code_generator_class: type[PackGenerator] = PackGenerator
    context_class: type[PackContext] = PackContext
    intercepted_binops: frozenset[str] = frozenset(OPERATORS)
    # Called by the generated code; see `codegen` and `output_codegen`.
    meter: ClassVar[Callable[[], Meter | None]] = staticmethod(meter)
    to_text: ClassVar[Callable[[Any], str]] = staticmethod(to_text)
    iterate: ClassVar[Callable[[Iterable[Any], type[Undefined]], Iterable[tuple[Any, LoopContext]]]] = staticmethod(
        iterate
    )
    list_loop: ClassVar[type[ListLoop]] = ListLoop
    compare: ClassVar[Callable[[str, Any, Any], bool]] = staticmethod(compare)
    concatenate: ClassVar[Callable[[Sequence[Any]], str]] = staticmethod(concatenate)
    slice_value: ClassVar[Callable[[Any, Any, Any, Any], Any]] = staticmethod(slice_value)
    check_size: ClassVar[Callable[[Any], Any]] = staticmethod(check_size)
    cache_key: ClassVar[Callable[[Iterable[str], Mapping[str, Fingerprint], Meter], CacheKey | None]] = staticmethod(
        cache_key
    )
    explain: ClassVar[Callable[[BaseException], ContextError]] = staticmethod(explain)
    render_errors: ClassVar[tuple[type[Exception], ...]] = (*RENDER_ERRORS, ContextError)

    def __init__(self, loader: BaseLoader, tokens: int) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            undefined=PackUndefined,
            optimized=False,
            autoescape=False,
            loader=loader,
            auto_reload=False,
        )
        self._max_tokens = tokens
        self.filters: dict[str, Function] = dict(FILTERS)
        self.tests: dict[str, Function] = dict(TESTS)  # type: ignore[assignment]  # Jinja has no annotation
        self.globals: dict[str, Function] = dict(FUNCTIONS)  # type: ignore[assignment]
        # That of every context: it changes only in blocks that set `autoescape`, which templates cannot use.
        self.eval_context: EvalContext = EvalContext(self, None)
        # The Jinja context of expressions: filters and calls get it, but never look up variables in it.
        self.empty_context: PackContext = PackContext(self, dict(FUNCTIONS), None, {})

    def _tokenize(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> TokenStream:
        raw = locate_tokens(self.lexer.tokeniter(source, name, filename, state), source, self._max_tokens)
        return TokenStream(self.lexer.wrap(raw, name, filename), name, filename)

    def handle_exception(self, source: str | None = None) -> Any:  # noqa: ARG002 -- Jinja's signature
        """Raise the exception unchanged; `failure` finds its location from the positions in the compiled template."""
        raise  # noqa: PLE0704 -- called inside Jinja's own except block

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:  # noqa: ARG002
        """Compute an operator that can produce large values."""
        return OPERATORS[operator](left, right)

    def include(self, context: PackContext, names: str | list[str]) -> Included:
        """Find a partial to include, one level deeper than its includer."""
        partial = self._find(context, names)
        return Included(partial.code, context.include_stack.enter(partial))

    def find_module(self, context: PackContext, names: str | list[str]) -> Included:
        """Find a partial to import from, one level deeper than its importer."""
        return self.include(context, names)._replace(imported=True)

    def find_parent(self, context: PackContext, names: str | list[str]) -> JinjaTemplate:
        """Find a partial to extend."""
        return self._find(context, names).code

    def get_template(
        self,
        name: Any,
        parent: str | None = None,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002 -- Jinja's signature
    ) -> JinjaTemplate:
        """Return the partial that `include` found."""
        if isinstance(name, Included):
            return cast("JinjaTemplate", name)
        return super().get_template(name, parent, globals)

    def get_or_select_template(
        self,
        template_name_or_list: Any,
        parent: str | None = None,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002 -- Jinja's signature
    ) -> JinjaTemplate:
        """Return the partial that `include` found; Jinja calls this for nothing else."""
        return self.get_template(template_name_or_list, parent, globals)

    def _find(self, context: PackContext, names: str | list[str]) -> Partial:
        wanted = [names] if isinstance(names, str) else names
        found = context.include_stack.find(wanted)
        return found or Partial(cast("PackTemplate", self.select_template(wanted)))

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Look up `obj.attribute`: a key of a mapping, or an attribute of a loop, group, module or namespace."""
        kind = type(obj)
        if kind is dict:
            return obj[attribute] if attribute in obj else self.undefined(obj=obj, name=attribute)
        if kind in _LOOPS and attribute in LOOP_ATTRIBUTES:
            return getattr(obj, attribute)
        if kind is _GroupTuple and attribute in GROUP_ATTRIBUTES:
            return getattr(obj, attribute)
        if kind is range and attribute in RANGE_ATTRIBUTES:
            return getattr(obj, attribute)
        if kind is Namespace or kind is TemplateModule:
            exported = _exported(obj)
            return exported[attribute] if attribute in exported else self.undefined(obj=obj, name=attribute)
        if isinstance(obj, Undefined):
            return getattr(obj, attribute)
        return self._deny(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Look up `obj[argument]`: a key, an index or a slice of plain data."""
        kind = type(obj)
        if kind is dict:
            return self._key(obj, argument)
        if kind in (list, tuple, str, range, _GroupTuple) and not isinstance(argument, str):
            return self._index(obj, argument)
        if isinstance(obj, Undefined):
            return obj[argument]
        return self.getattr(obj, argument) if isinstance(argument, str) else self._deny(obj, argument)

    def method(self, obj: Any, name: str) -> Any:
        """Look up a method to call."""
        kind = type(obj)
        if kind is str and name == "format":
            return TextFormat(obj)
        if name in METHODS.get(kind, ()) or (kind in _LOOPS and name in LOOP_METHODS):
            return getattr(obj, name)
        if isinstance(obj, Undefined):
            return getattr(obj, name)
        if kind is TemplateModule and isinstance(obj.__dict__.get(name), Macro):
            return obj.__dict__[name]
        raise SecurityError(f"{describe_kind(obj)} has no method {name!r}")

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805, PYI063 -- as in Jinja
        """Call a macro, a block's parent, or one of the allowed functions and methods."""
        if isinstance(__obj, Undefined) or _is_callable(__obj):
            step(len(args) + len(kwargs))
            if isinstance(__obj, (BuiltinMethodType, MethodType)):
                args = check_method(__obj.__self__, __obj.__name__, args, kwargs)
            return __context.call(__obj, *args, **kwargs)
        raise SecurityError(f"{describe_kind(__obj)} cannot be called")

    def _key(self, obj: dict[Any, Any], key: Any) -> Any:
        try:
            return obj[key]
        except (KeyError, TypeError):
            return self.undefined(obj=obj, name=key)

    def _index(self, obj: Any, argument: Any) -> Any:
        if isinstance(argument, (int, slice)):
            try:
                return obj[argument]
            except (IndexError, TypeError):
                return self.undefined(obj=obj, name=argument)  # type: ignore[arg-type]  # the name is only shown
        return self._deny(obj, argument)

    @staticmethod
    def truth(value: Any) -> bool:
        """Return whether a condition is true; an undefined value raises, even where Python would ignore it."""
        if isinstance(value, Undefined):
            str(value)
        return bool(value)

    def computed_item(self, obj: Any, argument: Any) -> Any:
        """Look up `obj[argument]` for a computed argument, which messages must not quote."""
        if isinstance(argument, str) and argument.startswith("__") and type(obj) is not dict:
            raise SecurityError("templates cannot access a name that starts with '__'")
        found = self.getitem(obj, argument)
        if not isinstance(found, Undefined) or isinstance(obj, Undefined):
            return found
        kind = "key" if type(obj) is dict else "item"
        return self.undefined(f"{describe_kind(obj)} has no such {kind}", obj, None)

    def _deny(self, obj: Any, attribute: Any) -> Any:
        if isinstance(attribute, str) and attribute.startswith("__"):
            raise SecurityError(f"templates cannot access {attribute!r}")
        return self.undefined(obj=obj, name=attribute)


def _is_callable(obj: Any) -> bool:
    if type(obj) in (Macro, BlockReference, TextFormat):
        return True
    if isinstance(obj, (BuiltinMethodType, MethodType)):
        return type(obj.__self__) in (*METHODS, *_LOOPS)
    return any(obj is function for function in FUNCTIONS.values())


def _exported(obj: TemplateModule | Namespace) -> dict[str, Any]:
    if type(obj) is Namespace:
        return object.__getattribute__(obj, "_Namespace__attrs")  # type: ignore[no-any-return]
    return {name: value for name, value in obj.__dict__.items() if not name.startswith("_")}
