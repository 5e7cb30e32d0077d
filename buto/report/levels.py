"""Levels: one number for each property of a run, to track it over many checks.

Properties are selected by name or pattern.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

from buto.errors import UsageError
from buto.judging.features import series_of, summaries
from buto.run.model import Run
from buto.run.properties import DURATION, Role, split_name
from buto.run.window import cut_to_window


def levels(run: Run) -> dict[str, float]:
    """Return property and level: a counter's last value, or the mean over the samples of any other property.

    Of a run with a window only that part counts. Levels are in the property's unit. The run's duration is
    among them; overhead and unreadable properties are not.
    """
    run = cut_to_window(run)
    judged = [prop for prop in run.properties if prop.role is Role.PROGRAM]
    by_name = {DURATION.name: run.outcome.duration_s}
    for prop, mean, last in zip(judged, *summaries(series_of(run, judged), judged).tolist(), strict=True):
        by_name[prop.name] = mean if math.isnan(last) else last
    return {name: level for name, level in by_name.items() if math.isfinite(level)}


def median_levels(of_runs: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the median of each property over the runs that have it."""
    names = dict.fromkeys(name for run_levels in of_runs for name in run_levels)
    return {
        name: float(np.median([run_levels[name] for run_levels in of_runs if name in run_levels]))
        for name in names
    }


def select(names: Iterable[str], typed: Sequence[str], where: str) -> list[str]:
    """Return the names that match, in the order of ``typed``, each once.

    A word is a whole name; a metric, which means all of its instances (``jvm.gc.count``); or either with
    ``*`` for any characters. Brackets are not a pattern, because names have them.

    Args:
        where: the owner of these names, for the message.

    Raises:
        UsageError: a word matches none of the names.
    """
    known = list(names)
    chosen: dict[str, None] = {}
    for word in typed:
        pattern = re.compile(".*".join(map(re.escape, word.split("*"))), re.DOTALL)
        matches = [
            name for name in known if pattern.fullmatch(name) or pattern.fullmatch(split_name(name)[0])
        ]
        if not matches:
            near = difflib.get_close_matches(word, known, n=1)
            guess = f"; did you mean {near[0]!r}?" if near else ""
            raise UsageError(f"{where} has no property {word!r}{guess}", advice="'*' means any characters")
        chosen.update(dict.fromkeys(matches))
    return list(chosen)
