"""Which message of a new pack corresponds to which of the old one."""

from typing import Any

import pytest

from promptpack.document import parse
from promptpack.pack.placed import Placed
from promptpack.versions import pairing
from promptpack.versions.pairing import Pair, pair_messages


def place(*messages: dict[str, Any]) -> list[Placed]:
    """Return messages as they are in a pack."""
    text = "messages:\n" + "".join(f"- {message}\n" for message in messages)
    document = parse(text, "a.yaml")
    return [Placed(value, document, ("messages", index)) for index, value in enumerate(document.data["messages"])]


def say(text: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": text}


def test_equal_messages_are_paired_in_their_order() -> None:
    old, new = place(say("a"), say("a"), say("b")), place(say("b"), say("a"), say("a"))
    assert pair_messages(old, new) == (Pair(2, 0), Pair(0, 1), Pair(1, 2))


def test_a_text_is_not_equal_to_a_list_that_is_written_like_it() -> None:
    old = place(say('["a"]', "system"), say("unlike"))
    new = place({"role": "system", "content": ["a"]})
    assert pair_messages(old, new) == (Pair(0, 0),)


def test_the_only_messages_of_a_role_are_paired() -> None:
    old, new = place(say("a", "system"), say("b"), say("c")), place(say("x", "system"), say("y"))
    assert pair_messages(old, new) == (Pair(0, 0),)


def test_of_very_many_messages_those_nearby_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    old = place(*(say(f"number {index} of the old pack") for index in range(60)))
    new = place(*(say(f"number {index} of the new pack") for index in range(60)))
    every = tuple(Pair(index, index) for index in range(60))
    assert pair_messages(old, new) == every
    compared: list[Any] = []
    similarity = pairing._similarity

    def count(*pair: Any) -> float:
        compared.append(pair)
        return similarity(*pair)

    monkeypatch.setattr(pairing, "_similarity", count)
    monkeypatch.setattr(pairing, "_MAX_STEPS", 10_000)
    assert pair_messages(old, new) == every
    assert len(compared) < 60 * 10
