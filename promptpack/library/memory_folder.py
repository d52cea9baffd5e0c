"""A folder whose files are in memory, with the paths of the folder that they come from."""

from collections.abc import Iterator
from dataclasses import dataclass

from promptpack.files import RecordingFolder
from promptpack.problem import Location, PackError, Problem


@dataclass(frozen=True, eq=False)
class MemoryFolder(RecordingFolder):
    """A folder that never touches the disk: `reads` has all its files."""

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    @property
    def real_root(self) -> str:
        """The path of the original folder."""
        return self.root

    @property
    def is_there(self) -> bool:
        """Whether the folder exists."""
        return True

    def find(
        self, *suffixes: str, below: str = "", refused: dict[str, tuple[Problem, ...]] | None = None
    ) -> Iterator[str]:
        """Yield the sorted relative paths of the files with one of the suffixes."""
        del refused  # every file can be read
        inside = f"{below}/" if below else ""
        return (
            file
            for file in sorted(self.reads)
            if file.endswith(suffixes) and file.startswith(inside) and not file.startswith("../")
        )

    def stamps(self, *suffixes: str) -> Iterator[tuple[str, tuple[int, int]]]:
        """Yield the files with one of the suffixes; they never change."""
        return ((file, (0, len(self.reads[file]))) for file in self.find(*suffixes))

    def read(self, relative: str) -> bytes:
        """Return a file."""
        if relative not in self.reads:
            place = Location(self.show(relative))
            raise PackError(Problem("PP120", "cannot be read: No such file or directory", place))
        return self.reads[relative]

    def exists(self, relative: str) -> bool:
        """Return whether a file exists."""
        return relative in self.reads

    def is_occupied(self, relative: str) -> bool:
        """Return whether anything has this path."""
        return self.exists(relative)

    def record(self) -> RecordingFolder:
        """Return a folder that records which files are read."""
        return self
