from __future__ import annotations

import pytest

from buto.measure.java_launcher import own_options

AGENT = "/x/agent.jar=/x/session"
OPTION = f"-javaagent:{AGENT}"
GENTLE = f"-agentlib:instrument={AGENT}"


@pytest.mark.parametrize(
    "words", [("-cp", "x", "Main"), ("-Xmx64m", "-jar", "x.jar", "1"), ("-cp", "x", "Main", "-p", "8080")]
)
def test_a_program_on_the_class_path_keeps_the_archived_modules(words: tuple[str, ...]) -> None:
    assert own_options([OPTION, "-Dx"], words, {}) == [GENTLE, "-Dx"]


@pytest.mark.parametrize(
    "words",
    [
        ("-p", "mods", "-m", "app/Main"),
        ("--module=app/Main",),
        ("--limit-modules", "java.base", "-cp", "x", "Main"),
        ("@options", "Main"),
    ],
)
def test_where_the_module_may_be_absent_it_is_asked_for(words: tuple[str, ...]) -> None:
    assert own_options([OPTION], words, {}) == [OPTION]


@pytest.mark.parametrize("variable", ["JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"])
def test_options_in_the_environment_count_too(variable: str) -> None:
    limited = {variable: "-Xmx64m --limit-modules=java.base"}
    assert own_options([OPTION], ("Main",), limited) == [OPTION]
    assert own_options([OPTION], ("Main",), {variable: "-Xmx64m"}) == [GENTLE]
