"""Train and check from stored runs: the verdict, what is printed, what is written, the exit code."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import jsonschema
import pytest

from buto import schemas
from buto.cli.hints import DOOR
from buto.errors import StorageError
from perf.fuzz.examples import rewrite, whole
from tests.support.processes.command import buto, called
from tests.support.runs.qualities import starved
from tests.support.runs.stored import leaking_run, store

COMMAND = ("--", "java", "-cp", "app.jar", "Main$Inner", "${x}")
STARVED = starved()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with ten training runs, their oracle, a good run (20), and three that leak more."""
    directory = tmp_path_factory.mktemp("project")
    store(directory, *(leaking_run(number) for number in range(10)))
    done = called(directory, "train", "leaker", "--from-runs", "all", *COMMAND, exits=0)
    assert done.stdout.startswith("TRAINED  leaker: 10 runs, oracles/leaker.json\n")
    store(directory, leaking_run(20, purpose="check"))
    store(directory, *(leaking_run(number, leak=3.0, purpose="check") for number in (70, 71, 72)))
    return directory


def id_of(number: int) -> str:
    return leaking_run(number).id


def between(first: int, last: int) -> str:
    return ",".join(id_of(number) for number in range(first, last + 1))


LEAKING = between(70, 72)


def test_the_oracle_remembers_the_command_as_it_was_typed(trained: Path) -> None:
    target = json.loads((trained / "oracles" / "leaker.json").read_text())["target"]
    assert target == {"command": ["java", "-cp", "app.jar", "Main$Inner", "$${x}"]}


def test_an_unchanged_run_passes(trained: Path) -> None:
    done = buto(trained, "check", "leaker", "--from-runs", id_of(20))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("PASS  leaker: ")


def test_a_changed_run_is_a_regression_that_says_what_and_what_next(trained: Path) -> None:
    done = buto(trained, "check", "leaker", "--from-runs", LEAKING)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("REGRESSION  leaker: ")
    assert re.search(r"^  live heap  \+[\d.]+ MiB .*, worse: ", done.stdout, re.MULTILINE)
    assert "next: buto accept leaker" in done.stdout
    assert "\x1b" not in done.stdout
    assert len(done.stdout.splitlines()) <= 6
    whole = buto(trained, "check", "leaker", "--from-runs", LEAKING, "-v")
    assert "jvm.memory.heap.live" in whole.stdout
    assert any(f"next: buto runs show leaker {id_of(number)}" in whole.stdout for number in (70, 71, 72))


def test_one_changed_run_alone_never_fails_and_says_that_two_more_decide(trained: Path) -> None:
    done = buto(trained, "check", "leaker", "--from-runs", id_of(70))
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout.startswith("INCONCLUSIVE  leaker: ")
    assert "one run never fails alone: three decide together" in done.stdout
    assert "live heap" in done.stdout


def test_alpha_may_be_specified_for_one_check_and_for_an_oracle(trained: Path, tmp_path: Path) -> None:
    done = called(trained, "check", "leaker", "--from-runs", id_of(20), "--alpha", "0.2")
    assert "(alpha 0.2)" in done.stdout
    oracle = tmp_path / "other.json"
    done = called(
        trained,
        "train",
        "leaker",
        "--from-runs",
        "all",
        "--alpha",
        "0.1",
        "--oracle",
        str(oracle),
        *COMMAND,
        exits=0,
    )
    assert json.loads(oracle.read_text())["judge"]["alpha"] == 0.1
    done = called(trained, "check", "leaker", "--from-runs", id_of(20), "--alpha", "2", exits=2)
    assert "alpha: 2.0 is not a share of checks" in done.stderr


