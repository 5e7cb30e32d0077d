"""From a file to tests: what it says, and where it is wrong."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from buto.errors import BadFileError, ConfigError
from buto.judging.configuration import DEFAULT, settings_from
from buto.judging.registry import DETECTORS, detector
from buto.measure.target import LiveSet, MBeanSpec
from buto.project.config import Config, find, load
from buto.project.model import build_test
from buto.project.schema import config_schema
from buto.project.yaml import MAX_BYTES
from buto.run.window import Moment, Window

FULL = """\
version: 1
defaults:
  interval: 50ms
  environment: {LANG: C, LEVEL: 007}
  judge: {method: thesis}
tests:
  leaker:
    command: [java, -Xmx64m, -cp, '${CP}', 'com.acme.Main$Inner', 5, 0x10, yes, 12:30, 1.50]
    runs: 7
    timeout: 1.5min
    collector: jmx
    jvm: com.acme.*
    working-directory: build
    environment: {LANG: de, HOME2: '${HOME}'}
    expect-exit: 3
    mbeans:
      - name: com.acme:type=Queue,*
        attributes: [Size]
        metadata: [Capacity]
        notifications: false
      - {name: 'x:*'}
    judge: {thesis: {deviations: 12}}
  script:
    command: sh -c "echo '$$'; exec java Main ${WITH_BLANK}"
"""


def read(tmp_path: Path, text: str) -> Config:
    path = tmp_path / "buto.yaml"
    path.write_text(text)
    return load(path, {"CP": "a.jar", "HOME": "/home/me", "WITH_BLANK": "two words"})


def faults(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as error:
        read(tmp_path, text)
    return error.value.message.replace(f"{tmp_path}{os.sep}", "").splitlines()


WANTED = {
    "off": None,
    "end": LiveSet(),
    "marks": LiveSet(at_marks=True),
    "2s": LiveSet(2.0),
    "1": LiveSet(1.0),
}


@pytest.mark.parametrize("written", WANTED)
def test_when_the_live_set_is_wanted(tmp_path: Path, written: str) -> None:
    text = f"version: 1\ntests:\n  leaker: {{command: [java, A], live-set: {written}}}\n"
    assert read(tmp_path, text).tests["leaker"].target.live_set == WANTED[written]


@pytest.mark.parametrize(("collector", "expected"), [("agent", LiveSet()), ("jmx", None)])
def test_live_objects_are_counted_at_the_end_where_the_collector_can(
    tmp_path: Path, collector: str, expected: LiveSet | None
) -> None:
    text = f"version: 1\ntests:\n  leaker: {{command: [java, A], collector: {collector}}}\n"
    assert read(tmp_path, text).tests["leaker"].target.live_set == expected


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("live-set: often", "live-set must be off, end, marks or a time, got 'often'"),
        ("live-set: 10ms", "live-set must be at least 100 ms, got 10ms"),
        ("live-set: end, collector: jmx", "live-set must be off with the collector jmx"),
    ],
)
def test_live_sets_that_cannot_be(tmp_path: Path, written: str, why: str) -> None:
    (fault,) = faults(tmp_path, f"version: 1\ntests:\n  leaker: {{command: [java, A], {written}}}\n")
    assert fault.startswith("buto.yaml:3:")
    assert why in fault


def test_everything_that_a_test_can_say(tmp_path: Path) -> None:
    test = read(tmp_path, FULL).tests["leaker"]
    target = test.target
    assert target.command == (
        *("java", "-Xmx64m", "-cp", "a.jar", "com.acme.Main$Inner", "5", "0x10", "yes", "12:30", "1.50"),
    )
    assert (target.timeout_s, target.interval_s) == (90.0, 0.05)
    assert (target.collector, target.jvm, target.expected_exit) == ("jmx", "com.acme.*", 3)
    assert target.directory == tmp_path.resolve() / "build"
    assert target.environment == {"LANG": "de", "LEVEL": "007", "HOME2": "/home/me"}
    assert target.mbeans == (
        MBeanSpec("com.acme:type=Queue,*", ("Size",), ("Capacity",), False),
        MBeanSpec("x:*"),
    )
    assert test.runs == 7
    assert test.settings == settings_from({"method": "thesis", "thesis": {"deviations": 12}})


def test_a_window_is_two_moments(tmp_path: Path) -> None:
    text = "version: 1\ntests:\n  a: {command: x, window: {from: load.start + 10s, to: 1min}}\n"
    test = read(tmp_path, text).tests["a"]
    assert test.window == Window(Moment("load.start", 10.0), Moment("main", 60.0))
    assert test.written["window"] == {"from": "load.start + 10s", "to": "1min"}
    assert read(tmp_path, "version: 1\ntests: {a: {command: x, window: {from: 5}}}\n").tests[
        "a"
    ].window == Window(Moment("main", 5.0), Moment("end"))


def test_a_command_in_one_text_is_divided_before_variables_are_replaced(tmp_path: Path) -> None:
    test = read(tmp_path, FULL).tests["script"]
    assert test.target.command == ("sh", "-c", "echo '$'; exec java Main two words")
    assert test.target.directory == tmp_path.resolve()


def test_words_of_every_command_keep_their_text_and_other_numbers_are_numbers(tmp_path: Path) -> None:
    test = read(
        tmp_path,
        """
