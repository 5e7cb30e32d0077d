"""What to do next, in the words of each door."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from buto.actions.project import Files, Overrides, Project
from buto.actions.wording import FrontEnd, word_result
from buto.cli.hints import (
    BUILDS,
    DOOR,
    DOOR_GOALS,
    DOOR_PLACE,
    DOOR_PROGRAM,
    DOOR_WORDS,
    CommandLineFrontEnd,
    InBuild,
    front_end_of,
)
from buto.errors import BadFileError, JudgeError
from buto.pytest_plugin.hints import InPytest
from buto.steps import Action, Advice, Setting, Step
from tests.support.report import made

HERE = Path("/home/me/shop")
FILES = Files(Path("ci.yaml"), True, Path(), Path("my runs"), Path("o.json"))
USUAL = Files(None, False, Path(), Path(".buto"), None)
TYPED = Overrides(
    command=("java", "-jar", "my app.jar"),
    options={"interval": "10ms", "mbeans": ("com.acme:*", "b:*"), "expect_exit": 3},
)
NAMED = "--oracle o.json --config ci.yaml"
MEASURED = "--interval 10ms --mbean 'com.acme:*' --mbean 'b:*' --expect-exit 3"
COMMAND = "java -jar 'my app.jar'"
PYTEST = InPytest("test_it.py::test_shop", "shop", HERE, HERE / ".buto", HERE / "oracles" / "shop.json")


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (
            Step(Action.TRAIN, "shop", from_runs="all"),
            f"buto train shop --from-runs all {NAMED} --store 'my runs' {MEASURED} -- {COMMAND}",
        ),
        (
            Step(Action.SHOW_RUN, "shop", run_id="X", why="as it was"),
            "buto runs show shop X --store 'my runs'  # as it was",
        ),
        (
            Step(Action.PLOT, "shop", from_runs="a,b"),
            "buto plot shop --oracle o.json --config ci.yaml --from-runs a,b --store 'my runs'",
        ),
        (
            Step(Action.RECORD, "shop", runs=20, plain=True),
            "buto record shop --runs 20 --config ci.yaml --store 'my runs'",
        ),
        (Step(Action.CHECK, "shop", plain=True), f"buto check shop {NAMED} --store 'my runs'"),
        (
            Step(Action.BISECT, "shop", revisions=("v1", "HEAD")),
            f"buto bisect shop v1 HEAD {NAMED} --store 'my runs' {MEASURED} -- {COMMAND}",
        ),
        (
            Step(Action.COMPARE, "a", against="b", command=("java", "Shop")),
            "buto compare a -- java Shop --against b -- java Shop",
        ),
        (
            Step(Action.COMPARE, "s", revisions=("a", "b"), build="make"),
            f"buto compare s --revisions a b --build make {NAMED} --store 'my runs' {MEASURED} -- {COMMAND}",
        ),
        (Step(Action.LIST_RUNS), "buto runs list --store 'my runs'"),
        (
            Step(Action.COMPARE, "a", against="b", from_runs="1..2"),
            "buto compare a --against b --from-runs 1..2 --store 'my runs' --html report.html",
        ),
    ],
)
def test_the_command_line_repeats_what_was_typed(step: Step, words: str) -> None:
    assert CommandLineFrontEnd(FILES, TYPED).step(step) == words


def test_a_command_is_shown_only_where_none_was_typed_or_configured() -> None:
    step = Step(Action.TRAIN, "shop", command=("java", "..."))
    assert CommandLineFrontEnd(USUAL).step(step) == "buto train shop -- java ..."
    configured = Files(None, True, Path(), Path(".buto"), None)
    assert CommandLineFrontEnd(configured).step(step) == "buto train shop"


def test_a_key_that_only_a_configuration_has_is_advised_with_what_writes_one() -> None:
    advice, key = Advice("to set it: ", Setting("isolate", "home")), "isolate: home, at the test in buto.yaml"
    configured = Files(None, True, Path(), Path(".buto"), None)
    assert CommandLineFrontEnd(configured).words(advice) == f"to set it: {key}"
    assert CommandLineFrontEnd(USUAL).words(advice) == f"to set it: {key}, which buto init writes"
    typed = CommandLineFrontEnd(USUAL, Overrides(("java", "-jar", "shop.jar")))
    assert typed.words(advice) == f"to set it: {key}, which buto init -- java -jar shop.jar writes"


def test_a_secret_is_not_repeated() -> None:
    typed = Overrides(command=("java", "-Dshop.password=swordfish", "Shop"))
    assert "swordfish" not in CommandLineFrontEnd(USUAL, typed).step(Step(Action.ACCEPT, "shop"))


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (Step(Action.TRAIN, "shop"), "pytest test_it.py::test_shop --buto-train"),
        (Step(Action.CHECK, "shop"), "pytest test_it.py::test_shop"),
        (Step(Action.CHECK, "other"), "pytest test_it.py::test_shop --buto-train"),
        (
            Step(Action.ACCEPT, "shop", why="if the change is meant"),
            "pytest test_it.py::test_shop --buto-accept  # if the change is meant",
        ),
        (Step(Action.SHOW_RUN, "shop", run_id="X"), "buto runs show shop X"),
        (Step(Action.PLOT, "shop"), "buto plot shop --oracle oracles/shop.json"),
        (Step(Action.WHY, "shop", why="which"), "pytest test_it.py::test_shop --buto-why  # which"),
        (
            Step(Action.WHY, "shop", revisions=("a", "b"), plain=True),
            "buto why shop --revisions a b --oracle oracles/shop.json",
        ),
        (Step(Action.LIST_RUNS), "buto runs list"),
        (Step(Action.DELETE_RUN, "shop", run_id="X"), "buto runs delete shop X --with-training"),
        (Step(Action.DOCTOR), "buto doctor"),
    ],
)
def test_pytest_names_its_own_options(step: Step, words: str) -> None:
    assert PYTEST.step(step) == words


DOORS = {
    "command line": CommandLineFrontEnd(FILES, TYPED),
    "pytest": PYTEST,
    **{name: InBuild(build, CommandLineFrontEnd(FILES, TYPED)) for name, build in BUILDS.items()},
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize("action", Action)
def test_every_door_has_words_for_every_action(door: FrontEnd, action: Action) -> None:
    words = shlex.split(door.step(Step(action, "shop")))
    assert words[0] in ("buto", "pytest", "mvn", "gradle", "env")


SCENARIO = "com.acme.ShopTest.Orders.cancel"


@pytest.mark.parametrize(
    ("door", "step", "words"),
    [
        ("maven", Step(Action.ACCEPT, "my shop"), "mvn package buto:accept '-Dbuto.test=my shop'"),
        (
            "maven",
            Step(Action.TRAIN, "shop", runs=20),
            "mvn package buto:train -Dbuto.test=shop -Dbuto.runs=20",
        ),
        (
            "gradle",
            Step(Action.ACCEPT, "shop", why="if meant"),
            "gradle butoAccept -Pbuto.test=shop  # if meant",
        ),
        ("gradle", Step(Action.CHECK), "gradle butoCheck"),
        ("maven", Step(Action.WHY, "shop"), "mvn package buto:why -Dbuto.test=shop"),
        ("gradle", Step(Action.WHY, "a", why="which code"), "gradle butoWhy -Pbuto.test=a  # which code"),
        (
            "maven",
            Step(Action.WHY, "shop", revisions=("a", "b"), plain=True),
            f"buto why shop --revisions a b {NAMED} --store 'my runs'",
        ),
        (
            "gradle",
            Step(Action.TRAIN, "shop", profile=True, plain=True),
            "gradle butoTrain -Pbuto.test=shop -Pbuto.profile=true",
        ),
        (
            "junit-maven",
            Step(Action.TRAIN, "ShopTest.cancel", profile=True, plain=True),
            "mvn test -Dbuto.train=true '-Dtest=ShopTest#cancel' -Dbuto.profile=true",
        ),
        (
            "junit-maven",
            Step(Action.WHY, "ShopTest.cancel"),
            "mvn test -Dbuto.why=true '-Dtest=ShopTest#cancel'",
        ),
        (
            "junit-gradle",
            Step(Action.TRAIN, "ShopTest.cancel", runs=8, profile=True, plain=True),
            "env BUTO_TRAIN=true BUTO_RUNS=8 BUTO_PROFILE=true gradle cleanTest test --tests ShopTest.cancel",
        ),
        (
            "junit-gradle",
            Step(Action.WHY, "ShopTest.cancel", why="which code"),
            "env BUTO_WHY=true gradle cleanTest test --tests ShopTest.cancel  # which code",
        ),
        ("gradle", Step(Action.TRAIN, "a", from_runs="1..2"), "gradle butoTrain -Pbuto.test=a"),
        (
            "maven",
            Step(Action.DELETE_RUN, "a", run_id="X"),
            "buto runs delete a X --with-training --store 'my runs'",
        ),
        (
            "junit-maven",
            Step(Action.ACCEPT, SCENARIO),
            "mvn test -Dbuto.accept=true '-Dtest=com.acme.ShopTest$Orders#cancel'",
        ),
        ("junit-maven", Step(Action.CHECK, "ShopTest.cancel"), "mvn test '-Dtest=ShopTest#cancel'"),
        (
            "junit-gradle",
            Step(Action.TRAIN, SCENARIO),
            "env BUTO_TRAIN=true gradle cleanTest test --tests 'com.acme.ShopTest$Orders.cancel'",
        ),
        (
            "maven",
            Step(Action.TRAIN, "shop", from_runs="all", plain=True),
            "mvn package buto:train -Dbuto.test=shop",
        ),
        ("gradle", Step(Action.SHOW_RUN, "shop", run_id="X"), "buto runs show shop X --store 'my runs'"),
    ],
)
def test_builds_name_their_own_goals_and_tasks(door: str, step: Step, words: str) -> None:
    assert DOORS[door].step(step) == words


def test_a_build_tool_says_in_the_environment_that_it_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(front_end_of(USUAL), CommandLineFrontEnd)
    monkeypatch.setenv(DOOR, "maven")
    assert front_end_of(USUAL).step(Step(Action.TRAIN, "shop")) == "mvn package buto:train -Dbuto.test=shop"


def test_the_wrapper_of_a_project_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DOOR, "junit-gradle")
    monkeypatch.setenv(DOOR_PROGRAM, "../gradlew")
    words = front_end_of(USUAL).step(Step(Action.TRAIN, "ShopTest.cancel"))
    assert words == "env BUTO_TRAIN=true ../gradlew cleanTest test --tests ShopTest.cancel"


def test_attaching_again_is_as_it_was_typed() -> None:
    typed = ("attach", "my shop", "--pid", "4711")
    assert (
        CommandLineFrontEnd(USUAL, typed=typed).step(Step(Action.ATTACH))
        == "buto attach 'my shop' --pid 4711"
    )


def test_a_warning_is_stored_without_the_words_of_a_door() -> None:
    warning = Advice("10 are better (", Setting("runs", "10"), ")", fact="5 runs are few")
    assert (warning, warning.fact) == ("5 runs are few; 10 are better (--runs 10)", "5 runs are few")
    assert PYTEST.words(warning) == "5 runs are few; 10 are better (runs=10)"


def test_what_was_typed_for_a_build_is_typed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DOOR, "maven")
    monkeypatch.setenv(DOOR_WORDS, " -pl :shop '-Dbuto.java=/my java'")
    accept = "mvn package buto:accept -Dbuto.test=shop -pl :shop '-Dbuto.java=/my java'"
    assert front_end_of(USUAL).step(Step(Action.ACCEPT, "shop")) == accept


def test_a_goal_has_its_whole_name_where_the_build_does_not_know_the_short_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(DOOR, "maven")
    monkeypatch.setenv(DOOR_GOALS, "io.github.buto-jvm:buto-maven-plugin:1.2.3")
    why = "mvn package io.github.buto-jvm:buto-maven-plugin:1.2.3:why -Dbuto.test=shop"
    assert front_end_of(USUAL).step(Step(Action.WHY, "shop")) == why


def test_what_no_build_does_is_short_and_for_the_place_where_the_build_was_typed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(DOOR, "maven")
    monkeypatch.setenv(DOOR_PLACE, "/home/me/shop")
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "argv", ["/home/me/my tools/buto", "check"])
    files = Files(None, False, Path(), HERE / "app/.buto", HERE / "app/src/test/buto/shop.json")
    door = front_end_of(files, TYPED, pages="/home/me/shop/app/target/buto-reports/shop.html")
    show = Step(Action.SHOW_RUN, "shop", run_id="X")
    assert door.step(show) == "~/'my tools/buto' runs show shop X --store app/.buto"
    assert door.step(Step(Action.PLOT, "shop")) == "look at app/target/buto-reports/shop.html"


@pytest.mark.parametrize("door", BUILDS)
@pytest.mark.parametrize("action", [Action.GROW, Action.SIZE, Action.BISECT, Action.COMPARE, Action.SHOW_RUN])
def test_what_a_build_has_no_words_for_is_no_next_step_of_it(door: str, action: Action) -> None:
    front_end = InBuild(BUILDS[door], CommandLineFrontEnd(FILES, TYPED), pages="build/reports/shop.html")
    report = made.regression().report
    assert report is not None
    accept = Step(Action.ACCEPT, "shop")
    report = replace(report, next_steps=(Advice(Step(action, "shop")), Advice(accept)))
    worded = word_result(replace(made.regression(), report=report), front_end).report
    assert worded is not None
    assert worded.next_steps == (front_end.step(accept),)


def test_a_buto_that_is_not_in_path_is_named_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DOOR, "gradle")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "argv", ["/my tools/buto", "check"])
    assert front_end_of(USUAL).step(Step(Action.SHOW_RUN, "shop")) == "'/my tools/buto' runs show shop"


@pytest.mark.parametrize("door", BUILDS)
def test_a_build_that_writes_a_page_needs_no_other_picture(door: str) -> None:
    front_end = InBuild(BUILDS[door], CommandLineFrontEnd(FILES, TYPED), pages="build/reports/shop.html")
    assert front_end.write(Step(Action.PLOT, "shop")) == "look at build/reports/shop.html"
    assert DOORS[door].write(Step(Action.PLOT, "shop")).startswith("buto plot shop ")


@pytest.mark.parametrize(
    ("door", "runs", "interval"),
    [
        ("maven", "-Dbuto.runs=10", "interval: 10ms, at the test in buto.yaml"),
        ("gradle", "-Pbuto.runs=10", "interval: 10ms, at the test in buto.yaml"),
        ("junit-gradle", "BUTO_RUNS=10", "interval: 10ms, at the test in buto.yaml"),
    ],
)
def test_a_build_sets_what_it_can_itself_and_the_rest_in_buto_yaml(
    door: str, runs: str, interval: str
) -> None:
    assert (DOORS[door].setting("runs", "10"), DOORS[door].setting("interval", "10ms")) == (runs, interval)


ODD = Advice("see ", Step(Action.SHOW_RUN, "shop", run_id="X"), "; or ", Setting("runs", "20"))


@pytest.mark.parametrize(
    ("door", "text"),
    [
        ("command line", "see buto runs show shop X --store 'my runs'; or --runs 20"),
        ("pytest", "see buto runs show shop X; or runs=20"),
        ("maven", "see buto runs show shop X --store 'my runs'; or -Dbuto.runs=20"),
    ],
)
def test_advice_from_deeper_rooms_is_put_into_the_words_of_the_door(door: str, text: str) -> None:
    assert DOORS[door].words(ODD) == text
    error = JudgeError("it stands apart", advice=ODD)
    assert error.advice == "see buto runs show shop X; or --runs 20"
    error.rephrase(DOORS[door].words)
    assert (error.advice, error.__notes__) == (text, [text])


def test_what_pytest_has_in_its_ini_file_is_named_so() -> None:
    assert PYTEST.setting("store", "DIR") == "buto_store = DIR, in pytest's ini file"


def test_a_setting_is_an_option_or_an_argument() -> None:
    assert (CommandLineFrontEnd(USUAL).setting("runs", "10"), PYTEST.setting("runs", "10")) == (
        "--runs 10",
        "runs=10",
    )
    assert PYTEST.setting("interval", "10ms") == 'interval="10ms"'
    assert PYTEST.setting("program", "{build: COMMAND}") == 'program={"build": "COMMAND"}'
    assert PYTEST.setting("inputs", "[PATTERN, ...]") == 'inputs=["PATTERN", "..."]'
    assert (CommandLineFrontEnd(USUAL).name("expect-exit"), PYTEST.name("expect-exit")) == (
        "--expect-exit",
        "expect_exit",
    )


@pytest.mark.parametrize(
    ("text", "in_words", "flag"),
    [("<<<<<<< HEAD\n", "is in a merge conflict", "--buto-train"), ("{", "is damaged", "--buto-train")],
)
def test_a_file_that_is_not_an_oracle_any_more_is_made_again_through_the_same_door(
    tmp_path: Path, text: str, in_words: str, flag: str
) -> None:
    path = tmp_path / "shop.json"
    path.write_text(text)
    door = InPytest("test_it.py::test_shop", "shop", tmp_path, tmp_path / ".buto", path)
    project = Project(Files(None, False, tmp_path, tmp_path / ".buto", path), None)
    with pytest.raises(BadFileError, match=in_words) as caught:
        project.oracle("shop", Action.CHECK)
    caught.value.rephrase(door.words)
    assert caught.value.advice is not None
    assert caught.value.advice.endswith(f": pytest test_it.py::test_shop {flag}")
