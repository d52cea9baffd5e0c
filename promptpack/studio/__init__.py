"""The studio: a page in the browser that shows packs, edits them and previews their prompts, on loopback only."""
