"""Reports of known truth: a program that leaks, or does not, and one whose every word is hostile."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from msgspec import structs

from buto import oracle
from buto.judging.judge_settings import CALIBRATED
from buto.judging.settings import USUAL_METADATA
from buto.judging.thesis.detector import THESIS
from buto.report.check_report import CheckReport, check_report
from buto.run.model import Notification, Outcome, Quality, Run, RunSet, run_set
from buto.run.properties import Property, property_for

TEST = "shop"
POOL = "jvm.memory.used[G1 Old Gen]"
ALLOCATED = "jvm.memory.allocated"
NAMES = (
    POOL,
    "jvm.memory.heap.used",
    "jvm.gc.count[G1 Young Generation]",
    "jvm.gc.time[G1 Young Generation]",
    "jvm.thread.count",
    "jvm.class.loaded",
    "mbean[com.acme:type=Cache,name=orders]/Size",
    "buto.snapshot.time",
    "buto.missed.ticks",
)
PROPERTIES = tuple(map(property_for, NAMES))
LEAK_START_S = 10.0
MADE = datetime(2026, 1, 3, 12, 30, tzinfo=UTC)
PIPE = "com.acme:type=Pipe"

BOUNDS = replace(THESIS, metadata=USUAL_METADATA)
"""The thesis's rule, which may judge runs of another host."""

MARKUP = "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>"
SCRIPT_END = "</script><script>window.pwned = 3</script><!--<script>"
CONTROL = "bell\x07 escape\x1b[31mred\x1b[0m null\x00 half\ud800"
BACKWARDS = "user\u202egpj.exe \u2067abc\u2069 שלום مرحبا"
HOSTILE = f"{MARKUP}{SCRIPT_END}\"'&amp; {CONTROL} {BACKWARDS}"


def shop_run(
    number: int,
    *,
    leak: float = 0.0,
    n_samples: int = 300,
    properties: tuple[Property, ...] = PROPERTIES,
) -> Run:
    """Thirty seconds: a sawtooth of memory, collections at its teeth, from 10 s on a leak in MiB a second."""
    random = np.random.default_rng(number)
    times = np.linspace(0.0, 30.0, n_samples) + random.uniform(0, 0.001, n_samples)
    tooth = (times * 0.5 + random.uniform()) % 1
    noise = random.normal(0, 0.05, n_samples)
    lost = leak * np.maximum(0.0, times - LEAK_START_S)
    columns = {
        POOL: 2**20 * (10 + tooth + noise + lost),
        "jvm.memory.heap.used": 2**20 * (20 + 4 * tooth + noise + lost),
        "jvm.gc.count[G1 Young Generation]": np.floor(times * 0.5 + 0.5),
        "jvm.gc.time[G1 Young Generation]": 0.004 * np.floor(times * 0.5 + 0.5) + 0.0001 * np.abs(noise),
        ALLOCATED: 2**20 * (2 * times + np.abs(noise) / 5 + lost),
        "jvm.thread.count": np.full(n_samples, 12.0),
        "buto.snapshot.time": 0.0001 + 0.00002 * np.abs(noise),
        "buto.missed.ticks": np.zeros(n_samples),
    }
    values = np.column_stack(
        [columns.get(prop.name, np.cumsum(random.random(n_samples))) for prop in properties]
    )
    heard = tuple(
        Notification(float(time), "com.acme.full", PIPE, sequence, f"pipe {sequence} is full")
        for sequence, time in enumerate(np.arange(4.0, 29.0, 6.0) + random.normal(0, 0.1, 5))
    )
    metadata = {"jvm.spec.version": "17", "host.name": "ci-7", "buto.commit": f"{number:07x}"}
    return Run(
        f"20260102T0304{number:02d}.000Z-{number:04x}",
        TEST,
        properties,
        times,
        values,
        Outcome(0, duration_s=30.0 + random.normal(0, 0.05)),
        heard,
        metadata,
        quality=Quality(foreign_load=0.02),
        stdout=b"ready\ndone\n",
    )


