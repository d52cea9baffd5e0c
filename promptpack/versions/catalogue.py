"""Every code of a change, with its category, its kind and the bump that it needs; the only place that decides them."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from promptpack.problem import Location
from promptpack.versions.change import Bump, Category, Change, Kind
from promptpack.versions.word_diff import WordDiff


class Row(NamedTuple):
    """What a code means."""

    code: str
    kind: Kind
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

_ROWS: Final = (
    Row("PV101", "breaking", "major", "required input added", "callers do not pass it yet"),
    Row("PV102", "compatible", "minor", "optional input added", "callers need not pass it"),
    Row("PV103", "breaking", "major", "input removed", "callers that pass it get PP414"),
    Row("PV104", "compatible", "minor", "standard input removed", "callers may still pass it, and it is ignored"),
    Row("PV105", "breaking", "major", "input became required", "callers may rely on the default"),
    Row("PV106", "compatible", "minor", "input became optional", "callers may still pass it"),
    Row("PV107", "compatible", "minor", "default of an input changed", "callers that omit it get a different prompt"),
    Row("PV108", "breaking", "major", "input accepts fewer values", "callers may pass a value that is refused now"),
    Row("PV109", "compatible", "minor", "input accepts more values", "every value that callers pass stays valid"),
    Row("PV110", "breaking", "major", "input may accept fewer values", _UNKNOWN),
    Row("PV111", "narrowing", "minor", "optional property added to an open object of an input",
        "only callers that already pass this undeclared property, with another type, are affected"),
    Row("PV112", "breaking", "major", "input became trusted", "callers must no longer pass untrusted text"),
    Row("PV113", "compatible", "minor", "input became untrusted", "callers may pass any text"),
    Row("PV114", "breaking", "major", "input became secret", "callers must pass it again to restore a stored prompt"),
    Row("PV115", "breaking", "major", "input is no longer secret", "its value appears in logs, traces and snapshots"),
    Row("PV116", "breaking", "major", "history accepts fewer roles", "callers may pass messages that are refused now"),
    Row("PV117", "compatible", "minor", "history accepts more roles", "every history that callers pass stays valid"),
    Row("PV118", "breaking", "major", "budget added or smaller", "a context that fit may be refused or cut"),
    Row("PV119", "compatible", "minor", "budget removed or larger", "every context that fit still fits"),
    Row("PV120", "breaking", "major", "the budget may cut less", "a context that was cut may be refused"),
    Row("PV121", "compatible", "minor", "the budget cuts other parts", "a prompt over the budget is cut differently"),
    Row("PV122", "breaking", "major", "agent id changed", "orchestrators find the agent by its id"),
    Row("PV123", "breaking", "major", "pack became abstract", "callers can no longer render it"),
    Row("PV124", "compatible", "minor", "pack is no longer abstract", "packs may still extend it"),
    Row("PV125", "breaking", "major", "locale removed", "callers may ask for it"),
    Row("PV126", "compatible", "minor", "locale added", "callers need not ask for it"),
    Row("PV127", "breaking", "major", "locale changed", "callers without a locale get a different language"),
    Row("PV128", "breaking", "major", "name of the pack changed", "callers find the pack by its name"),
    Row("PV129", "compatible", "minor", "agent id added", "orchestrators do not know it yet"),
    Row("PV201", "breaking", "major", "action added", "consumers may receive an action that they do not know"),
    Row("PV202", "compatible", "minor", "action removed", "consumers still handle all that they receive"),
    Row("PV203", "breaking", "major", "params may have more values", "consumers may receive unknown values"),
    Row("PV204", "compatible", "minor", "params may have fewer values", "consumers still handle all that they receive"),
    Row("PV205", "breaking", "major", "params may have different values", _UNKNOWN),
    Row("PV206", "narrowing", "minor", "optional property added to an open object of params",
        "a reply with this undeclared property, of another type, is refused now"),
    Row("PV207", "breaking", "major", "rule added", "it rejects replies that were accepted"),
    Row("PV208", "breaking", "major", "rule removed", "consumers may receive replies that were rejected"),
    Row("PV209", "breaking", "major", "condition of a rule changed",
        "what an expression rejects cannot be decided, so this counts as rejecting more"),
    Row("PV210", "compatible", "minor", "path of a rule changed", "its violations point to another place"),
    Row("PV211", "breaking", "major", "reply contract added", "it rejects replies that were accepted"),
    Row("PV212", "breaking", "major", "reply contract removed", "consumers may receive any text"),
    Row("PV213", "breaking", "major", "reply may have more values", "consumers may receive unknown values"),
    Row("PV214", "compatible", "minor", "reply may have fewer values", "consumers still handle all that they receive"),
    Row("PV215", "breaking", "major", "reply may have different values", _UNKNOWN),
    Row("PV216", "narrowing", "minor", "optional property added to an open object of the reply",
        "a reply with this undeclared property, of another type, is refused now"),
    Row("PV217", "compatible", "minor", "reply contract renamed", "the same replies are valid"),
    Row("PV218", "breaking", "major", "tools became actions", "consumers may receive calls of tools"),
    Row("PV219", "compatible", "minor", "tools are no longer actions", "consumers still handle all that they receive"),
    Row("PV220", "breaking", "major", "tools come from another input", "consumers may receive calls of other tools"),
    Row("PV221", "breaking", "major", "more repairs are refused", "replies that were repaired are rejected"),
    Row("PV222", "compatible", "minor", "fewer repairs are refused", "repaired replies match the same contract"),
    Row("PV301", "cosmetic", "patch", "wording of a message changed", "the contract stays the same"),
    Row("PV302", "compatible", "minor", "message added", "the prompt has a different structure"),
    Row("PV303", "compatible", "minor", "message removed", "the prompt has a different structure"),
    Row("PV304", "compatible", "minor", "message moved", "the prompt has a different structure"),
    Row("PV305", "compatible", "minor", "role of a message changed", "the prompt has a different structure"),
    Row("PV306", "compatible", "minor", "condition of a message changed", "the message appears in other prompts"),
    Row("PV307", "compatible", "minor", "another part of a message changed", "the prompt has a different structure"),
    Row("PV308", "compatible", "minor", "partial changed", "it alters every message that includes it"),
    Row("PV309", "compatible", "minor", "partial added", "a message includes it"),
    Row("PV310", "compatible", "minor", "partial removed", "messages no longer include it"),
    Row("PV311", "cosmetic", "patch", "wording of a slot changed", "the contract stays the same"),
    Row("PV312", "compatible", "minor", "slot added", "the prompt has a different structure"),
    Row("PV313", "compatible", "minor", "slot removed", "the prompt has a different structure"),
    Row("PV314", "compatible", "minor", "values of a slot changed", "the prompt has a different structure"),
    Row("PV315", "compatible", "minor", "template syntax changed", "templates are parsed differently"),
    Row("PV316", "compatible", "minor", "JSON is formatted differently", "every printed mapping and list changes"),
    Row("PV317", "cosmetic", "patch", "description of an input changed", "the same values are valid"),
    Row("PV318", "cosmetic", "patch", "description of the reply changed", "the same replies are valid"),
    Row("PV319", "cosmetic", "patch", "message of a rule changed", "it rejects the same replies"),
    Row("PV320", "cosmetic", "patch", "correction changed", "the model gets a different text after an invalid reply"),
    Row("PV321", "cosmetic", "patch", "example of a reply changed", "the same replies are valid"),
    Row("PV322", "cosmetic", "none", "description of the pack changed", "it is not part of the prompt"),
    Row("PV323", "cosmetic", "none", "tests changed", "they are not part of the prompt"),
    Row("PV324", "compatible", "minor", "model overlay changed", "prompts for some models change"),
    Row("PV325", "cosmetic", "patch", "order changed", "the same names are listed in a different order"),
    Row("PV326", "cosmetic", "patch", "expression, schema or setting written differently", "it means the same"),
    Row("PV327", "cosmetic", "patch", "note changed", "keys that begin with 'x-' have no meaning for promptpack"),
    Row("PV399", "breaking", "major", "something else changed", "it cannot be classified, so it counts as breaking"),
)  # fmt: skip
CHANGES: Final = MappingProxyType({row.code: row for row in _ROWS})


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
