"""Arguments -> text and an exit code, by `main.run`: the command line."""
