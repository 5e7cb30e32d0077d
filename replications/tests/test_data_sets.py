"""Data sets: exact round trips, what is left out, what does not fit together, damage."""

import math
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from buto.errors import BadFileError, JudgeError, StorageError
from buto.run.model import Run
from buto.run.properties import Property, Role, property_for
from buto.run.store import RunStore
from buto_replications.dataset import archive, parquet
from buto_replications.dataset.archive import NOTIFICATIONS, RUNS, SAMPLES, write
from tests.support.runs.examples import assert_same, full_run, runs
from tests.support.runs.qualities import starved

STRONG, WEAK, ON_G1 = "references-strong@parallel", "references-weak@parallel", "references-strong@g1"
STARVED = starved(largest_gap_s=2.0, foreign_load=0.9)
MACHINE = {"host.cpu.model": "A", "jvm.vm.version": "17", "host.load.1min": 0.5}


def recorded(number, test=STRONG, **changes):
    """A run that differs a little from the others."""
    times = np.array([-0.001, 0.08, 0.16]) + number * 1e-9
    return full_run(
        f"20260101T0000{number:02d}.000Z-0000", test, **{"times_s": times, "metadata": MACHINE} | changes
    )


def stored(root, ours):
    store = RunStore(root / "store")
    for run in ours:
        store.add(run)
    return store


def packed(root, ours):
    write(root / "set", archive.pack(stored(root, ours)))
    return root / "set"


def test_runs_come_back_by_host_and_variant_in_the_order_of_their_start(tmp_path):
    ours = [recorded(3), recorded(1), recorded(2, WEAK), recorded(4, ON_G1), recorded(5, quality=STARVED)]
    directory = packed(tmp_path, ours)
    assert archive.hosts(directory) == ("parallel", "g1")
    parallel, g1 = archive.load(directory, "parallel"), archive.load(directory, "g1")
    assert {variant: len(found) for variant, found in parallel.items()} == {
        "references-strong": 3,
        "references-weak": 1,
    }
    expected = sorted(ours, key=lambda run: run.id)
    found = sorted(
        [run for part in (parallel, g1) for stored_run in part.values() for run in stored_run],
        key=lambda run: run.id,
    )
    for found_run, other in zip(found, expected, strict=True):
        assert_same(found_run, archive.published(other))
    strong = parallel["references-strong"]
    assert [run.id for run in strong] == sorted(run.id for run in strong)
    assert [run.id for run in strong.valid()] == [ours[1].id, ours[0].id]


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(runs(), min_size=1, max_size=4, unique_by=lambda run: run.id), st.data())
def test_tables_keep_any_run_to_the_bit(ours, data):
    keys = st.sampled_from([("g1", "a"), ("parallel", "a"), ("parallel", "b")])
    groups = {}
    for run in ours:
        groups.setdefault(data.draw(keys), []).append(archive.published(run))
    index = parquet.runs_from_parquet(parquet.runs_to_parquet(groups, {SAMPLES: "x"}))
    assert index.sha256 == {SAMPLES: "x"}
    assert [(row.host, row.variant) for row in index.rows] == [
        key for key, group in groups.items() for _ in group
    ]
    content = parquet.samples_to_parquet(groups)
    documents = iter([row.document for row in index.rows])
    emitted = iter(
        parquet.notifications_from_parquet(
            parquet.notifications_to_parquet(groups), [row.document for row in index.rows]
        )
    )
    for number, group in enumerate(groups.values()):
        of_group = [next(documents) for _ in group]
        samples = parquet.samples_of_group(content, number, of_group)
        for run, document, (times_s, values) in zip(group, of_group, samples, strict=True):
            arrays = {"times_s": times_s, "values": values, "notifications": next(emitted)}
            found = Run(**document.of_run, **arrays)
            assert_same(found, run)


def test_only_what_may_be_published_is_kept():
    details = {
        "host.name": "vm",
        "system.property[user.name]": "x",
        "jvm.class.path": "/home/x",
        "buto.command": "/x",
    }
    cost = property_for("buto.snapshot.time")
    run = full_run()
    full = replace(
        run,
        properties=(cost, *run.properties),
        values=np.column_stack([np.ones(3), run.values]),
        metadata={**MACHINE, **details, "mbean[a:type=B]/Size": 10},
        nan_reasons={cost.name: "why", **run.nan_reasons},
    )
    kept = archive.published(full)
    assert kept.metadata == {**MACHINE, "mbean[a:type=B]/Size": 10}
    assert kept.properties == run.properties
    assert kept.values.tobytes() == run.values.tobytes()
    assert kept.nan_reasons == run.nan_reasons
    assert (kept.stdout, kept.stderr) == (b"", b"")
    assert (kept.id, kept.outcome, kept.notifications) == (run.id, run.outcome, run.notifications)
    assert all(prop.role is Role.PROGRAM for prop in kept.properties)


