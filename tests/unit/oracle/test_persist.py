import errno
import json
import os
import signal
from hashlib import sha256

import pytest

from buto.errors import EXIT_BAD_FILE, BadFileError, StorageError
from buto.judging.judge_settings import CALIBRATED
from buto.judging.thesis.detector import THESIS
from buto.oracle import check, load, numbers, save, train
from buto.oracle.numbers import pack
from buto.oracle.text import to_text
from buto.run.files import publish_file
from buto.run.model import run_set
from perf.fuzz.examples import rewrite, whole
from tests.support.runs.signals import made, make_run, program_run, program_runs


@pytest.fixture(scope="module", params=[CALIBRATED, THESIS], ids=lambda settings: settings.method)
def settings(request):
    return request.param


@pytest.fixture(scope="module")
def oracle(settings):
    return train(program_runs(1, 5), settings, target={"command": ["java", "Main"]})


@pytest.fixture
def path(tmp_path, oracle):
    path = tmp_path / "oracles" / "program.json"
    save(path, oracle)
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


def edit_numbers(path, change):
    """As somebody would who also changes their digest."""
    data = whole(path)
    change(data)
    rewrite(path, data)


def beside(path):
    return path.with_name(f"{path.stem}.{whole(path)['checksums']['numbers']}.numbers")


def test_the_text_is_small_and_the_numbers_are_beside_it(path):
    text = path.read_text()
    assert len(text) < 3000
    lines = [line.strip() for line in text.splitlines()]
    assert '"version": 6,' in lines
    assert text.endswith("}\n")
    assert {inner.name for inner in path.parent.iterdir()} == {path.name, beside(path).name}
    names = [block["name"] for block in whole(path)["model"]["properties"]]
    assert names == sorted(names)


def test_constants_take_one_number(tmp_path):
    path = tmp_path / "constant.json"
    save(path, train(made(5, lambda number: [812.0] * 40)))
    model = whole(path)["model"]
    (block,) = model["properties"]
    assert model["envelope"]["curves"] == {"jvm.class.count": [812, 812, 812, 0]}
    assert block["features"] == {"largest": 812, "last": 812}


CUT = "its content is not what its name says: it is cut, or of another oracle"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda file: file.unlink(), "it is missing"),
        (lambda file: file.write_bytes(b""), CUT),
        (lambda file: file.write_bytes(file.read_bytes()[:-1]), CUT),
        (lambda file: file.write_bytes(pack("{}")[1]), CUT),
    ],
    ids=["missing", "empty", "cut", "of another oracle"],
)
def test_numbers_that_are_missing_or_others_are_named_with_the_way_out(path, change, fault):
    file = beside(path)
    change(file)
    with pytest.raises(BadFileError) as caught:
        load(path)
    assert caught.value.exit_code == EXIT_BAD_FILE
    assert caught.value.message == (
        f"the oracle {path} lacks its numbers, which are committed beside it: {file}: {fault}"
    )
    assert caught.value.advice == (
        f"restore it (git checkout {file}), or train again: buto train synthetic --oracle {path}"
    )


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"much", "it cannot be unpacked"),
        (pack("{}" + " " * 10_000)[1][:-30], "it is cut off"),
        (pack("[]")[1], "it is not marked as a buto-numbers"),
        (pack('{"format": "buto-numbers", "version": 2}')[1], "it is of version 2; this buto reads 1"),
        (pack("{")[1], "Expecting property name"),
    ],
)
def test_numbers_of_another_kind_are_refused_also_if_the_text_names_them(path, content, fault):
    digest = sha256(content).hexdigest()[:16]
    path.with_name(f"program.{digest}.numbers").write_bytes(content)
    edit(path, lambda data: data["checksums"].update(numbers=digest))
    refused(path, fault)


@pytest.mark.parametrize("digest", ["../x", "0" * 15, "", 7, None, ["0" * 16]])
def test_numbers_are_read_beside_the_oracle_only(path, digest):
    edit(path, lambda data: data["checksums"].update(numbers=digest))
    refused(path, f"its checksums do not name its numbers: {digest!r} is not 16 hexadecimal digits")


def test_a_new_oracle_removes_the_numbers_that_no_oracle_names(path):
    kept = [path.with_name(f"other.{'0' * 16}.numbers"), path.with_name("program.csv.numbers")]
    lost = path.with_name(f"program.{'0' * 16}.numbers")
    for inner in (*kept, lost):
        inner.write_bytes(b"")
    old = beside(path)
    save(path, train(program_runs(2, 5)))
    assert not old.exists() and not lost.exists()
    assert {inner.name for inner in path.parent.iterdir()} == {
        path.name,
        beside(path).name,
        *(inner.name for inner in kept),
    }
    assert load(path).test == "synthetic"


@pytest.mark.parametrize("written", [1, 2])
def test_a_writer_that_is_killed_leaves_an_oracle_with_its_numbers(path, written):
    """Between the two files, and before the old numbers go: the text is there with what it names."""
    before = whole(path)["runs"]
    new = train(program_runs(7, 6))

    def killed(place, content):
        nonlocal written
        publish_file(place, content)
        written -= 1
        if not written:
            os.kill(os.getpid(), signal.SIGKILL)

    process = os.fork()
    if not process:
        numbers.publish_file = killed
        save(path, new, ())
        os._exit(1)
    assert os.WTERMSIG(os.waitpid(process, 0)[1]) == signal.SIGKILL
    assert list(load(path).run_ids) == (before if written == 1 else list(new.run_ids))
    assert len(list(path.parent.glob("*.numbers"))) == 2
    save(path, new, ())
    assert load(path).run_ids == new.run_ids
    assert len(list(path.parent.glob("*.numbers"))) == 1


