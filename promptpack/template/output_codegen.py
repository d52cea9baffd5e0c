"""The part of the code generator that makes templates quick: plain data is looked up, printed and counted in place."""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import Final, TypeGuard

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame

from promptpack.template.loops import NUMBER, NUMBERED, is_numbered
from promptpack.template.steps import steps_of_a_pass

# A run of output holds no more values than this, so that what is joined before it is counted stays small.
_VALUES_A_RUN: Final = 8
_SHORT_TEXT: Final = "is str and len({0}) < 64"
_AS_TEXT: Final = "if type({0}) is not str: {0} = str({0}) if type({0}) is int else printed({0})"
IN_PLACE: Final = {
    "capitalize": (_SHORT_TEXT, "{0}.capitalize()"),
    "count": ("in (list, dict, str)", "len({0})"),
    "length": ("in (list, dict, str)", "len({0})"),
    "lower": (_SHORT_TEXT, "{0}.lower()"),
    "trim": (_SHORT_TEXT, "{0}.strip()"),
    "upper": (_SHORT_TEXT, "{0}.upper()"),
}
"""Filters done in place, by the condition on the value's type and the result."""

# Filters that count their own work when they are called without the filter's count, by their one option.
_DIRECT: Final = {"join": ("join", "d"), "json": ("as_json", "indent"), "tojson": ("as_json", "indent")}
_OF_LOOP: Final = {"index": "{0}.index0 + 1", "index0": "{0}.index0", "first": "{0}.index0 == 0", "last": "{0}.last"}
# What begins the name of something that is no attribute of the environment but a variable of the code.
_LOCAL: Final = "local "
# Jinja keeps what these make or hand on in a pass of a loop.
_LOOP_VARIABLES_IN: Final = (
    nodes.Assign, nodes.AssignBlock, nodes.Call, nodes.CallBlock, nodes.FromImport, nodes.Import, nodes.Macro,
)  # fmt: skip


