"""The recorded small store: predictions beside measurements, packing, damage, and what it promises."""

import csv
import io
import json
import re
import tarfile
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from beds.store.plan import Kind, plan
from beds.store.recording import index_of
from beds.store.versions import CHANGED, OLD, SERIES, UNCHANGED
from buto.errors import BadFileError
from buto.judging.verdict import Status
from buto_replications.store import recorded as indices
from buto_replications.store.evaluation import CORES, evaluate
from buto_replications.store.measured import MeasuredRun, read_measured, write_measured
from buto_replications.store.recorded import NAME, NEAR, RECORDED, pack, unpacked, write
from buto_replications.store.simulated import VersionOutcome, counts
from buto_replications.store.tables import numbers_csv, tables
from replications.tests.support.store import HOME, write_recording
from tests.support.checkout import ROOT
from tests.support.processes.command import called

INDEX = index_of(SERIES["main"])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_recording(tmp_path_factory.mktemp("recording"))


@pytest.fixture(scope="module")
def packed(data, tmp_path_factory):
    return write(data, INDEX, tmp_path_factory.mktemp("packed") / "new" / "place")


def test_predictions_are_compared_with_measurements(data):
    found = evaluate(data, INDEX, "jmh")
    [changed] = found.changed
    assert (changed.version, changed.outcome) == ("hot-high", VersionOutcome.FOUND)
    assert min(changed.truth, changed.predicted) > 0.474
    cores = [number for number in found.numbers if number.what == CORES]
    assert [number.version for number in cores] == ["hot-high", "same-1"]
    assert all(abs(number.error) < 0.1 for number in cores)
    assert len(found.lacking) == 4 * 9 - 1 + 4 * 19
    home = next(change for change in found.changes if change.endpoint == HOME)
    assert (home.significant, home.status) == (True, Status.REGRESSION)
    assert home.predicted == pytest.approx(home.measured, abs=0.2)


def test_a_version_without_a_change_is_judged_under_every_load(data):
    found = evaluate(data, INDEX, "jmh")
    assert [(version.version, version.load) for version in found.unchanged] == [
        ("same-1", load.name) for load in INDEX.loads
    ]
    assert {version.outcome for version in found.unchanged} == {VersionOutcome.QUIET}
    _, scores, *_ = tables(found, INDEX)
    most = max(change.measured_delta for change in found.changes if change.version == "same-1")
    [note] = scores.notes
    assert note.startswith(f"the largest measured delta without a change that matters is {most:.3f}: same-1")


def test_a_false_alarm_is_named_with_its_load(data, tmp_path):
    for folder in ("runs", "traces"):
        (tmp_path / folder).symlink_to(data / folder)
    (tmp_path / "jmh").mkdir()
    for version, taken in (("old", "old"), ("same-1", "hot-high")):
        (tmp_path / "jmh" / f"{version}.json").write_bytes((data / "jmh" / f"{taken}.json").read_bytes())
    found = evaluate(tmp_path, INDEX, "jmh")
    _, scores, *_, wrong = tables(found, INDEX)
    assert scores.notes[:4] == tuple(f"false alarm: same-1, load {load.name}" for load in INDEX.loads)
    assert {row[:2] for row in wrong.rows} == {("same-1", INDEX.fixed)}


def test_unit_tests_predict_the_same_change(data):
    found = evaluate(data, INDEX, "junit")
    assert [version.outcome for version in found.changed] == [VersionOutcome.FOUND]
    assert found.unchanged == ()


def test_under_another_load_the_old_version_is_predicted_too(data, tmp_path):
    other = next(load for load in INDEX.loads if load.name != INDEX.fixed)
    for folder in ("traces", "jmh"):
        (tmp_path / folder).symlink_to(data / folder)
    for path in (data / "runs").iterdir():
        measured = read_measured(path)
        write_measured(measured, tmp_path / "runs" / path.name)
        write_measured(replace(measured, load=other.name), tmp_path / "runs" / f"other-{path.name}")
    found = evaluate(tmp_path, INDEX, "jmh")
    assert [(version.version, version.load) for version in found.changed] == [
        ("hot-high", load.name) for load in INDEX.loads if load.name in (INDEX.fixed, other.name)
    ]
    assert {(number.version, number.load) for number in found.numbers} == {
        ("hot-high", INDEX.fixed), ("hot-high", other.name), ("old", other.name),
        ("same-1", INDEX.fixed), ("same-1", other.name),
    }  # fmt: skip
    assert len(found.lacking) == 4 * 9 - 2 + 4 * 19


