"""The seventeen variants of the four test programs, on two hosts (thesis, section 3.1), and five subtle ones.

A host is a garbage collector on the same machine: ``parallel``, with the scavenge and mark-sweep collectors
of the thesis, and ``g1``. Each has a configuration in ``configs/`` of the checkout, which ``buto record``
can read, too. A variant on a host is a test called ``VARIANT@HOST``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from buto.actions.collecting import Collected, LaunchPlan, collect
from buto.actions.events import LaunchesEnded, LaunchesPlanned, Reporter
from buto.engine.launching import EngineFor, LocalEngine
from buto.errors import BadFileError, UsageError
from buto.project import config
from buto.project.model import TestConfig
from buto.run.store import RunStore
from buto_replications import design
from buto_replications.checkout import CONFIGURATIONS

HOSTS = ("parallel", "g1")

SUBTLE = "subtle-"
"""Prefix of the files with variants that differ only a little; the thesis has none."""


def name_on(host: str, variant: str) -> str:
    return f"{variant}@{host}"


def host_and_variant(test: str) -> tuple[str, str]:
    """Return host and variant of a test's name; ValueError if it is not a name of :func:`name_on`."""
    variant, at, host = test.rpartition("@")
    if not variant or not at or host not in HOSTS:
        raise ValueError(f"a test must be VARIANT@HOST with a host of {', '.join(HOSTS)}, got {test!r}")
    return host, variant


def load(host: str, only: Sequence[str] = ()) -> Mapping[str, TestConfig]:
    """Return the variants of a host by name, subtle ones last, to launch in the current directory.

    Args:
        only: names of the variants to return; empty for all.

    Raises:
        UsageError: there is no variant of that name.
        BadFileError: there is no checkout, or buto was not built, and the test programs are missing.
    """
    if not CONFIGURATIONS.is_dir():
        raise BadFileError(
            "the installed package contains no configurations of the test programs",
            advice="work in a checkout of buto's repository: pip install --editable replications",
        )
    files = [CONFIGURATIONS / f"{kind}{host}.yaml" for kind in ("", SUBTLE)]
    tests = {name: test for file in files for name, test in config.load(file).tests.items()}
    for name in only:
        if name not in tests:
            raise UsageError(f"there is no variant {name!r}", advice=f"known are: {', '.join(tests)}")
    return {
        name: replace(test, target=replace(test.target, directory=None))
        for name, test in tests.items()
        if not only or name in only
    }


PURPOSE = "experiments"
RUNS = {"parallel": 50, "g1": 36}
"""By host, the number of usable runs of each variant of the thesis (the thesis has 100, on one host)."""

SUBTLE_RUNS = {"parallel": 15, "g1": 9}
"""By host, the number of usable runs of each subtle variant. These are only judged, three at a time."""

SEED = 2013
"""Seed of the order. It never changes, so that each session continues the order of the one before."""

FORGIVEN = 5
"""Failures of one variant that are tolerated: on a busy machine a launch may fail, and the session must go
on."""


@dataclass(frozen=True, slots=True)
class VariantRecording:
    """The runs of one variant on one host in a store.

    Attributes:
        usable: runs that the experiments may use.
        disturbed: runs that are kept but that no method uses.
        damaged: runs that cannot be read.
        foreign_load: mean share of the cores that other processes used during usable runs; NaN if unknown.
    """

    usable: int
    disturbed: int
    damaged: int
    foreign_load: float


def plans(hosts: Sequence[str], runs: int | None = None, only: Sequence[str] = ()) -> list[LaunchPlan]:
    """Return the plans of what to record, host by host.

    Args:
        hosts: of :data:`buto_replications.dataset.generate.HOSTS`.
        runs: usable runs of each variant; None for :data:`RUNS` and :data:`SUBTLE_RUNS`.
        only: names of variants; empty for all. UsageError for an unknown name.
    """
    return [
        LaunchPlan(name_on(host, name), test.target, runs or _runs(host, name))
        for host in hosts
        for name, test in load(host, only).items()
    ]


def _runs(host: str, variant: str) -> int:
    return RUNS[host] if variant in design.VARIANTS else SUBTLE_RUNS[host]


def recorded(store: RunStore, test: str) -> VariantRecording:
    """Count the runs of a test, and average the load of their machine."""
    summaries = store.summaries(test)
    heads = [summary.head for summary in summaries if summary.head is not None]
    usable = [head.quality for head in heads if head.quality.valid]
    known = [quality.foreign_load for quality in usable if not math.isnan(quality.foreign_load)]
    return VariantRecording(
        usable=len(usable),
        disturbed=len(heads) - len(usable),
        damaged=len(summaries) - len(heads),
        foreign_load=float(np.mean(known)) if known else math.nan,
    )


def generate(
    plans: Sequence[LaunchPlan],
    store: RunStore,
    on_event: Reporter,
    *,
    seed: int = SEED,
    deadline_s: float = math.inf,
    engine_for: EngineFor = LocalEngine,
) -> dict[str, Collected]:
    """Launch the runs that are missing in the store, and store each when it ends.

    The order is that of all plans; launches whose runs are stored already are skipped. Disturbed runs and
    failed launches are repeated at the end, see :func:`buto.actions.collecting.collect`.

    Args:
        deadline_s: of ``time.monotonic()``; no launch begins after it.
        engine_for: creates what carries out the launches.

    Returns:
        By test, what this session recorded, and why the test was given up, if it was.

    Raises:
        StorageError, KeyboardInterrupt: see :func:`buto.actions.collecting.collect`; stored runs
            are kept.
    """
    done = {plan.test: recorded(store, plan.test).usable for plan in plans}
    complete = {plan.test: min(plan.runs, done[plan.test]) for plan in plans}
    on_event(LaunchesPlanned({plan.test: plan.runs for plan in plans}, complete=complete))
    try:
        return collect(
            plans,
            store,
            on_event,
            seed=seed,
            purpose=PURPOSE,
            done=done,
            deadline_s=deadline_s,
            forgiven=FORGIVEN,
            engine_for=engine_for,
        )
    finally:
        on_event(LaunchesEnded())
