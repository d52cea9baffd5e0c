"""The typed form of a slot prompt, for those who want the data itself and for what plain code refuses."""

from typing import Any, Final, Literal, NotRequired, Self

from pydantic import BaseModel, ConfigDict, TypeAdapter, field_validator, model_validator
from typing_extensions import TypedDict

from promptpack.pack.output.output_format import infer_output_format


class TextMessageContent(BaseModel):
    """A part of a message that is text; other keys are dropped."""

    type: Literal["text"]
    text: str


class AttachmentMessageContent(BaseModel):
    """A part of a message of any other type; all its keys are kept."""

    model_config = ConfigDict(extra="allow")

    type: str

    @model_validator(mode="after")
    def suffix(self) -> Self:
        """Add the key that is named like the type, where it is missing.

        [typecopy] A type that names something every model has (`copy`, `json`) gets no such key.
        """
        if not hasattr(self, self.type):
            setattr(self, self.type, None)
        return self


class ChatMessage(BaseModel):
    """A message of the chat history; keys beside role and content are kept, and never shown."""

    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "tool", "user", "assistant"] | str = "user"  # noqa: PYI051
    content: str | list[dict[str, Any] | TextMessageContent | AttachmentMessageContent]


class ToolMeta(TypedDict):
    """What a prompt tells about a tool."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]

    name: str
    desc: str
    kwargs: dict[str, Any]
    returns: NotRequired[Any]


MessageContent = TextMessageContent | AttachmentMessageContent
_CONTENT: Final[TypeAdapter[MessageContent]] = TypeAdapter(MessageContent)


class PromptModel(BaseModel):
    """All slots of a prompt, checked; extra slots are in `model_extra`."""

    model_config = ConfigDict(extra="allow")

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
        return [_message(item) for item in as_items(value)]

    @field_validator("attachment", mode="before")
    @classmethod
    def _read_attachment(cls, value: Any) -> list[MessageContent]:
        return [validate_part(item) for item in as_items(value)]

    @model_validator(mode="after")
    def _infer_output_format(self) -> Self:
        self.output, self.output_format = infer_output_format(self.output, self.output_format)
        return self


def as_items(value: Any) -> list[Any]:
    """See a slot as the list of its items: nothing is none, and anything that is no list is one."""
    if value is None:
        return []
    # [historybad] a tuple, a set or a bare message object is one item too, and is shown as text
    return value if isinstance(value, list) else [value if isinstance(value, dict) else str(value)]


def validate_part(item: Any) -> MessageContent:
    """Read a part: a mapping is text or an attachment, anything that is no part is shown as text."""
    # [textnotext] "text" without a text of its own is an attachment of type "text"
    return _CONTENT.validate_python(
        item if isinstance(item, dict | MessageContent) else {"type": "text", "text": str(item)}
    )


def _message(item: Any) -> ChatMessage:
    if isinstance(item, ChatMessage):
        return item
    return ChatMessage(**item) if isinstance(item, dict) else ChatMessage(content=str(item))