class OutputGenerator(CodeGenerator):
    """Writes code for mappings and text; whatever else turns up at run time goes to the environment as in Jinja."""

    def write_commons(self) -> None:
        """Write what every function begins with."""
        super().write_commons()
        self.writeline("meter = environment.meter()")
        self.writeline("printed = environment.printed")
        self.writeline("LoopContext = environment.walk")
        if self._slots:
            self.writeline("fingerprints, cache = context.fingerprints, context.cache")

    def visit_ExprStmt(self, node: nodes.ExprStmt, frame: Frame) -> None:  # noqa: N802 -- Jinja's visitor name
        """Write a statement; a number stands for that many steps, as no template can say."""
        if not isinstance(node.node, nodes.Const):
            super().visit_ExprStmt(node, frame)
            return
        self.writeline(f"meter.steps -= {node.node.value}", node)
        self.writeline("if meter.steps < 0: meter.refuse_steps()")

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802
        """Write the whole template."""
        self._keeps_loop_variables = any(node.find_all(_LOOP_VARIABLES_IN))
        self._slots = {scope: number for number, scope in enumerate(node.find_all(nodes.Scope))}
        self.writeline(f"slots = [object() for _ in range({len(self._slots)})]")
        super().visit_Template(node, frame)

    def visit_Scope(self, node: nodes.Scope, frame: Frame) -> None:  # noqa: N802
        """Write a subtree whose text may be cached; see `memoizable`."""
        names: tuple[str, ...] = node.names  # type: ignore[attr-defined]  # set by `memoizable`
        key, text, before = (self.temporary_identifier() for _ in range(3))
        slot = f"slots[{self._slots[node]}]"
        self.writeline(f"{key} = fingerprints and environment.cache_key({names!r}, fingerprints, meter)", node)
        self.writeline(f"{text} = {key} and cache.text({slot}, {key}, meter)")
        self.writeline(f"if {text} is None:")
        self.indent()
        self.writeline(f"{before} = meter.steps, meter.output")
        inner = frame.inner()
        self.buffer(inner)
        inner.symbols.analyze_node(node)
        self.enter_frame(inner)
        self.blockvisit(node.body, inner)
        self.leave_frame(inner)
        self.writeline(f"{text} = concat({inner.buffer})")
        self.writeline(f"if {key} is not None: cache.put_text({slot}, {key}, {text}, {before}, meter)")
        self.outdent()
        self.simple_write(text, frame)

    def writeline(self, x: str, node: nodes.Node | None = None, extra: int = 0) -> None:
        """Write a line, unless it is what Jinja notes in every pass and nobody will read."""
        if x != "_loop_vars = {}" or self._keeps_loop_variables:
            super().writeline(x, node, extra)

    def visit_For(self, node: nodes.For, frame: Frame) -> None:  # noqa: N802
        """Write a loop whose passes are counted: of a list beforehand, of what may be lazy one by one."""
        values, steps = self._write_value(node.iter, frame), steps_of_a_pass(node)
        self.writeline(f"if type({values}) is list: meter.steps -= len({values}) * {steps}", node)
        self.writeline(f"else: {values} = meter.passes({values}, {steps})")
        self.writeline("if meter.steps < 0: meter.refuse_steps()")
        counted = copy(node)
        counted.iter = nodes.EnvironmentAttribute(
            f"{_LOCAL}enumerate({values})" if is_numbered(node) else _LOCAL + values
        )
        super().visit_For(counted, frame)

    def visit_EnvironmentAttribute(self, node: nodes.EnvironmentAttribute, frame: Frame) -> None:  # noqa: N802
        """Write what the environment offers, or what has been worked out in the lines above."""
        if node.name.startswith(_LOCAL):
            self.write(node.name.removeprefix(_LOCAL))
        else:
            super().visit_EnvironmentAttribute(node, frame)

    def blockvisit(self, nodes: Iterable[nodes.Node], frame: Frame) -> None:
        """Write statements, with runs of output put together."""
        super().blockvisit(nodes if frame.require_output_check else list(_put_together(nodes)), frame)

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:  # noqa: N802
        """Write text and values, each run of them in one piece."""
        if frame.require_output_check:
            if self.has_known_extends:
                return
            self.writeline("if parent_template is None:")
            self.indent()
        for run in _split(node.nodes):
            self._write_run(run, frame)
        if frame.require_output_check:
            self.outdent()

    def _write_run(self, run: Sequence[nodes.Node], frame: Frame) -> None:
        text = self._write_parts(run, frame)
        constants = [part.data for part in run if isinstance(part, nodes.TemplateData)]
        if len(constants) == len(run):
            self._count(str(sum(map(len, constants))))
        else:
            name = self.temporary_identifier()
            self.writeline(f"{name} = {text}")
            self._count(f"len({name})")
            text = name
        self.simple_write(text, frame)

    def _count(self, characters: str) -> None:
        self.writeline(f"meter.output -= {characters}")
        self.writeline("if meter.output < 0: meter.refuse_output()")

    def start_write(self, frame: Frame, node: nodes.Node | None = None) -> None:
        """Begin to write what a macro or a filter gives; it is counted as it is written."""
        super().start_write(frame, node)
        self.write("meter.write(")

    def end_write(self, frame: Frame) -> None:
        """End what `start_write` began."""
        self.write(")")
        super().end_write(frame)

    def simple_write(self, s: str, frame: Frame, node: nodes.Node | None = None) -> None:
        """Write one piece that has been counted, as what a block or another template gives has."""
        super().start_write(frame, node)
        self.write(s)
        super().end_write(frame)

    def _write_parts(self, parts: Sequence[nodes.Node], frame: Frame) -> str:
        """Write what works out the parts, and give the expression that joins them."""
        names: dict[nodes.Node, str] = {}
        texts = []
        for position, part in enumerate(parts):
            if _is_path(_value_of(part)) and part not in names:
                names |= self._write_paths(list(_neighbours(parts[position:])), frame)
            texts.append(self._write_part(part, names.get(part), frame))
        return " ".join(texts) or "''"

    def _write_part(self, part: nodes.Node, name: str | None, frame: Frame) -> str:
        if isinstance(part, nodes.TemplateData):
            return repr(part.data)
        if isinstance(part, nodes.If):
            name = self._write_choice(part, name, frame)
        elif _is_number(part) and part.attr != "first":
            name = NUMBERED[part.attr].format(frame.symbols.ref(NUMBER))
        elif name is None:
            name = self._write_value(part, frame)
            self.writeline(_AS_TEXT.format(name))
        return f"f'{{{name}}}'"

    def _write_paths(self, parts: Sequence[nodes.Node], frame: Frame) -> dict[nodes.Node, str]:
        """Write look-ups that follow each other, tried together; what is printed is made text at once."""
        names = {part: self.temporary_identifier() for part in parts}
        self.writeline("try: ", parts[0])
        for part, name in names.items():
            self.write(f"{name} = ")
            self._write_path(_value_of(part), frame)
            self.write("; ")
        self.writeline("except (KeyError, TypeError):")
        self.indent()
        for part, name in names.items():
            self.writeline(f"{name} = ", _value_of(part))
            self.visit(_value_of(part), frame)
            self._write_as_text(part, name)
        self.outdent()
        printed = [part for part in parts if not isinstance(part, nodes.If)]
        if printed:
            self.writeline("if not str is " + " is ".join(f"type({names[part]})" for part in printed) + ":")
            self.indent()
            for part in printed:
                self._write_as_text(part, names[part])
            self.outdent()
        return names

    def _write_as_text(self, part: nodes.Node, name: str) -> None:
        if not isinstance(part, nodes.If):
            self.writeline(_AS_TEXT.format(name), part)

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

    def _write_choice(self, node: nodes.If, test: str | None, frame: Frame) -> str:
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
        text = self._write_parts(list(_parts(body)), frame)
        self.writeline(f"{name} = {text}")
        self.outdent()

    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:  # noqa: N802
        """Write a filter; what takes no work worth counting is done in place."""
        if node.node is None or node.dyn_args or node.dyn_kwargs:
            super().visit_Filter(node, frame)
        elif node.name in IN_PLACE and not node.args and not node.kwargs:
            self._write_in_place(node.name, node.node, frame)
        else:
            self._write_filter(node, node.node, frame)

    def _write_in_place(self, filter_name: str, value: nodes.Expr, frame: Frame) -> None:
        name = self.temporary_identifier()
        condition, result = IN_PLACE[filter_name]
        self.write(f"({result.format(name)} if type({name} := ")
        self.visit(value, frame)
        self.write(f") {condition.format(name)} else {self.filters[filter_name]}({name}))")

    def _write_filter(self, node: nodes.Filter, value: nodes.Expr, frame: Frame) -> None:
        direct = _DIRECT.get(node.name)
        if direct is None or len(node.args) > 1 or any(option.key != direct[1] for option in node.kwargs):
            super().visit_Filter(node, frame)
            return
        self.write(f"environment.{direct[0]}(")
        self.visit(value, frame)
        self.signature(node, frame)
        self.write(")")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802
        """Write the look-up of a key."""
        if _is_number(node):
            self.write(f"({NUMBERED[node.attr].format(frame.symbols.ref(NUMBER))})")
        elif isinstance(node.node, nodes.Name) and node.node.name == "loop" and node.attr in _OF_LOOP:
            loop = frame.symbols.ref("loop")
            self.write(f"({_OF_LOOP[node.attr].format(loop)} if type({loop}) is environment.loop else ")
            self.write("environment.getattr(")
            self.visit(node.node, frame)
            self.write(f", {node.attr!r}))")
        else:
            self._write_key(node.node, node.attr, "getattr", frame)

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:  # noqa: N802
        """Write the look-up of a key or an index."""
        if isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, str):
            self._write_key(node.node, node.arg.value, "getitem", frame)
        else:
            super().visit_Getitem(node, frame)

    def _write_key(self, owner: nodes.Expr, key: str, otherwise: str, frame: Frame) -> None:
        value = self.temporary_identifier()
        named = isinstance(owner, nodes.Name)
        name = frame.symbols.ref(owner.name) if isinstance(owner, nodes.Name) else self.temporary_identifier()
        self.write(f"({value} if type(")
        if named:
            self.write(name)
        else:
            self.write(f"{name} := ")
            self.visit(owner, frame)
        self.write(f") is dict and ({value} := {name}.get({key!r}, missing)) is not missing else ")
        self.write(f"environment.{otherwise}(")
        if named:
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
    """Say whether an expression is a name followed by keys, as in `tool.risk.level`."""
    if not isinstance(node, nodes.Getattr):
        return False
    owner = node.node
    return owner.name not in ("loop", NUMBER) if isinstance(owner, nodes.Name) else _is_path(owner)


