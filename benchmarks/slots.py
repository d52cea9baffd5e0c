"""Slot prompts are faster than Agently 4.0.7.5, on the same prompts and with the same results."""

import importlib.util
import json
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.measuring import Job
from benchmarks.sides import Side, Table

VECTORS = Path(__file__).parents[1] / "tests" / "conformance" / "slots"


def promptpack(measure: str) -> Job:
    warnings.simplefilter("ignore")
    return _bench("promptpack").job(measure)


def agently(measure: str) -> Job:
    warnings.simplefilter("ignore")
    return _bench("agently").job(measure)


@cache
def _bench(implementation: str) -> "Bench":
    runner = load_runner()
    return Bench(Ours() if implementation == "promptpack" else runner.RealAgently(), runner)


class Ours:
    """A factory, as the runner of the vectors expects it, for our slot prompts."""

    def __call__(self, parent: Any, settings: Any, init: Any) -> Any:
        from promptpack.prompt.slots import SlotPrompt

        above = SlotPrompt(parent) if parent is not None else None
        return SlotPrompt(init, parent=above, settings=settings)

    def message_class(self, name: str) -> Any:
        """Return one of our message classes by name."""
        from promptpack.prompt.slots import model

        return getattr(model, name)


def load_runner() -> ModuleType:
    """Load the runner of the vectors, which can decode them."""
    spec = importlib.util.spec_from_file_location("slots_runner", VECTORS / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Bench:
    """The vectors with a result, ready to run on an implementation."""

    def __init__(self, implementation: Any, runner: ModuleType) -> None:
        self._implementation = implementation
        self._runner = runner
        self._fresh = 0
        vectors = json.loads((VECTORS / "vectors.json").read_text(encoding="utf-8"))
        # A vector with a note differs from the release on purpose, so there is nothing to compare.
        self._vectors = [vector for vector in vectors if "ok" in vector["expect"] and "note" not in vector]

    def sizes(self) -> dict[str, int]:
        """Return the number of prompts of every measure."""
        return {measure: len(list(self._jobs(measure))) for measure in MEASURES}

    def job(self, measure: str) -> Job:
        """Run all prompts of a measure; all results are compared exactly, without warnings."""
        runs, (call, _) = list(self._jobs(measure)), MEASURES[measure]

        def run() -> None:
            for one in runs:
                one()

        return Job(run, lambda: [self._result(vector) for vector in self._vectors if vector["call"] == call])

    def _result(self, vector: dict[str, Any]) -> str:
        result = self._runner.run_one(vector, self._implementation)
        return json.dumps({key: value for key, value in result.items() if key != "warnings"})

    def _jobs(self, measure: str) -> Iterator[Callable[[], object]]:
        call, mode = MEASURES[measure]
        for vector in self._vectors:
            if vector["call"] == call and self._fits(vector, mode):
                yield self._job(vector, call, mode)

    def _fits(self, vector: dict[str, Any], mode: str) -> bool:
        return mode != "fresh" or isinstance(self._runner.decode(vector["prompt"]["output"]), dict)

    def _job(self, vector: dict[str, Any], call: str, mode: str) -> Callable[[], object]:
        decode, implementation = self._runner.decode, self._implementation
        parent, given = decode(vector.get("parent"), implementation), decode(vector["prompt"], implementation)
        settings = decode(vector.get("settings", {}), implementation)
        options = {} if call == "to_output_model" else decode(vector["args"], implementation)
        steps = [(name, decode(arguments, implementation)) for name, arguments in vector.get("ops", [])]

        def build() -> Any:
            prompt = implementation(parent, settings, None)
            prompt.update(given)
            for name, arguments in steps:
                getattr(prompt, name)(*arguments)
            return prompt

        def build_fresh() -> object:
            self._fresh += 1
            given["output"] = {**given["output"], f"field{self._fresh}": str}
            result = build().to_output_model()
            del given["output"][f"field{self._fresh}"]
            return result

        if mode == "fresh":
            return build_fresh
        if mode == "whole":
            return lambda: getattr(build(), call)(**options)
        prompt = build()
        return lambda: getattr(prompt, call)(**options)


MEASURES = {
    "to_text": ("to_text", "whole"),
    "to_text, prompt ready": ("to_text", "call"),
    "to_messages": ("to_messages", "whole"),
    "to_messages, prompt ready": ("to_messages", "call"),
    "to_prompt_object": ("to_prompt_object", "whole"),
    "to_prompt_object, prompt ready": ("to_prompt_object", "call"),
    "to_output_model, schema seen before": ("to_output_model", "whole"),
    "to_output_model, new schema": ("to_output_model", "fresh"),
    "to_serializable_prompt_data": ("to_serializable_prompt_data", "whole"),
    "to_json_prompt": ("to_json_prompt", "whole"),
    "to_json_prompt, prompt ready": ("to_json_prompt", "call"),
    "to_yaml_prompt": ("to_yaml_prompt", "whole"),
    "to_yaml_prompt, prompt ready": ("to_yaml_prompt", "call"),
}


def tables() -> tuple[Table, ...]:
    sides: list[Side] = []
    for measure, size in _bench("promptpack").sizes().items():
        original = f"{measure}, Agently"
        sides += [
            Side(original, agently, (measure,), environment="agently-slots", packages=("agently",), units=size),
            Side(measure, promptpack, (measure,), over=original, units=size),
        ]
    return (Table("slots", "Slot prompts, compared with Agently", tuple(sides), rounds=5),)
