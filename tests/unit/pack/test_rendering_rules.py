"""The texts that promptpack itself writes into prompts change only together with the version of the rendering rules."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from promptpack import Library, files
from promptpack.pack.digest import RENDERING_RULES

# When this fails, a locked prompt would change: raise RENDERING_RULES, and add the new digest.
DIGESTS = {1: "ba4266b964a318433f55de1f851a4d89c69630ca15b78239a08fffbde99832e9"}
BODY = """\
inputs:
  DATA: {type: object, default: {a: [1, true, null], b: "é"}}
  TEXT: {type: string, default: "two\\nlines ```", trust: untrusted}
  HISTORY: {type: array, default: [{role: user, content: hello}, {role: assistant, content: hi}]}
  TOOLS: {type: array, default: [{name: find, description: Finds., parameters: {type: object, properties: {q: {type: string}}}}]}
messages:
  - role: system
    content: |
      {{ reply_format }}
      {{ DATA }} {{ DATA | json }} {{ DATA | yaml }}
      {{ HISTORY }} {{ HISTORY | history }}
      {{ TOOLS | tool_catalog }}
  - role: user
    content: "{{ TEXT | fenced }}"
reply:
  contract: agent-output
  actions:
    DO:
      description: Does it.
      params: {type: object, required: [how], properties: {how: {enum: [fast, slow]}, note: {type: string, maxLength: 9}}}
"""


def test_generated_texts_belong_to_a_version_of_the_rendering_rules(
    write_pack: Callable[..., Path], open_packs: Callable[..., Library]
) -> None:
    for locale in ("en", "zh-CN"):
        write_pack(locale=locale, body=BODY)
    library = open_packs()
    texts = [library.get("demo", locale).render().to_text() for locale in ("en", "zh-CN")]
    found = hashlib.sha256("\n".join(texts).encode()).hexdigest()
    assert (RENDERING_RULES, found) in DIGESTS.items(), "raise RENDERING_RULES in promptpack/pack/digest.py"


def test_the_shipped_packs_are_locked() -> None:
    assert Library.open(files.shipped("packs").root, frozen=True).problems == ()
