import pytest

from promptpack import PackError, UsageError
from promptpack.library import Library
from promptpack.stubs.package import find_changes, stale, write_package
from promptpack.stubs.writing import MARK


def test_each_pack_gets_a_module_and_abstract_packs_get_none() -> None:
    files = write_package(Library.open("packs"), ["../packs"], "promptpack stubs packs -o typed")
    assert "planner.py" in files
    assert "meeting_notes.py" in files
    assert "agent_base.py" not in files
    assert '("../packs",), "promptpack stubs packs -o typed")' in files["_source.py"]
    assert all(text.startswith(MARK) for text in files.values())
    assert files == write_package(Library.open("packs"), ["../packs"], "promptpack stubs packs -o typed")


def test_a_library_without_packs_is_refused(tmp_path: object) -> None:
    with pytest.raises(UsageError) as caught:
        write_package(Library.open(str(tmp_path)), [], "promptpack stubs")
    assert str(caught.value) == ("PP648 there is no pack to generate a module from\n  hint: name a folder of packs")


def test_only_files_that_differ_are_written() -> None:
    existing = {"a.py": f"{MARK}1", "b.py": f"{MARK}2", "old.py": f"{MARK}3", "mine.py": "4"}
    assert find_changes({"a.py": f"{MARK}1", "b.py": f"{MARK}new"}, existing) == ({"b.py": f"{MARK}new"}, ["old.py"])


def test_files_of_others_are_not_overwritten() -> None:
    with pytest.raises(UsageError) as caught:
        find_changes({"a.py": MARK}, {"a.py": "print()"})
    assert str(caught.value) == (
        "PP647 'a.py' exists, and 'promptpack stubs' did not write it\n"
        "  hint: choose another folder with -o, or move the file"
    )


def test_files_that_are_out_of_date_are_listed() -> None:
    error = stale("typed", {"b.py": ""}, ["a.py"], "promptpack stubs packs -o typed")
    assert isinstance(error, PackError)
    assert str(error) == (
        "PP649 typed/a.py is out of date\n  hint: run: promptpack stubs packs -o typed\n"
        "PP649 typed/b.py is out of date\n  hint: run: promptpack stubs packs -o typed"
    )
