import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from promptpack import Library, UsageError
from promptpack.cache import Cache
from promptpack.private_folder import PrivateFolder

BODY = "messages:\n  - {role: user, content: hi}\n"
SIGNATURE = 32


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary home folder, with the cache switched on."""
    monkeypatch.delenv("PROMPTPACK_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def packs(tmp_path: Path) -> Path:
    for name in ("one", "two"):
        write(tmp_path / "packs" / name / "1.0.0.yaml", name)
    return tmp_path / "packs"


def write(path: Path, name: str, body: str = BODY) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"promptpack: 1\nname: {name}\nversion: 1.0.0\n{body}", "utf-8")


def entries(home: Path) -> list[Path]:
    return sorted((home / ".cache" / "promptpack").iterdir())


def texts(folder: Path) -> list[str]:
    library = Library.open(str(folder))
    assert not library.problems
    return [pack.render().to_text() for pack in library.packs()]


def test_a_library_from_the_cache_is_the_same(packs: Path) -> None:
    assert texts(packs) == texts(packs) == ["[user]\nhi", "[user]\nhi"]
    assert Library.open(str(packs)).list() == Library.open(str(packs), cache=False).list()


def test_a_file_that_has_not_changed_is_not_parsed_again(packs: Path) -> None:
    code = f"""
