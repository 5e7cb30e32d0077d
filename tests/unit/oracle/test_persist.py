import errno
import json
import os

import pytest

from buto.errors import EXIT_BAD_FILE, BadFileError, StorageError
from buto.judging.calibrated.settings import CALIBRATED
from buto.judging.thesis.detector import THESIS
from buto.oracle import check, load, save, train
from buto.oracle.file import to_text
from buto.run.model import run_set
from tests.support.runs.signals import Program, made, make_run, program_run, program_runs


@pytest.fixture(params=[CALIBRATED, THESIS], ids=lambda one: one.method)
def settings(request):
    return request.param


@pytest.fixture
def path(tmp_path, settings):
    path = tmp_path / "oracles" / "program.json"
    save(path, train(program_runs(1, 5), settings, target={"command": ["java", "Main"]}))
    return path


def refused(path, fault):
    with pytest.raises(BadFileError) as caught:
        load(path)
    assert fault in caught.value.message
    assert str(path) in caught.value.message
    assert caught.value.advice is not None
    assert caught.value.exit_code == EXIT_BAD_FILE


def edit(path, change):
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data, indent=4))


def test_a_file_is_small_and_can_be_read(path):
    text = path.read_text()
    assert len(text) < 15_000
    assert max(map(len, text.splitlines())) < 2000
    lines = [line.strip() for line in text.splitlines()]
    assert '"version": 3,' in lines
    assert sum('"name": "jvm.class.count",' in line for line in lines) == 1
    assert text.endswith("}\n")
    names = [block["name"] for block in json.loads(text)["model"]["properties"]]
    assert names == sorted(names)


def test_constants_take_one_number(tmp_path):
    path = tmp_path / "constant.json"
    save(path, train(made(5, lambda number: [812.0] * 40)))
    model = json.loads(path.read_text())["model"]
    (block,) = model["properties"]
    assert model["envelope"]["curves"] == {"jvm.class.count": [812, 812, 812, 0]}
    assert block["features"] == [812, 812, 812, 812, 0, 0, 812, 812, 812, 812, 812, 0]
    assert '"features": [812, ' in path.read_text()


def test_a_change_of_one_property_changes_its_line_only(tmp_path):
    def lines(threads):
        runs = [
            make_run(
                number,
                range(20),
                {"jvm.class.count": [900] * 20, "jvm.thread.started": [threads + number] * 20},
            )
            for number in range(5)
        ]
        save(tmp_path / "one.json", train(run_set(runs), THESIS))
        return (tmp_path / "one.json").read_text().partition('"model"')[2].splitlines()

    one, other = lines(500.0), lines(700.0)
    changed = [number for number, (line, was) in enumerate(zip(other, one, strict=True)) if line != was]
    assert changed == [number for number, line in enumerate(one) if "jvm.thread.started" in line]
    assert len(changed) == 1


def test_a_line_for_each_property_says_what_changed(path, settings, tmp_path):
    """The model's many numbers change with every training; a reviewer reads these lines."""
    save(tmp_path / "other.json", train(program_runs(1, 5, Program(threads=30)), settings))
    one, other = (json.loads(file.read_text())["summary"] for file in (path, tmp_path / "other.json"))
    assert [subject for subject in one if one[subject] != other[subject]] == ["jvm.thread.count"]
    assert one["jvm.memory.heap.committed"].startswith("mean 128 MiB")
    assert one.keys() >= {prop["name"] for prop in json.loads(path.read_text())["model"]["properties"]}


def test_an_older_file_is_refused_with_the_command_that_makes_a_new_one(path):
    edit(path, lambda data: data.update(version=2, judge={"preset": "sustained"}))
    with pytest.raises(BadFileError, match="is of version 2; this buto reads version 3") as caught:
        load(path)
    assert caught.value.advice == f"train again: buto train synthetic --oracle {path}"


def test_a_missing_file_says_what_to_type(tmp_path):
    refused(tmp_path / "leaker.json", "there is no oracle")
    with pytest.raises(BadFileError) as caught:
        load(tmp_path / "leaker.json")
    assert caught.value.advice == f"buto train NAME --oracle {tmp_path / 'leaker.json'}"


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[1]", b"null", b'{"format": "other"}', b"[" * 100_000, None]
)
def test_what_is_not_an_oracle_or_half_of_one_is_refused(path, content):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2] if content is None else content)
    refused(path, "damaged")


def test_a_merge_conflict_is_refused_with_its_line_and_the_way_out(path):
    lines = path.read_text().splitlines()
    sides = ["<<<<<<< HEAD", lines[5], "=======", lines[5], ">>>>>>> other"]
    path.write_text("\n".join([*lines[:5], *sides, *lines[6:]]))
    refused(path, "is in a merge conflict, see line 6")
    with pytest.raises(BadFileError) as caught:
        load(path)
    assert caught.value.advice == (
        f"keep one side (git checkout --ours {path} or git checkout --theirs {path}), "
        f"then accept the merged program: buto accept synthetic --oracle {path}"
    )


CONTRADICTION = "it contradicts itself"


def gone(key):
    return lambda data: data.pop(key)