def test_the_result_as_json_follows_its_schema_and_says_the_same(trained: Path) -> None:
    called(trained, "check", "leaker", "--from-runs", LEAKING, "--json", "result.json", exits=1)
    result = json.loads((trained / "result.json").read_text())
    jsonschema.validate(result, schemas.load("result"))
    assert (result["command"], result["exit_code"]) == ("check", 1)
    assert [(test["test"], test["status"]) for test in result["tests"]] == [("leaker", "regression")]
    assert [run["id"] for run in result["tests"][0]["runs"]] == [id_of(number) for number in (70, 71, 72)]


def test_runs_of_another_jdk_are_not_judged(trained: Path) -> None:
    store(trained, leaking_run(22, purpose="check", **{"jvm.spec.version": "25"}))
    done = called(trained, "check", "leaker", "--from-runs", id_of(22), exits=3)
    assert done.stdout.startswith("INCONCLUSIVE  leaker")
    assert done.stdout.count("jvm.spec.version is '25'; it was '17' in training") == 1
    # Of a changed program that would bless what it uses now: how to get turns comes last, where -q shows it.
    *_, train_again, turns = [text for text in done.stdout.splitlines() if "next: " in text]
    assert train_again.startswith("  next: buto train leaker  # only with the program as it was")
    assert "program: {build: COMMAND}" in turns


def test_to_learn_another_environment_is_to_train_with_what_was_typed(trained: Path) -> None:
    store(trained, leaking_run(23, purpose="check", **{"jvm.spec.version": "25"}))
    typed = ("--collector", "jmx", "--mbean", "a:*", "--mbean", "b:*", "--", "java", "-jar", "new.jar")
    done = called(trained, "check", "leaker", "--from-runs", id_of(23), *typed)
    assert f"next: buto train leaker {shlex.join(typed)}  # only with the program as it was" in done.stdout


def test_a_training_that_replaces_an_oracle_says_what_moves(trained: Path, tmp_path: Path) -> None:
    project = Path(shutil.copytree(trained, tmp_path / "project"))
    for number in range(80, 90):
        store(project, leaking_run(number, leak=4.0))
    ids = f"{id_of(80)}..{id_of(89)}"
    done = called(project, "train", "leaker", "--from-runs", ids, "--", "java", "-jar", "app.jar", exits=0)
    assert "live heap" in done.stdout.partition("changed by more than runs vary")[2]
    again = called(project, "train", "leaker", "--from-runs", ids, "--", "java", "-jar", "app.jar", exits=0)
    assert "changed by more than runs vary" not in again.stdout


def test_after_a_change_of_buto_alone_the_program_as_it_was_is_trained(trained: Path) -> None:
    """The command that was typed may be that of a changed program."""
    runs = [
        leaking_run(number, test="aged", purpose="train", **{"buto.probe": "old"}) for number in range(40, 50)
    ]
    changed = leaking_run(50, test="aged", purpose="check", **{"buto.probe": "new"})
    store(trained, *runs, changed)
    which = f"{runs[0].id}..{runs[-1].id}"
    called(trained, "train", "aged", "--from-runs", which, *COMMAND, exits=0)
    typed = ("--", "java", "-jar", "changed.jar")
    done = called(trained, "check", "aged", "--from-runs", changed.id, *typed)
    assert "next: buto train aged  # the program as it was; replaces the oracle\n" in done.stdout


def test_a_change_for_the_better_fails_and_says_how_to_accept_it(trained: Path) -> None:
    store(trained, *(leaking_run(number, leak=0.0, purpose="check") for number in (24, 25, 26)))
    done = called(trained, "check", "leaker", "--from-runs", between(24, 26), exits=1)
    assert "CHANGED  leaker: " in done.stdout and "REGRESSION" not in done.stdout
    assert "next: buto accept leaker  # only for the better" in done.stdout


def test_in_a_build_what_is_better_is_drawn_by_the_page_of_the_check(
    trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DOOR, "gradle")
    store(trained, *(leaking_run(number, leak=0.0, purpose="check") for number in (44, 45, 46)))
    judged = ("--from-runs", between(44, 46))
    done = called(trained, "check", "leaker", *judged, "--html", "leaker.html", "-v", exits=1)
    accept, *others = (line for line in done.stdout.splitlines() if line.startswith("  next: "))
    assert "gradle butoAccept -Pbuto.test=leaker" in accept
    assert "  next: look at leaker.html  # draws what differs" in others
    assert (trained / "leaker.html").is_file()


