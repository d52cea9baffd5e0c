"""Words in, text and an exit code out."""
