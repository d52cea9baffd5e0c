"""The Handlebars syntax: our parser, which returns the syntax tree of an equivalent Jinja template."""

import re
from dataclasses import dataclass, field
from typing import Final

from jinja2 import nodes

from promptpack.problem import PackError, Problem, did_you_mean
from promptpack.template.handlebars_names import LOOP_DATA, RAW_HINT, TagError, validate_name
from promptpack.template.model import Source
from promptpack.template.positions import LineStarts, decode
from promptpack.template.tree import HANDLEBARS_VALUES, OUTLINED

_ITEM: Final = "item"
_ITEM_NAMES: Final = (_ITEM, "this")
_CONDITIONS: Final = ("if", "unless")
_BLOCKS: Final = (*_CONDITIONS, "each", "raw")
_LONG_COMMENT: Final = re.compile(r"\{\{~?!--")
_RAW_END: Final = re.compile(r"\{\{\s*/\s*raw\s*\}\}")
# Python allows 20 nested loops in one function, so after this many levels the inner ones become another function.
_LEVELS_A_FUNCTION: Final = 12
_MAX_DEPTH: Final = 100


def parse(source: Source) -> nodes.Template:
    """Return the tree of a template; raise all its problems together."""
    parser = _HandlebarsParser(source)
    body = parser.parse()
    if parser.problems:
        raise PackError(parser.problems)
    return nodes.Template(body, lineno=1)


@dataclass(slots=True)
class _OpenBlock:
    """A block that is not closed yet."""

    kind: str = ""
    name: str = ""
    position: int = 0
    body: list[nodes.Node] = field(default_factory=list)
    branches: list[tuple[nodes.Expr, list[nodes.Node]]] = field(default_factory=list)
    """The conditions before the last one, with their bodies."""
    test: nodes.Expr | None = None
    """The condition of the body; None after '{{else}}'."""
    values: nodes.Call | None = None
    """The items of '{{#each}}'."""
    is_numbered: bool = False
    """Whether the body uses '@index', '@first' or '@last'."""

    @property
    def start(self) -> str:
        return f"'{{{{#{self.kind}}}}}'"

    @property
    def end(self) -> str:
        return f"'{{{{/{self.kind}}}}}'"


