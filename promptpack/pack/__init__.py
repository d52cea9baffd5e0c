"""`Document` -> `Pack`: validate, merge with the packs it extends, compile, then freeze."""
