"""A `Flow` as Mermaid, for pages that draw it themselves."""

import re
from typing import Final

from promptpack.characters import visible
from promptpack.flow.model import END, Flow
from promptpack.flow.parts import feeds

# Mermaid takes the word "end" for its own.
_STOP: Final = "stop"
# What means something to Mermaid, or to the page that it becomes part of.
_MEANT: Final = re.compile(r"""["#&;<>\\`|\[\]{}]""")


def to_mermaid(flow: Flow) -> str:
    """Write the flow for Mermaid: solid arrows are ways, dotted ones are data."""
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
    lines += (f'  {names[feed.source]} -. "{_plain(feed.label)}" .-> {names[feed.target]}' for feed in feeds(flow))
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Write a text so that nothing in it is taken for Mermaid or HTML: signs by their numbers, lines as one."""
    return _MEANT.sub(lambda found: f"#{ord(found[0])};", " ".join(visible(text).split()))
