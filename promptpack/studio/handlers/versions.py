"""Two versions of a pack: the words of their prompts, the changes of the contract with their class, and their texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from promptpack.editor.contexts import find_context
from promptpack.library import Library
from promptpack.pack.model import Pack
from promptpack.problem import PackError, Problem, PromptpackError, UsageError
from promptpack.studio.handlers.prompts import mask_secrets
from promptpack.studio.request import PageRequest
from promptpack.studio.studio import Studio
from promptpack.versions.compare import compare
from promptpack.versions.prompt_diff import diff_prompts, render_other
from promptpack.versions.word_diff import diff_words

_TRIAL_KEY = "studio"


class _ShownSide(NamedTuple):
    title: str
    text: str
    library: Library
    pack: Pack | None
    problems: tuple[Problem, ...] = ()


def compare_sides(studio: Studio, request: PageRequest) -> dict[str, Any]:
    """Compare two sides: `draft` (as it is typed), `saved` (as on disk), a path, or a request such as name@label."""
    with studio.project.lock:
        old, new = (_open(studio, request, request.text(name)) for name in ("old", "new"))
    found: dict[str, Any] = {
        "old": _describe(old),
        "new": _describe(new),
        "text": diff_words(old.text, new.text).to_data(),
        "messages": None,
        "changes": None,
        "problems": [studio.project.write_problem(one) for one in (*old.problems, *new.problems)],
    }
    if old.pack is None or new.pack is None:
        return found
    comparison = compare(old.pack, new.pack, (old.library, new.library))
    changes = [change.to_dict() for change in comparison.changes]
    found["changes"] = [{**one, "path": studio.project.relative(one["path"])} for one in changes]
    found["bump"] = comparison.bump
    try:
        found["messages"] = _diff_messages(old.pack, new.pack, request.mapping("context"))
    except PromptpackError as error:
        found["problems"] += studio.project.shown(error)
    return found


def _diff_messages(old: Pack, new: Pack, given: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    context = mask_secrets(new, mask_secrets(old, find_context(new)[0] if given is None else given))
    fitting = {name: value for name, value in context.items() if name in new.inputs or name not in old.inputs}
    return [one.to_dict() for one in diff_prompts(render_other(old, context, new), new.render(fitting))]


def _open(studio: Studio, request: PageRequest, side: str) -> _ShownSide:
    project, path = studio.project, request.text("path")
    if side == "draft":
        return _typed(studio, path, project.text_of(request.texts, path), "draft")
    if side == "saved" or side.endswith((".yaml", ".yml")):
        chosen = path if side == "saved" else side
        return _typed(studio, chosen, project.read(chosen).text, side)
    library = project.library
    pack = library.get(side, request.text("locale", "") or None, fallback="default", key=_TRIAL_KEY)
    entry = next(one for one in library.entries if one.path == pack.path)
    return _ShownSide(f"{side} = {pack.label}", project.read(entry.file).text, library, pack)


def _typed(studio: Studio, path: str, text: str, title: str) -> _ShownSide:
    if not text:
        message = f"{path!r} is not on disk"
        raise UsageError(Problem("PP993", message, None, "save it first"))
    buffer = studio.project.buffer(path, text)
    try:
        return _ShownSide(title, text, buffer.library, buffer.build())
    except PackError as error:
        return _ShownSide(title, text, buffer.library, None, error.problems)


def _describe(side: _ShownSide) -> dict[str, str]:
    pack = side.pack
    return {"title": side.title, "label": pack.label if pack else "", "locale": pack.locale if pack else ""}