PRIVATE = [
    "host.name",
    "host.kernel",
    "buto.command",
    "buto.jvm",
    "buto.jvms.others",
    "buto.session",
    "jvm.class.path",
    "jvm.library.path",
    "process.pid",
    "system.property[java.class.path]",
    "system.property[java.home]",
    "system.property[java.io.tmpdir]",
    "system.property[user.dir]",
    "system.property[user.home]",
    "system.property[user.name]",
    "system.property[sun.java.command]",
]


@pytest.mark.parametrize("key", PRIVATE)
def test_nothing_that_names_people_machines_or_places_is_in_the_files(tmp_path, key):
    secret = "sesame-4711"
    run = recorded(1, metadata={**MACHINE, key: secret}, stdout=secret.encode(), stderr=secret.encode())
    directory = packed(tmp_path, [run])
    for name in (RUNS, SAMPLES, NOTIFICATIONS):
        # Read as a table first: the files are compressed.
        table = pq.read_table(directory / name)
        assert secret not in f"{table.to_pydict()} {table.schema.metadata}"


def test_other_programs_read_the_tables(tmp_path):
    directory = packed(tmp_path, [recorded(1), recorded(2, quality=STARVED), recorded(3), recorded(4, ON_G1)])
    about = pq.read_table(directory / RUNS).to_pydict()
    assert about["host"] == ["g1", "parallel", "parallel", "parallel"]
    assert about["variant"] == ["references-strong"] * 4
    assert about["ordinal"] == [0, 0, None, 1]
    assert about["foreign_load"][:2] == [0.05, 0.05]
    samples = pq.read_table(directory / SAMPLES).to_pydict()
    assert samples["run"] == [run for run in about["run"] for _ in range(3)]
    assert samples["jvm.class.loaded"][:3] == [450.0, 451.0, 451.0]
    assert math.isnan(samples["mbean[shop:type=Queue]/Balance"][0])
    notifications = pq.read_table(directory / NOTIFICATIONS).to_pydict()
    assert notifications["run"] == [run for run in about["run"] for _ in range(2)]
    assert notifications["message"][:2] == ["the queue is full", "ещё раз 🎉"]
    assert pq.ParquetFile(directory / SAMPLES).num_row_groups == 2


def test_runs_recorded_since_a_date_can_be_taken_alone(tmp_path):
    subtle = "classloading-12ms@parallel"
    ours = [recorded(1), recorded(2, WEAK), recorded(3), recorded(4, subtle), recorded(5, quality=STARVED)]
    directory = packed(tmp_path, ours)
    date = datetime(2026, 1, 1, 0, 0, 3, tzinfo=UTC)
    found = archive.load(directory, "parallel", since=date)
    assert {name: [run.id for run in runs] for name, runs in found.items()} == {
        "classloading-12ms": [ours[3].id],
        "references-strong": [ours[2].id, ours[4].id],
    }
    assert archive.started(ours[2]) == date
    assert pq.read_table(directory / RUNS)["started"].to_pylist()[:2] == [
        datetime(2026, 1, 1, 0, 0, second, tzinfo=UTC) for second in (4, 1)
    ]
    with pytest.raises(ValueError, match="the id of run odd does not contain the time of its start"):
        archive.started(replace(ours[0], id="odd"))


def test_a_property_that_a_run_lacks_is_null_and_comes_back_as_lacking(tmp_path):
    less = recorded(2)
    less = replace(less, properties=less.properties[1:], values=less.values[:, 1:], nan_reasons={})
    directory = packed(tmp_path, [recorded(1), less])
    column = pq.read_table(directory / SAMPLES)["jvm.memory.used[G1 Eden Space]"].to_pylist()
    assert column == [1e6, 2.5e6, 0.1 + 0.2, None, None, None]
    found = archive.load(directory, "parallel")["references-strong"]
    assert [len(run.properties) for run in found] == [3, 2]


