"""How the measured JVM itself ended, and errors for a launch that gave nothing to record.

The exit code of a command tells little of a JVM that it started: a wrapper may return 0 however its JVM
ended, and a pipe returns the exit code of its last program. The errors quote the program's own output. Both
collectors use this module.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence

from buto import jars
from buto.errors import MeasureError
from buto.measure.jvms import NO_PROGRAM
from buto.measure.launch import Launch
from buto.measure.target import PROCESS, STOPPED_EXIT
from buto.run.model import Problem, ProblemKind
from buto.steps import Advice, Setting


class NotStartedError(MeasureError):
    """No JVM with a program was seen to start, for a reason that may be the command's or buto's."""


_ENDS_OF_STOPPED = (0, *(128 + number for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)))
"""How a program ends that was asked to, as a shell tells it: by the signal, or by a hook that exits with 0. A
wrapper may pass another signal on to its server."""


def is_expected(
    expected_exit: int, exit_code: int | None, ended_by: int | None, *, was_asked_to_end: bool
) -> bool:
    """Return whether a command ended as it should.

    Args:
        expected_exit: see :class:`buto.measure.target.Target`.
        ended_by: the number of the signal that ended it; None if it exited.
        was_asked_to_end: whether buto asked it to end while it ran.
    """
    if was_asked_to_end and expected_exit == STOPPED_EXIT:
        return (exit_code if ended_by is None else 128 + ended_by) in _ENDS_OF_STOPPED
    return ended_by is None and exit_code == expected_exit


def problem(expected_exit: int, code: int | None, *, orderly: bool) -> Problem | None:
    """Return what is wrong with the end of a JVM that is not the command itself; None if nothing is.

    0 and the expected code are good, and so is what a shell makes of a signal if that is expected. A JVM that
    halts (``Runtime.halt``) tells as much as one that exits, where its code is known.

    Args:
        code: its exit code, or minus the signal that ended it; None if not known.
        orderly: whether its exit hook ran, for where the code is not known.
    """
    if code is None:
        return None if orderly else _bad_end("ended without its exit hook: killed, halted or crashed")
    as_in_shell = code if code >= 0 else 128 - code
    if as_in_shell in (expected_exit, *_ENDS_OF_STOPPED):
        return None
    how = f"was ended by signal {-code}" if code < 0 else f"exited with code {code}"
    return _bad_end(f"{how}, which its command did not report")


def _bad_end(how: str) -> Problem:
    return Problem(ProblemKind.JVM_END, f"the measured JVM {how}")


_LAUNCHER_SAYS = re.compile(r"(Error|Fehler|错误|エラー): ")
"""How the ``java`` launcher begins an error message, in the languages that it knows."""

_NOT_CREATED = "Error: Could not create the Java Virtual Machine"
"""The line before it gives the reason."""

_NOT_INITIALISED = "Error occurred during initialization of VM"
"""The line after it gives the reason."""

_NO_MAIN = "no main manifest attribute"

_SECURITY_MANAGER = re.compile(rb"WARNING: A command line option has enabled the Security Manager")
"""Printed by Java 17 and later; earlier ones print nothing."""


def no_jvm(launch: Launch, others: Sequence[str], *, timed_out: bool) -> MeasureError:
    """Return the error for a launch of which no JVM was measured.

    Args:
        launch: after its end.
        others: main classes of JVMs that were seen but not wanted.
        timed_out: whether the time limit ended it.
    """
    target = launch.target
    not_created = jvm_not_created(launch)
    if not_created is not None:
        return not_created
    not_found = main_not_found(launch, "")
    if not_found is not None:
        return not_found
    named = [other for other in others if other != NO_PROGRAM]
    if others and not named:
        return no_program(launch)
    if named:
        pattern = f"matches {target.jvm!r}" if target.jvm else "is more than a build tool"
        return _error(
            f"no JVM that {pattern} was started, only: {', '.join(named)}",
            launch,
            Advice("name the main class or the jar to measure, as: ", Setting("jvm", named[-1])),
        )
    if _SECURITY_MANAGER.search(launch.read_stderr()) or any(map(_enables_one, target.command)):
        return _error(
            "the JVM's security manager kept buto's agent from working",
            launch,
            f'grant it in the policy: grant codeBase "file:{jars.path(jars.AGENT)}" '
            "{ permission java.security.AllPermission; };",
        )
    if timed_out:
        return _error(
            f"no JVM had started when the time limit of {target.timeout_s:g} s had passed",
            launch,
            Advice(
                "the command must start a JVM; if it does so later, give it more time: ",
                Setting("timeout", f"{2 * target.timeout_s:g}s"),
            ),
        )
    if launch.line.direct:
        return _error(
            "the JVM ended before it could load buto's agent",
            launch,
            f"see whether it runs by itself: {launch.mask.command(target.command)}",
            NotStartedError,
        )
    return _error(
        "the command started no JVM that could be measured",
        launch,
        Advice(
            "measure a native executable, or another command without a JVM: ",
            Setting("measure", PROCESS),
            "; else the command must start a JVM, in an environment that keeps JAVA_TOOL_OPTIONS (sudo, "
            "env -i and containers do not); give the java command itself if you can",
        ),
        NotStartedError,
    )


def no_program(launch: Launch) -> MeasureError:
    """Return the error for a launch that started JVMs, but none that runs a program."""
    return _error(
        "the command started no JVM with a main class or jar, as with java -version or a program that "
        "creates its JVM itself",
        launch,
        "name the program's main class or jar in the command; the command must start the program itself",
        NotStartedError,
    )


def not_started(launch: Launch, what: str) -> MeasureError:
    """Return the error for a JVM whose program was not seen to begin."""
    advice = f"see whether it runs by itself: {launch.mask.command(launch.target.command)}"
    return _error(what, launch, advice, NotStartedError)


def jvm_not_created(launch: Launch) -> MeasureError | None:
    """Return the error for a JVM that did not start because of its options, by its output; else None."""
    lines = [
        line
        for output in (launch.read_stdout(), launch.read_stderr())
        for line in output.decode(errors="replace").splitlines()
        if not line.startswith("Picked up ")
    ]
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        if line.startswith((_NOT_CREATED, _NOT_INITIALISED)):
            why = before if line.startswith(_NOT_CREATED) else after
            return _error(
                f"the JVM could not be created: {why or line}",
                launch,
                "correct the JVM's options: in the command, a script's own (JAVA_OPTS and the like), or "
                "JAVA_TOOL_OPTIONS and JDK_JAVA_OPTIONS of the environment",
                NotStartedError,
            )
    return None


def main_not_found(launch: Launch, program: str) -> MeasureError | None:
    """Return the error for a JVM without its main class or jar, by the launcher's output; else None.

    A wrapper's exit code does not matter: the wrapper may ignore how its JVM ended.

    Args:
        launch: after its end.
        program: the JVM's main class or jar; empty if the JVM ended before it could be read.
    """
    ending = launch.poll()
    if ending is None or (launch.line.direct and ending.exit_code in (None, 0)):
        return None
    names = _possible_names(launch, program)
    for line in launch.read_stderr().decode(errors="replace").splitlines():
        says = _LAUNCHER_SAYS.match(line)
        if not says and not line.startswith(_NO_MAIN):
            continue
        # A program may print its own name first; the launcher never does.
        if any(name in line and not (says and line.startswith(name, says.end())) for name in names):
            return _error(
                f"the program did not start: {line}",
                launch,
                "check the main class or jar, the class path (-cp) and that the program was built",
            )
    return None


def _enables_one(option: str) -> bool:
    """Return whether a JVM option enables the security manager."""
    name, _, value = option.partition("=")
    return name == "-Djava.security.manager" and value not in ("allow", "disallow")


def _possible_names(launch: Launch, program: str) -> tuple[str, ...]:
    if program:
        return (program,)
    if not launch.line.direct:
        return ()
    return tuple(word for word in launch.target.command[1:] if not word.startswith("-"))


def _error(what: str, launch: Launch, advice: str, kind: type[MeasureError] = MeasureError) -> MeasureError:
    return kind(f"{launch.mask.text(what)}\n{launch.quote()}", advice=advice)
