"""The recorded data sets as labelled programs: real releases, and faults of a real system."""

from itertools import chain

from beds.versions.pairs import PAIRS
from beds.versions.series import SERIES
from buto_replications.history.histories import BED_PLAN
from buto_replications.history.recorded import bed_faults, groups_of, releases
from buto_replications.history.replay import Plan
from buto_replications.history.series import recorded_series

FAULTS = {"busy": 2, "column-index": 2, "log": 2, "memory": 2, "text-index": 2}


def test_each_pair_of_releases_is_a_program_with_one_regression():
    found = releases()
    recorded = {f"{pair.name}@parallel (pairs)": f"{pair.name}-new" for pair in PAIRS}
    assert {one.name: list(one.changed) for one in found}.items() <= {
        name: [kind] for name, kind in recorded.items()
    }.items()
    assert len(found) >= 6
    for group in groups_of(found):
        assert len(group.good) == 16
        assert Plan().pools_of(group.good, group.changed) == 3


def test_the_recorded_series_have_the_releases_and_labels_of_the_bed():
    found = recorded_series()
    recorded = {(one.name, release.version): release for one in found for release in one.releases}
    assert {key: release.label.value for key, release in recorded.items()} == {
        (one.pair.name, release): label for one in SERIES for release, label in one.releases.items()
    }
    assert {len(release.runs) for release in recorded.values()} == {6}


def test_the_bed_is_one_program_with_faults_at_two_intensities():
    (keycloak,) = bed_faults()
    assert {kind: len(runs) for kind, runs in keycloak.changed.items()} == FAULTS
    assert len(keycloak.good) == 14
    every = (*keycloak.good, *chain.from_iterable(keycloak.changed.values()))
    assert {run.metadata["environment.name"] for run in every} == {"base"}
    (group,) = groups_of([keycloak])
    assert BED_PLAN.pools_of(group.good, group.changed) == 2
