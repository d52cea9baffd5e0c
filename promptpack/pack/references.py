"""The `$ref`s of a pack's schemas: local ones, files below the pack's root, and the shipped schemas; nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from promptpack import files, schema
from promptpack.document import parse, read_json
from promptpack.pack.checking import schema_problems
from promptpack.pack.placed import Placed
from promptpack.problem import PackError, Problem, did_you_mean

if TYPE_CHECKING:
    from promptpack.document import Document
    from promptpack.files import Folder


SHIPPED_ADDRESS = "https://promptpack.dev/schemas/1/"
_SHIPPED = "shipped:"
_BESIDE = "../schemas/"
_VALUES = ("const", "default", "enum", "examples")


class References:
    """Resolves the references of one pack file, and remembers the schema files it has read."""

    def __init__(self, folder: Folder, file: str) -> None:
        self._folder = folder
        self._file = file
        self._read: dict[str, Placed] = {}

    def bundle(self, placed: Placed) -> dict[str, Any]:
        """Make a schema self-contained; raises every problem of its references."""
        problems = list(self._check(placed, self._file, set()))
        if problems:
            raise PackError(problems)
        return schema.bundle(placed.value, self._file, self._load)

    def read(self, reference: str) -> Placed:
        """Read the schema file that a reference in the pack means."""
        return self._open(self._locate(self._file, reference))

    @property
    def documents(self) -> Iterator[Document]:
        """The schema files below the pack's root that were read."""
        return (placed.document for found, placed in self._read.items() if not found.startswith(_SHIPPED))

    def reach(self, placed: Placed) -> Iterator[Placed]:
        """Give a schema and what it leads to in files below the pack's root, each once; what is broken is left out."""
        waiting = [(self._file, placed)]
        seen: set[tuple[str, str]] = set()
        while waiting:
            file, node = waiting.pop()
            yield node
            for _, reference in find_references(node.value):
                target, _, fragment = reference.partition("#")
                try:
                    found = self._locate(file, target) if target else file
                    root = self._open(found) if found != self._file else None
                except PackError:
                    continue
                if root is not None and not found.startswith(_SHIPPED) and (found, fragment) not in seen:
                    seen.add((found, fragment))
                    waiting += ((found, part) for part in _part(root, fragment))

    def _load(self, file: str, reference: str) -> tuple[str, Mapping[str, Any]]:
        found = self._locate(file, reference)
        return found, self._open(found).value

    def _check(self, placed: Placed, file: str, seen: set[str]) -> Iterator[Problem]:
        for path, reference in find_references(placed.value):
            here = placed.child(*path)
            target, _, fragment = reference.partition("#")
            try:
                found, root = (self._locate(file, target), None) if target else (file, placed)
                root = root or self._open(found)
            except PackError as error:
                yield from (_at(here, problem) for problem in error.problems)
                continue
            problem = _check_fragment(here, root.value, fragment)
            if problem:
                yield problem
            if target and found not in seen:
                seen.add(found)
                yield from schema_problems(root)
                yield from self._check(root, found, seen)

    def _locate(self, file: str, reference: str) -> str:
        if reference.startswith(SHIPPED_ADDRESS):
            return _SHIPPED + reference.removeprefix(SHIPPED_ADDRESS)
        if "://" in reference or reference.startswith(("/", "\\")) or "\\" in reference or ":" in reference:
            raise PackError(Problem("PP211", f"reference {reference!r} is not a file of this pack", None, _ALLOWED))
        if file.startswith(_SHIPPED):
            return _SHIPPED + self._folder.resolve(file.removeprefix(_SHIPPED), reference)
        relative = self._folder.resolve(file, reference)
        if not relative.startswith(".."):
            return relative
        shipped = self._folder.relative_to(files.shipped("schemas"), relative) or self._beside(relative)
        if shipped is None:
            raise PackError(Problem("PP212", f"reference {reference!r} leads out of the pack's root", None, _ALLOWED))
        return _SHIPPED + shipped

    def _beside(self, relative: str) -> str | None:
        """Take `schemas` beside the packs, as in a checkout, for the shipped ones, unless it holds another file."""
        name = relative.removeprefix(_BESIDE)
        if name == relative or name.startswith(".."):
            return None
        return name if self._folder.is_same_or_absent(relative, files.shipped("schemas"), name) else None

    def _open(self, found: str) -> Placed:
        if found not in self._read:
            shipped = found.startswith(_SHIPPED)
            folder = files.shipped("schemas") if shipped else self._folder
            relative = found.removeprefix(_SHIPPED)
            if not folder.exists(relative):
                raise PackError(_not_found(folder, relative))
            read = read_json if shipped else parse
            document = read(folder.read(relative), folder.show(relative))
            self._read[found] = Placed(document.data, document, ())
        return self._read[found]


_ALLOWED = "refer to a file below the pack's folder, or to a shipped schema"


def find_references(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Find every `$ref` of a schema with its path."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from find_references(item, (*path, index))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key == "$ref" and isinstance(item, str):
                yield (*path, key), item
            elif key not in _VALUES:
                yield from find_references(item, (*path, key))


def _check_fragment(here: Placed, root: Any, fragment: str) -> Problem | None:
    if fragment and not fragment.startswith("/"):
        return here.problem("PP211", f"reference {here.value!r} uses an anchor", "write it as #/$defs/name")
    node = root
    seen = {fragment}
    for step in fragment.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(node, list) and name.isdigit() and int(name) < len(node):
            node = node[int(name)]
        elif isinstance(node, Mapping) and name in node:
            node = node[name]
        else:
            known = [str(key) for key in node] if isinstance(node, Mapping) else []
            return here.problem("PP213", f"reference {here.value!r} leads nowhere", did_you_mean(name, known))
    while isinstance(node, Mapping) and isinstance(node.get("$ref"), str) and node["$ref"].startswith("#"):
        onward = node["$ref"][1:]
        if onward in seen:
            return here.problem("PP214", f"reference {here.value!r} leads back to itself")
        seen.add(onward)
        node = _follow(root, onward)
    return None


def _part(root: Placed, fragment: str) -> Iterator[Placed]:
    try:
        yield root.child(*(step.replace("~1", "/").replace("~0", "~") for step in fragment.split("/")[1:]))
    except (KeyError, TypeError):
        return  # leads nowhere, or into a list, which no reference of ours names


def _follow(root: Any, fragment: str) -> Any:
    for step in fragment.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        root = root.get(name) if isinstance(root, Mapping) else None
    return root


def _not_found(folder: Folder, relative: str) -> Problem:
    hint = did_you_mean(relative, folder.find(".json", ".yaml", ".yml"))
    return Problem("PP213", f"no schema file {relative!r}", None, hint)


def _at(here: Placed, problem: Problem) -> Problem:
    if problem.location is not None:
        return problem
    return here.problem(problem.code, problem.message, problem.hint)
