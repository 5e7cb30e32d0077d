"""The plugin in sessions of its own that never come to start a JVM."""

from __future__ import annotations

from pathlib import Path

import pytest

# pytester forgets what a session in this process has imported, and numpy cannot be loaded twice.
import buto.pytest_plugin.session  # noqa: F401
from buto.actions.events import WaitingForStore
from buto.actions.launcher import Launcher
from buto.errors import MeasureError

pytest_plugins = ["pytester"]

MARKED = """
import pytest

@pytest.mark.buto(jar="app.jar")
def test_shop():
    pass
"""
DRIVEN = """
def test_shop(buto):
    with buto.record(jar="app.jar"):
        pass
"""


def session(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:xdist", *arguments)


def test_a_project_that_does_not_use_it_imports_next_to_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import sys

        def test_nothing():
            ours = {name for name in sys.modules if name.split(".")[0] == "buto"}
            rooms = {"buto.run", "buto.run.display", "buto.project", "buto.project.options"}
            rooms |= {"buto.actions", "buto.actions.hooks", "buto.errors", "buto.causes"}
            assert ours == rooms | {"buto", "buto.version", "buto.pytest_plugin"} | {
                f"buto.pytest_plugin.{name}" for name in ("plugin", "options", "outcome")
            }
            assert not {"numpy", "pyarrow", "jpype", "yaml", "rich"} & set(sys.modules)
    """)
    done = pytester.runpytest_subprocess(
        "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest"
    )
    done.assert_outcomes(passed=1)
    done.stdout.no_fnmatch_line("*= buto =*")
    assert not (pytester.path / ".buto").exists()


@pytest.mark.parametrize("source", [MARKED, DRIVEN])
def test_without_an_oracle_a_test_fails_and_says_what_to_type(pytester: pytest.Pytester, source: str) -> None:
    pytester.makepyfile(test_it=source)
    done = session(pytester, "--strict-markers")
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    assert done.parseoutcomes().get("passed", 0) == 0
    done.stdout.fnmatch_lines(
        [
            "'test_it.test_shop' has no oracle yet: oracles/test_it.test_shop.json does not exist",
            "try:  pytest test_it.py::test_shop --buto-train",
            "ERROR  test_shop: 'test_it.test_shop' has no oracle yet*",
        ]
    )
    done.stdout.no_fnmatch_line("*Traceback*")


def test_the_advice_can_be_typed_where_pytest_was_started(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]\n")
    pytester.makepyfile(test_it=MARKED)
    (pytester.path / "below").mkdir()
    monkeypatch.chdir(pytester.path / "below")
    done = session(pytester, "..")
    done.stdout.fnmatch_lines(
        ["*../oracles/test_it.test_shop.json does not*", "try:  pytest ../test_it.py::test_shop --buto-train"]
    )


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("", "the mark buto needs a command, a jar or a main"),
        ("jarr='app.jar'", "buto: unknown argument 'jarr'; did you mean 'jar'?"),
        ("'app.jar'", "the mark buto takes named arguments only, got 'app.jar'"),
        ("jar='app.jar', runs=2", "an oracle needs at least "),
        ("command=['no-such-java', 'Main']", "command not found: no-such-java"),
    ],
)
def test_a_wrong_mark_is_an_error_in_plain_words(
    pytester: pytest.Pytester, arguments: str, line: str
) -> None:
    pytester.makepyfile(test_it=MARKED.replace('jar="app.jar"', arguments))
    done = session(pytester, "--buto-train")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines([f"*{line.replace('[', '[[]')}*", "try:  *"])
    done.stdout.no_fnmatch_line("*Traceback*")
    assert not (pytester.path / "oracles").exists()


@pytest.mark.parametrize("source", [MARKED, DRIVEN])
def test_buto_tests_can_be_skipped(pytester: pytest.Pytester, source: str) -> None:
    pytester.makepyfile(source + "\ndef test_other():\n    pass\n")
    session(pytester, "--buto-skip").assert_outcomes(skipped=1, passed=1)
    pytester.makeini("[pytest]\nbuto_skip = true\n")
    session(pytester).assert_outcomes(skipped=1, passed=1)


def test_a_project_can_insist_on_buto(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the sample does: without buto the mark means nothing, and an empty test would pass."""
    pytester.makepyfile(MARKED)
    pytester.makeini("[pytest]\nrequired_plugins = buto-jvm>=99\n")
    old = session(pytester)
    assert old.ret == pytest.ExitCode.USAGE_ERROR
    old.stderr.fnmatch_lines(["*Missing required plugins: buto-jvm>=99*"])
    pytester.makeini("[pytest]\nrequired_plugins = buto-jvm\n")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    without = pytester.runpytest_subprocess()
    assert without.ret == pytest.ExitCode.USAGE_ERROR
    without.stderr.fnmatch_lines(["*Missing required plugins: buto-jvm*"])


def test_an_old_pytest_gets_advice(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytest, "version_tuple", (7, 3, 2))
    done = session(pytester)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*buto needs pytest 7.4 or newer*pip install --upgrade pytest*-p no:buto*"])


def test_runs_and_oracles_lie_where_the_ini_file_says(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=MARKED)
    pytester.makeini("[pytest]\nbuto_oracles = usage/oracles\nbuto_store = usage/.buto\n")
    session(pytester).stdout.fnmatch_lines(["*usage/oracles/test_it.test_shop.json does not exist"])


def test_two_modes_do_not_go_together(pytester: pytest.Pytester) -> None:
    done = session(pytester, "--buto-train", "--buto-skip")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*--buto-train and --buto-skip cannot be combined*"])


def test_two_tests_may_not_share_an_oracle(pytester: pytest.Pytester) -> None:
    for directory in ("a", "b"):
        (pytester.path / directory).mkdir()
        (pytester.path / directory / "test_it.py").write_text(MARKED)
    done = session(pytester, "--import-mode=importlib")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(
        ["*two buto tests have the name 'test_it.test_shop': a/test_it.py*b/test_it.py*"]
    )


def test_a_test_that_asks_for_the_fixture_must_record(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(buto):\n    pass\n")
    done = session(pytester)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["the test uses the fixture buto, but recorded nothing"])


def test_a_damaged_oracle_is_an_error_that_names_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=MARKED)
    (pytester.path / "oracles").mkdir()
    (pytester.path / "oracles" / "test_it.test_shop.json").write_text("{")
    done = session(pytester)
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*oracles/test_it.test_shop.json*"])


