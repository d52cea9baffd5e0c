"""promptpack's events -> OpenTelemetry spans, by `instrument` (extra `otel`)."""

from promptpack.otel.instrument import DialectName, instrument

__all__ = ["DialectName", "instrument"]
