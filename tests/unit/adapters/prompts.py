"""Prompts with what targets tend to break: braces, tool calls, images, names."""

from promptpack.pack.contract import Contract
from promptpack.pack.model import Pack
from promptpack.pack.version import Version
from promptpack.prompt.message import Message, Part, ToolCall
from promptpack.prompt.prompt import Origin, Prompt

SCHEMA = {
    "type": "object",
    "required": ["city"],
    "properties": {"city": {"type": "string"}},
    "additionalProperties": False,
}
PACK = Pack("weather", Version(1, 0, 0), "", contract=Contract("city", SCHEMA))
NO_CONTRACT = Pack("free", Version(1, 0, 0), "")
BRACES = 'Say {{ x }}, {y}, {{{z}}}, {% raw %}, ${HOME} and {"a": {"b": 1}}'
RULES = f"Rules: {BRACES}"
DATA = f"Data: {BRACES}"
DEGREES = "7 {c}"
PIXEL = "data:image/png;base64,aGk="
NOTE = "data:application/pdf;base64,aGk="
TOOL = {
    "name": "degrees",
    "description": "Measures.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}


def prompt_of(*messages: Message, pack: Pack = PACK, origins: tuple[Origin, ...] = ()) -> Prompt:
    return Prompt(pack, messages, {}, origins)


SIMPLE = prompt_of(Message("system", RULES), Message("user", DATA))
CALL = ToolCall("c1", "degrees", '{"city": "Oslo"}')
HISTORY = prompt_of(
    Message("system", RULES),
    Message("user", "How warm?"),
    Message("assistant", "I look.", tool_calls=(CALL,)),
    Message("tool", DEGREES, tool_call_id="c1"),
    Message("developer", "Be short."),
    Message("user", DATA),
)
BROKEN = prompt_of(
    Message("user", "How warm?"),
    Message("assistant", None, tool_calls=(ToolCall("c1", "degrees", "{bad"), ToolCall("c2", "degrees", ""))),
    Message("tool", "", tool_call_id="c1"),
    Message("tool", DEGREES, tool_call_id="c2"),
    Message("assistant", "Warm."),
    Message("user", DATA),
)
IMAGE = prompt_of(Message("user", (Part.text(DATA), Part.image(PIXEL))))
FREE = prompt_of(Message("user", "hi"), pack=NO_CONTRACT)
