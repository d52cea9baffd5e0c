"""The language server: answers the requests of an editor over stdio, with the functions of this folder."""

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from itertools import groupby
from typing import Any, BinaryIO, cast

from lsprotocol import types
from pygls import uris
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.workspace import TextDocument

from promptpack import __version__, files
from promptpack.document import normalize
from promptpack.document.edits import Edit
from promptpack.editor import (
    Buffer,
    OutlineItem,
    Workspace,
    complete,
    define,
    describe,
    find_references,
    find_renamable,
    find_tokens,
    outline,
    rename,
)
from promptpack.editor.message_stream import MessageStream
from promptpack.editor.pack_requests import (
    PREVIEW,
    REQUESTS,
    RUN_TESTS,
    TESTS,
    PackParams,
    PreviewParams,
    RunTestsParams,
    list_tests,
    run_tests,
    write_preview,
)
from promptpack.problem import Location, Problem, PromptpackError, UsageError

# Seconds without typing before a file is linted.
_LINT_DELAY = 0.15
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_ITEM_KINDS = {
    "attribute": types.CompletionItemKind.Property,
    "block": types.CompletionItemKind.Keyword,
    "filter": types.CompletionItemKind.Function,
    "pack": types.CompletionItemKind.Module,
    "partial": types.CompletionItemKind.File,
    "tag": types.CompletionItemKind.Keyword,
    "test": types.CompletionItemKind.Operator,
    "value": types.CompletionItemKind.EnumMember,
}
_TOKEN_KINDS = ["parameter", "variable", "function"]
_SYMBOL_KINDS = {
    "inputs": types.SymbolKind.Variable,
    "messages": types.SymbolKind.String,
    "partials": types.SymbolKind.File,
    "actions": types.SymbolKind.Event,
    "rules": types.SymbolKind.Function,
    "tests": types.SymbolKind.Method,
    "steps": types.SymbolKind.Class,
}


class _Protocol(LanguageServerProtocol):
    """Answers also requests with invalid parameters, such as a negative position, which pygls only logs."""

    def get_message_type(self, method: str) -> type[Any] | None:  # type: ignore[override] # there, it is cached
        return REQUESTS.get(method) or super().get_message_type(method)

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], error=error.to_response_error())
            raise


