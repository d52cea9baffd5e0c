"""The six agents on plain asyncio: run it with `python examples/asyncio_flow.py`.

`walk` is the whole orchestrator; the examples for OpenAI Agents and pydantic-ai call it with their own agents.
"""

import asyncio
from collections.abc import Awaitable, Callable

from six_agents import GIVEN, Script, ask_user, finish

from promptpack import Library, Message, Verdict
from promptpack.flow import FlowRun, FlowStep


async def walk(answer: Callable[[FlowStep], Awaitable[Verdict]], script: Script) -> FlowRun:
    """Walk through the flow; `answer` returns the checked reply to the prompt of a step."""
    run = Library.open().flow(locale="en").start(GIVEN)
    while step := run.next():
        verdict = await answer(step)
        run = run.took(verdict, finish(step, verdict, script))
        if run.waits_for_user:
            run = run.answered(ask_user(verdict.data["userMessage"]))
    return run


def main() -> None:
    """Answer each step with the scripted model; replace `ask` with the call of any model."""
    script = Script()

    async def answer(step: FlowStep) -> Verdict:
        async def ask(messages: tuple[Message, ...]) -> str:
            assert messages[-1].role == "user"
            return script.reply(step.name)

        return await step.render().acorrect(ask)

    asyncio.run(walk(answer, script))


if __name__ == "__main__":
    main()
