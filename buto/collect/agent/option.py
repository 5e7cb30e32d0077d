"""The JVM option that loads the agent."""

from __future__ import annotations

import os

from buto.collect.process.command_line import is_java
from buto.collect.target import Target

_MODULE_WORDS = ("--limit-modules", "--upgrade-module-path", "--patch-module", "-XX:VMOptionsFile", "@")
_MODULE_OPTIONS = ("-m", "--module", "-p", *_MODULE_WORDS)
"""With these in a command, or in a file that it names, the JVM may lack the module ``java.instrument``."""

_VARIABLES = ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")


def agent_option(agent: str, target: Target) -> str:
    """Return the option that makes the JVM of a target load the agent.

    ``-javaagent`` adds the module ``java.instrument``. A program on the class path has that module anyway,
    but the request alone makes the JVM build its module graph again instead of reading it from its archive:
    100 classes and 30 ms of processor time. ``-agentlib:instrument`` loads the same agent without that cost.
    A JVM without the module would not start, so this option is used only if the command shows that the
    module is there.

    Args:
        agent: jar and argument, joined by ``=``.
    """
    settings = [target.environment.get(name, os.environ.get(name, "")) for name in _VARIABLES]
    has_all_modules = not any(word.startswith(_MODULE_OPTIONS) for word in target.command[1:]) and not any(
        word in setting for setting in settings for word in _MODULE_WORDS
    )
    if is_java(target.command) and has_all_modules:
        return f"-agentlib:instrument={agent}"
    return f"-javaagent:{agent}"
