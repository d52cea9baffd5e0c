"""Packs for MCP clients: prompts, and tools to list, render, check and lint."""
