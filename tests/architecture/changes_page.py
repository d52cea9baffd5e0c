"""Print the page of all changes."""

import sys

from promptpack.versions.catalogue import write_page

if __name__ == "__main__":
    sys.stdout.write(write_page())
