"""What the arguments of the mark become, and how wrong ones are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from buto.errors import UsageError
from buto.pytest_plugin.mark import join, test_of

ROOT = Path("/project")


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ({"command": ["java", "-jar", Path("a b.jar")]}, ("java", "-jar", "a b.jar")),
        ({"command": "java -jar 'a b.jar'"}, ("java", "-jar", "a b.jar")),
        ({"jar": Path("app.jar"), "args": ["5", 100]}, ("java", "-jar", "app.jar", "5", "100")),
        (
            {"main": "a.Main$Inner", "classpath": ["x.jar", Path("y")], "options": ["-Xmx1m"], "java": "j"},
            ("j", "-Xmx1m", "-cp", "x.jar:y", "a.Main$Inner"),
        ),
        ({"main": "Main", "classpath": Path("classes")}, ("java", "-cp", "classes", "Main")),
        (
            {"main": "Main", "classpath": [ROOT / "build" / "classes", Path("/opt/x.jar")]},
            ("java", "-cp", "build/classes:/opt/x.jar", "Main"),
        ),
        ({"jar": ROOT / "app.jar"}, ("java", "-jar", "app.jar")),
    ],
)
def test_a_program_is_named_by_command_jar_or_main(given: dict[str, Any], command: tuple[str, ...]) -> None:
    target = test_of("t", given, {}, ROOT).target
    assert (target.command, target.directory) == (command, ROOT)


def test_other_arguments_are_the_keys_of_a_configuration() -> None:
    given = {
        "jar": "a.jar",
        "runs": 7,
        "expect_exit": 3,
        "environment": {"A": "1"},
        "mbeans": ({"name": "shop:*"},),
        "judge": {"method": "thesis", "thesis": {"deviations": 5}},
        "workload": {"command": ["./load.sh"], "stop": True},
    }
    test = test_of("t", given, {"runs": "4", "interval": "20ms"}, ROOT)
    assert (test.runs, test.target.expected_exit, test.target.environment) == (7, 3, {"A": "1"})
    assert (test.target.interval_s, test.target.mbeans[0].pattern) == (0.02, "shop:*")
    assert test.settings.pipeline.deviations == 5
    assert test.workload is not None
    assert test.workload.stop


def test_alpha_and_fail_on_are_settings_of_the_judge() -> None:
    given = {"jar": "a.jar", "alpha": 0.02, "fail_on": "worse", "judge": {"method": "calibrated"}}
    settings = test_of("t", given, {}, ROOT).settings
    assert (settings.alpha, settings.fail_on) == (0.02, "worse")
    assert test_of("t", {**given, "alpha": 0.03}, {"alpha": "0.5"}, ROOT).settings.alpha == 0.03


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({}, "needs a command, a jar or a main"),
        ({"comand": ["java"]}, "unknown argument 'comand'; did you mean 'command'?"),
        ({"jar": "a.jar", "command": ["java"]}, "command and jar cannot be combined"),
        ({"main": "Main"}, "main needs a classpath"),
        ({"command": ["java"], "args": ["1"]}, "args can be used with jar or main"),
        ({"jar": "a.jar", "args": "1 2"}, "args must be a list of words, got '1 2'"),
        ({"jar": "a.jar", "runs": "many"}, 'runs: found "many", expected a number of runs'),
        ({"jar": "a.jar", "interval": "5 parsecs"}, "interval: found"),
        ({"jar": "a.jar", "alpha": 7}, "alpha"),
        ({"jar": "${NO_SUCH_VARIABLE_HERE}"}, "unknown variable ${NO_SUCH_VARIABLE_HERE}"),
    ],
)
def test_what_means_nothing_is_refused(given: dict[str, Any], fault: str) -> None:
    with pytest.raises(UsageError) as refused:
        test_of("t", given, {}, ROOT)
    assert fault in refused.value.message


def test_a_new_command_replaces_the_one_specified_before() -> None:
    of_module = {"main": "Main", "classpath": "x", "args": ["1"], "runs": 5}
    assert join(of_module, {"jar": "a.jar"}) == {"jar": "a.jar", "runs": 5}
    assert join(of_module, {"args": ["2"]}) == {**of_module, "args": ["2"]}
