"""The results of the tools, as typed data: pydantic derives their output schemas."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from promptpack.mcp.prompts import title_of
from promptpack.mcp.served_packs import ServedPacks
from promptpack.pack.model import Input, Pack
from promptpack.problem import Problem, Severity

_SECRET_KEYS = ("default", "examples")


@dataclass(frozen=True, slots=True)
class InputFacts:
    """An input of a pack; the schema of a secret one has no default and no examples."""

    name: str
    description: str
    required: bool
    secret: bool
    schema: Mapping[str, Any]

    @classmethod
    def of(cls, declared: Input) -> "InputFacts":
        """Describe an input."""
        hidden = ("description", *(_SECRET_KEYS if declared.secret else ()))
        schema = {key: value for key, value in declared.schema.items() if key not in hidden}
        return cls(declared.name, declared.description, declared.required, declared.secret, schema)


@dataclass(frozen=True, slots=True)
class PackFacts:
    """A pack: one version in one locale, and which others there are."""

    name: str
    title: str
    description: str
    version: str
    digest: str
    locale: str
    versions: list[str]
    locales: list[str]
    inputs: list[InputFacts]
    actions: list[str]

    @classmethod
    def of(cls, packs: ServedPacks, pack: Pack) -> "PackFacts":
        """Describe a pack."""
        return cls(
            pack.name, title_of(pack), pack.description, str(pack.version), pack.digest, pack.locale,
            packs.versions(pack.name), packs.locales(pack), list(map(InputFacts.of, pack.inputs.values())),
            list(pack.contract.actions) if pack.contract else [],
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class PackList:
    """The packs, and the problems of broken files."""

    packs: list[PackFacts]
    broken: Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """The messages of a prompt, and what they were rendered from."""

    pack: str
    version: str
    digest: str
    locale: str
    messages: list[dict[str, Any]]
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class FoundProblem:
    """A problem in a pack file; line 0 means the whole file."""

    code: str
    severity: Severity
    message: str
    hint: str
    path: str
    line: int
    column: int

    @classmethod
    def of(cls, found: Problem) -> "FoundProblem":
        """Describe a problem."""
        place = found.location
        where = (place.path, place.line, place.column) if place else ("", 0, 0)
        return cls(found.code, found.severity, found.message, found.hint, *where)


@dataclass(frozen=True, slots=True)
class LintedPacks:
    """The linted files and their problems; `ok` if there are only notes."""

    ok: bool
    files: list[str]
    problems: list[FoundProblem]
