from __future__ import annotations

import os
from pathlib import Path

import pytest

from buto.measure.command_line import CommandLine, command_line, is_java
from buto.measure.target import Target

OPTION = "-javaagent:/tmp/buto-x/buto-agent.jar=/tmp/buto-x/session"
GENTLE = "-agentlib:instrument=/tmp/buto-x/buto-agent.jar=/tmp/buto-x/session"


@pytest.fixture
def java_home(tmp_path: Path) -> Path:
    """Return the path of a ``java`` that is not in PATH."""
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\n")
    java.chmod(0o755)
    return tmp_path / "jdk"


def test_java_gets_the_options_first(java_home: Path) -> None:
    target = Target(("java", "-cp", "x y", "Main"), environment={"PATH": f"{java_home}/bin"})
    line = command_line(target, [OPTION])
    assert line.arguments == (f"{java_home}/bin/java", GENTLE, "-cp", "x y", "Main")
    assert line.direct
    assert line.environment.get("JAVA_TOOL_OPTIONS") == os.environ.get("JAVA_TOOL_OPTIONS")


def test_java_is_found_through_java_home_only_when_path_has_none(java_home: Path) -> None:
    environment = {"PATH": "/nowhere", "JAVA_HOME": str(java_home)}
    line = command_line(Target(("java", "Main"), environment=environment), [])
    assert line.arguments[0] == f"{java_home}/bin/java"
    assert is_java(["/opt/jdk-21/bin/java"])
    assert not is_java(["/opt/java/mvn"])


@pytest.mark.parametrize(
    ("option", "quoted"),
    [
        (OPTION, OPTION),
        ("-Dx=a b", '"-Dx=a b"'),
        ("-Dx=it's", '"-Dx=it\'s"'),
        ('-Dx="a b"', "'-Dx=\"a b\"'"),
    ],
)
def test_other_commands_get_the_options_in_the_environment(option: str, quoted: str) -> None:
    line = command_line(Target(("sh", "run.sh"), environment={"JAVA_TOOL_OPTIONS": ""}), [option])
    assert not line.direct
    assert line.arguments[1:] == ("run.sh",)
    assert line.environment["JAVA_TOOL_OPTIONS"] == quoted
    before = command_line(Target(("sh",), environment={"JAVA_TOOL_OPTIONS": "-Xmx1g"}), [option])
    assert before.environment["JAVA_TOOL_OPTIONS"] == f"-Xmx1g {quoted}"


def test_what_a_jvm_says_of_the_added_options_is_taken_out_again() -> None:
    def cleaned(before: str | None, output: bytes) -> bytes:
        value = f"{before} {OPTION}" if before else OPTION
        return CommandLine((), {}, direct=False, added_tool_options=(value, before)).clean(output)

    notice = f"Picked up JAVA_TOOL_OPTIONS: {OPTION}\n".encode()
    assert cleaned(None, b"a\n" + notice + b"b\n" + notice) == b"a\nb\n"
    own = f"Picked up JAVA_TOOL_OPTIONS: -Xmx1g {OPTION}\n".encode()
    assert cleaned("-Xmx1g", own + b"x\n") == b"Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nx\n"
    latin = "-Dx=caf\udce9"
    said = b"Picked up JAVA_TOOL_OPTIONS: -Dx=caf\xe9"
    assert cleaned(latin, said + f" {OPTION}\n".encode()) == said + b"\n"
    other = b"Picked up JAVA_TOOL_OPTIONS: -Dother\n"
    assert cleaned(None, other) == other
