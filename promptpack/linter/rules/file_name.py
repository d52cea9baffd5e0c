"""A file name that disagrees with what is in the file.

`name`, `version` and `locale` inside of the file decide which pack it is; the path is what people look for. A pack
lies at `<name>/<version>.yaml`, a variant in another language at `<name>/<version>.<locale>.yaml`. Files whose names
are no versions are not told.

Bad: `packs/planner/1.0.0.yaml` with `version: 1.1.0`
Good: `packs/planner/1.1.0.yaml` with `version: 1.1.0`
"""

import re
from collections.abc import Iterator
from typing import Final

from promptpack.linter.rule import Advice
from promptpack.linter.subject import Subject
from promptpack.problem import Severity

CODE: Final = "PL014"
NAME: Final = "file-name"
SEVERITY: Final[Severity] = "error"

_VERSION: Final = r"\d+\.\d+\.\d+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*?)?"
_FILE: Final = re.compile(rf"({_VERSION})(?:\.([a-z]{{2,3}}(?:-[A-Za-z0-9]+)*))?\.ya?ml\Z")


def check(subject: Subject) -> Iterator[Advice]:
    """Compare the path with name, version and locale."""
    *_, folder, file = ("", *subject.document.path.replace("\\", "/").split("/"))
    found = _FILE.match(file)
    if found is None or subject.refused:
        return
    name, version, locale = subject.identity
    if found[1] != version and not file.startswith(f"{version}."):
        yield _advice(subject, "version", found[1], version)
    elif found[2] is not None and found[2] != locale:
        yield _advice(subject, "locale", found[2], locale)
    if folder and folder != name and "/" in subject.file:
        yield _advice(subject, "name", folder, name)


def _advice(subject: Subject, key: str, outside: str, inside: str) -> Advice:
    has = f"the file says {inside!r}" if inside else "the file has none"
    place = subject.document.locate((key,)) if inside else subject.document.locate_key(("name",))
    return Advice(f"the path says {key} {outside!r}, but {has}", place, "rename the file, or correct what is in it")
