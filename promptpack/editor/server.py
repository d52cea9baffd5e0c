"""The language server: answers the requests of an editor over stdio, with the functions of this folder."""

import asyncio
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from promptpack import __version__, files
from promptpack.editor import Buffer, Workspace, complete, define, describe, find_renamable, rename
from promptpack.linter.edit import Edit
from promptpack.problem import Location, Problem, PromptpackError

# Seconds without typing before a file is linted.
_LINT_DELAY = 0.15
_WORD = re.compile(r"[\w.-]+|\S")
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
}


class PackServer:
    """Translates between LSP and this package; positions are counted as the editor counts them."""

    def __init__(self) -> None:
        self.workspace = Workspace()
        self.server = LanguageServer("promptpack", __version__)
        features: dict[str, tuple[Any, Any]] = {
            types.TEXT_DOCUMENT_DID_OPEN: (self._opened, None),
            types.TEXT_DOCUMENT_DID_CHANGE: (self._changed, None),
            types.TEXT_DOCUMENT_DID_SAVE: (self._saved, None),
            types.TEXT_DOCUMENT_DID_CLOSE: (self._closed, None),
            types.TEXT_DOCUMENT_COMPLETION: (
                self._complete,
                types.CompletionOptions(trigger_characters=["{", "|", ".", '"', " "]),
            ),
            types.TEXT_DOCUMENT_HOVER: (self._hover, None),
            types.TEXT_DOCUMENT_DEFINITION: (self._define, None),
            types.TEXT_DOCUMENT_PREPARE_RENAME: (self._prepare_rename, None),
            types.TEXT_DOCUMENT_RENAME: (self._rename, types.RenameOptions(prepare_provider=True)),
            types.TEXT_DOCUMENT_CODE_ACTION: (
                self._fixes,
                types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
            ),
        }
        for name, (function, options) in features.items():
            # pygls sets attributes on the function, which a bound method does not allow.
            self.server.feature(name, options)(partial(function))

    def run(self) -> None:
        """Serve one editor until it disconnects."""
        self.server.start_io()

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
        items = [
            types.CompletionItem(
                proposal.symbol.name,
                kind=_ITEM_KINDS.get(proposal.kind, types.CompletionItemKind.Variable),
                detail=proposal.symbol.detail,
                documentation=types.MarkupContent(types.MarkupKind.Markdown, proposal.symbol.text),
                sort_text=f"{rank:04}",
                text_edit=types.TextEdit(_range(document, proposal.start, offset), proposal.symbol.name),
            )
            for rank, proposal in enumerate(complete(self._buffer(document), offset))
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
        return None if found is None else types.Location(_uri(found.path), self._range_at(found, 0))

    def _prepare_rename(self, params: types.PrepareRenameParams) -> types.Range | None:
        document = self._document(params.text_document.uri)
        span = find_renamable(self._buffer(document), document.offset_at_position(params.position))
        return None if span is None else _range(document, *span)

    def _rename(self, params: types.RenameParams) -> types.WorkspaceEdit:
        document = self._document(params.text_document.uri)
        offset = document.offset_at_position(params.position)
        changes: dict[str, list[types.TextEdit]] = {}
        try:
            for replacement in rename(self._buffer(document), offset, params.new_name):
                edit = types.TextEdit(self._range_at(replacement.location, replacement.length), replacement.text)
                changes.setdefault(_uri(replacement.location.path), []).append(edit)
        except PromptpackError as error:
            from pygls.exceptions import JsonRpcException

            # The editor shows this text to the user.
            raise JsonRpcException(str(error), types.LSPErrorCodes.RequestFailed) from error
        return types.WorkspaceEdit(changes=changes)

    def _fixes(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        document = self._document(params.text_document.uri)
        report = self.workspace.report(document.path, document.source)
        return [
            self._fix(document, problem, edits)
            for problem, edits in report.fixes.items()
            if problem.location and params.range.start.line <= problem.location.line - 1 <= params.range.end.line
        ]

    def _fix(self, document: TextDocument, problem: Problem, edits: tuple[Edit, ...]) -> types.CodeAction:
        changes = [types.TextEdit(self._edit_range(document, edit), edit.text) for edit in edits]
        return types.CodeAction(
            title=f"Fix {problem.code}: {problem.message}",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[self._diagnostic(document, problem)],
            edit=types.WorkspaceEdit(changes={document.uri: changes}),
        )

    def _edit_range(self, document: TextDocument, edit: Edit) -> types.Range:
        # Edits count in the parsed text: without a byte order mark, and with one character per line end.
        text = document.source.removeprefix("\ufeff").replace("\r\n", "\n")
        ends = [(text.count("\n", 0, end), end - text.rfind("\n", 0, end) - 1) for end in (edit.start, edit.end)]
        return types.Range(*(_client_position(self.server, document.lines, *end) for end in ends))

    def _document(self, uri: str) -> TextDocument:
        return self.server.workspace.get_text_document(uri)

    def _buffer(self, document: TextDocument) -> Buffer:
        return self.workspace.open(document.path, document.source)

    def _publish(self, document: TextDocument) -> None:
        try:
            problems = self.workspace.report(document.path, document.source).problems
        except PromptpackError as error:
            problems = error.problems
        diagnostics = [self._diagnostic(document, problem) for problem in problems]
        self.server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(document.uri, diagnostics, document.version)
        )

    def _diagnostic(self, document: TextDocument, problem: Problem) -> types.Diagnostic:
        location = problem.location
        is_here = location is not None and location.path == document.path
        message = problem.message if is_here or location is None else f"{location}: {problem.message}"
        return types.Diagnostic(
            range=self._word_range(document, location) if is_here and location else _range(document, 0, 0),
            severity=_SEVERITIES[problem.severity],
            code=problem.code,
            source="promptpack",
            message=f"{message}\nhint: {problem.hint}" if problem.hint else message,
        )

    def _word_range(self, document: TextDocument, location: Location) -> types.Range:
        line = document.lines[location.line - 1] if 0 < location.line <= len(document.lines) else ""
        word = _WORD.match(line, max(location.column - 1, 0))
        return self._range_at(location, len(word[0]) if word else 0)

    def _range_at(self, location: Location, length: int) -> types.Range:
        lines = self._lines(location.path)
        line, column = max(location.line - 1, 0), max(location.column - 1, 0)
        return types.Range(*(_client_position(self.server, lines, line, end) for end in (column, column + length)))

    def _lines(self, path: str) -> Sequence[str]:
        uri = _uri(path)
        if uri in self.server.workspace.text_documents:
            return self._document(uri).lines
        return files.read(path).decode().splitlines(keepends=True)


def _client_position(server: LanguageServer, lines: Sequence[str], line: int, column: int) -> types.Position:
    return server.workspace.position_codec.position_to_client_units(lines, types.Position(line, column))


def _range(document: TextDocument, start: int, end: int) -> types.Range:
    return types.Range(*(_position(document, offset) for offset in (start, end)))


def _position(document: TextDocument, offset: int) -> types.Position:
    text = document.source
    line = text.count("\n", 0, offset)
    column = offset - text.rfind("\n", 0, offset) - 1
    return document.position_codec.position_to_client_units(document.lines, types.Position(line, column))


def _uri(path: str) -> str:
    return str(uris.from_fs_path(path))
