"""A full lint of many packs, cold, warm and with one pack changed, compared with check-jsonschema and scripts."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from benchmarks.environments import ROOT, scratch_folder
from benchmarks.load import write_packs
from benchmarks.sides import Command, Table

SCHEMA = str(ROOT / "schemas" / "pack.schema.json")
FULL = """
import sys
from promptpack.linter.lint_paths import lint
report = lint([sys.argv[1]], cache=sys.argv[2] or False)
assert not report.failed
print(len(report.files), "files")
"""
# The file is restored for the next process.
CHANGED = f"""
import sys, time
from pathlib import Path
file = sorted(Path(sys.argv[1]).glob("*/*.yaml"))[7]
text = file.read_text("utf-8")
file.write_text(text + f"# changed at {{time.time_ns()}}", "utf-8")
try:
    {FULL.strip().replace(chr(10), chr(10) + "    ")}
finally:
    file.write_text(text, "utf-8")
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
# A handwritten script with common packages. It checks the pack schema, the inner schemas, and the template syntax.
BY_HAND = """
import glob, json, sys, jinja2, jsonschema, yaml
with open(sys.argv[1], encoding="utf-8") as stream:
    schema = json.load(stream)
Validator = jsonschema.Draft202012Validator
environment = jinja2.Environment()
if sys.argv[3] == "once":
    validate = Validator(schema).validate
else:
    validate = lambda pack: jsonschema.validate(pack, schema, Validator)
files = sorted(glob.glob(sys.argv[2] + "/*/*.yaml"))
for file in files:
    with open(file, encoding="utf-8") as stream:
        pack = yaml.load(stream, yaml.CSafeLoader)
    validate(pack)
    reply = pack["reply"]
    for inner in (*pack["inputs"].values(), *(action["params"] for action in reply["actions"].values())):
        Validator.check_schema(inner)
    texts = [message["content"] for message in pack["messages"]]
    for rule in reply["rules"]:
        texts += (rule["message"], *("{{ " + rule[key] + " }}" for key in ("when", "require")))
    for text in texts:
        environment.parse(text)
print(len(files), "files")
"""
PEER = "check-jsonschema"


def tables() -> tuple[Table, ...]:
    return (
        Table("lint", "Linting 1,000 packs", (*_sides(1_000), _changed(1_000)), rounds=3),
        Table("lint-few", "Linting 100 packs", (*_sides(100), _changed(100), *_by_hand(100)), rounds=3),
    )


def _sides(size: int) -> tuple[Command, ...]:
    packs, cache, expected = _places(size)
    peer = Command(
        PEER, SCHEMA_ONLY, (SCHEMA, packs), expected, environment="lint", packages=(PEER,), note="schema only"
    )
    return (
        peer,
        Command("promptpack, cold", FULL, (packs, ""), expected, over=PEER, note="all rules"),
        Command("promptpack, warm", FULL, (packs, cache), expected, over=PEER, note="all rules"),
    )


def _changed(size: int) -> Command:
    packs, cache, expected = _places(size)
    return Command("promptpack, one pack changed", CHANGED, (packs, cache), expected, over=PEER, note="all rules")


def _by_hand(size: int) -> Iterator[Command]:
    packs, _, expected = _places(size)
    packages = ("pyyaml", "jsonschema", "jinja2")
    note = "pack schema, inner schemas, template syntax"
    for name, how in (("script, `jsonschema.validate`", "each"), ("script, one validator", "once")):
        yield Command(name, BY_HAND, (SCHEMA, packs, how), expected, over=PEER, packages=packages, note=note)


@cache
def _places(size: int) -> tuple[str, str, str]:
    """Write `size` packs; return their folder, a cache folder, and the expected output."""
    folder: Path = scratch_folder()
    write_packs(folder / "packs", size)
    return f"{folder}/packs", f"{folder}/cache", f"{size} files"