def test_runs_that_were_judged_do_not_teach(trained: Path) -> None:
    done = called(trained, "train", "leaker", "--from-runs", "all", "--oracle", "again.json", *COMMAND)
    assert "TRAINED  leaker: 10 runs, again.json" in done.stdout
    done = called(
        trained, "train", "leaker", "--from-runs", f"..{id_of(4)}", "--oracle", "half.json", *COMMAND
    )
    assert "TRAINED  leaker: 5 runs, half.json" in done.stdout


def test_several_tests_end_with_a_line_each_and_the_worst_exit_code(trained: Path) -> None:
    store(trained, *(leaking_run(number, test="other") for number in range(7)))
    (trained / "buto.yaml").write_text(
        "version: 1\ndefaults: {command: [java, Main]}\ntests: {other: , leaker: , third: }\n"
    )
    called(trained, "train", "other", "--from-runs", "all", exits=0)
    done = called(trained, "check", "leaker", "other", "--from-runs", between(2, 4), exits=0)
    assert done.stdout.splitlines()[-2:] == ["leaker  pass", "other   pass"]
    done = called(trained, "check", "--from-runs", "all", exits=4)
    assert (
        "'third' has no oracle yet: oracles/third.json does not exist\ntry:  buto train third" in done.stderr
    )
    typed = called(trained, "check", "leaker", "extra", exits=4)
    assert "buto.yaml has no such test, only other, leaker, third" in typed.stderr
    assert "buto train extra -- java ..." in typed.stderr
    (trained / "buto.yaml").unlink()


def test_a_regression_outweighs_what_could_not_be_judged(trained: Path) -> None:
    for number in (30, 31, 32):
        store(
            trained,
            leaking_run(number, test="a", leak=9.0, purpose="check"),
            leaking_run(number, test="b", purpose="check", **{"jvm.spec.version": "8"}),
        )
    for test in "ab":
        store(trained, *(leaking_run(number, test=test) for number in range(7)))
        called(trained, "train", test, "--from-runs", "all", *COMMAND, exits=0)
    called(trained, "check", "b", "--from-runs", id_of(30), exits=3)
    done = called(trained, "check", "b", "a", "--from-runs", between(30, 32), exits=1)
    assert done.stdout.splitlines()[-2:] == ["b  inconclusive", "a  regression"]


def test_a_disturbed_run_neither_teaches_nor_is_judged(tmp_path: Path) -> None:
    store(tmp_path, *(leaking_run(number) for number in range(5)), leaking_run(6, leak=50, quality=STARVED))
    assert "5 runs" in called(tmp_path, "train", "leaker", "--from-runs", "all", *COMMAND).stdout
    done = called(tmp_path, "check", "leaker", "--from-runs", id_of(6), exits=3)
    assert f"the run {id_of(6)} is not usable: it was starved" in done.stderr
    store(tmp_path, leaking_run(1, test="other", purpose="check"))
    done = called(tmp_path, "train", "other", "--from-runs", "all", *COMMAND)
    assert "holds no usable runs of 'other' but 1 recorded for checks" in done.stderr


