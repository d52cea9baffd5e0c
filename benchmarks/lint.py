"""A full lint of many packs against check-jsonschema, which looks at their schema only; cold, and then warm."""

from functools import cache
from pathlib import Path

from benchmarks.environments import ROOT, scratch_folder
from benchmarks.load import write_packs
from benchmarks.sides import Command, Table

PACKS = 1_000
FULL = """
import sys
from promptpack.linter import lint
report = lint([sys.argv[1]], cache=sys.argv[2] or False)
print(len(report.files), "files")
"""
SCHEMA_ONLY = """
import glob, sys
from check_jsonschema import main
files = sorted(glob.glob(sys.argv[2] + "/*/*.yaml"))
sys.argv[1:] = ["--quiet", "--schemafile", sys.argv[1], *files]
try:
    main()
except SystemExit as stop:
    assert not stop.code
print(len(files), "files")
"""
PEER = "check-jsonschema"


def tables() -> tuple[Table, ...]:
    folder = _folder()
    packs, kept, expected = f"{folder}/packs", f"{folder}/cache", f"{PACKS} files"
    sides = (
        Command(
            PEER,
            SCHEMA_ONLY,
            (str(ROOT / "schemas" / "pack.schema.json"), packs),
            expected,
            environment="lint",
            packages=("check-jsonschema",),
            note="schema only",
        ),
        Command("promptpack, cold", FULL, (packs, ""), expected, over=PEER, note="every rule"),
        Command("promptpack, warm", FULL, (packs, kept), expected, over=PEER, note="every rule"),
    )
    return (Table("lint", f"Linting {PACKS:,} packs", sides, rounds=3),)


@cache
def _folder() -> Path:
    folder = scratch_folder()
    write_packs(folder / "packs", PACKS)
    return folder
