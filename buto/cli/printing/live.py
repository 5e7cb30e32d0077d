"""What a long recording looks like while it goes on: curves of the last minutes in one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from buto.collect.progress import Newest
from buto.report.terminal.sparkline import sparkline
from buto.runs import FloatArray
from buto.units import format_bytes, format_number, format_percent, format_seconds

SAMPLES = 600
WIDTH = 10


@dataclass(frozen=True, slots=True)
class _Curve:
    """A curve of the live view.

    Attributes:
        shown: the newest value as text.
        whole: from the values of all instances, shape (n_samples, n_instances), to one curve.
        is_rate: whether the metric is a counter, of which the growth a second is drawn.
    """

    label: str
    metric: str
    shown: Callable[[float], str]
    whole: Callable[..., Any] = np.sum
    is_rate: bool = False


_CURVES = (
    _Curve("load", "load.throughput", lambda value: f"{format_number(value)}/s"),
    _Curve("p95", "load.latency.p95", format_seconds, np.fmax.reduce),
    _Curve("heap", "jvm.memory.heap.used", format_bytes),
    _Curve("CPU", "jvm.cpu.time", format_percent, is_rate=True),
)


def live_text(newest: Newest, room: int) -> str:
    """Return the curves for which there are samples and room, the most important first; may be empty.

    Args:
        newest: see :meth:`buto.collect.record.recording.Recording.newest`.
        room: number of characters.
    """
    text = ""
    for curve in _CURVES:
        times_s, values = newest(curve.metric, SAMPLES)
        part = _drawn(curve, times_s, curve.whole(values, axis=1)) if values.shape[1] else ""
        if part and len(text) + len(part) + 2 <= room:
            text += f", {part}"
    return text


def _drawn(curve: _Curve, times_s: FloatArray, values: FloatArray) -> str:
    if curve.is_rate:
        # Two rows have the same time where the live objects were counted.
        passed_s = np.diff(times_s)
        values = np.diff(values)[passed_s > 0] / passed_s[passed_s > 0]
    known = values[np.isfinite(values)]
    if not known.size:
        return ""
    # The last tenth: a single value jumps.
    now = float(known[-max(1, len(known) // 10) :].mean())
    return f"{curve.label} {sparkline(values, WIDTH)} {curve.shown(now)}"
