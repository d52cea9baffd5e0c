"""`Library` -> prompts and tools for MCP clients, by `serve.serve_stdio` and `serve.serve_http`."""