import sys
from promptpack import Library
prompt = Library.open({str(packs)!r}).get("one").render()
assert prompt.to_text() == "[user]\\nhi"
print("yaml" in sys.modules, "jsonschema" in sys.modules, "pydantic_core" in sys.modules)
"""
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(2)]
    assert [run.stdout for run in runs] == ["True False False\n", "False False False\n"]


def test_a_file_whose_name_is_not_utf_8_is_cached_too(packs: Path) -> None:
    name = os.fsdecode(b"\xff.yaml")
    write(packs / name, "three")
    opened = [Library.open(str(packs)).get("three").render().to_text() for _ in range(2)]
    assert opened == ["[user]\nhi"] * 2
    assert Cache.open().get("library", str(packs.resolve()))[name][1:] == ["three", "1.0.0", ""]


def test_a_file_that_has_changed_is_read_again(packs: Path) -> None:
    texts(packs)
    write(packs / "one" / "1.0.0.yaml", "one", BODY.replace("hi", "ho"))
    assert texts(packs) == ["[user]\nho", "[user]\nhi"]


def test_a_broken_file_is_never_cached(packs: Path, home: Path) -> None:
    write(packs / "one" / "1.0.0.yaml", "one", "messages: 5\n")
    first, again = (Library.open(str(packs)).problems for _ in range(2))
    assert first == again
    assert [problem.code for problem in first] == ["PP204"]
    assert len(entries(home)) == 3  # the list of files, and the document and the build result of the other pack


def test_cached_data_is_plain_json_that_only_the_user_can_read(packs: Path, home: Path) -> None:
    texts(packs)
    for file in entries(home):
        json.loads(file.read_bytes()[SIGNATURE:])
        assert file.stat().st_mode & 0o777 == 0o600
    assert (home / ".cache" / "promptpack").stat().st_mode & 0o777 == 0o700
    assert (home / ".local" / "state" / "promptpack" / "cache.key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("harm", ["cut", "flip", "empty", "text", "link", "pipe", "folder", "open"])
def test_an_entry_that_was_tampered_with_is_computed_again(packs: Path, home: Path, harm: str) -> None:
    texts(packs)
    for file in entries(home):
        content = file.read_bytes()
        match harm:
            case "cut":
                file.write_bytes(content[:-1])
            case "flip":
                file.write_bytes(content.replace(b"hi", b"ha").replace(b"one", b"two"))
            case "empty":
                file.write_bytes(b"")
            case "text":
                file.write_text("cos\nsystem\n(S'true'\ntR.")
            case "open":
                file.chmod(0o666)
            case _:
                file.unlink()
        if harm == "link":
            (home / "elsewhere").write_bytes(content)
            file.symlink_to(home / "elsewhere")
        elif harm == "pipe":
            os.mkfifo(file, 0o600)
        elif harm == "folder":
            file.mkdir()
    assert texts(packs) == ["[user]\nhi", "[user]\nhi"]


def test_an_entry_cannot_replace_another(packs: Path, home: Path) -> None:
    write(packs / "two" / "1.0.0.yaml", "two", BODY.replace("hi", "ho"))
    texts(packs)
    contents = [file.read_bytes() for file in entries(home)]
    for file, content in zip(entries(home), [*contents[1:], contents[0]], strict=True):
        file.write_bytes(content)
    assert texts(packs) == ["[user]\nhi", "[user]\nho"]


def test_a_cache_signed_with_another_key_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(tmp_path / "shared")
    Cache.open(folder).put("mine", "name")
    assert Cache.open(folder).get("name") == "mine"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    assert Cache.open(folder).get("name") is None


@pytest.mark.parametrize("key", [b"", b"short", b"x" * 33])
def test_without_a_usable_key_nothing_is_cached(home: Path, key: bytes) -> None:
    state = home / ".local" / "state" / "promptpack"
    state.mkdir(mode=0o700, parents=True)
    (state / "cache.key").write_bytes(key)
    (state / "cache.key").chmod(0o600)
    cache = Cache.open()
    cache.put(1, "name")
    assert cache.get("name") is None
    assert not entries(home)


def test_a_folder_that_others_can_access_is_refused_if_requested_and_ignored_otherwise(home: Path) -> None:
    folder = home / ".cache" / "promptpack"
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    Cache.open().put(1, "name")
    assert not entries(home)
    with pytest.raises(UsageError) as caught:
        Cache.open(str(folder))
    assert str(caught.value) == (
        f"PP790 the cache folder {str(folder)!r} is not private\n"
        "  hint: use a folder that only you can access (mode 0700), or 'off'"
    )


def test_a_folder_that_is_a_link_is_not_used(home: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (home / ".cache").mkdir(parents=True)
    (home / ".cache" / "promptpack").symlink_to(tmp_path / "real")
    Cache.open().put(1, "name")
    assert not list((tmp_path / "real").iterdir())


@pytest.mark.parametrize("word", ["off", "OFF", "0", "no", "false"])
def test_the_environment_switches_the_cache_off(home: Path, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.setenv("PROMPTPACK_CACHE", word)
    Cache.open().put(1, "name")
    assert not home.exists()


def test_the_environment_moves_the_cache(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMPTPACK_CACHE", str(tmp_path / "elsewhere"))
    Cache.open().put(1, "name")
    assert Cache.open().get("name") == 1
    assert not (home / ".cache").exists()
    assert Cache.open(False).get("name") is None


def test_without_a_home_folder_nothing_is_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    cache = Cache.open()
    cache.put(1, "name")
    assert cache.get("name") is None


def test_concurrent_writers_leave_one_complete_value(home: Path) -> None:
    values = ["a" * 300_000, "b" * 300_000]
    read: list[object] = []

    def work(value: str) -> None:
        cache = Cache.open()
        for _ in range(30):
            cache.put(value, "name")
            read.append(cache.get("name"))

    threads = [threading.Thread(target=work, args=(value,)) for value in values]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read) == 60
    assert all(value in values for value in read)
    assert len(entries(home)) == 1


def test_the_oldest_entries_are_removed_if_there_are_too_many(tmp_path: Path) -> None:
    folder = PrivateFolder.open(str(tmp_path / "small"))
    assert folder is not None
    for number in range(10):
        folder.write(str(number), b"x" * 100)
        os.utime(tmp_path / "small" / str(number), ns=(number, number))
    folder.shrink(1000)
    assert len(list((tmp_path / "small").iterdir())) == 10
    folder.shrink(900)
    assert sorted(file.name for file in (tmp_path / "small").iterdir()) == ["6", "7", "8", "9"]
