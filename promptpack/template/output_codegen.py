"""The fast part of the code generator: plain data is looked up, printed and counted inline."""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import Final, TypeGuard

from jinja2 import nodes
from jinja2.compiler import Frame

from promptpack.template.filter_codegen import FilterGenerator
from promptpack.template.loops import COUNTER, COUNTER_CODE, has_counter
from promptpack.template.meter import steps_per_iteration

# Output is counted after its values are joined; this limit keeps a joined text small.
_VALUES_A_CHUNK: Final = 8
_AS_TEXT: Final = "if type({0}) is not str: {0} = str({0}) if type({0}) is int else to_text({0})"
_LIST_LOOP_CODE = {"index": "{0}.index0 + 1", "index0": "{0}.index0", "first": "{0}.index0 == 0", "last": "{0}.last"}
# Marks the name of an `EnvironmentAttribute` that is a local expression instead.
_LOCAL: Final = "local "
# Nodes for which Jinja stores the variables of a loop iteration in `_loop_vars`.
_USING_LOOP_VARIABLES: Final = (
    nodes.Assign, nodes.AssignBlock, nodes.Call, nodes.CallBlock, nodes.FromImport, nodes.Import, nodes.Macro,
)  # fmt: skip


class OutputGenerator(FilterGenerator):
    """Writes inline code for mappings and text; other values go through the environment, as in Jinja."""

    def write_commons(self) -> None:
        """Write the lines that every function starts with."""
        super().write_commons()
        self.writeline("meter = environment.meter()")
        self.writeline("to_text = environment.to_text")
        self.writeline("LoopContext = environment.iterate")
        if self._cells:
            self.writeline("fingerprints, cache = context.fingerprints, context.cache")

    def visit_ExprStmt(self, node: nodes.ExprStmt, frame: Frame) -> None:  # noqa: N802 -- Jinja's visitor name
        """Write a statement; a number is a count of steps, see `insert_step_counts`: templates cannot write one."""
        if not isinstance(node.node, nodes.Const):
            super().visit_ExprStmt(node, frame)
            return
        self.writeline(f"meter.steps -= {node.node.value}", node)
        self.writeline("if meter.steps < 0: meter.refuse_steps()")

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802
        """Write the whole template."""
        self._uses_loop_variables = any(node.find_all(_USING_LOOP_VARIABLES))
        self._cells = {scope: number for number, scope in enumerate(node.find_all(nodes.Scope))}
        self.writeline(f"cells = [object() for _ in range({len(self._cells)})]")
        super().visit_Template(node, frame)

    def visit_Scope(self, node: nodes.Scope, frame: Frame) -> None:  # noqa: N802
        """Write a subtree whose text may be cached; see `memoizable`."""
        names: tuple[str, ...] = node.names  # type: ignore[attr-defined]  # set by `memoizable`
        key, text, before = (self.temporary_identifier() for _ in range(3))
        cell = f"cells[{self._cells[node]}]"
        self.writeline(f"{key} = fingerprints and environment.cache_key({names!r}, fingerprints, meter)", node)
        self.writeline(f"{text} = {key} and cache.text({cell}, {key}, meter)")
        self.writeline(f"if {text} is None:")
        self.indent()
        self.writeline(f"{before} = meter.steps, meter.output")
        self.writeline(f"if {key} is not None: context.restore({names!r})")
        # Isolated, so that it looks up the restored values.
        inner = frame.inner(isolated=True)
        self.buffer(inner)
        inner.symbols.analyze_node(node)
        self.enter_frame(inner)
        self.blockvisit(node.body, inner)
        self.leave_frame(inner)
        self.writeline(f"{text} = concat({inner.buffer})")
        self.writeline(f"if {key} is not None: cache.put_text({cell}, {key}, {text}, {before}, meter)")
        self.outdent()
        self.simple_write(text, frame)

    def writeline(self, x: str, node: nodes.Node | None = None, extra: int = 0) -> None:
        """Write a line, except Jinja's line for loop variables where they are unused."""
        if x != "_loop_vars = {}" or self._uses_loop_variables:
            super().writeline(x, node, extra)

    def visit_For(self, node: nodes.For, frame: Frame) -> None:  # noqa: N802
        """Write a loop that counts its iterations: of a list before it starts, of a lazy value one by one."""
        values, steps = self._write_value(node.iter, frame), steps_per_iteration(node)
        self.writeline(f"if type({values}) is list: meter.steps -= len({values}) * {steps}", node)
        self.writeline(f"else: {values} = meter.iterations({values}, {steps})")
        self.writeline("if meter.steps < 0: meter.refuse_steps()")
        loop = copy(node)
        loop.iter = nodes.EnvironmentAttribute(f"{_LOCAL}enumerate({values})" if has_counter(node) else _LOCAL + values)
        super().visit_For(loop, frame)

    def visit_EnvironmentAttribute(self, node: nodes.EnvironmentAttribute, frame: Frame) -> None:  # noqa: N802
        """Write an attribute of the environment, or a value that the lines above have computed."""
        if node.name.startswith(_LOCAL):
            self.write(node.name.removeprefix(_LOCAL))
        else:
            super().visit_EnvironmentAttribute(node, frame)

    def blockvisit(self, nodes: Iterable[nodes.Node], frame: Frame) -> None:
        """Write statements; adjacent outputs are merged."""
        super().blockvisit(nodes if frame.require_output_check else list(_merge_outputs(nodes)), frame)

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:  # noqa: N802
        """Write text and values in chunks."""
        if frame.require_output_check:
            if self.has_known_extends:
                return
            self.writeline("if parent_template is None:")
            self.indent()
        for chunk in _chunks(node.nodes):
            self._write_chunk(chunk, frame)
        if frame.require_output_check:
            self.outdent()

    def _write_chunk(self, chunk: Sequence[nodes.Node], frame: Frame) -> None:
        text = self._write_pieces(chunk, frame)
        constants = [piece.data for piece in chunk if isinstance(piece, nodes.TemplateData)]
        if len(constants) == len(chunk):
            self._write_output_count(str(sum(map(len, constants))))
        else:
            name = self.temporary_identifier()
            self.writeline(f"{name} = {text}")
            self._write_output_count(f"len({name})")
            text = name
        self.simple_write(text, frame)

    def _write_output_count(self, characters: str) -> None:
        self.writeline(f"meter.output -= {characters}")
        self.writeline("if meter.output < 0: meter.refuse_output()")

    def start_write(self, frame: Frame, node: nodes.Node | None = None) -> None:
        """Start to write the result of a macro or filter; it is counted when it is written."""
        super().start_write(frame, node)
        self.write("meter.write(")

    def end_write(self, frame: Frame) -> None:
        """Finish what `start_write` started."""
        self.write(")")
        super().end_write(frame)

    def simple_write(self, s: str, frame: Frame, node: nodes.Node | None = None) -> None:
        """Write a text that is counted already, such as the result of a block or an include."""
        super().start_write(frame, node)
        self.write(s)
        super().end_write(frame)

    def _write_pieces(self, pieces: Sequence[nodes.Node], frame: Frame) -> str:
        """Write the code that computes the pieces, and return the expression that joins them."""
        names: dict[nodes.Node, str] = {}
        texts = []
        for position, piece in enumerate(pieces):
            if _is_path(_computed_node(piece)) and piece not in names:
                names |= self._write_paths(list(_leading_paths(pieces[position:])), frame)
            texts.append(self._write_piece(piece, names.get(piece), frame))
        return " ".join(texts) or "''"

    def _write_piece(self, piece: nodes.Node, name: str | None, frame: Frame) -> str:
        if isinstance(piece, nodes.TemplateData):
            return repr(piece.data)
        if isinstance(piece, nodes.If):
            name = self._write_if(piece, name, frame)
        elif _is_counter(piece) and piece.attr != "first":
            name = COUNTER_CODE[piece.attr].format(frame.symbols.ref(COUNTER))
        elif name is None:
            name = self._write_value(piece, frame)
            self.writeline(_AS_TEXT.format(name))
        return f"f'{{{name}}}'"

    def _write_paths(self, pieces: Sequence[nodes.Node], frame: Frame) -> dict[nodes.Node, str]:
        """Write adjacent lookups in one `try`, and convert the printed ones to text."""
        names = {piece: self.temporary_identifier() for piece in pieces}
        self.writeline("try: ", pieces[0])
        for piece, name in names.items():
            self.write(f"{name} = ")
            self._write_path(_computed_node(piece), frame)
            self.write("; ")
        self.writeline("except (KeyError, TypeError):")
        self.indent()
        for piece, name in names.items():
            self.writeline(f"{name} = ", _computed_node(piece))
            self.visit(_computed_node(piece), frame)
            self._write_as_text(piece, name)
        self.outdent()
        printed = [piece for piece in pieces if not isinstance(piece, nodes.If)]
        if printed:
            self.writeline("if not str is " + " is ".join(f"type({names[piece]})" for piece in printed) + ":")
            self.indent()
            for piece in printed:
                self._write_as_text(piece, names[piece])
            self.outdent()
        return names

    def _write_as_text(self, piece: nodes.Node, name: str) -> None:
        if not isinstance(piece, nodes.If):
            self.writeline(_AS_TEXT.format(name), piece)

    def _write_value(self, node: nodes.Node, frame: Frame) -> str:
        name = self.temporary_identifier()
        if _is_path(node):
            self.writeline(f"try: {name} = ", node)
            self._write_path(node, frame)
            self.writeline(f"except (KeyError, TypeError): {name} = ")
        else:
            self.writeline(f"{name} = ", node)
        self.visit(node, frame)
        return name

    def _write_if(self, node: nodes.If, test: str | None, frame: Frame) -> str:
        soft = frame.soft()
        test = test or self._write_value(node.test, soft)
        name = self.temporary_identifier()
        self.writeline(f"if {test}:", node)
        self._write_branch(node.body, name, soft)
        for branch in node.elif_:
            self.writeline("elif ", branch)
            self.visit(branch.test, soft)
            self.write(":")
            self._write_branch(branch.body, name, soft)
        self.writeline("else:")
        self._write_branch(node.else_, name, soft)
        return name

    def _write_branch(self, body: list[nodes.Node], name: str, frame: Frame) -> None:
        self.indent()
        text = self._write_pieces(list(_pieces(body)), frame)
        self.writeline(f"{name} = {text}")
        self.outdent()

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802
        """Write the lookup of a key."""
        if _is_counter(node):
            self.write(f"({COUNTER_CODE[node.attr].format(frame.symbols.ref(COUNTER))})")
        elif isinstance(node.node, nodes.Name) and node.node.name == "loop" and node.attr in _LIST_LOOP_CODE:
            loop = frame.symbols.ref("loop")
            self.write(f"({_LIST_LOOP_CODE[node.attr].format(loop)} if type({loop}) is environment.list_loop else ")
            self.write("environment.getattr(")
            self.visit(node.node, frame)
            self.write(f", {node.attr!r}))")
        else:
            self._write_key(node.node, node.attr, "getattr", frame)

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:  # noqa: N802
        """Write the lookup of a key or an index."""
        if isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, str):
            self._write_key(node.node, node.arg.value, "getitem", frame)
        else:
            super().visit_Getitem(node, frame)

    def _write_key(self, owner: nodes.Expr, key: str, fallback: str, frame: Frame, value: str = "") -> None:
        """Write the lookup of a key; the value of a mapping is assigned to `value`."""
        value = value or self.temporary_identifier()
        is_name = isinstance(owner, nodes.Name)
        name = frame.symbols.ref(owner.name) if isinstance(owner, nodes.Name) else self.temporary_identifier()
        self.write(f"({value} if type(")
        if is_name:
            self.write(name)
        else:
            self.write(f"{name} := ")
            self.visit(owner, frame)
        self.write(f") is dict and ({value} := {name}.get({key!r}, missing)) is not missing else ")
        self.write(f"environment.{fallback}(")
        if is_name:
            self.visit(owner, frame)
        else:
            self.write(name)
        self.write(f", {key!r}))")

    def _write_path(self, node: nodes.Node, frame: Frame) -> None:
        if isinstance(node, nodes.Getattr):
            self._write_path(node.node, frame)
            self.write(f"[{node.attr!r}]")
        elif isinstance(node, nodes.Name):
            self.write(frame.symbols.ref(node.name))


