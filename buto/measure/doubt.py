"""Whether buto kept a JVM from starting: the command is launched once without it, and what differs is told.

If a JVM does not start under buto, buto is suspected first, because it has added the last option.
"""

from __future__ import annotations

import re
import subprocess
import time

from msgspec import Struct

from buto.errors import MeasureError
from buto.measure import exits
from buto.measure.jvms import own_environment
from buto.measure.launch import Ending, Launch
from buto.measure.output import last_lines
from buto.measure.private_directory import private_directory
from buto.steps import Advice, Setting

LONGEST_S = 20.0
"""How long the command may run without buto; one that lives so long has started."""

_NEEDED = ("java.instrument", "java.management")
"""Modules of the JDK without which the agent cannot be loaded."""

_LIST_S = 30.0
_LIMIT = "--limit-modules"
_TRIM_S = 0.1


class _Cause(Struct, frozen=True):
    """Why a JVM does not start with the agent.

    Attributes:
        why: a clause about the JVM.
        printed: what it prints then; None for a cause that is found otherwise.
    """

    why: str
    advice: str
    printed: re.Pattern[str] | None = None

    def is_in(self, printed: str) -> bool:
        return self.printed is not None and self.printed.search(printed) is not None


_WITHOUT_AGENT = Advice("measure it from outside: ", Setting("collector", "jmx"))
_ADD_MODULES = (
    f"add them to the image: jlink --add-modules {','.join(_NEEDED)},jdk.management; or to {_LIMIT}"
)

_ARCHIVE = _Cause(
    "its AOT cache was made without the module java.instrument, which the agent needs",
    "make the cache and start the program with --add-modules java.instrument",
    re.compile(r"jdk\.module\.addmods: java\.instrument"),
)

_UNKNOWN = _Cause("nothing that it prints says why", _WITHOUT_AGENT)
_SCRIPT = _Cause(
    "a script may read what a JVM prints because of JAVA_TOOL_OPTIONS",
    "let the script take java from PATH or JAVA_HOME, where no JVM prints anything",
)

_CAUSES = (
    _Cause(
        "it cannot read buto's files, because it runs as another user or has a /tmp of its own",
        "run buto as that user and within that /tmp, so that the command does not change them: "
        "runuser -u USER -- buto ...",
        re.compile(r"(?:Error opening zip file|manifest missing)[^\n]*buto-agent\.jar"),
    ),
    _Cause(
        "it writes an archive of its classes, and takes no agent then",
        "measure without -XX:ArchiveClassesAtExit, for example with the archive that it has written",
        re.compile(r"AllowArchivingWithJavaAgent|CDS dumping does not support"),
    ),
    _ARCHIVE,
    _Cause(
        "its Java lacks the module java.instrument, which the agent needs",
        _ADD_MODULES,
        re.compile(r"find agent library instrument|Module java\.instrument not found"),
    ),
)


def doubt(error: MeasureError, launch: Launch) -> MeasureError:
    """Return the error for a launch without a measured JVM: one that names buto if the fault is buto's.

    Args:
        error: what is wrong if the command fails without buto, too.
        launch: after its end.
    """
    before = launch.poll()
    alone = _launch_alone(launch)
    if alone is None or before is None:
        return error
    ending, printed = alone
    cause = _cause(launch)
    if cause is None:
        runs_alone = ending is None or ending.exit_code == launch.target.expected_exit
        # A JVM that was killed tells nothing of its agent.
        if not runs_alone or before.exit_code in (None, launch.target.expected_exit):
            return error
        cause = _UNKNOWN if launch.line.direct else _SCRIPT
    ending_text = "was still running" if ending is None else ending.describe()
    return MeasureError(
        f"the command runs without buto, but not with buto's agent: {cause.why}\n{launch.quote()}\n"
        f"end without buto: {ending_text}{printed}",
        advice=cause.advice,
    )


def _launch_alone(launch: Launch) -> tuple[Ending | None, str] | None:
    """Launch the command without buto's agent; return its end, None while it runs, and its last words.

    Returns:
        None if it cannot be launched, or its JVM is not created then either.
    """
    longest_s = min(LONGEST_S, launch.target.timeout_s)
    try:
        with private_directory() as directory, Launch(launch.target, directory) as alone:
            deadline = time.monotonic() + longest_s
            ending = None
            while ending is None and time.monotonic() < deadline:
                ending = alone.wait(min(_TRIM_S, longest_s))
                alone.trim_outputs()
            alone.end_all()
            if exits.jvm_not_created(alone) is not None:
                return None
            lines = last_lines(alone.mask.output(alone.read_stdout()))
            return ending, f"\nstdout without buto, last lines:\n{lines}" if lines else ""
    except MeasureError:
        return None


def check_archive(launch: Launch) -> None:
    """Refuse a run whose JVM could not use its AOT cache because of buto: it started as another program.

    Raises:
        MeasureError: it could not.
    """
    if _ARCHIVE.is_in(_output_of(launch)):
        raise MeasureError(
            f"the program did not start as it does without buto: {_ARCHIVE.why}\n{launch.quote()}",
            advice=_ARCHIVE.advice,
        )


def _output_of(launch: Launch) -> str:
    return b"\n".join((launch.read_stdout(), launch.read_stderr())).decode(errors="replace")


def _cause(launch: Launch) -> _Cause | None:
    printed = _output_of(launch)
    for cause in _CAUSES:
        if cause.is_in(printed):
            return cause
    missing = _missing_modules(launch)
    if not missing:
        return None
    return _Cause(f"its Java lacks {', '.join(missing)}, which the agent needs", _ADD_MODULES)


def _missing_modules(launch: Launch) -> list[str]:
    """Return the modules that the command's own ``java`` lacks; none where that cannot be known."""
    if not launch.line.direct:
        return []
    java, *words = launch.line.arguments
    limits = [word for word in words if word.startswith(f"{_LIMIT}=")]
    if _LIMIT in words[:-1]:
        limits += [_LIMIT, words[words.index(_LIMIT) + 1]]
    try:
        listed = subprocess.run(
            [java, *limits, "--list-modules"],
            # A relative path to java is one from where the command runs.
            cwd=launch.target.directory,
            env=own_environment(),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_LIST_S,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    known = {line.partition("@")[0].strip() for line in listed.splitlines()}
    return [module for module in _NEEDED if module not in known]
