"""Jinja's environment, narrowed: plain data only, nothing reachable but by the allow-lists of `language`."""

from collections.abc import MutableMapping
from types import BuiltinMethodType, MethodType
from typing import Any, cast

from jinja2 import BaseLoader
from jinja2 import Template as JinjaTemplate
from jinja2.environment import TemplateModule
from jinja2.exceptions import SecurityError
from jinja2.filters import _GroupTuple
from jinja2.lexer import TokenStream
from jinja2.runtime import BlockReference, Context, LoopContext, Macro, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from promptpack.problem import ContextError
from promptpack.template.codegen import PackGenerator
from promptpack.template.failure import RENDER_ERRORS, explain
from promptpack.template.filters import as_json
from promptpack.template.guards import check_method
from promptpack.template.language import (
    FILTERS,
    FUNCTIONS,
    GROUP_ATTRIBUTES,
    LOOP_ATTRIBUTES,
    LOOP_METHODS,
    METHODS,
    TESTS,
)
from promptpack.template.loops import Loop, walk
from promptpack.template.meter import meter, step
from promptpack.template.operators import OPERATORS, compare, concatenate, cut, made
from promptpack.template.partials import Included, PackContext, PackTemplate, Partial
from promptpack.template.positions import count_tokens, locate_tokens
from promptpack.template.render_cache import cache_key
from promptpack.template.text_filters import join
from promptpack.template.undefined import PackUndefined, kind_name
from promptpack.template.values import to_text

_LOOPS = (Loop, LoopContext)


