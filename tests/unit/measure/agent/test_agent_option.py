from __future__ import annotations

import pytest

from buto.measure.agent import agent_option
from buto.measure.target import Target

AGENT = "/x/agent.jar=/x/session"
VARIABLES = ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    "command", [("java", "-cp", "x", "Main"), ("/jdk/bin/java", "-Xmx64m", "-jar", "x.jar", "1")]
)
def test_a_program_on_the_class_path_keeps_the_archived_modules(command: tuple[str, ...]) -> None:
    assert agent_option(AGENT, Target(command)) == f"-agentlib:instrument={AGENT}"


@pytest.mark.parametrize(
    "command",
    [
        ("java", "-p", "mods", "-m", "app/Main"),
        ("java", "--module=app/Main"),
        ("java", "--limit-modules", "java.base", "-cp", "x", "Main"),
        ("java", "@options", "Main"),
        ("mvn", "verify"),
        ("/app/bin/server",),
    ],
)
def test_where_the_module_may_be_absent_it_is_asked_for(command: tuple[str, ...]) -> None:
    assert agent_option(AGENT, Target(command)) == f"-javaagent:{AGENT}"


@pytest.mark.parametrize("variable", VARIABLES)
@pytest.mark.parametrize("inherited", [True, False])
def test_options_in_the_environment_count_too(
    monkeypatch: pytest.MonkeyPatch, variable: str, inherited: bool
) -> None:
    value = "-Xmx64m --limit-modules=java.base"
    if inherited:
        monkeypatch.setenv(variable, value)
    target = Target(("java", "Main"), environment={} if inherited else {variable: value})
    assert agent_option(AGENT, target) == f"-javaagent:{AGENT}"
    harmless = Target(("java", "Main"), environment={variable: "-Xmx64m"})
    assert agent_option(AGENT, harmless) == f"-agentlib:instrument={AGENT}"
