"""Spans (start and end offsets) in a document's text: of its scalars, and of mapping entries that can be deleted."""

from collections.abc import Iterator

from promptpack.document.yaml_nodes import YamlMapping, YamlNode, YamlSequence

_BLOCKS = ("|", ">")


def find_scalar_spans(text: str, root: YamlNode) -> Iterator[tuple[int, int]]:
    """Yield the span of every scalar; a block starts after its first line, which may hold a comment."""
    for node in _iterate_scalars(root):
        yield text.find("\n", node.start) if node.style in _BLOCKS else node.start, node.end


def find_blocks(root: YamlNode) -> Iterator[YamlNode]:
    """Yield the block scalars."""
    return (node for node in _iterate_scalars(root) if node.style in _BLOCKS)


def _iterate_scalars(root: YamlNode) -> Iterator[YamlNode]:
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, YamlMapping):
            pending.extend(node.children.values())
        elif isinstance(node, YamlSequence):
            pending.extend(node.children)
        else:
            yield node


def find_entry_span(text: str, owner: YamlNode, name: str | int, value: YamlNode) -> tuple[int, int] | None:
    """Return the span of an entry on one line that has siblings, but no comment and no anchor; otherwise None."""
    key = owner.key(name)
    if key is None or not isinstance(owner, YamlMapping) or len(owner.keys) == 1:
        return None
    start = key.start
    is_plain = not isinstance(value, (YamlMapping, YamlSequence)) and start < value.start
    if not is_plain or "\n" in text[start : value.end] or text.startswith("&", value.start):
        return None
    if text[owner.start : owner.start + 1] == "{":
        return _find_span_in_braces(text, start, value.end)
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", value.end)
    line_end = len(text) - 1 if line_end < 0 else line_end
    is_alone = not text[line_start:start].strip() and not text[value.end : line_end + 1].strip()
    return (line_start, line_end + 1) if is_alone else None


def _find_span_in_braces(text: str, start: int, end: int) -> tuple[int, int] | None:
    before = len(text[:start].rstrip(" "))
    after = end + len(text[end:]) - len(text[end:].lstrip(" "))
    if text[after : after + 1] == ",":
        line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", after)
        rest = text[after + 1 : line_end] if line_end >= 0 else text[after + 1 :]
        if rest.lstrip().startswith("#"):
            return None  # the comment describes the deleted entry
        if line_end >= 0 and not rest.strip() and not text[line_start:start].strip():
            return line_start, line_end + 1
        return start, after + 1 + len(rest) - len(rest.lstrip(" "))
    if text[after : after + 1] == "}" and text[before - 1 : before] == ",":
        return before - 1, end
    return None
