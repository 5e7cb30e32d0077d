"""Prometheus' text format: the numbers of a page by name, with the Prometheus client's own parser."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from buto.collect.record.track import MAX_PROPERTIES
from buto.collect.sources.protocol import SourceError
from buto.properties import Kind, Property

MAX_LINE = 4096
"""Longest line. The parser takes time with the square of the number of labels."""

MAX_SERIES = 20_000
"""Most lines with a number, of which a few may be chosen."""

_UNITS = {
    "seconds": "s",
    "bytes": "By",
    "ratio": "1",
    "celsius": "Cel",
    "volts": "V",
    "joules": "J",
    "meters": "m",
}
_ENDS = ("_total", "_sum", "_max", "_min", "_count", "_created")

_UNSEEN = ""


class PageText:
    """Reads the numbers of one page again and again.

    Parsing a page of a thousand numbers takes some 50 ms. So the parser reads each line once, and later pages
    are compared with what it found: a line that differs only in its number is the same property. A page with
    any other line is parsed again as a whole.

    Args:
        is_chosen: whether to record a name of the page, given with and without its labels.
    """

    def __init__(self, is_chosen: Callable[[str, str], bool]) -> None:
        self._is_chosen = is_chosen
        self._known: dict[str, str | None] = {}
        self._properties: dict[str, Property] = {}

    def read(self, text: str) -> Mapping[str, float]:
        """Return the chosen numbers by name; what is not a finite number is left out.

        Raises:
            SourceError: it is not Prometheus' text format; the message gives the first line that is not.
        """
        values: dict[str, float] = {}
        known = self._known
        lines = _lines(text)
        for line in lines:
            head, _, number = line.rpartition(" ")
            name = known.get(head, _UNSEEN)
            if name is None:
                continue
            if name == _UNSEEN or "_" in number:
                return self._parse(text, lines)
            try:
                values[name] = float(number)
            except ValueError:
                return self._parse(text, lines)
        return {name: value for name, value in values.items() if math.isfinite(value)}

    def property(self, name: str) -> Property:
        """Return what a name of a page is."""
        return self._properties[name]

    def _parse(self, text: str, lines: list[str]) -> Mapping[str, float]:
        # Imported here: it belongs to an extra, and only this source needs it.
        from prometheus_client.parser import text_string_to_metric_families

        values: dict[str, float] = {}
        known: dict[str, str | None] = {}
        properties: dict[str, Property] = {}
        heads = (line.rpartition(" ")[0] for line in lines)
        try:
            # The parser yields one sample for each line with a number, in their order.
            for family in text_string_to_metric_families(text):
                for sample in family.samples:
                    head = next(heads)
                    is_bucket = family.type == "histogram" and sample.name.endswith("_bucket")
                    name = name_of(sample.name, sample.labels)
                    is_wanted = not is_bucket and self._is_chosen(sample.name, name)
                    # With a time behind it, the number is not the line's last word.
                    if head and sample.timestamp is None:
                        known[head] = name if is_wanted else None
                    if not is_wanted:
                        continue
                    values[name] = float(sample.value)
                    properties[name] = property_of(name, sample.name, family.type)
        except (ValueError, IndexError, KeyError, StopIteration) as error:
            raise SourceError(f"it is not in Prometheus' text format: {_first_wrong(lines)}") from error
        if len(values) > MAX_PROPERTIES:
            raise SourceError(
                f"it has {len(values)} numbers, more than {MAX_PROPERTIES}; choose some by include"
            )
        # Not added to those before: a page with new names each time must not fill the memory.
        self._known, self._properties = known, properties
        return {name: value for name, value in values.items() if math.isfinite(value)}


def name_of(metric: str, labels: Mapping[str, str]) -> str:
    """Return the name of a property: the metric, and its labels in alphabetic order in brackets."""
    if not labels:
        return metric
    return f"{metric}[{','.join(f'{key}={labels[key]}' for key in sorted(labels))}]"


def property_of(name: str, metric: str, family: str) -> Property:
    """Return what a name is, by its metric and the type of its family, as ``histogram``.

    The unit is that in the metric's name, as Prometheus' conventions have it.
    """
    counts = family == "counter" or (
        family in ("histogram", "summary") and metric.endswith(("_sum", "_count"))
    )
    kind = Kind.COUNTER if counts else Kind.GAUGE
    words = metric
    for end in _ENDS:
        words = words.removesuffix(end)
    unit = "1" if metric.endswith("_count") else _UNITS.get(words.rpartition("_")[2], "1")
    return Property(name, unit, kind, lower=0.0 if counts else -math.inf)


def _lines(text: str) -> list[str]:
    """Return the lines with numbers. Prometheus divides at newlines only."""
    lines = []
    for raw in text.split("\n"):
        if len(raw) > MAX_LINE:
            raise SourceError(f"it has a line of {len(raw)} characters, more than {MAX_LINE}")
        line = raw.strip()
        if line and not line.startswith("#"):
            lines.append(line)
    if len(lines) > MAX_SERIES:
        raise SourceError(f"it has {len(lines)} lines with numbers, more than {MAX_SERIES}")
    return lines


def _first_wrong(lines: list[str]) -> str:
    from prometheus_client.parser import text_string_to_metric_families

    for line in lines:
        try:
            list(text_string_to_metric_families(line))
        except (ValueError, IndexError, KeyError):
            return f"{line[:100]!r}"
    return "its comments are not"
