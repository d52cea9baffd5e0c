"""An explanation as one HTML page, coloured by trust; all text is escaped, and hidden characters are visible."""

from collections import Counter
from html import escape
from typing import Final

from promptpack.character_patterns import UNSEEN
from promptpack.characters import code_point
from promptpack.page.frame import write_page
from promptpack.prompt.provenance.explanation import TRUSTS, Explanation, Span, Trust

_MEANINGS: Final[dict[Trust, str]] = {
    "trusted": "the pack itself; underlined: a trusted input",
    "untrusted": "data of the caller outside a fence",
    "fenced": "data inside a fence",
    "secret": "hidden here",
}
_STYLE: Final = """
:root { --untrusted: #ffd8d3; --fenced: #fff1c2; --secret: #ead9ff; --mark: #b3261e; --tip: #24292f; }
@media (prefers-color-scheme: dark) { :root { --untrusted: #5c2320; --fenced: #4d3d0b; --secret: #44306b;
  --mark: #ff8f85; --tip: #3b434c; } }
.trusts { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 22px; margin: 10px 0 16px; padding: 0; }
.trusts li { color: var(--quiet); }
.trusts b { color: var(--text); font-weight: 600; padding: 1px 6px; border-radius: 4px; border: 1px solid var(--line); }
pre { max-height: none; overflow: visible; background: var(--card); padding: 16px; }
span { position: relative; border-radius: 3px; }
.untrusted { background: var(--untrusted); }
.fenced { background: var(--fenced); }
.secret { background: var(--secret); }
.layout { color: var(--quiet); }
.value { text-decoration: underline dotted var(--quiet); text-underline-offset: .25em; }
span:hover, span:focus { outline: 1px solid var(--quiet); outline-offset: 1px; }
span:hover::after, span:focus::after { content: attr(data-origin); position: absolute; left: 0; top: 100%; z-index: 1;
  width: max-content; max-width: min(36rem, 80vw); padding: 4px 8px; border-radius: 5px; background: var(--tip);
  color: #fff; font: 12.5px/1.4 system-ui, sans-serif; white-space: pre-wrap; pointer-events: none; }
i { font-style: normal; font-size: .8em; color: var(--mark); border: 1px solid var(--mark); border-radius: 3px;
  padding: 0 2px; }
"""


def write_html(explanation: Explanation) -> str:
    """Write an explanation as a page that needs no other file and runs no script."""
    counts = Counter(span.trust for span in explanation.spans)
    legend = "".join(
        f'<li><b class="{trust}">{trust}</b> {_MEANINGS[trust]} ({counts[trust]})</li>' for trust in TRUSTS
    )
    title = f"{explanation.pack}: where the prompt comes from"
    body = "".join(map(_write_span, explanation.spans))
    return write_page(title, f'<h1>{_show(title)}</h1>\n<ul class="trusts">{legend}</ul>\n<pre>\n{body}</pre>', _STYLE)


def _write_span(span: Span) -> str:
    look = {"template": "", "layout": " layout"}.get(span.kind, " value")
    origin = UNSEEN.sub(lambda found: "".join(map(code_point, found[0])), f"{span.trust}: {span.describe()}")
    return f'<span class="{span.trust}{look}" tabindex="0" data-origin="{escape(origin)}">{_show(span.text)}</span>'


def _show(text: str) -> str:
    """Escape a text; hidden characters become their code points."""
    pieces, end = list[str](), 0
    for found in UNSEEN.finditer(text):
        marks = "".join(f"<i>{code_point(character)}</i>" for character in found[0])
        pieces += (escape(text[end : found.start()]), marks)
        end = found.end()
    return "".join((*pieces, escape(text[end:])))
