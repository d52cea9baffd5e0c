"""The code generator with tracing: every printed piece carries its number.

It writes the same code, except that pieces are printed one by one and marked. Text that a macro, a block assignment or
a filter captures is joined to plain text, as always: it is traced as the expression that prints it.
"""

from collections.abc import Iterable, Sequence

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame

from promptpack.template.codegen import PackGenerator, load_with
from promptpack.template.output_codegen import OutputGenerator


class TracingGenerator(PackGenerator):
    """Writes `environment.trace(number, text, context)` around each piece that is not captured."""

    _number: int | None = None

    def blockvisit(self, nodes: Iterable[nodes.Node], frame: Frame) -> None:
        """Write statements; only captured outputs are merged."""
        if frame.buffer is None:
            CodeGenerator.blockvisit(self, nodes, frame)
        else:
            super().blockvisit(nodes, frame)

    def _write_chunk(self, chunk: Sequence[nodes.Node], frame: Frame) -> None:
        if frame.buffer is not None:
            super()._write_chunk(chunk, frame)
            return
        for piece in chunk:
            self._number = number_of(piece)
            super()._write_chunk([piece], frame)
            self._number = None

    def simple_write(self, s: str, frame: Frame, node: nodes.Node | None = None) -> None:
        """Write a text that is counted already; a piece is marked with its number."""
        traced = s if self._number is None else f"environment.trace({self._number}, {s}, context)"
        super().simple_write(traced, frame, node)

    def start_write(self, frame: Frame, node: nodes.Node | None = None) -> None:
        """Start to write the result of a filter block or a call block."""
        if frame.buffer is not None or node is None:
            super().start_write(frame, node)
            return
        CodeGenerator.start_write(self, frame, node)
        self._number = number_of(node)
        self.write(f"environment.trace({self._number}, meter.write(")

    def end_write(self, frame: Frame) -> None:
        """Finish what `start_write` started."""
        super().end_write(frame)
        if self._number is not None:
            self.write(", context)")
            self._number = None

    def visit_Include(self, node: nodes.Include, frame: Frame) -> None:  # noqa: N802 -- Jinja's visitor name
        """Write an include that passes its number to the partial."""
        number = nodes.Const(number_of(node), lineno=node.lineno)
        OutputGenerator.visit_Include(self, load_with("include_at", node, number), frame)


def number_of(node: nodes.Node) -> int:
    """Return the number of a piece or an include."""
    number: int = node.number  # type: ignore[attr-defined]  # set by `TracingEngine`
    return number
