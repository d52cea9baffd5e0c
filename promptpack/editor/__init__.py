"""A pack file while it is being typed -> what an editor shows: proposals, descriptions, definitions, new names."""

from promptpack.editor.buffer import Buffer
from promptpack.editor.complete import Proposal, complete
from promptpack.editor.define import define
from promptpack.editor.describe import Description, describe
from promptpack.editor.desk import Desk
from promptpack.editor.rename import Change, find_renamable, rename

__all__ = [
    "Buffer",
    "Change",
    "Description",
    "Desk",
    "Proposal",
    "complete",
    "define",
    "describe",
    "find_renamable",
    "rename",
]
