"""The bed's runs as a data set: round trips, what is left out, the two parts, damage, the golden file."""

import os
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from buto.errors import BadFileError
from buto.run.model import Problem, ProblemKind, Quality
from buto.run.properties import Property, Role
from buto_replications.bed import archive, tables
from buto_replications.bed import archive as index
from buto_replications.bed.archive import CONSTANTS, NOTIFICATIONS, PROPERTIES, SAMPLES
from buto_replications.bed.labels import (
    Labels,
    RunBlock,
    chosen,
    published,
    together,
    without_directories,
    without_node,
)
from buto_replications.dataset.archive import RUNS, write
from replications.tests.support.bed import IN_WINDOW, bed_run, bed_store
from tests.support.checkout import ROOT
from tests.support.runs.examples import assert_same

GOLDEN = ROOT / "replications" / "tests" / "golden" / "bed"
BUSY = {"role": "fault", "fault": "busy-high", "more": 1.5}
INVALID = Quality((Problem(ProblemKind.BUSY_HOST, "the machine was busy"),))


def packed(root, *runs):
    for part, packed_part in archive.pack(bed_store(root / "store", *runs)).items():
        write(root / "set" / part.directory, packed_part.files)
    return root / "set"


def in_order_of_names(run):
    """Return a run with its properties in the order in which a data set has them."""
    columns = sorted(range(len(run.properties)), key=lambda column: run.properties[column].name)
    properties = tuple(run.properties[column] for column in columns)
    return replace(run, properties=properties, values=np.ascontiguousarray(run.values[:, columns]))


def test_runs_come_back_cut_to_their_window_with_labels_beside_them(tmp_path):
    ours = [bed_run(1), bed_run(2, **BUSY), bed_run(3, environment="serial")]
    found = archive.load(packed(tmp_path, *reversed(ours)))
    assert [run.run.id for run in found] == [run.id for run in ours]
    assert [run.labels for run in found] == [
        Labels("base", "good", "none", "20-40"),
        Labels("base", "fault", "busy-high", "20-40"),
        Labels("serial", "good", "none", "20-40"),
    ]
    for loaded, run in zip(found, ours, strict=True):
        expected = in_order_of_names(published(run))
        assert loaded.run.values.shape == (IN_WINDOW, 8)
        assert_same(replace(loaded.run, values=expected.values), expected)
        np.testing.assert_allclose(loaded.run.values, expected.values, rtol=1e-7)
        whole = [prop.unit in ("By", "{answer}/s", "1") for prop in expected.properties]
        assert loaded.run.values[:, whole].tobytes() == expected.values[:, whole].tobytes()


def test_only_the_window_is_kept_without_what_names_machines_or_tells_the_fault():
    kept = published(bed_run(7, **BUSY))
    assert [mark.name for mark in kept.marks if mark.time_s < 0] == ["main", "load.start"]
    assert kept.series("jvm.memory.allocated")[0] == 0.0
    assert set(kept.nan_reasons) == {"process.cpu.cycles", "load.latency.p50[search]"}
    assert dict(kept.metadata) == {
        "host.cores": 2,
        "jvm.input.arguments": "-Xmx64m -Dhome=conf -Durl=http://127.0.0.1/realms",
        "environment.name": "base",
        "environment.label.java": "17",
        "buto.window": "load.start + 1.5s to load.end",
    }
    assert "metrics.calls_total[cache=users]" in kept.column_of
    assert all(prop.role is Role.PROGRAM for prop in kept.properties)
    assert not {"jvm.class.count", "jvm.memory.used[Metaspace]"} & set(kept.column_of)
    assert (kept.stdout, kept.stderr, kept.outputs) == (b"", b"", {})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a[cache=users,node=vm-1]", "a[cache=users]"),
        ("a[cache=users,node=vm-1,outcome=hit]", "a[cache=users,outcome=hit]"),
        ("a[node=vm-1,outcome=hit]", "a[outcome=hit]"),
        ("a[node=vm-1]", "a"),
        ("a[anode=1]", "a[anode=1]"),
        ("node=b", "node=b"),
    ],
)
def test_the_name_of_the_node_is_taken_out_of_labels(name, expected):
    assert without_node(name) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-javaagent:/opt/a b/x.jar", "-javaagent:a b/x.jar"),
        ("/usr/lib/jvm/java-17/bin/java", "java"),
        ("jdbc:postgresql://127.0.0.1:5544/keycloak", "jdbc:postgresql://127.0.0.1:5544/keycloak"),
        ("ISO, MDY", "ISO, MDY"),
        (17, 17),
    ],
)
def test_paths_keep_their_last_part(text, expected):
    assert without_directories(text) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.0, 1.0, 2.0**24], True),
        ([0.0, 1.0, 2.0**24 + 1], False),
        ([1.1, 2.2, 3.3], True),
        ([1e9 + 0.25, 1e9 + 0.5, 1e9 + 1.5], False),
        ([1e300, 2.5e300], False),
        ([np.nan, np.nan], True),
        ([np.nan, 0.1, 0.2], True),
        ([1.1, 1.1], False),
        ([np.inf, 0.5], False),
        (None, True),
    ],
)
def test_32_bits_are_used_where_they_are_exact_enough(values, expected):
    assert tables.fits_32_bits(values if values is None else np.array(values)) is expected


