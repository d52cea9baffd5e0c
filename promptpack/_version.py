"""The version of promptpack; part of the name of every cache entry."""

__version__ = "0.1.0"
