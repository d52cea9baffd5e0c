"""Resolve the `$ref`s of a pack: to its own schemas, to files in the folder of the packs, to shipped schemas."""

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any

from promptpack import files, schema
from promptpack.document import Document, parse, read_json
from promptpack.files import Folder
from promptpack.pack.pack_schema import schema_problems
from promptpack.pack.placed import Placed
from promptpack.problem import Location, PackError, Problem, did_you_mean
from promptpack.schema.pointers import find_target, split_pointer

SHIPPED_ADDRESS = "https://promptpack.dev/schemas/1/"
_SHIPPED = "shipped:"
_VALUES = ("const", "default", "enum", "examples")
_LEAVES = frozenset((str, int, float, bool, type(None)))
_MAX_STEPS = 8


class References:
    """Resolves the references of one pack file, and caches the schema files that it reads."""

    def __init__(self, folder: Folder, file: str) -> None:
        self._folder = folder
        self._file = file
        self._cache: dict[str, Placed] = {}
        self._locations: dict[tuple[str, str], str] = {}
        # Each file is checked once, however many schemas refer to it.
        self._checked: set[str] = set()
        self._meter = schema.SchemaMeter()

    def bundle(self, placed: Placed) -> dict[str, Any]:
        """Return a schema with its references bundled; raise all problems of the references.

        Of the schemas of a pack that has too many, one is reported and the rest is left out.
        """
        if self._meter.is_exceeded:
            return {}
        file = self._file_of(placed)
        problems = list(self._check(placed, file, self._checked))
        if problems:
            raise PackError(problems)
        try:
            bundled = schema.bundle(placed.value, file, self._load, self._meter)
        except PackError as error:
            raise PackError(_locate_problem(placed, problem) for problem in error.problems) from error
        unsafe = schema.find_unsafe(bundled, self._meter)
        if unsafe:
            raise PackError(self._unsafe_problem(placed, found) for found in unsafe)
        return bundled

    def read(self, reference: str) -> Placed:
        """Return the schema file that a reference in the pack points to."""
        return self._open(self._locate(self._file, reference))

    @property
    def documents(self) -> Iterator[Document]:
        """The schema files in the folder of the packs that were read."""
        return (placed.document for found, placed in self._cache.items() if not found.startswith(_SHIPPED))

    def reach(self, placed: Placed, seen: set[tuple[str, str]], *, shipped: bool = False) -> Iterator[Placed]:
        """Yield a schema and the schemas it refers to in files of the packs; skip seen and broken references.

        With `shipped`, also those in shipped files.
        """
        own = self._file_of(placed)
        pending = [(own, placed)]
        while pending:
            file, node = pending.pop()
            yield node
            for _, reference in find_references(node.value):
                target, _, fragment = reference.partition("#")
                try:
                    found = self._locate(file, target) if target else file
                    root = self._open(found) if found != own else None
                except PackError:
                    continue
                is_read = shipped or not found.startswith(_SHIPPED)
                if root is not None and is_read and (found, fragment) not in seen:
                    seen.add((found, fragment))
                    pending += ((found, part) for part in _child_at(root, fragment))

    def follow(self, node: Placed, root: Placed) -> tuple[Placed, Placed]:
        """Return the target of the `$ref` of a schema, and the schema at which local references in the target start.

        `root` is the schema at which local references of `node` start. Only for schemas that `bundle` has accepted.
        """
        target, _, fragment = node.value["$ref"].partition("#")
        if target:
            known = (found for found, placed in self._cache.items() if placed.document is node.document)
            root = self._open(self._locate(next(known, None) or self._file_of(node), target))
        found = root
        for step in split_pointer(fragment):
            found = found.child(int(step) if isinstance(found.value, list) else step)
        return found, root

    def _unsafe_problem(self, placed: Placed, found: schema.Mismatch) -> Problem:
        """Return a problem at the unsafe value; a pattern in another file is located there, anything else at `$ref`."""
        path = found.path
        for one in self.reach(placed, set()) if found.keyword in ("pattern", "runaway") else ():
            paths = (where for where, text in schema.iterate_patterns(one.value) if text == found.expected)
            match = next(paths, None)
            if match is not None:
                placed, path = one, match
                break
        # The message about a cycle already quotes the reference.
        where = "" if found.keyword == "cycle" else f" (in {schema.pointer((*placed.path, *path))})"
        return Problem(schema.UNSAFE_CODES[found.keyword], found.message + where, placed.locate(*path), found.hint)

    def _file_of(self, placed: Placed) -> str:
        """Return the file that contains a schema: the pack's own, or that of a parent in the same folder of packs."""
        start = self._folder.show("x").removesuffix("x")
        path = placed.document.path
        return path.removeprefix(start) if path.startswith(start) else self._file

    def _load(self, file: str, reference: str) -> tuple[str, Mapping[str, Any]]:
        found = self._locate(file, reference)
        return found, self._open(found).value

    def _check(self, placed: Placed, file: str, seen: set[str]) -> Iterator[Problem]:
        yield from _check_required(placed)
        for path, reference in find_references(placed.value):
            here = placed.child(*path)
            target, _, fragment = reference.partition("#")
            try:
                found, root = (self._locate(file, target), None) if target else (file, placed)
                root = root or self._open(found)
            except PackError as error:
                yield from (_locate_problem(here, problem) for problem in error.problems)
                continue
            problem = _check_fragment(here, root.value, fragment)
            if problem:
                yield problem
            if target and found not in seen and not found.startswith(_SHIPPED):  # shipped files are valid
                seen.add(found)
                yield from schema_problems(root)
                yield from self._check(root, found, seen)

    def _locate(self, file: str, reference: str) -> str:
        key = file, reference
        if key not in self._locations:
            self._locations[key] = self._resolve(file, reference)
        return self._locations[key]

    def _resolve(self, file: str, reference: str) -> str:
        if reference.startswith(SHIPPED_ADDRESS):
            return _SHIPPED + reference.removeprefix(SHIPPED_ADDRESS)
        if "://" in reference or reference.startswith(("/", "\\")) or "\\" in reference or ":" in reference:
            raise PackError(Problem("PP211", f"reference {reference!r} is not a file of this pack", None, _ALLOWED))
        if file.startswith(_SHIPPED):
            return _SHIPPED + self._folder.resolve(file.removeprefix(_SHIPPED), reference)
        relative = self._folder.resolve(file, reference)
        shipped = self._folder.relative_to(files.shipped("schemas"), relative)
        if shipped is not None:
            return _SHIPPED + shipped
        if relative.startswith(files.SIBLING):
            # In `schemas` next to the packs, as in a checkout; the shipped file takes the place of a missing one.
            name = relative.removeprefix(files.SIBLING)
            is_missing = not self._folder.exists(relative) and files.shipped("schemas").exists(name)
            return _SHIPPED + name if is_missing else relative
        if relative.startswith(".."):
            raise PackError(
                Problem("PP212", f"reference {reference!r} is outside the folder of the packs", None, _ALLOWED)
            )
        return relative

    def _open(self, found: str) -> Placed:
        if found not in self._cache:
            shipped = found.startswith(_SHIPPED)
            folder = files.shipped("schemas") if shipped else self._folder
            relative = found.removeprefix(_SHIPPED)
            if not folder.exists(relative):
                raise PackError(_not_found(folder, relative, self._file))
            read = read_json if shipped else _read_schema
            document = read(folder.read(relative), folder.show(relative))
            self._cache[found] = Placed(document.data, document, ())
        return self._cache[found]


