"""The tool that the executor of the demo calls; it really runs, on the tickets of one week."""

from collections import Counter
from typing import Any

TICKETS: tuple[dict[str, Any], ...] = (
    {"id": 4101, "priority": "high", "area": "login", "open": True},
    {"id": 4102, "priority": "low", "area": "billing", "open": True},
    {"id": 4103, "priority": "high", "area": "billing", "open": True},
    {"id": 4104, "priority": "medium", "area": "login", "open": False},
    {"id": 4105, "priority": "low", "area": "search", "open": False},
    {"id": 4106, "priority": "medium", "area": "billing", "open": True},
    {"id": 4107, "priority": "low", "area": "login", "open": False},
)

COUNT_TICKETS: dict[str, Any] = {
    "name": "count_tickets",
    "description": "Counts this week's support tickets by one field.",
    "parameters": {
        "type": "object",
        "required": ["by"],
        "properties": {
            "by": {"enum": ["priority", "area"], "description": "The field to count by."},
            "only_open": {"type": "boolean", "description": "Whether to leave out closed tickets."},
        },
        "additionalProperties": False,
    },
}


def count_tickets(by: str, only_open: bool = False) -> dict[str, int]:
    """Count the week's tickets by priority or area."""
    return dict(Counter(ticket[by] for ticket in TICKETS if ticket["open"] or not only_open))
