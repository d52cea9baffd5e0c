"""`PromptModel`: the slots of a prompt, validated by pydantic."""

from typing import Any, ClassVar, Final, Literal, NotRequired, Self

from pydantic import BaseModel, ConfigDict, TypeAdapter, field_validator, model_validator, with_config
from typing_extensions import TypedDict

from promptpack.pack.output.type_entry import infer_output_format
from promptpack.prompt.slots.slot_data import find


class TextMessageContent(BaseModel):
    """A text part of a message; other keys are dropped."""

    type: Literal["text"]
    text: str


class AttachmentMessageContent(BaseModel):
    """A message part of any other type; it keeps all its keys."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow")

    type: str

    @model_validator(mode="after")
    def suffix(self) -> Self:
        """Add the key named like the type if it is missing.

        [typecopy] A type named like an attribute of every model (`copy`, `json`) gets no such key.
        """
        if not hasattr(self, self.type):
            setattr(self, self.type, None)
        return self


class ChatMessage(BaseModel):
    """A message of the chat history; it keeps other keys than role and content, but never writes them."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow")

    role: Literal["system", "developer", "tool", "user", "assistant"] | str = "user"  # noqa: PYI051
    content: str | list[dict[str, Any] | TextMessageContent | AttachmentMessageContent]


@with_config(ConfigDict(extra="allow"))
class ToolMeta(TypedDict):
    """The description of a tool in a prompt."""

    name: str
    desc: str
    kwargs: dict[str, Any]
    returns: NotRequired[Any]


MessageContent = TextMessageContent | AttachmentMessageContent
_CONTENT: Final[TypeAdapter[MessageContent]] = TypeAdapter(MessageContent)


class PromptModel(BaseModel):
    """All slots of a prompt, validated; extra slots are in `model_extra`."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow")

    system: Any = None
    developer: Any = None
    chat_history: list[ChatMessage] = []
    info: Any = None
    tools: list[ToolMeta] | None = None
    action_results: Any = None
    instruct: Any = None
    examples: Any = None
    input: Any = None
    attachment: list[MessageContent] = []
    output: Any = None
    output_format: Any = None
    options: dict[str, Any] = {}

    @field_validator("chat_history", mode="before")
    @classmethod
    def _read_history(cls, value: Any) -> list[ChatMessage]:
        return [_message(item) for item in _as_items(value)]

    @field_validator("attachment", mode="before")
    @classmethod
    def _read_attachment(cls, value: Any) -> list[MessageContent]:
        return [read_part(item) for item in _as_items(value)]

    @model_validator(mode="after")
    def _infer_output_format(self) -> Self:
        self.output, self.output_format = infer_output_format(self.output, self.output_format)
        return self


def read_model(data: dict[Any, Any]) -> PromptModel:
    """Read the slots; raise pydantic's ValidationError for a slot with an invalid value.

    A key with a dot is a path, so a literal dotted key is usually None.
    """
    if any("." in key for key in data if isinstance(key, str)):
        data = {key: find(data, key)[1] for key in data}
    return PromptModel(**data)


def _as_items(value: Any) -> list[Any]:
    """Return the items of a slot: none for None, and one for a value that is not a list."""
    if value is None:
        return []
    # [historybad] a tuple, a set or a bare message object is one item too, and is written as text
    return value if isinstance(value, list) else [value if isinstance(value, dict) else str(value)]


def read_part(item: Any) -> MessageContent:
    """Read a part of a message: a mapping is text or an attachment, any other value is written as text."""
    # [textnotext] a "text" part without a text is an attachment of type "text"
    content = item if isinstance(item, dict | MessageContent) else {"type": "text", "text": str(item)}
    return _CONTENT.validate_python(content)


def write_part(part: MessageContent) -> dict[str, Any]:
    """Return a part in the form it is sent in."""
    return part.model_dump(warnings=False)


def _message(item: Any) -> ChatMessage:
    if isinstance(item, ChatMessage):
        return item
    return ChatMessage(**item) if isinstance(item, dict) else ChatMessage(content=str(item))
