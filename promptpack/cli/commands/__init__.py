"""One file a command; each has `command`, and `main` lists them."""
