"""Texts that are safe to encode, to show in a terminal and to send to a model."""


def is_encodable(text: str) -> bool:
    """Return whether a text can be encoded as UTF-8: it contains no half of a surrogate pair."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def escape_surrogates(text: str) -> str:
    """Escape halves of surrogate pairs, so that the text can be encoded as UTF-8."""
    if is_encodable(text):
        return text
    return "".join(_escape(letter) if "\ud800" <= letter <= "\udfff" else letter for letter in text)


def visible(text: str) -> str:
    """Escape characters that a terminal would obey."""
    from promptpack.character_patterns import OBEYED

    return OBEYED.sub(lambda found: _escape(found[0]), text)


def _escape(character: str) -> str:
    return f"\\u{ord(character):04x}"


def break_special_tokens(text: str) -> str:
    """Put a space into every special token, so that no server parses it, and JSON around it stays valid."""
    if "<" not in text and "S]" not in text and "T]" not in text:
        return text  # every special token has one of them; most JSON has none
    from promptpack.character_patterns import SPECIAL_TOKEN

    return SPECIAL_TOKEN.sub(lambda found: f"{found[0][0]} {found[0][1:]}", text)


def code_point(character: str) -> str:
    """Return the code point of a character as text: `U+200B`."""
    return f"U+{ord(character):04X}"
