"""An explanation as one HTML page, coloured by trust; all text is escaped, and hidden characters are visible."""

from collections import Counter
from html import escape
from typing import Final

from promptpack.character_patterns import UNSEEN
from promptpack.characters import code_point
from promptpack.prompt.provenance.explanation import TRUSTS, Explanation, Span, Trust

_MEANINGS: Final[dict[Trust, str]] = {
    "trusted": "the pack itself; underlined: a trusted input",
    "untrusted": "data of the caller outside a fence",
    "fenced": "data inside a fence",
    "secret": "hidden here",
}
_STYLE: Final = """
:root { color-scheme: light dark; --page: #fff; --ink: #1c2128; --quiet: #6a737d; --line: #d8dee4;
  --untrusted: #ffd8d3; --fenced: #fff1c2; --secret: #ead9ff; --trusted: transparent; --mark: #b3261e; --tip: #24292f; }
@media (prefers-color-scheme: dark) { :root { --page: #14181d; --ink: #dfe5ec; --quiet: #8b949e; --line: #30363d;
  --untrusted: #5c2320; --fenced: #4d3d0b; --secret: #44306b; --mark: #ff8f85; --tip: #3b434c; } }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif; }
h1 { font-size: 1.2rem; margin: 0 0 .6rem; }
ul { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; margin: 0 0 1rem; padding: 0; }
li b { font-weight: 600; padding: .05rem .4rem; border-radius: .25rem; border: 1px solid var(--line); }
li { color: var(--quiet); } li b { color: var(--ink); }
pre { margin: 0; padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; white-space: pre-wrap;
  overflow-wrap: anywhere; font: 13.5px/1.6 ui-monospace, "DejaVu Sans Mono", monospace; }
span { position: relative; border-radius: .2rem; }
.trusted { background: var(--trusted); } .untrusted { background: var(--untrusted); }
.fenced { background: var(--fenced); } .secret { background: var(--secret); }
.layout { color: var(--quiet); }
.value { text-decoration: underline dotted var(--quiet); text-underline-offset: .25em; }
span:hover, span:focus { outline: 1px solid var(--quiet); outline-offset: 1px; }
span:hover::after, span:focus::after { content: attr(data-origin); position: absolute; left: 0; top: 100%; z-index: 1;
  width: max-content; max-width: 36rem; padding: .25rem .5rem; border-radius: .3rem; background: var(--tip);
  color: #fff; font: 12.5px/1.4 system-ui, sans-serif; white-space: pre-wrap; pointer-events: none; }
i { font-style: normal; font-size: .8em; color: var(--mark); border: 1px solid var(--mark); border-radius: .2rem;
  padding: 0 .15rem; }
"""


def write_html(explanation: Explanation) -> str:
    """Write an explanation as a page that needs no other file and runs no script."""
    counts = Counter(span.trust for span in explanation.spans)
    legend = "".join(
        f'<li><b class="{trust}">{trust}</b> {_MEANINGS[trust]} ({counts[trust]})</li>' for trust in TRUSTS
    )
    title = f"{_show(explanation.pack)}: where the prompt comes from"
    body = "".join(map(_write_span, explanation.spans))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head>\n"
        f"<body><h1>{title}</h1><ul>{legend}</ul>\n<pre>\n{body}</pre></body></html>\n"
    )


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
