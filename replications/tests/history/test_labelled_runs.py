"""Labelled runs that do not fit into what the method learns from."""

from datetime import UTC, datetime

from buto.actions import suggest
from buto.actions.events import Warned
from buto.actions.suggest import labelled_past
from buto.oracle import settings_from
from buto.run.labels import Label, Labelling, LabelStore
from tests.support.projects import project_in
from tests.support.runs.stored import leaking_run, store

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_warning_counts_the_good_runs_that_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(suggest, "MOST_RUNS", 4)
    ids = store(tmp_path, *(leaking_run(number) for number in range(6)))
    labels = LabelStore(project_in(tmp_path).files.store)
    said = []
    labels.add(Labelling("leaker", tuple(ids[1:]), Label.GOOD, NOW, "train"))
    labels.add(Labelling("leaker", (ids[0],), Label.BAD, NOW, "label"))
    (past,) = labelled_past(project_in(tmp_path), settings_from({"method": "history"}), said.append)
    assert [run.id for run in past.runs] == [ids[0], *ids[3:]]
    (warning,) = said
    assert isinstance(warning, Warned)
    assert warning.text.startswith("the oldest 2 good runs with a label cannot be learned from")
