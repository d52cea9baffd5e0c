"""`Document` -> `Pack`, by `building.build`: validate, merge with the packs it extends, compile, then freeze."""
