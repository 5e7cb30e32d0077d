"""A verdict in a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from buto.judging.findings import MEASURES
from buto.judging.story import Headline, Order
from buto.judging.verdict import Difference, Direction, Effect, Finding, Statement, Status, Verdict
from buto.judging.views import Band
from buto.report import phrases, words
from buto.report.environment import EnvironmentRow, Likeness
from buto.report.panels import Curve
from buto.report.terminal.verdict import Detail, result_lines, verdict_lines, write_lines
from buto.run.model import Run
from tests.support.report import golden, made


def lines_of(of: Verdict, *runs: Run, detail: Detail = Detail.FULL, **changes: Any) -> list[str]:
    return verdict_lines(made.report(of, runs, **changes), detail)


MEMORY = tuple(f"jvm.memory.{kind}[G1 Old Gen]" for kind in ("used", "committed"))
HEAP = "jvm.memory.heap.used"
SEVERAL = ("jvm.gc.count[G1]", *MEMORY, HEAP, "jvm.thread.count", "jvm.cpu.time", "jvm.class.count")


def small(subject: str, **changes: Any) -> Finding:
    """An increase by 2 percent that somebody can see and nobody minds."""
    return Difference(
        "calibrated",
        subject,
        made.RUN_ID,
        Direction.MORE,
        Effect.WORSE,
        unit="By",
        observed=41.0 * 2**20,
        expected=40.2 * 2**20,
        measure="total",
        **changes,
    )


def leak(**changes: Any) -> Finding:
    return replace(made.leak(), **changes)


BUSY = "the JDK differs: 17.0.15 in training, 25.0.1 now"
LATE = Difference(
    *("notification", "done from a:type=Job", made.RUN_ID, Direction.MORE),
    unit="s",
    observed=0.53,
    lower=0.355,
    upper=0.496,
    expected=0.425,
    at_s=0.53,
    window_s=(0.53, 0.53),
    outside_share=1.0,
    text="1 of 1 came too early or too late",
)
THREADS: dict[str, Any] = {"unit": "{thread}", "lower": 9.0, "upper": 11.0, "expected": 10.0}
GROWTH = leak(measure="growth from the first to the last third", at_s=None)
RANGE = leak(outside_share=None)
NEAR = tuple(made.panel(name, reach=used) for name, used in (("a", 0.25), ("b", 0.72), ("c", None)))
CHANCE: dict[str, Any] = {
    "p_value": 0.01234,
    "alpha": 0.05,
    "guarantee": "19 training runs, exchangeable with this one",
}
MOVED = EnvironmentRow("jvm.vm.version", Likeness.DECIDES, "17", ("25",))


def told() -> Iterator[tuple[str, list[str]]]:
    """What is promised, and the lines in which it shows."""

    def fails(*findings: Finding, **changes: Any) -> list[str]:
        return lines_of(made.verdict(findings=findings), **changes)

    def small_pass(detail: Detail) -> list[str]:
        noted = replace(
            made.verdict(Status.PASS, noted=(small("jvm.memory.allocated"),)), p_value=0.6, alpha=0.01
        )
        return lines_of(noted, detail=detail)

    undecided, panel = made.verdict(Status.INCONCLUSIVE, reasons=(BUSY,)), made.panel()
    short: dict[str, Any] = {"detail": Detail.SHORT}
    yield "a regression says what changed, when and by how much", fails(leak())
    yield "the run is drawn beside the limit that it passed", fails(leak(), panels=(panel,))
    less = leak(direction=Direction.LESS, observed=0.0, at_s=0.0)
    yield "less than expected is drawn beside the lower limit", fails(less, panels=(panel,))
    yield "a pass is one line", lines_of(made.verdict(Status.PASS))
    yield "a pass says how near it came to failing", lines_of(made.verdict(Status.PASS), panels=NEAR)
    chance = replace(made.verdict(findings=(leak(evidence=0.58),)), **CHANCE)
    yield "a p-value is beside what was accepted and what it rests on", lines_of(chance)
    yield "an inconclusive check says how many runs decide it", lines_of(replace(undecided, runs_needed=19))
    yield "and why, and what to type", lines_of(undecided, next_steps=("buto train leaker",))
    known = Statement("metadata", "host.cores", made.RUN_ID, text=BUSY)
    yield "the reason is reported once", lines_of(replace(undecided, findings=(known,)))
    yield "a pass names findings that were not enough", lines_of(made.verdict(Status.PASS, (leak(),)))
    yield "a pass names first what is noted", small_pass(Detail.SHORT)
    yield "and tells it where all is told", small_pass(Detail.FULL)
    noted = made.verdict(findings=(leak(),), noted=(small("jvm.memory.allocated"),))
    yield "a regression has what is noted in a line of its own", lines_of(noted, **short)
    of_training = (structs.replace(panel, band_decides=False, findings=(RANGE,)),)
    yield "the range of the training runs is not what is expected", fails(RANGE, panels=of_training)
    yield "a notification came later", fails(LATE)
    yield "a notification came earlier", fails(replace(LATE, observed=0.3, at_s=0.3))
    yield "a fraction of a count is an average", fails(leak(observed=24.2, **THREADS))
    yield "a whole count has a time", fails(leak(observed=24.0, **THREADS))
    better = leak(effect=Effect.BETTER)
    yield "all is for the better", fails(better)
    yield "not all is for the better", fails(better, made.leak(subject="other"))
    yield "without a number there are words", fails(made.silence())
    for lower, upper in ((None, 2**20), (2**20, float("inf")), (2**20, 2**20), (2**20, 2**21)):
        yield f"a band from {lower} to {upper}", fails(leak(lower=lower, upper=upper))
    leaking = made.verdict(findings=made.leaking())
    yield "a headline accounts for what follows, and better is a line of its own", lines_of(leaking, **short)
    better = tuple(difference for difference in made.leaking() if difference.effect is Effect.BETTER)
    next_steps = ("buto plot leaker", "buto accept leaker  # only for the better")
    yield (
        "only better is a change that one accepts first",
        lines_of(made.verdict(findings=better), next_steps=next_steps, **short),
    )
    yield (
        "what changed in a part only has its time",
        fails(made.early(), **short),
    )
    several = made.verdict(findings=tuple(made.leak(subject=name) for name in SEVERAL))
    steps = ("buto plot leaker", "buto accept leaker  # if the change is meant")
    yield (
        "a failed check takes at most eight lines",
        lines_of(several, panels=(made.panel(HEAP),), next_steps=steps, **short),
    )
    yield "warnings are one line", lines_of(replace(several, warnings=("busy", "late")), **short)
    parts = [made.leak(subject=name) for name in (*MEMORY, HEAP)]
    yield "the parts of a finding stand below it", fails(*parts, panels=(made.panel(HEAP),))
    yield "what of a property was measured is named", fails(GROWTH)
    yield "also where the text is short", fails(GROWTH, **short)
    yield "the environment of the runs is named", lines_of(made.verdict(), made.run())
    yield "another environment is called so", lines_of(made.verdict(), made.run(), environment=(MOVED,))
    yield "nothing is said of an unknown one", lines_of(made.verdict(), made.run(metadata={}))


def test_a_verdict_is_told_as_in_the_golden_file() -> None:
    golden.same(
        "terminal.txt", "\n".join(line for title, lines in told() for line in (f"# {title}", *lines, ""))
    )


def test_what_is_outside_is_red() -> None:
    report = made.report(made.verdict(findings=(made.leak(),)), panels=(made.panel(),))
    curve = write_lines(report, Detail.FULL)[-1]
    assert [style for text, style in curve.parts[1:-1]] == [""] * 9 + ["red"] * 15


def test_of_many_notes_three_are_named_and_the_others_counted() -> None:
    judged = made.verdict(Status.PASS, noted=tuple(small(name) for name in SEVERAL))
    [headline] = lines_of(judged, detail=Detail.HEADLINE)
    names = ["threads", "processor time", "classes"]
    assert [part.split(" +")[0] for part in headline.split("noted: ")[1].split(", ")[:3]] == names
    # The used heap accounts for two others.
    assert " and 2 others; no change" in headline


@pytest.mark.parametrize(("measure", "short"), words.SHORT.items())
def test_measures_are_shortened_in_headlines(measure: str, short: str) -> None:
    assert measure in MEASURES.values()
    noted = replace(small("jvm.memory.heap.used"), measure=measure)
    assert phrases.phrase(Headline(noted)) == f"used heap +1.99 % ({short} 40.2 → 41 MiB)"


def test_a_change_of_what_was_nothing_has_a_size_and_no_share() -> None:
    new = replace(small("jvm.memory.heap.used"), expected=0.0, measure="")
    assert phrases.phrase(Headline(new)) == "used heap +41 MiB (0 B → 41 MiB)"


@pytest.mark.parametrize("n_warnings", [0, 3, 50])
@pytest.mark.parametrize("n_findings", [0, 3, 200])
def test_a_short_report_stays_short_and_the_rest_is_counted(n_findings: int, n_warnings: int) -> None:
    names = [f"p{number}" for number in range(n_findings)]
    warnings = tuple(f"warning {number}" for number in range(n_warnings))
    judged = made.verdict(findings=tuple(made.leak(subject=name) for name in names), warnings=warnings)
    lines = lines_of(judged, made.run(), detail=Detail.SHORT, panels=tuple(map(made.panel, names)))
    n_shown = sum(line.startswith("  p") for line in lines)
    left = re.compile(r"  p.*; and (\d+) others? \(-v\)")
    left_out = sum(int(found[1]) for line in lines if (found := left.fullmatch(line)))
    assert n_shown == min(n_findings, 3)
    assert n_shown + left_out == n_findings
    assert len(lines) <= 6


def test_the_order_of_the_evidence_stays_available() -> None:
    judged = made.verdict(findings=tuple(made.leak(subject=name) for name in SEVERAL))
    report = made.report(judged, panels=tuple(map(made.panel, sorted(SEVERAL)))).sort_by(Order.EVIDENCE)
    assert [headline.finding.subject for headline in report.story.headlines] == list(SEVERAL)
    assert [panel.prop.name for panel in report.panels] == list(SEVERAL)
    again = report.sort_by(Order.MEANING)
    assert [panel.prop.name for panel in again.panels][:2] == ["jvm.thread.count", "jvm.cpu.time"]


def test_quiet_is_the_headline_and_verbose_is_everything() -> None:
    findings = tuple(made.leak(subject=f"p{number}") for number in range(200))
    judged = made.verdict(findings=findings, warnings=("w",) * 50)
    assert lines_of(judged, detail=Detail.HEADLINE) == lines_of(judged)[:1]
    assert len(lines_of(judged)) == 1 + 200 * 3 + 50


def test_the_one_line_of_an_undecided_check_says_what_decides() -> None:
    needing = replace(made.verdict(Status.INCONCLUSIVE), runs_needed=19)
    [headline] = lines_of(needing, detail=Detail.HEADLINE)
    assert headline.endswith("could not be judged; a decision needs 19 training runs, not 10")
    moved = made.verdict(Status.INCONCLUSIVE, reasons=(BUSY,))
    [headline] = lines_of(moved, detail=Detail.HEADLINE, next_steps=("buto train leaker",))
    assert headline.endswith(f"could not be judged; {BUSY}; buto train leaker")


@pytest.mark.parametrize("text", made.EVIL)
def test_text_from_outside_is_only_text(text: str) -> None:
    for result in made.hostile(text):
        for line in result_lines(result, Detail.FULL):
            assert line.isprintable()
            assert not line.lstrip().startswith("::")
            assert "##[" not in line


def test_huge_text_is_cut() -> None:
    for result in made.hostile("x" * 10_000_000):
        longest = max(map(len, result_lines(result, Detail.FULL)))
        assert longest < 2100


@pytest.mark.parametrize("values", [np.full(2, np.nan), np.array([1.0])])
def test_a_run_with_nothing_to_draw_is_not_drawn(values: np.ndarray) -> None:
    curve = Curve(np.arange(float(len(values))), values, made.RUN_ID)
    judged = made.verdict(findings=(made.leak(),))
    assert lines_of(judged, panels=(structs.replace(made.panel(), checked=[curve]),)) == lines_of(judged)


def test_a_band_that_says_nothing_leaves_the_run_alone() -> None:
    nothing = np.full(2, np.nan)
    band = Band(np.arange(2.0), nothing, nothing, nothing)
    judged = made.verdict(findings=(made.leak(),))
    for panel in (structs.replace(made.panel(), band=band), structs.replace(made.panel(), band=None)):
        assert lines_of(judged, panels=(panel,))[-1] == "      run ▁▁▂▂▂▃▃▃▃▄▄▄▅▅▅▆▆▆▆▇▇▇██"


def test_findings_of_runs_that_are_not_at_hand_are_reported_too() -> None:
    judged = made.verdict(findings=(made.leak("another run"),))
    assert lines_of(judged, panels=(made.panel(),)) == lines_of(judged)
