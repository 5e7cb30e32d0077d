"""Select the JVM to measure among those that a command starts."""

from __future__ import annotations

import fnmatch
import os

_TOOLS = (
    "org.codehaus.plexus.classworlds.launcher.Launcher",
    "org.codehaus.classworlds.Launcher",
    "org.apache.maven.wrapper.MavenWrapperMain",
    "maven-wrapper.jar",
    "org.mvndaemon.*",
    "org.gradle.wrapper.GradleWrapperMain",
    "org.gradle.launcher.*",
    "org.gradle.process.internal.worker.child.*",
    "gradle-wrapper.jar",
    "gradle-launcher-*.jar",
    "org.apache.tools.ant.launch.Launcher",
    "org.apache.tools.ant.Main",
    "xsbt.boot.Boot",
    "sbt-launch*.jar",
    "sbt.internal.*",
    "leiningen-*-standalone.jar",
    "org.jetbrains.kotlin.cli.*",
    "org.jetbrains.kotlin.daemon.*",
    "org.jetbrains.kotlin.preloading.Preloader",
    "scala.tools.nsc.*",
    "dotty.tools.*",
    "com.sun.tools.javac.Main",
    "com.sun.tools.javadoc.Main",
    "sun.tools.*",
    "jdk.tools.*",
    "jdk.javadoc.*",
    "sun.security.tools.*",
)
"""Main classes and jars of build tools, compilers and tools of the JDK. Not included: what they start to run
the user's code, such as Surefire's forked booter and Gradle's worker."""


NO_PROGRAM = "(no main class)"
"""Name for a JVM that runs no program, such as ``java -version``."""


def main_name(command: str) -> str:
    """Return a JVM's main class, or its jar's base name, from its ``sun.java.command``; empty if unknown.

    The name of a module before the class is left out.
    """
    first = command.split(maxsplit=1)[0] if command.strip() else ""
    if first.endswith(".jar"):
        return os.path.basename(first)
    return first.rsplit("/", 1)[-1]


def is_wanted(command: str, pattern: str | None) -> bool:
    """Return whether a JVM may be the one to measure. A JVM without a main class or jar never is.

    Args:
        command: its ``sun.java.command``.
        pattern: shell pattern for the main class or the jar's base name; None for any but known tools.
    """
    name = main_name(command)
    if not name:
        return False
    if pattern is not None:
        return fnmatch.fnmatchcase(name, pattern)
    return not any(fnmatch.fnmatchcase(name, tool) for tool in _TOOLS)
