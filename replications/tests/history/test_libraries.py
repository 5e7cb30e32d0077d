"""Releases of the benchmark on made-up runs: each library is judged by the labels of the others."""

import numpy as np
import pytest

from buto.errors import BadFileError
from buto.run.model import run_set
from buto_replications.commands import run_libraries as command
from buto_replications.detectors.history.engine import Scheme
from buto_replications.detectors.history.examples import (
    ALONE,
    Examples,
    clustered_difference,
    clustered_error,
    errors_of,
)
from buto_replications.detectors.history.learners import TREE
from buto_replications.history import libraries as module
from buto_replications.history.libraries import by_classifier, by_limit, checks_of, read_pairs
from buto_replications.rivals import RIVALS
from tests.support.runs.signals import Program, program_run

USUAL, LEAK = Program(), Program(threads=6)
N_LIBRARIES = 4


def releases():
    """Return runs of two pairs of each library: of a release with more threads, and of a good one."""
    runs = {}
    for library in range(N_LIBRARIES):
        for number, (name, new) in enumerate(((f"leak-{library}", LEAK), (f"good-{library}", USUAL))):
            first = 1000 * library + 100 * number
            runs[f"{name}-old"] = run_set([program_run(1, first + place) for place in range(13)])
            runs[f"{name}-new"] = run_set([program_run(1, first + 50 + place, new) for place in range(4)])
    return runs


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    place = tmp_path_factory.mktemp("benchmark")
    for kind, name in ((module.BAD, "leak"), (module.GOOD, "good")):
        (place / kind).mkdir()
        for library in range(N_LIBRARIES):
            (place / kind / f"{name}-{library}.yaml").write_text(f"library: Library{library} core\n")
    return place


@pytest.fixture(scope="module")
def pairs(described, tmp_path_factory):
    data = tmp_path_factory.mktemp("data")
    (data / "17-quiet").mkdir()
    (data / "17-quiet" / module.archive.RUNS).touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module.archive, "load", lambda directory, host: releases())
        return read_pairs(data, described)


def test_both_releases_of_a_pair_have_its_library_and_label(pairs):
    assert {(pair.library, pair.is_good) for pair in pairs} == {
        (f"Library{number}", is_good) for number in range(N_LIBRARIES) for is_good in (False, True)
    }
    assert {(len(pair.old), len(pair.new)) for pair in pairs} == {(13, 4)}


def test_what_other_libraries_teach_tells_bad_releases_from_good_ones(pairs):
    checks = checks_of(pairs)
    # One check of the newer release, and one of the older one once more.
    assert (len(checks.examples), checks.is_new.sum(), checks.examples.abnormal.sum()) == (16, 8, 4)
    assert not checks.examples.abnormal[~checks.is_new].any()
    tree = by_classifier(checks.examples, Scheme(TREE, ALONE, grouped=False), 1)
    np.testing.assert_array_equal(tree, checks.examples.abnormal)
    for rival in RIVALS:
        found = errors_of(by_limit(checks, rival), checks.examples.abnormal)
        assert found.balanced_accuracy > 0.8, rival.title


def test_labels_of_the_judged_library_teach_nothing():
    """A library that is unlike the only other one is called what that one is."""
    rows = np.array([[0.0], [1.0], [1.0], [0.0]]).repeat(8, axis=0)
    abnormal = np.array([False, True, False, True]).repeat(8)
    group = np.array([0, 0, 1, 1]).repeat(8)
    examples = Examples(rows, np.zeros_like(rows), abnormal, group, group)
    called = by_classifier(examples, Scheme(TREE, ALONE, grouped=False), 1)
    np.testing.assert_array_equal(called, ~abnormal)


def test_a_difference_has_the_error_of_what_differs():
    group = np.repeat(np.arange(4), 2)
    rows = np.zeros((8, 1))
    examples = Examples(rows, rows, np.tile([False, True], 4), group, group)
    right, none = examples.abnormal, np.zeros(8, dtype=bool)
    assert clustered_difference(right, right, examples) == (0.0, 0.0)
    value, error = clustered_difference(right, none, examples)
    assert (value, error) == (0.5, pytest.approx(0.0))
    half = right & (group < 2)
    value, error = clustered_difference(half, none, examples)
    assert value == 0.25
    assert error == pytest.approx(clustered_error(half, examples))


def test_no_recorded_cell_is_a_bad_file(tmp_path, described):
    with pytest.raises(BadFileError, match="there are no data sets below"):
        read_pairs(tmp_path, described)


def test_the_table_has_every_way_and_both_kinds_of_good_releases(pairs):
    checks = checks_of(pairs)
    called = dict.fromkeys(("DTree", "forest"), checks.examples.abnormal)
    shown = command._table(checks, called)
    assert shown.caption == "8 checks of newer releases, 4 of them bad, and 8 of unchanged ones"
    assert [row[0] for row in shown.rows] == ["DTree", "forest"]
    assert shown.rows[1][1:] == ("1.000 ± 0.000", "0.000 ± 0.000", "100.0%", "0.0%", "0.0%")
