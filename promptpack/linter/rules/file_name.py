"""A file name that does not match the content of the file.

`name`, `version` and `locale` in the file define which pack it is, but people search by path. A pack belongs in
`<name>/<version>.yaml`, a variant in another language in `<name>/<version>.<locale>.yaml`. Files whose names are not
versions are not checked.

Bad: `packs/planner/1.0.0.yaml` with `version: 1.1.0`
Good: `packs/planner/1.1.0.yaml` with `version: 1.1.0`
"""

import re
from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject

CODE: Final = "PL014"
NAME: Final = "file-name"
SEVERITY: Final = "error"

_VERSION: Final = r"\d+\.\d+\.\d+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*?)?"
_FILE: Final = re.compile(rf"({_VERSION})(?:\.([a-z]{{2,3}}(?:-[A-Za-z0-9]+)*))?\.ya?ml\Z")


def check(subject: Subject) -> Iterator[LintProblem]:
    """Compare the path with name, version and locale."""
    *_, folder, file = ("", *subject.document.path.replace("\\", "/").split("/"))
    found = _FILE.match(file)
    if found is None or subject.is_pruned:
        return
    name, version, locale = subject.identity
    if found[1] != version and not file.startswith(f"{version}."):
        yield _mismatch(subject, "version", found[1], version)
    elif found[2] is not None and found[2] != locale:
        yield _mismatch(subject, "locale", found[2], locale)
    if folder and folder != name and "/" in subject.file:
        yield _mismatch(subject, "name", folder, name)


def _mismatch(subject: Subject, key: str, in_path: str, in_file: str) -> LintProblem:
    declared = f"the file says {in_file!r}" if in_file else "the file has none"
    location = subject.document.locate((key,)) if in_file else subject.document.locate_key(("name",))
    hint = "rename the file, or change the value in it"
    return LintProblem(f"the path says {key} {in_path!r}, but {declared}", location, hint)
