"""Template text -> `Template`, by `compiling.compile`: sandboxed, strict Jinja; problems point into the pack file."""