def test_what_the_mark_does_is_among_the_markers(pytester: pytest.Pytester) -> None:
    session(pytester, "--markers").stdout.fnmatch_lines(["@pytest.mark.buto(command=*"])


def test_a_failing_body_is_the_tests_own_failure(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(buto):\n    assert 1 == 2\n")
    done = session(pytester)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*assert 1 == 2*"])
    assert not Path(pytester.path / ".buto").exists()


@pytest.mark.parametrize(("option", "n_lines"), [("-v", 1), ("-q", 0)])
def test_it_says_at_once_that_it_waits_for_another_buto(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, option: str, n_lines: int
) -> None:
    def complete(launcher: Launcher, cases: object) -> None:
        launcher.report(WaitingForStore(Path(".buto")))
        raise MeasureError("the program did not start")

    monkeypatch.setattr("buto.actions.single.complete", complete)
    pytester.makepyfile(test_it=MARKED)
    done = session(pytester, option, "--buto-train")
    waiting = "buto: waiting for another buto that is measuring into .buto"
    assert done.outlines.count(waiting) == n_lines
    done.stdout.fnmatch_lines(["*the program did not start*"])


def test_a_test_that_unittest_skips_is_not_launched(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import unittest

        import pytest

        class TestShop(unittest.TestCase):
            @pytest.mark.buto(command=["/does/not/exist"])
            @unittest.skip("later")
            def test_skipped(self):
                pass

        @unittest.skip("all of it")
        class TestOthers(unittest.TestCase):
            @pytest.mark.buto(command=["/does/not/exist"])
            def test_skipped(self):
                pass
    """)
    done = session(pytester, "--buto-train")
    done.assert_outcomes(skipped=2)
