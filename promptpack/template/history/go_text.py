"""Text as Go's `strings` sees it: White_Space at the ends, and letter case one code point at a time."""

from typing import Final

# Unicode White_Space. `str.strip()` would also take U+001C to U+001F, which are controls and not space.
WHITE_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def trim_space(text: str) -> str:
    """Take Unicode White_Space off both ends."""
    return text.strip(WHITE_SPACE)


def lower(text: str) -> str:
    """Lower each code point by its simple mapping: no final sigma, and one letter stays one letter."""
    if text.isascii():
        return text.lower()
    # Only U+0130 has a longer full mapping, and the first letter of that is its simple one.
    return "".join(character.lower()[0] for character in text)


def fold(text: str) -> str:
    """Fold letter case for a comparison, leaving alone what would grow longer."""
    if text.isascii():
        return text.lower()
    folded = ((character, character.casefold()) for character in text)
    return "".join(short if len(short) == 1 else character for character, short in folded)
