"""A disk that is full while an experiment writes: one message, and all is as it was before."""

import resource
from contextlib import contextmanager

import pytest

from buto.errors import EXIT_NOT_JUDGED
from buto.run.store import RunStore
from buto_replications.dataset import archive
from replications.tests.support.variants import a_data_set
from tests.support.processes.command import called

WRITES = {
    "data set": ("experiments", "pack", "--data", "recorded", "-o", "set"),
    "experiment": ("experiments", "run", "smoothing", "--data", "packed", "--out", "made", "--workers", "1"),
}


@contextmanager
def full():
    """A disk that is full after twenty bytes in a file, for this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("what", WRITES)
def test_a_full_disk_ends_with_one_message_and_leaves_all_as_it_was(tmp_path, what):
    store = RunStore(tmp_path / "recorded")
    for runs in a_data_set(8, ("references-strong", "references-weak"), shift=2.0).values():
        for run in runs:
            store.add(run)
    archive.write(tmp_path / "packed", archive.pack(store))
    before = _files(tmp_path)
    with full():
        done = called(tmp_path, *WRITES[what])
    assert done.returncode == EXIT_NOT_JUDGED, done.stderr
    assert "File too large" in done.stderr
    assert _files(tmp_path) == before
    assert called(tmp_path, *WRITES[what]).returncode == 0


def _files(directory):
    """All that is there, but for what only makes reading faster."""
    found = (path for path in directory.rglob("*") if path.is_file() and "cache" not in path.parts)
    return {str(path.relative_to(directory)): path.read_bytes() for path in found}