def test_names_that_begin_with_another_name_stay_apart(tmp_path):
    names = ("a", "a.b", "a.b.c", "run", "time_s")
    run = replace(recorded(1), properties=tuple(map(Property, names)), values=np.arange(15.0).reshape(3, 5))
    found = archive.load(packed(tmp_path, [run]), "parallel")["references-strong"].runs[0]
    assert_same(found, archive.published(run))


def test_the_same_runs_give_the_same_bytes(tmp_path):
    ours = [recorded(1), recorded(2, WEAK), recorded(3, ON_G1)]
    assert archive.pack(stored(tmp_path / "a", ours)) == archive.pack(stored(tmp_path / "b", ours[::-1]))


@pytest.mark.parametrize(
    ("test", "metadata", "fault"),
    [
        (STRONG, {"jvm.input.arguments": "-Xmx1g"}, "jvm.input.arguments is '-Xmx1g' or missing"),
        (WEAK, {"jvm.vm.version": "21"}, "jvm.vm.version is '17' or '21'"),
        (ON_G1, {"host.cpu.model": "B"}, "host.cpu.model is '?[AB]'? or '?[AB]'?"),
    ],
)
def test_runs_of_unlike_machines_or_jvms_are_not_combined(tmp_path, test, metadata, fault):
    odd = recorded(2, test, metadata=MACHINE | metadata)
    with pytest.raises(JudgeError, match=fault):
        archive.pack(stored(tmp_path / "odd", [recorded(1), odd]))
    archive.pack(stored(tmp_path / "starved", [recorded(1), replace(odd, quality=STARVED)]))


def test_variants_may_be_started_in_different_ways(tmp_path):
    ours = [recorded(1), recorded(2, WEAK, metadata={**MACHINE, "jvm.input.arguments": "-Xmx1g"})]
    assert len(archive.load(packed(tmp_path, ours), "parallel")) == 2


def test_a_store_without_runs_or_of_other_tests_is_refused(tmp_path):
    with pytest.raises(BadFileError, match="holds no runs"):
        archive.pack(RunStore(tmp_path))
    with pytest.raises(BadFileError, match="got 'leaker'"):
        archive.pack(stored(tmp_path, [recorded(1), recorded(2, "leaker")]))


def test_a_newer_set_is_refused_by_its_version(tmp_path, monkeypatch):
    with monkeypatch.context() as later:
        later.setattr(parquet, "VERSION", 2)
        directory = packed(tmp_path, [recorded(1)])
    with pytest.raises(BadFileError, match="it has version 2, this buto reads up to 1"):
        archive.load(directory, "parallel")


@pytest.mark.parametrize("name", [RUNS, SAMPLES, NOTIFICATIONS])
@pytest.mark.parametrize("damage", ["gone", "cut", "not Parquet", "of another set", "one bit"])
def test_a_damaged_file_is_named(tmp_path, name, damage):
    directory = packed(tmp_path, [recorded(1)])
    place = directory / name
    content = place.read_bytes()
    if damage == "gone":
        place.unlink()
    elif damage == "of another set":
        other = packed(tmp_path / "other", [recorded(2, values=np.ones((3, 3)), notifications=())])
        place.write_bytes((other / name).read_bytes())
        # Of the table of runs the others are not: then one of them is named.
        name = NOTIFICATIONS if name == RUNS else name
    elif damage == "one bit" and name != RUNS:
        place.write_bytes(content[:40] + bytes([content[40] ^ 1]) + content[41:])
    else:
        place.write_bytes(b"not Parquet" if damage == "not Parquet" else content[: len(content) // 2])
    with pytest.raises(BadFileError) as caught:
        archive.load(directory, "parallel")
    assert caught.value.message.startswith(f"{directory / name} cannot be read: ")


def test_writing_again_replaces_and_a_place_that_cannot_be_written_is_named(tmp_path):
    directory = packed(tmp_path, [recorded(1)])
    write(directory, archive.pack(stored(tmp_path, [recorded(2)])))
    assert len(archive.load(directory, "parallel")["references-strong"]) == 2
    assert sorted(path.name for path in directory.iterdir()) == [NOTIFICATIONS, RUNS, SAMPLES]
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="file"):
        write(tmp_path / "file" / "set", archive.pack(stored(tmp_path, [])))
