"""How far each counter varies between equal runs, and how far another host shifts it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan

import numpy as np

from buto.properties import Kind, Role
from buto.runs import FloatArray, RunSet

FEWEST_RUNS = 5
"""Of fewer runs no variation is computed."""


@dataclass(frozen=True, slots=True)
class Variation:
    """One property, over several programs on two hosts.

    Attributes:
        name: of the property.
        between_runs: by host, the coefficient of variation of its last value, median over programs.
        largest: the largest coefficient of any program and host.
        shift: by how large a share the mean on the second host differs from that on the first, median over
            programs; NaN if only one host has the property.
        largest_shift: the largest of these.
        n_programs: how many programs have the property in all runs, on any host.
    """

    name: str
    between_runs: Mapping[str, float]
    largest: float
    shift: float
    largest_shift: float
    n_programs: int


def variations(hosts: Mapping[str, Mapping[str, RunSet]]) -> list[Variation]:
    """Return the variation of each property that all runs of a program have, the steadiest first.

    Properties that are zero in all runs are left out.

    Args:
        hosts: by host, by program, usable runs; shifts are from the first host to the second.
    """
    ends = {
        host: {program: _ends(runs) for program, runs in programs.items() if len(runs) >= FEWEST_RUNS}
        for host, programs in hosts.items()
    }
    names = sorted({name for programs in ends.values() for found in programs.values() for name in found})
    found = [_variation(name, ends) for name in names]
    return sorted(found, key=lambda one: (np.nanmedian([*one.between_runs.values()]), one.name))


def _variation(name: str, ends: Mapping[str, Mapping[str, Mapping[str, FloatArray]]]) -> Variation:
    ours = {
        host: {program: found[name] for program, found in programs.items() if name in found}
        for host, programs in ends.items()
    }
    cvs = {
        host: [float(values.std(ddof=1) / values.mean()) for values in programs.values()]
        for host, programs in ours.items()
    }
    shifts = _shifts(*list(ours.values())[:2]) if len(ours) > 1 else []
    return Variation(
        name,
        {host: float(np.median(some)) for host, some in cvs.items() if some},
        max(value for some in cvs.values() for value in some),
        float(np.median(shifts)) if shifts else nan,
        max(shifts, default=nan),
        len({program for programs in ours.values() for program in programs}),
    )


def _shifts(one: Mapping[str, FloatArray], other: Mapping[str, FloatArray]) -> list[float]:
    """Return the share by which the larger mean exceeds the smaller one, for each common program."""
    shifts = []
    for program in one.keys() & other.keys():
        less, more = sorted((float(one[program].mean()), float(other[program].mean())))
        shifts.append(more / less - 1)
    return shifts


def _ends(runs: RunSet) -> dict[str, FloatArray]:
    """Return the last known value of each property in each run; only of properties that all runs know."""
    found: dict[str, FloatArray] = {}
    for prop in runs.properties:
        if prop.kind is Kind.CONSTANT or prop.role is not Role.PROGRAM:
            continue
        if any(prop.name not in run.column_of for run in runs):
            continue
        last = np.array([_last(run.series(prop.name)) for run in runs])
        if not np.isnan(last).any() and last.mean() > 0 and last.min() >= 0:
            found[prop.name] = last
    return found


def _last(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known[-1]) if len(known) else nan