def report_of(
    training: RunSet, checked: RunSet, at_hand: RunSet | None = None, settings: oracle.Settings = BOUNDS
) -> CheckReport:
    """Train, check, and put together."""
    learned = oracle.train(training, settings)
    return check_report(
        oracle.CheckedRuns(learned, checked, oracle.check(learned, checked)),
        training if at_hand is None else at_hand,
        made=MADE,
        oracle_path=Path("oracles", f"{training.runs[0].test}.json"),
        next_steps=["buto runs show shop", "buto train shop  # if the change is meant"],
    )


def leaking(
    n_checked: int = 1,
    leak: float = 0.6,
    settings: oracle.Settings = BOUNDS,
    properties: tuple[Property, ...] = PROPERTIES,
) -> CheckReport:
    """Ten training runs; the checked runs leak and come from another host."""
    checked = [shop_run(40 + number, leak=leak, properties=properties) for number in range(n_checked)]
    moved = [replace(run, metadata={**run.metadata, "host.name": "ci-9"}) for run in checked]
    training = run_set([shop_run(number, properties=properties) for number in range(10)])
    return report_of(training, run_set(moved), settings=settings)


def calibrated() -> CheckReport:
    """The same leak, judged by one p-value, and by a counter that no machine moves."""
    return leaking(3, leak=0.2, settings=CALIBRATED, properties=(*PROPERTIES, property_for(ALLOCATED)))


def passing() -> CheckReport:
    return report_of(run_set([shop_run(number) for number in range(10)]), run_set([shop_run(40)]))


def elsewhere() -> CheckReport:
    """Checked by another Java than training's, which nobody has at hand any more."""
    checked = shop_run(40)
    moved = replace(checked, metadata={**checked.metadata, "jvm.spec.version": "21"})
    return report_of(run_set([shop_run(number) for number in range(5)]), run_set([moved]), RunSet(()))


def many(number: int = 500) -> CheckReport:
    """The leak among more properties than are drawn."""
    more = (Property(f"mbean[a:id={place:04d}]/<b>") for place in range(number - len(NAMES)))
    properties = (*map(property_for, NAMES), *more)
    training = run_set([shop_run(repeat, n_samples=20, properties=properties) for repeat in range(5)])
    checked = run_set([shop_run(40, leak=40.0, n_samples=20, properties=properties)])
    return report_of(training, checked, settings=CALIBRATED)


def hostile(stdout: bytes = HOSTILE.encode("utf-8", "surrogatepass")) -> CheckReport:
    """Everything that a stranger can name is hostile."""

    def spoilt(run: Run) -> Run:
        first, *others = run.properties
        properties = (
            *others,
            structs.replace(first, name=f"mbean[{HOSTILE}]/{HOSTILE}", unit=f"{{{HOSTILE}}}"),
        )
        return replace(
            run,
            test=HOSTILE,
            properties=properties,
            values=run.values[:, [*range(1, len(properties)), 0]],
            metadata={**run.metadata, HOSTILE: HOSTILE, "host.name": HOSTILE},
            notifications=tuple(
                structs.replace(notification, type=HOSTILE, source=HOSTILE, message=HOSTILE)
                for notification in run.notifications
            ),
            nan_reasons={HOSTILE: HOSTILE},
            stdout=stdout,
            stderr=stdout,
        )

    training = run_set([spoilt(shop_run(number)) for number in range(5)])
    report = report_of(training, run_set([spoilt(shop_run(40, leak=0.6))]))
    verdict = replace(report.verdict, warnings=(HOSTILE,), guarantee=HOSTILE, p_value=0.01, alpha=0.05)
    return replace(report, verdict=verdict, next_steps=(HOSTILE,), oracle_warnings=(HOSTILE,))


def large(n_training: int = 29, n_properties: int = 60, n_samples: int = 600) -> CheckReport:
    """Noise that nothing can shrink, in as many curves as the page promises to hold."""
    properties = tuple(
        property_for(f"mbean[com.acme:type=Cache,name=c{n}]/Size") for n in range(n_properties)
    )
    runs = [shop_run(number, n_samples=n_samples, properties=properties) for number in range(n_training + 1)]
    random = np.random.default_rng(7)
    noisy = [replace(run, values=random.normal(1e6, 1e5, run.values.shape)) for run in runs]
    return report_of(run_set(noisy[:-1]), run_set(noisy[-1:]))
