"""The version of promptpack itself; it names every cache entry."""

__version__ = "0.1.0"
