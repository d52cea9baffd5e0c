"""The packs that a server offers: of one library, which is replaced when files change."""

import logging
from collections.abc import Iterator

from promptpack.characters import escape_surrogates
from promptpack.library import Library, choosing
from promptpack.library.choosing import DEFAULT_LOCALE
from promptpack.pack.model import Pack
from promptpack.problem import Problem, PromptpackError

_log = logging.getLogger("promptpack.mcp")


class ServedPacks:
    """Holds the library as it is now; safe to read from threads while it is reloaded."""

    def __init__(self, library: Library, locale: str = "") -> None:
        self.library: Library = library
        self._locale = locale or None
        self._reported: tuple[Problem, ...] = ()

    @property
    def folders(self) -> tuple[str, ...]:
        """The paths of the served folders."""
        return tuple(folder.root for folder in self.library.folders)

    def get(self, request: str, locale: str = "") -> Pack:
        """Return the newest release of a pack; `request` is its name or name@range.

        Without a locale, it is the one of this server, or else the default of the pack.
        """
        if locale:
            return self.library.get(request, locale)
        return self.library.get(request, self._locale, fallback=DEFAULT_LOCALE)

    def newest(self) -> Iterator[Pack]:
        """Yield the newest release of every pack that can be rendered."""
        for name in dict.fromkeys(entry.name for entry in self.library.entries):
            try:
                pack = self.get(name)
            except PromptpackError:
                continue  # logged by `report_problems`, and listed by the tool `list_packs`
            if not pack.abstract:
                yield pack

    def versions(self, name: str) -> list[str]:
        """Return the versions of a pack, oldest first."""
        return list(dict.fromkeys(str(entry.version) for entry in self.library.entries if entry.name == name))

    def locales(self, pack: Pack) -> list[str]:
        """Return the locales of this version of a pack."""
        entries = (entry for entry in self.library.entries if entry.name == pack.name and entry.version == pack.version)
        return sorted({entry.locale for entry in entries if entry.locale})

    def paths(self, request: str) -> set[str]:
        """Return the paths of the files of a pack, broken ones too; `request` is its name or name@range."""
        reference = choosing.select(self.library, request)
        return {entry.path for entry in self.library.entries if reference.matches(entry.name, entry.version)}

    def reload(self) -> None:
        """Read changed files; a broken pack stays as it was, and its problems are logged once."""
        report = self.library.reload()
        self.library = report.library
        self._log_new(report.problems)

    def report_problems(self) -> None:
        """Log the problems of broken packs that were not logged before."""
        self._log_new(self.library.problems)

    def _log_new(self, problems: tuple[Problem, ...]) -> None:
        for problem in problems:
            if problem not in self._reported:
                _log.warning("%s", escape_surrogates(str(problem)))
        self._reported = problems