def given(**values):
    return lambda data: data.update(values)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        *((gone(key), f"'{key}' is missing") for key in ("test", "target", "judge", "runs", "environment")),
        *((gone(key), f"'{key}' is missing") for key in ("model", "checksums")),
        *((given(version=one), "version") for one in (0, -1, "1", None, 1.0, True)),
        (given(version=7), "of version 7; this buto reads version 3"),
        (given(foreign_load=10**400), "too large"),
        (lambda data: data["judge"].update(preset="crystal-ball"), "preset is gone"),
        (lambda data: data["judge"].update(method="crystal-ball"), "crystal-ball"),
        (lambda data: data["judge"].update({"crystal-ball": "crystal-ball"}), "crystal-ball"),
        (lambda data: data["runs"].pop(), CONTRADICTION),
        (lambda data: data["environment"].update({"host.cores": 64}), CONTRADICTION),
        (lambda data: data["environment_varying"].append("host.cores"), CONTRADICTION),
        (given(foreign_load=0.9), CONTRADICTION),
        (lambda data: data["model"]["properties"][0].update(lower=-1e9), CONTRADICTION),
        (lambda data: data["checksums"].update(learned="0" * 16), CONTRADICTION),
    ],
)
def test_what_is_damaged_or_was_edited_in_what_was_learned_is_named(path, change, fault):
    edit(path, change)
    refused(path, fault)


def test_edited_settings_hold_and_every_verdict_says_so(path, settings):
    key, value = ("alpha", 0.4) if settings is CALIBRATED else ("deviations", 90.0)
    edit(path, lambda data: data["judge"].get("thesis", data["judge"]).update({key: value}))
    oracle = load(path)
    assert oracle.settings.own()[key] == value
    warning = "the oracle's settings (judge) were edited by hand after training; they hold for this verdict"
    assert check(oracle, run_set([program_run(1, 50)])).warnings == (warning,)


@pytest.mark.parametrize("key", ["summary", "warnings"])
def test_an_edited_summary_is_harmless_and_reported(path, key):
    edit(path, lambda data: data.update({key: {} if key == "summary" else ["all is well"]}))
    warning = "the oracle's summary was edited by hand; no verdict depends on it"
    assert check(load(path), run_set([program_run(1, 50)])).warnings == (warning,)


def test_layout_and_the_program_may_be_edited(path):
    edit(path, lambda data: data.update(target={"command": ["java", "Other"]}))
    oracle = load(path)
    assert oracle.edits == ()
    assert oracle.target == {"command": ["java", "Other"]}


def test_a_reviewer_reads_the_summary_first_and_numbers_last(path):
    keys = list(json.loads(path.read_text()))
    assert keys[:5] == ["format", "version", "test", "summary", "warnings"]
    assert keys[-2:] == ["checksums", "model"]


@pytest.mark.parametrize("settings", [THESIS], ids=["thesis"])
def test_limits_the_wrong_way_round_are_refused(path):
    edit(path, lambda data: data["model"]["properties"][0].update(expected=1, lower=1e12, upper=2))
    refused(path, "above its upper one")


def test_arrays_of_another_length_are_refused(path, settings):
    data = json.loads(path.read_text())
    model = data["model"]
    array, fault = (
        (model["times_s"], "are not 35 numbers")
        if settings is THESIS
        else (model["duration_s"]["total"], "are not 5 numbers")
    )
    array.append(99)
    path.write_text(json.dumps(data))
    refused(path, fault)


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"version": 7}, "synthetic"),
        ({"runs": None}, "synthetic"),
        ({"test": "a b", "version": 7}, "'a b'"),
        ({"test": 3, "version": 7}, "NAME"),
    ],
)
def test_the_test_is_called_as_the_file_says_and_not_as_the_file(path, changed, name):
    edit(path, given(**changed))
    with pytest.raises(BadFileError) as caught:
        load(path)
    assert caught.value.advice.endswith(f"buto train {name} --oracle {path}")


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "free some space, or name another place: --oracle FILE"),
        (errno.EPERM, "make it writable, or name another place: --oracle FILE"),
        (errno.EROFS, "make it writable, or name another place: --oracle FILE"),
        (errno.EFBIG, "raise the limit of file sizes (ulimit -f)"),
        (errno.EIO, "name another place: --oracle FILE"),
    ],
)
def test_the_advice_is_that_for_what_went_wrong(path, monkeypatch, number, advice):
    def fails(descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(StorageError, match=os.strerror(number)) as caught:
        save(path, train(program_runs(1, 5)))
    assert caught.value.advice == advice


def test_a_directory_that_cannot_be_written_leaves_the_old_file(path, monkeypatch):
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="No space left on device") as caught:
        save(path, train(program_runs(2, 5)))
    assert caught.value.advice is not None
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_file_in_the_way_of_the_directory_is_reported(tmp_path):
    (tmp_path / "oracles").write_text("not a directory")
    with pytest.raises(StorageError, match="cannot be written"):
        save(tmp_path / "oracles" / "a.json", train(program_runs(1, 5)))


def test_text_keeps_numbers_exact_and_short():
    data = {"whole": 812.0, "share": 0.1, "list": [1.0, 2.5, None], "empty": {}, "none": [], "word": "é"}
    text = to_text(data)
    assert json.loads(text) == data
    assert '"whole": 812,' in text
    assert '"list": [1, 2.5, null],' in text


def test_text_refuses_what_json_has_not():
    with pytest.raises(ValueError, match="Out of range"):
        to_text({"number": float("nan")})


@pytest.mark.parametrize("settings", [CALIBRATED, THESIS.with_value("smoothing", "none")])
def test_an_oracle_of_runs_of_unequal_length_can_be_read_again(tmp_path, settings):
    """Only the fastest run has a fourth sample, and it comes before the third ones of the others."""
    late = [make_run(n, [0, 0.1, 0.3 + n / 100], {"jvm.class.count": [800, 810, 820]}) for n in range(5)]
    early = make_run(5, [0, 0.1, 0.15, 0.2], {"jvm.class.count": [800, 810, 815, 820]})
    known = train(run_set([*late, early]), settings)
    path = tmp_path / "unequal.json"
    save(path, known)
    assert check(load(path), run_set([early])) == check(known, run_set([early]))
