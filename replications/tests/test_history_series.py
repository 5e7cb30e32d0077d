"""Series of releases: as rows that are compared with the release before, and judged in their order."""

import numpy as np
import pytest

from buto.errors import BadFileError
from buto.judging.verdict import Status
from buto.run.labels import Label
from buto.run.model import run_set
from buto_replications.history import series
from buto_replications.history.replay import GOOD
from buto_replications.history.series import Release, Series, in_order
from buto_replications.history.walk import KNOWN, NEW, UNCHANGED, walk
from tests.support.runs.signals import Program, program_run

USUAL, LEAK = Program(), Program(threads=6)
N_GOOD = 6
REGRESSIONS = (N_GOOD, N_GOOD + 1)


@pytest.fixture(scope="module")
def library():
    """Six good releases, two with a regression, and one that mends it."""
    releases = []
    for place in range(N_GOOD + 3):
        is_bad = place in REGRESSIONS
        runs = [program_run(1, 10 * place + number, LEAK if is_bad else USUAL) for number in range(6)]
        releases.append(Release(f"1.{place}", Label.BAD if is_bad else Label.GOOD, runs))
    return Series("library", tuple(releases))


def test_each_release_but_the_first_is_compared_with_the_good_one_before(library):
    history = in_order([library])
    examples = history.examples
    assert examples.target.shape[0] == 2 * (len(library.releases) - 1)
    assert len(np.unique(examples.configuration)) == len(library.releases) - 1
    assert history.kinds.tolist() == [GOOD] * 10 + ["library"] * 4 + [GOOD] * 2
    expected = examples.baseline[::2]
    assert (expected[N_GOOD - 1] == expected[N_GOOD]).all()
    assert (expected[N_GOOD - 1] == expected[N_GOOD + 1]).all()
    assert (expected[0] != expected[1]).any()
    largest = history.deviating.target[:, -2]
    assert largest[history.examples.abnormal].min() > largest[~history.examples.abnormal].max()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("name,release,label\na,1.0,good\n", "must have the columns test, release, label; missing: test"),
        ("", "missing: test, release, label"),
        ("test,release,label\na,1.0,good\nb,1.0,bad\n", "b must begin with a good release, got bad 1.0"),
        ("test,release,label\na,1.0\n", "labels.csv cannot be read"),
        ("test,release,label\nc,1.0,good\n", "must have runs of c-1.0"),
    ],
    ids=["no column", "empty", "begins with a regression", "no label", "not recorded"],
)
def test_labels_that_cannot_be_used_are_a_bad_file(tmp_path, monkeypatch, labels, message):
    recorded = {name: run_set([program_run(1, number)]) for number, name in enumerate(("a-1.0", "b-1.0"))}
    monkeypatch.setattr(series.archive, "load", lambda directory, host: recorded)
    place = tmp_path / series.SERIES
    place.mkdir(parents=True)
    (place / series.LABELS).write_text(labels)
    with pytest.raises(BadFileError, match=message):
        series.recorded_series(tmp_path)


@pytest.mark.slow
def test_a_regression_fails_once_one_like_it_was_labelled(library):
    steps = list(walk(library, []))
    assert [one.kind for one in steps] == [UNCHANGED] * (N_GOOD - 1) + [NEW, KNOWN, UNCHANGED]
    status = {one.kind: one.status for one in steps}
    assert status == {UNCHANGED: Status.PASS, NEW: Status.INCONCLUSIVE, KNOWN: Status.REGRESSION}
