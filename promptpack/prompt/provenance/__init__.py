"""`Prompt` -> `Explanation`: where each span of the text comes from."""

from promptpack.prompt.provenance.explanation import Explanation as Explanation
from promptpack.prompt.provenance.explanation import Span as Span
