"""`Buffer` -> what an editor shows, by `complete.complete`, `describe.describe`, `rename.rename` and others."""

from promptpack.editor.buffer import Buffer
from promptpack.editor.complete import Proposal, complete
from promptpack.editor.contexts import describe_inputs, find_context, make_example
from promptpack.editor.define import define
from promptpack.editor.describe import Description, describe
from promptpack.editor.outline import OutlineItem, outline
from promptpack.editor.preview import Preview, PreviewMessage, preview
from promptpack.editor.references import find_references, find_renamable
from promptpack.editor.rename import Replacement, rename
from promptpack.editor.semantic_tokens import NameToken, find_tokens
from promptpack.editor.workspace import Workspace

__all__ = [
    "Buffer",
    "Description",
    "NameToken",
    "OutlineItem",
    "Preview",
    "PreviewMessage",
    "Proposal",
    "Replacement",
    "Workspace",
    "complete",
    "define",
    "describe",
    "describe_inputs",
    "find_context",
    "find_references",
    "find_renamable",
    "find_tokens",
    "make_example",
    "outline",
    "preview",
    "rename",
]  # fmt: skip
