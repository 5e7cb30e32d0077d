"""Learn, judge and plot without files; open stores and data sets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import buto
from tests.support.runs.stored import NAMES, leaking_run, store

HEAP = NAMES[0]
USUAL = [leaking_run(number) for number in range(10)]
CHANGED = [leaking_run(60 + number, leak=4.0, classes=900) for number in range(3)]


def test_learn_and_judge_runs_in_memory() -> None:
    known = buto.learn(USUAL)
    assert known.settings.method == "calibrated"
    verdict = buto.judge(known, CHANGED)
    assert verdict.status is buto.Status.REGRESSION
    assert HEAP in {finding.subject for finding in verdict.findings}
    assert buto.judge(known, CHANGED, alpha=0.2).alpha == 0.2
    assert buto.judge(known, USUAL[0]).run_ids == (USUAL[0].id,)
    thesis = buto.learn(USUAL, judge={"method": "thesis", "thesis": {"deviations": 30}})
    assert buto.judge(thesis, CHANGED[0]).detector == "thesis"


def test_runs_of_another_test_are_judged_only_if_that_is_meant() -> None:
    known = buto.learn(USUAL)
    others = [replace(run, test="other") for run in CHANGED]
    with pytest.raises(buto.JudgeError):
        buto.judge(known, others)
    assert buto.judge(known, others, of_any_test=True) == buto.judge(known, CHANGED)


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(buto.UsageError, match="method"):
        buto.learn(USUAL, judge={"method": "magic"})


def test_oracles_are_saved_and_loaded(tmp_path: Path) -> None:
    known = buto.learn(USUAL)
    buto.save_oracle(tmp_path / "new" / "o.json", known)
    loaded = buto.load_oracle(str(tmp_path / "new" / "o.json"))
    assert buto.judge(loaded, CHANGED) == buto.judge(known, CHANGED)
    with pytest.raises(buto.BadFileError, match="there is no oracle"):
        buto.load_oracle(tmp_path / "none.json")


def test_a_store_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = store(tmp_path, *USUAL[:2])
    monkeypatch.chdir(tmp_path)
    for opened in (buto.open_store(), buto.open_store(str(tmp_path / ".buto"))):
        assert opened.tests() == ["leaker"]
        assert [run.id for run in opened.load_set("leaker")] == ids
    assert buto.open_store(tmp_path / "nothing").tests() == []


def test_without_checks_there_is_no_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(buto.BadFileError, match="holds no results of 'leaker'") as error:
        buto.history("leaker")
    assert error.value.advice == 'buto.check("leaker")'


def test_plots_are_figures_of_what_is_named() -> None:
    known = buto.learn(USUAL)
    alone = buto.plot_runs(CHANGED, [HEAP])
    assert [len(axes.lines) for axes in alone.axes] == [3]
    before = buto.plot_runs(CHANGED[0], [HEAP], oracle=known, training=USUAL)
    (axes,) = before.axes
    assert len(axes.lines) == 11 and len(axes.collections) == 1
    assert [text.get_text() for text in axes.get_legend().texts] == [
        "training runs",
        "range of the training runs",
        "recorded run",
    ]
    several = buto.plot_runs(CHANGED, ["jvm.*"])
    assert len([axes for axes in several.axes if axes.axison]) == len(NAMES)
    drawn = [axes.get_title("left") for axes in buto.plot_runs(CHANGED).axes if axes.axison]
    assert drawn == ["jvm.memory.heap.used", "jvm.memory.heap.live"]  # the others never change
    with pytest.raises(buto.UsageError, match="no property 'heap'"):
        buto.plot_runs(CHANGED, ["heap"])


def test_a_result_without_a_verdict_cannot_be_drawn() -> None:
    with pytest.raises(buto.UsageError, match="has no verdict"):
        buto.plot_result(buto.Result("leaker", None))
    with pytest.raises(buto.UsageError, match="has no numbers"):
        buto.plot_history("leaker", [])
