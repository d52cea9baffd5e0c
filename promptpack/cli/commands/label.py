"""`promptpack label`: list the labels of packs, set one, or delete one."""

import re

import click

from promptpack import files
from promptpack.cli.console import on_one_line, print_json
from promptpack.cli.options import complete_packs, open_library, packs_option
from promptpack.document.entries import delete_entry, set_entry
from promptpack.file_lock import exclusive
from promptpack.files import Folder
from promptpack.library import Library
from promptpack.library.contents import LABELS, LOCK
from promptpack.library.labels import Label, LabelIndex, check, read
from promptpack.problem import Location, Problem, UsageError

_NAME = re.compile(r"[a-z][a-z0-9-]*\Z")
_TARGET = re.compile(r"[a-z0-9][a-zA-Z0-9.+-]*\Z")
_HEADER = "# Names for exact versions: library.get('planner@production')\n"


@click.command("label")
@click.argument("pack", required=False, shell_complete=complete_packs)
@click.argument("label", required=False)
@click.argument("targets", nargs=-1, metavar="[VERSION]...")
@packs_option
@click.option("--delete", is_flag=True, help="Delete the label.")
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    pack: str | None,
    label: str | None,
    targets: tuple[str, ...],
    folders: tuple[str, ...],
    delete: bool,
    format: str,  # noqa: A002 -- the option's name
) -> None:
    """List the labels of packs, or set a label to a VERSION: promptpack label planner production 1.1.0

    VERSION is an exact version or another label. A trial has several, with weights: 1.0.0=90 1.1.0=10.
    """
    library = open_library(folders)
    if pack is None or (label is None and not delete):
        _list(library, pack, format)
        return
    if label is None or bool(targets) == delete:
        message = "a label and its version are needed" if not delete else "--delete takes a pack and a label"
        hint = "write 'promptpack label planner production 1.1.0', or '--delete planner production'"
        raise UsageError(Problem("PP930", message, None, hint))
    folder = _find_folder(library, pack)
    value = None if delete else _read_targets(label, targets)
    files.require_writable(folder.show(LABELS))
    with exclusive(folder.root):
        _change(library, folder, pack, label, value)


def _list(library: Library, pack: str | None, form: str) -> None:
    labels = [one for one in library._labels if pack in (None, one.pack)]
    if form == "json":
        print_json([{"pack": one.pack, "label": one.name, "target": one.target, **_place(one)} for one in labels])
        return
    rows = [(one.pack, one.name, _show(one)) for one in labels]
    widths = [max((len(value) for value in column), default=0) for column in zip(*rows, strict=True)]
    for row in rows:
        line = "  ".join(value.ljust(width) for value, width in zip(row, widths, strict=True))
        click.echo(on_one_line(line.rstrip()))


def _place(label: Label) -> dict[str, object]:
    place = label.document.locate_key(label.path)
    return {"path": place.path, "line": place.line}


def _show(label: Label) -> str:
    if isinstance(label.target, str):
        return label.target
    return " ".join(f"{version}={weight:g}" for version, weight in label.target.items())


def _find_folder(library: Library, pack: str) -> Folder:
    """Return the folder whose labels are changed: the one that has the pack."""
    entry = library._find_entry(pack)
    if entry.folder.root == files.shipped("packs").root or entry.folder not in library.folders:
        hint = "label packs of your own folder: -p FOLDER"
        raise UsageError(Problem("PP930", f"the labels of the shipped pack {pack!r} cannot be changed", None, hint))
    return entry.folder


def _read_targets(label: str, targets: tuple[str, ...]) -> str:
    """Return the value of a label as YAML."""
    if not _NAME.match(label):
        hint = "start with a-z, and use only a-z, 0-9 and '-'"
        raise UsageError(Problem("PP930", f"invalid label {label!r}", None, hint))
    pairs = [target.partition("=")[::2] for target in targets]
    for target, _ in pairs:
        if not _TARGET.match(target):
            hint = "write an exact version, such as 1.1.0, or another label"
            raise UsageError(Problem("PP930", f"{target!r} is neither a version nor a label", None, hint))
    if len(pairs) == 1 and not pairs[0][1]:
        return pairs[0][0]
    bad = [target for target, (_, weight) in zip(targets, pairs, strict=True) if not _is_number(weight)]
    if bad:
        hint = "write versions with weights, such as 1.0.0=90 1.1.0=10"
        raise UsageError(Problem("PP930", f"{bad[0]!r} has no weight", None, hint))
    return "{" + ", ".join(f"{version}: {weight}" for version, weight in pairs) + "}"


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text, re.ASCII) is not None


def _change(library: Library, folder: Folder, pack: str, label: str, value: str | None) -> None:
    path = folder.show(LABELS)
    exists = folder.is_occupied(LABELS)
    content = folder.read(LABELS) if exists else f"{_HEADER}labels: {{}}\n".encode()
    document = read(content, path)
    raw = content.decode()
    if value is None:
        if label not in document.data["labels"].get(pack, {}):
            raise UsageError(Problem("PP745", f"{pack!r} has no label {label!r}", Location(path)))
        changed = delete_entry(raw, document, ("labels", pack, label))
    else:
        changed = set_entry(raw, document, ("labels", pack, label), value)
    if changed is None:
        hint = "write each label on its own line, or edit the file by hand"
        raise UsageError(Problem("PP931", "no label can be changed in this layout", Location(path), hint))
    before = {problem.message for problem in check(LabelIndex([document]), library.entries)}
    new = [one for one in check(LabelIndex([read(changed, path)]), library.entries) if one.message not in before]
    if new:
        raise UsageError(Problem("PP930", one.message, None, one.hint) for one in new)
    files.write(path, changed)
    click.echo(f"wrote {path}", err=True)
    if changed != raw and folder.exists(LOCK):
        click.echo(f"{folder.show(LOCK)} has the old labels; run: promptpack lock {folder.root}", err=True)
