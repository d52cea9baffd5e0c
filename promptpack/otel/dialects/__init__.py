"""Dialects: one file for each convention of attribute names."""