class _HandlebarsParser:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._starts = LineStarts(source.text)
        self._offset = 0
        self._position = 0
        self._functions = 0
        self._trims_next = False
        self._open = [_OpenBlock()]
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
            self._add_trimmed(text[self._offset : start], before_trim=text.startswith("{{~", start))
            self._read_tag(start)
        self._add_trimmed(text[self._offset :])
        while len(self._open) > 1:
            self._report_unclosed(self._open.pop())
        return self._open[0].body

    def _read_tag(self, start: int) -> None:
        text = self._source.text
        self._position = self._starts.position(start)
        mark = "--}}" if _LONG_COMMENT.match(text, start) else "}}"
        end = text.find(mark, start + 2)
        self._offset = end + len(mark) if end >= 0 else len(text)
        if end < 0:
            hint = RAW_HINT if mark == "}}" else f"close the comment with '{mark}'"
            self._unlocated.append((self._position, "PP311", f"tag is not closed with '{mark}'", hint))
            return
        tag = text[start + 2 : end]
        self._trims_next = tag.endswith("~")
        try:
            self._add_tag(tag.removeprefix("~").removesuffix("~").strip())
        except TagError as error:
            self._unlocated.append((self._position, *error.args))

    def _add_tag(self, tag: str) -> None:
        match tag[:1]:
            case "#":
                self._open_block(tag[1:].split())
            case "/":
                self._close_blocks(" ".join(tag[1:].split()))
            case ">":
                partial = nodes.Const(self._validate(tag[1:], tag), lineno=self._position)
                self._add(nodes.Include(partial, True, False, lineno=self._position))
            case "!":
                pass
            case _ if tag.split(maxsplit=1)[:1] == ["else"]:
                self._start_else(tag.split()[1:])
            case _:
                name = self._validate(tag.removeprefix("&"), tag)
                self._add(nodes.Output([self._call_with_name("text", name)], lineno=self._position))

    def _open_block(self, words: list[str]) -> None:
        if words == ["raw"]:
            self._read_raw()
            return
        if len(self._open) > _MAX_DEPTH:
            # Skip the rest, whose problems would only follow from this one.
            self._offset, self._open = len(self._source.text), self._open[:1]
            raise TagError("PP317", f"blocks are nested more than {_MAX_DEPTH} levels deep", "use partials")
        block = _OpenBlock(words[0] if words else "", " ".join(words[1:]), self._position)
        # An invalid block is opened too, so that its end is not another problem.
        self._open.append(block)
        if block.kind not in _BLOCKS:
            hint = did_you_mean(block.kind, _BLOCKS) or "the blocks are 'if', 'unless', 'each' and 'raw'"
            raise TagError("PP313", f"unknown block {block.kind!r}", hint)
        if block.kind == "raw":
            raise TagError("PP312", f"'{{{{#raw}}}}' takes no name, but has {block.name!r}", "write '{{#raw}}'")
        # Its name belongs to the block around it.
        self._open.pop()
        try:
            name = self._validate(block.name, f"#{block.kind} {block.name}".strip())
            if block.kind in _CONDITIONS:
                block.test = self._test(name, is_negated=block.kind == "unless")
            else:
                block.values = self._call_with_name("items", name)
        finally:
            self._open.append(block)

    def _read_raw(self) -> None:
        end = _RAW_END.search(self._source.text, self._offset)
        if end is None:
            self._offset = len(self._source.text)
            raise TagError("PP314", "'{{#raw}}' is not closed", "close it with '{{/raw}}'")
        self._add_text(self._source.text[self._offset : end.start()], self._offset)
        self._offset = end.end()

    def _start_else(self, words: list[str]) -> None:
        block = self._open[-1]
        if words and words[0] != "if":
            raise TagError("PP312", f"'else {words[0]}' is not supported", "use '{{else}}' or '{{else if}}'")
        if block.kind not in _CONDITIONS:
            raise TagError("PP316", "'{{else}}' is not directly inside '{{#if}}' or '{{#unless}}'", "move or remove it")
        if block.test is None:
            raise TagError("PP316", f"{block.start} has a second '{{{{else}}}}'", "remove one of them")
        block.branches.append((block.test, block.body))
        block.test, block.body = None, []
        if words:
            block.test = self._test(self._validate(" ".join(words[1:]), " ".join(("else", *words))))

    def _close_blocks(self, kind: str) -> None:
        if len(self._open) > 1 and self._open[-1].kind not in _BLOCKS:
            self._open.pop()  # reported where it is opened
            return
        if all(block.kind != kind for block in self._open[1:]):
            if len(self._open) == 1:
                raise TagError("PP315", f"'{{{{/{kind}}}}}' closes no open block", "no block is open here")
            block = self._open[-1]
            if f"{{{{/{block.kind}" not in self._source.text[self._offset :]:
                # It is meant to close the block, which would be a second problem.
                self._open.pop()
            raise TagError("PP315", f"'{{{{/{kind}}}}}' does not close {block.start}", f"write {block.end}")
        while self._open[-1].kind != kind:
            self._report_unclosed(self._open.pop())
        self._add_block(self._open.pop())

    def _report_unclosed(self, block: _OpenBlock) -> None:
        self._unlocated.append((block.position, "PP314", f"{block.start} is not closed", f"close it with {block.end}"))

    def _add_block(self, block: _OpenBlock) -> None:
        self._position = block.position
        if block.kind == "each" and block.values is not None:
            self._add(self._loop(block, block.values))
        elif block.kind in _CONDITIONS and (block.test or block.branches):
            self._add(self._condition(block))

    def _loop(self, block: _OpenBlock, values: nodes.Call) -> nodes.For:
        target: nodes.Expr = nodes.Name(_ITEM, "store", lineno=block.position)
        if block.is_numbered:
            names = [nodes.Name(name, "store", lineno=block.position) for name in LOOP_DATA.values()]
            target = nodes.Tuple([*names, target], "store", lineno=block.position)
            values = self._call("numbered", values)
        return nodes.For(target, values, self._outline(block.body), [], None, False, lineno=block.position)

    def _condition(self, block: _OpenBlock) -> nodes.If:
        other = block.body if block.test is None else []
        branches = block.branches if block.test is None else [*block.branches, (block.test, block.body)]
        first, *others = (
            nodes.If(test, self._outline(body), [], [], lineno=test.lineno or block.position) for test, body in branches
        )
        first.elif_, first.else_ = others, self._outline(other)
        return first

    def _outline(self, body: list[nodes.Node]) -> list[nodes.Node]:
        if not body or len(self._open) % _LEVELS_A_FUNCTION:
            return body
        self._functions += 1
        return [nodes.Block(f"{OUTLINED}{self._functions}", body, False, False, lineno=self._position)]

    def _add_trimmed(self, text: str, *, before_trim: bool = False) -> None:
        """Add the text before a tag, without the white space that a '~' next to it removes."""
        start = self._offset + (len(text) - len(text.lstrip()) if self._trims_next else 0)
        text = text.lstrip() if self._trims_next else text
        self._trims_next = False
        self._add_text(text.rstrip() if before_trim else text, start)

    def _add_text(self, text: str, start: int) -> None:
        if text:
            data = nodes.TemplateData(text, lineno=self._starts.position(start))
            self._add(nodes.Output([data], lineno=self._position))

    def _add(self, node: nodes.Node) -> None:
        self._open[-1].body.append(node)

    def _call_with_name(self, function: str, name: str) -> nodes.Call:
        return self._call(function, nodes.ContextReference(), nodes.Const(name), self._value(name))

    def _validate(self, text: str, tag: str) -> str:
        name = text.strip()
        # An unknown block may be meant as a loop.
        in_loop = self._innermost_loop or any(block.kind not in _BLOCKS for block in self._open[1:])
        return name if name in LOOP_DATA and in_loop else validate_name(name, tag)

    @property
    def _innermost_loop(self) -> _OpenBlock | None:
        return next((block for block in reversed(self._open) if block.kind == "each"), None)

    def _test(self, name: str, *, is_negated: bool = False) -> nodes.Expr:
        test: nodes.Expr = self._call("truth", self._value(name))
        return nodes.Not(test, lineno=self._position) if is_negated else test

    def _value(self, name: str) -> nodes.Expr:
        loop = self._innermost_loop
        root, *keys = name.split(".")
        if loop is not None and root in _ITEM_NAMES:
            item = nodes.Name(_ITEM, "load", lineno=self._position)
            return self._call("follow", item, *map(nodes.Const, keys)) if keys else item
        if loop is not None and name in LOOP_DATA:
            loop.is_numbered = True
            return nodes.Name(LOOP_DATA[name], "load", lineno=self._position)
        return self._call("look_up", nodes.ContextReference(), nodes.Const(name))

    def _call(self, function: str, *arguments: nodes.Expr) -> nodes.Call:
        called = nodes.ImportedName(f"{HANDLEBARS_VALUES}.{function}")
        return nodes.Call(called, list(arguments), [], None, None, lineno=self._position)
