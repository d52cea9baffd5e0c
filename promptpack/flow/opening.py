"""Find the flow of a library, check it, and give each step its pack."""

from types import MappingProxyType

from promptpack.document import parse
from promptpack.files import Folder
from promptpack.flow.check_flow import check
from promptpack.flow.flow import Flow
from promptpack.flow.model import FlowFile
from promptpack.flow.read_flow import FILE, find, read
from promptpack.library import Library
from promptpack.problem import PackError, Problem, UsageError


def open_flow(library: Library, locale: str | None = None, fallback: str | None = None, key: str | None = None) -> Flow:
    """Return the flow of the library's folders with the packs of a locale, of a key for trials; raise its problems."""
    file = next((found for folder in library.folders if (found := _read(library, folder)) is not None), None)
    if file is None:
        raise UsageError(Problem("PP907", f"there is no {FILE}", None, "create one next to the packs"))
    problems = check(file, library)
    if problems:
        raise PackError(problems)
    packs = {name: library.get(step.pack, locale, fallback=fallback, key=key) for name, step in file.steps.items()}
    return Flow(file, MappingProxyType(packs))


def _read(library: Library, folder: Folder) -> FlowFile | None:
    content = library._flow_content(folder)
    return find(folder) if content is None else read(parse(content, folder.show(FILE)))
