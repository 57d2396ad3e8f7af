"""Times of traces: ISO 8601 text or numbers since 1970 in seconds, milli-, micro- or nanoseconds."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from evalnb.engine.json_values import Json

# The largest magnitude still read as seconds; each further step of a thousand is the next finer unit.
_SECONDS_BELOW = 1e11


def seconds_of(value: Json) -> float | None:
    """`value` as seconds since 1970 in UTC; ValueError for what is no time. A text without an offset is UTC."""
    if value is None:
        return None
    if isinstance(value, str):
        text = value.strip()
        if text.replace(".", "", 1).isdigit():
            return seconds_of(float(text))
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("no time")
    number = float(value)
    while abs(number) >= _SECONDS_BELOW:
        number /= 1000
    return number
