"""How a running template finds what it includes: the partials of whoever included it, and no deeper than the limit."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from jinja2 import Template as JinjaTemplate
from jinja2.environment import TemplateModule
from jinja2.exceptions import TemplateRuntimeError
from jinja2.runtime import Context

from promptpack.template.meter import keep_aside
from promptpack.template.model import Fingerprint, Scope, Source
from promptpack.template.render_cache import PackCache

DEEPEST: Final = 16
Finder = Callable[[str], "Partial | None"]


class PackTemplate(JinjaTemplate):
    """A compiled template that knows its source, so that a failure inside of it can be placed."""

    source: Source

    def start(self, values: Mapping[str, Any], trail: "Trail") -> Context:
        """Make the scope that a render begins with."""
        known = {**self.globals, **values}
        context = PackContext(self.environment, known, self.name, self.blocks, self.globals)
        context.trail = trail
        if type(values) is Scope:
            context.fingerprints, context.cache = values.fingerprints, values.cache
        return context

    def scope(
        self, values: dict[str, Any], trail: "Trail", shared: bool = False, local: Mapping[str, Any] | None = None
    ) -> Context:
        """Make a scope that remembers its trail."""
        context: Any = self.new_context(values, shared, local)
        context.trail = trail
        return context  # type: ignore[no-any-return]


class Partial(NamedTuple):
    """A template that others include, the partials it owns, and where to look for those that nobody owns."""

    code: PackTemplate
    own: Finder | None = None
    shared: Finder | None = None


class Trail(NamedTuple):
    """The way of a render to where it is: whose partials count, the innermost first, and how many includes deep."""

    own: tuple[Finder, ...] = ()
    shared: Finder | None = None
    depth: int = 0

    @classmethod
    def start(cls, partial: Partial) -> "Trail":
        """Begin with a template that is rendered itself."""
        return cls((partial.own,) if partial.own else (), partial.shared)

    def enter(self, partial: Partial) -> "Trail":
        """Go one include deeper."""
        if self.depth == DEEPEST:
            raise IncludeDepthError(f"includes nest deeper than {DEEPEST}\nlook for a partial that includes itself")
        own = (partial.own, *self.own) if partial.own else self.own
        return Trail(own, partial.shared or self.shared, self.depth + 1)

    def find(self, names: Iterable[str]) -> Partial | None:
        """Find the first of the named partials that anyone on the way has."""
        finders = (*self.own, self.shared) if self.shared else self.own
        found = (find(name) for name in names for find in finders)
        return next((partial for partial in found if partial is not None), None)


class IncludeDepthError(TemplateRuntimeError):
    """Includes nest deeper than the limit."""


class PackContext(Context):
    """A scope that knows its trail and, where a render began, the fingerprints of its values and the pack's cache."""

    trail: Trail = Trail()
    fingerprints: Mapping[str, Fingerprint] | None = None
    cache: PackCache | None = None

    def derived(self, locals: dict[str, Any] | None = None) -> "PackContext":  # noqa: A002 -- Jinja's own name
        """Make the scope of a block."""
        context: Any = super().derived(locals)
        context.trail = self.trail
        return context  # type: ignore[no-any-return]


class Included(NamedTuple):
    """What Jinja's code takes for the template that it includes or imports; its scope goes one step deeper."""

    code: PackTemplate
    trail: Trail
    imported: bool = False

    @property
    def root_render_func(self) -> Callable[[Context], Iterable[str]]:
        """The code itself, by the name that Jinja looks for."""
        return self.code.root_render_func

    def new_context(self, values: dict[str, Any], shared: bool, local: Mapping[str, Any]) -> Context:
        """Make the scope of the included template."""
        return self.code.scope(values, self.trail, shared, local)

    def make_module(self, values: dict[str, Any], shared: bool, local: Mapping[str, Any]) -> TemplateModule:
        """Make what `{% import %} with context` gives."""
        return self._module(self.new_context(values, shared, local))

    def _get_default_module(self, _: Context | None = None) -> TemplateModule:
        # Jinja would keep one for all renders, but which partials there are may change between them.
        return self._module(self.code.scope({}, self.trail))

    def _module(self, scope: Context) -> TemplateModule:
        pieces = self.code.root_render_func(scope)
        return TemplateModule(self.code, scope, keep_aside(pieces) if self.imported else pieces)
