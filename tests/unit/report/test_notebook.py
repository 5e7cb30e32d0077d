"""What notebooks show: small, escaped, without script or network."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import buto.oracle
from buto.errors import MeasureError
from buto.judging.thesis.detector import THESIS
from buto.judging.verdict import Status, Verdict
from buto.oracle import Oracle
from buto.report import notebook
from buto.report.result import Result
from buto.run.display import Displayed
from buto.run.model import Outcome, Run, RunSet, run_set
from buto.run.properties import Property, property_for
from tests.support.report.made import EVIL, OLD_GENERATION, RUN_ID, THREADS, leak, run, silence, verdict
from tests.support.runs.qualities import starved

HEAP = "jvm.memory.heap.used"


class Page(HTMLParser):
    """Text, and every element with its attributes; fails on an element that is not closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.texts)).strip()


def shown(value: Displayed) -> str:
    return Page(value._repr_html_()).text


def a_learned_oracle(test: str = "leaker") -> Oracle:
    return buto.oracle.train(run_set([_noisy(number, test) for number in range(5)]), THESIS)


def _noisy(number: int, test: str) -> Run:
    times = np.arange(0.0, 3.0, 0.1)
    values = np.random.default_rng(number).normal(2**23, 2**16, (30, 1))
    run_id = f"20260101T00{number:02}00.000Z-0000"
    return Run(run_id, test, (property_for(HEAP),), times, values, Outcome(0, duration_s=3.0))


def everything(evil: str = "leaker") -> list[Displayed]:
    bad = run(quality=starved(evil), test=evil, metadata={"jvm.vm.version": evil, "buto.commit": evil})
    named = Run(
        *(RUN_ID, "t", (Property(f"mbean[{evil}]/Size"),), np.arange(2.0), np.array([[1.0], [2.0]])),
        Outcome(0),
    )
    found = verdict(findings=(leak(subject=evil), silence()), reasons=(evil,))
    return [
        bad,
        named,
        RunSet((bad,)),
        a_learned_oracle("leaker" if not evil.strip() else evil.strip()),
        found,
        Result(evil, Path(evil), [bad], found),
        Result(evil, Path(evil), [bad], error=MeasureError(evil, advice=evil), warnings=[evil]),
    ]


def test_a_run() -> None:
    text = shown(run())
    assert f"Run {RUN_ID} of leaker" in text
    assert "start 2026-01-02 03:04:05 UTC" in text
    assert "end exited with code 0 after 4 s" in text
    assert "samples 41 of 2 properties" in text
    assert "state valid" in text
    assert re.search(rf"{re.escape(OLD_GENERATION)} 0 B 4 MiB 0 B 4 MiB ▁\S*█ ", text)
    assert THREADS not in text
    assert text.endswith("1 property not shown.")


def test_what_most_users_look_for_comes_first() -> None:
    names = ("jvm.buffer.count[direct]", "jvm.thread.count", "mbean[a:b=c]/Size", HEAP)
    values = np.arange(8.0).reshape(2, 4)
    stored_run = Run("r", "t", tuple(map(property_for, names)), np.arange(2.0), values, Outcome(0))
    text = shown(stored_run)
    assert sorted(names, key=lambda name: text.index(name.partition("[")[0])) == [
        HEAP,
        "jvm.thread.count",
        "jvm.buffer.count[direct]",
        "mbean[a:b=c]/Size",
    ]


def test_a_run_without_samples() -> None:
    empty = Run("r", "t", (property_for(HEAP),), np.empty(0), np.empty((0, 1)), Outcome(1))
    assert "samples 0 of 1 property" in shown(empty)


def test_runs() -> None:
    runs = [run(f"20260102T0304{number:02}.000Z-0000") for number in range(20)]
    text = shown(RunSet((*runs, run("z", starved("it starved")))))
    assert text.startswith("21 runs of leaker , 20 of them valid")
    assert text.count("exited with code 0") == notebook.MAX_ROWS
    assert text.endswith("9 runs not shown.")
    assert "invalid: it starved" in shown(RunSet((run("z", starved("it starved")),)))
    assert shown(RunSet(())) == "0 runs , 0 of them valid"


def test_an_oracle() -> None:
    text = shown(a_learned_oracle())
    assert text.startswith("Oracle of leaker , trained with 5 runs, method thesis")
    assert f"{HEAP} mean 8 MiB" in text


def test_a_verdict() -> None:
    text = shown(verdict(findings=(leak(), silence())))
    assert text.startswith("✗ regression used memory (G1 Old Gen) 4x (1 → 4 MiB) and com.acme.full")
    assert f"{OLD_GENERATION} +3 MiB (+300 %) worse 4 MiB at 4 s 512 KiB to 1.5 MiB" in text
    assert "com.acme.full less" in text
    many = shown(verdict(findings=tuple(leak(subject=f"p{number}") for number in range(40))))
    assert many.endswith("28 differences not shown.")
    passed = shown(Verdict(Status.PASS, "calibrated", n_training=10, run_ids=("a",)))
    assert passed == "✓ pass the run did what the 10 training runs did"
    undecided = Verdict(
        Status.INCONCLUSIVE, "calibrated", reasons=("it starved",), n_training=3, runs_needed=9
    )
    assert shown(undecided) == (
        "? inconclusive could not be judged; a decision needs 9 training runs, not 3 Reasons it starved"
    )


def test_a_result() -> None:
    assert shown(Result("leaker", Path("o.json"), [run()])) == "leaker: trained, 1 run, oracle o.json"
    failed = Result("leaker", None, error=MeasureError("java was not found", advice="buto doctor"))
    assert shown(failed) == "leaker: error, 0 runs java was not found buto doctor"
    judged = Result("leaker", None, verdict=verdict(findings=(leak(),)))
    assert shown(judged).startswith("✗ regression leaker: used memory (G1 Old Gen) 4x")


@pytest.mark.parametrize("evil", EVIL)
def test_text_from_outside_is_escaped_and_nothing_is_loaded(evil: str) -> None:
    for value in everything(evil):
        html = value._repr_html_()
        for element, attributes in Page(html).elements:
            assert element in {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "br"}
            assert set(attributes) <= {"style"}
            assert "url" not in (attributes.get("style") or "")
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\ud800-\udfff]", html)


def test_views_are_small() -> None:
    wide = Run(
        *(RUN_ID, "t" * 180, tuple(Property(f"p{n}" * 500) for n in range(2000))),
        np.arange(100.0),
        np.random.default_rng(0).normal(size=(100, 2000)),
        Outcome(0),
    )
    found = verdict(
        findings=tuple(leak(subject="p" * 10_000) for _ in range(1000)), reasons=("r" * 9999,) * 99
    )
    for value in (wide, RunSet((wide,) * 500), found):
        assert len(value._repr_html_()) < 30_000


def test_in_a_terminal_a_line_stands_for_all_values() -> None:
    assert repr(run()) == f"<Run {RUN_ID} of leaker: 41 samples of 2 properties>"
    assert repr(RunSet((run(),))) == "<RunSet of 1 runs of leaker>"
    assert repr(RunSet(())) == "<RunSet without runs>"
    assert repr(a_learned_oracle()) == "<Oracle of leaker: 5 training runs, method thesis>"


def test_other_values_have_no_view() -> None:
    with pytest.raises(TypeError, match="int has no view"):
        notebook.render(3)
