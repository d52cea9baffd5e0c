"""The journal of a subject: its answers, on disk as soon as they arrive, so that nothing is asked twice.

It resumes an evaluation that was interrupted, and it is the cache of later ones: a line is found by the case and the
repetition, a file by the digest, the model and the parameters.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from promptpack.evaluation.answer import Answer
from promptpack.evaluation.evaluated_pack import EvaluatedPack
from promptpack.private_folder import PrivateFolder, PrivateLog, user_folder
from promptpack.problem import Location, PackError, Problem, UsageError

_FORMAT: Final = 1
_FOLDER: Final = "evaluations"


class Journal:
    """The stored answers of one subject; `add` returns when an answer is on disk."""

    def __init__(self, log: PrivateLog, answers: dict[tuple[str, int], Answer]) -> None:
        self._log = log
        self._answers = answers

    @classmethod
    def open(cls, folder: PrivateFolder, subject: EvaluatedPack, *, fresh: bool = False) -> "Journal":
        """Open the journal of a subject; `fresh` forgets its answers."""
        name = f"{subject.pack.name}-{subject.key}.jsonl"
        log = folder.open_log(name)
        if log is None:
            hint = "use another folder with --journal"
            raise UsageError(Problem("PP974", "the journal is not private", Location(f"{folder.root}/{name}"), hint))
        if not log.lock():
            log.close()
            hint = "wait until it ends, or use another folder with --journal"
            raise UsageError(Problem("PP974", "another evaluation writes this journal", Location(log.path), hint))
        if fresh:
            log.clear()
        lines = log.read_lines()
        if not lines:
            log.append(_write({"journal": _FORMAT, **subject.description}))
        return cls(log, _read_answers(lines[1:], log.path))

    def find(self, case: str, repetition: int) -> Answer | None:
        """Return the answer to a case in a repetition, if there is one."""
        return self._answers.get((case, repetition))

    def add(self, answer: Answer) -> None:
        """Store an answer."""
        self._log.append(_write(answer.to_dict()))
        self._answers[answer.case, answer.repetition] = answer

    def close(self) -> None:
        """Close the file."""
        self._log.close()


def open_journals(path: str | None) -> PrivateFolder:
    """Open the folder of journals; by default the user's own."""
    place = user_folder("state")
    if path is None and place is not None:
        PrivateFolder.open(place)
        path = f"{place}/{_FOLDER}"
    folder = PrivateFolder.open(path) if path else None
    if folder is None:
        hint = "use a folder that only you can access (mode 0700) with --journal"
        raise UsageError(Problem("PP974", f"the folder of journals {path!r} is not private", None, hint))
    return folder


def _write(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=True, separators=(",", ":"), default=str).encode()


def _read_answers(lines: list[bytes], path: str) -> dict[tuple[str, int], Answer]:
    answers = {}
    for number, line in enumerate(lines, 2):
        try:
            answer = Answer.from_dict(json.loads(line))
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            hint = "delete the file, or pass --fresh to ask again"
            raise PackError(Problem("PP974", "the journal is damaged", Location(path, number, 1), hint)) from error
        answers[answer.case, answer.repetition] = answer
    return answers
