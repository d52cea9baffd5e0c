"""`python -m promptpack` is the `promptpack` command."""

from promptpack.cli.main import run

if __name__ == "__main__":
    run()
