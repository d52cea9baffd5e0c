"""The Handlebars syntax: our parser, which returns the syntax tree of an equivalent Jinja template."""

import re
from dataclasses import dataclass, field
from typing import Final

from jinja2 import nodes

from promptpack.problem import PackError, Problem, did_you_mean
from promptpack.template.model import Source
from promptpack.template.positions import LineStarts, UnnormalizedNameError, check_normalized, decode
from promptpack.template.tree import HANDLEBARS_VALUES, OUTLINED

_ITEM: Final = "item"
_BLOCKS: Final = ("if", "each", "raw")
_NAME: Final = re.compile(r"[^\s{}]+")
_RAW_END: Final = re.compile(r"\{\{\s*/\s*raw\s*\}\}")
_RAW_HINT: Final = "write literal braces between '{{#raw}}' and '{{/raw}}'"
# Python allows 20 nested loops in one function, so after this many levels the inner ones become another function.
_LEVELS_A_FUNCTION: Final = 12
_MAX_DEPTH: Final = 100


def parse(source: Source) -> nodes.Template:
    """Return the tree of a template; raise all its problems together."""
    parser = _Parser(source)
    body = parser.parse()
    if parser.problems:
        raise PackError(parser.problems)
    return nodes.Template(body, lineno=1)


@dataclass(slots=True)
class _Block:
    """A block that is not closed yet."""

    kind: str = ""
    name: str = ""
    position: int = 0
    body: list[nodes.Node] = field(default_factory=list)
    before_else: list[nodes.Node] | None = None

    @property
    def start(self) -> str:
        return f"'{{{{#{self.kind}}}}}'"

    @property
    def end(self) -> str:
        return f"'{{{{/{self.kind}}}}}'"


class _TagError(Exception):
    """A tag is invalid; the arguments are the code, the message and the hint of the problem."""