WRONG = """
check leaker --from-runs nonsense                4 nonsense
check leaker --from-runs 2027..                  2 .buto holds no usable runs of 'leaker' in 2027..
check laeker                                     4 'laeker' has no oracle yet
train new                                        2 no command is known for 'new'
train new --                                     2 there is no command after --
check                                            2 no test was named, and there is no buto.yaml here
check leaker leaker                              2 each test must be named once
check leaker other -- java Main                  2 needs exactly one test, got 2
check leaker --oracle none.json                  4 none.json does not exist
check other --oracle oracles/leaker.json         2 is the oracle of 'leaker', not of 'other'
check leaker --json no/dir/x.json                3 the directory no/dir does not exist
check leaker --config none.yaml                  4 cannot read the configuration none.yaml
train leaker --runs 2 -- java Main               2 runs, got 2
train leaker --runs 4 -- java Main               2 runs, got 4
train leaker --runs 0                            2 must be from 1 to
train leaker --timeout soon -- java              2 timeout: found "soon"
train leaker --interval 10min -- java            2 must be shorter than the timeout
train leaker --expect-exit 300 -- java           2 expect-exit: found 300
train leaker --mbean queue -- java               2 mbeans[0].name
train leaker --from-runs all --resume x          2 not allowed with
train leaker --from-runs all --oracle file/o.json -- java  3 file/o.json cannot be written
doctor -- java                                   2 takes no command after --
schema nonsense                                  2 unknown schema
"""


@pytest.mark.parametrize("line", WRONG.strip().splitlines())
def test_wrong_input_ends_in_one_message_and_its_exit_code(trained: Path, line: str) -> None:
    (trained / "file").touch()
    words, code, message = re.fullmatch(r"(.*?)  +([234]) (.*)", line).groups()  # type: ignore[union-attr]
    done = called(trained, *words.split())
    assert (done.returncode, done.stdout) == (int(code), "")
    assert message in done.stderr


def test_a_damaged_oracle_and_one_of_a_newer_version_are_refused_by_name(trained: Path) -> None:
    text = (trained / "oracles" / "leaker.json").read_text()
    for changed in (text[:200], text.replace('"version": 6', '"version": 99', 1), "[]"):
        (trained / "changed.json").write_text(changed)
        done = called(
            trained, "check", "leaker", "--oracle", "changed.json", "--from-runs", id_of(20), exits=4
        )
        assert "changed.json" in done.stderr


def test_an_oracle_whose_target_was_edited_wrongly_is_refused(trained: Path) -> None:
    data = whole(trained / "oracles" / "leaker.json")
    data["target"]["comand"] = data["target"].pop("command")
    rewrite(trained / "edited.json", data)
    done = called(trained, "check", "leaker", "--oracle", "edited.json", exits=4)
    assert "edited.json: its target cannot be used: unknown key 'comand'" in done.stderr


def test_a_fault_in_the_configuration_is_reported_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "buto.yaml").write_text(
        "version: 1\ntests:\n  leaker:\n    command: [java, Main]\n    timout: 5s\n"
    )
    done = buto(tmp_path, "train")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "buto: buto.yaml:5:5: unknown key 'timout' in tests.leaker; did you mean 'timeout'?\n"
    )
    assert not (tmp_path / ".buto").exists()


def test_a_configured_test_may_leave_its_command_to_what_is_typed_and_remembered(tmp_path: Path) -> None:
    store(tmp_path, *(leaking_run(number) for number in range(10)))
    configuration = tmp_path / "buto.yaml"
    configuration.write_text("version: 1\ntests: {leaker: {interval: 20ms, judge: {alpha: 0.05}}}\n")
    missing = called(tmp_path, "train", "leaker", "--from-runs", "all", exits=2)
    assert missing.stderr == (
        "buto: buto.yaml: the test 'leaker' has no command, and neither has its oracle\n"
        "try:  add one, command: [java, ...], or: buto train leaker -- java ...\n"
    )

    called(tmp_path, "train", "leaker", "--from-runs", "all", *COMMAND, exits=0)
    typed = json.loads((tmp_path / "oracles/leaker.json").read_text())
    command = ["java", "-cp", "app.jar", "Main$Inner", "$${x}"]
    assert typed["target"] == {"command": command, "interval": "20ms"}
    assert typed["judge"]["alpha"] == 0.05

    configuration.write_text("version: 1\ntests: {leaker: {timeout: 9s, judge: {alpha: 0.02}}}\n")
    called(tmp_path, "train", "leaker", "--from-runs", "all", exits=0)
    remembered = json.loads((tmp_path / "oracles/leaker.json").read_text())
    assert remembered["target"] == {**typed["target"], "timeout": "9s"}
    assert remembered["judge"]["alpha"] == 0.02

    for typed_alpha, warned in (((), True), (("--alpha", "0.05"), False)):
        configuration.write_text("version: 1\ntests: {leaker: {judge: {alpha: 0.1}}}\n")
        checked = called(tmp_path, "check", "leaker", "--from-runs", "all", *typed_alpha)
        assert ("current ones of buto.yaml (alpha changed)" in checked.stderr) == warned