class PackEnvironment(ImmutableSandboxedEnvironment):
    """Strict, without extensions, on plain data."""

    code_generator_class = PackGenerator
    context_class = PackContext
    intercepted_binops = frozenset(OPERATORS)
    # What the generated code calls; see `generator`.
    meter = staticmethod(meter)
    printed = staticmethod(to_text)
    walk = staticmethod(walk)
    loop = Loop
    as_json = staticmethod(as_json)
    join = staticmethod(join)
    compare = staticmethod(compare)
    concatenate = staticmethod(concatenate)
    cut = staticmethod(cut)
    made = staticmethod(made)
    cache_key = staticmethod(cache_key)
    explain = staticmethod(explain)
    render_errors = (*RENDER_ERRORS, ContextError)

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
        self._most_tokens = tokens
        self.filters = dict(FILTERS)
        self.tests = dict(TESTS)
        self.globals = dict(FUNCTIONS)
        # What filters and calls are given for a context where there is none: they look up no variables.
        self.no_scope = PackContext(self, dict(FUNCTIONS), None, {})

    def _tokenize(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> TokenStream:
        tokens = count_tokens(self.lexer.tokeniter(source, name, filename, state), self._most_tokens)
        raw = locate_tokens(tokens, source)
        return TokenStream(self.lexer.wrap(raw, name, filename), name, filename)

    def handle_exception(self, source: str | None = None) -> Any:  # noqa: ARG002 -- Jinja's signature
        """Let the exception through as it is; `failure` finds its place by the positions in the compiled template."""
        raise  # noqa: PLE0704 -- called inside Jinja's own except block

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:  # noqa: ARG002
        """Work out an operator that can make large values."""
        return OPERATORS[operator](left, right)

    def include(self, context: PackContext, names: str | list[str]) -> Included:
        """Find a partial to include, one step deeper than the template that does so."""
        partial = self._find(context, names)
        return Included(partial.code, context.trail.enter(partial))

    def find_module(self, context: PackContext, names: str | list[str]) -> Included:
        """Find a partial to import from, one step deeper than the template that does so."""
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
        """Take what `include` found as it is."""
        if isinstance(name, Included):
            return cast("JinjaTemplate", name)
        return super().get_template(name, parent, globals)

    def get_or_select_template(
        self,
        template_name_or_list: Any,
        parent: str | None = None,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002 -- Jinja's signature
    ) -> JinjaTemplate:
        """Take what `include` found as it is; nothing else comes here."""
        return self.get_template(template_name_or_list, parent, globals)

    def _find(self, context: PackContext, names: str | list[str]) -> Partial:
        wanted = [names] if isinstance(names, str) else names
        found = context.trail.find(wanted)
        return found or Partial(cast("PackTemplate", self.select_template(wanted)))

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Look up `obj.attribute`: a key of a mapping, or what a loop or namespace offers."""
        kind = type(obj)
        if kind is dict:
            return obj[attribute] if attribute in obj else self.undefined(obj=obj, name=attribute)
        if kind in _LOOPS and attribute in LOOP_ATTRIBUTES:
            return getattr(obj, attribute)
        if kind is _GroupTuple and attribute in GROUP_ATTRIBUTES:
            return getattr(obj, attribute)
        if kind is Namespace or kind is TemplateModule:
            exported = _exported(obj)
            return exported[attribute] if attribute in exported else self.undefined(obj=obj, name=attribute)
        if isinstance(obj, Undefined):
            return getattr(obj, attribute)
        return self._denied(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Look up `obj[argument]`: a key, an index or a slice of plain data."""
        kind = type(obj)
        if kind is dict:
            return self._key(obj, argument)
        if kind in (list, tuple, str, _GroupTuple):
            return self._index(obj, argument)
        if isinstance(obj, Undefined):
            return obj[argument]
        return self.getattr(obj, argument) if isinstance(argument, str) else self._denied(obj, argument)

    def method(self, obj: Any, name: str) -> Any:
        """Look up a method that is about to be called."""
        kind = type(obj)
        if name in METHODS.get(kind, ()) or (kind in _LOOPS and name in LOOP_METHODS):
            return getattr(obj, name)
        if isinstance(obj, Undefined):
            return getattr(obj, name)
        if kind is TemplateModule and isinstance(obj.__dict__.get(name), Macro):
            return obj.__dict__[name]
        raise SecurityError(f"{kind_name(obj)} has no method {name!r}")

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805, PYI063 -- as in Jinja
        """Call a macro, a block's parent, or one of the allowed functions and methods."""
        if isinstance(__obj, Undefined) or _may_be_called(__obj):
            step(len(args) + len(kwargs))
            if isinstance(__obj, (BuiltinMethodType, MethodType)):
                args = check_method(__obj.__self__, __obj.__name__, args)
            return __context.call(__obj, *args, **kwargs)
        raise SecurityError(f"{kind_name(__obj)} cannot be called")

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
        return self._denied(obj, argument)

    @staticmethod
    def truth(value: Any) -> bool:
        """Return whether a condition holds; an undefined value is an error, even where Python would not notice."""
        if isinstance(value, Undefined):
            str(value)
        return bool(value)

    def computed_item(self, obj: Any, argument: Any) -> Any:
        """Look up `obj[argument]` where the argument is a value, which no problem may quote."""
        if isinstance(argument, str) and argument.startswith("__") and type(obj) is not dict:
            raise SecurityError("a name that starts with '__' is not reachable from a template")
        found = self.getitem(obj, argument)
        if not isinstance(found, Undefined) or isinstance(obj, Undefined):
            return found
        kind = "key" if type(obj) is dict else "item"
        return self.undefined(f"{kind_name(obj)} has no such {kind}", obj, None)

    def _denied(self, obj: Any, attribute: Any) -> Any:
        if isinstance(attribute, str) and attribute.startswith("__"):
            raise SecurityError(f"{attribute!r} is not reachable from a template")
        return self.undefined(obj=obj, name=attribute)


def _may_be_called(obj: Any) -> bool:
    if type(obj) in (Macro, BlockReference):
        return True
    if isinstance(obj, (BuiltinMethodType, MethodType)):
        return type(obj.__self__) in (*METHODS, *_LOOPS)
    return any(obj is function for function in FUNCTIONS.values())


def _exported(obj: TemplateModule | Namespace) -> dict[str, Any]:
    if type(obj) is Namespace:
        return object.__getattribute__(obj, "_Namespace__attrs")  # type: ignore[no-any-return]
    return {name: value for name, value in obj.__dict__.items() if not name.startswith("_")}
