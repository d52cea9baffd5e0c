"""The pytest plugin: with `promptpack_packs` in the settings of pytest, the tests in packs become its items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

import pytest

if TYPE_CHECKING:
    import promptpack
    from promptpack.pack.model import Pack, PackTest
    from promptpack.problem import Location, Problem
    from promptpack.testing import ScriptedProvider

_OPTION: Final = "promptpack_packs"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the setting."""
    parser.addini(_OPTION, "Folders of packs whose tests run, relative to the root folder.", type="args", default=[])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a pack of the configured folders; other files are not ours."""
    if not parent.config.getini(_OPTION):
        return None
    found = _load(parent.config).files.get(file_path.resolve())
    if found is None:
        return None
    collector: PackFile = PackFile.from_parent(parent, path=file_path)
    collector.found = found
    return collector


class _PackFiles(NamedTuple):
    """The library of the configured folders, and what is in each of their files."""

    library: promptpack.Library
    files: Mapping[Path, tuple[Pack | None, tuple[Problem, ...]]]


_LOADED: Final = pytest.StashKey[_PackFiles]()


def _load(config: pytest.Config) -> _PackFiles:
    """Open the configured folders, once for each run."""
    if _LOADED not in config.stash:
        from promptpack import Library, PromptpackError

        sources = [_find_source(config, source) for source in config.getini(_OPTION)]
        try:
            library = Library.open(*sources)
            packs, _ = library.select()
        except PromptpackError as error:
            raise pytest.UsageError(f"{_OPTION}: {error}") from error
        files: dict[Path, tuple[Pack | None, tuple[Problem, ...]]] = {}
        files.update((Path(pack.path).resolve(), (pack, ())) for pack in packs)
        files.update((Path(path).resolve(), (None, found)) for path, found in library.problems_by_file().items())
        config.stash[_LOADED] = _PackFiles(library, files)
    return config.stash[_LOADED]


def _find_source(config: pytest.Config, source: str) -> str:
    path = config.rootpath / source
    return str(path) if config.rootpath != Path.cwd() and path.exists() else source


class _PackItem(pytest.Item):
    """An item that shows the lines of a failure, not our code."""

    # Other plugins expect it of every item.
    funcargs: ClassVar[Mapping[str, Any]] = {}

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the unmet expectations, or the problems."""
        from promptpack.characters import visible

        if isinstance(excinfo.value, PackTestError):
            return visible(str(excinfo.value))
        return super().repr_failure(excinfo, style)


class PackFile(pytest.File):
    """A pack file; its items are the tests of the pack, or one that fails if the pack cannot be loaded."""

    found: tuple[Pack | None, tuple[Problem, ...]]

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for each test."""
        pack, problems = self.found
        if pack is None:
            broken: BrokenPackItem = BrokenPackItem.from_parent(self, name="the pack can be loaded")
            broken.problems = problems
            yield broken
            return
        for test in pack.tests:
            item: PackTestItem = PackTestItem.from_parent(self, name=test.name)
            item.pack, item.pack_test = pack, test
            yield item


class BrokenPackItem(_PackItem):
    """A pack that cannot be loaded; it always fails, so that its tests are not missed."""

    problems: Sequence[Problem]

    def runtest(self) -> None:
        """Fail with the problems of the pack."""
        raise PackTestError([f"{problem}" for problem in self.problems])

    def reportinfo(self) -> tuple[Path, int, str]:
        """Point to the first problem."""
        location = next((problem.location for problem in self.problems if problem.location), None)
        return self.path, location.line - 1 if location else 0, self.name


class PackTestItem(_PackItem):
    """One test of a pack."""

    pack: Pack
    pack_test: PackTest

    def runtest(self) -> None:
        """Run the test, and fail with its unmet expectations."""
        from promptpack import trial

        failures = [
            failure for one in trial.run([replace(self.pack, tests=(self.pack_test,))]) for failure in one.failures
        ]
        if failures:
            raise PackTestError([f"{failure.location}: {failure.message}" for failure in failures])

    def reportinfo(self) -> tuple[Path, int, str]:
        """Point to the test in the pack, or in its file of tests."""
        location: Location = self.pack_test.location
        return Path(location.path), location.line - 1, self.name


class PackTestError(Exception):
    """The unmet expectations of a test, or the problems of a pack."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))


@pytest.fixture(scope="session")
def promptpack_library(pytestconfig: pytest.Config) -> promptpack.Library:
    """Return the library of the folders in `promptpack_packs`."""
    if not pytestconfig.getini(_OPTION):
        raise pytest.UsageError(f"the fixture 'promptpack_library' needs the setting {_OPTION!r}")
    return _load(pytestconfig).library


@pytest.fixture
def promptpack_scripted() -> Callable[..., ScriptedProvider]:
    """Return a function that makes a provider which answers with the given replies, in order."""
    from promptpack.testing import ScriptedProvider

    return lambda *replies: ScriptedProvider(replies)
