# ruff: noqa: S311 -- Hypothesis provides the randomness
"""Valid outputs of four agents, each made from one random seed: to draw every text and number takes longer than to judge."""

import unicodedata
from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import strategies as st

Output = dict[str, Any]
SENTENCES = (
    "The plan is consistent", "同一任务，小改动", "See https://a.b/c//d?x=1#y", "It's 5 o'clock", "“引号”与（括号）",
    "a, b: c", "{not} [data]", "100% / 100", "# no comment", "/* nor this */", "```json\n{}\n```", "</think> <think>",
    "line one\nline two", 'said "stop"', "C:\\temp\\new", "true", "null", "...", "", " padded ", "😀 \u2028 end",
    "say «stop», 「停」 or ‹go›", "a « b",
)  # fmt: skip
# Keys that contain quotes can be written in several ways.
QUOTES = set("\"'`“”„‟＂‘’‚‛＇「」『』«»‹›\\\n")


def text(random: Random) -> str:
    """Return a sentence or any characters."""
    if random.random() < 0.5:
        return random.choice(SENTENCES)
    return "".join(_character(random) for _ in range(random.randrange(21)))


def _character(random: Random) -> str:
    """Return a character: half of a surrogate pair is not text, and every style writes control characters differently."""
    last = random.choice([0x7F, 0x100, 0x3000, 0x10000, 0x110000])
    while unicodedata.category(character := chr(random.randrange(0x20, last))) in ("Cs", "Cc"):
        pass
    return character


def name(random: Random) -> str:
    while QUOTES & set(found := text(random)):
        pass
    return found


def word(random: Random) -> str:
    """Return an item for a list: a single item that is empty or looks like data could have another meaning."""
    while not (found := text(random))[:1].isalnum():
        pass
    return found


def number(random: Random) -> float:
    return random.randint(0, 100) if random.random() < 0.5 else round(random.uniform(0, 100), 3)


def free(random: Random, depth: int = 2) -> Any:
    kind = random.choice(["text", "text", "integer", "constant", *(["list", "object"] if depth else [])])
    if kind == "list":
        return [free(random, depth - 1) for _ in range(random.randrange(4))]
    if kind == "object":
        return params(random, depth - 1)
    integer = random.choice([0, 1, -1, random.randint(-300, 300), random.randint(-(2**70), 2**70)])
    return {"text": text(random), "integer": integer, "constant": random.choice([True, False, None])}[kind]


def params(random: Random, depth: int = 2) -> Output:
    return {name(random): free(random, depth) for _ in range(random.randrange(4))}


def _route(random: Random) -> Output:
    route = random.choice(["minor_replan", "new_task", "wait_user_decision"])
    return {"route": route, "payload": {"reason": text(random), "requiresConfirmation": _flag(random)}}


def _review(random: Random) -> Output:
    fixes = [text(random) for _ in range(random.randrange(3))]
    return {"approved": _flag(random), "score": number(random), "feedback": text(random), "requiredFixes": fixes}


def _flag(random: Random) -> bool:
    return random.random() < 0.5


AGENTS: dict[str, tuple[tuple[str, ...], Callable[[Random], Output]]] = {
    "router": (("ROUTE_DECISION",), _route),
    "reviewer": (("REVIEW_RESULT",), _review),
    "executor": (("web_search", "files.read", "Deploy-now"), params),
    "orchestrator": (("PHASE_TRANSITION", "RESOURCE_ALLOCATE"), params),
}
OPTIONS: dict[str, Callable[[Random], Any]] = {
    "alternativeActions": lambda random: [word(random) for _ in range(random.randrange(3))],
    "requiresUserConfirmation": _flag,
    "userMessage": text,
}


def output(agent: str, random: Random) -> Output:
    """Return an output that meets the contract of an agent."""
    actions, make_params = AGENTS[agent]
    risk = {"level": random.choice(["low", "medium", "high"]), "description": text(random)}
    return {
        "thought": text(random),
        "action": random.choice(actions),
        "params": make_params(random),
        "expectedOutcome": text(random),
        "risk": {**risk, "mitigation": text(random)} if _flag(random) else risk,
        "confidence": number(random),
        **{key: make(random) for key, make in OPTIONS.items() if _flag(random)},
    }


def outputs(*agents: str) -> st.SearchStrategy[tuple[str, Output]]:
    """Return a strategy for an agent and its output."""

    def make(agent: str, seed: int) -> tuple[str, Output]:
        return agent, output(agent, Random(seed))

    return st.builds(make, st.sampled_from(agents), st.integers(0, 2**32))


anything = outputs(*AGENTS)
