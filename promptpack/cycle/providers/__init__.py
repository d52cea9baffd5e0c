"""Providers: one file a kind of server, and the scripted one for tests."""
