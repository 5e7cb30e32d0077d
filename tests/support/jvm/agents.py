"""The JDKs of the machine, and programs that are started under the agent."""

from __future__ import annotations

import os
import subprocess
import time
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.checkout import ROOT
from tests.support.jvm.plain_collector import Heard, PlainCollector, Rule

AGENT = ROOT / "buto" / "jars" / "buto-agent.jar"
PATIENCE_S = 120.0


def until(happened: Callable[[], object]) -> None:
    """Wait for something that is sure to happen on a machine however slow."""
    deadline = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def threads_of(pid: int) -> list[str]:
    """The names of a JVM's threads, of which the kernel keeps 15 letters."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/comm"):
        with suppress(FileNotFoundError, ProcessLookupError):
            found.append(path.read_text().strip())
    return found


def without_opening(directory: Path) -> Path:
    """An agent that has to read all in public, as in Java 8 and in a JDK whose inside has changed."""
    closed = directory / "closed.jar"
    with zipfile.ZipFile(AGENT) as whole, zipfile.ZipFile(closed, "w") as part:
        for entry in whole.infolist():
            if not entry.filename.endswith("/Opening.class"):
                part.writestr(entry, whole.read(entry))
    return closed


@dataclass
class Launcher:
    """Starts programs, with their streams in files, and ends what a test left running."""

    directory: Path
    classes: Path
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)
    agent: Path = AGENT

    def start(
        self,
        java: str,
        session: PlainCollector | Path | None,
        program: Sequence[str],
        options: Sequence[str] = (),
        environment: dict[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Starts ``java [agent] options -cp classes program``; no session means no agent."""
        command = [java]
        if session is not None:
            file = session.session_file if isinstance(session, PlainCollector) else session
            command.append(f"-javaagent:{self.agent}={file}")
        command += [*options, "-cp", str(self.classes), *program]
        with self.stdout.open("wb") as out, self.stderr.open("wb") as err:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=out, stderr=err, env=os.environ | (environment or {})
            )
        self.started.append(process)
        return process

    def go_on(self) -> None:
        """Ends one wait of the program that was started last."""
        stdin = self.started[-1].stdin
        assert stdin is not None
        stdin.write(b"\n")
        stdin.flush()

    @property
    def stdout(self) -> Path:
        return self.directory / "stdout"

    @property
    def stderr(self) -> Path:
        return self.directory / "stderr"

    def lines(self) -> list[str]:
        return self.stdout.read_text().split()


@dataclass(frozen=True)
class Scene:
    """A launcher of programs, and the collector that hears of them."""

    launcher: Launcher
    collector: PlainCollector

    def measured(
        self,
        java: str,
        *program: str,
        options: Sequence[str] = (),
        code: int = 0,
        interval_ms: float = 20,
        rules: Sequence[Rule] = (),
        until: Sequence[Callable[[Heard], object]] = (),
    ) -> Heard:
        """Run a program to its end; where it waits, it goes on as soon as the next condition holds."""
        process = self.launcher.start(java, self.collector, program, options)
        self.collector.start(interval_ms, rules=rules)
        for condition in until:
            self.collector.read_until(condition)
            self.launcher.go_on()
        heard = self.collector.finish()
        assert process.wait(PATIENCE_S) == code
        assert heard.ended
        return heard
