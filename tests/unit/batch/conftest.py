"""A folder with a pack, contexts and result files, and the command in this process."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from promptpack.library import Library
from promptpack.pack.model import Pack
from tests.e2e.conftest import Finished, run
from tests.unit.evaluation.conftest import PACK

Batch = Callable[..., Finished]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with `packs`."""
    (tmp_path / "packs" / "grader").mkdir(parents=True)
    (tmp_path / "packs" / "grader" / "1.0.0.yaml").write_text(PACK.format(version="1.0.0"), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def grader(folder: Path) -> Pack:
    return Library.open(str(folder / "packs"), cache=False).get("grader")


@pytest.fixture
def batch(folder: Path) -> Batch:
    """Run a batch command in this process and in the folder."""

    def invoke(*words: str, stdin: str = "") -> Finished:
        return run(folder, "batch", words[0], "grader", *words[1:], "--processes", "1", stdin=stdin)

    return invoke


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> str:
    """Write rows as JSONL, and return the name of the file."""
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), "utf-8")
    return path.name


def write_contexts(folder: Path, count: int, name: str = "contexts.jsonl") -> str:
    """Write contexts with the ids r0, r1 and so on."""
    rows = ({"id": f"r{number}", "context": {"TEXT": f"text {number}."}} for number in range(count))
    return write_lines(folder / name, rows)


def read_lines(path: Path) -> list[Any]:
    """Read JSONL."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def openai_line(identifier: str, reply: Any) -> dict[str, Any]:
    """Return a line of an output file of OpenAI or vLLM."""
    text = reply if isinstance(reply, str) else json.dumps(reply)
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 2}}
    body = {"id": "c", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage}
    response = {"status_code": 200, "request_id": "q", "body": body}
    return {"id": "batch_req_1", "custom_id": identifier, "response": response, "error": None}


def anthropic_line(identifier: str, reply: Any) -> dict[str, Any]:
    """Return a line of a result file of Anthropic."""
    blocks = [{"type": "text", "text": json.dumps(reply)}]
    usage = {"input_tokens": 10, "output_tokens": 5}
    message: dict[str, Any] = {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": blocks}
    message |= {"stop_reason": "end_turn", "usage": usage}
    return {"custom_id": identifier, "result": {"type": "succeeded", "message": message}}
