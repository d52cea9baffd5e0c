"""The six agents on the SDKs of OpenAI and Anthropic: install `openai` and `anthropic`.

A scripted transport takes the place of their servers. The reviewer asks Anthropic, all others ask OpenAI.
"""

import asyncio

import httpx2
from anthropic import AsyncAnthropic
from asyncio_flow import walk
from openai import AsyncOpenAI
from six_agents import Script

from promptpack import Message, Verdict
from promptpack.flow import FlowStep


def main() -> None:
    """Answer each step with the SDK of a provider; the response is checked as it is."""
    script = Script()
    step_name = ""

    def serve(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, json=respond(script.reply(step_name), is_chat="chat" in request.url.path))

    http = httpx2.AsyncClient(transport=httpx2.MockTransport(serve))
    openai, anthropic = AsyncOpenAI(api_key="-", http_client=http), AsyncAnthropic(api_key="-", http_client=http)

    async def answer(step: FlowStep) -> Verdict:
        nonlocal step_name
        step_name, prompt = step.name, step.render()

        async def ask(messages: tuple[Message, ...]) -> object:
            current = prompt.with_messages(messages)
            if step.pack.name == "reviewer":
                return await anthropic.messages.create(model="claude", **current.to("anthropic"))
            return await openai.chat.completions.create(model="gpt", **current.to("openai"))

        return await prompt.acorrect(ask)

    asyncio.run(walk(answer, script))


def respond(text: str, *, is_chat: bool) -> dict[str, object]:
    """Return the body of a response, as OpenAI or Anthropic sends it."""
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2, "input_tokens": 1, "output_tokens": 1}
    if is_chat:
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        return {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "gpt",
            "choices": [choice],
            "usage": usage,
        }
    block = {"type": "text", "text": text}
    about = {"id": "1", "type": "message", "role": "assistant", "model": "claude", "stop_reason": "end_turn"}
    return {**about, "stop_sequence": None, "content": [block], "usage": usage}


if __name__ == "__main__":
    main()