@pytest.mark.slow
@given(st.data())
def test_tables_keep_any_values_as_exactly_as_they_promise(data):
    lengths = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    run_ids = [f"run-{number}" for number in range(len(lengths))]
    times_s = [np.arange(length) * 0.5 for length in lengths]
    floats = st.floats(width=64) | st.integers(-(2**26), 2**26).map(float)
    columns = {
        name: [
            data.draw(st.none() | arrays.arrays(np.float64, length, elements=floats)) for length in lengths
        ]
        for name in ("a", "a.b", "run")
    }
    constant = {name: of for name, of in columns.items() if all(map(tables.is_constant, of))}
    varying = {name: of for name, of in columns.items() if name not in constant}
    content = tables.samples_to_parquet(run_ids, times_s, varying)
    found_s, found = tables.samples_from_parquet(content, lengths)
    assert [value.tobytes() for value in found_s] == [value.tobytes() for value in times_s]
    kept = tables.constants_from_parquet(tables.constants_to_parquet(run_ids, constant), run_ids)
    assert (set(found), set(kept)) == (set(varying), set(constant))
    for name, of in columns.items():
        exact = not all(map(tables.fits_32_bits, of)) or name in constant
        for number, column in enumerate(of):
            other = (kept if name in constant else found)[name][number]
            if column is None:
                assert other is None
                continue
            assert other is not None
            values = np.broadcast_to(other, column.shape)
            allowed = 0.0 if exact else tables.EXACT_SHARE * float(np.nanstd(column))
            np.testing.assert_allclose(values, column, rtol=0.0, atol=allowed)


def test_a_property_that_is_constant_in_each_run_is_stored_once(tmp_path):
    directory = packed(tmp_path, bed_run(1), bed_run(2, more=2.0)) / "tuning"
    constants = pq.read_table(directory / CONSTANTS).to_pydict()
    heap = constants["property"].index("jvm.memory.heap.used_after_last_gc")
    assert [of[heap] for of in list(constants.values())[1:]] == [4096e3, 8192e3]
    assert set(pq.read_table(directory / SAMPLES).column_names) == {
        "run",
        "time_s",
        "jvm.cpu.time",
        "jvm.memory.allocated",
        "load.throughput[search]",
        "load.latency.p50[search]",
        "metrics.calls_total[cache=users]",
    }


def test_large_counters_have_64_bits_and_count_from_the_window(tmp_path):
    schema = pq.read_schema(packed(tmp_path, bed_run(1)) / "tuning" / SAMPLES)
    assert str(schema.field("jvm.memory.allocated").type) == "double"
    assert str(schema.field("metrics.calls_total[cache=users]").type) == "float"
    assert str(schema.field("jvm.cpu.time").type) == "float"


def test_a_property_that_a_run_lacks_comes_back_as_lacking(tmp_path):
    less = bed_run(2)
    less = replace(less, properties=less.properties[1:8], values=less.values[:, 1:8])
    first, second = archive.load(packed(tmp_path, bed_run(1), less))
    assert set(first.run.column_of) - set(second.run.column_of) == {
        "jvm.cpu.time",
        "process.cpu.cycles",
        "metrics.calls_total[cache=users]",
    }
    assert pq.read_table(tmp_path / "set" / "tuning" / SAMPLES)["jvm.cpu.time"].null_count == IN_WINDOW


def test_runs_that_are_set_apart_are_loaded_only_if_asked_for(tmp_path):
    directory = packed(tmp_path, bed_run(1), bed_run(2, block=2), bed_run(3))
    assert [run.run.test[:2] for run in archive.load(directory)] == ["b1", "b1"]
    assert [run.run.test[:2] for run in archive.load(directory, part="set apart")] == ["b2"]
    assert archive.parts(directory) == {RunBlock.TUNING: 2, RunBlock.SET_APART: 1}
    (directory / "tuning").rename(directory / "before")
    (directory / "set-apart").rename(directory / "tuning")
    with pytest.raises(BadFileError, match="its part must be 'tuning', got 'set apart'"):
        archive.load(directory)


def test_packing_one_block_leaves_the_other_part_as_it_is(tmp_path):
    directory = packed(tmp_path / "first", bed_run(1))
    before = {path: path.read_bytes() for path in directory.rglob("*.parquet")}
    for part, packed_part in archive.pack(bed_store(tmp_path / "second", bed_run(1, block=2))).items():
        write(directory / part.directory, packed_part.files)
    assert archive.parts(directory) == {RunBlock.TUNING: 1, RunBlock.SET_APART: 1}
    assert all(path.read_bytes() == content for path, content in before.items())


