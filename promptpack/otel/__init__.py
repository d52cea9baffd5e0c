"""promptpack's events as OpenTelemetry spans (extra `otel`)."""

from promptpack.otel.instrument import DialectName, instrument

__all__ = ["DialectName", "instrument"]