def resolve(root: Mapping[str, Any], schema: Any) -> Mapping[str, Any]:
    """Return a schema with its local reference replaced by the target; the keys next to the reference win."""
    if type(schema) is dict and "$ref" not in schema:
        return schema
    for _ in range(_MAX_STEPS):
        if not isinstance(schema, Mapping) or not str(schema.get("$ref", "")).startswith("#"):
            break
        target = find_target(root, schema["$ref"])
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**target, **beside} if isinstance(target, Mapping) else beside
    return schema if isinstance(schema, Mapping) else {}


_ALLOWED = "refer to a file in the folder of the packs, in 'schemas' next to it, or to a shipped schema"


def find_references(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield each `$ref` of a schema with its path."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            if type(item) not in _LEAVES:
                yield from find_references(item, (*path, index))
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(item, str):
                if key == "$ref":
                    yield (*path, key), item
            elif key not in _VALUES and type(item) not in _LEAVES:
                yield from find_references(item, (*path, key))


def _check_required(placed: Placed) -> Iterator[Problem]:
    """Yield the required keys that a closed object forbids: no value could match such a schema."""
    for path, node in schema.iterate_schemas(placed.value):
        required = node.get("required")
        if required and node.get("additionalProperties") is False and "patternProperties" not in node:
            known = node.get("properties", {})
            for index, name in enumerate(required):
                if name not in known:
                    hint = did_you_mean(name, known) or "add it to 'properties'"
                    message = f"'required' names {name!r}, which is not in 'properties'"
                    yield placed.child(*path, "required", index).problem("PP220", message, hint)


def _check_fragment(here: Placed, root: Any, fragment: str) -> Problem | None:
    if fragment and not fragment.startswith("/"):
        return here.problem("PP211", f"reference {here.value!r} uses an anchor", "write '#/$defs/name'")
    node = root
    for name in split_pointer(fragment):
        if isinstance(node, list) and name.isdigit() and int(name) < len(node):
            node = node[int(name)]
        elif isinstance(node, Mapping) and name in node:
            node = node[name]
        else:
            known = [str(key) for key in node] if isinstance(node, Mapping) else []
            return here.problem("PP213", f"reference {here.value!r} has no target", did_you_mean(name, known))
    return None


def _child_at(root: Placed, fragment: str) -> Iterator[Placed]:
    try:
        yield root.child(*split_pointer(fragment))
    except (KeyError, TypeError):
        return  # reported by `bundle`; references into lists are not followed


def _not_found(folder: Folder, relative: str, file: str) -> Problem:
    """Return the problem of a missing file, with a suggestion from the folders of packs and schemas."""
    suffixes = (".json", ".yaml", ".yml")
    is_sibling = relative.startswith(files.SIBLING)
    name = relative.removeprefix(files.SIBLING)
    siblings = list(folder.find(*suffixes, below=files.SIBLING.rstrip("/")))
    same = (one for one in (*siblings, *folder.find(*suffixes)) if posixpath.basename(one) == posixpath.basename(name))
    moved = next(same, None)
    hint = f"did you mean {files.relative_to_file(moved, file)!r}?" if moved else ""
    hint = hint or (did_you_mean(name, [one.removeprefix(files.SIBLING) for one in siblings]) if is_sibling else "")
    hint = hint or did_you_mean(name, (files.shipped("schemas") if is_sibling else folder).find(*suffixes))
    return Problem(
        "PP213",
        f"no schema file {(relative if moved else name)!r}",
        None,
        hint or "paths are relative to the file with '$ref'",
    )


def _read_schema(source: bytes, path: str) -> Document:
    """Parse a schema file; a JSON file must be valid JSON, since other tools read it too."""
    wrong = _json_error(source, path) if path.endswith(".json") else None
    if wrong is not None:
        raise wrong
    return parse(source, path)


def _json_error(source: bytes, path: str) -> PackError | None:
    import json

    try:
        json.loads(source.removeprefix(b"\xef\xbb\xbf"))
    except json.JSONDecodeError as error:
        before = error.doc[: error.pos].rstrip()
        message, at = f"{error.msg[:1].lower()}{error.msg[1:]}", error.pos
        if error.msg == "Expecting ',' delimiter":
            message, at = "a comma is missing", len(before)
        elif before.endswith(","):
            message, at = "a comma follows the last item", len(before) - 1
        line, column = error.doc.count("\n", 0, at) + 1, at - error.doc.rfind("\n", 0, at)
        return PackError(Problem("PP110", f"cannot be read as JSON: {message}", Location(path, line, column)))
    except (UnicodeDecodeError, RecursionError, ValueError):
        pass  # reported by `parse`
    return None


def _locate_problem(here: Placed, problem: Problem) -> Problem:
    if problem.location is not None:
        return problem
    return here.problem(problem.code, problem.message, problem.hint)
