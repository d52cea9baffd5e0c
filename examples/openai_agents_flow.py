"""The six agents on OpenAI Agents: install `openai-agents`. A scripted model takes the place of the server."""

import asyncio
from typing import Any

from agents import Agent, Model, ModelResponse, Usage, set_tracing_disabled
from asyncio_flow import walk
from openai.types.responses import ResponseOutputMessage, ResponseOutputText
from six_agents import Script

from promptpack import Verdict
from promptpack.adapters.openai_agents import run
from promptpack.flow import FlowStep


class ScriptedModel(Model):
    """A model of OpenAI Agents that answers one step with its prepared replies."""

    def __init__(self, script: Script, step: str) -> None:
        self._script, self._step = script, step

    async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
        """Return the next reply."""
        text = ResponseOutputText(text=self._script.reply(self._step), type="output_text", annotations=[])
        message = ResponseOutputMessage(id="1", type="message", role="assistant", status="completed", content=[text])
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        """Not used."""
        raise NotImplementedError


def main() -> None:
    """Answer each step with an agent; `run` checks its replies and sends the corrections."""
    script = Script()
    set_tracing_disabled(True)  # tracing would send the run to OpenAI

    async def answer(step: FlowStep) -> Verdict:
        agent = Agent(step.name, model=ScriptedModel(script, step.name))
        return (await run(agent, step.render())).final_output

    asyncio.run(walk(answer, script))


if __name__ == "__main__":
    main()
