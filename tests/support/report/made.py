"""Runs and verdicts made by hand for the renderers' tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np

from buto.errors import MeasureError
from buto.judging.protocol import Reasoning
from buto.judging.verdict import Amount, Difference, Direction, Effect, Finding, Statement, Status, Verdict
from buto.judging.views import Band
from buto.report.check_report import CheckReport
from buto.report.panels import Curve, Panel
from buto.report.result import Result, reported
from buto.run.model import Outcome, Quality, Run, run_set
from buto.run.properties import Property, property_for
from tests.support.runs.qualities import starved

RUN_ID = "20260102T030405.678Z-00ff"
OLD_GENERATION = "jvm.memory.used[G1 Old Gen]"
THREADS = "jvm.thread.count"
QUIET = Quality(foreign_load=0.125)
ORACLE = Path("oracles/leaker.json")
FINISHED = datetime(2026, 1, 2, 5, 4, 5, 678_900, tzinfo=timezone(timedelta(hours=2)))
METADATA = {
    "host.name": "builder",
    "host.cores": 2,
    "host.cpu.model": "Some Processor",
    "host.load.foreign": 0.125,
    "jvm.vm.name": "OpenJDK 64-Bit Server VM",
    "jvm.vm.version": "17.0.15+6",
    "jvm.gc.collectors": "G1 Young Generation, G1 Old Generation",
    "jvm.memory.heap.max": "67108864",
    "buto.commit": "0123456789abcdef0123456789abcdef01234567+dirty",
}
EVIL = (
    "<script>alert(1)</script>",
    "</pre></code></failure>]]>",
    "| a | b |\n# heading",
    "**bold** `code` [link](http://x) ![i](http://x) @everyone #1 www.example.org",
    "[bold red]markup[/] \\[",
    "\x00\x1b[31m\x1b]0;title\x07\r\x9b\x7f\u2028",
    "\u202egnitirw\u202c \u05d0\u05d1 \u2066\u200f",
    "::error::not ours",
    "##[add-mask]x",
    "##vso[task.setvariable variable=x]y",
    "##teamcity[buildProblem description='x']",
    "x\n::stop-commands::x",
    "section_start:0:x\r\x1b[0K",
    "`````\n![i](http://x)\n~~~",
    "--store=/tmp/x",
    "100%0A,a:b",
    "lone \ud800 surrogate \ufffe",
    "$x^$ 😀",
)
"""Text that a program, or who sends a file, could choose."""


def run(run_id: str = RUN_ID, quality: Quality = QUIET, *, test: str = "leaker", **changes: Any) -> Run:
    """Two properties over four seconds: a straight leak of 1 MiB a second, and ten threads."""
    times = np.arange(0.0, 4.05, 0.1)
    values = np.column_stack([times * 2**20, np.full(len(times), 10.0)])
    properties = (property_for(OLD_GENERATION), property_for(THREADS))
    outcome = Outcome(exit_code=0, duration_s=4.0)
    fields: dict[str, Any] = {"metadata": METADATA, "quality": quality, **changes}
    return Run(run_id, test, properties, times, values, outcome, **fields)


def leak(run_id: str = RUN_ID, subject: str = OLD_GENERATION) -> Difference:
    """Four times the memory that is expected."""
    return Difference(
        source="bounds",
        subject=subject,
        run_id=run_id,
        direction=Direction.MORE,
        effect=Effect.WORSE,
        unit="By",
        observed=4.0 * 2**20,
        lower=0.5 * 2**20,
        upper=1.5 * 2**20,
        expected=1.0 * 2**20,
        at_s=4.0,
        window_s=(1.5, 4.0),
        outside_share=0.625,
        severity=2.5,
    )


def silence(run_id: str = RUN_ID) -> Statement:
    """A notification that did not come."""
    return Statement(
        source="notification",
        subject="com.acme.full",
        run_id=run_id,
        direction=Direction.LESS,
        text="not seen, though every training run had it",
    )


def amount(
    subject: str, old: float, new: float, measure: str = "total", part: str = "", unit: str | None = None
) -> Difference:
    """A difference that says how much there was before and now."""
    more = new > old
    return Difference(
        source="calibrated",
        subject=subject,
        run_id=RUN_ID,
        direction=Direction.MORE if more else Direction.LESS,
        effect=Effect.WORSE if more else Effect.BETTER,
        unit=property_for(subject).unit if unit is None else unit,
        observed=new,
        expected=old,
        measure=measure,
        part=part,
        amount=Amount(measure, old, new),
    )


def leaking() -> tuple[Difference, ...]:
    """What a check finds of a program that keeps what it should drop, and has two threads fewer."""
    mib = 2.0**20
    return (
        amount("jvm.gc.count[G1 Young Generation]", 5.0, 19.0),
        amount("jvm.cpu.time", 0.44, 1.096),
        amount("process.memory.usage", 120 * mib, 155 * mib, "largest value"),
        amount("jvm.memory.allocated", 154 * mib, 617 * mib),
        amount("jvm.object.live.by_class", 10 * mib, 42 * mib, "live objects", "byte[]", unit="By"),
        amount("jvm.memory.heap.live", 11 * mib, 45 * mib, "kept at the exit"),
        amount("jvm.thread.count", 9.0, 7.0, "largest value"),
    )


def early() -> Difference:
    """More processor time in the first third of a run only."""
    whole = amount("jvm.cpu.time", 0.144, 0.358, "increase in the first third")
    return replace(whole, amount=Amount(whole.measure, 0.144, 0.358, (0.0, 1.2)))


def verdict(
    status: Status = Status.REGRESSION,
    findings: tuple[Finding, ...] = (),
    run_ids: tuple[str, ...] = (RUN_ID,),
    reasons: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
    noted: tuple[Finding, ...] = (),
) -> Verdict:
    return Verdict(
        status,
        "bounds",
        findings,
        noted,
        reasons=reasons,
        warnings=warnings,
        run_ids=run_ids,
        n_training=10,
        settings={"deviations": 20.0},
    )


def panel(subject: str = OLD_GENERATION, run_id: str = RUN_ID, reach: float | None = None) -> Panel:
    """The leak of :func:`run` beside a band that ends at 1.5 MiB."""
    times = np.arange(0.0, 4.05, 0.1)
    flat = np.ones(len(times)) * 2**20
    band = Band(times, 0.5 * flat, flat, 1.5 * flat)
    return Panel(Property(subject, "By"), (), [Curve(times, times * 2**20, run_id)], band, (), reach)


def report(of: Verdict, runs: Sequence[Run] = (), **changes: Any) -> CheckReport:
    """What a renderer gets of a verdict."""
    fields: dict[str, Any] = {
        "test": "leaker",
        "verdict": of,
        "reasoning": Reasoning("10 training runs defined what is normal."),
        "made": FINISHED,
        "oracle_path": ORACLE,
        "again": f"buto check {changes.get('test', 'leaker')}",
        "checked": run_set(runs),
        "training": run_set([]),
        "training_ids": ("1", "2"),
        "panels": (),
        "costs": (),
        "unjudged": {},
        "environment": (),
    }
    return CheckReport(**{**fields, **changes})


def regression() -> Result:
    """A leak and a silence, in one of two runs; the other is invalid."""
    invalid = starved("starved: 31 % of the samples are missing", missed_share=0.31)
    runs = [run(stdout=b"done\n"), run("20260102T030411.000Z-00fe", invalid)]
    judged = verdict(findings=(leak(), silence()), warnings=("busy",))
    steps = ("buto plot leaker", "buto train leaker  # if the change is meant")
    return reported(report(judged, runs, panels=(panel(),), next_steps=steps), ORACLE)


def every_result() -> list[Result]:
    """One of each kind that a check can end in."""
    doubtful = verdict(Status.INCONCLUSIVE, reasons=("the JDK differs: 17 in training, 25 now",))
    return [
        regression(),
        reported(
            report(verdict(Status.PASS), [run(test="steady")], test="steady"), Path("oracles/steady.json")
        ),
        reported(report(doubtful, [run(test="moved")], test="moved"), Path("oracles/moved.json")),
        Result("broken", Path("oracles/broken.json"), error=MeasureError("no JVM", advice="buto doctor")),
    ]


def hostile(text: str) -> list[Result]:
    """Results in which all that comes from outside is one text; a test's name is what a store takes."""
    name = text[:50]
    prop = Property(text, text)
    times = np.arange(0.0, 2.0)
    strange = Run(
        RUN_ID,
        name,
        (prop,),
        times,
        np.column_stack([times]),
        Outcome(1, duration_s=1.0),
        metadata=dict.fromkeys(METADATA, text) | {text: text},
        quality=starved(text),
        stdout=text.encode(errors="surrogatepass"),
        stderr=text.encode(errors="surrogatepass"),
    )
    finding = Difference(
        "bounds",
        text,
        RUN_ID,
        Direction.MORE,
        Effect.WORSE,
        unit=text,
        observed=2.0,
        lower=0.0,
        upper=1.0,
        expected=0.5,
        text=text,
    )
    judged = verdict(findings=(finding, silence()), reasons=(text + " ",), warnings=(text,))
    shown = report(
        judged,
        [strange],
        test=name,
        panels=(panel(text),),
        next_steps=(f"buto check {name}",),
        unjudged={text: text},
    )
    oracle = Path(name.replace("\0", ""))
    return [reported(shown, oracle), Result(name, oracle, error=MeasureError(text, advice=text))]
