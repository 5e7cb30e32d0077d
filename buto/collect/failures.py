"""Why there is nothing to record, in words that quote the program. For both collectors."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from buto.collect.jvm_choice import main_name
from buto.collect.launcher import Launch
from buto.errors import MeasureError

_LAUNCHER_SAYS = re.compile(r"(Error|Fehler|错误|エラー): ")
"""How the ``java`` launcher begins its complaints, in the languages it speaks."""

_NO_MAIN = "no main manifest attribute"


def no_jvm(launch: Launch, others: Sequence[str], *, timed_out: bool) -> MeasureError:
    """No JVM was measured.

    Args:
        launch: after its end.
        others: main classes of JVMs that were seen but not wanted.
        timed_out: the time limit ended it.
    """
    target = launch.target
    if others:
        pattern = f"matches {target.jvm!r}" if target.jvm else "is more than a build tool"
        return _error(
            f"no JVM that {pattern} was started, only: {', '.join(others)}",
            launch,
            f"name the main class or the jar to measure, as: --jvm {shlex.quote(others[-1])}",
        )
    if timed_out:
        return _error(
            f"no JVM had started when the time limit of {target.timeout_s:g} s had passed",
            launch,
            "everything after -- must start a JVM; give a longer --timeout if it does so later",
        )
    if launch.line.direct:
        return _error(
            "the JVM ended before it could load buto's agent",
            launch,
            f"see whether it runs by itself: {shlex.join(target.command)}",
        )
    return _error(
        "the command started no JVM that could be measured",
        launch,
        "everything after -- must start a JVM, in an environment that keeps JAVA_TOOL_OPTIONS "
        "(sudo, env -i and containers do not); give the java command itself if you can",
    )


def not_started(launch: Launch, what: str) -> MeasureError:
    """A JVM was there, but its program was never seen to begin."""
    return _error(what, launch, f"see whether it runs by itself: {shlex.join(launch.target.command)}")


def main_not_found(launch: Launch, jvm_command: str) -> MeasureError | None:
    """The error for a JVM that did not find its main class or jar, by what the launcher says; else None.

    Args:
        launch: after its end.
        jvm_command: the JVM's ``sun.java.command``.
    """
    ending = launch.poll()
    name = main_name(jvm_command)
    if ending is None or ending.exit_code in (None, 0) or not name:
        return None
    for line in launch.kept_stderr().decode(errors="replace").splitlines():
        if name in line and (_LAUNCHER_SAYS.match(line) or line.startswith(_NO_MAIN)):
            return _error(
                f"the program did not start: {line}",
                launch,
                "check the main class, the class path (-cp) and that the program was built",
            )
    return None


def _error(what: str, launch: Launch, advice: str) -> MeasureError:
    return MeasureError(f"{what}\n{launch.quote()}", advice=advice)
