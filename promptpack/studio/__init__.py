"""A folder of packs -> a page in the browser, by `server.build_app`: shows, edits and previews packs, on loopback."""
