"""A verdict in a terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from buto.judging.calibrated.findings import MEASURES
from buto.judging.verdict import Direction, Effect, Finding, Order, Status, Verdict
from buto.judging.views import Band
from buto.report import words
from buto.report.environment import EnvironmentRow, Likeness
from buto.report.panels import Curve
from buto.report.terminal.verdict import Detail, result_lines, styled_lines, verdict_lines
from buto.run.model import Run
from tests.support.report import made

ENVIRONMENT = (
    "  environment: same as in training: OpenJDK 64-Bit Server VM 17.0.15+6; "
    "G1 Young Generation, G1 Old Generation; heap at most 64 MiB; "
    "2 cores Some Processor; other programs used 12.5 % of them"
)


LEAK = "used memory (G1 Old Gen) +300 % (1 → 4 MiB)"


def lines_of(of: Verdict, *runs: Run, detail: Detail = Detail.FULL, **changes: Any) -> list[str]:
    return verdict_lines(made.report(of, runs, **changes), detail)


def test_a_regression_says_what_changed_when_and_by_how_much() -> None:
    assert lines_of(made.verdict(findings=(made.leak(),))) == [
        f"REGRESSION  leaker: fails for {LEAK}, against the 10 training runs",
        "  jvm.memory.used[G1 Old Gen]  +3 MiB (+300 %), worse",
        "      4 MiB at 4 s, expected 512 KiB to 1.5 MiB",
        "      outside from 1.5 s to 4 s (62.5 % of the points)",
    ]


def test_the_judged_run_is_drawn_beside_the_limit_that_it_passed() -> None:
    lines = lines_of(made.verdict(findings=(made.leak(),)), made.run(), panels=(made.panel(),))
    assert lines[-2] == "      run ▁▁▂▂▂▃▃▃▃▄▄▄▅▅▅▆▆▆▆▇▇▇██  at most ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄"
    assert lines[-1] == ENVIRONMENT


def test_less_than_expected_is_drawn_beside_the_lower_limit() -> None:
    less = replace(made.leak(), direction=Direction.LESS, observed=0.0, at_s=0.0)
    lines = lines_of(made.verdict(findings=(less,)), panels=(made.panel(),))
    assert lines[-1].endswith("at least ▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂")


def test_what_is_outside_is_red() -> None:
    report = made.report(made.verdict(findings=(made.leak(),)), panels=(made.panel(),))
    curve = styled_lines(report, Detail.FULL)[-1]
    assert [style for text, style in curve.parts[1:-1]] == [""] * 9 + ["red"] * 15


def test_a_pass_is_one_line() -> None:
    assert lines_of(made.verdict(Status.PASS)) == ["PASS  leaker: the run did what the 10 training runs did"]


def test_a_pass_says_how_near_it_came_to_failing() -> None:
    panels = tuple(made.panel(name, reach=used) for name, used in (("a", 0.25), ("b", 0.72), ("c", None)))
    lines = lines_of(made.verdict(Status.PASS), panels=panels)
    assert lines[1:] == ["  closest: b, 72 % of its band"]


def test_a_p_value_is_next_to_what_was_accepted_and_what_it_rests_on() -> None:
    judged = replace(
        made.verdict(findings=(replace(made.leak(), evidence=0.58),)),
        p_value=0.01234,
        alpha=0.05,
        guarantee="19 training runs, exchangeable with this one",
    )
    lines = lines_of(judged)
    assert lines[0].endswith("against the 10 training runs, p = 0.0123 (alpha 0.05)")
    assert lines[1].endswith("+3 MiB (+300 %), worse, 58 % of the evidence")
    assert lines[-1] == "  p-value assumes: 19 training runs, exchangeable with this one"


def test_an_inconclusive_check_says_how_many_runs_would_decide_it() -> None:
    judged = replace(made.verdict(Status.INCONCLUSIVE, reasons=("10 runs are few",)), runs_needed=19)
    assert lines_of(judged)[1:] == [
        "  because: 10 runs are few",
        "  runs: a decision needs 19 training runs, not 10",
    ]


def test_a_pass_names_findings_that_were_not_enough() -> None:
    lines = lines_of(made.verdict(Status.PASS, (made.leak(),)))
    assert lines[0] == f"PASS  leaker: {LEAK}, not enough to fail against the 10 training runs"
    assert lines[1].strip() == "differences that do not fail the check:"
    assert made.OLD_GENERATION in lines[2]


def small(subject: str, **changes: Any) -> Finding:
    """An increase by 2 percent that somebody can see and nobody minds."""
    return Finding(
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


def test_a_pass_names_in_its_first_line_what_is_noted() -> None:
    judged = replace(
        made.verdict(Status.PASS, noted=(small("jvm.memory.allocated"),)), p_value=0.6, alpha=0.01
    )
    headline = (
        "PASS  leaker: noted: allocated bytes +1.99 % (total 40.2 → 41 MiB); "
        "no change that matters against the 10 training runs, p = 0.6 (alpha 0.01)"
    )
    assert lines_of(judged, detail=Detail.SHORT) == [headline]
    assert lines_of(judged) == [
        headline,
        "  noted, certain, and smaller than the size that matters:",
        "  jvm.memory.allocated  +819 KiB (+1.99 %), worse",
        "      total 41 MiB",
    ]


def test_of_many_notes_three_are_named_and_the_others_counted() -> None:
    judged = made.verdict(Status.PASS, noted=tuple(small(name) for name in SEVERAL))
    [headline] = lines_of(judged, detail=Detail.HEADLINE)
    names = ["processor time", "used heap", "threads"]
    assert [part.split(" +")[0] for part in headline.split("noted: ")[1].split(", ")[:3]] == names
    assert "(total 40.2 → 41 MiB) and 4 more; no change" in headline


def test_a_regression_has_what_is_noted_in_a_line_of_its_own() -> None:
    judged = made.verdict(findings=(made.leak(),), noted=(small("jvm.memory.allocated"),))
    lines = lines_of(judged, detail=Detail.SHORT)
    assert lines[0].endswith(f"fails for {LEAK}, against the 10 training runs")
    assert lines[-1] == "  noted: allocated bytes +1.99 % (total 40.2 → 41 MiB)"


@pytest.mark.parametrize(("measure", "short"), words.SHORT.items())
def test_measures_are_shortened_in_headlines(measure: str, short: str) -> None:
    assert measure in MEASURES.values()
    noted = replace(small("jvm.memory.heap.used"), measure=measure)
    assert words.titled(noted) == f"used heap +1.99 % ({short} 40.2 → 41 MiB)"


def test_a_change_of_what_was_nothing_has_a_size_and_no_share() -> None:
    new = replace(small("jvm.memory.heap.live"), expected=0.0, measure="")
    assert words.titled(new) == "live heap +41 MiB (0 B → 41 MiB)"


def test_the_range_of_the_training_runs_is_not_called_what_is_expected() -> None:
    finding = replace(made.leak(), outside_share=None)
    panel = replace(made.panel(), band_decides=False, findings=(finding,))
    lines = lines_of(made.verdict(findings=(finding,)), panels=(panel,))
    assert "      outside the range of the training runs since 0 s" in lines
    assert "  training at most ▄" in lines[-1]


def test_an_inconclusive_check_says_why_and_what_to_type() -> None:
    reason = "the JDK differs: 17.0.15 in training, 25.0.1 now"
    verdict = made.verdict(Status.INCONCLUSIVE, reasons=(reason,))
    assert lines_of(verdict, next_steps=("buto train leaker",)) == [
        "INCONCLUSIVE  leaker: could not be judged",
        f"  because: {reason}",
        "  next: buto train leaker",
    ]


def test_a_later_notification_is_reported_once_with_the_delay() -> None:
    finding = Finding(
        "notification",
        "done from a:type=Job",
        made.RUN_ID,
        Direction.MORE,
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
    assert lines_of(made.verdict(findings=(finding,)))[1:] == [
        "  done from a:type=Job  105 ms later",
        "      1 of 1 came too early or too late",
        "      530 ms, expected 355 to 496 ms",
    ]
    earlier = replace(finding, observed=0.3, at_s=0.3)
    assert "125 ms earlier" in lines_of(made.verdict(findings=(earlier,)))[1]


@pytest.mark.parametrize(
    ("observed", "begin"), [(24.2, "24.2 threads on average around"), (24.0, "24 threads at")]
)
def test_a_fraction_of_a_count_is_reported_as_an_average(observed: float, begin: str) -> None:
    finding = replace(made.leak(), unit="{thread}", observed=observed, lower=9.0, upper=11.0, expected=10.0)
    lines = lines_of(made.verdict(findings=(finding,)))
    assert lines[2].strip() == f"{begin} 4 s, expected 9 to 11 threads"


def test_what_made_a_check_inconclusive_is_reported_once() -> None:
    reason = "host.cores is 8; it was 2 in training"
    finding = Finding("metadata", "host.cores", made.RUN_ID, text=reason)
    verdict = made.verdict(Status.INCONCLUSIVE, (finding,), reasons=(reason,))
    assert lines_of(verdict)[1:] == [f"  because: {reason}"]


def test_the_headline_says_when_all_differences_are_for_the_better() -> None:
    better = replace(made.leak(), effect=Effect.BETTER)
    one, mixed = ((better,), (better, made.leak(subject="other")))
    assert lines_of(made.verdict(findings=one))[0].endswith(
        f"{LEAK}, for the better, against the 10 training runs"
    )
    assert lines_of(made.verdict(findings=mixed))[0].endswith(" and 1 more, against the 10 training runs")


def test_a_finding_without_a_number_is_reported_in_words() -> None:
    lines = lines_of(made.verdict(findings=(made.silence(),)))
    assert lines[1:] == ["  com.acme.full  less", "      not seen, though every training run had it"]


@pytest.mark.parametrize(
    ("lower", "upper", "begin"),
    [
        (None, 2**20, "expected at most 1 MiB"),
        (2**20, float("inf"), "expected at least 1 MiB"),
        (2**20, 2**20, "expected 1 MiB"),
        (2**20, 2**21, "expected 1 to 2 MiB"),
    ],
)
def test_a_band_with_one_end_or_no_width(lower: float | None, upper: float | None, begin: str) -> None:
    finding = replace(made.leak(), lower=lower, upper=upper)
    lines = lines_of(made.verdict(findings=(finding,)))
    assert lines[2].endswith(begin)


MEMORY = tuple(f"jvm.memory.{kind}[G1 Old Gen]" for kind in ("used", "committed"))
HEAP = "jvm.memory.heap.used"
SEVERAL = ("jvm.gc.count[G1]", *MEMORY, HEAP, "jvm.thread.count", "jvm.cpu.time", "jvm.class.count")


def test_a_failed_check_takes_seven_lines_with_a_way_to_look_and_one_to_accept() -> None:
    findings = tuple(made.leak(subject=name) for name in SEVERAL)
    judged = made.verdict(findings=findings, warnings=("busy", "late"))
    lines = lines_of(
        replace(judged, warnings=()),
        made.run(),
        detail=Detail.SHORT,
        panels=(made.panel(HEAP),),
        next_steps=("buto plot leaker", "buto accept leaker  # if the change is meant"),
    )
    numbers = "+3 MiB (+300 %), worse: 4 MiB at 4 s, expected 512 KiB to 1.5 MiB"
    names = "processor time +300 % (1 → 4 MiB) and 6 more"
    assert lines == [
        f"REGRESSION  leaker: fails for {names}, against the 10 training runs",
        f"  jvm.cpu.time          {numbers}",
        f"  jvm.memory.heap.used  ▁▁▂▂▃▃▄▄▅▅▆▆▇▇██  {numbers} (and 2 with it)",
        f"  jvm.thread.count      {numbers}",
        "  and 2 more (-v)",
        "  next: buto plot leaker",
        "  next: buto accept leaker  # if the change is meant",
    ]
    warned = lines_of(judged, detail=Detail.SHORT)
    assert warned[-1] == "  warning: busy; and 1 more (-v)"


@pytest.mark.parametrize("n_warnings", [0, 3, 50])
@pytest.mark.parametrize("n_findings", [0, 3, 200])
def test_a_short_report_stays_short_and_the_rest_is_counted(n_findings: int, n_warnings: int) -> None:
    names = [f"p{number}" for number in range(n_findings)]
    warnings = tuple(f"warning {number}" for number in range(n_warnings))
    judged = made.verdict(findings=tuple(made.leak(subject=name) for name in names), warnings=warnings)
    lines = lines_of(judged, made.run(), detail=Detail.SHORT, panels=tuple(map(made.panel, names)))
    n_shown = sum(line.startswith("  p") for line in lines)
    left_out = next((int(line.split()[1]) for line in lines if line.startswith("  and ")), 0)
    assert n_shown == min(n_findings, 3)
    assert n_shown + left_out == n_findings
    assert len(lines) <= 6


def test_a_whole_report_has_the_parts_of_a_finding_below_it() -> None:
    judged = made.verdict(findings=tuple(made.leak(subject=name) for name in (*MEMORY, HEAP)))
    lines = lines_of(judged, made.run(), panels=(made.panel("jvm.memory.heap.used"),))
    heads = [line for line in lines[1:-1] if "+3 MiB" in line]
    assert heads == [
        "  jvm.memory.heap.used  +3 MiB (+300 %), worse",
        "    jvm.memory.used[G1 Old Gen]  +3 MiB (+300 %), worse",
        "    jvm.memory.committed[G1 Old Gen]  +3 MiB (+300 %), worse",
    ]
    assert sum("run ▁" in line for line in lines) == 1


def test_the_order_of_the_evidence_stays_available() -> None:
    judged = made.verdict(findings=tuple(made.leak(subject=name) for name in SEVERAL))
    report = made.report(judged, panels=tuple(map(made.panel, sorted(SEVERAL)))).ordered(Order.EVIDENCE)
    assert [group.leading.subject for group in report.groups] == list(SEVERAL)
    assert [panel.prop.name for panel in report.panels] == list(SEVERAL)
    again = report.ordered(Order.MEANING)
    assert [panel.prop.name for panel in again.panels][:2] == ["jvm.cpu.time", "jvm.memory.heap.used"]


def test_what_of_a_property_was_measured_is_named() -> None:
    growth = replace(made.leak(), measure="growth from the first to the last third", at_s=None)
    n_shown = "growth from the first to the last third 4 MiB, expected 512 KiB to 1.5 MiB"
    judged = made.verdict(findings=(growth,))
    assert lines_of(judged)[2].strip() == n_shown
    assert n_shown in lines_of(judged, detail=Detail.SHORT)[1]


def test_quiet_is_the_headline_and_verbose_is_everything() -> None:
    findings = tuple(made.leak(subject=f"p{number}") for number in range(200))
    judged = made.verdict(findings=findings, warnings=("w",) * 50)
    assert lines_of(judged, detail=Detail.HEADLINE) == lines_of(judged)[:1]
    assert len(lines_of(judged)) == 1 + 200 * 3 + 50


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
    assert lines_of(judged, panels=(replace(made.panel(), checked=[curve]),)) == lines_of(judged)


def test_a_band_that_says_nothing_leaves_the_run_alone() -> None:
    nothing = np.full(2, np.nan)
    band = Band(np.arange(2.0), nothing, nothing, nothing)
    judged = made.verdict(findings=(made.leak(),))
    for panel in (replace(made.panel(), band=band), replace(made.panel(), band=None)):
        assert lines_of(judged, panels=(panel,))[-1] == "      run ▁▁▂▂▂▃▃▃▃▄▄▄▅▅▅▆▆▆▆▇▇▇██"


def test_findings_of_runs_that_are_not_at_hand_are_reported_too() -> None:
    judged = made.verdict(findings=(made.leak("another run"),))
    assert lines_of(judged, panels=(made.panel(),)) == lines_of(judged)


def test_another_environment_is_called_so() -> None:
    row = EnvironmentRow("jvm.vm.version", Likeness.DECIDES, "17", ("25",))
    assert lines_of(made.verdict(), made.run(), environment=(row,))[-1].startswith(
        "  environment: differs from training: OpenJDK"
    )
    assert len(lines_of(made.verdict(), made.run(metadata={}))) == 1
