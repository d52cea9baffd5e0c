"""The parts of a prompt that a model may repeat: examples of answers, and its text."""

from functools import cache

from promptpack.pack.contract import Contract
from promptpack.pack.model import Pack
from promptpack.prompt.prompt import Prompt
from promptpack.prompt.reply_format import write_reply_format
from promptpack.reply import PromptEcho, parse_text
from promptpack.template.model import Template


def find_echo(pack: Pack, contract: Contract, prompt: Prompt | None) -> PromptEcho:
    """Return the parts of a prompt that replies may repeat; without a prompt, those of every prompt of the pack."""
    shown = _texts(pack, "assistant") if prompt is None else prompt.few_shot
    examples = (parsed for text in shown if (parsed := parse_text(text)) is not None)

    @cache
    def read_text() -> str:
        if prompt is not None:
            return "\n".join(message.text for message in prompt.messages)
        return "\n".join((*_texts(pack), write_reply_format(contract, pack.locale)))

    return PromptEcho((*contract.examples, *examples), read_text)


def _texts(pack: Pack, role: str | None = None) -> tuple[str, ...]:
    """Return the templates of the messages, or of those with one role."""
    templates = (one.content for one in pack.messages if role in (None, one.role))
    return tuple(str(one) for one in templates if isinstance(one, Template))
