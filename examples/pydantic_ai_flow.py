"""The six agents on pydantic-ai: install `pydantic-ai-slim`. A scripted model takes the place of the server."""

import asyncio
from typing import Any

from asyncio_flow import walk
from pydantic_ai import Agent, TextOutput
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel
from six_agents import Script

from promptpack import Verdict
from promptpack.adapters.pydantic_ai import output_validator, run_arguments
from promptpack.flow import FlowStep


def main() -> None:
    """Answer each step with an agent; the validator checks its replies and sends the corrections."""
    script = Script()

    async def answer(step: FlowStep) -> Verdict:
        def reply(*_: Any) -> ModelResponse:
            return ModelResponse([TextPart(script.reply(step.name))])

        prompt = step.render()
        agent = Agent(FunctionModel(reply), output_type=TextOutput(output_validator(prompt)), retries=2)
        return (await agent.run(**run_arguments(prompt))).output

    asyncio.run(walk(answer, script))


if __name__ == "__main__":
    main()