def test_oracle_and_store_are_beside_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "buto.yaml").write_text("version: 1\ntests: {leaker: {command: x}}\n")
    below = tmp_path / "below"
    below.mkdir()
    store(tmp_path, *(leaking_run(number) for number in range(5)), leaking_run(9, purpose="check"))
    done = called(below, "train", "leaker", "--config", "../buto.yaml", "--from-runs", "all")
    assert done.stdout.startswith("TRAINED  leaker: 5 runs, ../oracles/leaker.json\n")
    done = called(below, "check", "leaker", "--config", "../buto.yaml", "--from-runs", id_of(9), exits=0)
    called(below, "plot", "leaker", "--config", "../buto.yaml", exits=0)
    assert [path.name for path in below.iterdir()] == ["plots"]
    done = called(
        below, "check", "leaker", "--config", "../buto.yaml", "--store", ".buto", "--from-runs", "all"
    )
    assert ".buto holds no usable runs" in done.stderr
    done = called(tmp_path, "check", "laeker")
    assert "buto.yaml has no test 'laeker'; did you mean 'leaker'?\ntry:  buto check leaker" in done.stderr


def test_json_to_standard_output_stands_there_alone(trained: Path) -> None:
    done = called(trained, "check", "leaker", "--from-runs", id_of(20), "--json", "-")
    assert json.loads(done.stdout)["exit_code"] == 0
    assert done.stderr.startswith("PASS  leaker")


@pytest.mark.parametrize("option", [("--oracle", "file/x.json"), ("--json", "dir"), ("--oracle", "dir")])
def test_what_cannot_be_written_is_reported_before_anything_is_launched(
    tmp_path: Path, option: tuple[str, str]
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "dir").mkdir()
    done = called(tmp_path, "train", "leaker", *option, "--", "touch", "launched", exits=3)
    assert f"{option[1]} cannot be written" in done.stderr
    assert not (tmp_path / "launched").exists()
    assert not (tmp_path / ".buto").exists()


def test_runs_are_kept_where_the_oracle_fails_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, learned: object, strengths: object) -> None:
        raise StorageError(f"the oracle {path} cannot be written: no space left", advice="free some space")

    monkeypatch.setattr("buto.oracle.save", full)
    ids = store(tmp_path, *(leaking_run(number) for number in range(5)))
    done = called(tmp_path, "train", "leaker", "--from-runs", "all", *COMMAND, exits=3)
    assert "no space left; the runs are stored in .buto" in done.stderr
    assert f"buto train leaker --from-runs {ids[0]}..{ids[-1]} -- java" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "train t1 --runs 3 java -jar x.jar",
            "try:  put -- before the program's command: buto train t1 --runs 3 -- java -jar x.jar\n",
        ),
        ("check t1 /opt/jdk/bin/java -jar x.jar", ": buto check t1 -- /opt/jdk/bin/java -jar x.jar\n"),
        ("check t1 --rnus 3", "unrecognized arguments: --rnus 3; did you mean --runs?"),
        ("trian t1", "unknown command 'trian'; did you mean train?"),
        ("doctor java", "try:  buto doctor --help\n"),
    ],
)
def test_what_is_misspelt_or_lacks_the_dashes_is_reported_as_meant(
    tmp_path: Path, words: str, message: str
) -> None:
    done = called(tmp_path, *words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
