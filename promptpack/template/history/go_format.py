"""Format values as Go's `fmt` does with `%v`."""

import math


def format_value(value: object) -> str:
    """Format a value read from JSON; iterate with a list of pending pieces, so that deep nesting cannot overflow."""
    pieces: list[str] = []
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending.extend(reversed(_map_pieces(item)))
        elif isinstance(item, (list, tuple)):
            pending.extend(reversed(_list_pieces(item)))
        else:
            pieces.append(_scalar(item))
    return "".join(pieces)


def format_float(number: float) -> str:
    """Format a float64: the shortest digits, with an exponent below 1e-4 and from 1e6 on."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "+Inf" if number > 0 else "-Inf"
    digits, exponent = _shortest(number)
    if number and not -4 <= exponent < 6:
        mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
        return f"{_sign(number)}{mantissa}e{exponent:+03d}"
    return _sign(number) + _positional(digits, exponent)


def _scalar(item: object) -> str:
    if item is None:
        return "<nil>"
    if isinstance(item, bool):
        return "true" if item else "false"
    return format_float(item) if isinstance(item, float) else str(item)


def _map_pieces(mapping: dict[str, object]) -> list[object]:
    pieces: list[object] = ["map["]
    for key in sorted(mapping):
        pieces += [f"{key}:" if len(pieces) == 1 else f" {key}:", mapping[key]]
    return [*pieces, "]"]


def _list_pieces(items: "list[object] | tuple[object, ...]") -> list[object]:
    pieces: list[object] = ["["]
    for item in items:
        pieces += [item] if len(pieces) == 1 else [" ", item]
    return [*pieces, "]"]


def _sign(number: float) -> str:
    return "-" if math.copysign(1.0, number) < 0 else ""


def _shortest(number: float) -> tuple[str, int]:
    # `repr` returns the shortest digits that parse as the same float; Go prints these digits too.
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) - (len(whole + fraction) - len(digits))
    return digits.rstrip("0") or "0", point - 1 + int(exponent or 0)


def _positional(digits: str, exponent: int) -> str:
    if digits == "0":
        return "0"
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    whole = digits[: exponent + 1].ljust(exponent + 1, "0")
    fraction = digits[exponent + 1 :]
    return f"{whole}.{fraction}" if fraction else whole
