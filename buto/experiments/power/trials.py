"""Judge real runs by real runs, unchanged and changed, with several methods on the same divisions."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from buto.analysis.divisions import Division, at_random, in_order, sessions
from buto.detectors.alarms import N_CHECKED
from buto.detectors.bounds.settings import BandSettings
from buto.detectors.calibrated.judging.evidence import weigh
from buto.detectors.calibrated.judging.resolution import at_resolution
from buto.experiments.power.changes import Change, changed
from buto.experiments.power.material import Material
from buto.runs import FloatArray

UNCHANGED = "unchanged"
IN_ORDER = "unchanged, in order of time"
LATER_SESSION = "unchanged, in a later session"
OTHER_VARIANTS = "the thesis's other variants"

ROUNDING = 1e-9
"""A p-value that is larger than a gate by less than this passes it."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One check by one method.

    Attributes:
        method: its name.
        case: what was judged, in words.
        run: the first run under test, and its material.
        alone: p-value of the first run by the method's own rule.
        first: its p-value by rank, which passes a gate or not.
        three: p-value of three runs.
    """

    method: str
    case: str
    run: str
    alone: float
    first: float
    three: float

    def fails_confirmed(self, gate: float, alpha: float) -> bool:
        """Return whether a check fails that launches two more runs after a first one that passes the gate."""
        return self.first <= gate + ROUNDING and self.three <= alpha


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is judged.

    Attributes:
        n_training: training runs of each division.
        divisions: random divisions of each material.
        ordered: at most so many divisions in the order of time for each run.
        changes: added to the runs under test of each random division.
    """

    n_training: int = 10
    divisions: int = 10
    ordered: int = 2
    changes: Sequence[Change] = ()


def trials(material: Material, methods: Mapping[str, BandSettings], plan: Plan, seed: int) -> Iterator[Trial]:
    """Yield all trials of one material; the same for the same seed."""
    for number in range(plan.divisions):
        random = np.random.default_rng([seed, number, zlib.crc32(material.name.encode())])
        n_runs = len(material.profile.values)
        division = at_random(int(random.integers(n_runs)), n_runs, plan.n_training, N_CHECKED, random)
        yield from _random_trials(material, methods, plan, division, random)
    yield from _ordered_trials(material, methods, plan)


def _random_trials(
    material: Material,
    methods: Mapping[str, BandSettings],
    plan: Plan,
    division: Division,
    random: np.random.Generator,
) -> Iterator[Trial]:
    profile = material.profile
    rows = profile.values[division.checked]
    run = f"{material.name}/{division.checked[0]}"
    cases = [(UNCHANGED, run, rows)]
    cases += [(str(change), run, changed(profile, rows, change, random)) for change in plan.changes]
    for name, theirs in material.others.items():
        drawn = random.permutation(len(theirs))[:N_CHECKED]
        case = name if name in material.subtle else OTHER_VARIANTS
        cases.append((case, f"{material.name}/{name}/{drawn[0]}", theirs[drawn]))
    training = profile.values[division.training]
    for case, first, checked in cases:
        for method, settings in methods.items():
            yield Trial(method, case, first, *_p_values(material, settings, training, checked))


def _ordered_trials(material: Material, methods: Mapping[str, BandSettings], plan: Plan) -> Iterator[Trial]:
    values, session = material.profile.values, sessions(material.starts_s)
    for one in in_order(len(values), plan.n_training, N_CHECKED, plan.ordered):
        is_later = session[one.checked[0]] > session[one.training[-1]]
        run = f"{material.name}/{one.checked[0]}"
        for method, settings in methods.items():
            found = _p_values(material, settings, values[one.training], values[one.checked])
            trial = Trial(method, IN_ORDER, run, *found)
            yield trial
            if is_later:
                yield replace(trial, case=LATER_SESSION)


def _p_values(
    material: Material, settings: BandSettings, training: FloatArray, checked: FloatArray
) -> tuple[float, float, float]:
    """Return the p-values of the first run, by the method's own rule and by rank, and of all runs."""
    profile = at_resolution(material.profile, settings)
    one = weigh(profile, np.vstack([training, checked[:1]]), 1, settings).significance
    three = weigh(profile, np.vstack([training, checked]), N_CHECKED, settings).significance
    return one.p_value, one.rank, three.p_value
