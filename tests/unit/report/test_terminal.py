"""A verdict in a terminal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rich.text import Text

from buto.properties import property_for
from buto.report.terminal import MAX_LINES, verdict_lines
from buto.runs import Outcome, Run, run_set
from buto.verdicts import Direction, Effect, Finding, Status
from tests.unit.report import made


def test_a_regression_says_what_changed_when_and_by_how_much() -> None:
    lines = verdict_lines(made.verdict(findings=(made.leak(),)), "leaker")
    assert lines == [
        "REGRESSION  leaker: 1 difference from the 10 training runs",
        "  jvm.memory.used[G1 Old Gen]  +3 MiB (+300 %), worse",
        "      4 MiB at 4 s, expected 512 KiB to 1.5 MiB",
        "      outside from 1.5 s to 4 s (62.5 % of the points)",
    ]


def test_the_judged_run_is_drawn_beside_its_finding() -> None:
    lines = verdict_lines(made.verdict(findings=(made.leak(),)), "leaker", run_set([made.run()]))
    assert lines[-1].strip().startswith("▁▁")
    assert "██  outside from 1.5 s" in lines[-1]


def test_a_pass_is_one_line() -> None:
    assert verdict_lines(made.verdict(Status.PASS), "leaker") == [
        "PASS  leaker: the run did what the 10 training runs did"
    ]


def test_a_pass_names_findings_that_were_not_enough() -> None:
    lines = verdict_lines(made.verdict(Status.PASS, (made.leak(),)), "leaker")
    assert lines[1].strip() == "not enough to fail:"
    assert made.OLD_GENERATION in lines[2]


def test_an_inconclusive_check_says_why_and_what_to_type() -> None:
    reason = "the JDK differs: 17.0.15 in training, 25.0.1 now"
    verdict = made.verdict(Status.INCONCLUSIVE, reasons=(reason,))
    assert verdict_lines(verdict, "leaker", next_steps=["buto train leaker"]) == [
        "INCONCLUSIVE  leaker: could not be judged",
        f"  because: {reason}",
        "  next: buto train leaker",
    ]


def test_a_notification_that_comes_later_is_told_by_how_much_once() -> None:
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
    assert verdict_lines(made.verdict(findings=(finding,)), "leaker")[1:] == [
        "  done from a:type=Job  105 ms later",
        "      1 of 1 came too early or too late",
        "      530 ms, expected 355 to 496 ms",
    ]
    earlier = replace(finding, observed=0.3, at_s=0.3)
    assert "125 ms earlier" in verdict_lines(made.verdict(findings=(earlier,)), "leaker")[1]


@pytest.mark.parametrize(
    ("observed", "said"), [(24.2, "24.2 threads on average around"), (24.0, "24 threads at")]
)
def test_a_fraction_of_a_count_is_told_as_an_average(observed: float, said: str) -> None:
    finding = replace(made.leak(), unit="{thread}", observed=observed, lower=9.0, upper=11.0, expected=10.0)
    lines = verdict_lines(made.verdict(findings=(finding,)), "leaker")
    assert lines[2].strip() == f"{said} 4 s, expected 9 to 11 threads"


def test_what_made_a_check_inconclusive_is_told_once() -> None:
    reason = "host.cores is 8; it was 2 in training"
    finding = Finding("metadata", "host.cores", made.RUN_ID, text=reason)
    verdict = made.verdict(Status.INCONCLUSIVE, (finding,), reasons=(reason,))
    assert verdict_lines(verdict, "leaker")[1:] == [f"  because: {reason}"]


def test_the_headline_says_when_all_differences_are_for_the_better() -> None:
    better = replace(made.leak(), effect=Effect.BETTER)
    said = "leaker: {} from the 10 training runs"
    one, mixed = ((better,), (better, made.leak(subject="other")))
    assert verdict_lines(made.verdict(findings=one), "leaker")[0].endswith(
        said.format("1 difference") + ", for the better"
    )
    assert verdict_lines(made.verdict(findings=mixed), "leaker")[0].endswith(said.format("2 differences"))


def test_a_finding_without_a_number_is_told_in_words() -> None:
    lines = verdict_lines(made.verdict(findings=(made.silence(),)), "leaker")
    assert lines[1:] == ["  com.acme.full  less", "      not seen, though every training run had it"]


@pytest.mark.parametrize(
    ("lower", "upper", "said"),
    [
        (None, 2**20, "expected at most 1 MiB"),
        (2**20, float("inf"), "expected at least 1 MiB"),
        (2**20, 2**20, "expected 1 MiB"),
        (2**20, 2**21, "expected 1 to 2 MiB"),
    ],
)
def test_a_band_with_one_end_or_no_width(lower: float | None, upper: float | None, said: str) -> None:
    finding = replace(made.leak(), lower=lower, upper=upper)
    lines = verdict_lines(made.verdict(findings=(finding,)), "leaker")
    assert lines[2].endswith(said)


@pytest.mark.parametrize("n_warnings", [0, 3, 50])
@pytest.mark.parametrize("n_findings", [12, 13, 14, 200])
def test_never_more_than_forty_lines_and_the_rest_is_counted(n_findings: int, n_warnings: int) -> None:
    findings = tuple(made.leak(subject=f"p{number}") for number in range(n_findings))
    warnings = tuple(f"warning {number}" for number in range(n_warnings))
    verdict = made.verdict(findings=findings, warnings=warnings)
    lines = verdict_lines(verdict, "leaker", run_set([made.run()]), next_steps=["buto train leaker"])
    told = sum(line.startswith("  p") for line in lines)
    left_out = next((int(line.split()[1]) for line in lines if line.startswith("  and ")), 0)
    assert len(lines) <= MAX_LINES
    assert told + left_out == n_findings
    assert told >= 8
    assert lines[-1] == "  next: buto train leaker"


def test_markup_changes_nothing_that_is_read() -> None:
    findings = (made.leak(), made.silence(), made.leak(subject="mbean[a:type=[b]]/c"))
    verdict = made.verdict(findings=findings, warnings=("[red] is no colour here",))
    runs = run_set([made.run()])
    plain = verdict_lines(verdict, "leaker", runs)
    marked = verdict_lines(verdict, "leaker", runs, markup=True)
    assert plain != marked
    assert [Text.from_markup(line).plain for line in marked] == plain


def test_a_run_with_nothing_readable_is_not_drawn() -> None:
    times = np.array([0.0, 1.0])
    values = np.full((2, 1), np.nan)
    run = Run(made.RUN_ID, "leaker", (property_for(made.OLD_GENERATION),), times, values, Outcome(0))
    drawn = verdict_lines(made.verdict(findings=(made.leak(),)), "leaker", run_set([run]))
    assert drawn == verdict_lines(made.verdict(findings=(made.leak(),)), "leaker")


def test_findings_of_runs_that_are_not_at_hand_are_told_too() -> None:
    finding = made.leak("another run")
    lines = verdict_lines(made.verdict(findings=(finding,)), "leaker", run_set([made.run()]))
    assert lines == verdict_lines(made.verdict(findings=(finding,)), "leaker")