def test_an_older_file_is_refused_with_the_command_that_makes_a_new_one(path):
    edit(path, lambda data: data.update(version=4, model={}))
    with pytest.raises(BadFileError, match="is of version 4; this buto reads version 6") as caught:
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
        f"keep one side (git checkout --ours {path}), then train again: buto train synthetic --oracle {path}"
    )


def gone(key):
    return lambda data: data.pop(key)


def given(**values):
    return lambda data: data.update(values)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        *((gone(key), f"'{key}' is missing") for key in ("test", "target", "judge", "warnings")),
        (gone("checksums"), "its checksums do not name its numbers"),
        (given(checksums=7), "its checksums do not name its numbers"),
        *((given(version=value), "version") for value in (0, -1, "1", None, 1.0, True)),
        (given(version=7), "of version 7; this buto reads version 6"),
        (lambda data: data["judge"].update(preset="crystal-ball"), "preset is gone"),
        (lambda data: data["judge"].update(method="crystal-ball"), "crystal-ball"),
        (lambda data: data["judge"].update({"crystal-ball": "crystal-ball"}), "crystal-ball"),
    ],
)
def test_what_is_damaged_in_the_text_is_named(path, change, fault):
    edit(path, change)
    refused(path, fault)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        *(
            (gone(key), f"'{key}' is missing")
            for key in ("runs", "environment", "environment_varying", "model")
        ),
        (given(foreign_load=10**400), "too large"),
        (given(runs=[]), "'runs'"),
    ],
)
def test_what_is_damaged_in_the_numbers_is_named(path, change, fault):
    edit_numbers(path, change)
    refused(path, fault)


def test_edited_settings_hold_and_every_verdict_says_so(path, settings):
    key, value = ("alpha", 0.4) if settings is CALIBRATED else ("deviations", 90.0)
    edit(path, lambda data: data["judge"].get("thesis", data["judge"]).update({key: value}))
    oracle = load(path)
    assert oracle.settings.own()[key] == value
    warning = "the oracle's settings (judge) were edited by hand after training; they hold for this verdict"
    assert check(oracle, run_set([program_run(1, 50)])).warnings == (warning,)


@pytest.mark.parametrize(("key", "value"), [("changed", {"a": "b"}), ("warnings", ["all is well"])])
def test_what_only_people_read_may_be_edited_and_that_is_reported(path, key, value):
    edit(path, given(**{key: value}))
    warning = "what the oracle says for people was edited by hand; no verdict depends on it"
    assert check(load(path), run_set([program_run(1, 50)])).warnings == (warning,)


def test_layout_and_the_program_may_be_edited(path):
    edit(path, lambda data: data.update(target={"command": ["java", "Other"]}))
    oracle = load(path)
    assert oracle.edits == ()
    assert oracle.target == {"command": ["java", "Other"]}


@pytest.mark.parametrize("settings", [THESIS], ids=["thesis"], indirect=True, scope="module")
def test_limits_the_wrong_way_round_are_refused(path):
    edit_numbers(path, lambda data: data["model"]["properties"][0].update(expected=1, lower=1e12, upper=2))
    refused(path, "above its upper one")


def test_arrays_of_another_length_are_refused(path, settings):
    def longer(data):
        model = data["model"]
        (model["times_s"] if settings is THESIS else model["duration_s"]["total"]).append(99)

    edit_numbers(path, longer)
    refused(path, "are not 35 numbers" if settings is THESIS else "are not 5 numbers")


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"version": 7}, "synthetic"),
        ({"judge": None}, "synthetic"),
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
    before = {file: file.read_bytes() for file in path.parent.iterdir()}

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="No space left on device") as caught:
        save(path, train(program_runs(2, 5)))
    assert caught.value.advice is not None
    assert {file: file.read_bytes() for file in path.parent.iterdir()} == before


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


def test_what_killed_writers_have_left_beside_an_oracle_is_removed_and_nothing_else(path):
    left = [
        path.with_name(f".program.json.{'0' * 8}.tmp"),
        path.with_name(f".program.{'1' * 16}.numbers.{'a' * 8}.tmp"),
    ]
    others = [path.with_name(f".other.json.{'0' * 8}.tmp"), path.with_name(".program.json.swp")]
    for inner in (*left, *others):
        inner.write_bytes(b"")
        os.utime(inner, (0, 0))
    young = path.with_name(f".program.json.{'2' * 8}.tmp")
    young.write_bytes(b"")
    save(path, train(program_runs(2, 5)))
    assert not any(inner.exists() for inner in left)
    assert all(other.exists() for other in (*others, young))


@pytest.mark.parametrize("line", ["[" + "0.123456789," * 4_000_000 + "0]", "[" + "0," * 8_000_000 + "0]"])
def test_numbers_that_would_not_be_read_are_not_written(path, monkeypatch, line):
    before = path.read_text()
    with pytest.raises(ValueError, match=r"are possible|more values"):
        pack(line)
    monkeypatch.setattr(numbers, "MAX_BYTES", 100)
    with pytest.raises(StorageError, match="are possible"):
        save(path, train(program_runs(3, 5)))
    assert path.read_text() == before