class PackServer:
    """Translates between LSP and this package; positions are counted as the editor counts them."""

    def __init__(self) -> None:
        self.workspace: Workspace = Workspace()
        self.server: LanguageServer = LanguageServer("promptpack", __version__, protocol_cls=_Protocol)
        features: dict[str, tuple[Any, Any]] = {
            types.TEXT_DOCUMENT_DID_OPEN: (self._opened, None),
            types.TEXT_DOCUMENT_DID_CHANGE: (self._changed, None),
            types.TEXT_DOCUMENT_DID_SAVE: (self._saved, None),
            types.TEXT_DOCUMENT_DID_CLOSE: (self._closed, None),
            types.TEXT_DOCUMENT_COMPLETION: (
                self._complete,
                types.CompletionOptions(trigger_characters=["{", "|", ".", '"', "'", " "]),
            ),
            types.TEXT_DOCUMENT_HOVER: (self._hover, None),
            types.TEXT_DOCUMENT_DEFINITION: (self._define, None),
            types.TEXT_DOCUMENT_REFERENCES: (self._references, None),
            types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (self._outline, None),
            types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (
                self._tokens,
                types.SemanticTokensLegend(token_types=_TOKEN_KINDS, token_modifiers=[]),
            ),
            types.TEXT_DOCUMENT_PREPARE_RENAME: (self._prepare_rename, None),
            types.TEXT_DOCUMENT_RENAME: (self._rename, types.RenameOptions(prepare_provider=True)),
            types.TEXT_DOCUMENT_CODE_ACTION: (
                self._fixes,
                types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
            ),
            PREVIEW: (self._preview, None),
            TESTS: (self._list_tests, None),
            RUN_TESTS: (self._run_tests, None),
        }
        for name, (function, options) in features.items():
            # pygls sets attributes on the function, which a bound method does not allow.
            self.server.feature(name, options)(partial(function))

    def run(self) -> None:
        """Serve one editor until it disconnects, or sends something that is not a message."""
        stream = MessageStream(sys.stdin.buffer)
        self.server.start_io(cast("BinaryIO", stream))
        if stream.is_broken:
            raise UsageError(Problem("PP925", "the editor sent a broken header", None, "restart the server"))

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        self._publish(self._document(params.text_document.uri))

    async def _changed(self, params: types.DidChangeTextDocumentParams) -> None:
        await asyncio.sleep(_LINT_DELAY)
        document = self._document(params.text_document.uri)
        if document.version == params.text_document.version:
            self._publish(document)

    def _saved(self, params: types.DidSaveTextDocumentParams) -> None:
        self.workspace.refresh()
        self._publish(self._document(params.text_document.uri))

    def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        self.server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))

    def _complete(self, params: types.CompletionParams) -> types.CompletionList:
        document = self._document(params.text_document.uri)
        offset = document.offset_at_position(params.position)
        proposals = complete(self._buffer(document), offset)
        # All proposals replace the same word.
        where = _range(document, proposals[0].start if proposals else offset, offset)
        items = [
            types.CompletionItem(
                proposal.symbol.name,
                kind=_ITEM_KINDS.get(proposal.kind, types.CompletionItemKind.Variable),
                detail=proposal.symbol.detail,
                documentation=types.MarkupContent(types.MarkupKind.Markdown, proposal.symbol.text),
                sort_text=f"{rank:04}",
                text_edit=types.TextEdit(where, proposal.symbol.name),
            )
            for rank, proposal in enumerate(proposals)
        ]
        return types.CompletionList(is_incomplete=False, items=items)

    def _hover(self, params: types.HoverParams) -> types.Hover | None:
        document = self._document(params.text_document.uri)
        found = describe(self._buffer(document), document.offset_at_position(params.position))
        if found is None:
            return None
        text = types.MarkupContent(types.MarkupKind.Markdown, found.text)
        return types.Hover(text, _range(document, found.start, found.end))

    def _define(self, params: types.DefinitionParams) -> types.Location | None:
        document = self._document(params.text_document.uri)
        found = define(self._buffer(document), document.offset_at_position(params.position))
        if found is None:
            return None
        return types.Location(_uri(found.path), self._range_of(self._lines(found.path), found))

    def _references(self, params: types.ReferenceParams) -> list[types.Location]:
        document = self._document(params.text_document.uri)
        offset = document.offset_at_position(params.position)
        with _as_messages():
            found = find_references(self._buffer(document), offset)
        return [
            types.Location(_uri(path), self._range_of(lines, one))
            for path, several in groupby(found, lambda location: location.path)
            for lines in [self._lines(path)]
            for one in several
        ]

    def _outline(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        document = self._document(params.text_document.uri)
        is_known = self.workspace.is_known(document.path, document.source)
        return self._symbols(document.lines, outline(document.source)) if is_known else []

    def _symbols(self, lines: Sequence[str], items: Sequence[OutlineItem]) -> list[types.DocumentSymbol]:
        return [
            types.DocumentSymbol(
                name=item.name or '""',
                kind=_SYMBOL_KINDS.get(item.section, types.SymbolKind.Namespace),
                range=self._range_of(lines, replace(item.location, end_line=item.last_line + 1, end_column=1)),
                selection_range=self._range_of(lines, item.location),
                children=self._symbols(lines, item.items),
            )
            for item in items
        ]

    def _tokens(self, params: types.SemanticTokensParams) -> types.SemanticTokens:
        document = self._document(params.text_document.uri)
        lines, data = document.lines, list[int]()
        last = types.Position(0, 0)
        for location, kind in find_tokens(self._buffer(document)):
            where = self._range_of(lines, location)
            start, length = where.start, where.end.character - where.start.character
            before = last.character if start.line == last.line else 0
            data += (start.line - last.line, start.character - before, length, _TOKEN_KINDS.index(kind), 0)
            last = start
        return types.SemanticTokens(data)

    def _prepare_rename(self, params: types.PrepareRenameParams) -> types.Range | None:
        document = self._document(params.text_document.uri)
        span = find_renamable(self._buffer(document), document.offset_at_position(params.position))
        return None if span is None else _range(document, *span)

    def _rename(self, params: types.RenameParams) -> types.WorkspaceEdit:
        document = self._document(params.text_document.uri)
        offset = document.offset_at_position(params.position)
        with _as_messages():
            replacements = rename(self._buffer(document), offset, params.new_name)
        changes: dict[str, list[types.TextEdit]] = {}
        for path, several in groupby(replacements, lambda replacement: replacement.location.path):
            lines = self._lines(path)
            changes[_uri(path)] = [types.TextEdit(self._range_of(lines, one.location), one.text) for one in several]
        return types.WorkspaceEdit(changes=changes)

    def _fixes(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        document = self._document(params.text_document.uri)
        where = range(params.range.start.line + 1, params.range.end.line + 2)
        parsed = normalize(document.source)
        lines = document.lines
        return [
            types.CodeAction(
                title=f"{problem.code}: {fix.title}",
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[self._diagnostic(document, lines, problem)],
                edit=types.WorkspaceEdit(
                    changes={document.uri: [self._text_edit(parsed, lines, edit) for edit in fix.edits]}
                ),
            )
            for problem, fix in self.workspace.find_fixes(document.path, document.source, where)
        ]

    def _preview(self, params: PreviewParams) -> dict[str, Any]:
        with _as_messages():
            return write_preview(self._pack(params), params)

    def _list_tests(self, params: PackParams) -> dict[str, Any]:
        with _as_messages():
            return list_tests(self._pack(params), self._make_place())

    async def _run_tests(self, params: RunTestsParams) -> dict[str, Any]:
        with _as_messages():
            return await run_tests(self._pack(params), params.tests, self._make_place())

    def _pack(self, params: PackParams) -> Buffer:
        document = self._document(params.uri)
        if not self.workspace.is_pack(document.source):
            raise JsonRpcException("the document is not a pack", types.LSPErrorCodes.RequestFailed)
        return self._buffer(document)

    def _make_place(self) -> Callable[[Location], dict[str, Any]]:
        """Return a function that writes locations; it reads each file once."""
        lines = cache(self._lines)
        return lambda location: {
            "uri": _uri(location.path),
            "range": self._range_of(lines(location.path), location),
        }

    def _text_edit(self, text: str, lines: Sequence[str], edit: Edit) -> types.TextEdit:
        ends = (self._client_position(lines, *_line_and_column(text, offset)) for offset in (edit.start, edit.end))
        return types.TextEdit(types.Range(*ends), edit.text)

    def _document(self, uri: str) -> TextDocument:
        document: TextDocument | None = self.server.workspace.text_documents.get(uri)
        if document is None:
            # Not read from the disk: it may be a device, or larger than the memory.
            raise JsonRpcException("the document is not open", types.ErrorCodes.InvalidParams)
        return document

    def _buffer(self, document: TextDocument) -> Buffer:
        return self.workspace.open(document.path, document.source)

    def _publish(self, document: TextDocument) -> None:
        try:
            problems = self.workspace.report(document.path, document.source).problems
        except PromptpackError as error:
            problems = error.problems
        lines = document.lines
        diagnostics = [self._diagnostic(document, lines, problem) for problem in problems]
        self.server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(document.uri, diagnostics, document.version)
        )

    def _diagnostic(self, document: TextDocument, lines: Sequence[str], problem: Problem) -> types.Diagnostic:
        location = problem.location
        is_here = location is not None and location.path == document.path
        message = problem.message if is_here or location is None else f"{location}: {problem.message}"
        start = location if is_here and location else Location(document.path, 1, 1)
        return types.Diagnostic(
            range=self._range_of(lines, start),
            severity=_SEVERITIES[problem.severity],
            code=problem.code,
            source="promptpack",
            message=f"{message}\nhint: {problem.hint}" if problem.hint else message,
        )

    def _range_of(self, lines: Sequence[str], location: Location) -> types.Range:
        ends = ((location.line, location.column), location.end)
        return types.Range(
            *(self._client_position(lines, max(line - 1, 0), max(column - 1, 0)) for line, column in ends)
        )

    def _client_position(self, lines: Sequence[str], line: int, column: int) -> types.Position:
        return self.server.workspace.position_codec.position_to_client_units(lines, types.Position(line, column))

    def _lines(self, path: str) -> Sequence[str]:
        uri = _uri(path)
        if uri in self.server.workspace.text_documents:
            return self._document(uri).lines
        return files.read(path).decode().splitlines(keepends=True)


@contextmanager
def _as_messages() -> Iterator[None]:
    """Turn problems into the error of a request, which the editor shows to the user."""
    try:
        yield
    except PromptpackError as error:
        raise JsonRpcException(str(error), types.LSPErrorCodes.RequestFailed) from error


def _range(document: TextDocument, start: int, end: int) -> types.Range:
    lines, codec = document.lines, document.position_codec
    ends = (types.Position(*_line_and_column(document.source, offset)) for offset in (start, end))
    return types.Range(*(codec.position_to_client_units(lines, position) for position in ends))


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1


def _uri(path: str) -> str:
    return str(uris.from_fs_path(path))
