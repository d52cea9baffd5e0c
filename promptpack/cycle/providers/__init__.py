"""Providers: one file per kind of server, and the scripted provider for tests."""
