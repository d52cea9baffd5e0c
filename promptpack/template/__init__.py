"""Template text -> `Template`: sandboxed, strict Jinja on plain data, with problems that point into the pack file."""
