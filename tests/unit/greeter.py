"""A small pack with a secret input, and replies to it, for tests of events."""

import json

BODY = """
agent: greeter-agent
inputs:
  NAME: {type: string}
  KEY: {type: string, default: "", secret: true}
messages:
  - {role: system, content: You greet people.}
  - {role: user, content: "Greet {{ NAME }}. {{ KEY }}"}
reply:
  contract: agent-output
  actions:
    GREET:
      params: {type: object, required: [words], properties: {words: {type: string}}}
"""


def reply(words: object) -> str:
    """Return a reply with these words; anything but text violates the contract."""
    return json.dumps(
        {
            "thought": "I greet.",
            "action": "GREET",
            "params": {"words": words},
            "expectedOutcome": "They are greeted",
            "risk": {"level": "low", "description": "none"},
            "confidence": 90,
        }
    )


GOOD = reply("hi")
BAD = reply(1)