class _Parser:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._starts = LineStarts(source.text)
        self._offset = 0
        self._position = 0
        self._functions = 0
        self._open = [_Block()]
        self._unlocated: list[tuple[int, str, str, str]] = []

    @property
    def problems(self) -> list[Problem]:
        return [
            Problem(code, message, self._source.locate(*decode(position)), hint)
            for position, code, message, hint in sorted(self._unlocated)
        ]

    def parse(self) -> list[nodes.Node]:
        text = self._source.text
        while (start := text.find("{{", self._offset)) >= 0:
            self._add_text(text[self._offset : start])
            self._read_tag(start)
        self._add_text(text[self._offset :])
        while len(self._open) > 1:
            self._report_unclosed(self._open.pop())
        return self._open[0].body

    def _read_tag(self, start: int) -> None:
        text = self._source.text
        self._position = self._starts.position(start)
        end = text.find("}}", start + 2)
        self._offset = end + 2 if end >= 0 else len(text)
        if end < 0:
            self._unlocated.append((self._position, "PP311", "tag is not closed with '}}'", _RAW_HINT))
            return
        try:
            self._add_tag(text[start + 2 : end].strip())
        except _TagError as error:
            self._unlocated.append((self._position, *error.args))

    def _add_tag(self, tag: str) -> None:
        match tag[:1]:
            case "#":
                self._open_block(tag[1:].split())
            case "/":
                self._close_blocks(" ".join(tag[1:].split()))
            case ">":
                partial = nodes.Const(_validate_name(tag[1:], tag), lineno=self._position)
                self._add(nodes.Include(partial, True, False, lineno=self._position))
            case _ if tag == "else":
                self._start_else()
            case _:
                self._add(nodes.Output([self._call_with_name("text", _validate_name(tag, tag))], lineno=self._position))

    def _open_block(self, words: list[str]) -> None:
        if words == ["raw"]:
            self._read_raw()
            return
        if len(self._open) > _MAX_DEPTH:
            # Skip the rest, whose problems would only follow from this one.
            self._offset, self._open = len(self._source.text), self._open[:1]
            raise _TagError("PP317", f"blocks are nested more than {_MAX_DEPTH} levels deep", "use partials")
        block = _Block(words[0] if words else "", " ".join(words[1:]), self._position)
        # An invalid block is opened too, so that its end is not another problem.
        self._open.append(block)
        if block.kind not in _BLOCKS:
            hint = did_you_mean(block.kind, _BLOCKS) or "the blocks are 'if', 'each' and 'raw'"
            raise _TagError("PP313", f"unknown block {block.kind!r}", hint)
        if block.kind == "raw":
            raise _TagError("PP312", f"'{{{{#raw}}}}' takes no name, but has {block.name!r}", "write '{{#raw}}'")
        _validate_name(block.name, f"#{block.kind} {block.name}".strip())

    def _read_raw(self) -> None:
        end = _RAW_END.search(self._source.text, self._offset)
        if end is None:
            self._offset = len(self._source.text)
            raise _TagError("PP314", "'{{#raw}}' is not closed", "close it with '{{/raw}}'")
        self._add_text(self._source.text[self._offset : end.start()])
        self._offset = end.end()

    def _start_else(self) -> None:
        block = self._open[-1]
        if block.kind != "if":
            raise _TagError("PP316", "'{{else}}' is not directly inside '{{#if}}'", "move or remove it")
        if block.before_else is not None:
            raise _TagError("PP316", "'{{#if}}' has a second '{{else}}'", "remove one of them")
        block.before_else, block.body = block.body, []

    def _close_blocks(self, kind: str) -> None:
        if all(block.kind != kind for block in self._open[1:]):
            hint = f"close the open block with {self._open[-1].end}" if len(self._open) > 1 else "no block is open here"
            raise _TagError("PP315", f"'{{{{/{kind}}}}}' closes no open block", hint)
        while self._open[-1].kind != kind:
            self._report_unclosed(self._open.pop())
        self._add_block(self._open.pop())

    def _report_unclosed(self, block: _Block) -> None:
        self._unlocated.append((block.position, "PP314", f"{block.start} is not closed", f"close it with {block.end}"))

    def _add_block(self, block: _Block) -> None:
        self._position = block.position
        if block.kind == "each":
            target = nodes.Name(_ITEM, "store", lineno=block.position)
            values = self._call_with_name("items", block.name)
            self._add(nodes.For(target, values, self._outline(block.body), [], None, False, lineno=block.position))
        elif block.kind == "if":
            then, other = (block.body, []) if block.before_else is None else (block.before_else, block.body)
            test = self._call("truth", self._value(block.name))
            self._add(nodes.If(test, self._outline(then), [], self._outline(other), lineno=block.position))

    def _outline(self, body: list[nodes.Node]) -> list[nodes.Node]:
        if not body or len(self._open) % _LEVELS_A_FUNCTION:
            return body
        self._functions += 1
        return [nodes.Block(f"{OUTLINED}{self._functions}", body, False, False, lineno=self._position)]

    def _add_text(self, text: str) -> None:
        if text:
            self._add(nodes.Output([nodes.TemplateData(text)], lineno=self._position))

    def _add(self, node: nodes.Node) -> None:
        self._open[-1].body.append(node)

    def _call_with_name(self, function: str, name: str) -> nodes.Call:
        return self._call(function, nodes.ContextReference(), nodes.Const(name), self._value(name))

    def _value(self, name: str) -> nodes.Expr:
        if name == _ITEM and any(block.kind == "each" for block in self._open):
            return nodes.Name(_ITEM, "load", lineno=self._position)
        return self._call("look_up", nodes.ContextReference(), nodes.Const(name))

    def _call(self, function: str, *arguments: nodes.Expr) -> nodes.Call:
        called = nodes.ImportedName(f"{HANDLEBARS_VALUES}.{function}")
        return nodes.Call(called, list(arguments), [], None, None, lineno=self._position)


def _validate_name(text: str, tag: str) -> str:
    name = text.strip()
    if _NAME.fullmatch(name):
        try:
            check_normalized(name)
        except UnnormalizedNameError as error:
            raise _TagError("PP325", str(error), error.hint) from error
        return name
    if not name:
        raise _TagError("PP312", f"'{{{{{tag}}}}}' has no name", _RAW_HINT)
    if tag.startswith("else"):
        raise _TagError("PP312", f"{tag!r} is not supported", "put another '{{#if}}' inside '{{else}}'")
    if tag.startswith("!"):
        raise _TagError("PP312", "comments are not supported", "remove it")
    raise _TagError("PP312", f"{name!r} is not a valid name", f"a name has no spaces and no braces; {_RAW_HINT}")
