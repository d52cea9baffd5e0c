"""Runs slot vectors on one implementation and takes the time; as a script, on the installed Agently."""

import importlib.util
import json
import logging
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

VECTORS = Path(__file__).parents[1] / "tests" / "conformance" / "slots"
ROUND_SECONDS = 0.05


def load_runner() -> ModuleType:
    """Load the vectors' own runner, which knows how they are encoded."""
    spec = importlib.util.spec_from_file_location("slots_runner", VECTORS / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Bench:
    """The vectors that give a result, ready to be run on an implementation."""

    def __init__(self, implementation: Any, runner: ModuleType) -> None:
        self._implementation = implementation
        self._runner = runner
        self._fresh = 0
        vectors = json.loads((VECTORS / "vectors.json").read_text(encoding="utf-8"))
        # where a note says so, the vectors leave the release behind: there is nothing to compare
        self._vectors = [vector for vector in vectors if "ok" in vector["expect"] and "note" not in vector]

    def results(self) -> dict[str, Any]:
        """Give the result of every vector."""
        return {vector["id"]: self._runner.run_one(vector, self._implementation) for vector in self._vectors}

    def sizes(self) -> dict[str, int]:
        """Give the number of prompts of every measure."""
        return {measure: len(list(self._jobs(measure))) for measure in MEASURES}

    def seconds(self, measure: str) -> float:
        """Run all prompts of a measure again and again for a while; the time of one pass."""
        jobs = list(self._jobs(measure))
        passes, begun = 0, time.perf_counter()
        while time.perf_counter() - begun < ROUND_SECONDS:
            for job in jobs:
                job()
            passes += 1
        return (time.perf_counter() - begun) / passes

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


def main() -> None:
    """Answer `results`, `sizes` and the names of measures, one JSON text a line."""
    answers, sys.stdout = sys.stdout, sys.stderr
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    runner = load_runner()
    bench = Bench(runner.RealAgently(), runner)
    for line in sys.stdin:
        wish = json.loads(line)
        answer = bench.results() if wish == "results" else bench.sizes() if wish == "sizes" else bench.seconds(wish)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
