"""A `FlowFile` as Mermaid text, for pages that render Mermaid."""

import re
from typing import Final

from promptpack.characters import visible
from promptpack.flow.model import END, FlowFile

# "end" is a keyword of Mermaid.
_STOP: Final = "stop"
# Characters with a meaning in Mermaid or in HTML.
_SPECIAL: Final = re.compile(r"""["#&;<>\\`|\[\]{}]""")


def to_mermaid(flow: FlowFile) -> str:
    """Return the flow as Mermaid text: solid arrows lead to the next step, dotted arrows show data."""
    names = {name: f"s{index}" for index, name in enumerate(flow.steps)}
    lines = ["flowchart TD"]
    for name, step in flow.steps.items():
        lines.append(f'  {names[name]}["<b>{_plain(name)}</b><br/>{_plain(step.title)}"]')
    if any(END in step.targets for step in flow.steps.values()):
        lines.append(f"  {_STOP}([end])")
    for name, step in flow.steps.items():
        for target, words in step.targets.items():
            label = f'|"{_plain(", ".join(words))}"|' if words else ""
            lines.append(f"  {names[name]} -->{label} {names.get(target, _STOP)}")
    edges = flow.data_edges()
    lines += (f'  {names[edge.source]} -. "{_plain(edge.label)}" .-> {names[edge.target]}' for edge in edges)
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Escape characters with a meaning in Mermaid or HTML, and join lines."""
    return _SPECIAL.sub(lambda found: f"#{ord(found[0])};", " ".join(visible(text).split()))