def _is_path(node: nodes.Node) -> bool:
    """Return whether an expression is a name followed by keys, as in `tool.risk.level`."""
    if not isinstance(node, nodes.Getattr):
        return False
    owner = node.node
    return owner.name not in ("loop", COUNTER) if isinstance(owner, nodes.Name) else _is_path(owner)


def _is_counter(node: nodes.Node) -> TypeGuard[nodes.Getattr]:
    """Return whether an expression reads the counter of a loop."""
    return isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name) and node.node.name == COUNTER


def _computed_node(piece: nodes.Node) -> nodes.Node:
    """Return the node that is computed for a piece: the condition of an `if`, or the piece itself."""
    return piece.test if isinstance(piece, nodes.If) else piece


def _leading_paths(pieces: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    """Yield the pieces before the first that needs more than a lookup; an `if` is the last."""
    for piece in pieces:
        if isinstance(piece, nodes.TemplateData):
            continue
        if not _is_path(_computed_node(piece)):
            return
        yield piece
        if isinstance(piece, nodes.If):
            return


def _merge_outputs(statements: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    """Merge adjacent statements that only print into one output."""
    adjacent: list[nodes.Node] = []
    for statement in statements:
        if _only_prints(statement):
            adjacent.append(statement)
            continue
        yield from _as_output(adjacent)
        adjacent = []
        yield statement
    yield from _as_output(adjacent)


def _as_output(statements: list[nodes.Node]) -> Iterator[nodes.Output]:
    if statements:
        yield nodes.Output(list(_pieces(statements)), lineno=statements[0].lineno)


def _pieces(statements: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    for statement in statements:
        if isinstance(statement, nodes.Output):
            yield from statement.nodes
        else:
            yield statement


def _only_prints(node: nodes.Node) -> bool:
    if isinstance(node, nodes.If):
        return all(map(_only_prints, [*node.body, *node.elif_, *node.else_]))
    return isinstance(node, nodes.Output)


def _chunks(pieces: Sequence[nodes.Node]) -> Iterator[list[nodes.Node]]:
    chunk: list[nodes.Node] = []
    values = 0
    for piece in pieces:
        chunk.append(piece)
        values += _count_values(piece)
        if values >= _VALUES_A_CHUNK:
            yield chunk
            chunk, values = [], 0
    if chunk:
        yield chunk


def _count_values(piece: nodes.Node) -> int:
    if isinstance(piece, nodes.If):
        branches = [piece.body, *(branch.body for branch in piece.elif_), piece.else_]
        return max(sum(map(_count_values, _pieces(branch))) for branch in branches)
    return not isinstance(piece, nodes.TemplateData)
