"""How a report is written: one module a format, each with a `write`."""