def test_a_version_that_was_misjudged_is_shown_by_endpoint(data, tmp_path):
    for folder in ("runs", "traces", "jmh"):
        (tmp_path / folder).mkdir()
        for path in (data / folder).iterdir():
            (tmp_path / folder / path.name).write_bytes(path.read_bytes())
    # Benchmarks that noticed nothing.
    (tmp_path / "jmh" / "hot-high.json").write_bytes((data / "jmh" / "old.json").read_bytes())
    found = evaluate(tmp_path, INDEX, "jmh")
    assert [version.outcome for version in found.changed] == [VersionOutcome.MISSED]
    _, scores, *_, wrong = tables(found, INDEX)
    assert [row[2:5] for row in scores.rows[:2]] == [("1 missed", "1", "0"), ("none", "0", "0")]
    assert [row[:3] for row in wrong.rows] == [("hot-high", "fixed", endpoint) for endpoint in sorted(
        INDEX.load("fixed").rates)]  # fmt: skip


def test_every_number_is_written(data):
    found = evaluate(data, INDEX, "jmh")
    head, *rows = numbers_csv(found).splitlines()
    assert head == "version,load,what,predicted,measured,utilisation"
    assert [row.split(",")[:2] for row in rows] == 4 * [["hot-high", "fixed"]] + 4 * [["same-1", "fixed"]]


def test_a_packed_recording_gives_the_same_numbers(data, packed):
    assert packed.name == NAME
    assert packed.read_bytes() == pack(data, INDEX)
    with unpacked(packed) as (directory, index):
        assert index == INDEX
        assert evaluate(directory, index, "junit") == evaluate(data, INDEX, "junit")
        assert {path.name for path in directory.iterdir()} == {"index.json", "runs", "traces", "jmh", "junit"}
    assert not directory.exists()


def test_a_packed_recording_does_not_tell_paths_or_hosts(packed):
    with unpacked(packed) as (directory, _):
        for path in directory.rglob("*.xml"):
            assert not {"hostname", "java.home", "/secret"} & set(re.split(r"[\s\"=<>]+", path.read_text()))


def test_folders_without_files_are_named(data, tmp_path):
    with pytest.raises(BadFileError, match=f"{tmp_path}/runs has no files"):
        pack(tmp_path, INDEX)
    (tmp_path / "jmh").mkdir()
    for folder in ("runs", "traces"):
        (tmp_path / folder).symlink_to(data / folder)
    (tmp_path / "jmh" / "old.json").write_text("{")
    with pytest.raises(BadFileError, match="jmh/old.json cannot be packed"):
        pack(tmp_path, INDEX)


def archive_of(path, name, content=b""):
    with tarfile.open(path, "w:xz") as tar:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    return path


@pytest.mark.parametrize("name", ["../runs/one.json", "/etc/one.json", "runs/deep/one.json", "runs/one.sh"])
def test_an_archive_with_other_files_is_refused(tmp_path, name):
    with (
        pytest.raises(BadFileError, match="it must have files of index.json, runs"),
        unpacked(archive_of(tmp_path / NAME, name)),
    ):
        pass


def test_damaged_and_newer_archives_are_refused(packed, tmp_path):
    whole = packed.read_bytes()
    for content in (b"", b"text", whole[:-100]):
        (tmp_path / NAME).write_bytes(content)
        with pytest.raises(BadFileError, match="recording.tar.xz cannot be read"), unpacked(tmp_path / NAME):
            pass
    newer = json.loads(indices.to_json(INDEX)) | {"version": 2}
    archive_of(tmp_path / NAME, "index.json", json.dumps(newer).encode())
    with pytest.raises(BadFileError, match="its version must be at most 1, got 2"), unpacked(tmp_path / NAME):
        pass


@pytest.mark.parametrize("text", ["{}", "[]", '{"format": "other"}'])
def test_an_index_of_something_else_is_refused(text):
    with pytest.raises(ValueError, match="it is not the index|its format must be 'buto-store', got 'other'"):
        indices.from_json(text)


def test_a_measured_run_is_read_as_it_was_written(tmp_path):
    run = MeasuredRun("old", "fixed", "id", {HOME: (0.0123, 0.5)}, {"web": 0.25}, 0.75, 2, 0.1)
    write_measured(run, tmp_path / "runs" / "one.json")
    assert read_measured(tmp_path / "runs" / "one.json") == run
    (tmp_path / "cut.json").write_text('{"version": "old"')
    with pytest.raises(BadFileError, match="is not a measured run of the store"):
        read_measured(tmp_path / "cut.json")


PAGE = ROOT / "predict" / "docs" / "figures.md"
INDEX_OF = {version.name: version for version in INDEX.versions}


@pytest.fixture(scope="module")
def recording():
    with unpacked(RECORDED / NAME) as (directory, index):
        assert index == INDEX
        yield directory


@pytest.fixture(scope="module")
def runs(recording):
    found = [read_measured(path) for path in (recording / "runs").glob("*.json")]
    return tuple(sorted(found, key=lambda item: item.run))


def test_it_is_small_enough_for_a_repository():
    assert (RECORDED / NAME).stat().st_size < 5e6


