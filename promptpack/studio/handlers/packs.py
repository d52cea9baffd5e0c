"""The list of packs: versions, locales, labels, results of lint and tests; search, and where a pack is used."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from promptpack import __version__
from promptpack.flow import read_flow
from promptpack.flow.model import FlowFile
from promptpack.library import Library
from promptpack.library.choosing import parse_reference
from promptpack.library.entry import Entry
from promptpack.problem import Problem, PromptpackError, UsageError
from promptpack.studio.request import PageRequest
from promptpack.studio.studio import Studio

_MAX_WORDS: Final = 20
_MAX_FOUND: Final = 200
_EXCERPT: Final = 90


def list_packs(studio: Studio, _: PageRequest) -> dict[str, Any]:
    """Return every pack with its versions, and the other files of the folder."""
    library = studio.project.library
    drafted = studio.drafts.find(entry.file for entry in library.entries)
    packs: dict[str, list[Entry]] = {}
    for entry in library.entries:
        packs.setdefault(entry.name, []).append(entry)
    return {
        "root": studio.project.folder.root,
        "packs": [
            {"name": name, "files": [_write_entry(one, drafted) for one in entries], "labels": _labels(library, name)}
            for name, entries in packs.items()
        ],
        "files": list(_other_files(studio, library)),
        "status": studio.status,
        "model": studio.model,
        "keeps_drafts": studio.drafts.is_kept,
        "version": __version__,
    }


def search(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Return the files whose name or text contains some words, those with the words in their name first."""
    words = request.text("words").casefold().split()
    if len(words) > _MAX_WORDS:
        raise UsageError(Problem("PP994", f"a search has at most {_MAX_WORDS} words", None, "search for fewer words"))
    found = [hit for entry in studio.project.library.entries if (hit := _find(studio, entry, words))] if words else []
    found.sort(key=lambda hit: not hit["in_name"])
    return {"found": found[:_MAX_FOUND], "more": max(len(found) - _MAX_FOUND, 0)}


def find_uses(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Return where a pack is used: the packs that extend it, and its steps in the flow with their neighbours."""
    name, library = request.text("name"), studio.project.library
    documents = ((entry, entry.document.data) for entry in library.entries if entry.document is not None)
    children = [(entry, data.get("extends")) for entry, data in documents]
    return {
        "extended_by": [_write_use(entry) for entry, extends in children if _names(extends, name)],
        "extends": sorted({str(extends) for entry, extends in children if entry.name == name and extends}),
        **_uses_in_flow(_find_flow(studio), name),
    }


def _write_entry(entry: Entry, drafted: Collection[str]) -> dict[str, Any]:
    version = entry.version
    return {
        "path": entry.file,
        "version": str(version) if version else "",
        "is_draft": bool(version and version.is_draft),
        "locale": entry.locale,
        "is_default": entry.is_default,
        "is_broken": bool(entry.problems),
        "has_draft": entry.file in drafted,
    }


def _labels(library: Library, name: str) -> list[dict[str, str]]:
    with suppress(PromptpackError):  # a broken labels.yaml is reported when it is opened
        labels = library._labels.all.get(name, {}).values()
        return [{"name": label.name, "target": ", ".join(label.versions)} for label in labels]
    return []


def _other_files(studio: Studio, library: Library) -> Iterator[str]:
    folder, packs = studio.project.folder, {entry.file for entry in library.entries}
    for file in folder.find(".yaml", ".yml", ".j2"):
        if file not in packs:
            yield file


def _find(studio: Studio, entry: Entry, words: list[str]) -> dict[str, Any] | None:
    if entry.content is None:
        return None
    text = entry.content.decode("utf-8", "replace")
    name, folded = f"{entry.name} {entry.file}".casefold(), text.casefold()
    if not all(word in name or word in folded for word in words):
        return None
    in_text = next((word for word in words if word in folded), "")
    offset = folded.find(in_text) if in_text else 0
    # Some letters are longer in lower case: the line is close enough then.
    line = min(folded.count("\n", 0, offset), text.count("\n"))
    excerpt = text.split("\n")[line].strip()
    return {
        "path": entry.file,
        "name": entry.name,
        "version": str(entry.version or ""),
        "locale": entry.locale,
        "in_name": all(word in name for word in words),
        "line": line + 1,
        "excerpt": excerpt[:_EXCERPT],
        "status": studio.status.get(entry.file),
    }


def _write_use(entry: Entry) -> dict[str, str]:
    return {"path": entry.file, "label": f"{entry.name}@{entry.version}", "locale": entry.locale}


def _names(extends: object, name: str) -> bool:
    try:
        return isinstance(extends, str) and parse_reference(extends).name == name
    except PromptpackError:
        return False


def _find_flow(studio: Studio) -> FlowFile | None:
    with suppress(PromptpackError):  # reported when it is opened
        return read_flow.find(studio.project.folder)
    return None


def _uses_in_flow(flow: FlowFile | None, name: str) -> Mapping[str, Any]:
    steps = [step.name for step in flow.steps.values() if _names(step.pack, name)] if flow else []
    edges = flow.data_edges() if flow else []
    return {
        "steps": steps,
        "fed_by": [{"step": edge.source, "data": edge.label} for edge in edges if edge.target in steps],
        "feeds": [{"step": edge.target, "data": edge.label} for edge in edges if edge.source in steps],
    }
