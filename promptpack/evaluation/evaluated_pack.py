"""`EvaluatedPack`: a pack with the model, the parameters and the limits that it is evaluated with."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from promptpack.cycle import CycleSettings, Provider
from promptpack.pack.model import Pack


@dataclass(frozen=True, slots=True)
class EvaluatedPack:
    """A pack to evaluate, the provider that is asked, and the settings of the conversation."""

    pack: Pack
    provider: Provider
    settings: CycleSettings
    service: str = ""
    """The kind and the address of the provider."""

    @property
    def label(self) -> str:
        """The name and version of the pack."""
        return self.pack.label

    @property
    def description(self) -> Mapping[str, Any]:
        """All that replies depend on, besides the case; answers are stored under it."""
        settings = self.settings
        return {
            "pack": self.pack.label,
            "locale": self.pack.locale,
            "digest": self.pack.digest,
            "service": self.service,
            "model": settings.model,
            "parameters": dict(settings.params),
            "rounds": settings.rounds,
            "refuse": sorted(settings.refuse),
        }

    @property
    def key(self) -> str:
        """A text that only an equal description has."""
        text = json.dumps(self.description, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:24]