def test_every_planned_measurement_is_there(recording):
    planned = plan(SERIES["main"], 0)
    paths = {kind: {item.result(recording) for item in planned if item.kind is kind} for kind in Kind}
    assert set((recording / "runs").iterdir()) == paths[Kind.RUN]
    assert set((recording / "jmh").iterdir()) == paths[Kind.JMH]
    assert paths[Kind.JUNIT] <= set((recording / "junit").iterdir())
    assert Counter(item.kind for item in planned) == {Kind.RUN: 152, Kind.JMH: 30, Kind.JUNIT: 10}
    assert len(list((recording / "traces").iterdir())) == 6


def test_versions_and_loads_are_mixed_in_time(runs):
    changed, unchanged = ({version.name for version in some} for some in (CHANGED, UNCHANGED))
    sides = ["old" if run.version == OLD.name else "new" for run in runs if run.version not in unchanged]
    assert {run.version for run in runs} == {OLD.name} | changed | unchanged
    # In a random order of 24 old and 108 new runs, the side changes 39 times, with a deviation of 3.4.
    assert sum(before != after for before, after in pairwise(sides)) >= 27
    for half in (runs[: len(runs) // 2], runs[len(runs) // 2 :]):
        assert {item.load for item in half} == {load.name for load in INDEX.loads}


def test_the_store_was_warm_before_requests_counted(runs):
    for endpoint in INDEX.load(INDEX.fixed).rates:
        ratios = []
        for run in runs:
            if run.version == OLD.name or not INDEX_OF[run.version].matters:
                quarters = np.array_split(np.asarray(run.responses_s[endpoint]), 4)
                ratios.append(float(np.mean(quarters[-1]) / np.mean(quarters[0])))
        assert np.median(ratios) == pytest.approx(1, abs=0.1), endpoint


def test_every_run_has_its_requests_and_its_processor_time(runs):
    for run in runs:
        for endpoint, rate in INDEX.load(run.load).rates.items():
            expected = rate * INDEX.measured_s
            assert len(run.responses_s[endpoint]) == pytest.approx(expected, abs=6 * expected**0.5 + 1)
        assert set(run.busy) == {"web", "catalogue", "order", "postgresql"}
        assert sum(run.busy.values()) <= run.host_busy <= run.cores


def test_nothing_in_it_tells_paths_or_hosts(recording):
    telling = re.compile(r'/(work|tmp|root|home|usr)/|"host\.name"|hostname="[^"]')
    for path in recording.rglob("*.*"):
        assert not telling.search(path.read_text()), path


@pytest.mark.all
def test_the_page_shows_the_verdicts_under_the_fixed_load(recording):
    """Under one load, because the others take half a minute."""
    fixed = replace(INDEX, loads=(INDEX.load(INDEX.fixed),))
    found = evaluate(recording, fixed, "jmh")
    assert found.lacking == ()
    assert (len(found.changed), len(found.unchanged)) == (9, 20)
    assert f"| fixed load, 9 versions | 16 right of 18 | {counts(found.changed)} |" in PAGE.read_text()
    assert counts(found.unchanged) == "20 rightly quiet"


@pytest.mark.all
def test_the_recording_near_the_boundary_is_complete_and_the_page_shows_its_verdicts():
    with unpacked(NEAR / NAME) as (directory, index):
        assert index == index_of(SERIES["near"])
        planned = {item.result(directory) for item in plan(SERIES["near"], 0) if item.kind is not Kind.JUNIT}
        assert {path for folder in ("runs", "jmh") for path in (directory / folder).iterdir()} == planned
        found = evaluate(directory, index, "jmh")
    assert found.lacking == ()
    right = Counter(version.outcome for version in found.changed)
    assert right == {VersionOutcome.FOUND: 8, VersionOutcome.QUIET: 9, VersionOutcome.MISSED: 7}
    assert (
        f"**Near the boundary {right[VersionOutcome.FOUND] + right[VersionOutcome.QUIET]} of 24 are right**"
        in PAGE.read_text()
    )


FIXED = r"^ *fixed load +16 of 18 right: 7 of 9 .+ +1 found +1 +1 +1$"


def test_tables_are_printed_and_numbers_are_written(tmp_path):
    write(write_recording(tmp_path / "made"), INDEX, tmp_path / "set")
    done = called(tmp_path, "experiments", "run", "store", "--data", "set", "--out", "results")
    assert done.returncode == 0, done.stderr
    benchmarks, unit_tests = done.stdout.split("Predicted from unit tests\n")
    assert benchmarks.startswith("Predicted from benchmarks\n")
    for printed in (benchmarks, unit_tests):
        assert re.search(FIXED, printed, re.MULTILINE)
    assert "not measured: hot-low fixed, " in done.stderr
    for tests, versions in (("jmh", {"hot-high", "same-1"}), ("junit", {"hot-high"})):
        rows = list(csv.DictReader((tmp_path / "results" / f"store-{tests}.csv").read_text().splitlines()))
        assert {row["version"] for row in rows} == versions


def test_a_recording_that_is_missing_is_named(tmp_path):
    done = called(tmp_path, "experiments", "run", "store", "--data", "set")
    assert done.returncode == 4
    assert "set/recording.tar.xz cannot be read" in done.stderr
    assert "python -m beds.store pack" in done.stderr