version: 1
tests:
  command:
    command: [java, Main]
    expect-exit: 007
    services: {environment: {command: [db, 007], ready: {port: 05432}, environment: {LEVEL: 010}}}
    workload: {command: [./load.sh, 1.50]}
""",
    ).tests["command"]
    (service,) = test.services
    assert (service.command, service.environment) == (("db", "007"), {"LEVEL": "010"})
    assert test.workload is not None and test.workload.command == ("./load.sh", "1.50")
    assert test.target.expected_exit == 7
    assert test.written["services"]["environment"]["ready"] == {"port": 5432}


def test_what_an_oracle_remembers_holds_no_values_of_variables(tmp_path: Path) -> None:
    written = read(tmp_path, FULL).tests["leaker"].written
    assert written["command"][3] == "${CP}"
    assert written["environment"] == {"LANG": "de", "LEVEL": "007", "HOME2": "${HOME}"}
    assert "judge" not in written
    assert "runs" not in written


def test_a_test_may_leave_its_command_to_who_types_it(tmp_path: Path) -> None:
    test = read(tmp_path, "version: 1\ntests: {a: {interval: 20ms}}\n").tests["a"]
    assert test.target.command == ()
    assert test.target.interval_s == 0.02


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "version: 1\ntests:\n  a:\n    comand: x\n",
            "4:5: unknown key 'comand' in tests.a; did you mean 'command'?",
        ),
        (
            "version: 1\ntsts: {}\ntests: {a: {command: x}}\n",
            "2:1: unknown key 'tsts'; did you mean 'tests'?",
        ),
        ("version: 2\ntests: {a: {command: x}}\n", "1:10: version: found 2, expected 1"),
        ("tests: {a: {command: x}}\n", "1:1: 'version' is missing"),
        (
            "version: 1\ntests:\n  a: {command: x, window: {from: a b}}\n",
            "3:34: a moment must be MARK, DURATION, MARK + DURATION or MARK - DURATION, got 'a b'",
        ),
        ("version: 1\ntests: {}\n", "2:8: tests: found an empty mapping"),
        ("version: 1\ntests:\n  a: {command: x, runs: ten}\n", '3:25: tests.a.runs: found "ten"'),
        ("version: 1\ntests:\n  a: {command: x, runs: 0}\n", "3:25: tests.a.runs: found 0"),
        (
            "version: 1\ntests:\n  a: {command: x, timeout: 5 parsecs}\n",
            '3:28: tests.a.timeout: found "5 parsecs"',
        ),
        ("version: 1\ntests:\n  a: {command: x, timeout: 0}\n", "3:28: tests.a.timeout: found 0"),
        (
            "version: 1\ntests:\n  a: {command: x, timeout: 0s}\n",
            "3:28: the interval must be shorter than the timeout of 0 s, got 100 ms",
        ),
        (
            "version: 1\ntests:\n  a: {command: x, interval: 1us}\n",
            "3:29: interval: 1us is shorter than 1 ms",
        ),
        ("version: 1\ntests:\n  a: {command: x, collector: jxm}\n", "expected agent or jmx"),
        ("version: 1\ntests:\n  a: {command: 'x ${NOPE}'}\n", "3:16: unknown variable ${NOPE}"),
        (
            "version: 1\ntests:\n  a:\n    command:\n      - x\n      - ${NOPE}\n",
            "6:9: unknown variable ${NOPE}",
        ),
        ("version: 1\ntests:\n  a: {command: 'x \"y'}\n", "3:16: command: no closing quotation"),
        (
            'version: 1\ntests:\n  a: {command: [x, "y\\0"]}\n',
            "3:20: 'y\\x00' must not have a null character",
        ),
        ("version: 1\ntests:\n  a: {command: ' '}\n", "3:16: command must not be empty"),
        ("version: 1\ntests:\n  a: {command: []}\n", "3:16: tests.a.command: found an empty list"),
        ("version: 1\ntests:\n  a: {command: [x, ~]}\n", "3:20: tests.a.command[1]: found nothing"),
        (
            "version: 1\ntests:\n  a: {command: x, mbeans: [{attributes: [A]}]}\n",
            "'name' is missing in tests.a.mbeans",
        ),
        (
            "version: 1\ntests:\n  a: {command: x, environment: {1A: x}}\n",
            "3:33: '1A' in tests.a.environment is not",
        ),
        ("version: 1\ntests:\n  -a: {command: x}\n", "3:3: '-a' in tests is not a test's name"),
        (
            "version: 1\ntests:\n  a: {command: x, judge: {method: thesis, thesis: {window: 4}}}\n",
            "3:60: tests.a.judge.thesis.window: found 4",
        ),
        ("version: 1\ntests:\n  a: {command: x, judge: {methd: thesis}}\n", "did you mean 'method'?"),
        (
            "version: 1\ntests:\n  a: {command: x, judge: {preset: thesis}}\n",
            "3:27: judge: preset is gone: leave it out (the default is the judge), or judge: {method: ",
        ),
        (
            "version: 1\ntests:\n  a: {command: x, judge: {alpha: 0}}\n",
            "3:34: tests.a.judge.alpha: found 0, expected a share of checks from 0.0005 to 0.5",
        ),
        (
            "version: 1\ntests:\n  a: {command: x, judge: {fail-on: better}}\n",
            '3:36: tests.a.judge.fail-on: found "better", expected any or worse',
        ),
        (
            "version: 1\ntests:\n  a: {command: x, judge: {minimum-effect: {'*': much}}}\n",
            "judge: minimum-effect: {'*': 'much'} is not a quantity, or a mapping from shell patterns",
        ),
        (
            "version: 1\ntests:\n  a: {command: x, judge: {method: thesis, alpha: 0.05}}\n",
            "judge: alpha is no setting of method: thesis",
        ),
        ("version: 1\ndefaults: {command: x, jvm: ''}\ntests: {a: }\n", '2:29: defaults.jvm: found ""'),
        ("version: 1\ndefaults: {command: '${NOPE}'}\ntests: {a: }\n", "2:21: unknown variable ${NOPE}"),
        ("[]\n", "1:1: the file: found an empty list, expected a configuration"),
        ("", "buto.yaml: the configuration is empty"),
    ],
)
def test_each_fault_is_reported_with_line_and_column(tmp_path: Path, text: str, expected: str) -> None:
    lines = faults(tmp_path, text)
    assert len(lines) == 1
    assert lines[0].startswith("buto.yaml")
    assert expected in lines[0]


def test_all_faults_are_reported_in_the_order_of_the_file_and_once(tmp_path: Path) -> None:
    lines = faults(
        tmp_path,
        "version: 1\ntests:\n  a: &a\n    runs: x\n    comand: y\n"
        "  b:\n    <<: *a\n    timeout: []\n    command: x\n",
    )
    assert [line.split(": ")[0] for line in lines] == [
        "buto.yaml:4:11",
        "buto.yaml:4:11",
        "buto.yaml:5:5",
        "buto.yaml:5:5",
        "buto.yaml:8:14",
    ]
    many = "\n".join(f"  t{number}: {{bad: 1}}" for number in range(30))
    lines = faults(tmp_path, f"version: 1\ntests:\n{many}\n")
    assert len(lines) == 11
    assert lines[-1] == "and 20 more"


def test_a_file_that_cannot_be_read_is_a_bad_file(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match="it is missing"):
        load(tmp_path / "none.yaml")


def test_a_file_that_is_no_text_or_too_large_is_a_wrong_configuration(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"version: 1\n# \xe9\n")
    with pytest.raises(ConfigError, match=r"latin\.yaml:2: it is not UTF-8"):
        load(tmp_path / "latin.yaml")
    (tmp_path / "large.yaml").write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(ConfigError, match="larger than 1024 KiB"):
        load(tmp_path / "large.yaml")


def test_very_many_tests_are_refused_as_such_and_at_once(tmp_path: Path) -> None:
    (tmp_path / "buto.yaml").write_text(
        "tests:\n" + "".join(f"  t{number}: {{}}\n" for number in range(60_000))
    )
    began_s = time.process_time()
    with pytest.raises(ConfigError) as refused:
        load(tmp_path / "buto.yaml")
    assert time.process_time() - began_s < 10
    assert "alias" not in refused.value.message


def test_the_usual_file_is_found_and_a_given_one_goes_first(tmp_path: Path) -> None:
    assert find(None, tmp_path) is None
    (tmp_path / "buto.yaml").touch()
    assert find(None, tmp_path) == tmp_path / "buto.yaml"
    assert find(Path("other.yaml"), tmp_path) == Path("other.yaml")


def test_the_schema_and_the_methods_know_the_same_settings() -> None:
    definitions = config_schema()["definitions"]
    judge = definitions["judge"]["properties"]
    assert judge["method"]["enum"] == [*DETECTORS]
    assert judge.keys() == {"method", *DETECTORS, *_keys(DEFAULT.method)} - {DEFAULT.method}
    for method in DETECTORS:
        own = judge if method == DEFAULT.method else definitions[f"judge-{method}"]["properties"]
        assert own.keys() >= _keys(method)
        for key in _keys(method):
            limits = (own[key][limit] for limit in ("minimum", "maximum") if limit in own[key])
            for value in (*own[key].get("enum", ()), *limits):
                given = {"bounds": "particle"} | {key: value} if method == "thesis" else {key: value}
                settings_from(given if method == DEFAULT.method else {"method": method, method: given})


def _keys(method: str) -> set[str]:
    return {key.name for key in detector(method).keys}


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        ("{alpha: 0.05, fail-on: worse}", {"alpha": 0.05, "fail-on": "worse"}),
        ("{minimum-effect: {'jvm.*': 64KiB, '*': 5%}}", {"minimum-effect": {"jvm.*": "64KiB", "*": "5%"}}),
        ("{minimum-effect: {jvm.thread.count: 3}}", {"minimum-effect": {"jvm.thread.count": "3"}}),
        ("{method: calibrated}", {}),
        ("{method: thesis, thesis: {window: 5}}", {"method": "thesis", "thesis": {"window": 5}}),
    ],
)
def test_how_runs_are_judged_is_as_it_is_written(
    tmp_path: Path, judge: str, expected: dict[str, object]
) -> None:
    test = read(tmp_path, f"version: 1\ntests:\n  a: {{command: x, judge: {judge}}}\n").tests["a"]
    assert test.settings == settings_from(expected)


def test_the_document_shows_a_configuration_that_works_and_names_every_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = (Path(__file__).parents[3] / "docs" / "configuration.md").read_text()
    monkeypatch.setattr("buto.jars.path", lambda name: Path("/jars") / name)
    (tmp_path / "buto.yaml").write_text(text.split("```yaml\n")[1].split("```")[0])
    tests = load(tmp_path / "buto.yaml", {"SHOP_DB_PASSWORD": "secret"}).tests
    assert tests["leaker"].target.command[3] == "/jars/buto-testprograms.jar"
    assert tests["shop"].target.command[-1] == "--args=--orders 1000"
    definitions = config_schema()["definitions"]
    for key in (key for kind in ("test", "mbean", "judge") for key in definitions[kind]["properties"]):
        assert f"`{key}`" in text


def test_an_edited_oracle_may_hold_numbers_where_words_belong() -> None:
    test = build_test("a", {"command": ["java", 5, True], "environment": {"A": 1.5}}, None, {})
    assert test.target.command == ("java", "5", "true")
    assert test.target.environment == {"A": "1.5"}


def test_an_empty_mapping_is_distinguished_from_the_mapping_that_is_expected(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, "version: 1\ntests: {}\n")
    assert fault.endswith("tests: found an empty mapping, expected a mapping that is not empty")


def test_as_many_runs_as_are_needed_may_be_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "buto.yaml"
    path.write_text("version: 1\ntests:\n  a: {command: x, runs: auto}\n  b: {command: x}\n")
    tests = load(path).tests
    assert (tests["a"].runs, tests["a"].adaptive) == (30, True)
    assert (tests["b"].runs, tests["b"].adaptive) == (10, False)
