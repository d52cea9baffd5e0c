"""Numbers and texts -> a self-contained HTML page with charts, by `frame.write_page`."""
