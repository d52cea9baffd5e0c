"""`PromptTemplateRegistry`: templates by name, which may include each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from promptpack import files
from promptpack.problem import Location, PackError, Problem, did_you_mean
from promptpack.prompt.prompt_template import PromptTemplate
from promptpack.template.errors import PartialNotFoundError

if TYPE_CHECKING:
    from promptpack.prompt.template_context import TemplateContext
    from promptpack.template.model import Syntax
    from promptpack.template.partials import Partial


class PromptTemplateRegistry:
    """Templates by name; to register a name again replaces it, for those who include it too."""

    def __init__(self, syntax: Syntax = "jinja") -> None:
        self._syntax = syntax
        self._templates: dict[str, PromptTemplate] = {}
        self._uncompiled: dict[str, tuple[str, Syntax]] = {}

    def register(self, name: str, text: str, syntax: Syntax | None = None) -> None:
        """Compile a template and keep it; one that cannot be compiled changes nothing."""
        self._store(name, self._compile(name, text, syntax or self._syntax))

    def register_lazy(self, name: str, text: str, syntax: Syntax | None = None) -> None:
        """Keep a text that is compiled when it is first used."""
        self._templates.pop(name, None)
        self._uncompiled[name] = (text, syntax or self._syntax)

    def register_file(self, name: str, path: str, syntax: Syntax | None = None) -> None:
        """Compile the template in a file, byte for byte, and keep it."""
        self._store(name, self._compile(str(path), _read(path), syntax or self._syntax))

    def get(self, name: str) -> PromptTemplate:
        """Give the template of a name, compiled."""
        waiting = self._uncompiled.get(name)
        if waiting is not None:
            self._store(name, self._compile(name, *waiting))
        if name not in self._templates:
            hint = did_you_mean(name, (*self._templates, *self._uncompiled)) or "register it first"
            raise PartialNotFoundError(Problem("PP442", f"no template named {name!r}", None, hint), name)
        return self._templates[name]

    def render(self, name: str, context: TemplateContext | Mapping[str, Any] | None = None) -> str:
        """Render the template of a name."""
        return self.get(name).render(context)

    def find_partial(self, name: str) -> Partial | None:
        """Give a template as others include it, or None when there is none of that name."""
        return self.get(name).as_partial() if name in self else None

    def __contains__(self, name: str) -> bool:
        return name in self._templates or name in self._uncompiled

    def _compile(self, name: str, text: str, syntax: Syntax) -> PromptTemplate:
        return PromptTemplate.compile(text, syntax, name=name, registry=self)

    def _store(self, name: str, template: PromptTemplate) -> None:
        self._templates[name] = template
        self._uncompiled.pop(name, None)


def _read(path: str) -> str:
    try:
        return files.read(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise PackError(Problem("PP101", "file is not UTF-8", Location(str(path)), "save it as UTF-8")) from error
