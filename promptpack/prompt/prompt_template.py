"""`PromptTemplate`: a template in either syntax, compiled and rendered in Python without a pack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import promptpack
from promptpack.prompt.template_context import TemplateContext
from promptpack.template.compiling import compile as compile_template
from promptpack.template.engine import dynamic_engine
from promptpack.template.model import Source, Syntax, Template
from promptpack.template.runtime import IncludeStack, Partial


class PromptTemplate:
    """Comes from `PromptTemplate.compile`; its partials are looked up while it renders.

    The lookup order is: the template's own partials, those of the templates that include it, then the registry.
    """

    def __init__(self, template: Template, registry: promptpack.PromptTemplateRegistry | None = None) -> None:
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
        registry: promptpack.PromptTemplateRegistry | None = None,
    ) -> PromptTemplate:
        """Compile a `text`; problems refer to it as `name`.

        `syntax` is `jinja` or `handlebars`, and `registry` has the templates that it may include.
        """
        return cls(compile_template(Source.of_text(text, name, syntax), dynamic_engine()), registry)

    @property
    def syntax(self) -> Syntax:
        """The syntax of the template."""
        return self._template.source.syntax

    @property
    def names(self) -> frozenset[str]:
        """The variables that the template uses, without those of its partials."""
        return self._template.names

    def register_partial(self, name: str, template: PromptTemplate) -> PromptTemplate:
        """Add a `template` that this one may include as `name`; return this template."""
        self._partials[name] = template
        return self

    def render(self, context: TemplateContext | Mapping[str, Any] | None = None) -> str:
        """Render with the values of a `context`."""
        values = context if isinstance(context, TemplateContext) else TemplateContext.from_map(context or {})
        return self._template.render(values.to_inputs(), IncludeStack.start(self._as_partial()))

    def _as_partial(self) -> Partial:
        """Return the form of the template that others include."""
        return Partial(self._template.code, self._find_own, self._registry._find_partial if self._registry else None)

    def __repr__(self) -> str:
        return f"PromptTemplate({', '.join(sorted(self._template.names))})"

    def __str__(self) -> str:
        return str(self._template)

    def _find_own(self, name: str) -> Partial | None:
        found = self._partials.get(name)
        return found._as_partial() if found else None
