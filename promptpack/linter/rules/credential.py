"""A key, token or password in a pack or its tests.

Packs are shared, reviewed and sent to models, so a credential in one is no longer secret. The rule finds the keys of
well-known services, private keys, JSON Web Tokens, addresses with a password, and random text after a name such as
`api_key` or `token`; it also reports a secret input with a default. Placeholders (`sk-...`, `<API_KEY>`, `xxx`) and
the example keys of vendors are not reported. The credential itself is never printed.

Bad: `API_KEY: {type: string, secret: true, default: hunter2}`
Good: `API_KEY: {type: string, secret: true}`, with the value from the caller.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from math import log2
from typing import Final

from promptpack.document.line_index import LineIndex
from promptpack.linter.rule import LintProblem
from promptpack.linter.subject import Subject
from promptpack.problem import Location, Severity

CODE: Final = "PL024"
NAME: Final = "credential"
SEVERITY: Final[Severity] = "error"

_KINDS: Final = {
    "cloud": "a key of a cloud service",
    "token": "an access token",
    "private": "a private key",
    "jwt": "a JSON Web Token",
    "url": "an address with a password",
    "named": "a key, token or password",
}
# Every part starts with fixed text or after a character that it cannot contain, so the search takes linear time.
_CREDENTIAL: Final = re.compile(
    r"(?P<cloud>(?<![\w-])(?:(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])|AIza[\w-]{35}|ya29\.[\w-]{20,})"
    r"|AccountKey=[A-Za-z0-9+/]{80,100}={0,2})"
    r"|(?P<token>(?<![\w-])(?:gh[oprsu]_[A-Za-z0-9]{30,}|github_pat_\w{22,}|glpat-[\w-]{20,}|sk-[\w-]{20,}"
    r"|[rs]k_live_[A-Za-z0-9]{16,}|xox[abeoprs]-[\w-]{10,}|npm_[A-Za-z0-9]{36}|pypi-[\w-]{50,}|hf_[A-Za-z0-9]{30,}"
    r"|SG\.[\w-]{16,32}\.[\w-]{32,64}))"
    r"|(?P<private>-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----(?:\\n|\s){1,80}[A-Za-z0-9+/]{20,})"
    r"|(?P<jwt>(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,})"
    r"|(?P<url>://(?P<user>[^\s:/@'\"{}<>$]{0,64}):(?!(?P=user)@)[^\s:/@'\"{}<>$*]{3,100}@[\w.-])"
    r"|(?P<named>(?i:key|token|passw(?:or)?d|secret|credential)s?[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?"
    r"(?P<value>[\w+/.=-]{16,200}))"
)
_PLACEHOLDER: Final = re.compile(
    r"(?i)example|sample|placeholder|dummy|fake|redacted|change_?me|your|xxx|\.\.\.|\*\*\*|0123456|1234567|abcdef"
    r"|:(?:password|passwd|pass|pwd|secret|token|key)@"
    r"|eyJzdWIiOiIxMjM0NTY3ODkw"  # the token that jwt.io shows
)
_MIN_BITS: Final = 3.5
_MIN_DISTINCT: Final = 8
_MAX_PROBLEMS: Final = 20
_HINT: Final = (
    "remove and revoke it; pass such values as an input with 'secret: true', or only to the tool that needs them"
)


def check(subject: Subject) -> Iterator[LintProblem]:
    """Search the file and its partial files, and the defaults of secret inputs."""
    document = subject.document
    for offset, message in _find(document.text):
        yield LintProblem(message, document.locate_offset(offset), _HINT)
    yield from subject.find_in_partial_files(NAME, _find_in_file)
    for name, placed in subject.sections.inputs.items():
        declared = subject.inputs.get(name)
        if declared is not None and declared.secret and declared.schema.get("default") and subject.owns(placed):
            hint = "remove the default, or 'secret: true'"
            yield LintProblem(f"secret input {name!r} has a default", declared.location, hint)


def _find_in_file(path: str, text: str) -> Iterator[LintProblem]:
    lines = LineIndex(text)
    for offset, message in _find(text):
        yield LintProblem(message, Location(path, *lines.locate(offset))._with_word(text, offset), _HINT)


def _find(text: str) -> Iterator[tuple[int, str]]:
    found = (one for one in _CREDENTIAL.finditer(text) if _is_real(one))
    for one in islice(found, _MAX_PROBLEMS):
        kind = next(kind for kind in _KINDS if one[kind])
        yield one.start("value" if kind == "named" else kind), f"this seems to be {_KINDS[kind]}"


def _is_real(found: re.Match[str]) -> bool:
    if _PLACEHOLDER.search(found[0]):
        return False
    if found["url"]:
        return True
    if found["named"]:
        return _is_random(found["value"])
    return len(set(found[0])) >= _MIN_DISTINCT


def _is_random(value: str) -> bool:
    """Return whether a text has digits and letters and as much information per character as a random one."""
    counts = Counter(value)
    bits = -sum(count / len(value) * log2(count / len(value)) for count in counts.values())
    return bits >= _MIN_BITS and any(map(str.isdigit, counts)) and sum(map(str.isalpha, counts)) >= _MIN_DISTINCT
