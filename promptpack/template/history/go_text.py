"""Text functions as in Go's `strings`: trim White_Space, and map letter case one code point at a time."""

from typing import Final

# Unicode White_Space. `str.strip()` would also strip the control characters U+001C to U+001F.
WHITE_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def trim_space(text: str) -> str:
    """Strip Unicode White_Space from both ends."""
    return text.strip(WHITE_SPACE)


def lower(text: str) -> str:
    """Lowercase each code point by its simple mapping: no final sigma, and the length stays the same."""
    if text.isascii():
        return text.lower()
    # Only U+0130 has a longer full mapping, which starts with the simple mapping.
    return "".join(character.lower()[0] for character in text)


def fold(text: str) -> str:
    """Fold letter case for comparisons; keep characters whose folded form is longer."""
    if text.isascii():
        return text.lower()
    folded = ((character, character.casefold()) for character in text)
    return "".join(short if len(short) == 1 else character for character, short in folded)
