from __future__ import annotations

from pathlib import Path

import pytest

from buto.measure.environment import give_environment
from buto.measure.java_launcher import is_measured, program_of, restore
from buto.measure.jvms import TOOLS, is_wanted
from buto.measure.private_java import Added, with_private_java

FIRST = {"HOME": "/root", "LANG": "C"}


@pytest.mark.parametrize("value", ["C.UTF-8", "C.utf8", "UTF-8"])
def test_a_locale_that_python_made_is_taken_back(value: str) -> None:
    assert give_environment({**FIRST, "LC_CTYPE": value}, FIRST) == FIRST
    assert give_environment({**FIRST, "LC_CTYPE": value}, {**FIRST, "LC_CTYPE": "POSIX"}) == {
        **FIRST,
        "LC_CTYPE": "POSIX",
    }


def test_a_locale_that_was_given_stays() -> None:
    first = {**FIRST, "LC_CTYPE": "C.UTF-8"}
    assert give_environment(first, first) == first


def test_what_the_code_around_buto_sets_stays_but_not_what_its_tools_add() -> None:
    now = {**FIRST, "DB": "test", "PYTEST_CURRENT_TEST": "x", "BUTO_DOOR": "maven", "PYTEST_ADDOPTS": "-q"}
    first = {**FIRST, "BUTO_DOOR": "maven", "PYTEST_ADDOPTS": "-q"}
    assert give_environment(now, first) == {**FIRST, "DB": "test", "PYTEST_ADDOPTS": "-q"}


@pytest.mark.parametrize(
    ("words", "program"),
    [
        (["-version"], ""),
        (["-cp", "x", "-version"], ""),
        ([], ""),
        (["-cp", "x", "Main", "-version"], "Main"),
        (["-Xmx1g", "--module-path", "mods", "--add-modules", "a,b", "-m", "app/Main", "x"], "app/Main"),
        (["--module=app/Main"], "app/Main"),
        (["-jar", "my app/shop.jar"], "my app/shop.jar"),
        (["-Dx=y", "Shop.java"], "Shop.java"),
        (["@options", "Main"], None),
    ],
)
def test_the_program_of_a_command_is_known(words: list[str], program: str | None) -> None:
    assert program_of(words) == program


@pytest.mark.parametrize(
    "program",
    [
        "com.acme.Main",
        "/x/gradle/wrapper/gradle-wrapper.jar",
        "jdk.compiler/com.sun.tools.javac.Main",
        "sbt-launch-1.9.jar",
        "org.gradle.launcher.daemon.bootstrap.GradleDaemon",
        "worker.org.gradle.process.internal.worker.GradleWorkerMain",
    ],
)
@pytest.mark.parametrize("pattern", ["", "*", "com.acme.*", "*.M?in", "[a-c]om.acme.Main", "Main"])
def test_a_script_and_buto_choose_the_same_jvm(program: str, pattern: str) -> None:
    assert is_measured(program, pattern, TOOLS) == is_wanted(program, pattern or None)


@pytest.mark.parametrize("before", ["", "-Xmx1g"])
@pytest.mark.parametrize("more", ["", " -Dmore"])
def test_what_a_script_adds_to_the_tool_options_stays(before: str, more: str) -> None:
    added = "-javaagent:/x/agent.jar=/x/session"
    whole = f"{before} {added}" if before else added
    assert restore(f"{whole}{more}", added, before) == f"{before}{more}"


def test_every_variable_that_names_a_java_gets_butos(tmp_path: Path) -> None:
    home = tmp_path / "jdk"
    (home / "bin").mkdir(parents=True)
    (home / "lib").mkdir()
    for name in ("java", "javac"):
        (home / "bin" / name).write_text("#!/bin/sh\n")
        (home / "bin" / name).chmod(0o755)
    environment = {
        "PATH": f"{home}/bin",
        "JAVA_HOME": str(home),
        "JAVACMD": f"{home}/bin/java",
        "OTHER": "/usr",
    }
    session = tmp_path / "session"
    session.mkdir()
    changed = with_private_java(environment, session, Added(["-javaagent:x"], "-javaagent:x", None, None, ()))
    assert changed["OTHER"] == "/usr"
    assert changed["PATH"] == f"{session}/path/bin:{home}/bin"
    own = Path(changed["JAVA_HOME"])
    assert own.parent == session and (own / "lib").resolve() == home / "lib"
    assert (own / "bin" / "javac").resolve() == home / "bin" / "javac"
    assert Path(changed["JAVACMD"]).read_text() == (own / "bin" / "java").read_text()
    assert (session / "path" / "bin" / "java").is_file()
