"""The formats of a diff, one module each."""
