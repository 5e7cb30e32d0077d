"""The JVM option that loads the agent: the one that every JVM takes, or the same with less behind it."""

from __future__ import annotations

import os

from buto.collect.process.command_line import is_java
from buto.collect.target import Target

_MODULE_WORDS = ("--limit-modules", "--upgrade-module-path", "--patch-module", "-XX:VMOptionsFile", "@")
_MODULE_OPTIONS = ("-m", "--module", "-p", *_MODULE_WORDS)
"""With these in a command, or in a file that it names, the JVM may leave out the module of agents."""

_VARIABLES = ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")


def agent_option(agent: str, target: Target) -> str:
    """What makes the JVM of a target load the agent.

    ``-javaagent`` first adds the module ``java.instrument`` to the JVM's own, which for a program on the
    class path is among them anyway; but to have been asked is enough for the JVM to build its graph of
    modules anew instead of taking it from its archive, in 100 classes and 30 ms of processor time.
    ``-agentlib:instrument`` is what ``-javaagent`` stands for, without that. A JVM that lacks the module
    would not start with it, so it is used only where the command shows that the module is there.

    Args:
        agent: jar and argument, with ``=`` between.
    """
    settings = [target.environment.get(name, os.environ.get(name, "")) for name in _VARIABLES]
    has_all_modules = not any(word.startswith(_MODULE_OPTIONS) for word in target.command[1:]) and not any(
        word in setting for setting in settings for word in _MODULE_WORDS
    )
    if is_java(target.command) and has_all_modules:
        return f"-agentlib:instrument={agent}"
    return f"-javaagent:{agent}"
