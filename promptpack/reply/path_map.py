"""Map pointers between a reply and its aligned value: renames and unwrapping change them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from promptpack.reply.align import ValueRepair
from promptpack.reply.syntax_tree import escape


@dataclass(slots=True)
class _KeyNames:
    """The names that changed in one container: new names by old ones, and the reverse; inner ones by new name."""

    new: dict[str, str] = field(default_factory=dict)
    old: dict[str, str] = field(default_factory=dict)
    inner: "dict[str, _KeyNames]" = field(default_factory=dict)

    def rename(self, before: str, after: str) -> None:
        first = self.old.pop(before, before)
        self.new[first], self.old[after] = after, first
        if before in self.inner:
            self.inner[after] = self.inner.pop(before)


_UNCHANGED = _KeyNames()


class PathMap:
    """The pointers that some repairs have changed; a lookup takes time in the length of the pointer only."""

    def __init__(self, repairs: Iterable[ValueRepair] = ()) -> None:
        self._root, self._names = "", _KeyNames()
        for repair in repairs:
            self.add(repair)

    def add(self, repair: ValueRepair) -> None:
        """Add the next repair."""
        if repair.edit == "unwrap":
            self._root, self._names = self.original(repair.path), _KeyNames()
        elif repair.edit == "rename":
            *parents, before = repair.path.split("/")[1:]
            names = self._names
            for parent in parents:
                names = names.inner.setdefault(parent, _KeyNames())
            names.rename(before, escape(repair.after))

    def current(self, path: str) -> str | None:
        """Return a pointer into the reply as the repairs have changed it; None if it is outside the unwrapped value."""
        if path != self._root and not path.startswith(self._root + "/"):
            return None
        names, steps = self._names, [""]
        for step in path[len(self._root) :].split("/")[1:]:
            steps.append(names.new.get(step, step))
            names = names.inner.get(steps[-1], _UNCHANGED)
        return "/".join(steps)

    def original(self, path: str) -> str:
        """Return a pointer with the names that the reply uses."""
        names, steps = self._names, [self._root]
        for step in path.split("/")[1:]:
            steps.append(names.old.get(step, step))
            names = names.inner.get(step, _UNCHANGED)
        return "/".join(steps)
