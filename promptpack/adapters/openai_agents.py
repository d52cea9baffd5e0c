"""OpenAI Agents: `Runner.run(agent, **prompt.to("openai-agents"))` with an agent that has no `instructions`.

`run(agent, prompt)` also checks the reply and sends the correction after a failed one.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from promptpack.adapters.forms.openai_responses import RESPONSES, write_items
from promptpack.adapters.outgoing import Outgoing, TargetOption
from promptpack.cycle.providers.sdk_errors import import_sdk
from promptpack.problem import Problem, UsageError

if TYPE_CHECKING:
    from promptpack.prompt.prompt import Prompt
    from promptpack.verdict import Verdict

__all__ = ["output_type", "run"]

OPTIONS: Final[frozenset[TargetOption]] = frozenset()
INSTEAD: Final[Mapping[TargetOption, str]] = {
    "strict": "use output_type(prompt) of promptpack.adapters.openai_agents",
    "tools": "pass functions to Agent(tools=...)",
}
CARRIES: Final = RESPONSES


def write(outgoing: Outgoing) -> dict[str, Any]:
    """Return `input`, with the system messages in it."""
    return {"input": write_items(outgoing.messages)}


def output_type(prompt: "Prompt", *, strict: bool = False, after: "Verdict | None" = None) -> Any:
    """Return the `output_type` of an agent whose final output is the `Verdict` of the reply.

    `prompt` is the prompt that the agent answers, `strict` asks for the strict schema of OpenAI, and `after` is the
    verdict whose correction the reply answers. A failed reply is not an error, because an error would lose the reply
    and its usage: it stays in `result.to_input_list()`, and `verdict.correction` is the message to send after it.
    """
    base = import_sdk("agents", "openai-agents").AgentOutputSchemaBase
    outgoing = Outgoing("openai-agents", prompt, strict=strict)
    schema = outgoing.strict_schema("openai") if strict else outgoing.schema()
    if schema is None:
        message = f"{prompt.pack.label} declares no reply contract"
        raise UsageError(Problem("PP634", message, None, "add 'reply:' to the pack, or leave out 'output_type'"))
    methods = {
        "is_plain_text": lambda _: False,
        "name": lambda _: outgoing.schema_name,
        "json_schema": lambda _: schema,
        "is_strict_json_schema": lambda _: strict,
        "validate_json": lambda _, json_str: prompt.check(json_str, after=after),
    }
    return type("VerdictOutput", (base,), methods)()


async def run(agent: Any, prompt: "Prompt", *, rounds: int = 3, strict: bool = False) -> Any:
    """Run an agent with a prompt, check its reply and correct it; return the last `RunResult`.

    `agent` is an agent without `instructions`, `prompt` the rendered prompt, `rounds` limits how often the agent runs,
    and `strict` asks for the strict schema of OpenAI. `result.final_output` is the `Verdict`, and
    `result.to_input_list()` has every reply and every correction.
    """
    runner = import_sdk("agents", "openai-agents").Runner
    items, verdict = prompt.to("openai-agents")["input"], None
    while True:
        checked = agent.clone(output_type=output_type(prompt, strict=strict, after=verdict))
        result = await runner.run(checked, items)
        verdict, rounds = result.final_output, rounds - 1
        if verdict.ok or rounds < 1:
            return result
        items = [*result.to_input_list(), {"type": "message", "role": "user", "content": verdict.correction}]
