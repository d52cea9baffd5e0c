"""`PromptTemplate`: one template in either syntax, compiled and rendered by the programmer, outside of any pack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from promptpack.prompt.template_context import TemplateContext
from promptpack.template import Source
from promptpack.template import compile as compile_template
from promptpack.template.engine import dynamic_engine
from promptpack.template.partials import Partial, Trail

if TYPE_CHECKING:
    from promptpack.prompt.registry import PromptTemplateRegistry
    from promptpack.template import Template
    from promptpack.template.model import Syntax


class PromptTemplate:
    """A compiled template; what it includes is looked for when a render gets there.

    An included template looks among its own partials first, then among those of whoever includes it, then in the
    registry.
    """

    def __init__(self, template: Template, registry: PromptTemplateRegistry | None = None) -> None:
        self._template = template
        self._registry = registry
        self._partials: dict[str, PromptTemplate] = {}

    @classmethod
    def compile(
        cls,
        text: str,
        syntax: Syntax = "jinja",
        *,
        name: str = "<template>",
        registry: PromptTemplateRegistry | None = None,
    ) -> PromptTemplate:
        """Compile a text; `name` is what problems call it."""
        return cls(compile_template(Source.of_text(text, name, syntax), dynamic_engine()), registry)

    @property
    def syntax(self) -> Syntax:
        """The syntax it is written in."""
        return self._template.source.syntax

    @property
    def names(self) -> frozenset[str]:
        """The variables it uses, without those of its partials."""
        return self._template.names

    def register_partial(self, name: str, template: PromptTemplate) -> PromptTemplate:
        """Give the template a partial of its own; gives the template back."""
        self._partials[name] = template
        return self

    def render(self, context: TemplateContext | Mapping[str, Any] | None = None) -> str:
        """Render with the values of a context."""
        given = context if isinstance(context, TemplateContext) else TemplateContext.from_map(context or {})
        return self._template.render(given.to_inputs(), Trail.start(self.as_partial()))

    def as_partial(self) -> Partial:
        """Give the template as others include it."""
        return Partial(self._template.code, self._find_own, self._registry.find_partial if self._registry else None)

    def __str__(self) -> str:
        return str(self._template)

    def _find_own(self, name: str) -> Partial | None:
        found = self._partials.get(name)
        return found.as_partial() if found else None
