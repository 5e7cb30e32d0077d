"""A pair of releases on a real JVM: the newer one allocates what was reported."""

import pytest

from beds.artefacts import BedError, fetch
from beds.versions.launch import SIDES, build, use
from beds.versions.pair import Kind
from beds.versions.pairs import PAIRS


def test_the_newer_release_allocates_more(tmp_path):
    [pair] = (one for one in PAIRS if one.name == "jsoup-errors")
    try:
        for artefact in (*pair.old, *pair.new):
            fetch(artefact)
    except BedError as missing:
        pytest.skip(str(missing))
    classes = build(pair, tmp_path)
    old, new = (use(pair, side, classes) for side in SIDES)
    assert {kind.value for kind in Kind} < set(old)
    assert new[Kind.ALLOCATION] > 2 * old[Kind.ALLOCATION]