def test_invalid_runs_are_left_out_and_named(tmp_path):
    busy = replace(bed_run(2), quality=INVALID)
    packed_index = archive.pack(bed_store(tmp_path, bed_run(1), busy))[RunBlock.TUNING]
    assert packed_index.n_runs == 1
    assert packed_index.left_out == {busy.id: "the machine was busy"}


@pytest.mark.parametrize(
    ("run", "fault"),
    [
        (bed_run(1, metadata={}), "is no run of the bed: it has no environment.label.bed.block"),
        (bed_run(1, block=4), "the label bed.block must be 1 or 2 or 3, got '4'"),
        (replace(bed_run(1), marks=()), "has no window"),
        (replace(bed_run(1), quality=INVALID), "holds no usable runs"),
    ],
)
def test_a_store_of_other_runs_is_refused(tmp_path, run, fault):
    with pytest.raises(BadFileError, match=fault):
        archive.pack(bed_store(tmp_path, run))


def test_a_property_that_two_runs_describe_differently_is_refused(tmp_path):
    other = bed_run(2)
    odd = Property("jvm.cpu.time", "ms")
    with pytest.raises(BadFileError, match="jvm.cpu.time is described differently in the run 2026"):
        archive.pack(bed_store(tmp_path, bed_run(1), replace(other, properties=(odd, *other.properties[1:]))))


def test_the_same_runs_give_the_same_bytes(tmp_path):
    ours = [bed_run(1), bed_run(2, **BUSY)]
    first_pack = archive.pack(bed_store(tmp_path / "a", *ours))
    assert first_pack == archive.pack(bed_store(tmp_path / "b", *reversed(ours)))


def test_a_newer_set_is_refused_by_its_version(tmp_path, monkeypatch):
    with monkeypatch.context() as later:
        later.setattr(index, "VERSION", 2)
        directory = packed(tmp_path, bed_run(1))
    with pytest.raises(BadFileError, match="it has version 2, this buto reads up to 1"):
        archive.load(directory)


@pytest.mark.parametrize("name", [RUNS, PROPERTIES, SAMPLES, CONSTANTS, NOTIFICATIONS])
@pytest.mark.parametrize("damage", ["gone", "cut", "not Parquet", "of another set"])
def test_a_damaged_file_is_named(tmp_path, name, damage):
    place = packed(tmp_path, bed_run(1)) / "tuning" / name
    match damage:
        case "gone":
            place.unlink()
        case "cut":
            place.write_bytes(place.read_bytes()[:-20])
        case "not Parquet":
            place.write_bytes(b"not Parquet")
        case _:
            other = bed_run(2, notifications=(), properties=(Property("a"),), values=np.arange(12.0)[:, None])
            place.write_bytes((packed(tmp_path / "other", other) / "tuning" / name).read_bytes())
    # Of another table of runs, it is the first of the other files that is named.
    named = PROPERTIES if (name, damage) == (RUNS, "of another set") else name
    with pytest.raises(BadFileError) as caught:
        archive.load(tmp_path / "set")
    assert caught.value.message.startswith(f"{place.with_name(named)} cannot be read: ")


def test_runs_are_chosen_by_their_labels_and_become_a_set(tmp_path):
    found = archive.load(packed(tmp_path, bed_run(1), bed_run(2, **BUSY), bed_run(3, environment="serial")))
    assert [run.run.test for run in chosen(found, environment="base", fault="none")] == ["b1-base-good-1"]
    assert [run.labels.fault for run in chosen(found, role="fault", load="20-40")] == ["busy-high"]
    assert chosen(found, load="60") == ()
    assert chosen(found) == found
    ours = together(chosen(found, environment="base"))
    assert ([run.test for run in ours], len(ours.properties)) == (["keycloak", "keycloak"], 8)


def test_files_of_version_1_stay_readable(tmp_path):
    """Written with BUTO_WRITE_GOLDEN=1, by the first version; a later version gets a folder of its own."""
    ours = [bed_run(1), bed_run(2, **BUSY), bed_run(3, environment="serial")]
    if os.environ.get("BUTO_WRITE_GOLDEN"):
        packed_parts = archive.pack(bed_store(tmp_path, *ours))
        write(GOLDEN / "v1" / "tuning", packed_parts[RunBlock.TUNING].files)
    found = archive.load(GOLDEN / "v1")
    assert [run.labels.fault for run in found] == ["none", "busy-high", "none"]
    for loaded, run in zip(found, ours, strict=True):
        expected = in_order_of_names(published(run))
        assert_same(replace(loaded.run, values=expected.values), expected)
        np.testing.assert_allclose(loaded.run.values, expected.values, rtol=1e-7)
