"""The tables of a prediction, as rows of texts with the heads first, and the texts of their cells."""

from __future__ import annotations

import re
from math import isfinite, isinf, isnan

from buto.run.units import format_number, format_percent, format_rate, format_seconds
from buto_predict.model import Call
from buto_predict.prediction.model import (
    ComponentTest,
    EndpointPrediction,
    Interval,
    Prediction,
    StationPrediction,
)

_PACKAGES = re.compile(r"\b(?:[a-z]\w*\.){2,}(?=[A-Z])", re.ASCII)
_HEAD = 0.3
"""Share of the letters of a shortened name that are from its beginning; its end tells names better apart."""


_ENDPOINTS = ("ENDPOINT", "LOAD", "OLD", "NEW", "CHANGE", "INTERVAL", "DELTA", "SIZE", "STATUS")

_STATIONS = ("STATION", "DEMAND OLD", "NEW", "CHANGE", "UTILISATION OLD", "NEW", "INTERVAL", "")

_TESTS = ("COMPONENT TEST", "COMPONENT", "OLD", "NEW", "CHANGE", "DELTA", "P", "REPLICATES", "")

_ROUNDING = 5e-6
"""Share below which two computed numbers count as the same."""


def shortened(name: str, letters: int) -> str:
    """Return a name of at most this many letters, with ``…`` for its middle where it is longer."""
    name = initials(name) if len(name) > letters else name
    if len(name) <= letters:
        return name
    head = round(_HEAD * (letters - 1))
    return f"{name[:head]}…{name[head + 1 - letters :]}"


def initials(text: str) -> str:
    """Return the text with packages before a class as their initials: ``c.a.shop.StockBench`` is
    ``c.a.s.StockBench``.
    """
    return _PACKAGES.sub(lambda match: "".join(f"{word[0]}." for word in match[0].split(".")[:-1]), text)


def from_to(old: str, new: str) -> str:
    """Return a change of a printed number, or the number alone if it prints the same."""
    return old if old == new else f"{old} to {new}"


def call_label(call: Call) -> str:
    """Return how often, and whether at the same time as other calls; empty for one call in turn."""
    times = "" if call.times == 1 else f"x{format_number(call.times)}"
    return " ".join(word for word in (times, "at once" if call.parallel else "") if word)


Row = tuple[str, ...]


def endpoint_rows(prediction: Prediction) -> list[Row]:
    return [_ENDPOINTS, *map(_endpoint, prediction.endpoints)]


def station_rows(prediction: Prediction) -> list[Row]:
    return [_STATIONS, *map(_station, prediction.stations)]


def deviation_rows(prediction: Prediction) -> list[Row]:
    return [_TESTS, *map(_test, prediction.evidence.tests)]


def seconds(value: float) -> str:
    """Return a response time, which may be that of a saturated station."""
    return "saturated" if isinf(value) else format_seconds(value)


def change(old: float, new: float) -> str:
    """Return the relative change with its sign; empty where there is none to speak of."""
    if not isfinite(old) or not isfinite(new) or old == 0:
        return ""
    return signed(new / old - 1)


def signed(share: float) -> str:
    """Return a share of 1 in per cent with its sign; what only rounding makes differ from 0 is 0."""
    if abs(share) < _ROUNDING:
        return "0 %"
    return f"{'-' if share < 0 else '+'}{format_percent(abs(share))}"


def number(value: float) -> str:
    # Adding 0 turns a rounded -0.0 into 0.0.
    return "-" if isnan(value) else f"{round(value, 2) + 0.0:.2f}"


def between(interval: Interval, *, as_seconds: bool = True) -> str:
    if any(map(isnan, interval)):
        return "-"
    if all(map(isinf, interval)):
        return "saturated"
    low, high = (seconds(bound) if as_seconds else format_percent(bound) for bound in interval)
    return f"{low} to {high}"


def _endpoint(prediction: EndpointPrediction) -> Row:
    return (
        prediction.name,
        format_rate(prediction.rate),
        seconds(prediction.old_s),
        seconds(prediction.new_s),
        change(prediction.old_s, prediction.new_s),
        between(prediction.new_interval_s),
        number(prediction.delta),
        "-" if isnan(prediction.delta) else prediction.size.value,
        prediction.status.value,
    )


def _station(prediction: StationPrediction) -> Row:
    return (
        prediction.name,
        format_seconds(prediction.old_demand_s),
        format_seconds(prediction.new_demand_s),
        change(prediction.old_demand_s, prediction.new_demand_s),
        format_percent(prediction.old),
        format_percent(prediction.new),
        between(prediction.new_interval, as_seconds=False),
        "saturated" if prediction.saturated else "",
    )


def _test(test: ComponentTest) -> Row:
    known = test.deviation
    if known.enough:
        remark = (
            f"{'slower' if known.delta > 0 else 'faster'}, {known.size.value}" if known.significant else ""
        )
    else:
        remark = "too few" if known.n_old and known.n_new else "on one side only"
    return (
        test.name,
        test.component or "unknown",
        format_seconds(known.old_s) if known.n_old else "-",
        format_seconds(known.new_s) if known.n_new else "-",
        change(known.old_s, known.new_s),
        number(known.delta),
        "-" if isnan(known.p_value) else f"{known.p_value:.2g}",
        f"{known.n_old}+{known.n_new} {test.replicate}s",
        remark,
    )
