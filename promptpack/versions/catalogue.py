"""Every code of a change, with its category, its kind and the bump that it needs; the only place that decides them."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from promptpack.problem import Location
from promptpack.versions.change import Bump, Category, Change, ChangeKind
from promptpack.versions.word_diff import WordDiff


class Code(NamedTuple):
    """The meaning of a code."""

    code: str
    kind: ChangeKind
    bump: Bump
    title: str
    reason: str

    @property
    def category(self) -> Category:
        """The category, which the hundreds digit of the code shows."""
        return _CATEGORIES[self.code[2]]


_CATEGORIES: Final[dict[str, Category]] = {"1": "CALL", "2": "REPLY", "3": "TEXT"}
ABOUT: Final[dict[Category, str]] = {
    "CALL": "what callers must provide",
    "REPLY": "what consumers may receive",
    "TEXT": "wording",
}
_UNKNOWN: Final = "the schemas are too complex to decide, so this counts as breaking"

_CODES: Final = (
    Code("PV101", "breaking", "major", "required input added", "callers do not pass it yet"),
    Code("PV102", "compatible", "minor", "optional input added", "callers need not pass it"),
    Code("PV103", "breaking", "major", "input removed", "callers that pass it get PP414"),
    Code("PV104", "compatible", "minor", "standard input removed", "callers may still pass it, and it is ignored"),
    Code("PV105", "breaking", "major", "input became required", "callers may rely on the default"),
    Code("PV106", "compatible", "minor", "input became optional", "callers may still pass it"),
    Code("PV107", "compatible", "minor", "default of an input changed", "callers that omit it get a different prompt"),
    Code("PV108", "breaking", "major", "input accepts fewer values", "callers may pass a value that is refused now"),
    Code("PV109", "compatible", "minor", "input accepts more values", "every value that callers pass stays valid"),
    Code("PV110", "breaking", "major", "input may accept fewer values", _UNKNOWN),
    Code("PV111", "narrowing", "minor", "optional property added to an open object of an input",
        "only callers that already pass this undeclared property, with another type, are affected"),
    Code("PV112", "breaking", "major", "input became trusted", "callers must no longer pass untrusted text"),
    Code("PV113", "compatible", "minor", "input became untrusted", "callers may pass any text"),
    Code("PV114", "breaking", "major", "input became secret", "callers must pass it again to restore a stored prompt"),
    Code("PV115", "breaking", "major", "input is no longer secret", "its value appears in logs, traces and snapshots"),
    Code("PV116", "breaking", "major", "history accepts fewer roles", "callers may pass messages that are refused now"),
    Code("PV117", "compatible", "minor", "history accepts more roles", "every history that callers pass stays valid"),
    Code("PV118", "breaking", "major", "budget added or smaller", "a context that fit may be refused or cut"),
    Code("PV119", "compatible", "minor", "budget removed or larger", "every context that fit still fits"),
    Code("PV120", "breaking", "major", "the budget may cut less", "a context that was cut may be refused"),
    Code("PV121", "compatible", "minor", "the budget cuts other parts", "a prompt over the budget is cut differently"),
    Code("PV122", "breaking", "major", "agent id changed", "orchestrators find the agent by its id"),
    Code("PV123", "breaking", "major", "pack became abstract", "callers can no longer render it"),
    Code("PV124", "compatible", "minor", "pack is no longer abstract", "packs may still extend it"),
    Code("PV125", "breaking", "major", "locale removed", "callers may ask for it"),
    Code("PV126", "compatible", "minor", "locale added", "callers need not ask for it"),
    Code("PV127", "breaking", "major", "locale changed", "callers without a locale get a different language"),
    Code("PV128", "breaking", "major", "name of the pack changed", "callers find the pack by its name"),
    Code("PV129", "compatible", "minor", "agent id added", "orchestrators do not know it yet"),
    Code("PV201", "breaking", "major", "action added", "consumers may receive an action that they do not know"),
    Code("PV202", "compatible", "minor", "action removed", "consumers still handle all replies"),
    Code("PV203", "breaking", "major", "params may have more values", "consumers may receive unknown values"),
    Code("PV204", "compatible", "minor", "params may have fewer values", "consumers still handle all replies"),
    Code("PV205", "breaking", "major", "params may have different values", _UNKNOWN),
    Code("PV206", "narrowing", "minor", "optional property added to an open object of params",
        "a reply with this undeclared property, of another type, is refused now"),
    Code("PV207", "breaking", "major", "rule added", "it rejects replies that were accepted"),
    Code("PV208", "breaking", "major", "rule removed", "consumers may receive replies that were rejected"),
    Code("PV209", "breaking", "major", "condition of a rule changed",
        "what an expression rejects cannot be decided, so this counts as rejecting more"),
    Code("PV210", "compatible", "minor", "path of a rule changed", "its violations point to another place"),
    Code("PV211", "breaking", "major", "reply contract added", "it rejects replies that were accepted"),
    Code("PV212", "breaking", "major", "reply contract removed", "consumers may receive any text"),
    Code("PV213", "breaking", "major", "reply may have more values", "consumers may receive unknown values"),
    Code("PV214", "compatible", "minor", "reply may have fewer values", "consumers still handle all replies"),
    Code("PV215", "breaking", "major", "reply may have different values", _UNKNOWN),
    Code("PV216", "narrowing", "minor", "optional property added to an open object of the reply",
        "a reply with this undeclared property, of another type, is refused now"),
    Code("PV217", "compatible", "minor", "reply contract renamed", "the same replies are valid"),
    Code("PV218", "breaking", "major", "tools became actions", "consumers may receive calls of tools"),
    Code("PV219", "compatible", "minor", "tools are no longer actions", "consumers still handle all replies"),
    Code("PV220", "breaking", "major", "tools come from another input", "consumers may receive calls of other tools"),
    Code("PV221", "breaking", "major", "more repairs are refused", "replies that were repaired are rejected"),
    Code("PV222", "compatible", "minor", "fewer repairs are refused", "repaired replies match the same contract"),
    Code("PV301", "cosmetic", "patch", "wording of a message changed", "the contract stays the same"),
    Code("PV302", "compatible", "minor", "message added", "the prompt has a different structure"),
    Code("PV303", "compatible", "minor", "message removed", "the prompt has a different structure"),
    Code("PV304", "compatible", "minor", "message moved", "the prompt has a different structure"),
    Code("PV305", "compatible", "minor", "role of a message changed", "the prompt has a different structure"),
    Code("PV306", "compatible", "minor", "condition of a message changed", "the message appears in other prompts"),
    Code("PV307", "compatible", "minor", "another part of a message changed", "the prompt has a different structure"),
    Code("PV308", "compatible", "minor", "partial changed", "it alters every message that includes it"),
    Code("PV309", "compatible", "minor", "partial added", "a message includes it"),
    Code("PV310", "compatible", "minor", "partial removed", "messages no longer include it"),
    Code("PV311", "cosmetic", "patch", "wording of a slot changed", "the contract stays the same"),
    Code("PV312", "compatible", "minor", "slot added", "the prompt has a different structure"),
    Code("PV313", "compatible", "minor", "slot removed", "the prompt has a different structure"),
    Code("PV314", "compatible", "minor", "values of a slot changed", "the prompt has a different structure"),
    Code("PV315", "compatible", "minor", "template syntax changed", "templates are parsed differently"),
    Code("PV316", "compatible", "minor", "JSON is formatted differently", "every printed mapping and list changes"),
    Code("PV317", "cosmetic", "patch", "description of an input changed", "the same values are valid"),
    Code("PV318", "cosmetic", "patch", "description of the reply changed", "the same replies are valid"),
    Code("PV319", "cosmetic", "patch", "message of a rule changed", "it rejects the same replies"),
    Code("PV320", "cosmetic", "patch", "correction changed", "the model gets a different text after an invalid reply"),
    Code("PV321", "cosmetic", "patch", "example of a reply changed", "the same replies are valid"),
    Code("PV322", "cosmetic", "none", "description of the pack changed", "it is not part of the prompt"),
    Code("PV323", "cosmetic", "none", "tests changed", "they are not part of the prompt"),
    Code("PV324", "compatible", "minor", "model overlay changed", "prompts for some models change"),
    Code("PV325", "cosmetic", "patch", "order changed", "the same names are listed in a different order"),
    Code("PV326", "cosmetic", "patch", "expression, schema or setting written differently", "it means the same"),
    Code("PV327", "cosmetic", "patch", "note changed", "keys that begin with 'x-' have no meaning for promptpack"),
    Code("PV399", "breaking", "major", "something else changed", "it cannot be classified, so it counts as breaking"),
)  # fmt: skip
CHANGES: Final = MappingProxyType({one.code: one for one in _CODES})


def make_change(
    code: str,
    message: str,
    location: Location | None,
    where: str,
    *,
    words: WordDiff | None = None,
    counterexample: tuple[Any] | None = None,
    hint: str = "",
) -> Change:
    """Return a change with the category, kind and bump of its code; `counterexample` is a value in a tuple."""
    row = CHANGES[code]
    return Change(
        code, row.category, row.kind, row.bump, message, location, where, hint or row.reason,
        counterexample[0] if counterexample else None, counterexample is not None, words,
    )  # fmt: skip


def write_page() -> str:
    """Return the documentation page of all codes."""
    return "\n".join(_page_lines())


def _page_lines() -> Iterator[str]:
    yield "# Changes"
    yield ""
    yield "`promptpack diff` reports these changes. This page is generated; see CONTRIBUTING."
    for category, about in ABOUT.items():
        yield from (
            "",
            f"## {category}: {about}",
            "",
            "| code | change | class | bump | why |",
            "|---|---|---|---|---|",
        )
        rows = (row for row in CHANGES.values() if row.category == category)
        yield from (f"| {row.code} | {row.title} | {row.kind} | {row.bump} | {row.reason} |" for row in rows)
    yield ""
