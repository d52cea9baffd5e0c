"""The results of the tools, as typed data: pydantic derives their output schemas."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from promptpack.problem import Severity


@dataclass(frozen=True, slots=True)
class PackFacts:
    """A pack in one version and locale, and which others there are; `context` is the JSON Schema of its inputs."""

    name: str
    title: str
    description: str
    version: str
    digest: str
    locale: str
    versions: list[str]
    locales: list[str]
    context: Mapping[str, Any]
    actions: list[str]


@dataclass(frozen=True, slots=True)
class PackList:
    """The packs, and the problems of broken files by path."""

    packs: list[PackFacts]
    broken: Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """The messages of a prompt, and the pack that they were rendered from."""

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


@dataclass(frozen=True, slots=True)
class LintedPacks:
    """The linted files and their problems; `ok` if there are only notes."""

    ok: bool
    files: list[str]
    problems: list[FoundProblem]
