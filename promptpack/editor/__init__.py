"""Language features for a pack file in an editor: proposals, descriptions, definitions, renames."""

from promptpack.editor.buffer import Buffer
from promptpack.editor.complete import Proposal, complete
from promptpack.editor.define import define
from promptpack.editor.describe import Description, describe
from promptpack.editor.rename import Replacement, find_renamable, rename
from promptpack.editor.workspace import Workspace

__all__ = [
    "Buffer", "Description", "Proposal", "Replacement", "Workspace",
    "complete", "define", "describe", "find_renamable", "rename",
]  # fmt: skip
