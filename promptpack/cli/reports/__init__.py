"""Formats of lint reports: one module per format, each with a `write` function."""
