"""A server on 127.0.0.1 that answers every API with the same reply, and what it received in a common form."""

import json
from collections.abc import Mapping
from typing import Any

from tests.e2e.loopback import Answer, Loopback, Received, anthropic_answer, json_answer, openai_answer

REPLY = '{"city": "Oslo"}'
INVALID = '{"town": "Oslo"}'


class Server(Loopback):
    """Answers with the given texts, one after the other; the last one is repeated."""

    def __init__(self, *replies: str) -> None:
        self._replies = [*(replies or (REPLY,))]
        super().__init__(self._reply)

    @property
    def bodies(self) -> list[Any]:
        """The bodies of all requests."""
        return [received.body for received in self.received]

    @property
    def body(self) -> Any:
        """The body of the only request."""
        (body,) = self.bodies
        return body

    def _reply(self, received: Received) -> Answer:
        text = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        for end, write in _ANSWERS.items():
            if received.path.split("?")[0].endswith(end):
                return write(text)
        return json_answer({"error": {"message": f"no such path: {received.path}"}}, 404)


def chat_texts(messages: list[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return the role and the text of each chat message, whether it has parts or not."""
    return [(message["role"], _text(message.get("content"))) for message in messages]


def chat_calls(messages: list[Mapping[str, Any]]) -> list[tuple[str, str, Any]]:
    """Return the id, the name and the arguments of each call in chat messages."""
    calls = [call for message in messages for call in message.get("tool_calls") or ()]
    return [(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls]


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(part["text"] for part in content if part["type"] == "text")
    return content or ""


def _responses(text: str) -> Answer:
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [part]}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return json_answer(
        {
            "id": "r1",
            "object": "response",
            "created_at": 1,
            "status": "completed",
            "model": "loopback-1",
            "output": [message],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, **details},
        }
    )


def _gemini(text: str) -> Answer:
    content = {"role": "model", "parts": [{"text": text}]}
    return json_answer({"candidates": [{"content": content, "finishReason": "STOP"}]})


def _converse(text: str) -> Answer:
    message = {"role": "assistant", "content": [{"text": text}]}
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    answer = {"output": {"message": message}, "stopReason": "end_turn", "usage": usage, "metrics": {"latencyMs": 1}}
    return json_answer(answer)


def _ollama(text: str) -> Answer:
    return json_answer({"model": "loopback-1", "message": {"role": "assistant", "content": text}, "done": True})


_ANSWERS = {
    "/chat/completions": openai_answer,
    "/responses": _responses,
    "/v1/messages": lambda text: anthropic_answer([{"type": "text", "text": text}]),
    ":generateContent": _gemini,
    "/converse": _converse,
    "/api/chat": _ollama,
}
