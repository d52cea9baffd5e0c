"""`PromptTemplateRegistry`: named templates that can include each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from promptpack import files
from promptpack.problem import Problem, did_you_mean
from promptpack.prompt.prompt_template import PromptTemplate
from promptpack.prompt.template_context import TemplateContext
from promptpack.template.failure import PartialNotFoundError
from promptpack.template.model import Syntax
from promptpack.template.runtime import Partial


class PromptTemplateRegistry:
    """Templates by name; registering a name again also replaces it for the templates that include it.

    `syntax` is that of templates that are registered without one: `jinja` or `handlebars`.
    """

    def __init__(self, syntax: Syntax = "jinja") -> None:
        self._syntax = syntax
        self._templates: dict[str, PromptTemplate] = {}
        self._uncompiled: dict[str, tuple[str, Syntax]] = {}

    def __repr__(self) -> str:
        return f"PromptTemplateRegistry({', '.join((*self._templates, *self._uncompiled))})"

    def register(self, name: str, text: str, syntax: Syntax | None = None) -> None:
        """Compile a `text` and store it as `name`; if it does not compile, nothing changes.

        `syntax` is `jinja` or `handlebars`, by default that of the registry.
        """
        self._store(name, self._compile(name, text, syntax or self._syntax))

    def register_lazy(self, name: str, text: str, syntax: Syntax | None = None) -> None:
        """Store a `text` as `name`, to be compiled on first use; `syntax` is that of `register`."""
        self._templates.pop(name, None)
        self._uncompiled[name] = (text, syntax or self._syntax)

    def register_file(self, name: str, path: str, syntax: Syntax | None = None) -> None:
        """Compile and store the file at `path` as `name`, byte for byte; `syntax` is that of `register`."""
        self._store(name, self._compile(str(path), files.read_text(path), syntax or self._syntax))

    def get(self, name: str) -> PromptTemplate:
        """Return the compiled template `name`."""
        uncompiled = self._uncompiled.get(name)
        if uncompiled is not None:
            self._store(name, self._compile(name, *uncompiled))
        if name not in self._templates:
            hint = did_you_mean(name, (*self._templates, *self._uncompiled)) or "register it first"
            raise PartialNotFoundError(Problem("PP442", f"no template named {name!r}", None, hint), name)
        return self._templates[name]

    def render(self, name: str, context: TemplateContext | Mapping[str, Any] | None = None) -> str:
        """Render the template `name` with the values of a `context`."""
        return self.get(name).render(context)

    def _find_partial(self, name: str) -> Partial | None:
        """Return the form of a template that others include, or None if the name is unknown."""
        return self.get(name)._as_partial() if name in self else None

    def __contains__(self, name: str) -> bool:
        return name in self._templates or name in self._uncompiled

    def _compile(self, name: str, text: str, syntax: Syntax) -> PromptTemplate:
        return PromptTemplate.compile(text, syntax, name=name, registry=self)

    def _store(self, name: str, template: PromptTemplate) -> None:
        self._templates[name] = template
        self._uncompiled.pop(name, None)
