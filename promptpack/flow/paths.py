"""The paths through a flow: which replies a step can rely on, and which steps cannot be reached or left."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Final, NamedTuple

from promptpack.flow.model import END, FirstValue, FlowFile, FlowValue, ObjectValue, ReplyValue, Step

_MAX_CLAUSES: Final = 64

# One of these replies must exist: each is a step and an action, which is empty for any action.
ReplyClause = frozenset[tuple[str, str]]


class Edge(NamedTuple):
    """A way from one step to the next; `action` is the only action that a reply on this way can have, if known."""

    source: str
    target: str
    action: str


class Graph:
    """The ways between the steps of a flow."""

    def __init__(
        self, file: FlowFile, actions: Mapping[str, tuple[str, ...]], can_be_empty: Callable[[Step], bool]
    ) -> None:
        self._file = file
        self._actions = actions
        self._can_be_empty = can_be_empty
        self._ways = {name: list(self._edges(step)) for name, step in file.steps.items()}
        self._found: dict[ReplyClause, dict[str, str | None]] = {}

    def _edges(self, step: Step) -> Iterator[Edge]:
        only = self._actions.get(step.name, ())
        usual = step.action or (only[0] if len(only) == 1 else "")
        for word, target in step.next.targets.items():
            action = word if step.next.pointer == "/action" else usual
            yield from (Edge(step.name, found, action) for found in self._arrivals(target))
        if step.next.over:
            yield from (Edge(step.name, found, usual) for found in self._arrivals(step.next.over))
        if step.next.done and not self._can_be_empty(step):
            # The list has an item at the first visit, so the step has replied before nothing is left.
            yield Edge(step.name, step.next.done, usual)

    def _arrivals(self, target: str) -> Iterator[str]:
        """Yield a step, and those that follow in its place when it has no item at all."""
        seen: set[str] = set()
        while target not in seen and (target == END or target in self._file.steps):
            seen.add(target)
            yield target
            step = self._file.steps.get(target)
            if step is None or not step.next.done or not self._can_be_empty(step):
                return
            target = step.next.done

    def path_without(self, target: str, clause: ReplyClause = frozenset()) -> list[str] | None:
        """Return a shortest path from the first step to `target` on which no reply of the clause exists."""
        if clause not in self._found:
            self._found[clause] = self._search(clause)
        before = self._found[clause]
        if target not in before:
            return None
        path = [target]
        while (previous := before[path[-1]]) is not None:
            path.append(previous)
        return path[::-1]

    def _search(self, clause: ReplyClause) -> dict[str, str | None]:
        """Return each step that can be reached without a reply of the clause, with the step before it."""
        before: dict[str, str | None] = dict.fromkeys(self._arrivals(self._file.first.name))
        pending = deque(before)
        while pending:
            for edge in self._ways.get(pending.popleft(), ()):
                if edge.target not in before and not ({(edge.source, ""), (edge.source, edge.action)} & clause):
                    before[edge.target] = edge.source
                    pending.append(edge.target)
        return before

    def reaches_end(self) -> frozenset[str]:
        """Return the steps from which the end can be reached."""
        found = {END}
        sources: dict[str, set[str]] = {}
        for edge in self._all_edges():
            sources.setdefault(edge.target, set()).add(edge.source)
        pending = [END]
        while pending:
            new = sources.get(pending.pop(), set()) - found
            found |= new
            pending += new
        return frozenset(found)

    def endless_cycle(self) -> list[str] | None:
        """Return the steps of a cycle in which no step has a limit, in order."""
        free = {name for name, step in self._file.steps.items() if not step.limit}
        state: dict[str, bool] = {}  # False while a step is on the current path, True when it is done
        for start in self._file.steps:
            if start not in free or start in state:
                continue
            path = [start]
            state[start] = False
            rest = {start: self._free_targets(start, free)}
            while path:
                target = next(rest[path[-1]], None)
                if target is None:
                    state[path.pop()] = True
                elif target not in state:
                    state[target] = False
                    rest[target] = self._free_targets(target, free)
                    path.append(target)
                elif not state[target]:
                    return path[path.index(target) :]
        return None

    def _free_targets(self, name: str, free: set[str]) -> Iterator[str]:
        return iter([edge.target for edge in self._ways[name] if edge.target in free])

    def _all_edges(self) -> Iterable[Edge]:
        return (edge for edges in self._ways.values() for edge in edges)


def needed_replies(value: FlowValue, is_certain: Callable[[ReplyValue], bool]) -> list[ReplyClause]:
    """Return the clauses that must all hold for a run to have a value; an empty clause never holds."""
    match value:
        case ReplyValue():
            return [frozenset([(value.step, value.action)] if is_certain(value) else [])]
        case ObjectValue():
            return [clause for inner in value.fields.values() for clause in needed_replies(inner, is_certain)]
        case FirstValue():
            choices = [needed_replies(choice, is_certain) for choice in value.choices]
            combined = (frozenset().union(*clauses) for clauses in product(*choices))
            return [clause for clause, _ in zip(combined, range(_MAX_CLAUSES), strict=False)]
        case _:
            return []
