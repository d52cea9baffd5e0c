"""Typing: open a file, keep its text as a draft, find problems on the exact word, complete, explain and fix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from promptpack.document import normalize
from promptpack.document.line_index import LineIndex
from promptpack.editor import complete, define, describe
from promptpack.problem import PromptpackError
from promptpack.studio.request import PageRequest
from promptpack.studio.studio import Studio


def open_file(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Return a text as it is on disk, and with `take_draft` its newest draft that was never saved."""
    path = request.text("path")
    stored = studio.project.read(path)
    draft = studio.drafts.take(path, request.tab, live=studio.tabs) if request.flag("take_draft") else None
    while draft is not None and draft.text == stored.text:
        studio.drafts.drop(path, request.tab)
        draft = studio.drafts.take(path, request.tab, live=studio.tabs)
    entry = studio.project.entry(path)
    version = entry.version if entry else None
    return {
        "path": path,
        "text": stored.text,
        "digest": stored.digest,
        "draft": None if draft is None else draft._asdict(),
        **_find_other_drafts(studio, request),
        "is_pack": entry is not None,
        "name": entry.name if entry else "",
        "version": str(version or ""),
        "is_release": version is not None and not version.is_draft,
    }


def keep_text(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Keep a typed text as a draft over the file with the digest `base`; a text equal to the file is not a draft."""
    path, base = request.text("path"), request.text("base")
    studio.project.path_of(path)
    text = request.texts.get(path)
    if text is None or request.flag("is_saved"):
        studio.drafts.drop(path, request.tab)
        return {"kept": False, **_find_other_drafts(studio, request)}
    return {"kept": studio.drafts.put(path, request.tab, text, base), **_find_other_drafts(studio, request)}


def find_problems(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Lint a text as it is typed."""
    project, path = studio.project, request.text("path")
    try:
        text = project.text_of(request.texts, path)
        problems = project.workspace.report(project.path_of(path), text).problems
    except PromptpackError as error:
        problems = error.problems
    return {"problems": [project.write_problem(problem) for problem in problems]}


def find_fixes(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Return the fixes of the problems on a line; the edits have lines and columns."""
    project, path, line = studio.project, request.text("path"), request.number("line")
    text = project.text_of(request.texts, path)
    index = LineIndex(normalize(text))
    found = project.workspace.find_fixes(project.path_of(path), text, range(line, line + 1))
    return {
        "fixes": [
            {
                "code": problem.code,
                "title": fix.title,
                "edits": [_write_edit(index, edit.start, edit.end, edit.text) for edit in fix.edits],
            }
            for problem, fix in found
        ]
    }


def find_proposals(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Return the names that may be typed at a cursor, and how many characters before it they replace."""
    buffer, offset = _at_cursor(studio, request)
    proposals = complete(buffer, offset)
    return {
        "length": offset - proposals[0].start if proposals else 0,
        "names": [
            {"name": one.symbol.name, "kind": one.kind, "detail": one.symbol.detail, "text": one.symbol.text}
            for one in proposals
        ],
    }


def explain_word(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Return the explanation of the word at a cursor, and where the name is defined."""
    buffer, offset = _at_cursor(studio, request)
    found, place = describe(buffer, offset), define(buffer, offset)
    if found is None:
        return {"text": ""}
    index = LineIndex(buffer.text)
    where = {"path": studio.project.relative(place.path), "line": place.line} if place else None
    return {"text": found.text, **_write_edit(index, found.start, found.end), "definition": where}


def _find_other_drafts(studio: Studio, request: PageRequest) -> dict[str, bool]:
    """Return whether another tab has a draft of a file, and whether there is one that no tab has."""
    others = set(studio.drafts.tabs(request.text("path"))) - {request.tab}
    return {"is_elsewhere": not others.isdisjoint(studio.tabs), "is_left": not others <= set(studio.tabs)}


def _at_cursor(studio: Studio, request: PageRequest) -> tuple[Any, int]:
    path = request.text("path")
    text = studio.project.text_of(request.texts, path)
    lines: Sequence[str] = text.split("\n")
    line = min(max(request.number("line"), 1), len(lines))
    column = min(max(request.number("column"), 1), len(lines[line - 1]) + 1)
    return studio.project.buffer(path, text), LineIndex(text).find(line, column)


def _write_edit(index: LineIndex, start: int, end: int, text: str = "") -> dict[str, Any]:
    (line, column), (end_line, end_column) = index.locate(start), index.locate(end)
    return {"line": line, "column": column, "end_line": end_line, "end_column": end_column, "insert": text}
