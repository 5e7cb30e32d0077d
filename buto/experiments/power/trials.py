"""Judge real runs by real runs, unchanged and changed, with several methods on the same divisions."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from buto.analysis.divisions import Division, at_random, in_order, sessions
from buto.detectors.alarms import N_CHECKED
from buto.detectors.bounds.settings import BandSettings
from buto.detectors.calibrated.evidence import goes_on, weigh
from buto.experiments.power.changes import Change, changed
from buto.experiments.power.material import Material
from buto.runs import FloatArray

UNCHANGED = "unchanged"
IN_ORDER = "unchanged, in order of time"
LATER_SESSION = "unchanged, in order of time, in a later session"
OTHER_VARIANTS = "the thesis's other variants"


@dataclass(frozen=True, slots=True)
class Trial:
    """One check by one method.

    Attributes:
        method: its name.
        case: what was judged, in words.
        run: the first run under test, and its material.
        alone: whether it fails alone.
        followed: whether two more runs would follow.
        three: whether three runs fail together.
    """

    method: str
    case: str
    run: str
    alone: bool
    followed: bool
    three: bool

    @property
    def confirmed(self) -> bool:
        """Whether a check fails as ``buto check`` makes it."""
        return self.followed and self.three


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
    for case, first, checked in cases:
        for method, settings in methods.items():
            yield _trial(material, method, settings, case, first, profile.values[division.training], checked)


def _ordered_trials(material: Material, methods: Mapping[str, BandSettings], plan: Plan) -> Iterator[Trial]:
    profile, session = material.profile, sessions(material.starts_s)
    for one in in_order(len(profile.values), plan.n_training, N_CHECKED, plan.ordered):
        is_later = session[one.checked[0]] > session[one.training[-1]]
        for method, settings in methods.items():
            trial = _trial(
                material,
                method,
                settings,
                IN_ORDER,
                f"{material.name}/{one.checked[0]}",
                profile.values[one.training],
                profile.values[one.checked],
            )
            yield trial
            if is_later:
                yield replace(trial, case=LATER_SESSION)


def _trial(
    material: Material,
    method: str,
    settings: BandSettings,
    case: str,
    run: str,
    training: FloatArray,
    checked: FloatArray,
) -> Trial:
    one = weigh(material.profile, np.vstack([training, checked[:1]]), 1, settings).significance
    three = weigh(material.profile, np.vstack([training, checked]), N_CHECKED, settings).significance
    alpha = settings.alpha
    return Trial(method, case, run, one.p_value <= alpha, goes_on(one, settings), three.p_value <= alpha)