def _is_number(node: nodes.Node) -> TypeGuard[nodes.Getattr]:
    """Say whether an expression asks for the number of the pass."""
    return isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name) and node.node.name == NUMBER


def _value_of(part: nodes.Node) -> nodes.Node:
    """Give what is worked out for a part: the condition of a choice, or the value itself."""
    return part.test if isinstance(part, nodes.If) else part


def _neighbours(parts: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    """Give the parts that follow each other with nothing but look-ups to work out."""
    for part in parts:
        if isinstance(part, nodes.TemplateData):
            continue
        if not _is_path(_value_of(part)):
            return
        yield part
        if isinstance(part, nodes.If):
            return


def _put_together(statements: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    """Make one output of neighbours that do nothing but print."""
    run: list[nodes.Node] = []
    for statement in statements:
        if _only_prints(statement):
            run.append(statement)
            continue
        yield from _as_output(run)
        run = []
        yield statement
    yield from _as_output(run)


def _as_output(run: list[nodes.Node]) -> Iterator[nodes.Output]:
    if run:
        yield nodes.Output(list(_parts(run)), lineno=run[0].lineno)


def _parts(statements: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    for statement in statements:
        if isinstance(statement, nodes.Output):
            yield from statement.nodes
        else:
            yield statement


def _only_prints(node: nodes.Node) -> bool:
    if isinstance(node, nodes.If):
        return all(map(_only_prints, [*node.body, *node.elif_, *node.else_]))
    return isinstance(node, nodes.Output)


def _split(parts: Sequence[nodes.Node]) -> Iterator[list[nodes.Node]]:
    run: list[nodes.Node] = []
    values = 0
    for part in parts:
        run.append(part)
        values += _count_values(part)
        if values >= _VALUES_A_RUN:
            yield run
            run, values = [], 0
    if run:
        yield run


def _count_values(part: nodes.Node) -> int:
    if isinstance(part, nodes.If):
        branches = [part.body, *(branch.body for branch in part.elif_), part.else_]
        return max(sum(map(_count_values, _parts(branch))) for branch in branches)
    return not isinstance(part, nodes.TemplateData)
