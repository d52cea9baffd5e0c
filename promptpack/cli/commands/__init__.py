"""One file per command; each defines `command`, and `main` lists them."""
